package query

import "slices"

// An Operator is the name of a comparison in a filter.
type Operator string

// The operators with a syntax of their own.
const (
	OperatorIn         Operator = "in"
	OperatorIs         Operator = "is"
	OperatorIsDistinct Operator = "isdistinct"
	OperatorLike       Operator = "like"
	OperatorILike      Operator = "ilike"
)

// IsNull is the value of OperatorIs that matches NULL.
const IsNull = "null"

// Comparisons are the operators that compare a column with one value. Package sqlgen has their SQL.
var Comparisons = []Operator{
	"eq", "gte", "gt", "lte", "lt", "neq", OperatorLike, OperatorILike, "match", "imatch",
	"cs", "cd", "ov", "sl", "sr", "nxr", "nxl", "adj", OperatorIsDistinct,
}

// Searches are the operators of full text search, which take a language. Package sqlgen has their SQL.
var Searches = []Operator{"fts", "plfts", "phfts", "wfts"}

// quantified are the operators that take (any) and (all).
var quantified = []Operator{
	"eq", "gte", "gt", "lte", "lt", OperatorLike, OperatorILike, "match", "imatch",
}

// isValues are the values of OperatorIs.
var isValues = []string{IsNull, "not_null", "true", "false", "unknown"}

func (o Operator) isComparison() bool { return slices.Contains(Comparisons, o) }
func (o Operator) isSearch() bool     { return slices.Contains(Searches, o) }
