package catalog

import (
	"cmp"
	"maps"
	"slices"
)

// A Relationship describes how rows of the target are embedded in rows of the source.
type Relationship struct {
	Source, Target *Table
	Cardinality    Cardinality
	Constraint     string       // the foreign key's name
	Columns        []ColumnPair // from the source to the target
	HoldsKey       bool         // the foreign key is the source's
	Junction       *Junction    // of many-to-many relationships
	Function       *Function    // of computed relationships; then there are neither constraint nor columns
}

// A Junction is the table in the middle of a many-to-many relationship.
type Junction struct {
	Table            *Table
	SourceConstraint string
	TargetConstraint string
	SourceColumns    []ColumnPair // from the source to the junction
	TargetColumns    []ColumnPair // from the target to the junction
}

// A ColumnPair is two columns whose values are equal in related rows.
type ColumnPair struct{ From, To string }

// A Cardinality is the number of rows that are related. Lists of ambiguous relationships are in the order of
// these values.
type Cardinality int

// The cardinalities.
const (
	OneToMany Cardinality = iota
	ManyToOne
	OneToOne
	ManyToMany
)

func (c Cardinality) String() string {
	return [...]string{"one-to-many", "many-to-one", "one-to-one", "many-to-many"}[c]
}

// ToOne reports whether a row of the source has one related row at most.
func (r *Relationship) ToOne() bool { return r.Cardinality == ManyToOne || r.Cardinality == OneToOne }

// Self reports whether a table is related to itself.
func (r *Relationship) Self() bool { return r.Source == r.Target }

// A ForeignKey is a constraint of a table, or the same seen through views.
type ForeignKey struct {
	Name, Schema, Table, ForeignSchema, ForeignTable string
	Columns, ForeignColumns                          []string
	Unique                                           bool // the columns are a key of their table too
}

// addRelationships derives relationships from foreign keys: in both directions, and many-to-many through
// tables whose primary key contains two of them.
func (c *Catalog) addRelationships(keys []ForeignKey) {
	slices.SortFunc(keys, func(a, b ForeignKey) int {
		return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Table, b.Table), cmp.Compare(a.Name, b.Name))
	})
	held := map[*Table][]*Relationship{} // the relationships of the foreign keys that a table holds
	for _, k := range keys {
		source, target := c.Table(k.Schema, k.Table), c.Table(k.ForeignSchema, k.ForeignTable)
		if source == nil || target == nil {
			continue
		}
		forward, backward := k.relationships(source, target)
		c.relationships[source] = append(c.relationships[source], forward)
		c.relationships[target] = append(c.relationships[target], backward)
		held[source] = append(held[source], forward)
	}
	junctions := slices.SortedFunc(maps.Keys(held), func(a, b *Table) int {
		return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Name, b.Name))
	})
	for _, t := range junctions {
		c.addJunction(t, held[t])
	}
	for _, list := range c.relationships {
		slices.SortStableFunc(list, compareRelationships)
	}
}

// relationships returns the relationship from the table that holds the key, and the one back.
func (k ForeignKey) relationships(source, target *Table) (forward, backward *Relationship) {
	forward = &Relationship{
		Source: source, Target: target, Cardinality: ManyToOne, Constraint: k.Name, HoldsKey: true,
	}
	backward = &Relationship{Source: target, Target: source, Cardinality: OneToMany, Constraint: k.Name}
	if k.Unique {
		forward.Cardinality, backward.Cardinality = OneToOne, OneToOne
	}
	for i := range k.Columns {
		forward.Columns = append(forward.Columns, ColumnPair{k.Columns[i], k.ForeignColumns[i]})
		backward.Columns = append(backward.Columns, ColumnPair{k.ForeignColumns[i], k.Columns[i]})
	}
	return forward, backward
}

