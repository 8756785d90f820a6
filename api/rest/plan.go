package rest

import (
	"fmt"
	"net/http"
	"slices"
)

// A readPlan selects from a relation and embeds others.
type readPlan struct {
	node     *node
	from     *table // nil: columns that we do not know, of a function's result
	alias    string // what qualifies its columns
	relation *relation
	parent   *readPlan // that it is embedded in
	lateral  string    // the alias of its join
	derived  bool      // its rows are what a write or a function gave, no table's any more
	fields   []selected
	children []*readPlan
}

// single tells whether there is one row at most, since the filter gives each column of the primary key a value.
func (p *readPlan) single() bool {
	return !p.derived && p.from != nil && !p.from.IsView && len(p.from.Key) > 0 &&
		!slices.ContainsFunc(p.from.Key, func(column string) bool { return !p.node.filter.fixes(column) })
}

// A selected column is one of a plan's own.
type selected struct {
	*field
	output string // its name in the answer; "" where it is every column
}

// An output is a column that a plan hands to what it is spread in. An aggregate is not yet applied: that is done where the rows are grouped.
type output struct {
	name string
	*field
}

// planner checks one request.
type planner struct {
	schema  *schema
	cfg     *Config
	exposed string
	joins   int
}

// table finds a table of the request's schema.
func (p *planner) table(name string) (*table, error) {
	if t := p.schema.tables[p.exposed][name]; t != nil {
		return t, nil
	}
	e := failure(http.StatusNotFound, "PGRST205", fmt.Sprintf("Could not find the table '%s.%s' in the schema cache", p.exposed, name))
	var names []string
	for candidate := range p.schema.tables[p.exposed] {
		names = append(names, candidate)
	}
	if near := nearest(name, names, 0.75); near != "" {
		e.Hint = fmt.Sprintf("Perhaps you meant the table '%s.%s'", p.exposed, near)
	}
	return nil, e
}

// read plans a request's selection; name is that of the table, or of the function where the result is no table's rows.
func (p *planner) read(n *node, from *table, name string) (*readPlan, error) {
	plan := &readPlan{node: n, from: from, alias: name}
	return plan, p.complete(plan, 0)
}

// longestAlias is below PostgreSQL's 63 bytes, so that a number can follow.
const longestAlias = 50

// complete plans a node's columns and all that is embedded in it.
func (p *planner) complete(plan *readPlan, depth int) error {
	for _, item := range plan.node.items {
		switch it := item.(type) {
		case *field:
			if it.aggregate != "" && !p.cfg.Aggregates {
				return failure(http.StatusBadRequest, "PGRST123", "Use of aggregate functions is not allowed")
			}
			plan.fields = append(plan.fields, selected{it, outputName(it)})
		case *node:
			child, err := p.embed(plan, it, depth+1)
			if err != nil {
				return err
			}
			if plan.child(it.key()) != nil {
				return twice(child)
			}
			plan.children = append(plan.children, child)
		}
	}
	if plan.spreadsMany() && plan.aggregated() {
		return failure(http.StatusBadRequest, "PGRST127", "Feature not implemented").with("Aggregates are not implemented for one-to-many or many-to-many spreads.", nil)
	}
	p.expandStars(plan)
	return p.checkOrder(plan)
}

func (p *planner) embed(parent *readPlan, n *node, depth int) (*readPlan, error) {
	name := parent.alias
	if parent.from != nil {
		name = parent.from.Name
	}
	r, err := p.resolve(parent.from, name, n)
	if err != nil {
		return nil, err
	}
	p.joins++
	child := &readPlan{node: n, from: r.target, relation: r, parent: parent, lateral: fmt.Sprintf("pgrst_embed_%d", p.joins)}
	child.alias = fmt.Sprintf("%.*s_%d", longestAlias, r.target.Name, depth)
	return child, p.complete(child, depth)
}

// twice refuses a second resource of the name of another: of two filters of that name nobody could tell whose they are. PostgREST has PostgreSQL say so, of the alias of a join.
func twice(c *readPlan) error {
	depth := 0
	for p := c; p.parent != nil; p = p.parent {
		depth++
	}
	return failure(http.StatusBadRequest, "42712", fmt.Sprintf("table name \"%s_%s_%d\" specified more than once", c.relation.source.Name, c.node.key(), depth)).
		with(nil, fmt.Sprintf("Give one of them a name of its own: 'another_name:%s(...)'.", c.node.name))
}

// checkOrder refuses to sort by what is not embedded, or not to one.
func (p *planner) checkOrder(plan *readPlan) error {
	for _, o := range plan.node.order {
		if o.relation == "" {
			continue
		}
		child := plan.child(o.relation)
		if child == nil {
			return failure(http.StatusBadRequest, "PGRST108", fmt.Sprintf("'%s' is not an embedded resource in this request", o.relation)).
				with(nil, fmt.Sprintf("Verify that '%s' is included in the 'select' query parameter.", o.relation))
		}
		if !child.relation.toOne {
			name := plan.alias
			if plan.from != nil {
				name = plan.from.Name
			}
			return failure(http.StatusBadRequest, "PGRST118", fmt.Sprintf("A related order on '%s' is not possible", o.relation)).
				with(fmt.Sprintf("'%s' and '%s' do not form a many-to-one or one-to-one relationship", name, o.relation), nil)
		}
	}
	return nil
}

