package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/rest/catalog"
	"research/api/rest/query"
)

// library has books by authors, edited by authors, with labels and details, and functions.
func library() *catalog.Catalog {
	table := func(name string, key []string, columns ...string) *catalog.Table {
		t := &catalog.Table{
			Schema: "library", Name: name, Key: key, Insertable: true, Updatable: true, Deletable: true,
		}
		for _, c := range columns {
			t.Columns = append(t.Columns, &catalog.Column{Name: c, Type: "text", BaseType: "text"})
		}
		return t
	}
	refers := func(name, from, column, to, key string) catalog.ForeignKey {
		return catalog.ForeignKey{
			Name: name, Schema: "library", Table: from, Columns: []string{column},
			ForeignSchema: "library", ForeignTable: to, ForeignColumns: []string{key},
		}
	}
	view := table("long_books", nil, "id", "title")
	view.IsView, view.Insertable, view.Updatable, view.Deletable = true, false, false, false
	function := func(name string, parameters ...catalog.Parameter) *catalog.Function {
		return &catalog.Function{
			Schema: "library", Name: name, Scalar: true, Callable: true, Parameters: parameters,
		}
	}
	required := func(name, typ string) catalog.Parameter {
		return catalog.Parameter{Name: name, Type: typ, Unbounded: typ, Required: true}
	}
	rename := function("rename", required("id", "integer"))
	rename.Volatile, rename.Void = true, true
	search := function("search", required("text", "text"))
	search.Scalar, search.Set, search.ReturnSchema, search.ReturnTable = false, true, "library", "books"
	return catalog.New(catalog.Contents{
		Tables: []*catalog.Table{
			table("authors", []string{"id"}, "id", "name"),
			table("books", []string{"id"}, "id", "title", "author_id", "editor_id"),
			table("labels", []string{"name"}, "name"),
			table("book_labels", []string{"book_id", "label"}, "book_id", "label"),
			view,
		},
		ForeignKeys: []catalog.ForeignKey{
			refers("books_author_fkey", "books", "author_id", "authors", "id"),
			refers("books_editor_fkey", "books", "editor_id", "authors", "id"),
			refers("book_labels_book_fkey", "book_labels", "book_id", "books", "id"),
			refers("book_labels_label_fkey", "book_labels", "label", "labels", "name"),
		},
		Functions: []*catalog.Function{
			function("add", required("a", "integer"), catalog.Parameter{Name: "b", Type: "integer"}),
			function("add", required("a", "text"), required("c", "text")),
			function("same", required("a", "integer")), function("same", required("a", "text")),
			function("echo", required("", "json")), function("now"), rename, search,
		},
	}, []string{"library"})
}

var rules = Rules{Schemas: []string{"library"}, MaxRows: 100}

// planOf parses and plans a request.
func planOf(t *testing.T, rules Rules, in query.Input) (Plan, error) {
	t.Helper()
	request, err := query.Parse(in, rules.Schemas)
	require.NoError(t, err)
	return New(library(), rules, request)
}

func get(path, rawQuery string) query.Input {
	return query.Input{Method: query.MethodGet, Path: path, RawQuery: rawQuery}
}

func TestPlanningDoesNotChangeTheRequest(t *testing.T) {
	t.Parallel()
	for _, in := range []query.Input{
		get("/books", "select=*,authors!books_author_fkey(name)&id=eq.1&authors.order=name&limit=5"),
		{
			Method: query.MethodPost, Path: "/books", Body: []byte(`{"id":1}`),
			Prefer: []string{"return=representation"},
		},
		{Method: query.MethodPatch, Path: "/books", RawQuery: "id=eq.1&select=id", Body: []byte(`{"title":"x"}`)},
		{Method: query.MethodPut, Path: "/books", RawQuery: "id=eq.1", Body: []byte(`{"id":1}`)},
		{Method: query.MethodDelete, Path: "/books", RawQuery: "id=eq.1"},
		{Method: query.MethodPost, Path: "/rpc/add", Body: []byte(`{"a":1}`)},
	} {
		request, err := query.Parse(in, rules.Schemas)
		require.NoError(t, err)
		_, err = New(library(), rules, request)
		require.NoError(t, err)
		same, err := query.Parse(in, rules.Schemas)
		require.NoError(t, err)
		require.Equal(t, same, request, "%s %s", in.Method, in.Path)
	}
}

