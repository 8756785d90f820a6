package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/rest"
	"research/db/dbtest"
)

func TestCall(t *testing.T) {
	t.Parallel()
	e := begin(t, library(t))
	const get, post, head = http.MethodGet, http.MethodPost, http.MethodHead
	for _, c := range []struct {
		name, method, path, body, contentType, accept string
		status                                        int
		want                                          string
	}{
		{name: "by GET", method: get, path: "/rpc/add?a=1&b=2", status: 200, want: `3`},
		{name: "by POST", method: post, path: "/rpc/add", body: `{"a":1,"b":2}`, status: 200, want: `3`},
		{name: "a default", method: get, path: "/rpc/add?a=1", status: 200, want: `11`},
		{name: "by a form", method: post, path: "/rpc/add", body: "a=1&b=4", contentType: "application/x-www-form-urlencoded", status: 200, want: `5`},
		{name: "variadic, by GET", method: get, path: "/rpc/join_all?parts=a&parts=b,c", status: 200, want: `"a+b,c"`},
		{name: "variadic, by POST", method: post, path: "/rpc/join_all", body: `{"parts":["a","b"]}`, status: 200, want: `"a+b"`},
		{name: "rows, filtered and ordered", method: get, path: "/rpc/by_genre?wanted=novel&select=id,authors!books_author_id_fkey(name)&id=gt.2&order=id.desc", status: 200, want: `[{"id":4,"authors":null},{"id":3,"authors":{"name":"Bo"}}]`},
		{name: "rows, by POST", method: post, path: "/rpc/by_genre?select=id&limit=1", body: `{"wanted":"essay"}`, status: 200, want: `[{"id":1}]`},
		{name: "one row", method: get, path: "/rpc/one_author?select=name", status: 200, want: `{"name":"Ada"}`},
		{name: "one of the rows", method: get, path: "/rpc/by_genre?wanted=essay&select=id", accept: singular, status: 200, want: `{"id":1}`},
		{name: "a table of its own", method: get, path: "/rpc/pairs?n=gte.2", status: 200, want: `[{"n":2,"twice":4},{"n":3,"twice":6}]`},
		{name: "scalars", method: get, path: "/rpc/count_to?n=2", status: 200, want: `[1,2]`},
		{name: "void", method: post, path: "/rpc/rename_author", body: `{"id":1,"name":"Ada"}`, status: 204},
		{name: "the body as a whole", method: post, path: "/rpc/echo", body: `{"any":[1,"x"]}`, status: 200, want: `{"any":[1,"x"]}`},
		{name: "the body as a whole, by an empty key", method: post, path: "/rpc/echo_text", body: `{"":"x"}`, status: 200, want: `"{\"\":\"x\"}"`},
		{name: "an empty key, by GET", method: get, path: "/rpc/echo_text?=x", status: 200, want: `"x"`},
		{name: "the body as bytes", method: post, path: "/rpc/measure", body: "\x00\x01\xff", contentType: "application/octet-stream", status: 200, want: `3`},
		{name: "a media type that the function does not make", method: get, path: "/rpc/join_all?parts=a", accept: "text/plain", status: 406, want: "PGRST107"},
		{name: "its own status and headers", method: post, path: "/rpc/teapot", status: 418, want: `"short"`},
		{name: "HEAD", method: head, path: "/rpc/add?a=1", status: 200},
		{name: "GET may not write", method: get, path: "/rpc/rename_author?id=1&name=x", status: 405, want: "25006"},
		{name: "HEAD may not write", method: head, path: "/rpc/rename_author?id=1&name=x", status: 405},
		{name: "an unknown function", method: post, path: "/rpc/ad", body: `{"a":1}`, status: 404, want: "PGRST202"},
		{name: "an unknown argument", method: post, path: "/rpc/add", body: `{"a":1,"c":2}`, status: 404, want: "PGRST202"},
		{name: "a missing argument", method: post, path: "/rpc/add", body: `{"b":1}`, status: 404, want: "PGRST202"},
		{name: "an argument of the wrong type", method: get, path: "/rpc/add?a=x", status: 400, want: "22P02"},
		{name: "other methods", method: http.MethodDelete, path: "/rpc/add", status: 405, want: "PGRST101"},
		{name: "a function of another schema", method: post, path: "/rpc/open", status: 404, want: "PGRST202"},
		{name: "a function of the system", method: get, path: "/rpc/pg_sleep?pg_sleep=1", status: 404, want: "PGRST202"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			headers := []string{"Accept", c.accept}
			if c.contentType != "" {
				headers = append(headers, "Content-Type", c.contentType)
			}
			a := e.as(t, e.Owner).do(c.method, escaped(c.path), c.body, headers...)
			require.Equal(t, c.status, a.status, a.body)
			switch {
			case c.status >= 400 && c.status != 418 && c.method != head:
				require.Equal(t, c.want, a.code(), a.body)
			case strings.HasPrefix(c.want, "["):
				require.JSONEq(t, c.want, a.body)
			default:
				require.Equal(t, c.want, a.body)
			}
		})
	}

	t.Run("a near name is proposed", func(t *testing.T) {
		t.Parallel()
		require.Contains(t, e.asAnon(t).get("/rpc/coun_to?n=1").body, "Perhaps you meant to call the function library.count_to")
	})
	t.Run("a function knows who asks, and how", func(t *testing.T) {
		t.Parallel()
		a := e.as(t, e.Editor).get("/rpc/whoami", "User-Agent", "tests")
		require.JSONEq(t, `{"role":"authenticated","sub":"`+e.Editor.String()+`","method":"GET","path":"/rpc/whoami","agent":"tests"}`, a.body)
		require.JSONEq(t, `{"role":"anon","sub":null,"method":"POST","path":"/rpc/whoami","agent":"Go-http-client/1.1"}`, e.asAnon(t).do(post, "/rpc/whoami", "").body)
	})
	t.Run("who may not execute", func(t *testing.T) {
		t.Parallel()
		a := e.asAnon(t).do(post, "/rpc/rename_author", `{"id":1,"name":"x"}`)
		require.Equal(t, http.StatusUnauthorized, a.status)
		require.Equal(t, "42501", a.code())
	})
	t.Run("a header of its own", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, "on", e.asAnon(t).do(post, "/rpc/teapot", "").header.Get("X-Kettle"))
	})
}

