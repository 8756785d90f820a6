package rest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// resolve finds the one relationship that a request's name and hint can mean.
func (p *planner) resolve(from *table, name string, n *node) (*relation, error) {
	for _, r := range p.schema.computed[from] {
		if r.function.Name == n.name && r.target.Schema == p.exposed {
			return r, nil
		}
	}
	var found []*relation
	for _, r := range p.schema.relations[from] {
		if r.target.Schema == p.exposed && (r.many == nil || slices.Contains(p.cfg.Schemas, r.many.table.Schema)) && !p.overridden(r) && matches(r, n) {
			found = append(found, r)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, p.noRelation(from, name, n)
	}
	return nil, ambiguous(from, n, found)
}

// overridden tells whether a function is named like the relationship's target, which it then stands for.
func (p *planner) overridden(r *relation) bool {
	return slices.ContainsFunc(p.schema.computed[r.source], func(c *relation) bool {
		return c.function.Name == r.target.Name && c.function.Schema == r.target.Schema
	})
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
		return named && r.cardinality() == oneToMany || column(0, n.name) && r.cardinality() == manyToOne
	case r.self:
		return named && r.cardinality() == oneToMany && column(1, n.hint)
	case n.hint == "":
		return named || !r.target.IsView && (constraint(n.name) || column(0, n.name))
	}
	return named && (constraint(n.hint) || column(0, n.hint) || column(1, n.hint) || r.many != nil && r.many.table.Name == n.hint)
}

func (p *planner) noRelation(from *table, parent string, n *node) error {
	details := fmt.Sprintf("Searched for a foreign key relationship between '%s' and '%s' ", parent, n.name)
	if n.hint != "" {
		details += fmt.Sprintf("using the hint '%s' ", n.hint)
	}
	details += fmt.Sprintf("in the schema '%s', but no matches were found.", p.exposed)
	e := failure(http.StatusBadRequest, "PGRST200", fmt.Sprintf("Could not find a relationship between '%s' and '%s' in the schema cache", parent, n.name)).with(details, nil)
	if len(p.schema.relations[from]) == 0 {
		if near := nearest(parent, p.related(), 0.33); near != "" && near != parent {
			e.Hint = fmt.Sprintf("Perhaps you meant '%s' instead of '%s'.", near, parent)
		}
		return e
	}
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

// related are the names of the tables that have relationships.
func (p *planner) related() []string {
	var names []string
	for name, t := range p.schema.tables[p.exposed] {
		if len(p.schema.relations[t]) > 0 {
			names = append(names, name)
		}
	}
	return names
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
		one["cardinality"] = [...]string{oneToMany: "one-to-many", manyToOne: "many-to-one", oneToOne: "one-to-one", manyToMany: "many-to-many"}[r.cardinality()]
		if r.many != nil {
			one["relationship"] = fmt.Sprintf("%s using %s%s and %s%s", r.many.table.Name, r.many.constraint1, list(r.many.sourceSide, 1), r.many.constraint2, list(r.many.targetSide, 1))
			hints = append(hints, fmt.Sprintf("'%s!%s'", r.target.Name, r.many.table.Name))
		} else {
			one["relationship"] = fmt.Sprintf("%s using %s%s and %s%s", r.constraint, from.Name, list(r.columns, 0), r.target.Name, list(r.columns, 1))
			hints = append(hints, fmt.Sprintf("'%s!%s'", r.target.Name, r.constraint))
		}
		details = append(details, one)
	}
	return failure(http.StatusMultipleChoices, "PGRST201", fmt.Sprintf("Could not embed because more than one relationship was found for '%s' and '%s'", from.Name, n.name)).
		with(details, fmt.Sprintf("Try changing '%s' to one of the following: %s. Find the desired relationship in the 'details' key.", n.name, strings.Join(hints, ", ")))
}
