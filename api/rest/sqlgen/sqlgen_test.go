package sqlgen_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/rest/catalog"
	"research/api/rest/plan"
	"research/api/rest/query"
	"research/api/rest/sqlgen"
)

// library has books by authors, with labels, and functions.
func library() *catalog.Catalog {
	column := func(name, typ string) *catalog.Column {
		return &catalog.Column{Name: name, Type: typ, BaseType: typ}
	}
	table := func(name, key string, columns ...*catalog.Column) *catalog.Table {
		return &catalog.Table{Schema: "library", Name: name, Key: strings.Fields(key), Columns: columns}
	}
	refers := func(name, from, column, to, key string) catalog.ForeignKey {
		return catalog.ForeignKey{
			Name: name, Schema: "library", Table: from, Columns: []string{column},
			ForeignSchema: "library", ForeignTable: to, ForeignColumns: []string{key},
		}
	}
	color := &catalog.Column{Name: "color", Type: "library.color", BaseType: "integer"}
	title := column("title", "text")
	title.Default = "'untitled'::text"
	integer := catalog.Parameter{Name: "a", Type: "integer", Unbounded: "integer", Required: true}
	parts := catalog.Parameter{
		Name: "parts", Type: "text[]", Unbounded: "text[]", Required: true, Variadic: true,
	}
	scalar := func(name string, parameter catalog.Parameter) *catalog.Function {
		return &catalog.Function{
			Schema: "library", Name: name, Scalar: true, Callable: true, Parameters: []catalog.Parameter{parameter},
		}
	}
	return catalog.New(catalog.Contents{
		Tables: []*catalog.Table{
			table("authors", "id", column("id", "integer"), column("name", "text"), column("facts", "jsonb")),
			table("books", "id", column("id", "integer"), title, column("author_id", "integer"),
				column("search", "tsvector")),
			table("labels", "name", column("name", "text")),
			table("book_labels", "book_id label", column("book_id", "integer"), column("label", "text")),
			table("colors", "color", color),
			table(`odd "name"`, "id", column(`the "id"`, "integer")),
		},
		ForeignKeys: []catalog.ForeignKey{
			refers("books_author_fkey", "books", "author_id", "authors", "id"),
			refers("book_labels_book_fkey", "book_labels", "book_id", "books", "id"),
			refers("book_labels_label_fkey", "book_labels", "label", "labels", "name"),
		},
		Casts: []catalog.Cast{
			{Source: "library.color", Target: "json", Function: "library.color_json"},
			{Source: "json", Target: "library.color", Function: "library.json_color"},
			{Source: "text", Target: "library.color", Function: "library.text_color"},
		},
		Functions: []*catalog.Function{
			scalar("double", integer),
			scalar("join", parts),
			{
				Schema: "library", Name: "found", Set: true, Callable: true,
				ReturnSchema: "library", ReturnTable: "books",
			},
			{
				Schema: "library", Name: "newest", Single: true, ReturnSchema: "library", ReturnTable: "books",
				Parameters: []catalog.Parameter{{Name: "", OfSchema: "library", OfTable: "authors"}},
			},
		},
	}, []string{"library"})
}

var rules = plan.Rules{Schemas: []string{"library"}, Aggregates: true, Explain: true}

// compile takes a request through parsing, planning and compiling.
func compile(t *testing.T, rules plan.Rules, in query.Input) sqlgen.Statement {
	t.Helper()
	request, err := query.Parse(in, rules.Schemas)
	require.NoError(t, err)
	p, err := plan.New(library(), rules, request)
	require.NoError(t, err)
	return sqlgen.Compile(p)
}

func texts(args [][]byte) []string {
	list := []string{}
	for _, a := range args {
		list = append(list, string(a))
	}
	return list
}

