package rest_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// The property test sends its requests in rounds of a thousand; after each the victim's rows are compared, and the attackers get a new workspace.
const (
	propertyWorkers = 4
	perWorker       = 250 // of a round
)

// Every run of the tests sends the first three thousand; `make fuzz` sends 20,000, and others with a seed of its own.
var (
	propertyRounds = flag.Int("property-rounds", 3, "rounds of a thousand requests in TestNothingCrosses")
	propertySeed   = flag.Uint64("property-seed", 0, "the first round's seed")
)

// TestNothingCrosses lets members of one workspace send random requests of the whole grammar against the rows of another: with its ids in filters, bodies and
// arguments, moving rows there and back, through embedded resources, upserts and functions. Nothing of it is ever seen, nothing changed; and no request makes a 5xx, shows
// SQL, or keeps a connection.
func TestNothingCrosses(t *testing.T) {
	t.Parallel()
	e := begin(t)
	victim := fill(t, e.DB, "victim")
	shapes := readShapes(t, e)
	before := state(t, e.DB, victim)
	require.Contains(t, e.as(t, victim.Owner).get("/evidence?select=*,projects(*)").body, victim.marker, "the victim sees what the others must not")

	statuses := map[int]int{}
	seen, sent := 0, 0
	for i := range *propertyRounds {
		round := *propertySeed + uint64(i)
		attacker := fill(t, e.DB, fmt.Sprintf("attacker%d", round))
		var wg sync.WaitGroup
		found := make([]findings, propertyWorkers)
		for worker, who := range []uuid.UUID{attacker.Owner, attacker.Admin, attacker.Editor, attacker.Viewer} {
			c := e.as(t, who)
			g := &generator{Rand: rand.New(rand.NewPCG(round, uint64(worker))), shapes: shapes, own: attacker, foe: victim}
			wg.Go(func() { found[worker] = g.attack(c) })
		}
		wg.Wait()
		for _, f := range found {
			for _, problem := range f.problems {
				t.Error(problem)
			}
			for status, n := range f.statuses {
				statuses[status] += n
				sent += n
			}
			seen += f.own
		}
		if t.Failed() {
			t.Fatalf("in round %d (the seed)", round)
		}
		require.Equal(t, before, state(t, e.DB, victim), "round %d (the seed) changed something of the victim's", round)
	}
	t.Logf("%d requests, of which %d showed rows of their own workspace: %v", sent, seen, statuses)
	require.Equal(t, *propertyRounds*propertyWorkers*perWorker, sent)
	require.Greater(t, seen, sent/20, "most requests are refused: nothing is tested")
	for _, status := range []int{200, 201, 204, 206, 400, 403, 404, 406, 409, 416} {
		require.Positive(t, statuses[status], "no answer was %d", status)
	}
}

// findings are what one attacker found.
type findings struct {
	problems []string
	statuses map[int]int
	own      int // answers with rows of the attacker's own
}

func (g *generator) attack(c *caller) findings {
	f := findings{statuses: map[int]int{}}
	for range perWorker {
		r := g.request()
		a, err := c.try(context.Background(), r.method, r.path, r.body, r.headers...)
		if err != nil {
			f.problems = append(f.problems, fmt.Sprintf("%s: %v", r, err))
			continue
		}
		f.statuses[a.status]++
		if strings.Contains(a.body, g.own.marker) {
			f.own++
		}
		if problem := wrong(a, g.foe); problem != "" {
			f.problems = append(f.problems, fmt.Sprintf("%s\n%s: %d %.600s", r, problem, a.status, a.body))
		}
	}
	return f
}

// internals are words of our statements, which no answer may show.
var internals = []string{"pgrst_", "set_config", "json_agg", "json_build_object", "to_recordset", "lateral", "_source", "_written", "_body", "_page", "request.jwt"}

// wrong says what is wrong with an answer.
func wrong(a answer, victim filled) string {
	switch {
	case a.status >= 500:
		return "a failure of ours"
	case strings.Contains(a.body, victim.marker) || strings.Contains(fmt.Sprint(a.header), victim.marker):
		return "another workspace's data"
	}
	if a.status >= 400 {
		for _, word := range internals {
			if strings.Contains(a.body, word) {
				return "our SQL (" + word + ")"
			}
		}
		var body map[string]any
		if a.body != "" && json.Unmarshal([]byte(a.body), &body) != nil {
			return "an error that is no JSON"
		}
	}
	return ""
}

// filled is a tenant with a row in every table, whose texts hold the marker.
type filled struct {
	dbtest.Tenant
	marker string
	rows   []uuid.UUID // ids of rows
	people []uuid.UUID
}

