package rest

import (
	"slices"
	"strings"
)

// A catalogued is a relation with the names of its columns by their numbers.
type catalogued struct {
	Schema, Name string
	Columns      map[string]string
}

// An origin is the column of a relation that a view's column comes from.
type origin struct{ oid, column string }

// viewOrigins reads, from a view's parsed query, which of its columns come straight from which relation's columns. PostgreSQL notes that with each target of the
// query (resorigtbl, resorigcol); the text is its own tree format (nodeToString).
func viewOrigins(rule string) map[string]origin {
	found := map[string]origin{}
	var stack []string // names of the open nodes; "" for a list
	var key, name, table, column string
	inTargets := -1 // depth of the outermost target list
	for s := (treeScanner{text: rule}); s.next(); {
		switch s.token {
		case "{":
			s.next()
			stack = append(stack, s.token)
			if inTargets >= 0 && len(stack) == inTargets+1 {
				name, table, column = "", "", ""
			}
			key = ""
			continue
		case "(":
			if key == ":targetList" && inTargets < 0 && len(stack) == 2 {
				inTargets = len(stack) + 1
			}
			stack = append(stack, "")
			key = ""
			continue
		case "}", ")":
			if len(stack) == 0 {
				return found
			}
			if inTargets >= 0 && len(stack) == inTargets+1 && table != "" && table != "0" {
				found[name] = origin{table, column}
			}
			stack = stack[:len(stack)-1]
			if inTargets >= 0 && len(stack) < inTargets {
				return found
			}
			key = ""
			continue
		}
		if strings.HasPrefix(s.token, ":") {
			key = s.token
			continue
		}
		if inTargets >= 0 && len(stack) == inTargets+1 {
			switch key {
			case ":resname":
				name = s.token
			case ":resorigtbl":
				table = s.token
			case ":resorigcol":
				column = s.token
			}
		}
		key = ""
	}
	return found
}

// A treeScanner cuts the tree format into brackets and words, in which a backslash hides the meaning of what follows.
type treeScanner struct {
	text, token string
	at          int
}

func (s *treeScanner) next() bool {
	for s.at < len(s.text) && strings.IndexByte(" \n\t", s.text[s.at]) >= 0 {
		s.at++
	}
	if s.at >= len(s.text) {
		return false
	}
	if strings.IndexByte("(){}", s.text[s.at]) >= 0 {
		s.token = s.text[s.at : s.at+1]
		s.at++
		return true
	}
	var b strings.Builder
	for s.at < len(s.text) && strings.IndexByte(" \n\t(){}", s.text[s.at]) < 0 {
		if s.text[s.at] == '\\' && s.at+1 < len(s.text) {
			s.at++
		}
		b.WriteByte(s.text[s.at])
		s.at++
	}
	s.token = b.String()
	return true
}

// A viewColumn says that a view's column is a base table's.
type viewColumn struct{ table, column string }

// viewMap follows views over views down to tables: for each view, its columns' tables and columns.
func viewMap(views []viewRule, oids map[string]catalogued) map[string]map[string]viewColumn {
	direct := map[string]map[string]origin{}
	for _, v := range views {
		direct[v.Schema+"."+v.Name] = viewOrigins(v.Rule)
	}
	out := map[string]map[string]viewColumn{}
	for view, columns := range direct {
		out[view] = map[string]viewColumn{}
		for name, from := range columns {
			for range 20 { // views over views; a cycle cannot be
				rel, known := oids[from.oid]
				if !known {
					break
				}
				base, column := rel.Schema+"."+rel.Name, rel.Columns[from.column]
				deeper, isView := direct[base]
				if !isView {
					out[view][name] = viewColumn{base, column}
					break
				}
				next, comesFrom := deeper[column]
				if !comesFrom {
					break
				}
				from = next
			}
		}
	}
	return out
}

type viewRule struct{ Schema, Name, Rule string }

// viewKeys makes foreign keys of views out of those of their tables, where a view shows all columns of a key. It also tells each view's primary key.
func (s *schema) viewKeys(keys []foreignKey, views map[string]map[string]viewColumn) []foreignKey {
	byTable := map[string][]string{} // views that show anything of a table
	for view, columns := range views {
		for _, c := range columns {
			if !slices.Contains(byTable[c.table], view) {
				byTable[c.table] = append(byTable[c.table], view)
			}
		}
	}
	for _, list := range byTable {
		slices.Sort(list)
	}
	var out []foreignKey
	for _, k := range keys {
		source, target := k.Schema+"."+k.Table, k.ForeignSchema+"."+k.ForeignTable
		type side struct {
			schema, name string
			columns      []string
		}
		sides := func(table string, columns []string) []side {
			list := []side{}
			for _, view := range byTable[table] {
				schemaName, name, _ := strings.Cut(view, ".")
				for _, shown := range combinations(views[view], table, columns) {
					list = append(list, side{schemaName, name, shown})
				}
			}
			return list
		}
		fromViews, toViews := sides(source, k.Columns), sides(target, k.ForeignColumns)
		add := func(from, to side) {
			out = append(out, foreignKey{k.Name, from.schema, from.name, to.schema, to.name, from.columns, to.columns, k.Unique})
		}
		fromTable, toTable := side{k.Schema, k.Table, k.Columns}, side{k.ForeignSchema, k.ForeignTable, k.ForeignColumns}
		for _, from := range fromViews {
			add(from, toTable)
			for _, to := range toViews {
				add(from, to)
			}
		}
		for _, to := range toViews {
			add(fromTable, to)
		}
	}
	for view, columns := range views {
		schemaName, name, _ := strings.Cut(view, ".")
		v := s.tables[schemaName][name]
		if v == nil {
			continue
		}
		tables := map[string]bool{}
		for _, c := range columns {
			tables[c.table] = true
		}
		var names []string
		for t := range tables {
			names = append(names, t)
		}
		slices.Sort(names)
		for _, t := range names {
			baseSchema, base, _ := strings.Cut(t, ".")
			if b := s.tables[baseSchema][base]; b != nil && len(b.Key) > 0 {
				if all := combinations(columns, t, b.Key); len(all) > 0 {
					v.Key = append(v.Key, all[0]...)
				}
			}
		}
	}
	return out
}

// combinations lists the ways in which a view shows all of a table's columns: one that is shown twice makes two.
func combinations(view map[string]viewColumn, table string, columns []string) [][]string {
	out := [][]string{{}}
	for _, want := range columns {
		var names []string
		for name, c := range view {
			if c.table == table && c.column == want {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		var longer [][]string
		for _, prefix := range out {
			for _, name := range names {
				longer = append(longer, append(slices.Clone(prefix), name))
			}
		}
		out = longer
	}
	return out
}
