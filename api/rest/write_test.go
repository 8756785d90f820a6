package rest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/rest"
	"research/db/dbtest"
)

const (
	representation = "return=representation"
	singular       = "application/vnd.pgrst.object+json"
)

// Writes are rolled back after they are answered, so that every case has the same library.
func TestWrite(t *testing.T) {
	t.Parallel()
	e := begin(t, library(t), func(cfg *rest.Config, d *dbtest.DB) {
		cfg.Rollback = true
		d.Exec(t, `create table library.notes (
				id int primary key,
				owner text default current_user,
				"text" text not null default 'empty',
				n int generated always as (id * 2) stored);
			create table library.pairs2 (a int, b int, c text, primary key (a, b));
			insert into library.pairs2 values (1, 1, 'x');
			grant all on library.notes, library.pairs2 to authenticated`)
	})
	const post, patch, put, del = http.MethodPost, http.MethodPatch, http.MethodPut, http.MethodDelete
	for _, c := range []struct {
		name, method, path, body, prefer, contentType string
		status                                        int
		want                                          string // "": empty
		header                                        map[string]string
	}{
		{
			name: "insert returns nothing by default", method: post, path: "/labels", body: `{"name":"x"}`,
			status: 201,
			header: map[string]string{"Content-Range": "*/*", "Content-Length": "0"},
		},
		{
			name: "insert, minimal", method: post, path: "/labels", body: `{"name":"x"}`, prefer: "return=minimal",
			status: 201,
		},
		{
			name: "insert, headers only", method: post, path: "/authors", body: `{"id":9,"name":"x"}`,
			prefer: "return=headers-only", status: 201,
			header: map[string]string{"Location": "/rest/v1/authors?id=eq.9"},
		},
		{
			name: "the location of two keys", method: post, path: "/pairs2", body: `{"a":2,"b":3}`,
			prefer: "return=headers-only", status: 201,
			header: map[string]string{"Location": "/rest/v1/pairs2?a=eq.2&b=eq.3"},
		},
		{
			name: "insert, all of it", method: post, path: "/labels", body: `{"name":"x"}`, prefer: representation,
			status: 201, want: `[{"name":"x"}]`,
			header: map[string]string{"Preference-Applied": "return=representation"},
		},
		{
			name: "insert and select", method: post, path: "/books?select=title,author:authors!author_id(name)",
			body: `{"title":"x","author_id":2}`, prefer: representation, status: 201,
			want: `[{"title":"x","author":{"name":"Bo"}}]`,
		},
		{
			name: "insert many", method: post, path: "/labels?select=name", body: `[{"name":"x"},{"name":"y"}]`,
			prefer: representation + ", count=exact", status: 201, want: `[{"name":"x"},{"name":"y"}]`,
			header: map[string]string{"Content-Range": "*/2"},
		},
		{
			name: "insert of no rows", method: post, path: "/labels", body: `[]`, prefer: representation, status: 201,
			want: `[]`,
		},
		{
			name: "insert the defaults", method: post, path: "/notes?select=text", body: `{"id":1}`,
			prefer: representation, status: 201, want: `[{"text":"empty"}]`,
		},
		{
			name: "missing=default", method: post, path: "/notes?select=id,text&columns=id,text",
			body: `[{"id":1},{"id":2,"text":"x"}]`, prefer: representation + ", missing=default", status: 201,
			want: `[{"id":1,"text":"empty"},{"id":2,"text":"x"}]`,
		},
		{
			name: "a missing value is null by default", method: post, path: "/notes?columns=id,text",
			body: `[{"id":1},{"id":2,"text":"x"}]`, status: 400, want: "23502",
		},
		{
			name: "columns chooses the keys of the body", method: post, path: "/notes?columns=id&select=id,text",
			body: `{"id":1,"text":"x","junk":true}`, prefer: representation, status: 201,
			want: `[{"id":1,"text":"empty"}]`,
		},
		{
			name: "keys that differ", method: post, path: "/notes", body: `[{"id":1},{"text":"x"}]`, status: 400,
			want: "PGRST102",
		},
		{
			name: "a generated column", method: post, path: "/notes", body: `{"id":1,"n":5}`, status: 400,
			want: "428C9",
		},
		{
			name: "CSV", method: post, path: "/authors?select=id,name,born",
			body: "id,name,born\n8,\"a, b\",NULL\n9,c,2000-01-01", contentType: "text/csv", prefer: representation,
			status: 201, want: `[{"id":8,"name":"a, b","born":null},{"id":9,"name":"c","born":"2000-01-01"}]`,
		},
		{
			name: "a form", method: post, path: "/labels", body: "name=x+y%21",
			contentType: "application/x-www-form-urlencoded", prefer: representation, status: 201,
			want: `[{"name":"x y!"}]`,
		},
		{
			name: "arrays, JSON, enums and ranges", method: post, path: "/books?select=words,genre,sold",
			body: `{"title":"x","words":["a","b,\"c"],"genre":"essay","sold":"[1,2)"}`, prefer: representation,
			status: 201, want: `[{"words":["a","b,\"c"],"genre":"essay","sold":"[1,2)"}]`,
		},
		{
			name: "a body that is not JSON", method: post, path: "/labels", body: `{"name":`, status: 400,
			want: "PGRST102",
		},
		{
			name: "a body without rows", method: post, path: "/labels", body: `"x"`, prefer: representation,
			status: 201,
			want:   `[]`,
		},
		{
			name: "another media type", method: post, path: "/labels", body: `x`, contentType: "image/png",
			status: 400,
			want:   "PGRST102",
		},
		{
			name: "an unknown column", method: post, path: "/labels", body: `{"nothing":1}`, status: 400,
			want: "PGRST204",
		},
		{name: "a duplicate", method: post, path: "/labels", body: `{"name":"old"}`, status: 409, want: "23505"},
		{
			name: "a broken reference", method: post, path: "/books", body: `{"title":"x","author_id":99}`,
			status: 409, want: "23503",
		},
		{
			name: "a broken check", method: post, path: "/books", body: `{"title":"x","pages":-1}`, status: 400,
			want: "23514",
		},

		{
			name: "upsert merges", method: post, path: "/authors?select=id,name,facts",
			body:   `[{"id":1,"name":"Eve"},{"id":7,"name":"New"}]`,
			prefer: representation + ", resolution=merge-duplicates", status: 201,
			want: `[{"id":1,"name":"Eve","facts":{"home":{"city":"London"},"langs":["en","fr"]}},` +
				`{"id":7,"name":"New","facts":{}}]`,
		},
		{
			name: "upsert that only merges", method: post, path: "/authors?select=id", body: `{"id":1,"name":"Eve"}`,
			prefer: representation + ", resolution=merge-duplicates", status: 200, want: `[{"id":1}]`,
		},
		{
			name: "upsert ignores", method: post, path: "/authors?select=id",
			body:   `[{"id":1,"name":"Eve"},{"id":7,"name":"New"}]`,
			prefer: representation + ", resolution=ignore-duplicates", status: 201, want: `[{"id":7}]`,
		},
		{
			name: "upsert by another key", method: post, path: "/authors?on_conflict=name&select=id,born",
			body:   `{"id":50,"name":"Çelik, \"C\"","born":"2000-01-01"}`,
			prefer: representation + ", resolution=merge-duplicates", status: 200,
			want: `[{"id":50,"born":"2000-01-01"}]`,
		},
		{
			name: "upsert by a column without a unique constraint", method: post, path: "/authors?on_conflict=born",
			body: `{"id":1,"name":"x"}`, prefer: "resolution=merge-duplicates", status: 400, want: "42P10",
		},

		{
			name: "update", method: patch, path: "/authors?id=eq.1&select=id,name", body: `{"name":"Eve"}`,
			prefer: representation, status: 200, want: `[{"id":1,"name":"Eve"}]`,
			header: map[string]string{"Content-Range": "0-0/*"},
		},
		{
			name: "update returns nothing by default", method: patch, path: "/authors?id=eq.1", body: `{"name":"Eve"}`,
			status: 204,
		},
		{
			name: "update of no rows", method: patch, path: "/authors?id=eq.99", body: `{"name":"Eve"}`,
			prefer: representation, status: 200, want: `[]`, header: map[string]string{"Content-Range": "*/*"},
		},
		{
			name: "update with nothing", method: patch, path: "/authors?id=eq.1", body: `{}`, prefer: representation,
			status: 200, want: `[]`,
		},
		{
			name: "update by a tree", method: patch, path: "/books?or=(id.eq.1,id.eq.2)&select=id&order=id.desc",
			body: `{"pages":1}`, prefer: representation + ",count=exact", status: 200, want: `[{"id":2},{"id":1}]`,
			header: map[string]string{"Content-Range": "0-1/2"},
		},
		{
			name: "update to null", method: patch, path: "/books?id=eq.1&select=pages", body: `{"pages":null}`,
			prefer: representation, status: 200, want: `[{"pages":null}]`,
		},
		{
			name: "more than max-affected", method: patch, path: "/books?id=gt.0", body: `{"pages":1}`,
			prefer: "handling=strict, max-affected=2", status: 400, want: "PGRST124",
		},
		{
			name: "max-affected counts only when strict", method: patch, path: "/books?id=gt.0", body: `{"pages":1}`,
			prefer: "max-affected=2", status: 204,
		},

		{name: "delete", method: del, path: "/books?id=eq.3", status: 204},
		{
			name: "delete with its rows", method: del,
			path: "/books?id=lt.3&select=id,labels(name)&order=id&labels.order=name", prefer: representation,
			status: 200,
			want:   `[{"id":1,"labels":[{"name":"old"}]},{"id":2,"labels":[{"name":"new"},{"name":"old"}]}]`,
		},
		{
			name: "delete of a row that others refer to", method: del, path: "/authors?id=eq.1", status: 409,
			want: "23503",
		},
		{
			name: "delete of more than max-affected", method: del, path: "/books?id=gt.0",
			prefer: "handling=strict, max-affected=1", status: 400, want: "PGRST124",
		},

		{
			name: "put replaces", method: put, path: "/labels?name=eq.old", body: `{"name":"old"}`,
			prefer: representation, status: 200, want: `[{"name":"old"}]`,
		},
		{
			name: "put creates", method: put, path: "/labels?name=eq.x", body: `{"name":"x"}`, prefer: representation,
			status: 201, want: `[{"name":"x"}]`,
		},
		{
			name: "put of another key", method: put, path: "/labels?name=eq.x", body: `{"name":"y"}`, status: 400,
			want: "PGRST115",
		},
		{
			name: "put without the key", method: put, path: "/labels?name=neq.x", body: `{"name":"x"}`, status: 405,
			want: "PGRST105",
		},
		{
			name: "put of a half key", method: put, path: "/pairs2?a=eq.1", body: `{"a":1,"b":1}`, status: 405,
			want: "PGRST105",
		},
		{
			name: "put of a page", method: put, path: "/labels?name=eq.x&limit=1", body: `{"name":"x"}`, status: 400,
			want: "PGRST114",
		},

		{
			name: "an unknown preference, strictly", method: post, path: "/labels", body: `{"name":"x"}`,
			prefer: "handling=strict, anything", status: 400, want: "PGRST122",
		},
		{
			name: "an unknown preference, leniently", method: post, path: "/labels", body: `{"name":"x"}`,
			prefer: "handling=lenient, anything", status: 201,
			header: map[string]string{"Preference-Applied": "handling=lenient"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			headers := []string{"Prefer", c.prefer}
			if c.contentType != "" {
				headers = append(headers, "Content-Type", c.contentType)
			}
			a := e.as(t, e.Owner).do(c.method, escaped(c.path), c.body, headers...)
			require.Equal(t, c.status, a.status, a.body)
			switch {
			case c.status >= 400:
				require.Equal(t, c.want, a.code(), a.body)
			case c.want == "":
				require.Empty(t, a.body)
			default:
				require.JSONEq(t, c.want, a.body)
			}
			for name, value := range c.header {
				require.Equal(t, value, a.header.Get(name), name)
			}
		})
	}
}