func TestOneRowByItsKeyIsReadWithoutAnAggregate(t *testing.T) {
	t.Parallel()
	for rawQuery, isSingle := range map[string]bool{
		"id=eq.1":                        true,
		"id=eq.1&select=id,authors(id)":  true,
		"id=gt.1":                        false,
		"id=in.(1,2)":                    false,
		"or=(id.eq.1,title.eq.x)":        false,
		"id=eq.1&select=title:title":     true,
		"title=eq.x&select=id&order=id":  false,
		"id=eq.1&limit=1":                true,
		"id=not.eq.1&select=id,title":    false,
		"title=like.x*&id=eq.1&offset=0": true,
	} {
		in := query.Input{Method: query.MethodGet, Path: "/books", RawQuery: rawQuery}
		aggregates := strings.Contains(compile(t, rules, in).SQL, "json_agg(_page)")
		require.Equal(t, !isSingle, aggregates, rawQuery)
	}
	counted := query.Input{
		Method: query.MethodGet, Path: "/books", RawQuery: "id=eq.1", Prefer: []string{"count=exact"},
	}
	require.Contains(t, compile(t, rules, counted).SQL, "json_agg(_page)")
}

// requireSource requires the first table expression of a statement, or the rows of a read by key, and its
// parameters.
func requireSource(t *testing.T, want string, args []string, st sqlgen.Statement) {
	t.Helper()
	rest, ok := strings.CutPrefix(st.SQL, "with pgrst_source as (")
	if !ok {
		rest, ok = strings.CutPrefix(st.SQL, "select '[' || (select row_to_json(_row)::text from (")
	}
	require.True(t, ok, st.SQL)
	require.Equal(t, want, rest[:min(len(want), len(rest))], st.SQL)
	require.True(t, strings.HasPrefix(rest[len(want):], ")"), st.SQL)
	require.Equal(t, args, texts(st.Args))
}