func TestEmbedding(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, path, selected string
		constraint, junction string
	}{
		{"by the table's name", "/authors", "books!books_author_fkey(id)", "books_author_fkey", ""},
		{"by the constraint", "/books", "books_author_fkey(id)", "books_author_fkey", ""},
		{"by the column", "/books", "editor_id(id)", "books_editor_fkey", ""},
		{"by the table with the column as a hint", "/books", "authors!editor_id(id)", "books_editor_fkey", ""},
		{"over a junction", "/books", "labels(name)", "", "book_labels"},
		{"over a junction as a hint", "/labels", "books!book_labels(id)", "", "book_labels"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := planOf(t, rules, get(tt.path, "select="+tt.selected))
			require.NoError(t, err)
			r := p.(*Read).Selection.Embeds[0].Relationship
			require.Equal(t, tt.constraint, r.Constraint)
			if tt.junction != "" {
				require.Equal(t, tt.junction, r.Junction.Table.Name)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	with := func(change func(*Rules)) Rules {
		r := rules
		change(&r)
		return r
	}
	aggregates := with(func(r *Rules) { r.Aggregates = true })
	hidden := with(func(r *Rules) { r.NoDescription = true })
	post := func(path, body string, prefer ...string) query.Input {
		return query.Input{Method: query.MethodPost, Path: path, Body: []byte(body), Prefer: prefer}
	}
	put := func(rawQuery, body string) query.Input {
		return query.Input{Method: query.MethodPut, Path: "/books", RawQuery: rawQuery, Body: []byte(body)}
	}
	for _, tt := range []struct {
		name  string
		rules Rules
		in    query.Input
		code  string
		hint  string
	}{
		{"an unknown table", rules, get("/book", ""), query.CodeUnknownTable,
			"Perhaps you meant the table 'library.books'"},
		{"an unknown relationship", rules, get("/books", "select=label(name)"), query.CodeUnknownRelationship,
			"Perhaps you meant 'labels' instead of 'label'."},
		{"a table without relationships", rules, get("/long_books", "select=books(id)"),
			query.CodeUnknownRelationship, "Perhaps you meant 'books' instead of 'long_books'."},
		{"two relationships", rules, get("/books", "select=authors(name)"), query.CodeAmbiguousRelationship,
			"Try changing 'authors' to one of the following: 'authors!books_author_fkey', " +
				"'authors!books_editor_fkey'. Find the desired relationship in the 'details' key."},
		{"one resource twice", rules, get("/books", "select=labels(name),labels(name)"),
			query.CodeDuplicateEmbeddingAlias,
			"Give one of them a name of its own: 'another_name:labels(...)'."},
		{"an aggregate that is not allowed", rules, get("/books", "select=count()"), query.CodeNoAggregates, ""},
		{"an aggregate of spread lists", aggregates, get("/books", "select=id,...labels(name.max())"),
			query.CodeNotImplemented, ""},
		{"an order by many rows", rules, get("/books", "select=labels(name)&order=labels(name)"),
			query.CodeUnrelatedOrder, ""},
		{"an order by what is not embedded", rules, get("/books", "order=labels(name)"), query.CodeNotEmbedded,
			"Verify that 'labels' is included in the 'select' query parameter."},
		{"a negative limit", rules, get("/books", "limit=-1"), query.CodeInvalidRange, ""},
		{"a negative limit within", rules, get("/books", "select=labels(name)&labels.limit=-1"),
			query.CodeInvalidRange, ""},
		{"an unknown column of the body", rules, post("/books", `{"x":1}`), query.CodeUnknownColumn, ""},
		{"a conflict over an unknown column", rules, query.Input{
			Method: query.MethodPost, Path: "/books", RawQuery: "on_conflict=x", Body: []byte(`{}`),
		}, query.CodeUnknownColumn, ""},
		{"an update of every row", rules, query.Input{
			Method: query.MethodPatch, Path: "/books", Body: []byte(`{"title":"x"}`),
		}, query.CodeUnfilteredWrite, ""},
		{"a deletion of every row", rules, query.Input{
			Method: query.MethodDelete, Path: "/books", RawQuery: "select=labels()&labels.name=eq.x",
		}, query.CodeUnfilteredWrite, ""},
		{"a put with a limit", rules, put("id=eq.1&limit=1", `{"id":1}`), query.CodeLimitedPut, ""},
		{"a put without filters", rules, put("", `{"id":1}`), query.CodeInvalidPutFilters, ""},
		{"a put by another operator", rules, put("id=gt.1", `{"id":1}`), query.CodeInvalidPutFilters, ""},
		{"a put by another column", rules, put("id=eq.1&title=eq.x", `{"id":1}`), query.CodeInvalidPutFilters, ""},
		{"a put without the key in the body", rules, put("id=eq.1", `{"title":"x"}`), query.CodePutMismatch, ""},
		{"a media type that nothing makes", rules, query.Input{
			Method: query.MethodGet, Path: "/books", Accept: []string{"image/png"},
		}, query.CodeNotAcceptable, ""},
		{"a plan where it is not allowed", rules, query.Input{
			Method: query.MethodGet, Path: "/books", Accept: []string{"application/vnd.pgrst.plan"},
		}, query.CodeNotAcceptable, ""},
		{"an unknown function", rules, get("/rpc/ad", ""), query.CodeUnknownFunction, ""},
		{"a function with a near name", rules, get("/rpc/searc", ""), query.CodeUnknownFunction,
			"Perhaps you meant to call the function library.search"},
		{"an unknown argument", rules, get("/rpc/add", "a=1&x=2"), query.CodeUnknownFunction,
			"Perhaps you meant to call the function library.add(a, b)"},
		{"two functions", rules, get("/rpc/same", "a=1"), query.CodeAmbiguousFunction,
			"Try renaming the parameters or the function itself in the database so function overloading " +
				"can be resolved"},
		{"max-affected of one row", rules, post("/rpc/now", `{}`, "handling=strict,max-affected=1"),
			query.CodeMaxAffectedNeedsSet, ""},
		{"a description that is hidden", hidden, get("/", ""), query.CodeNoDescription, ""},
		{"a description by POST", rules, post("/", `{}`), query.CodeUnsupportedMethod, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := planOf(t, tt.rules, tt.in)
			requireCode(t, tt.code, err)
			var rejected *query.Error
			require.ErrorAs(t, err, &rejected)
			require.Equal(t, tt.hint, rejected.Hint)
		})
	}
}

func TestWindows(t *testing.T) {
	t.Parallel()
	number := func(n int64) *int64 { return &n }
	for rawQuery, want := range map[string]Window{
		"":                       {Limit: number(100), Capped: true},
		"limit=500":              {Limit: number(100), Capped: true},
		"limit=100":              {Limit: number(100)},
		"limit=5&offset=2":       {Limit: number(5), Offset: 2},
		"id=eq.1":                {}, // the key: one row at most
		"id=eq.1&limit=1":        {Limit: number(1)},
		"id=in.(1,2)":            {Limit: number(100), Capped: true},
		"or=(id.eq.1,id.eq.2)":   {Limit: number(100), Capped: true},
		"and=(id.eq.1,id.neq.2)": {},
	} {
		p, err := planOf(t, rules, get("/books", rawQuery))
		require.NoError(t, err)
		require.Equal(t, want, p.(*Read).Window, rawQuery)
	}
	p, err := planOf(t, rules, get("/books", "select=labels(name),author_id(name)"))
	require.NoError(t, err)
	embeds := p.(*Read).Selection.Embeds
	require.Equal(t, Window{Limit: number(100), Capped: true}, embeds[0].Window, "a list is bounded")
	require.Equal(t, Window{}, embeds[1].Window, "one row is not")
}

func TestCounts(t *testing.T) {
	t.Parallel()
	estimating := rules
	estimating.Estimates = true
	bounded := Count{Method: CountQuery, Limit: maxCounted}
	for _, tt := range []struct {
		rules            Rules
		prefer, rawQuery string
		want             Count
	}{
		{rules, "", "", Count{}},
		{rules, "count=exact", "", Count{Method: CountQuery}},
		{rules, "count=exact", "id=eq.1", Count{Method: CountPage}},
		{rules, "count=planned", "", bounded},
		{rules, "count=estimated", "", bounded},
		{rules, "count=planned", "id=eq.1", Count{Method: CountPage}},
		{estimating, "count=planned", "", Count{Estimate: true}},
		{estimating, "count=estimated", "", Count{Method: CountQuery, Limit: 101, Estimate: true}},
	} {
		in := get("/books", tt.rawQuery)
		in.Prefer = []string{tt.prefer}
		p, err := planOf(t, tt.rules, in)
		require.NoError(t, err)
		require.Equal(t, tt.want, p.(*Read).Count, tt.prefer)
	}
	few, many, estimate := int64(7), int64(101), int64(5000)
	limited := Count{Method: CountQuery, Limit: 101, Estimate: true}
	require.Nil(t, Count{}.Total(nil, nil, 0))
	require.Equal(t, &few, Count{Method: CountQuery}.Total(&few, nil, 7))
	require.Equal(t, &estimate, Count{Estimate: true}.Total(nil, &estimate, 7))
	require.Equal(t, &few, limited.Total(&few, &estimate, 7), "what is counted to the end is known")
	require.Equal(t, &estimate, limited.Total(&many, &estimate, 7), "the rest is estimated")
	require.Equal(t, &many, limited.Total(&many, &few, 7))
	beyond := int64(120)
	require.Equal(t, &many, Count{Method: CountQuery, Limit: 101}.Total(&many, nil, 10))
	require.Equal(t, &beyond, Count{Method: CountQuery, Limit: 101}.Total(&many, nil, 120),
		"a page after the limit")
}

func TestWrites(t *testing.T) {
	t.Parallel()
	write := func(in query.Input) *Write {
		p, err := planOf(t, rules, in)
		require.NoError(t, err)
		require.False(t, p.ReadOnly())
		return p.(*Write)
	}
	full := write(query.Input{
		Method: query.MethodPost, Path: "/books", RawQuery: "select=title,authors!author_id(name)",
		Prefer: []string{"return=representation"}, Body: []byte(`{"id":1}`),
	})
	require.Equal(t, []string{"title", "author_id"}, full.Returning, "what the answer and relationships need")
	require.True(t, full.Selection.Derived)

	key := write(query.Input{
		Method: query.MethodPost, Path: "/books", Prefer: []string{"return=headers-only"}, Body: []byte(`{"id":1}`),
	})
	require.True(t, key.ReturnsKey)
	require.Equal(t, []string{"id"}, key.Returning)
	require.Nil(t, key.Selection)

	update := write(query.Input{
		Method: query.MethodPatch, Path: "/books", RawQuery: "id=gt.1", Body: []byte(`{"title":"x"}`),
		Prefer: []string{"handling=strict,max-affected=2,return=representation"},
	})
	require.Empty(t, update.Selection.Filter, "the rows that are written are all shown")
	require.NotEmpty(t, update.Filter)
	require.NoError(t, update.Check(2))
	requireCode(t, query.CodeMaxAffected, update.Check(3))

	put := write(query.Input{
		Method: query.MethodPut, Path: "/books", RawQuery: "id=eq.1", Body: []byte(`{"id":1,"title":"x"}`),
	})
	require.Equal(t, Conflict{query.MergeDuplicates, []string{"id"}}, put.Conflict)
	require.NoError(t, put.Check(1))
	requireCode(t, query.CodePutMismatch, put.Check(0))

	one := write(query.Input{
		Method: query.MethodDelete, Path: "/books", RawQuery: "id=gt.1", Accept: []string{query.TypeSingular},
	})
	require.NoError(t, one.Check(1))
	requireCode(t, query.CodeNotSingular, one.Check(2))
}

func TestCalls(t *testing.T) {
	t.Parallel()
	call := func(in query.Input) *Call {
		p, err := planOf(t, rules, in)
		require.NoError(t, err)
		return p.(*Call)
	}
	post := func(path, contentType, body string) query.Input {
		return query.Input{Method: query.MethodPost, Path: path, ContentType: contentType, Body: []byte(body)}
	}
	values := func(c *Call) map[string][]string {
		all := map[string][]string{}
		for _, a := range c.Arguments {
			all[a.Parameter.Name] = a.Values
		}
		return all
	}
	t.Run("the overload with the arguments' names is chosen", func(t *testing.T) {
		t.Parallel()
		c := call(get("/rpc/add", "a=1&c=2"))
		require.Equal(t, "c", c.Function.Parameters[1].Name)
		require.Equal(t, map[string][]string{"a": {"1"}, "c": {"2"}}, values(c))
	})
	t.Run("an argument with a default can be missing", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, map[string][]string{"a": {"1"}}, values(call(get("/rpc/add", "a=1"))))
	})
	t.Run("JSON holds arguments by name", func(t *testing.T) {
		t.Parallel()
		c := call(post("/rpc/add", "", `{"a":1,"b":2}`))
		require.Equal(t, map[string][]string{"a": nil, "b": nil}, values(c))
		require.Equal(t, `{"a":1,"b":2}`, string(c.JSON))
	})
	t.Run("a parameter without a name takes the body", func(t *testing.T) {
		t.Parallel()
		c := call(post("/rpc/echo", "", `{"any":1}`))
		require.Equal(t, map[string][]string{"": {`{"any":1}`}}, values(c))
		require.Nil(t, c.JSON)
	})
	t.Run("a function is read only by GET, and by POST unless it is volatile", func(t *testing.T) {
		t.Parallel()
		require.True(t, call(get("/rpc/rename", "id=1")).ReadOnly())
		require.False(t, call(post("/rpc/rename", "", `{"id":1}`)).ReadOnly())
		require.True(t, call(post("/rpc/now", "", ``)).ReadOnly())
	})
	t.Run("rows of a table can be filtered by its columns", func(t *testing.T) {
		t.Parallel()
		c := call(get("/rpc/search", "text=x&select=title&id=gt.1&order=author_id"))
		require.Equal(t, []string{"title", "author_id", "id"}, c.Returning)
		require.Equal(t, "books", c.Selection.Alias)
	})
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/":           "OPTIONS,GET,HEAD",
		"/books":      "OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE",
		"/long_books": "OPTIONS,GET,HEAD",
		"/rpc/now":    "OPTIONS,GET,HEAD,POST",
		"/rpc/rename": "OPTIONS,POST",
	} {
		p, err := planOf(t, rules, query.Input{Method: query.MethodOptions, Path: path})
		require.NoError(t, err)
		require.Equal(t, &Methods{want}, p, path)
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	explaining := rules
	explaining.Explain = true
	json := Format{Body: query.MediaType{Name: query.TypeJSON}, ContentType: "application/json; charset=utf-8"}
	for accept, want := range map[string]Format{
		"":            json,
		"text/csv":    {Body: query.ParseMediaType("text/csv"), ContentType: "text/csv; charset=utf-8"},
		"image/*,*/*": json,
		query.TypeSingular: {
			Body:        query.MediaType{Name: query.TypeSingular},
			ContentType: "application/vnd.pgrst.object+json; charset=utf-8", Singular: true,
		},
	} {
		in := get("/books", "")
		in.Accept = []string{accept}
		p, err := planOf(t, explaining, in)
		require.NoError(t, err)
		require.Equal(t, want, p.(*Read).Format, accept)
	}

	in := get("/books", "")
	in.Accept = []string{`application/vnd.pgrst.plan; for="application/vnd.pgrst.object+json"`}
	p, err := planOf(t, explaining, in)
	require.NoError(t, err)
	require.NotNil(t, p.(*Read).Format.Explain)
	require.NoError(t, p.Check(5), "a plan is not judged by the rows of the answer")
}

func TestDescriptions(t *testing.T) {
	t.Parallel()
	const (
		version2 = "application/openapi+json; charset=utf-8"
		version3 = "application/openapi+json; version=3.1; charset=utf-8"
	)
	for _, tt := range []struct {
		accept, contentType string
		swagger             bool
	}{
		{"", version2, true},
		{"text/html,application/xhtml+xml,*/*;q=0.8", version2, true}, // a browser
		{"application/json", version2, true},
		{"application/openapi+json", version2, true},
		{"application/openapi+json;version=3.1", version3, false},
		{"application/vnd.oai.openapi+json", version3, false},
	} {
		in := get("/", "")
		in.Accept = []string{tt.accept}
		p, err := planOf(t, rules, in)
		require.NoError(t, err)
		want := &Description{Schema: "library", ContentType: tt.contentType, Swagger: tt.swagger}
		require.Equal(t, want, p, tt.accept)
	}
}