// expandStars writes * out where each column is needed by itself: because rows are grouped, spread as lists, or a column's type has its own way to be shown. Where
// functions of the row are selected too, * must not mean them.
func (p *planner) expandStars(plan *readPlan) {
	if plan.from == nil {
		return
	}
	needed := plan.aggregated() || plan.node.spread && !plan.relation.toOne || plan.parent != nil && plan.parent.aggregatedFields() ||
		slices.ContainsFunc(plan.from.Columns, func(c *tableColumn) bool { return p.schema.casts[[2]string{c.Type, "json"}] != "" }) ||
		slices.ContainsFunc(plan.fields, func(f selected) bool { return f.name != "*" && plan.from.byName[f.name] == nil })
	if !needed {
		return
	}
	var fields []selected
	for _, f := range plan.fields {
		if f.name != "*" || f.aggregate != "" {
			fields = append(fields, f)
			continue
		}
		for _, c := range plan.from.Columns {
			fields = append(fields, selected{&field{column: column{name: c.Name}}, c.Name})
		}
	}
	plan.fields = fields
}

// outputName is the name of a column in the answer: of a JSON path the last key that is no number.
func outputName(f *field) string {
	switch {
	case f.alias != "":
		return f.alias
	case f.aggregate != "":
		return f.aggregate
	case f.name == "*":
		return ""
	}
	for _, s := range slices.Backward(f.path) {
		if !s.index {
			return s.key
		}
	}
	return f.name
}

func (p *readPlan) spreadsOne() bool  { return p.node.spread && p.relation.toOne }
func (p *readPlan) spreadsMany() bool { return p.node.spread && !p.relation.toOne }

// bare tells whether a resource is embedded for its filters alone: nothing of it is shown.
func (p *readPlan) bare() bool {
	return len(p.fields) == 0 && !slices.ContainsFunc(p.children, func(c *readPlan) bool { return !c.bare() })
}

// everything tells whether all columns are selected, and nothing else.
func (p *readPlan) everything() bool {
	return len(p.fields) == 1 && len(p.children) == 0 && p.fields[0].isStar()
}

func (f *field) isStar() bool { return f.name == "*" && f.aggregate == "" }

func (p *readPlan) aggregatedFields() bool {
	return slices.ContainsFunc(p.fields, func(f selected) bool { return f.aggregate != "" })
}

// aggregated tells whether an aggregate is applied to this plan's rows: its own, or one of what is spread in it.
func (p *readPlan) aggregated() bool {
	if p.aggregatedFields() {
		return true
	}
	return slices.ContainsFunc(p.children, func(c *readPlan) bool { return c.spreadsOne() && c.aggregated() })
}

// outputs are the columns of a spread resource, with those of resources that are spread in it.
func (p *readPlan) outputs() []output {
	var list []output
	for _, f := range p.fields {
		if f.isStar() && p.from != nil {
			for _, c := range p.from.Columns {
				list = append(list, output{c.Name, &field{column: column{name: c.Name}}})
			}
			continue
		}
		list = append(list, output{f.output, f.field})
	}
	for _, c := range p.children {
		switch {
		case c.bare():
		case c.node.spread:
			list = append(list, c.outputs()...)
		default:
			list = append(list, output{c.node.key(), &field{}})
		}
	}
	return list
}

// child finds an embedded resource by the name that filters use.
func (p *readPlan) child(name string) *readPlan {
	for _, c := range p.children {
		if c.node.key() == name {
			return c
		}
	}
	return nil
}

// typed is what we know of a column; nil where it is a function of the row, or of a function's result.
func (p *readPlan) typed(name string) *tableColumn {
	if p.from == nil {
		return nil
	}
	return p.from.byName[name]
}

// nullFilter is the embedded resource that a filter asks to be there or not.
func (p *readPlan) nullFilter(f *filter) *readPlan {
	if f.operator != "is" || f.value != "null" || len(f.column.path) > 0 {
		return nil
	}
	return p.child(f.column.name)
}

// needs are the columns that the source of a plan must show when it is no table: the result of a write or of a function. A function of the row is among them, since it
// cannot be called on what is no table's row any more. Nil are all.
func (p *readPlan) needs() []string {
	if p.from == nil {
		return nil
	}
	var names []string
	add := func(list ...string) {
		for _, name := range list {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	all := func() {
		for _, c := range p.from.Columns {
			add(c.Name)
		}
	}
	for _, item := range p.node.items {
		if f, is := item.(*field); is {
			if f.name == "*" {
				all()
			} else {
				add(f.name)
			}
		}
	}
	for _, c := range p.children {
		switch {
		case c.relation.function != nil: // it takes the row whole
			all()
		case c.relation.many != nil:
			for _, pair := range c.relation.many.sourceSide {
				add(pair[0])
			}
		default:
			for _, pair := range c.relation.columns {
				add(pair[0])
			}
		}
	}
	for _, o := range p.node.order {
		if o.relation == "" {
			add(o.column.name)
		}
	}
	p.node.filter.each(func(f *filter) {
		if p.nullFilter(f) == nil {
			add(f.column.name)
		}
	})
	return names
}

// each calls a function for every filter of a tree.
func (c condition) each(do func(*filter)) {
	if c.filter != nil {
		do(c.filter)
	}
	for _, part := range c.parts {
		part.each(do)
	}
}