func TestReads(t *testing.T) {
	t.Parallel()
	const books = `from "library"."books" as "books"`
	for _, tt := range []struct {
		name, path, rawQuery string
		want                 string
		args                 []string
	}{
		{"all columns", "/books", "", `select "books".* ` + books, nil},
		{"columns, renamed and cast", "/books", "select=n:id::text,title::varchar,id::my_type[]",
			`select cast("books"."id" as "text") as "n", cast("books"."title" as varchar) as "title", ` +
				`cast("books"."id" as "my_type"[]) as "id" ` + books, nil},
		{"a path into JSON", "/authors", "select=facts->home->>0",
			`select ("authors"."facts"->$1->>$2::int) as "home" from "library"."authors" as "authors"`,
			[]string{"home", "0"}},
		{"a path into another type", "/books", "select=title->x",
			`select (to_jsonb("books"."title")->$1) as "x" ` + books, []string{"x"}},
		{"names with quotes", `/odd "name"`, `select="the \"id\""`,
			`select "odd ""name"""."the ""id""" as "the ""id""" from "library"."odd ""name""" as "odd ""name"""`, nil},
		{"a filter", "/books", "id=eq.5&title=not.like.*a*",
			`select "books".* ` + books + ` where ("books"."id" = $1 and not "books"."title" like $2)`,
			[]string{"5", "%a%"}},
		{"a list", "/books", `id=in.(1,"a\"b",c\d)`,
			`select "books".* ` + books + ` where ("books"."id" = any ($1))`, []string{`{"1","a\"b","c\\d"}`}},
		{"NULL", "/books", "id=is.not_null&title=not.is.null",
			`select "books".* ` + books + ` where ("books"."id" is not null and not "books"."title" is null)`, nil},
		{"quantifiers", "/books", "title=ilike(any).{a*,b}",
			`select "books".* ` + books + ` where ("books"."title" ilike any ($1))`, []string{"{a%,b}"}},
		{"full text search", "/books", "search=fts(english).walk&title=plfts.walk",
			`select "books".* ` + books + ` where ("books"."search" @@ to_tsquery($1, $2) and ` +
				`to_tsvector("books"."title") @@ plainto_tsquery($3))`, []string{"english", "walk", "walk"}},
		{"a tree", "/books", "not.or=(id.eq.1,and(id.gt.2,title.isdistinct.x))",
			`select "books".* ` + books + ` where (not ("books"."id" = $1 or ("books"."id" > $2 and ` +
				`"books"."title" is distinct from $3)))`, []string{"1", "2", "x"}},
		{"order and window", "/books", "order=title.desc.nullslast,id&limit=5&offset=10",
			`select "books".* ` + books + ` order by "books"."title" desc nulls last, "books"."id" limit $1 offset $2`,
			[]string{"5", "10"}},
		{"aggregates group by the other columns", "/books", "select=author_id,count(),id.max()::text",
			`select "books"."author_id" as "author_id", count(*) as "count", ` +
				`cast(max("books"."id") as "text") as "max" ` + books + ` group by 1`, nil},
		{"a domain that has functions", "/colors", "color=eq.red&or=(color.in.(red,blue))",
			`select library.color_json("colors"."color") as "color" from "library"."colors" as "colors" ` +
				`where ("colors"."color" = library.text_color($1) and ("colors"."color" = any ` +
				`(select library.text_color(unnest($2::text[])))))`, []string{"red", `{"red","blue"}`}},
		{"an embedded row", "/books", "select=id,authors(name)&authors.name=eq.x",
			`select "books"."id" as "id", "pgrst_embed_1" as "authors" ` + books +
				` left join lateral (select "authors_1"."name" as "name" from "library"."authors" as "authors_1" ` +
				`where "authors_1"."id" = "books"."author_id" and ("authors_1"."name" = $1)) as "pgrst_embed_1" on true`,
			[]string{"x"}},
		{"embedded rows that must exist", "/authors", "select=id,books!inner(id)",
			`select "authors"."id" as "id", coalesce("pgrst_embed_1"."pgrst_embed_1", '[]') as "books" ` +
				`from "library"."authors" as "authors" ` +
				`join lateral (select json_agg("pgrst_embed_1") as "pgrst_embed_1" from (` +
				`select "books_1"."id" as "id" from "library"."books" as "books_1" ` +
				`where "books_1"."author_id" = "authors"."id") as "pgrst_embed_1") as "pgrst_embed_1" ` +
				`on "pgrst_embed_1"."pgrst_embed_1" is not null`, nil},
		{"rows over a junction", "/labels", "select=name,books(id)",
			`select "labels"."name" as "name", coalesce("pgrst_embed_1"."pgrst_embed_1", '[]') as "books" ` +
				`from "library"."labels" as "labels" ` +
				`left join lateral (select json_agg("pgrst_embed_1") as "pgrst_embed_1" from (` +
				`select "books_1"."id" as "id" from "library"."books" as "books_1", ` +
				`"library"."book_labels" as "pgrst_embed_1_middle" ` +
				`where "pgrst_embed_1_middle"."label" = "labels"."name" ` +
				`and "pgrst_embed_1_middle"."book_id" = "books_1"."id") as "pgrst_embed_1") ` +
				`as "pgrst_embed_1" on true`, nil},
		{"a computed row", "/authors", "select=newest(id)",
			`select "pgrst_embed_1" as "newest" from "library"."authors" as "authors" ` +
				`left join lateral (select "books_1"."id" as "id" ` +
				`from "library"."newest"("authors"::"library"."authors") as "books_1") ` +
				`as "pgrst_embed_1" on true`, nil},
		{"a spread row", "/books", "select=id,...authors(by:name)",
			`select "books"."id" as "id", "pgrst_embed_1"."by" as "by" ` + books + ` left join lateral ` +
				`(select "authors_1"."name" as "by" from "library"."authors" as "authors_1" ` +
				`where "authors_1"."id" = "books"."author_id") as "pgrst_embed_1" on true`, nil},
		{"the absent", "/books", "select=id,authors()&authors=is.null",
			`select "books"."id" as "id" ` + books + ` left join lateral (select "authors_1".* ` +
				`from "library"."authors" as "authors_1" where "authors_1"."id" = "books"."author_id") ` +
				`as "pgrst_embed_1" on true where (not ("pgrst_embed_1" is distinct from null))`, nil},
		{"an order by a column that is not selected", "/books", "select=id,authors(id)&order=authors(name)",
			`select "books"."id" as "id", "pgrst_embed_1" as "authors" ` + books +
				` left join lateral (select "authors_1"."id" as "id" from "library"."authors" as "authors_1" ` +
				`where "authors_1"."id" = "books"."author_id") as "pgrst_embed_1" on true order by ` +
				`(select "authors_1"."name" from "library"."authors" as "authors_1" ` +
				`where "authors_1"."id" = "books"."author_id" limit 1)`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.args == nil {
				tt.args = []string{}
			}
			in := query.Input{Method: query.MethodGet, Path: tt.path, RawQuery: tt.rawQuery}
			requireSource(t, tt.want, tt.args, compile(t, rules, in))
		})
	}
}

