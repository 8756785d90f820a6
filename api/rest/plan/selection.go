package plan

import (
	"fmt"
	"slices"

	"research/api/rest/catalog"
	"research/api/rest/query"
)

// A Selection selects from a relation and embeds others.
type Selection struct {
	Table   *catalog.Table // nil where the columns are not known, as of a function's result
	Alias   string         // of the relation
	Derived bool           // the rows are what a write or a function returned
	Fields  []Field
	Embeds  []*Selection
	Filter  query.Condition
	Order   []query.OrderTerm
	Window  Window

	// Of embedded resources only.
	Parent       *Selection
	Relationship *catalog.Relationship
	Join         string // the alias of the join
	Key          string // the name in the answer and in filters
	Inner        bool   // rows of the parent without related rows are left out
	Spread       bool   // the columns become the parent's
}

// A Field is a selected column.
type Field struct {
	query.Field
	Output string // the name in the answer; empty for all columns
}

// An Output is a column that a spread selection hands to its parent. An aggregate is not applied yet: the
// parent applies it, since it groups the rows.
type Output struct {
	Name string
	query.Field
}

// A Window is a range of rows.
type Window struct {
	Offset int64
	Limit  *int64 // nil means no limit
	Capped bool   // the limit is the service's: the client asked for more rows, or for all
}

// window narrows a range to most rows; 0 means no limit.
func window(r query.Range, most int64) Window {
	w := Window{Offset: r.Offset, Limit: r.Limit}
	if most > 0 && (w.Limit == nil || *w.Limit > most) {
		w.Limit, w.Capped = &most, true
	}
	return w
}

// longestAlias is below PostgreSQL's 63 bytes, so that a number can follow.
const longestAlias = 50

// selectFrom plans the request's selection from the source, which gives the table, the alias and the filter.
// Embedded lists have at most this many rows; 0 means no limit.
func (p *planner) selectFrom(source Selection, most int64) (*Selection, error) {
	s := &source
	s.Order = p.request.Root.Order
	return s, p.complete(s, p.request.Root, 0, most)
}

// complete plans the fields of a resource and what is embedded in it.
func (p *planner) complete(s *Selection, r *query.Resource, depth int, most int64) error {
	for _, f := range r.Fields {
		if f.Aggregate != "" && !p.rules.Aggregates {
			return &query.Error{Code: query.CodeNoAggregates, Message: "Use of aggregate functions is not allowed"}
		}
		s.Fields = append(s.Fields, Field{f, outputName(f)})
	}
	for _, embedded := range r.Embeds {
		child, err := p.embed(s, embedded, depth+1, most)
		if err != nil {
			return err
		}
		if s.Embedded(child.Key) != nil {
			return duplicate(child, embedded.Name)
		}
		s.Embeds = append(s.Embeds, child)
	}
	if s.spreadsMany() && s.Aggregated() {
		return &query.Error{
			Code: query.CodeNotImplemented, Message: "Feature not implemented",
			Details: "Aggregates are not implemented for one-to-many or many-to-many spreads.",
		}
	}
	s.expandStars()
	return s.checkOrder()
}

// embed plans an embedded resource.
func (p *planner) embed(parent *Selection, r *query.Resource, depth int, most int64) (*Selection, error) {
	relationship, err := p.resolve(parent, r)
	if err != nil {
		return nil, err
	}
	limit := most
	if relationship.ToOne() && relationship.Function == nil {
		limit = 0 // a limit would keep PostgreSQL from choosing the kind of join
	}
	page, err := query.Range{}.Page(r.Limit, r.Offset)
	if err != nil {
		return nil, err
	}
	p.joins++
	if !relationship.ToOne() && parent.lists() == maxLists {
		return nil, &query.Error{
			Code:    query.CodeSyntax,
			Message: fmt.Sprintf("The list %s is in more than %d other lists", parent.path(r.Key()), maxLists),
			Hint:    "Ask for it by a request of its own.",
		}
	}
	child := &Selection{
		Table:        relationship.Target,
		Alias:        fmt.Sprintf("%.*s_%d", longestAlias, relationship.Target.Name, depth),
		Filter:       r.Filter,
		Order:        r.Order,
		Window:       window(page, limit),
		Parent:       parent,
		Relationship: relationship,
		Join:         fmt.Sprintf("pgrst_embed_%d", p.joins),
		Key:          r.Key(),
		Inner:        r.Inner,
		Spread:       r.Spread,
	}
	return child, p.complete(child, r, depth, most)
}