// A request that is rejected after it wrote rows changes nothing.
func TestRejectedWritesAreRolledBack(t *testing.T) {
	t.Parallel()
	e := begin(t, library(t))
	user := e.as(t, e.Owner)
	for _, r := range []wireRequest{
		{
			method: http.MethodPost, path: "/labels", body: `[{"name":"a"},{"name":"b"}]`,
			headers: []string{"Accept", singular, "Prefer", representation},
		},
		{
			method: http.MethodPatch, path: "/books?id=gt.0", body: `{"pages":1}`,
			headers: []string{"Accept", singular, "Prefer", representation},
		},
		{method: http.MethodDelete, path: "/books?id=gt.0", headers: []string{"Accept", singular}},
		{
			method: http.MethodPatch, path: "/books?id=gt.0", body: `{"pages":1}`,
			headers: []string{"Prefer", "handling=strict, max-affected=3"},
		},
		{method: http.MethodPost, path: "/labels", body: `[{"name":"a"},{"name":"old"}]`},
		{
			method: http.MethodPost, path: "/labels?select=name,nothing", body: `{"name":"a"}`,
			headers: []string{"Prefer", representation},
		},
		{
			method: http.MethodPost, path: "/labels?select=name,nothing(id)", body: `{"name":"a"}`,
			headers: []string{"Prefer", representation},
		},
	} {
		a := user.do(r.method, r.path, r.body, r.headers...)
		require.GreaterOrEqual(t, a.status, 400, "%s: %s", r, a.body)
		require.Less(t, a.status, 500, "%s: %s", r, a.body)
	}
	require.Equal(t, 3, dbtest.Value[int](t, e.DB, `select count(*) from library.labels`))
	require.Equal(t, 4,
		dbtest.Value[int](t, e.DB, `select count(*) from library.books where pages is distinct from 1`))

	// Clients cannot ask for a rollback or a commit.
	require.Equal(t, http.StatusCreated,
		user.do(http.MethodPost, "/labels", `{"name":"stays"}`, "Prefer", "tx=rollback").status)
	require.Equal(t, 4, dbtest.Value[int](t, e.DB, `select count(*) from library.labels`))
}

// Policies are checked before columns, and would say only that the row is not permitted.
func TestInsertWithoutAParent(t *testing.T) {
	t.Parallel()
	e := begin(t)
	user := e.as(t, e.Owner)
	for path, c := range map[string]struct{ row, column string }{
		"/hypotheses":                {`{"statement": "Receipts get lost"}`, "project_id"},
		"/personas":                  {`{"project_id": null, "name": "Ada"}`, "project_id"},
		"/projects":                  {`{"name": "Receipts"}`, "workspace_id"},
		"/evidence":                  {`{"quote": "In a shoebox"}`, "project_id"},
		"/participants?columns=name": {`[{"name": "Ada"}]`, "project_id"},
		"/evidence_hypotheses":       {`{"stance": "supports"}`, "evidence_id"},
		"/workspace_invitations":     {`{"email": "guest@example.com"}`, "workspace_id"},
	} {
		a := user.do(http.MethodPost, path, c.row)
		require.Equal(t, http.StatusBadRequest, a.status, a.body)
		require.Equal(t, "23502", a.code(), path)
		require.Contains(t, a.body, `null value in column \"`+c.column+`\" of relation`, path)
		require.Contains(t, a.body, "Give "+c.column+" a value.", path)
	}
}