func TestWrites(t *testing.T) {
	t.Parallel()
	const (
		object = `(select $1::json as json_data) pgrst_payload, lateral (select "id", "title" ` +
			`from json_to_record(pgrst_payload.json_data) as _("id" integer, "title" text)) pgrst_body`
		counter = `(coalesce(nullif(current_setting('pgrst.inserted', true), '')::int, 0)`
	)
	for _, tt := range []struct {
		name, method, path, body, prefer string
		want                             string
		args                             []string
	}{
		{"an insert", query.MethodPost, "/books", `{"id":1,"title":"x"}`, "",
			`insert into "library"."books"("id", "title") select pgrst_body."id", pgrst_body."title" from ` + object +
				` returning 1`, []string{`{"id":1,"title":"x"}`}},
		{"an insert of several rows with defaults", query.MethodPost, "/books?columns=title", `[{}]`,
			"missing=default,return=representation",
			`insert into "library"."books"("title") select pgrst_body."title" from ` +
				`(select $1::jsonb as json_data) pgrst_payload, lateral (select jsonb_agg(` +
				`jsonb_build_object('title', 'untitled'::text) || elem) as val ` +
				`from jsonb_array_elements(pgrst_payload.json_data) elem) pgrst_defaults, ` +
				`lateral (select "title" from jsonb_to_recordset(pgrst_defaults.val) as _("title" text)) pgrst_body ` +
				`returning "books"."id" as "id", "books"."title" as "title", "books"."author_id" as "author_id", ` +
				`"books"."search" as "search"`, []string{`[{}]`}},
		{"an insert that ignores duplicates", query.MethodPost, "/labels", `{"name":"x"}`,
			"resolution=ignore-duplicates",
			`insert into "library"."labels"("name") select pgrst_body."name" from ` +
				`(select $1::json as json_data) pgrst_payload, lateral (select "name" ` +
				`from json_to_record(pgrst_payload.json_data) as _("name" text)) pgrst_body ` +
				`on conflict ("name") do nothing returning 1`, []string{`{"name":"x"}`}},
		{"an insert that merges duplicates counts what is new", query.MethodPost, "/books", `{"id":1,"title":"x"}`,
			"resolution=merge-duplicates",
			`insert into "library"."books"("id", "title") select pgrst_body."id", pgrst_body."title" from ` + object +
				` where set_config('pgrst.inserted', ` + counter + ` + 1)::text, true) <> '0' ` +
				`on conflict ("id") do update set "id" = excluded."id", "title" = excluded."title" ` +
				`where set_config('pgrst.inserted', ` + counter + ` - 1)::text, true) <> '-1' returning 1`,
			[]string{`{"id":1,"title":"x"}`}},
		{"a value of a domain that has functions", query.MethodPost, "/colors", `{"color":"red"}`, "",
			`insert into "library"."colors"("color") select pgrst_body."color" from ` +
				`(select $1::json as json_data) pgrst_payload, lateral (select library.json_color("color") as "color" ` +
				`from json_to_record(pgrst_payload.json_data) as _("color" json)) pgrst_body returning 1`,
			[]string{`{"color":"red"}`}},
		{"an update", query.MethodPatch, "/labels?name=eq.old", `{"name":"new"}`, "",
			`update "library"."labels" set "name" = pgrst_body."name" ` +
				`from (select $1::json as json_data) pgrst_payload, lateral (select "name" ` +
				`from json_to_record(pgrst_payload.json_data) as _("name" text)) pgrst_body ` +
				`where ("labels"."name" = $2) returning 1`, []string{`{"name":"new"}`, "old"}},
		{"an update of nothing", query.MethodPatch, "/labels?name=eq.old", `{}`, "",
			`select 1 from "library"."labels" where false`, []string{}},
		{"a put", query.MethodPut, "/labels?name=eq.x", `{"name":"x"}`, "",
			`insert into "library"."labels"("name") select pgrst_body."name" from ` +
				`(select $1::json as json_data) pgrst_payload, lateral (select "name" ` +
				`from json_to_record(pgrst_payload.json_data) as _("name" text)) pgrst_body where ` +
				`set_config('pgrst.inserted', ` + counter + ` + 1)::text, true) <> '0' and ("pgrst_body"."name" = $2) ` +
				`on conflict ("name") do update set "name" = excluded."name" ` +
				`where set_config('pgrst.inserted', ` + counter + ` - 1)::text, true) <> '-1' returning 1`,
			[]string{`{"name":"x"}`, "x"}},
		{"a deletion", query.MethodDelete, "/labels?name=eq.old", ``, "return=representation",
			`delete from "library"."labels" where ("labels"."name" = $1) returning "labels"."name" as "name"`,
			[]string{"old"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path, rawQuery, _ := strings.Cut(tt.path, "?")
			in := query.Input{
				Method: tt.method, Path: path, RawQuery: rawQuery, Body: []byte(tt.body), Prefer: []string{tt.prefer},
			}
			requireSource(t, tt.want, tt.args, compile(t, rules, in))
		})
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		in   query.Input
		want string
		args []string
	}{
		{"arguments of a query string",
			query.Input{Method: query.MethodGet, Path: "/rpc/double", RawQuery: "a=5"},
			`select pgrst_call.pgrst_scalar from ` +
				`(select "library"."double"("a" := $1::integer) pgrst_scalar) pgrst_call`, []string{"5"}},
		{"variadic arguments",
			query.Input{Method: query.MethodGet, Path: "/rpc/join", RawQuery: "parts=a&parts=b,c"},
			`select pgrst_call.pgrst_scalar from ` +
				`(select "library"."join"(variadic "parts" := $1::text[]) pgrst_scalar) pgrst_call`,
			[]string{`{"a","b,c"}`}},
		{"arguments of a body",
			query.Input{Method: query.MethodPost, Path: "/rpc/double", Body: []byte(`{"a":5}`)},
			`select pgrst_call.pgrst_scalar from (select * from json_to_record($1::json) as _("a" integer) limit 1) ` +
				`pgrst_body, lateral (select "library"."double"("a" := pgrst_body."a") pgrst_scalar) pgrst_call`,
			[]string{`{"a":5}`}},
		{"only the columns that are needed",
			query.Input{Method: query.MethodGet, Path: "/rpc/found", RawQuery: "select=id&order=title"},
			`select pgrst_call."id", pgrst_call."title" from "library"."found"() pgrst_call`, []string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			requireSource(t, tt.want, tt.args, compile(t, rules, tt.in))
		})
	}
}

