// Package sqlgen writes the SQL of the data API: one statement for each plan, which returns one row (Row)
// whatever the request was.
//
// Identifiers come from the catalog and are quoted, and everything that a client wrote is a parameter. The
// names of types in casts are the exception: they are part of the SQL, and package query rejects whatever is
// not such a name. PostgreSQL makes the JSON of the answer, so that every type looks as PostgREST shows it.
package sqlgen

import (
	"strings"

	"research/api/rest/plan"
	"research/api/rest/query"
)

// Compile writes the statement of a plan. A plan.Methods has none: its SQL is empty.
func Compile(p plan.Plan) Statement {
	switch p := p.(type) {
	case *plan.Read:
		return explained(compileRead(p), p.Format.Explain)
	case *plan.Write:
		return explained(compileWrite(p), p.Format.Explain)
	case *plan.Call:
		return explained(compileCall(p), p.Format.Explain)
	case *plan.Description:
		return compileDescription(p)
	}
	return Statement{}
}

// explained wraps a statement in EXPLAIN if the client requested the plan.
func explained(st Statement, asked *query.Explain) Statement {
	if asked == nil {
		return st
	}
	options := []string{"format text"}
	if asked.JSON {
		options[0] = "format json"
	}
	options = append(options, asked.Options...)
	st.SQL = "explain (" + strings.Join(options, ", ") + ") " + st.SQL
	return st
}

// SearchPath is the value of search_path that makes PostgreSQL look in these schemas.
func SearchPath(schemas []string) string { return quoteAll(schemas) }

// CallFunction calls a function without arguments, whose name may be qualified.
func CallFunction(name string) string {
	schema, function, qualified := strings.Cut(name, ".")
	if !qualified {
		return "select " + quote(name) + "()"
	}
	return "select " + qualify(schema, function) + "()"
}
