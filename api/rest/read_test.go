package rest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	t.Parallel()
	e := begin(t, library(t))
	for _, c := range []struct{ name, path, want string }{
		// Columns
		{"all columns", "/labels?order=name&limit=1", `[{"name":"new"}]`},
		{
			"some, renamed and cast", "/books?select=id::text,called:title&id=eq.1",
			`[{"id":"1","called":"Analytical engines"}]`,
		},
		{
			"paths into JSON", "/authors?select=facts->home->>city,first:facts->langs->0&id=eq.1",
			`[{"city":"London","first":"en"}]`,
		},
		{"paths into arrays from the end", "/authors?select=facts->langs->>-1&id=eq.1", `[{"langs":"fr"}]`},
		{"a path into nothing", "/authors?select=facts->x->>y&id=eq.2", `[{"y":null}]`},
		{"a function of the row", "/authors?select=shout&id=eq.1", `[{"shout":"ADA"}]`},
		{"a name with a comma and quotes", "/authors?select=id&name=eq.Çelik, \"C\"", `[{"id":3}]`},

		// Operators
		{"eq", "/books?select=id&title=eq.Walking back", `[{"id":3}]`},
		{"neq", "/books?select=id&id=neq.1&order=id", `[{"id":2},{"id":3},{"id":4}]`},
		{"gt and lte", "/books?select=id&pages=gt.120&pages=lte.350", `[{"id":3}]`},
		{"like with stars", "/books?select=id&title=like.*walk*", `[{"id":2}]`},
		{"ilike", "/books?select=id&title=ilike.*walk*&order=id", `[{"id":2},{"id":3}]`},
		{"like(all)", "/books?select=id&title=like(all).{*a*,*k}&order=id", `[{"id":2},{"id":3}]`},
		{"like(any)", "/books?select=id&title=like(any).{A*,N*}&order=id", `[{"id":1},{"id":4}]`},
		{"match", "/books?select=id&title=match.^W.*k$", `[{"id":3}]`},
		{"imatch", "/books?select=id&title=imatch.^w.*k$", `[{"id":3}]`},
		{"in", "/books?select=id&id=in.(1,4)&order=id", `[{"id":1},{"id":4}]`},
		{"in of quoted texts", `/authors?select=id&name=in.("Çelik, \"C\"",Bo)&order=id`, `[{"id":2},{"id":3}]`},
		{"in of nothing", "/books?select=id&id=in.()", `[]`},
		{"is null", "/books?select=id&author_id=is.null", `[{"id":4}]`},
		{"not is null", "/books?select=id&editor_id=not.is.null&order=id", `[{"id":1},{"id":3}]`},
		{"is not_null", "/books?select=id&sold=is.not_null&order=id", `[{"id":1},{"id":2}]`},
		{"isdistinct", "/books?select=id&author_id=isdistinct.2&order=id", `[{"id":1},{"id":4}]`},
		{"contains", "/books?select=id&words=cs.{steam}&order=id", `[{"id":1},{"id":3}]`},
		{"contained", "/books?select=id&words=cd.{steam,x}&order=id", `[{"id":2},{"id":3},{"id":4}]`},
		{"overlaps", "/books?select=id&words=ov.{loom,x}", `[{"id":1}]`},
		{"contains, of JSON", `/authors?select=id&facts=cs.{"n":5}`, `[{"id":3}]`},
		{"ranges: strictly left", "/books?select=id&sold=sl.[6,7)", `[{"id":1}]`},
		{"ranges: strictly right", "/books?select=id&sold=sr.[0,2)", `[{"id":2}]`},
		{"ranges: adjacent", "/books?select=id&sold=adj.[5,6)", `[{"id":1}]`},
		{"ranges: overlap", "/books?select=id&sold=ov.[4,5)&order=id", `[{"id":1},{"id":2}]`},
		{"full text of a tsvector", "/books?select=id&search=fts.walk&order=id", `[{"id":2},{"id":3}]`},
		{
			"full text of a text, in a language", "/books?select=id&title=plfts(english).walking&order=id",
			`[{"id":2},{"id":3}]`,
		},
		{"full text, phrase", "/books?select=id&search=phfts(english).long walk", `[{"id":2}]`},
		{"full text, as on the web", `/books?select=id&search=wfts(english).walk -long`, `[{"id":3}]`},
		{"not", "/books?select=id&id=not.in.(1,2)&order=id", `[{"id":3},{"id":4}]`},
		{"eq(any)", "/books?select=id&id=eq(any).{1,3}&order=id", `[{"id":1},{"id":3}]`},
		{"a JSON path in a filter", "/authors?select=id&facts->home->>city=eq.London", `[{"id":1}]`},
		{"an enum", "/books?select=id&genre=eq.essay", `[{"id":1}]`},
		{"a semicolon is a character", "/authors?select=id&name=eq.nothing;x", `[]`},
		{"a value with a point", "/details?select=isbn&isbn=eq.978-1", `[{"isbn":"978-1"}]`},

		// Trees
		{"or", "/books?select=id&or=(id.eq.1,pages.gt.390)&order=id", `[{"id":1},{"id":2}]`},
		{
			"and within or", "/books?select=id&or=(id.eq.4,and(pages.gt.300,pages.lt.390))&order=id",
			`[{"id":3},{"id":4}]`,
		},
		{"not.or", "/books?select=id&not.or=(id.eq.1,id.eq.2)&order=id", `[{"id":3},{"id":4}]`},
		{
			"or with a list, an array and a quoted value",
			`/books?select=id&or=(id.in.(1,2),words.cs.{steam},title.eq."Nobody's")&order=id`,
			`[{"id":1},{"id":2},{"id":3},{"id":4}]`,
		},
		{
			"or over an embedded resource",
			"/books?select=id,authors!books_author_id_fkey()&or=(authors.not.is.null,id.eq.4)&order=id",
			`[{"id":1},{"id":2},{"id":3},{"id":4}]`,
		},

		// Order and range
		{
			"order, nulls first", "/books?select=id&order=pages.desc.nullsfirst",
			`[{"id":4},{"id":2},{"id":3},{"id":1}]`,
		},
		{"order, nulls last", "/books?select=id&order=pages.desc.nullslast&limit=2", `[{"id":2},{"id":3}]`},
		{
			"order by two", "/books?select=id&order=author_id.nullsfirst,id.desc",
			`[{"id":4},{"id":1},{"id":3},{"id":2}]`,
		},
		{
			"order by a related column",
			"/books?select=id,author:authors!books_author_id_fkey(name)&order=author(name).desc.nullslast,id&limit=2",
			`[{"id":2,"author":{"name":"Bo"}},{"id":3,"author":{"name":"Bo"}}]`,
		},
		{"order by a JSON path", "/authors?select=id&order=facts->n.nullslast,id", `[{"id":3},{"id":1},{"id":2}]`},
		{"limit and offset", "/books?select=id&order=id&limit=2&offset=1", `[{"id":2},{"id":3}]`},

		// Embedding
		{
			"to one", "/books?select=id,authors!books_author_id_fkey(name)&id=eq.1",
			`[{"id":1,"authors":{"name":"Ada"}}]`,
		},
		{
			"to one, by its column", "/books?select=id,editor_id(name)&id=eq.1",
			`[{"id":1,"editor_id":{"name":"Bo"}}]`,
		},
		{
			"to one, by its constraint", "/books?select=id,edited_by:books_editor(name)&id=eq.3",
			`[{"id":3,"edited_by":{"name":"Ada"}}]`,
		},
		{"to one, null", "/books?select=id,author:authors!author_id(name)&id=eq.4", `[{"id":4,"author":null}]`},
		{
			"to many", "/authors?select=name,books!books_author_id_fkey(id)&id=eq.2",
			`[{"name":"Bo","books":[{"id":2},{"id":3}]}]`,
		},
		{
			"to many, empty", "/authors?select=name,books!books_author_id_fkey(id)&id=eq.3",
			`[{"name":"Çelik, \"C\"","books":[]}]`,
		},
		{
			"one to one", "/books?select=id,details(isbn)&id=in.(1,2)&order=id",
			`[{"id":1,"details":{"isbn":"978-1"}},{"id":2,"details":null}]`,
		},
		{
			"many to many", "/books?select=id,labels(name)&id=eq.2&labels.order=name",
			`[{"id":2,"labels":[{"name":"new"},{"name":"old"}]}]`,
		},
		{
			"many to many, back", "/labels?select=name,books(id)&order=name&name=neq.unused",
			`[{"name":"new","books":[{"id":2}]},{"name":"old","books":[{"id":1},{"id":2}]}]`,
		},
		{
			"three levels", "/authors?select=name,books!books_author_id_fkey(id,labels(name))&id=eq.1",
			`[{"name":"Ada","books":[{"id":1,"labels":[{"name":"old"}]}]}]`,
		},
		{"inner", "/books?select=id,labels!inner(name)&labels.name=eq.new", `[{"id":2,"labels":[{"name":"new"}]}]`},
		{
			"without inner the filter keeps the parent",
			"/books?select=id,labels(name)&labels.name=eq.new&order=id&limit=2",
			`[{"id":1,"labels":[]},{"id":2,"labels":[{"name":"new"}]}]`,
		},
		{"rows without a related row", "/books?select=id,labels()&labels=is.null&order=id", `[{"id":3},{"id":4}]`},
		{"rows with a related row", "/books?select=id,labels()&labels=not.is.null&order=id", `[{"id":1},{"id":2}]`},
		{
			"limit within",
			"/authors?select=id,books!books_author_id_fkey(id)&id=eq.2&books.order=id.desc&books.limit=1",
			`[{"id":2,"books":[{"id":3}]}]`,
		},
		{
			"or within", "/authors?select=id,books!books_author_id_fkey(id)&id=eq.2&books.or=(id.eq.3,pages.lt.10)",
			`[{"id":2,"books":[{"id":3}]}]`,
		},
		{
			"spread to one", "/books?select=id,...authors!books_author_id_fkey(by:name)&id=eq.1",
			`[{"id":1,"by":"Ada"}]`,
		},
		{
			"spread to many", "/authors?select=id,...books!books_author_id_fkey(titles:title)&id=eq.2",
			`[{"id":2,"titles":["The long walk","Walking back"]}]`,
		},
		{
			"one relationship twice, one of them renamed",
			"/books?select=id,labels(name),fresh:labels(name)&labels.name=eq.old&fresh.name=eq.new&id=eq.2",
			`[{"id":2,"labels":[{"name":"old"}],"fresh":[{"name":"new"}]}]`,
		},
		{
			"one table by two relationships", "/books?select=author_id(name),editor_id(name)&id=eq.1",
			`[{"author_id":{"name":"Ada"},"editor_id":{"name":"Bo"}}]`,
		},
		{
			"one name in two resources",
			"/books?select=author_id(name,long_books(id)),editor_id(name,long_books(id))&id=eq.3",
			`[{"author_id":{"name":"Bo","long_books":[{"id":2},{"id":3}]},` +
				`"editor_id":{"name":"Ada","long_books":[]}}]`,
		},
		{
			"two spread, by their columns", "/books?select=...author_id(by:name),...editor_id(checked:name)&id=eq.1",
			`[{"by":"Ada","checked":"Bo"}]`,
		},
		{"of a view", "/long_books?select=id,authors(name)&id=eq.2", `[{"id":2,"authors":{"name":"Bo"}}]`},
		{
			"into a view", "/authors?select=id,long_books(title)&id=eq.2",
			`[{"id":2,"long_books":[{"title":"The long walk"},{"title":"Walking back"}]}]`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := e.asAnon(t).get(escaped(c.path))
			require.Equal(t, http.StatusOK, a.status, a.body)
			require.JSONEq(t, c.want, a.body)
		})
	}

	t.Run("media types", func(t *testing.T) {
		t.Parallel()
		anon := e.asAnon(t)
		a := anon.get("/authors?select=id,name&order=id", "Accept", "text/csv")
		require.Equal(t, "id,name\n1,Ada\n2,Bo\n3,\"Çelik, \"\"C\"\"\"", a.body)
		require.Equal(t, "text/csv; charset=utf-8", a.header.Get("Content-Type"))

		const one = "application/vnd.pgrst.object+json"
		require.JSONEq(t, `{"id":1}`, anon.get("/authors?select=id&id=eq.1", "Accept", one).body)
		for _, path := range []string{"/authors?id=gt.1", "/authors?id=eq.9"} {
			a := anon.get(path, "Accept", one)
			require.Equal(t, http.StatusNotAcceptable, a.status)
			require.Equal(t, "PGRST116", a.code())
		}
		require.JSONEq(t, `[{"id":4}]`,
			anon.get("/books?select=id,author_id&id=eq.4",
				"Accept", "application/vnd.pgrst.array+json;nulls=stripped").body)
		require.Equal(t, "PGRST107", anon.get("/authors", "Accept", "image/png").code())
	})

	t.Run("counts and ranges", func(t *testing.T) {
		t.Parallel()
		anon := e.asAnon(t)
		for _, c := range []struct {
			path, prefer, ranged string
			status               int
			contentRange         string
		}{
			{"/books", "", "", 200, "0-3/*"},
			{"/books", "count=exact", "", 200, "0-3/4"},
			{"/books", "", "1-2", 200, "1-2/*"},
			{"/books", "count=exact", "1-2", 206, "1-2/4"},
			{"/books", "count=exact", "3-", 206, "3-3/4"},
			{"/books?limit=2", "count=exact", "", 206, "0-1/4"},
			{"/books?limit=0", "count=exact", "", 206, "*/4"},
			{"/books?id=eq.9", "count=exact", "", 200, "*/0"},
			{"/books?offset=4", "count=exact", "", 206, "*/4"},
			{"/books?offset=5", "count=exact", "", 416, "*/4"},
			{"/books", "", "3-1", 416, ""},
			{"/books?select=id,labels!inner(name)", "count=exact", "", 200, "0-1/2"},
		} {
			headers := []string{"Prefer", c.prefer}
			if c.ranged != "" {
				headers = append(headers, "Range", c.ranged, "Range-Unit", "items")
			}
			a := anon.get(c.path, headers...)
			require.Equal(t, c.status, a.status, "%+v", c)
			require.Equal(t, c.contentRange, a.header.Get("Content-Range"), "%+v", c)
		}
		head := anon.do(http.MethodHead, "/books", "", "Prefer", "count=exact")
		require.Equal(t, "0-3/4", head.header.Get("Content-Range"))
		require.Empty(t, head.body)
		for _, kind := range []string{"planned", "estimated"} {
			require.Regexp(t, `^0-3/\d+$`, anon.get("/books", "Prefer", "count="+kind).header.Get("Content-Range"),
				kind)
		}
	})
}