func TestStatements(t *testing.T) {
	t.Parallel()
	const (
		settings = `nullif(current_setting('response.headers', true), '') as headers, ` +
			`nullif(current_setting('response.status', true), '') as status, `
		labels = `select "labels".* from "library"."labels" as "labels"`
	)
	get := query.Input{Method: query.MethodGet, Path: "/labels"}
	bounded := rules
	bounded.MaxRows, bounded.Estimates = 10, true

	t.Run("a read", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, `with pgrst_source as (`+labels+`) select null::bigint as total, count(*) as rows, `+
			`coalesce(json_agg(_page), '[]') as body, `+settings+`null::text as inserted, null::bool as cut, `+
			`null::text as key from (select * from pgrst_source) _page`, compile(t, rules, get).SQL)
	})

	t.Run("a read of one row by its key", func(t *testing.T) {
		t.Parallel()
		const (
			row = `(select row_to_json(_row)::text from (select "books"."id" as "id" ` +
				`from "library"."books" as "books" where ("books"."id" = $1)) _row)`
			set = `, nullif(current_setting('response.headers', true), '') as headers, ` +
				`nullif(current_setting('response.status', true), '') as status`
		)
		in := query.Input{Method: query.MethodGet, Path: "/books", RawQuery: "select=id&id=eq.1"}
		require.Equal(t, `select '[' || `+row+` || ']' as one_row`+set, compile(t, rules, in).SQL)
		in.Accept = []string{"application/vnd.pgrst.object+json"}
		require.Equal(t, `select `+row+` as one_row`+set, compile(t, rules, in).SQL)
	})

	t.Run("a bounded read of one row, and of rows embedded in it, makes its body once", func(t *testing.T) {
		t.Parallel()
		limited := rules
		limited.MaxAnswerBytes = 100
		in := query.Input{Method: query.MethodGet, Path: "/books", RawQuery: "select=id,authors(id)&id=eq.1"}
		require.Contains(t, compile(t, limited, in).SQL, " offset 0) _row")
	})

	t.Run("an embedded row is JSON in an answer that is not", func(t *testing.T) {
		t.Parallel()
		in := query.Input{Method: query.MethodGet, Path: "/books", RawQuery: "select=id,authors(id)"}
		in.Accept = []string{"text/csv"}
		require.Contains(t, compile(t, rules, in).SQL, `, row_to_json("pgrst_embed_1".*) as "authors" from `)
	})

	t.Run("a bounded read fetches a row more, and says whether there was one", func(t *testing.T) {
		t.Parallel()
		in := get
		in.Prefer = []string{"count=estimated"}
		st := compile(t, bounded, in)
		require.Equal(t, `with pgrst_source as (`+labels+` limit $1), `+
			`pgrst_source_count as (select 1 from "library"."labels" as "labels" limit $2) `+
			`select (select count(*) from pgrst_source_count) as total, count(*) as rows, `+
			`coalesce(json_agg(_page), '[]') as body, `+settings+`null::text as inserted, `+
			`(select count(*) > $3::bigint from pgrst_source) as cut, null::text as key `+
			`from (select * from pgrst_source limit $3::bigint) _page`, st.SQL)
		require.Equal(t, []string{"11", "11", "10"}, texts(st.Args))
		require.Equal(t, `explain (format json) select 1 from "library"."labels" as "labels"`, st.Estimate.SQL)
	})

	t.Run("a write has the key in front of the body", func(t *testing.T) {
		t.Parallel()
		st := compile(t, rules, query.Input{
			Method: query.MethodPost, Path: "/labels", Body: []byte(`[]`), Prefer: []string{"return=headers-only"},
		})
		require.Contains(t, st.SQL, `select null::bigint as total, count(_page) as rows, `+
			`case when count(_page) = 1 then (select row_to_json(_key) from pgrst_source _key limit 1) end as key, `+
			`'' as body, `)
	})

	t.Run("a plan explains the same statement", func(t *testing.T) {
		t.Parallel()
		in := get
		in.Accept = []string{"application/vnd.pgrst.plan+json; options=analyze|buffers"}
		want := "explain (format json, analyze, buffers) " + compile(t, rules, get).SQL
		require.Equal(t, want, compile(t, rules, in).SQL)
	})

	t.Run("the methods of a resource need no statement", func(t *testing.T) {
		t.Parallel()
		require.Zero(t, compile(t, rules, query.Input{Method: query.MethodOptions, Path: "/labels"}))
	})

	t.Run("the description needs the privileges of a schema", func(t *testing.T) {
		t.Parallel()
		st := compile(t, rules, query.Input{Method: query.MethodGet})
		require.Equal(t, []string{"library", "false"}, texts(st.Args))
	})
}