// maxLists is how many lists may be embedded in each other: each multiplies the rows of those around it.
const maxLists = 4

// lists is how many embedded lists a selection is in, itself included.
func (s *Selection) lists() int {
	n := 0
	for ; s.Parent != nil; s = s.Parent {
		if !s.Relationship.ToOne() {
			n++
		}
	}
	return n
}

// path is the path of keys to an embedded resource, as filters name it.
func (s *Selection) path(key string) string {
	for ; s.Parent != nil; s = s.Parent {
		key = s.Key + "." + key
	}
	return key
}

// duplicate is the error of a second embedded resource under one key: a filter by that key could mean either.
// PostgREST leaves it to PostgreSQL, whose message names the alias of a join.
func duplicate(child *Selection, name string) error {
	depth := 0
	for s := child; s.Parent != nil; s = s.Parent {
		depth++
	}
	alias := fmt.Sprintf("%s_%s_%d", child.Relationship.Source.Name, child.Key, depth)
	return &query.Error{
		Code:    query.CodeDuplicateEmbeddingAlias,
		Message: fmt.Sprintf("table name %q specified more than once", alias),
		Hint:    fmt.Sprintf("Give one of them a name of its own: 'another_name:%s(...)'.", name),
	}
}

// checkOrder rejects an order by a resource that is not embedded, or that has several rows.
func (s *Selection) checkOrder() error {
	for _, o := range s.Order {
		if o.Relation == "" {
			continue
		}
		child := s.Embedded(o.Relation)
		if child == nil {
			return &query.Error{
				Code:    query.CodeNotEmbedded,
				Message: fmt.Sprintf("'%s' is not an embedded resource in this request", o.Relation),
				Hint:    fmt.Sprintf("Verify that '%s' is included in the 'select' query parameter.", o.Relation),
			}
		}
		if !child.Relationship.ToOne() {
			return &query.Error{
				Code:    query.CodeUnrelatedOrder,
				Message: fmt.Sprintf("A related order on '%s' is not possible", o.Relation),
				Details: fmt.Sprintf("'%s' and '%s' do not form a many-to-one or one-to-one relationship",
					s.name(), o.Relation),
			}
		}
	}
	return nil
}

// name is the name of the table, or what stands for it.
func (s *Selection) name() string {
	if s.Table != nil {
		return s.Table.Name
	}
	return s.Alias
}

// expandStars replaces * by the columns where each is needed by itself: rows are grouped, columns are spread
// as lists, a column is shown by a function of its domain, or functions of the row are selected too, which *
// must not include.
func (s *Selection) expandStars() {
	if s.Table == nil {
		return
	}
	shown := func(c *catalog.Column) bool { return c.ToJSON != "" }
	computed := func(f Field) bool { return f.Name != query.Star && s.Table.Column(f.Name) == nil }
	grouped := s.Aggregated() || s.Parent != nil && s.Parent.aggregates()
	if !grouped && !s.spreadsMany() && !slices.ContainsFunc(s.Table.Columns, shown) &&
		!slices.ContainsFunc(s.Fields, computed) {
		return
	}
	var fields []Field
	for _, f := range s.Fields {
		if !f.IsStar() {
			fields = append(fields, f)
			continue
		}
		for _, c := range s.Table.Columns {
			fields = append(fields, Field{query.Field{Column: query.Column{Name: c.Name}}, c.Name})
		}
	}
	s.Fields = fields
}

// outputName is the name of a field in the answer: of a JSON path, the last key that is not a position.
func outputName(f query.Field) string {
	switch {
	case f.Alias != "":
		return f.Alias
	case f.Aggregate != "":
		return f.Aggregate
	case f.Name == query.Star:
		return ""
	}
	for _, step := range slices.Backward(f.Path) {
		if !step.Index {
			return step.Key
		}
	}
	return f.Name
}

// nesting is how many lists are embedded in each other.
func (s *Selection) nesting() int {
	deepest := 0
	for _, e := range s.Embeds {
		lists := e.nesting()
		if !e.Relationship.ToOne() {
			lists++
		}
		deepest = max(deepest, lists)
	}
	return deepest
}

// embedded is how many resources are embedded, at any depth.
func (s *Selection) embedded() int {
	n := len(s.Embeds)
	for _, e := range s.Embeds {
		n += e.embedded()
	}
	return n
}