func fill(t testing.TB, d *dbtest.DB, name string) filled {
	t.Helper()
	f := filled{Tenant: d.Tenant(t), marker: "marker-" + name + "-of-" + uuid.NewString()[:8]}
	f.people = []uuid.UUID{f.Owner, f.Admin, f.Editor, f.Viewer}
	add := func(sql string, args ...any) uuid.UUID {
		id := dbtest.Value[uuid.UUID](t, d, sql, args...)
		f.rows = append(f.rows, id)
		return id
	}
	m := f.marker
	f.rows = append(f.rows, f.Workspace, f.Project)
	d.Exec(t, `update workspaces set name = $2, slug = $2 where id = $1`, f.Workspace, m)
	d.Exec(t, `update projects set name = $2, description = $2 where id = $1`, f.Project, m)
	d.Exec(t, `update profiles set display_name = $2, email = id || $2 || '@example.com' where id = any ($1)`, f.people, m)
	persona := add(`insert into personas (project_id, name, goals, attributes) values ($1, $2, array[$2], jsonb_build_object('a', jsonb_build_object('b', $2::text))) returning id`, f.Project, m)
	hypothesis := add(`insert into hypotheses (project_id, persona_id, statement) values ($1, $2, $3) returning id`, f.Project, persona, m)
	add(`insert into hypotheses (project_id, statement, status) values ($1, $2, 'testing') returning id`, f.Project, m)
	imported := add(`insert into imports (project_id, title, format, size_bytes, sha256, created_by) values ($1, $2, 'webvtt', 1, '00', $3) returning id`, f.Project, m, f.Owner)
	d.Exec(t, `insert into private.transcripts (import_id, body) values ($1, convert_to($2, 'UTF8'))`, imported, m)
	d.Exec(t, `insert into utterances (import_id, ordinal, workspace_id, project_id, speaker, text, byte_start, byte_end) values ($1, 0, $4, $2, $3, $3, 0, length($3))`, imported, f.Project, m, f.Workspace)
	d.Exec(t, `insert into import_hypotheses (import_id, hypothesis_id, project_id, statement) values ($1, $2, $3, $4)`, imported, hypothesis, f.Project, m)
	evidence := add(`insert into evidence (project_id, quote, summary, created_by) values ($1, $2, $2, $3) returning id`, f.Project, m, f.Owner)
	d.Exec(t, `insert into evidence_hypotheses (evidence_id, hypothesis_id, stance) values ($1, $2, 'supports')`, evidence, hypothesis)
	add(`insert into questions (project_id, text, hypothesis_id, persona_id, answer_evidence_id) values ($1, $2, $3, $4, $5) returning id`, f.Project, m, hypothesis, persona, evidence)
	add(`insert into workspace_invitations (workspace_id, email, created_by) values ($1, $2, $3) returning id`, f.Workspace, m+"@example.com", f.Owner)
	add(`insert into digest_deliveries (user_id, frequency, period, window_start, window_end, reason) values ($1, 'daily', '2026-11-20', now(), now(), $2) returning id`, f.Owner, m)
	d.Exec(t, `insert into digest_preferences (user_id) values ($1) on conflict do nothing`, f.Owner)
	return f
}

// state is every row of a tenant, by table.
func state(t testing.TB, d *dbtest.DB, f filled) map[string]string {
	t.Helper()
	out := map[string]string{}
	tables := dbtest.Value[[]string](t, d, `select array_agg(c.relname::text order by 1) from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`)
	require.GreaterOrEqual(t, len(tables), 16)
	for _, name := range tables {
		where := "(to_jsonb(x) ->> 'workspace_id') = $1::text or (to_jsonb(x) ->> 'user_id') = any ($2::text[])"
		switch name {
		case "workspaces":
			where = "x.id::text = $1::text or x.id::text = any ($2::text[])"
		case "profiles":
			where = "x.id::text = any ($2::text[]) or x.id::text = $1::text"
		}
		people := make([]string, len(f.people))
		for i, p := range f.people {
			people[i] = p.String()
		}
		out[name] = dbtest.Value[string](t, d, fmt.Sprintf(`select coalesce(string_agg(x::text, E'\n' order by x::text), '') from public.%s x where %s`, name, where), f.Workspace.String(), people)
		require.NotEmpty(t, out[name], name)
	}
	return out
}

// A shape is a table as the description of the API shows it.
type shape struct {
	name    string
	columns []string
	types   map[string]string
	enums   map[string][]string
	keys    []string
	related [][2]string // resource and hint
}

