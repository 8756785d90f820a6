package rest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// A tableShape is a table as the description of the API has it.
type tableShape struct {
	name    string
	columns []string
	types   map[string]string
	enums   map[string][]string
	keys    []string
	related [][2]string // resource and hint
}

// readShapes reads the tables from the description, as any client can.
func readShapes(t testing.TB, e *edge) []tableShape {
	t.Helper()
	doc := parse(t, e.asService(t).get("/", "Accept", "application/openapi+json;version=3.1").body)
	var list []tableShape
	for name, raw := range doc.at("components", "schemas").(map[string]any) {
		row := raw.(map[string]any)
		if row["x-related"] == nil {
			continue
		}
		s := tableShape{name: name, types: map[string]string{}, enums: map[string][]string{}}
		properties := row["properties"].(map[string]any)
		s.columns = slices.Sorted(maps.Keys(properties))
		for column, one := range properties {
			property := one.(map[string]any)
			s.types[column] = property["x-type"].(string)
			if values, is := property["enum"].([]any); is {
				for _, v := range values {
					if v != nil {
						s.enums[column] = append(s.enums[column], v.(string))
					}
				}
			}
		}
		for _, k := range row["x-primary-key"].([]any) {
			s.keys = append(s.keys, k.(string))
		}
		for _, r := range row["x-related"].([]any) {
			one := r.(map[string]any)
			s.related = append(s.related, [2]string{one["resource"].(string), one["hint"].(string)})
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b tableShape) int { return strings.Compare(a.name, b.name) })
	require.GreaterOrEqual(t, len(list), 14)
	return list
}

// A generator makes random requests. A third of them are wild: they may break the grammar.
type generator struct {
	*rand.Rand
	shapes     []tableShape
	own, other filled
	wild       bool
}

type wireRequest struct {
	method, path, body string
	headers            []string
}

