package rest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/rest"
	"research/db/dbtest"
)

func TestErrors(t *testing.T) {
	t.Parallel()
	e := begin(t, library(t))
	user := e.as(t, e.Owner)

	t.Run("each SQLSTATE has a status", func(t *testing.T) {
		t.Parallel()
		for code, status := range map[string]int{
			"P0001": 400, "22012": 400, "23503": 409, "23505": 409, "42501": 403, "42883": 404, "42P01": 404,
			"28000": 403, "0L000": 403, "25006": 405, "40001": 500, "54001": 500, "54011": 400, "21000": 400,
			"55000": 500, "P0002": 500, "XX000": 500, "PT402": 402, "PT499": 499, "53400": 500, "53300": 503,
		} {
			a := user.do(http.MethodPost, "/rpc/fail",
				`{"code":"`+code+`","message":"so it is","detail":"why","hint":"try"}`)
			require.Equal(t, status, a.status, "%s: %s", code, a.body)
			require.JSONEq(t, `{"code":"`+code+`","message":"so it is","details":"why","hint":"try"}`, a.body)
			require.Equal(t, "application/json; charset=utf-8", a.header.Get("Content-Type"))
		}
	})

	t.Run("invalid tokens", func(t *testing.T) {
		t.Parallel()
		for bearer, want := range map[string]string{
			"a.b":   `"message":"Expected 3 parts in JWT; got 2","details":null`,
			"a.b.c": `"message":"JWT cryptographic operation failed","details":null`,
			"eyJhbGciOiJub25lIn0.e30.": `"message":"Wrong or unsupported encoding algorithm",` +
				`"details":"JWT is unsecured but expected 'alg' was not 'none'"`,
			"eyJhbGciOiJIUzI1NiJ9.e30.AAAA": `"message":"No suitable key or wrong key type",` +
				`"details":"None of the keys was able to decode the JWT"`,
		} {
			a := (&caller{e, bearer, t}).get("/books")
			require.Equal(t, http.StatusUnauthorized, a.status)
			require.JSONEq(t, `{"code":"PGRST301",`+want+`,"hint":null}`, a.body)
			require.Contains(t, a.header.Get("Www-Authenticate"), "invalid_token")
		}
	})

	t.Run("terse errors have no details and hints", func(t *testing.T) {
		t.Parallel()
		terse := begin(t, func(cfg *rest.Config, _ *dbtest.DB) { cfg.TerseErrors = true })
		require.JSONEq(t,
			`{"code":"PGRST205","message":"Could not find the table 'public.projectz' in the schema cache"}`,
			terse.as(t, terse.Owner).get("/projectz").body)
	})

	t.Run("RAISE with a status, headers and a body", func(t *testing.T) {
		t.Parallel()
		a := user.do(http.MethodPost, "/rpc/fail",
			`{"code":"PGRST",`+
				`"message":"{\"code\":\"123\",\"message\":\"pay\",\"details\":\"d\",\"hint\":\"h\"}",`+
				`"detail":"{\"status\":402,\"headers\":{\"X-Pay\":\"now\"}}"}`)
		require.Equal(t, http.StatusPaymentRequired, a.status, a.body)
		require.Equal(t, "now", a.header.Get("X-Pay"))
		require.JSONEq(t, `{"code":"123","message":"pay","details":"d","hint":"h"}`, a.body)
		require.Equal(t, "PGRST121",
			user.do(http.MethodPost, "/rpc/fail", `{"code":"PGRST","message":"no JSON"}`).code())
	})

	for _, c := range []struct {
		name, path string
		status     int
		code, text string
	}{
		{"an unknown table", "/book", 404, "PGRST205", "Perhaps you meant the table 'library.books'"},
		{
			"an unknown resource", "/books?select=id,label(name)", 400, "PGRST200",
			"Perhaps you meant 'labels' instead of 'label'.",
		},
		{"two relationships", "/books?select=id,authors(name)", 300, "PGRST201", "authors!books_editor"},
		{
			"a resource that is not selected", "/books?labels.name=eq.x", 400, "PGRST108",
			"Verify that 'labels' is included",
		},
		{"an unknown column", "/books?select=nothing", 400, "42703", "column books.nothing does not exist"},
		{"an unknown operator", "/books?id=is5", 400, "PGRST100", "failed to parse filter"},
		{"a broken tree", "/books?or=(id.eq.1", 400, "PGRST100", "failed to parse logic tree"},
		{"a broken select", "/books?select=id,authors(", 400, "PGRST100", "failed to parse select parameter"},
		{"a broken order", "/books?order=id.up", 400, "PGRST100", "failed to parse order"},
		{"an unknown type", "/books?select=id::nothing", 400, "42704", ""},
		{"SQL in the place of a type", "/books?select=id::int);drop table library.books;--", 400, "PGRST100", ""},
		{"SQL in the place of an alias", `/books?select=x";drop table library.books;--:id`, 400, "PGRST100", ""},
		{"aggregates, which are off", "/books?select=count()", 400, "PGRST123", ""},
		{
			"an order by several rows", "/authors?select=id,books!books_author_id_fkey(id)&order=books(id)", 400,
			"PGRST118", "",
		},
		{
			"one relationship twice", "/books?select=id,labels(name),labels(name)", 400, "42712",
			`table name \"books_labels_1\" specified more than once`,
		},
		{
			"one relationship twice, a level down", "/labels?select=name,books(id,details(isbn),details())", 400,
			"42712", `table name \"books_details_2\" specified more than once`,
		},
		{
			"one relationship twice, once spread", "/books?select=id,details(isbn),...details(isbn)", 400, "42712",
			`Give one of them a name of its own: 'another_name:details(...)'.`,
		},
		{
			"two relationships under one name",
			"/books?select=id,authors!books_author_id_fkey(name),authors!books_editor(name)", 400, "42712",
			"another_name:authors(...)",
		},
		{
			"two resources under one alias", "/books?select=id,x:labels(name),x:details(isbn)", 400, "42712",
			"books_x_1",
		},
		{"a deep path", "/books/1", 404, "PGRST125", ""},
		{"a broken value", "/books?id=eq.x", 400, "22P02", ""},
		{"a zero byte", "/books?title=eq.a%00b", 400, "PGRST100", ""},
		{"bytes that are not text", "/books?title=eq.%ff", 400, "PGRST100", ""},
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

	t.Run("unknown methods", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, "PGRST117", user.do("TRACE", "/books", "").code())
		require.Equal(t, "PGRST117", user.do("COPY", "/books", "").code())
	})
	require.Equal(t, 4, dbtest.Value[int](t, e.DB, `select count(*) from library.books`))
}