// readShapes learns the tables from the description, as any client can.
func readShapes(t testing.TB, e *edge) []shape {
	t.Helper()
	doc := parse(t, e.asService(t).get("/").body)
	var list []shape
	for name, raw := range doc.at("components", "schemas").(map[string]any) {
		row := raw.(map[string]any)
		if row["x-related"] == nil {
			continue
		}
		s := shape{name: name, types: map[string]string{}, enums: map[string][]string{}}
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
	slices.SortFunc(list, func(a, b shape) int { return strings.Compare(a.name, b.name) })
	require.GreaterOrEqual(t, len(list), 14)
	return list
}

// A generator makes requests of the grammar. A third of them are wild: there anything may stand anywhere.
type generator struct {
	*rand.Rand
	shapes   []shape
	own, foe filled
	wild     bool
}

type wish struct {
	method, path, body string
	headers            []string
}

func (w wish) String() string { return fmt.Sprintf("%s %s %q %s", w.method, w.path, w.headers, w.body) }

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// odd is chance in a wild request.
func (g *generator) odd(percent int) bool { return g.wild && g.chance(percent) }

func pick[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

// id is one of a row, more often of the victim's.
func (g *generator) id() string {
	switch {
	case g.chance(55):
		return pick(g, g.foe.rows...).String()
	case g.chance(90):
		return pick(g, g.own.rows...).String()
	}
	return uuid.NewString()
}

func (g *generator) person() string {
	if g.chance(50) {
		return pick(g, g.foe.people...).String()
	}
	return pick(g, g.own.people...).String()
}

// words never hold the victim's marker: it cannot be echoed.
func (g *generator) word() string {
	return pick(g, g.own.marker, "marker", "attacker", "a", "", "null", "NULL", "*", "%", "(", ")", "\"", "\\", "'", ";--", "{}", "[]", "é", "日本", "a,b", "a.b", "x:y", "0", "-1", "1e3", "true")
}

// value is one for a column, as text.
func (g *generator) value(s shape, column string) string {
	if enum := s.enums[column]; enum != nil && !g.odd(10) {
		return pick(g, enum...)
	}
	typ := s.types[column]
	switch {
	case g.odd(15):
		return g.word()
	case typ == "uuid" && (strings.HasSuffix(column, "_by") || column == "user_id" || column == "actor_id" || s.name == "profiles"):
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

func (g *generator) column(s shape) string {
	if g.odd(8) {
		return pick(g, "nothing", "id", "*", "oid", "ctid", "tableoid", "xmin", `"id"`, "workspaces", "auth.uid")
	}
	return pick(g, s.columns...)
}

// path is a column with a path into its JSON, now and then.
func (g *generator) path(s shape) string {
	c := g.column(s)
	if s.types[c] == "jsonb" && g.chance(60) || g.odd(5) {
		c += pick(g, "->a", "->>a", "->a->>b", "->0", "->>-1")
	}
	if g.odd(2) {
		c += pick(g, "->", "->>")
	}
	return c
}

func (g *generator) of(name string) shape {
	for _, s := range g.shapes {
		if s.name == name {
			return s
		}
	}
	return pick(g, g.shapes...)
}

// selection is a select of a table; names collects the paths of what is embedded.
func (g *generator) selection(s shape, prefix string, depth int, names map[string]shape) string {
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
				item += "::" + pick(g, "int", "uuid", "json", "regclass", "nothing", "double precision", "text[]", "member_role")
			}
			items = append(items, item)
		}
	}
	return strings.Join(items, ",")
}

// operation is what follows a column in a filter.
func (g *generator) operation(s shape, column string) string {
	name, _, inside := strings.Cut(column, "->")
	typ := s.types[name]
	v := func() string { return g.value(s, name) }
	textual := typ == "text" || inside
	op := pick(g, "eq", "neq", "gt", "gte", "lt", "lte", "isdistinct") + "." + v()
	switch {
	case g.odd(15):
		op = pick(g, "cs", "cd", "ov", "sl", "sr", "nxr", "nxl", "adj", "fts", "nothing", "") + pick(g, "", "(any)", "(nothing)") + "." + pick(g, "{a}", "[1,2)", `{"a":{}}`, g.word())
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
		op = pick(g, "like", "ilike", "match", "imatch") + pick(g, ".*marker*", "(any).{*a*,*b*}", ".marker", "(all).{m*,*}")
		op = strings.Replace(op, "match.*", "match..*", 1)
	case textual && g.chance(50):
		op = pick(g, "fts", "plfts", "phfts", "wfts") + pick(g, "", "(english)") + "." + pick(g, "marker", "attacker")
	case strings.HasSuffix(typ, "[]"):
		op = pick(g, "cs", "cd", "ov", "eq") + "." + v()
	case typ == "jsonb":
		op = pick(g, "cs.{}", `cs.{"a":{}}`, "eq.{}", "cd.{}")
	}
	return pick(g, "", "", "", "not.") + op
}

// logic is a tree of conditions in parentheses.
func (g *generator) logic(s shape, depth int) string {
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

// encoded keeps a URL a URL, and leaves alone what the grammar is made of.
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

func (g *generator) query(s shape, reads bool) []string {
	names := map[string]shape{}
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
func (g *generator) payload(s shape) string {
	one := func() map[string]any {
		row := map[string]any{}
		for range 1 + g.IntN(4) {
			c := pick(g, s.columns...)
			v := any(g.value(s, c))
			if s.name == "workspace_members" && c == "user_id" {
				v = pick(g, g.own.people...) // who knows a person's id may make them a member, and then sees their profile
			}
			if g.odd(15) {
				v = pick[any](g, nil, 1, true, []string{"a"}, map[string]string{"a": "b"})
			}
			row[c] = v
		}
		for _, c := range []string{"workspace_id", "project_id", "id"} {
			if s.types[c] != "" && g.chance(45) {
				row[c] = pick(g, g.id(), g.foe.Workspace.String(), g.foe.Project.String(), g.own.Workspace.String(), g.own.Project.String())
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
		list = append(list, pick(g, "return=representation", "return=representation", "return=minimal", "return=headers-only", "count=exact", "count=planned", "count=estimated",
			"resolution=merge-duplicates", "resolution=ignore-duplicates", "missing=default", "handling=strict", "handling=lenient", "max-affected=1", "timezone=Europe/Berlin", "tx=rollback"))
	}
	if g.odd(10) {
		list = append(list, pick(g, "timezone=Nowhere", "nonsense=1", "max-affected=x"))
	}
	return strings.Join(list, ", ")
}

func (g *generator) request() wish {
	g.wild = g.chance(33)
	s := pick(g, g.shapes...)
	w := wish{method: pick(g, http.MethodGet, http.MethodGet, http.MethodGet, http.MethodGet, http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPost, http.MethodPatch, http.MethodPatch, http.MethodPut, http.MethodDelete, http.MethodOptions)}
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
		w.path = pick(g, "/rpc/hypothesis_balances?project_id="+g.id(), "/rpc/import_overviews?import_ids={"+g.id()+"}", "/rpc/my_invitations", "/rpc/accept_invitation", "/rpc/decline_invitation",
			"/rpc/pg_sleep", "/users", "/auth.users", "/pg_roles", "/transcripts", "/private.transcripts", "/rpc/uid", "/../auth/users", "/"+s.name+"/x", "/")
		if strings.HasPrefix(w.path, "/rpc/") && w.method == http.MethodPost {
			w.body = pick(g, `{"invitation_id":"`+g.id()+`"}`, `{"invitation":"`+g.id()+`"}`, `{"id":"`+g.id()+`"}`, `{}`, `[]`, ``, `{"project_id":"`+g.id()+`"}`, `{"p_project_id":"`+g.id()+`"}`)
		}
	}
	raw := strings.Join(query, "&")
	if g.odd(15) { // something else in the middle
		at := g.IntN(len(raw) + 1)
		raw = raw[:at] + pick(g, ";", "%00", "%", "%ff", "&&", "=", "'", "(", ")", ".", ",", "!", "::", "...", "%22", "%5C", "%2B") + raw[at:]
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
		w.headers = append(w.headers, "Accept", pick(g, "text/csv", "application/vnd.pgrst.object+json", "application/vnd.pgrst.array+json;nulls=stripped", "*/*;q=0.1"))
	}
	if g.odd(10) {
		w.headers = append(w.headers, "Accept", pick(g, "application/geo+json", "application/vnd.pgrst.plan", "text/plain", "application/openapi+json", "nonsense"))
	}
	if g.odd(10) {
		w.headers = append(w.headers, "Range", pick(g, "0-0", "1-", "5-2", "0-9223372036854775807", "x", "-5"))
	}
	if g.odd(8) {
		w.headers = append(w.headers, pick(g, "Accept-Profile", "Content-Profile"), pick(g, "auth", "private", "pg_catalog", "public", "information_schema", "nothing"))
	}
	if w.body != "" && g.odd(10) {
		w.headers = append(w.headers, "Content-Type", pick(g, "text/csv", "application/x-www-form-urlencoded", "text/plain", "application/octet-stream", "nonsense"))
	}
	return w
}