func (w wireRequest) String() string {
	return fmt.Sprintf("%s %s %q %s", w.method, w.path, w.headers, w.body)
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// odd is chance in a wild request, and false in others.
func (g *generator) odd(percent int) bool { return g.wild && g.chance(percent) }

func pick[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

// id is the id of a row, mostly one of the other workspace.
func (g *generator) id() string {
	switch {
	case g.chance(55):
		return pick(g, g.other.rows...).String()
	case g.chance(90):
		return pick(g, g.own.rows...).String()
	}
	return uuid.NewString()
}

func (g *generator) person() string {
	if g.chance(50) {
		return pick(g, g.other.people...).String()
	}
	return pick(g, g.own.people...).String()
}

// word never returns the marker of the other workspace, which an error could repeat.
func (g *generator) word() string {
	return pick(g, g.own.marker, "marker", "attacker", "a", "", "null", "NULL", "*", "%", "(", ")", "\"", "\\",
		"'", ";--", "{}", "[]", "é", "日本", "a,b", "a.b", "x:y", "0", "-1", "1e3", "true")
}

// value is a value for a column, as text.
func (g *generator) value(s tableShape, column string) string {
	if enum := s.enums[column]; enum != nil && !g.odd(10) {
		return pick(g, enum...)
	}
	typ := s.types[column]
	switch {
	case g.odd(15):
		return g.word()
	case typ == "uuid" && (strings.HasSuffix(column,
		"_by") || column == "user_id" || column == "actor_id" || s.name == "profiles"):
		return g.person()
	case typ == "uuid":
		return g.id()
	case typ == "uuid[]":
		return "{" + g.id() + "}"
	case typ == "text[]":
		return "{" + g.own.marker + ",b}"
	case typ == "jsonb":
		return pick(g, `{}`, `{"a":{"b":"c"}}`, `[1]`, `"`+g.id()+`"`)
	case strings.HasPrefix(typ, "timestamp"):
		return pick(g, "2026-11-20T00:00:00Z", "now", "infinity", "2000-01-01")
	case typ == "integer" || typ == "bigint" || typ == "smallint" || strings.HasPrefix(typ, "double"):
		return pick(g, "0", "1", "5", "-3", "1000000")
	}
	return pick(g, g.own.marker, g.word(), "text")
}

func (g *generator) column(s tableShape) string {
	if g.odd(8) {
		return pick(g, "nothing", "id", "*", "oid", "ctid", "tableoid", "xmin", `"id"`, "workspaces", "auth.uid")
	}
	return pick(g, s.columns...)
}

// path is a column, sometimes with a path into its JSON.
func (g *generator) path(s tableShape) string {
	c := g.column(s)
	if s.types[c] == "jsonb" && g.chance(60) || g.odd(5) {
		c += pick(g, "->a", "->>a", "->a->>b", "->0", "->>-1")
	}
	if g.odd(2) {
		c += pick(g, "->", "->>")
	}
	return c
}

func (g *generator) of(name string) tableShape {
	for _, s := range g.shapes {
		if s.name == name {
			return s
		}
	}
	return pick(g, g.shapes...)
}

// selection is a select parameter; names collects the paths of embedded resources.
func (g *generator) selection(s tableShape, prefix string, depth int, names map[string]tableShape) string {
	var items []string
	for range 1 + g.IntN(3) {
		switch {
		case depth < 3 && g.chance(40) && len(s.related) > 0:
			chosen := pick(g, s.related...)
			to := chosen[0]
			key, item := to, to
			if g.chance(20) {
				key = pick(g, "x", "y", "z")
				item = key + ":" + to
			}
			if !g.odd(50) {
				item += "!" + chosen[1]
			}
			item += pick(g, "", "", "!inner", "!left")
			if g.odd(10) {
				item += "!" + pick(g, s.columns...)
			}
			if g.chance(10) {
				item = "..." + item
			}
			target := g.of(to)
			names[prefix+key] = target
			items = append(items, item+"("+g.selection(target, prefix+key+".", depth+1, names)+")")
		case g.chance(60):
			items = append(items, "*")
		case g.odd(5):
			items = append(items, pick(g, "count()", g.column(s)+".max()", g.column(s)+".count()::text"))
		case g.odd(3):
			items = append(items, "")
		default:
			item := g.path(s)
			if g.chance(15) {
				item = "k" + fmt.Sprint(g.IntN(3)) + ":" + item
			}
			if g.chance(15) {
				item += "::text"
			}
			if g.odd(15) {
				item += "::" + pick(g, "int", "uuid", "json", "regclass", "nothing", "double precision", "text[]",
					"member_role")
			}
			items = append(items, item)
		}
	}
	return strings.Join(items, ",")
}

// operation is the value of a filter.
func (g *generator) operation(s tableShape, column string) string {
	name, _, inside := strings.Cut(column, "->")
	typ := s.types[name]
	v := func() string { return g.value(s, name) }
	textual := typ == "text" || inside
	op := pick(g, "eq", "neq", "gt", "gte", "lt", "lte", "isdistinct") + "." + v()
	switch {
	case g.odd(15):
		op = pick(g, "cs", "cd", "ov", "sl", "sr", "nxr", "nxl", "adj", "fts", "nothing",
			"") + pick(g, "", "(any)", "(nothing)") + "." + pick(g, "{a}", "[1,2)", `{"a":{}}`, g.word())
	case g.odd(5):
		op = "is." + g.word()
	case inside:
		op = pick(g, "is.null", "not.is.null", "cs.{}", "cs.1")
		if strings.Contains(column, "->>") {
			op = pick(g, "is.null", "eq.", "like.*a*", "in.(a,b)", "gte.")
		}
	case g.chance(25):
		op = "eq." + v()
	case g.chance(25):
		op = "in.(" + v() + ",\"" + v() + "\")"
	case g.chance(20):
		op = "is." + pick(g, "null", "not_null")
	case textual && g.chance(50):
		op = pick(g, "like", "ilike", "match", "imatch") + pick(g, ".*marker*", "(any).{*a*,*b*}", ".marker",
			"(all).{m*,*}")
		op = strings.Replace(op, "match.*", "match..*", 1)
	case textual && g.chance(50):
		op = pick(g, "fts", "plfts", "phfts",
			"wfts") + pick(g, "", "(english)") + "." + pick(g, "marker", "attacker")
	case strings.HasSuffix(typ, "[]"):
		op = pick(g, "cs", "cd", "ov", "eq") + "." + v()
	case typ == "jsonb":
		op = pick(g, "cs.{}", `cs.{"a":{}}`, "eq.{}", "cd.{}")
	}
	return pick(g, "", "", "", "not.") + op
}

// logic is a tree of conditions.
func (g *generator) logic(s tableShape, depth int) string {
	var parts []string
	for range 1 + g.IntN(3) {
		if depth < 3 && g.chance(25) {
			parts = append(parts, pick(g, "and", "or", "not.and", "not.or")+g.logic(s, depth+1))
			continue
		}
		c := g.path(s)
		parts = append(parts, c+"."+g.operation(s, c))
	}
	return "(" + strings.Join(parts, ",") + ")"
}

// encoded escapes what a URL cannot contain, but not the characters of the grammar.
func encoded(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"#&%+<>\^`+"`{|}", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func (g *generator) query(s tableShape, reads bool) []string {
	names := map[string]tableShape{}
	var parts []string
	add := func(key, value string) { parts = append(parts, encoded(key)+"="+encoded(value)) }
	if g.chance(75) {
		add("select", g.selection(s, "", 0, names))
	}
	sorted := slices.Sorted(maps.Keys(names))
	least := 0
	if !reads {
		least = 1 // an update without a filter is refused
	}
	for range least + max(0, g.IntN(5)-2) {
		c := g.path(s)
		add(c, g.operation(s, c))
	}
	if g.chance(15) {
		add(pick(g, "or", "and", "not.or", "not.and"), g.logic(s, 0))
	}
	for _, name := range sorted {
		if g.chance(20) {
			c := g.path(names[name])
			add(name+"."+c, g.operation(names[name], c))
		}
		if g.chance(10) {
			add(name+".order", g.column(names[name])+".desc")
			add(name+"."+pick(g, "limit", "offset"), "1")
			add(name+"."+pick(g, "or", "not.and"), g.logic(names[name], 1))
		}
		if g.chance(15) {
			add(name, pick(g, "is.null", "not.is.null"))
		}
	}
	if g.chance(30) {
		add("order", g.path(s)+pick(g, "", ".desc", ".asc.nullsfirst", ".nullslast"))
	}
	if len(sorted) > 0 && g.odd(15) {
		name := pick(g, sorted...)
		add("order", name+"("+g.column(names[name])+")")
	}
	if g.chance(25) {
		add("limit", pick(g, "0", "1", "2", "100", "9223372036854775807"))
	}
	if g.odd(5) {
		add(pick(g, "limit", "offset"), pick(g, "-1", "x", "9223372036854775808"))
	}
	if g.chance(5) {
		add("offset", pick(g, "0", "1", "1000", "9223372036854775807"))
	}
	return parts
}

// payload is the body of a write.
func (g *generator) payload(s tableShape) string {
	one := func() map[string]any {
		row := map[string]any{}
		for range 1 + g.IntN(4) {
			c := pick(g, s.columns...)
			v := any(g.value(s, c))
			if s.name == "workspace_members" && c == "user_id" {
				v = pick(g, g.own.people...) // members see each other's profiles
			}
			if g.odd(15) {
				v = pick[any](g, nil, 1, true, []string{"a"}, map[string]string{"a": "b"})
			}
			row[c] = v
		}
		for _, c := range []string{"workspace_id", "project_id", "id"} {
			if s.types[c] != "" && g.chance(45) {
				row[c] = pick(g, g.id(), g.other.Workspace.String(), g.other.Project.String(),
					g.own.Workspace.String(), g.own.Project.String())
			}
		}
		for _, c := range []string{"name", "statement", "text", "quote"} {
			if s.types[c] != "" && g.chance(60) {
				row[c] = g.own.marker
			}
		}
		if s.types["project_id"] != "" && g.chance(50) { // one that may succeed
			delete(row, "workspace_id")
			delete(row, "id")
			row["project_id"] = g.own.Project
		}
		return row
	}
	var v any = one()
	if g.chance(25) {
		row := one()
		again := maps.Clone(row)
		if again["id"] != nil {
			again["id"] = g.id()
		}
		v = []any{row, again}
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return "{}"
	}
	if g.odd(5) {
		return string(raw[:len(raw)/2])
	}
	return string(raw)
}

func (g *generator) prefer() string {
	var list []string
	for range g.IntN(4) {
		list = append(list, pick(g,
			"return=representation", "return=representation", "return=minimal", "return=headers-only",
			"count=exact", "count=planned", "count=estimated",
			"resolution=merge-duplicates", "resolution=ignore-duplicates", "missing=default",
			"handling=strict", "handling=lenient", "max-affected=1", "timezone=Europe/Berlin", "tx=rollback"))
	}
	if g.odd(10) {
		list = append(list, pick(g, "timezone=Nowhere", "nonsense=1", "max-affected=x"))
	}
	return strings.Join(list, ", ")
}

func (g *generator) request() wireRequest {
	g.wild = g.chance(33)
	s := pick(g, g.shapes...)
	w := wireRequest{method: pick(g,
		http.MethodGet, http.MethodGet, http.MethodGet, http.MethodGet, http.MethodGet, http.MethodHead,
		http.MethodPost, http.MethodPost, http.MethodPatch, http.MethodPatch, http.MethodPut, http.MethodDelete,
		http.MethodOptions)}
	w.path = "/" + s.name
	reads := w.method == http.MethodGet || w.method == http.MethodHead || w.method == http.MethodPost
	query := g.query(s, reads)
	switch w.method {
	case http.MethodPost:
		w.body = g.payload(s)
		if g.chance(30) {
			query = append(query, "on_conflict="+pick(g, strings.Join(s.keys, ","), "id", "slug", "nothing"))
		}
		if g.chance(15) {
			query = append(query, "columns="+g.column(s)+","+g.column(s))
		}
	case http.MethodPatch:
		w.body = g.payload(s)
	case http.MethodPut:
		w.body = g.payload(s)
		query = nil
		row := map[string]any{}
		if json.Unmarshal([]byte(w.body), &row) != nil {
			row = map[string]any{} // a wild one
		}
		for _, k := range s.keys {
			id := g.id()
			query = append(query, k+"=eq."+id)
			row[k] = id
		}
		if whole, err := json.Marshal(row); err == nil && !g.odd(30) {
			w.body = string(whole)
		}
	}
	if g.chance(6) {
		w.path = pick(g,
			"/rpc/hypothesis_balances?project_id="+g.id(), "/rpc/import_overviews?import_ids={"+g.id()+"}",
			"/rpc/my_invitations", "/rpc/accept_invitation", "/rpc/decline_invitation", "/rpc/pg_sleep", "/users",
			"/auth.users", "/pg_roles", "/transcripts", "/private.transcripts", "/rpc/uid", "/../auth/users",
			"/"+s.name+"/x", "/")
		if strings.HasPrefix(w.path, "/rpc/") && w.method == http.MethodPost {
			w.body = pick(g,
				`{"invitation_id":"`+g.id()+`"}`, `{"invitation":"`+g.id()+`"}`, `{"id":"`+g.id()+`"}`, `{}`, `[]`,
				``, `{"project_id":"`+g.id()+`"}`, `{"p_project_id":"`+g.id()+`"}`)
		}
	}
	raw := strings.Join(query, "&")
	if g.odd(15) { // something else in the middle
		at := g.IntN(len(raw) + 1)
		raw = raw[:at] + pick(g,
			";", "%00", "%", "%ff", "&&", "=", "'", "(", ")", ".", ",", "!", "::", "...", "%22", "%5C", "%2B",
		) + raw[at:]
	}
	if raw != "" {
		sign := "?"
		if strings.Contains(w.path, "?") {
			sign = "&"
		}
		w.path += sign + raw
	}
	w.path = strings.NewReplacer("{", "%7B", "}", "%7D").Replace(w.path)
	if p := g.prefer(); p != "" {
		w.headers = append(w.headers, "Prefer", p)
	}
	if g.chance(10) {
		w.headers = append(w.headers, "Accept", pick(g,
			"text/csv", "application/vnd.pgrst.object+json", "application/vnd.pgrst.array+json;nulls=stripped",
			"*/*;q=0.1"))
	}
	if g.odd(10) {
		w.headers = append(w.headers, "Accept", pick(g,
			"application/geo+json", "application/vnd.pgrst.plan", "text/plain", "application/openapi+json",
			"nonsense"))
	}
	if g.odd(10) {
		w.headers = append(w.headers, "Range", pick(g, "0-0", "1-", "5-2", "0-9223372036854775807", "x", "-5"))
	}
	if g.odd(8) {
		w.headers = append(w.headers,
			pick(g, "Accept-Profile", "Content-Profile"),
			pick(g, "auth", "private", "pg_catalog", "public", "information_schema", "nothing"))
	}
	if w.body != "" && g.odd(10) {
		w.headers = append(w.headers, "Content-Type", pick(g,
			"text/csv", "application/x-www-form-urlencoded", "text/plain", "application/octet-stream", "nonsense"))
	}
	return w
}