func TestErrors(t *testing.T) {
	t.Parallel()
	e := begin(t, library(t))
	user := e.as(t, e.Owner)

	t.Run("codes of PostgreSQL and their statuses", func(t *testing.T) {
		t.Parallel()
		for code, status := range map[string]int{
			"P0001": 400, "22012": 400, "23503": 409, "23505": 409, "42501": 403, "42883": 404, "42P01": 404, "28000": 403, "0L000": 403, "25006": 405, "40001": 500,
			"54001": 500, "54011": 400, "21000": 400, "55000": 500, "P0002": 500, "XX000": 500, "PT402": 402, "PT499": 499, "53400": 500, "53300": 503,
		} {
			a := user.do(http.MethodPost, "/rpc/fail", `{"code":"`+code+`","message":"so it is","detail":"why","hint":"try"}`)
			require.Equal(t, status, a.status, "%s: %s", code, a.body)
			require.JSONEq(t, `{"code":"`+code+`","message":"so it is","details":"why","hint":"try"}`, a.body)
			require.Equal(t, "application/json; charset=utf-8", a.header.Get("Content-Type"))
		}
	})

	t.Run("what is wrong with a token", func(t *testing.T) {
		t.Parallel()
		for bearer, want := range map[string]string{
			"a.b":                           `{"code":"PGRST301","message":"Expected 3 parts in JWT; got 2","details":null,"hint":null}`,
			"a.b.c":                         `{"code":"PGRST301","message":"JWT cryptographic operation failed","details":null,"hint":null}`,
			"eyJhbGciOiJub25lIn0.e30.":      `{"code":"PGRST301","message":"Wrong or unsupported encoding algorithm","details":"JWT is unsecured but expected 'alg' was not 'none'","hint":null}`,
			"eyJhbGciOiJIUzI1NiJ9.e30.AAAA": `{"code":"PGRST301","message":"No suitable key or wrong key type","details":"None of the keys was able to decode the JWT","hint":null}`,
		} {
			a := (&caller{e, bearer, t}).get("/books")
			require.Equal(t, http.StatusUnauthorized, a.status)
			require.JSONEq(t, want, a.body)
			require.Contains(t, a.header.Get("Www-Authenticate"), "invalid_token")
		}
	})

	t.Run("without details and hints where that is set", func(t *testing.T) {
		t.Parallel()
		terse := begin(t, func(cfg *rest.Config, _ *dbtest.DB) { cfg.TerseErrors = true })
		require.JSONEq(t, `{"code":"PGRST205","message":"Could not find the table 'public.projectz' in the schema cache"}`, terse.as(t, terse.Owner).get("/projectz").body)
	})

	t.Run("raise with a whole answer", func(t *testing.T) {
		t.Parallel()
		a := user.do(http.MethodPost, "/rpc/fail", `{"code":"PGRST","message":"{\"code\":\"123\",\"message\":\"pay\",\"details\":\"d\",\"hint\":\"h\"}","detail":"{\"status\":402,\"headers\":{\"X-Pay\":\"now\"}}"}`)
		require.Equal(t, http.StatusPaymentRequired, a.status, a.body)
		require.Equal(t, "now", a.header.Get("X-Pay"))
		require.JSONEq(t, `{"code":"123","message":"pay","details":"d","hint":"h"}`, a.body)
		require.Equal(t, "PGRST121", user.do(http.MethodPost, "/rpc/fail", `{"code":"PGRST","message":"no JSON"}`).code())
	})

	for _, c := range []struct {
		name, path string
		status     int
		code, text string
	}{
		{"an unknown table", "/book", 404, "PGRST205", "Perhaps you meant the table 'library.books'"},
		{"an unknown resource", "/books?select=id,label(name)", 400, "PGRST200", "Perhaps you meant 'labels' instead of 'label'."},
		{"two relationships", "/books?select=id,authors(name)", 300, "PGRST201", "authors!books_editor"},
		{"a resource that is not selected", "/books?labels.name=eq.x", 400, "PGRST108", "Verify that 'labels' is included"},
		{"an unknown column", "/books?select=nothing", 400, "42703", "column books.nothing does not exist"},
		{"an unknown operator", "/books?id=is5", 400, "PGRST100", "failed to parse filter"},
		{"a broken tree", "/books?or=(id.eq.1", 400, "PGRST100", "failed to parse logic tree"},
		{"a broken select", "/books?select=id,authors(", 400, "PGRST100", "failed to parse select parameter"},
		{"a broken order", "/books?order=id.up", 400, "PGRST100", "failed to parse order"},
		{"an unknown type", "/books?select=id::nothing", 400, "42704", ""},
		{"SQL in the place of a type", "/books?select=id::int);drop table library.books;--", 400, "PGRST100", ""},
		{"SQL in the place of an alias", `/books?select=x";drop table library.books;--:id`, 400, "PGRST100", ""},
		{"aggregates, which are off", "/books?select=count()", 400, "PGRST123", ""},
		{"an order by what is many", "/authors?select=id,books!books_author_id_fkey(id)&order=books(id)", 400, "PGRST118", ""},
		{"one relationship twice", "/books?select=id,labels(name),labels(name)", 400, "42712", `table name \"books_labels_1\" specified more than once`},
		{"one relationship twice, a level down", "/labels?select=name,books(id,details(isbn),details())", 400, "42712", `table name \"books_details_2\" specified more than once`},
		{"one relationship twice, once spread", "/books?select=id,details(isbn),...details(isbn)", 400, "42712", `Give one of them a name of its own: 'another_name:details(...)'.`},
		{"two relationships under one name", "/books?select=id,authors!books_author_id_fkey(name),authors!books_editor(name)", 400, "42712", "another_name:authors(...)"},
		{"two resources under one alias", "/books?select=id,x:labels(name),x:details(isbn)", 400, "42712", "books_x_1"},
		{"a deep path", "/books/1", 404, "PGRST125", ""},
		{"a broken value", "/books?id=eq.x", 400, "22P02", ""},
		{"a zero byte", "/books?title=eq.a%00b", 400, "PGRST100", ""},
		{"bytes that are no text", "/books?title=eq.%ff", 400, "PGRST100", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := user.get(escaped(c.path))
			require.Equal(t, c.status, a.status, a.body)
			require.Equal(t, c.code, a.code(), a.body)
			require.Contains(t, a.body, c.text)
			for _, word := range internals {
				require.NotContains(t, a.body, word)
			}
		})
	}

	t.Run("a method that is none", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, "PGRST117", user.do("TRACE", "/books", "").code())
		require.Equal(t, "PGRST117", user.do("COPY", "/books", "").code())
	})
	require.Equal(t, 4, dbtest.Value[int](t, e.DB, `select count(*) from library.books`))
}

