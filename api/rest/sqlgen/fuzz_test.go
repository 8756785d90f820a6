package sqlgen_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/rest/catalog"
	"research/api/rest/plan"
	"research/api/rest/query"
	"research/api/rest/sqlgen"
)

// fuzzCatalog has a table that refers to itself, with columns of several types.
func fuzzCatalog() *catalog.Catalog {
	t := &catalog.Table{Schema: "public", Name: "a", Key: []string{"id"}, Insertable: true, Updatable: true}
	for _, c := range [][2]string{
		{"id", "integer"}, {"b", "text"}, {"j", "jsonb"}, {"v", "tsvector"}, {"a_id", "integer"},
	} {
		t.Columns = append(t.Columns, &catalog.Column{Name: c[0], Type: c[1], BaseType: c[1]})
	}
	return catalog.New(catalog.Contents{
		Tables: []*catalog.Table{t},
		ForeignKeys: []catalog.ForeignKey{{
			Name: "a_fk", Schema: "public", Table: "a", Columns: []string{"a_id"},
			ForeignSchema: "public", ForeignTable: "a", ForeignColumns: []string{"id"},
		}},
	}, []string{"public"})
}

// FuzzQuery takes any query string through parsing, planning and compiling: nothing panics, the client can
// act on what is rejected, and what a client wrote is part of the SQL only within quotes and as a parameter.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		"select=*,x:a(b,...a!a_fk!inner(id::text))&x.b=eq.1&or=(id.eq.1,not.and(b.is.null,j->>k.like.*x*))" +
			"&order=a(b).desc.nullslast,j->x&limit=1&offset=2",
		"id=in.(1,\"a,b\")&b=fts(english).x&b=like(any).{a,b}&a_id=not.is.null",
		"select=count(),b.max()::text&columns=b,\"x y\"&on_conflict=id", "select=", "or=()", "a.b.c=eq.1",
		"id=eq.1;x", "%00", "%", `select="x\"y":b&"x y"=eq.1`, "select=j->a->>0->>b::int",
		"x';drop table a;--=eq.1", `select=b::int);drop`, "select=a(a(a(a(id))))", "not.or=(id.eq.1)&limit=-1",
	} {
		f.Add(seed)
	}
	c := fuzzCatalog()
	rules := plan.Rules{Schemas: []string{"public"}, MaxRows: 10, Aggregates: true}
	f.Fuzz(func(t *testing.T, raw string) {
		request, err := query.Parse(query.Input{Method: query.MethodGet, Path: "/a", RawQuery: raw}, rules.Schemas)
		if err != nil {
			requireRejected(t, err)
			return
		}
		p, err := plan.New(c, rules, request)
		if err != nil {
			requireRejected(t, err)
			return
		}
		requireOurs(t, sqlgen.Compile(p).SQL)
	})
}

// requireRejected requires an error that a client can act on.
func requireRejected(t *testing.T, err error) {
	t.Helper()
	var rejected *query.Error
	require.True(t, errors.As(err, &rejected), "%v", err)
	require.NotEmpty(t, rejected.Code)
}

// requireOurs requires that SQL contains only our own words outside of quoted identifiers.
func requireOurs(t *testing.T, sql string) {
	t.Helper()
	for i, part := range strings.Split(strings.ReplaceAll(sql, `""`, ""), `"`) {
		if i%2 == 1 {
			continue
		}
		for _, c := range part {
			isWord := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
			require.True(t, isWord || strings.ContainsRune(" _.,()$:*=<>-|&@~'[]?+", c), "%q in %s", c, sql)
		}
		require.NotContains(t, part, ";")
		require.NotContains(t, part, "--")
		require.NotContains(t, part, "/*")
	}
}
