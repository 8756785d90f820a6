package plan

import (
	"slices"

	"research/api/rest/catalog"
	"research/api/rest/query"
)

// SpreadsOne reports whether the columns of one related row become the parent's.
func (s *Selection) SpreadsOne() bool { return s.Spread && s.Relationship.ToOne() }

// spreadsMany reports whether the columns of related rows become lists of the parent.
func (s *Selection) spreadsMany() bool { return s.Spread && !s.Relationship.ToOne() }

// Hidden reports whether a resource is embedded for its filters only: nothing of it is in the answer.
func (s *Selection) Hidden() bool {
	return len(s.Fields) == 0 && !slices.ContainsFunc(s.Embeds, func(e *Selection) bool { return !e.Hidden() })
}

// everything reports whether all columns are selected, and nothing else.
func (s *Selection) everything() bool {
	return len(s.Fields) == 1 && len(s.Embeds) == 0 && s.Fields[0].IsStar()
}

// aggregates reports whether a field of this selection is an aggregate.
func (s *Selection) aggregates() bool {
	return slices.ContainsFunc(s.Fields, func(f Field) bool { return f.Aggregate != "" })
}

// Aggregated reports whether the rows of this selection are grouped: by an aggregate of its own, or of a
// selection that is spread in it.
func (s *Selection) Aggregated() bool {
	return s.aggregates() ||
		slices.ContainsFunc(s.Embeds, func(e *Selection) bool { return e.SpreadsOne() && e.Aggregated() })
}

// Outputs returns the columns of a spread selection, with those of selections that are spread in it.
func (s *Selection) Outputs() []Output {
	var list []Output
	for _, f := range s.Fields {
		if !f.IsStar() || s.Table == nil {
			list = append(list, Output{f.Output, f.Field})
			continue
		}
		for _, c := range s.Table.Columns {
			list = append(list, Output{c.Name, query.Field{Column: query.Column{Name: c.Name}}})
		}
	}
	for _, e := range s.Embeds {
		switch {
		case e.Hidden():
		case e.Spread:
			list = append(list, e.Outputs()...)
		default:
			list = append(list, Output{Name: e.Key})
		}
	}
	return list
}

// Embedded finds an embedded selection by its key, or returns nil.
func (s *Selection) Embedded(key string) *Selection {
	for _, e := range s.Embeds {
		if e.Key == key {
			return e
		}
	}
	return nil
}

// Column returns the catalog's entry of a column. It is nil for functions of the row, and for the columns of
// a function's result.
func (s *Selection) Column(name string) *catalog.Column {
	if s.Table == nil {
		return nil
	}
	return s.Table.Column(name)
}

// Presence returns the embedded selection whose rows the filter asks to be present or absent, or nil.
func (s *Selection) Presence(f *query.Filter) *Selection {
	if f.Operator != query.OperatorIs || f.Value != query.IsNull || len(f.Column.Path) > 0 {
		return nil
	}
	return s.Embedded(f.Column.Name)
}

// single reports whether the filter gives each column of the primary key a value, so that at most one row
// matches.
func (s *Selection) single() bool {
	t := s.Table
	return t != nil && !t.IsView && !t.Inherited && len(t.Key) > 0 &&
		!slices.ContainsFunc(t.Key, func(column string) bool { return !s.Filter.Fixes(column) })
}

// needs returns the columns that a write or a function must return for this selection; nil means all. They
// include functions of the row, which cannot be called on what is not a row of the table any more. A role may
// not be allowed to read the other columns.
func (s *Selection) needs() []string {
	if s.Table == nil {
		return nil
	}
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	addAll := func() {
		for _, c := range s.Table.Columns {
			add(c.Name)
		}
	}
	for _, f := range s.Fields {
		if f.Name == query.Star {
			addAll()
		} else {
			add(f.Name)
		}
	}
	for _, e := range s.Embeds {
		columns := e.Relationship.Columns
		if e.Relationship.Function != nil { // it takes the whole row
			addAll()
		}
		if e.Relationship.Junction != nil {
			columns = e.Relationship.Junction.SourceColumns
		}
		for _, pair := range columns {
			add(pair.From)
		}
	}
	for _, o := range s.Order {
		if o.Relation == "" {
			add(o.Column.Name)
		}
	}
	for _, f := range s.Filter.Filters() {
		if s.Presence(f) == nil {
			add(f.Column.Name)
		}
	}
	return names
}