func TestOptions(t *testing.T) {
	t.Parallel()
	e := begin(t, library(t))
	for path, allow := range map[string]string{"/books": "OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE", "/rpc/add": "OPTIONS,GET,HEAD,POST", "/": "OPTIONS,GET,HEAD"} {
		a := e.asAnon(t).do(http.MethodOptions, path, "")
		require.Equal(t, http.StatusOK, a.status, path)
		require.Equal(t, allow, a.header.Get("Allow"), path)
	}
}

func TestPreferences(t *testing.T) {
	t.Parallel()
	e := begin(t, library(t))
	user := e.as(t, e.Owner)
	added := user.get("/books?select=added&id=eq.1", "Prefer", "timezone=America/Los_Angeles")
	require.JSONEq(t, `[{"added":"2026-01-01T19:04:05-08:00"}]`, added.body)
	require.Equal(t, "timezone=America/Los_Angeles", added.header.Get("Preference-Applied"))
	require.JSONEq(t, `[{"added":"2026-01-02T03:04:05+00:00"}]`, user.get("/books?select=added&id=eq.1").body, "the time zone of another request does not stay")

	both := user.get("/books?select=id&id=eq.1", "Prefer", "count=exact, handling=strict")
	require.Equal(t, "count=exact, handling=strict", both.header.Get("Preference-Applied"))
	require.Equal(t, "PGRST122", user.get("/books", "Prefer", "handling=strict, foo=bar").code())
	require.Equal(t, http.StatusOK, user.get("/books", "Prefer", "foo=bar").status)
}
