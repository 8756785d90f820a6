package query

import "slices"

// A Resource is a relation that is selected from: the target, or one that is embedded in another resource.
type Resource struct {
	Name   string // of the relation, the foreign key, or the column that holds it
	Alias  string
	Hint   string // which relationship is meant
	Inner  bool   // rows of the parent without rows of this resource are left out
	Spread bool   // its columns become columns of the parent
	Fields []Field
	Embeds []*Resource
	Filter Condition
	Order  []OrderTerm
	Limit  *int64
	Offset int64
}

// Key returns the name by which other parameters refer to an embedded resource.
func (r *Resource) Key() string {
	if r.Alias != "" {
		return r.Alias
	}
	return r.Name
}

// A Field is a selected column.
type Field struct {
	Column
	Alias         string
	Cast          TypeName
	Aggregate     string // sum, avg, count, max or min; empty means none
	AggregateCast TypeName
}

// Star is the name of all columns.
const Star = "*"

// IsStar reports whether the field stands for all columns.
func (f Field) IsStar() bool { return f.Name == Star && f.Aggregate == "" }

// A Column is a name with a path into its JSON.
type Column struct {
	Name string
	Path []Step
}

// A Step is a step of a JSON path: ->key, ->0 or ->>key.
type Step struct {
	Key    string
	Index  bool // the key is a position
	AsText bool // ->>
}

// A TypeName is the name of a type to cast to. The zero value means no cast.
type TypeName struct {
	Words   []string // one, or several of a name like double precision
	Keyword bool     // the name belongs to SQL's grammar, so that it cannot be quoted
	Array   bool
}

// IsZero reports whether there is no cast.
func (t TypeName) IsZero() bool { return len(t.Words) == 0 }

// A Condition is a tree of filters: a filter, or several conditions. Every row meets the zero value.
type Condition struct {
	Negated bool
	Any     bool // one of the parts must be met; otherwise all of them
	Parts   []Condition
	Filter  *Filter
}

// Empty reports whether every row meets the condition.
func (c Condition) Empty() bool { return c.Filter == nil && len(c.Parts) == 0 }

// Fixes reports whether rows that meet the condition have one given value in the column.
func (c Condition) Fixes(column string) bool {
	if f := c.Filter; f != nil {
		return !c.Negated && f.Equals() && f.Column.Name == column
	}
	fixed := func(part Condition) bool { return part.Fixes(column) }
	return !c.Negated && !c.Any && slices.ContainsFunc(c.Parts, fixed)
}

// Filters returns the filters of the tree from left to right.
func (c Condition) Filters() []*Filter {
	var list []*Filter
	if c.Filter != nil {
		list = append(list, c.Filter)
	}
	for _, part := range c.Parts {
		list = append(list, part.Filters()...)
	}
	return list
}

// A Filter compares a column with a value.
type Filter struct {
	Column     Column
	Negated    bool
	Operator   Operator
	Quantifier string // any or all; empty means none
	Language   string // of a full text search; empty means the database's
	Value      string
	List       []string // the values of OperatorIn
}

// Equals reports whether the filter is column=eq.value.
func (f *Filter) Equals() bool {
	return f.Operator == "eq" && !f.Negated && f.Quantifier == "" && len(f.Column.Path) == 0
}

// An OrderTerm is a column to sort by.
type OrderTerm struct {
	Column    Column
	Relation  string // the key of the embedded resource that has the column; empty means the resource itself
	Direction string // asc or desc; empty means the default
	Nulls     string // first or last; empty means the default
}
