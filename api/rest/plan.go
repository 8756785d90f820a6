package rest

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// A readPlan selects from a relation and embeds others.
type readPlan struct {
	node     *node
	from     *table // nil for a function's result without a table
	alias    string
	relation *relation
	items    []planItem
	children []*readPlan
	inner    bool
	grouped  bool // an aggregate is selected
}

// key is the name of the answer's member.
func (p *readPlan) key() string { return p.node.key() }

type planItem struct {
	field  *field
	typed  *tableColumn
	child  *readPlan
	output string
}

// planner checks one request.
type planner struct {
	schema  *schema
	cfg     *Config
	exposed string
	aliases int
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

// read plans a node and all that is embedded in it.
func (p *planner) read(n *node, from *table, rel *relation) (*readPlan, error) {
	plan := &readPlan{node: n, from: from, relation: rel, inner: n.inner}
	if p.aliases == 0 && from != nil {
		plan.alias = from.Name
	} else if from != nil {
		plan.alias = fmt.Sprintf("%s_%d", from.Name, p.aliases)
	} else {
		plan.alias = "pgrst_call"
	}
	p.aliases++
	for _, item := range n.items {
		switch it := item.(type) {
		case *field:
			if it.aggregate != "" {
				if !p.cfg.Aggregates {
					return nil, failure(http.StatusBadRequest, "PGRST123", "Use of aggregate functions is not allowed")
				}
				plan.grouped = true
			}
			pi := planItem{field: it, output: cmp.Or(it.alias, defaultOutput(it))}
			if from != nil {
				pi.typed = from.byName[it.name]
			}
			plan.items = append(plan.items, pi)
		case *node:
			if from == nil {
				return nil, p.noRelation(n.name, it, nil)
			}
			r, err := p.resolve(from, it)
			if err != nil {
				return nil, err
			}
			child, err := p.read(it, r.target, r)
			if err != nil {
				return nil, err
			}
			plan.children = append(plan.children, child)
			plan.items = append(plan.items, planItem{child: child, output: it.key()})
		}
	}
	for _, o := range n.order {
		if o.relation == "" {
			continue
		}
		child := plan.child(o.relation)
		if child == nil {
			return nil, failure(http.StatusBadRequest, "PGRST108", fmt.Sprintf("'%s' is not an embedded resource in this request", o.relation)).
				with(nil, fmt.Sprintf("Verify that '%s' is included in the 'select' query parameter.", o.relation))
		}
		if !child.relation.toOne {
			name := n.name
			if from != nil {
				name = from.Name
			}
			return nil, failure(http.StatusBadRequest, "PGRST118", fmt.Sprintf("A related order on '%s' is not possible", o.relation)).
				with(fmt.Sprintf("'%s' and '%s' do not form a many-to-one or one-to-one relationship", name, o.relation), nil)
		}
	}
	return plan, p.checkEmbedFilters(plan, n.filter)
}

// checkEmbedFilters refuses filters on an embedded resource itself other than is.null.
func (p *planner) checkEmbedFilters(plan *readPlan, c condition) error {
	if f := c.filter; f != nil && plan.isEmbedFilter(f) {
		if f.operator != "is" || f.value != "null" && f.value != "not_null" {
			return failure(http.StatusBadRequest, "PGRST120", fmt.Sprintf("Bad operator on the '%s' embedded resource", f.column.name)).
				with("Only is null or not is null filters are allowed on embedded resources", nil)
		}
	}
	for _, part := range c.parts {
		if err := p.checkEmbedFilters(plan, part); err != nil {
			return err
		}
	}
	return nil
}

// isEmbedFilter tells whether a filter's name is that of an embedded resource and of no column.
func (p *readPlan) isEmbedFilter(f *filter) bool {
	if len(f.column.path) > 0 || p.child(f.column.name) == nil {
		return false
	}
	return p.from == nil || p.from.byName[f.column.name] == nil
}

func (p *readPlan) child(name string) *readPlan {
	for _, c := range p.children {
		if c.key() == name {
			return c
		}
	}
	return nil
}

// defaultOutput is the name of a column in the answer: of a JSON path the last key that is no number.
func defaultOutput(f *field) string {
	if f.aggregate != "" {
		return f.aggregate
	}
	for _, s := range slices.Backward(f.path) {
		if !s.index {
			return s.key
		}
	}
	return f.name
}

// resolve finds the one relationship that a request's name and hint can mean.
func (p *planner) resolve(from *table, n *node) (*relation, error) {
	for _, r := range p.schema.computed[from] {
		if r.function.Name == n.name && (r.function.Schema == p.exposed) {
			return r, nil
		}
	}
	var found []*relation
	for _, r := range p.schema.relations[from] {
		if r.target.Schema == p.exposed && (r.many == nil || r.many.table.Schema == p.exposed) && matches(r, n) {
			found = append(found, r)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, p.noRelation(from.Name, n, from)
	}
	return nil, ambiguous(from, n, found)
}

// matches tells whether a relationship can be meant: by the target's name, the constraint's or the column's; with a hint, which is the constraint's, a column's or
// the junction's name. Of a relationship of a table with itself the name gives the many, the column gives the one.
func matches(r *relation, n *node) bool {
	column := func(side int, name string) bool {
		return r.many == nil && len(r.columns) == 1 && r.columns[0][side] == name
	}
	constraint := func(name string) bool { return r.many == nil && r.constraint == name }
	named := r.target.Name == n.name
	switch {
	case r.self && n.hint == "":
		return named && r.many == nil && !r.toOne || column(0, n.name) && r.forward
	case r.self:
		return named && r.many == nil && !r.toOne && column(1, n.hint)
	case n.hint == "":
		return named || !r.target.IsView && (constraint(n.name) || column(0, n.name))
	}
	return named && (constraint(n.hint) || column(0, n.hint) || column(1, n.hint) || r.many != nil && r.many.table.Name == n.hint)
}

func (p *planner) noRelation(parent string, n *node, from *table) error {
	details := fmt.Sprintf("Searched for a foreign key relationship between '%s' and '%s' ", parent, n.name)
	if n.hint != "" {
		details += fmt.Sprintf("using the hint '%s' ", n.hint)
	}
	details += fmt.Sprintf("in the schema '%s', but no matches were found.", p.exposed)
	e := failure(http.StatusBadRequest, "PGRST200", fmt.Sprintf("Could not find a relationship between '%s' and '%s' in the schema cache", parent, n.name)).with(details, nil)
	var names []string
	for _, r := range p.schema.relations[from] {
		if r.target.Schema == p.exposed {
			names = append(names, r.target.Name)
		}
	}
	if near := nearest(n.name, names, 0.33); near != "" && near != n.name {
		e.Hint = fmt.Sprintf("Perhaps you meant '%s' instead of '%s'.", near, n.name)
	}
	return e
}

func ambiguous(from *table, n *node, found []*relation) error {
	var details []any
	var hints []string
	list := func(pairs [][2]string, side int) string {
		var names []string
		for _, pair := range pairs {
			names = append(names, pair[side])
		}
		return "(" + strings.Join(names, ", ") + ")"
	}
	for _, r := range found {
		one := map[string]string{"embedding": from.Name + " with " + r.target.Name}
		switch {
		case r.many != nil:
			one["cardinality"] = "many-to-many"
			one["relationship"] = fmt.Sprintf("%s using %s%s and %s%s", r.many.table.Name, r.many.constraint1, list(r.many.sourceSide, 1), r.many.constraint2, list(r.many.targetSide, 1))
			hints = append(hints, fmt.Sprintf("'%s!%s'", r.target.Name, r.many.table.Name))
		default:
			one["cardinality"] = map[bool]string{true: "many-to-one", false: "one-to-many"}[r.toOne]
			if r.oneToOne {
				one["cardinality"] = "one-to-one"
			}
			one["relationship"] = fmt.Sprintf("%s using %s%s and %s%s", r.constraint, from.Name, list(r.columns, 0), r.target.Name, list(r.columns, 1))
			hints = append(hints, fmt.Sprintf("'%s!%s'", r.target.Name, r.constraint))
		}
		details = append(details, one)
	}
	return failure(http.StatusMultipleChoices, "PGRST201", fmt.Sprintf("Could not embed because more than one relationship was found for '%s' and '%s'", from.Name, n.name)).
		with(details, fmt.Sprintf("Try changing '%s' to one of the following: %s. Find the desired relationship in the 'details' key.", n.name, strings.Join(hints, ", ")))
}

// nearest finds the name that is most alike, at least as much as the threshold from 0 to 1: the share of edits that they do not need.
func nearest(name string, names []string, threshold float64) string {
	best, bestScore := "", 0.0
	slices.Sort(names)
	for _, candidate := range names {
		longest := max(len(name), len(candidate))
		if longest == 0 || longest > 200 {
			continue
		}
		score := 1 - float64(editDistance(name, candidate))/float64(longest)
		if score > bestScore {
			best, bestScore = candidate, score
		}
	}
	if bestScore < threshold {
		return ""
	}
	return best
}

func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			diagonal, row[j] = row[j], min(row[j]+1, row[j-1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
