package plan

import (
	"fmt"
	"slices"
	"strings"

	"research/api/rest/catalog"
	"research/api/rest/query"
)

// resolve finds the one relationship that an embedded resource's name and hint can mean.
func (p *planner) resolve(parent *Selection, r *query.Resource) (*catalog.Relationship, error) {
	from := parent.Table
	for _, c := range p.catalog.ComputedRelationships(from) {
		if c.Function.Name == r.Name && c.Target.Schema == p.request.Schema {
			return c, nil
		}
	}
	var found []*catalog.Relationship
	for _, candidate := range p.catalog.Relationships(from) {
		if p.reachable(candidate) && !p.overridden(candidate) && matches(candidate, r) {
			found = append(found, candidate)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, p.unknownRelationship(parent, r)
	}
	return nil, ambiguousRelationship(from, r, found)
}

// reachable reports whether the target is in the request's schema, and the junction in an exposed one.
func (p *planner) reachable(r *catalog.Relationship) bool {
	return r.Target.Schema == p.request.Schema &&
		(r.Junction == nil || slices.Contains(p.rules.Schemas, r.Junction.Table.Schema))
}

// overridden reports whether a function of the row is named like the relationship's target, which it
// replaces.
func (p *planner) overridden(r *catalog.Relationship) bool {
	replaces := func(c *catalog.Relationship) bool {
		return c.Function.Name == r.Target.Name && c.Function.Schema == r.Target.Schema
	}
	return slices.ContainsFunc(p.catalog.ComputedRelationships(r.Source), replaces)
}

// matches reports whether a resource can mean the relationship. The name is the target's, the constraint's or
// the column's. A hint is the constraint's name, a column's or the junction's. Of a table that is related to
// itself, the table's name means the many rows and the column's name means the one row.
func matches(r *catalog.Relationship, asked *query.Resource) bool {
	isSource := func(name string) bool { return len(r.Columns) == 1 && r.Columns[0].From == name }
	isTarget := func(name string) bool { return len(r.Columns) == 1 && r.Columns[0].To == name }
	isConstraint := func(name string) bool { return r.Junction == nil && r.Constraint == name }
	named := r.Target.Name == asked.Name
	switch {
	case r.Self() && asked.Hint == "":
		return named && r.Cardinality == catalog.OneToMany ||
			isSource(asked.Name) && r.Cardinality == catalog.ManyToOne
	case r.Self():
		return named && r.Cardinality == catalog.OneToMany && isTarget(asked.Hint)
	case asked.Hint == "":
		return named || !r.Target.IsView && (isConstraint(asked.Name) || isSource(asked.Name))
	}
	isJunction := r.Junction != nil && r.Junction.Table.Name == asked.Hint
	return named && (isConstraint(asked.Hint) || isSource(asked.Hint) || isTarget(asked.Hint) || isJunction)
}

func (p *planner) unknownRelationship(parent *Selection, r *query.Resource) error {
	name := parent.name()
	details := fmt.Sprintf("Searched for a foreign key relationship between '%s' and '%s' ", name, r.Name)
	if r.Hint != "" {
		details += fmt.Sprintf("using the hint '%s' ", r.Hint)
	}
	details += fmt.Sprintf("in the schema '%s', but no matches were found.", p.request.Schema)
	e := &query.Error{
		Code: query.CodeUnknownRelationship,
		Message: fmt.Sprintf("Could not find a relationship between '%s' and '%s' in the schema cache",
			name, r.Name),
		Details: details,
	}
	wrong, names := r.Name, p.targets(parent.Table)
	if len(p.catalog.Relationships(parent.Table)) == 0 { // then the parent's name may be misspelled
		wrong, names = name, p.related()
	}
	if near := catalog.Nearest(wrong, names, nearShape); near != "" && near != wrong {
		e.Hint = fmt.Sprintf("Perhaps you meant '%s' instead of '%s'.", near, wrong)
	}
	return e
}

// targets are the names of the tables that a table is related to.
func (p *planner) targets(from *catalog.Table) []string {
	var names []string
	for _, r := range p.catalog.Relationships(from) {
		if r.Target.Schema == p.request.Schema {
			names = append(names, r.Target.Name)
		}
	}
	return names
}

// related are the names of the tables that are related to any.
func (p *planner) related() []string {
	var names []string
	for _, t := range p.catalog.Tables(p.request.Schema) {
		if len(p.catalog.Relationships(t)) > 0 {
			names = append(names, t.Name)
		}
	}
	return names
}

// A candidate is a relationship that an ambiguous request can mean.
type candidate struct {
	Cardinality  string `json:"cardinality"`
	Embedding    string `json:"embedding"`
	Relationship string `json:"relationship"`
}

func ambiguousRelationship(from *catalog.Table, asked *query.Resource, found []*catalog.Relationship) error {
	var candidates []candidate
	var hints []string
	for _, r := range found {
		source, target, hint := from.Name+fromList(r.Columns), r.Target.Name+toList(r.Columns), r.Constraint
		using := r.Constraint
		if j := r.Junction; j != nil {
			source, target = j.SourceConstraint+toList(j.SourceColumns), j.TargetConstraint+toList(j.TargetColumns)
			using, hint = j.Table.Name, j.Table.Name
		}
		candidates = append(candidates, candidate{
			Cardinality:  r.Cardinality.String(),
			Embedding:    from.Name + " with " + r.Target.Name,
			Relationship: fmt.Sprintf("%s using %s and %s", using, source, target),
		})
		hints = append(hints, fmt.Sprintf("'%s!%s'", r.Target.Name, hint))
	}
	return &query.Error{
		Code: query.CodeAmbiguousRelationship,
		Message: fmt.Sprintf("Could not embed because more than one relationship was found for '%s' and '%s'",
			from.Name, asked.Name),
		Details: candidates,
		Hint: fmt.Sprintf("Try changing '%s' to one of the following: %s. "+
			"Find the desired relationship in the 'details' key.", asked.Name, strings.Join(hints, ", ")),
	}
}

func fromList(pairs []catalog.ColumnPair) string {
	var names []string
	for _, pair := range pairs {
		names = append(names, pair.From)
	}
	return "(" + strings.Join(names, ", ") + ")"
}

func toList(pairs []catalog.ColumnPair) string {
	var names []string
	for _, pair := range pairs {
		names = append(names, pair.To)
	}
	return "(" + strings.Join(names, ", ") + ")"
}
