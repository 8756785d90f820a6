package rest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/rest"
	"research/db/dbtest"
)

// PostgreSQL makes one row by its primary key without an aggregate. The answers are those of other reads.
func TestOneRowByItsKey(t *testing.T) {
	t.Parallel()
	e := begin(t, library(t), func(_ *rest.Config, d *dbtest.DB) {
		d.Exec(t, `create table library.parents (id int primary key);
			create table library.children () inherits (library.parents);
			insert into library.parents values (1);
			insert into library.children values (1);
			grant select on library.parents to authenticated;
			create function library.tell() returns bool language sql
				as $$ select set_config('response.headers', '[{"X-Told": "yes"}]', true) is null $$;
			grant execute on function library.tell to authenticated;
			create table library.told (id int primary key);
			alter table library.told enable row level security;
			create policy told on library.told for select using (library.tell());
			insert into library.told values (1);
			grant select on library.told to authenticated`)
	})
	user := e.as(t, e.Owner)
	for _, tt := range []struct {
		name, path, accept, body, span string
		status                         int
	}{
		{"a row", "/books?id=eq.1&select=id", "application/json", `[{"id":1}]`, "0-0/*", http.StatusOK},
		{"a row with what belongs to it", "/books?id=eq.1&select=id,authors!books_author_id_fkey(id)",
			"application/json",
			`[{"id":1,"authors":{"id":1}}]`, "0-0/*", http.StatusOK},
		{"no row", "/books?id=eq.99", "application/json", `[]`, "*/*", http.StatusOK},
		{"a row past the offset", "/books?id=eq.1&offset=1", "application/json", `[]`, "*/*", http.StatusOK},
		{"one object", "/books?id=eq.1&select=id", singular, `{"id":1}`, "0-0/*", http.StatusOK},
		{"rows of tables that inherit a key", "/parents?id=eq.1", "application/json", `[{"id":1}, {"id":1}]`,
			"0-1/*", http.StatusOK},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := user.get(tt.path, "Accept", tt.accept)
			require.Equal(t, tt.status, a.status, a.body)
			require.JSONEq(t, tt.body, a.body)
			require.Equal(t, tt.span, a.header.Get("Content-Range"))
		})
	}
	a := user.get("/books?id=eq.99", "Accept", singular)
	require.Equal(t, http.StatusNotAcceptable, a.status)
	require.Equal(t, "PGRST116", a.code())
	a = user.get("/told?id=eq.1")
	require.Equal(t, `[]`, a.body)
	require.Equal(t, "yes", a.header.Get("X-Told"), "what a policy sets for the answer, although it hides "+
		"the row")
}
