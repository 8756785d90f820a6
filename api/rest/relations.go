package rest

import (
	"cmp"
	"slices"
)

// addRelations makes relationships of foreign keys: to one, back to many or to one, and many to many over tables whose key holds two of them.
func (s *schema) addRelations(keys []foreignKey) {
	slices.SortFunc(keys, func(a, b foreignKey) int {
		return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Table, b.Table), cmp.Compare(a.Name, b.Name))
	})
	toOnes := map[*table][]*relation{}
	for _, k := range keys {
		source, target := s.tables[k.Schema][k.Table], s.tables[k.ForeignSchema][k.ForeignTable]
		if source == nil || target == nil {
			continue
		}
		forward := &relation{source: source, target: target, constraint: k.Name, toOne: true, oneToOne: k.Unique, forward: true, self: source == target}
		backward := &relation{source: target, target: source, constraint: k.Name, toOne: k.Unique, oneToOne: k.Unique, self: source == target}
		for i := range k.Columns {
			forward.columns = append(forward.columns, [2]string{k.Columns[i], k.ForeignColumns[i]})
			backward.columns = append(backward.columns, [2]string{k.ForeignColumns[i], k.Columns[i]})
		}
		s.relations[source] = append(s.relations[source], forward)
		s.relations[target] = append(s.relations[target], backward)
		toOnes[source] = append(toOnes[source], forward)
	}
	var middles []*table
	for t := range toOnes {
		middles = append(middles, t)
	}
	slices.SortFunc(middles, func(a, b *table) int { return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Name, b.Name)) })
	for _, middle := range middles {
		for _, one := range toOnes[middle] {
			for _, two := range toOnes[middle] {
				if one.oneToOne || two.oneToOne || one.constraint == two.constraint || !keyHolds(middle, one, two) {
					continue
				}
				r := &relation{source: one.target, target: two.target, self: one.target == two.target,
					many: &junction{table: middle, constraint1: one.constraint, constraint2: two.constraint}}
				for _, pair := range one.columns {
					r.many.sourceSide = append(r.many.sourceSide, [2]string{pair[1], pair[0]})
				}
				for _, pair := range two.columns {
					r.many.targetSide = append(r.many.targetSide, [2]string{pair[1], pair[0]})
				}
				s.relations[one.target] = append(s.relations[one.target], r)
			}
		}
	}
	for _, list := range s.relations {
		slices.SortStableFunc(list, compareRelations)
	}
}

// compareRelations orders relationships as ambiguous ones are told: by target, cardinality, constraint and columns.
func compareRelations(a, b *relation) int {
	if c := cmp.Or(cmp.Compare(a.target.Schema, b.target.Schema), cmp.Compare(a.target.Name, b.target.Name), cmp.Compare(a.cardinality(), b.cardinality())); c != 0 {
		return c
	}
	if a.many != nil {
		return cmp.Or(cmp.Compare(a.many.table.Schema, b.many.table.Schema), cmp.Compare(a.many.table.Name, b.many.table.Name),
			cmp.Compare(a.many.constraint1, b.many.constraint1), cmp.Compare(a.many.constraint2, b.many.constraint2), comparePairs(a.many.sourceSide, b.many.sourceSide))
	}
	return cmp.Or(cmp.Compare(a.constraint, b.constraint), comparePairs(a.columns, b.columns))
}

func comparePairs(a, b [][2]string) int {
	return slices.CompareFunc(a, b, func(x, y [2]string) int { return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1])) })
}

// The cardinalities of a relationship, in the order in which ambiguous ones are told.
const (
	oneToMany = iota
	manyToOne
	oneToOne
	manyToMany
)

func (r *relation) cardinality() int {
	switch {
	case r.many != nil:
		return manyToMany
	case r.oneToOne:
		return oneToOne
	case r.toOne:
		return manyToOne
	}
	return oneToMany
}

// keyHolds tells whether the table's primary key holds both foreign keys.
func keyHolds(middle *table, one, two *relation) bool {
	for _, r := range []*relation{one, two} {
		for _, pair := range r.columns {
			if !slices.Contains(middle.Key, pair[0]) {
				return false
			}
		}
	}
	return true
}

// addComputed makes a relationship of a function that takes a row of one table and returns rows of another.
func (s *schema) addComputed(f *routine) {
	if len(f.Parameters) != 1 || f.ReturnTable == "" || f.Scalar {
		return
	}
	source, target := s.tables[f.Parameters[0].OfSchema][f.Parameters[0].OfTable], s.tables[f.ReturnSchema][f.ReturnTable]
	if source != nil && target != nil {
		s.computed[source] = append(s.computed[source], &relation{source: source, target: target, toOne: f.Single || !f.Set, function: f, self: source == target})
	}
}
