package rest

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// refused requires that what is no request is the client's fault.
func refused(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var e *Error
	require.True(t, errors.As(err, &e), "%v", err)
	require.GreaterOrEqual(t, e.Status, 400)
	require.Less(t, e.Status, 500)
	require.NotEmpty(t, e.Code)
}

// fuzzSchema is a table that holds itself, with columns of some types.
func fuzzSchema() (*schema, *table) {
	t := &table{Schema: "public", Name: "a", Key: []string{"id"}, Insertable: true, Updatable: true, byName: map[string]*tableColumn{}}
	for name, typ := range map[string]string{"id": "integer", "b": "text", "j": "jsonb", "v": "tsvector", "a_id": "integer"} {
		c := &tableColumn{Name: name, Type: typ, BaseType: typ}
		t.Columns = append(t.Columns, c)
		t.byName[name] = c
	}
	s := &schema{tables: map[string]map[string]*table{"public": {"a": t}}, relations: map[*table][]*relation{}, computed: map[*table][]*relation{}}
	s.addRelations([]foreignKey{{Name: "a_fk", Schema: "public", Table: "a", ForeignSchema: "public", ForeignTable: "a", Columns: []string{"a_id"}, ForeignColumns: []string{"id"}}})
	return s, t
}

// FuzzQuery takes any query string through reading, planning and writing SQL: nothing panics, what is refused is the client's fault, and what a client wrote is never part of the
// SQL outside of quotes, but as a parameter.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		"select=*,x:a(b,...a!a_fk!inner(id::text))&x.b=eq.1&or=(id.eq.1,not.and(b.is.null,j->>k.like.*x*))&order=a(b).desc.nullslast,j->x&limit=1&offset=2",
		"id=in.(1,\"a,b\")&b=fts(english).x&b=like(any).{a,b}&a_id=not.is.null", "select=count(),b.max()::text&columns=b,\"x y\"&on_conflict=id", "select=", "or=()", "a.b.c=eq.1", "id=eq.1;x", "%00", "%",
		`select="x\"y":b&"x y"=eq.1`, "select=j->a->>0->>b::int", "x';drop table a;--=eq.1", `select=b::int);drop`, "select=a(a(a(a(id))))", "not.or=(id.eq.1)&limit=-1",
	} {
		f.Add(seed)
	}
	s, t0 := fuzzSchema()
	cfg := &Config{Schemas: []string{"public"}, MaxRows: 10, Aggregates: true}
	f.Fuzz(func(t *testing.T, raw string) {
		q := &request{method: http.MethodGet, schema: "public", table: "a"}
		if err := q.readQuery(raw, len(raw)%2 == 0); err != nil {
			refused(t, err)
			return
		}
		p := &planner{schema: s, cfg: cfg, exposed: "public"}
		plan, err := p.read(&q.root, t0, t0.Name)
		if err != nil {
			refused(t, err)
			return
		}
		rows, err := q.rows.narrow(q.root.limit, q.root.offset, cfg.MaxRows)
		if err != nil {
			refused(t, err)
			return
		}
		b := &builder{schema: s, maxRows: cfg.MaxRows}
		sql, err := b.selectSQL(plan, t0.sql()+` as `+quote(plan.alias), rows.fetch())
		if err != nil {
			refused(t, err)
			return
		}
		// Outside of quoted identifiers only our own characters stand.
		for i, part := range strings.Split(strings.ReplaceAll(sql, `""`, ""), `"`) {
			if i%2 == 1 {
				continue
			}
			for _, c := range part {
				require.True(t, c == ' ' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_.,()$:*=<>-|&@~'[]?", c), "%q in %s", c, sql)
			}
			require.NotContains(t, part, ";")
			require.NotContains(t, part, "--")
			require.NotContains(t, part, "/*")
		}
	})
}

func FuzzSelect(f *testing.F) {
	for _, seed := range []string{"*", "a,b:c->>d::text,...e!f!inner(g,h(*))", "count(),x.sum()::int", `"a""b"`, `"a\"b":c`, "a(", "a)", "!", "a!!b()", "->", "..."} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var n node
		if err := parseSelect(text, &n); err != nil {
			refused(t, err)
			return
		}
		var depth func(*node) int
		count := 0
		depth = func(n *node) int {
			deepest := 0
			for _, c := range n.children {
				count++
				deepest = max(deepest, depth(c))
			}
			return deepest + 1
		}
		require.LessOrEqual(t, depth(&n), maxDepth+1)
		require.LessOrEqual(t, count, maxEmbeds)
	})
}

func FuzzLogic(f *testing.F) {
	for _, seed := range []string{"(a.eq.1)", "(a.eq.1,or(b.in.(1,2),not.and(c.is.null,d.cs.{x,y})))", `(a.eq."x,)y")`, "(((", "(a.fts(english).x)", "()", "(a->>b.like.*x*)", "(and(and(a.eq.1)))"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := parseLogic(text, true, false)
		if err != nil {
			refused(t, err)
			return
		}
		require.False(t, tree.empty(), "a condition without a filter would be true of every row: %q", text)
		var check func(condition)
		check = func(c condition) {
			require.True(t, c.filter != nil || len(c.parts) > 0, "%q", text)
			for _, part := range c.parts {
				check(part)
			}
		}
		check(tree)
	})
}

func FuzzFilter(f *testing.F) {
	for _, seed := range []string{"eq.1", "not.in.(1,2)", "like(any).{a,b}", "is.not_null", "fts(a.b).x", "in.()", "eq", ".", "in.(\"", "not.not.eq.1", "wfts(english", "eq(any)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := parseOperation(text)
		if err != nil {
			refused(t, err)
			return
		}
		_, isOperator := operators[parsed.operator]
		_, isSearch := searches[parsed.operator]
		require.True(t, isOperator || isSearch || parsed.operator == "in" || parsed.operator == "is", text)
	})
}

func FuzzRange(f *testing.F) {
	for _, seed := range []string{"0-9", "items=0-9", "5-", "-5", "9-0", "0-9223372036854775807", "9223372036854775807-9223372036854775807", "a-b", ""} {
		f.Add(seed, int64(10), int64(0), int64(5))
	}
	f.Fuzz(func(t *testing.T, header string, limit, offset, most int64) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Header["Range"] = []string{header}
		w, err := readRange(r)
		if err != nil {
			refused(t, err)
			return
		}
		out, err := w.narrow(&limit, max(offset, 0), max(most, 0))
		if err != nil {
			refused(t, err)
			return
		}
		require.GreaterOrEqual(t, out.offset, int64(0))
		require.NotNil(t, out.limit)
		require.GreaterOrEqual(t, *out.limit, int64(0), "%q limit=%d offset=%d", header, limit, offset)
		require.LessOrEqual(t, *out.limit, limit)
		if most > 0 {
			require.LessOrEqual(t, *out.limit, most)
		}
	})
}

func FuzzPrefer(f *testing.F) {
	for _, seed := range []string{"return=representation, count=exact", "handling=strict,foo", "max-affected=5", "max-affected=99999999999999999999", "timezone=Europe/Berlin", ",,", "return=;x", "tx=commit"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		p := readPreferences(http.Header{"Prefer": {header}})
		require.Contains(t, []string{"", "full", "headers-only", "minimal"}, p.representation)
		require.Contains(t, []string{"", "exact", "planned", "estimated"}, p.count)
		q := &request{method: http.MethodPatch, prefer: p}
		applied := q.applied(true)
		if p.timezone == "" {
			require.NotContains(t, applied, "\n")
		}
		readAccept(http.Header{"Accept": {header}})
	})
}