func TestBodies(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]string{
		query.TypeSingular:                  `coalesce(json_agg(_page)->0, 'null') as body`,
		query.TypeArray + ";nulls=stripped": `coalesce(json_strip_nulls(json_agg(_page)), '[]') as body`,
		query.TypeGeoJSON: `json_build_object('type', 'FeatureCollection', 'features', ` +
			`coalesce(json_agg(ST_AsGeoJSON(_page)::json), '[]')) as body`,
	} {
		in := query.Input{Method: query.MethodGet, Path: "/labels", Accept: []string{accept}}
		require.Contains(t, compile(t, rules, in).SQL, ", "+want+", ", accept)
	}
	head := compile(t, rules, query.Input{Method: query.MethodHead, Path: "/labels"})
	require.Contains(t, head.SQL, `, '' as body, `)
}

func TestEveryOperatorHasSQL(t *testing.T) {
	t.Parallel()
	for _, o := range query.Comparisons {
		in := query.Input{Method: query.MethodGet, Path: "/labels", RawQuery: "name=" + string(o) + ".x"}
		require.NotContains(t, compile(t, rules, in).SQL, `"name"  $1`, o)
	}
	for _, o := range query.Searches {
		in := query.Input{Method: query.MethodGet, Path: "/labels", RawQuery: "name=" + string(o) + ".x"}
		require.Regexp(t, `@@ [a-z_]+\(\$1\)`, compile(t, rules, in).SQL, o)
	}
}