// addJunction adds a many-to-many relationship for each pair of foreign keys that the table's primary key
// contains.
func (c *Catalog) addJunction(junction *Table, held []*Relationship) {
	for _, one := range held {
		for _, two := range held {
			if one.Cardinality == OneToOne || two.Cardinality == OneToOne || one.Constraint == two.Constraint ||
				!keyHolds(junction, one) || !keyHolds(junction, two) {
				continue
			}
			c.relationships[one.Target] = append(c.relationships[one.Target], &Relationship{
				Source: one.Target, Target: two.Target, Cardinality: ManyToMany,
				Junction: &Junction{
					Table:            junction,
					SourceConstraint: one.Constraint,
					TargetConstraint: two.Constraint,
					SourceColumns:    reversed(one.Columns),
					TargetColumns:    reversed(two.Columns),
				},
			})
		}
	}
}

// keyHolds reports whether the table's primary key holds all columns of its foreign key.
func keyHolds(t *Table, foreign *Relationship) bool {
	return !slices.ContainsFunc(foreign.Columns, func(pair ColumnPair) bool {
		return !slices.Contains(t.Key, pair.From)
	})
}

func reversed(pairs []ColumnPair) []ColumnPair {
	var list []ColumnPair
	for _, pair := range pairs {
		list = append(list, ColumnPair{pair.To, pair.From})
	}
	return list
}

// compareRelationships orders relationships as the error of an ambiguous request lists them.
func compareRelationships(a, b *Relationship) int {
	if c := cmp.Or(
		cmp.Compare(a.Target.Schema, b.Target.Schema),
		cmp.Compare(a.Target.Name, b.Target.Name),
		cmp.Compare(a.Cardinality, b.Cardinality),
	); c != 0 {
		return c
	}
	if a.Junction != nil {
		x, y := a.Junction, b.Junction
		return cmp.Or(
			cmp.Compare(x.Table.Schema, y.Table.Schema),
			cmp.Compare(x.Table.Name, y.Table.Name),
			cmp.Compare(x.SourceConstraint, y.SourceConstraint),
			cmp.Compare(x.TargetConstraint, y.TargetConstraint),
			comparePairs(x.SourceColumns, y.SourceColumns))
	}
	return cmp.Or(cmp.Compare(a.Constraint, b.Constraint), comparePairs(a.Columns, b.Columns))
}

func comparePairs(a, b []ColumnPair) int {
	return slices.CompareFunc(a, b, func(x, y ColumnPair) int {
		return cmp.Or(cmp.Compare(x.From, y.From), cmp.Compare(x.To, y.To))
	})
}

// addComputed adds the relationship of a function that takes a row of one table and returns rows of another.
func (c *Catalog) addComputed(f *Function) {
	if len(f.Parameters) != 1 || f.ReturnTable == "" || f.Scalar {
		return
	}
	source := c.Table(f.Parameters[0].OfSchema, f.Parameters[0].OfTable)
	target := c.Table(f.ReturnSchema, f.ReturnTable)
	if source == nil || target == nil {
		return
	}
	cardinality := OneToMany
	if f.Single || !f.Set {
		cardinality = ManyToOne
	}
	c.computed[source] = append(c.computed[source], &Relationship{
		Source: source, Target: target, Cardinality: cardinality, Function: f,
	})
}

const foreignKeysSQL = `
select coalesce(json_agg(k), '[]')
from (
  select con.conname as "Name",
    ns1.nspname as "Schema",
    c1.relname as "Table",
    ns2.nspname as "ForeignSchema",
    c2.relname as "ForeignTable",
    (select json_agg(a.attname order by o)
      from unnest(con.conkey) with ordinality u (n, o)
      join pg_attribute a on a.attrelid = con.conrelid and a.attnum = n) as "Columns",
    (select json_agg(a.attname order by o)
      from unnest(con.confkey) with ordinality u (n, o)
      join pg_attribute a on a.attrelid = con.confrelid and a.attnum = n) as "ForeignColumns",
    exists (
      select from pg_constraint p
      where p.conrelid = con.conrelid and p.contype in ('p', 'u')
        and (select array_agg(x order by x) from unnest(p.conkey) x)
          = (select array_agg(x order by x) from unnest(con.conkey) x)) as "Unique"
  from pg_constraint con
  join pg_class c1 on c1.oid = con.conrelid
  join pg_namespace ns1 on ns1.oid = c1.relnamespace
  join pg_class c2 on c2.oid = con.confrelid
  join pg_namespace ns2 on ns2.oid = c2.relnamespace
  where con.contype = 'f' and con.conparentid = 0
) k`