func TestRowsAreDecodedByName(t *testing.T) {
	t.Parallel()
	columns := []string{"key", "cut", "other", "inserted", "status", "headers", "body", "rows", "total"}
	row := [][]byte{
		[]byte(`{"id":1}`), []byte("t"), nil, []byte("1"), []byte("201"), nil, []byte("[]"), []byte("2"), nil,
	}
	total, inserted := int64(7), int64(1)
	want := sqlgen.Row{
		Rows: 2, Body: []byte("[]"), Status: []byte("201"), Cut: true, Key: []byte(`{"id":1}`), Inserted: &inserted,
	}
	got, err := sqlgen.DecodeRow(columns, [][][]byte{row})
	require.NoError(t, err)
	require.Equal(t, want, got)

	row[8], want.Total = []byte("7"), &total
	got, err = sqlgen.DecodeRow(columns, [][][]byte{row})
	require.NoError(t, err)
	require.Equal(t, want, got)

	_, err = sqlgen.DecodeRow(columns[1:], [][][]byte{row[1:]})
	require.ErrorContains(t, err, "the statement returned the columns")
	row[7] = []byte("x")
	_, err = sqlgen.DecodeRow(columns, [][][]byte{row})
	require.ErrorContains(t, err, "read the column rows")
	got, err = sqlgen.DecodeRow(columns, nil)
	require.NoError(t, err, "a function that returned nothing")
	require.Equal(t, sqlgen.Row{Total: new(int64)}, got)
}

func TestDecodeOneRow(t *testing.T) {
	t.Parallel()
	columns := []string{"one_row", "headers", "status", "too_large"}
	for name, tt := range map[string]struct {
		row  [][]byte
		want sqlgen.Row
	}{
		"a row": {
			[][]byte{[]byte(`[{"id":1}]`), []byte("[]"), []byte("201"), []byte("f")},
			sqlgen.Row{Rows: 1, Body: []byte(`[{"id":1}]`), Headers: []byte("[]"), Status: []byte("201")},
		},
		"no row":              {[][]byte{nil, nil, nil, nil}, sqlgen.Row{Body: []byte("[]")}},
		"a row that is large": {[][]byte{nil, nil, nil, []byte("t")}, sqlgen.Row{Rows: 1, TooLarge: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := sqlgen.DecodeRow(columns, [][][]byte{tt.row})
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestCallFunction(t *testing.T) {
	t.Parallel()
	require.Equal(t, `select "check"()`, sqlgen.CallFunction("check"))
	require.Equal(t, `select "test"."check"()`, sqlgen.CallFunction("test.check"))
	require.Equal(t, `"a", "b""c"`, sqlgen.SearchPath([]string{"a", `b"c`}))
}
