package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
		{
			name: "by a form", method: post, path: "/rpc/add", body: "a=1&b=4",
			contentType: "application/x-www-form-urlencoded", status: 200, want: `5`,
		},
		{
			name: "variadic, by GET", method: get, path: "/rpc/join_all?parts=a&parts=b,c", status: 200,
			want: `"a+b,c"`,
		},
		{
			name: "variadic, by POST", method: post, path: "/rpc/join_all", body: `{"parts":["a","b"]}`, status: 200,
			want: `"a+b"`,
		},
		{
			name: "rows, filtered and ordered", method: get,
			path:   "/rpc/by_genre?wanted=novel&select=id,authors!books_author_id_fkey(name)&id=gt.2&order=id.desc",
			status: 200, want: `[{"id":4,"authors":null},{"id":3,"authors":{"name":"Bo"}}]`,
		},
		{
			name: "rows, by POST", method: post, path: "/rpc/by_genre?select=id&limit=1", body: `{"wanted":"essay"}`,
			status: 200, want: `[{"id":1}]`,
		},
		{name: "one row", method: get, path: "/rpc/one_author?select=name", status: 200, want: `{"name":"Ada"}`},
		{
			name: "one of the rows", method: get, path: "/rpc/by_genre?wanted=essay&select=id", accept: singular,
			status: 200, want: `{"id":1}`,
		},
		{
			name: "a table of its own", method: get, path: "/rpc/pairs?n=gte.2", status: 200,
			want: `[{"n":2,"twice":4},{"n":3,"twice":6}]`,
		},
		{name: "scalars", method: get, path: "/rpc/count_to?n=2", status: 200, want: `[1,2]`},
		{name: "void", method: post, path: "/rpc/rename_author", body: `{"id":1,"name":"Ada"}`, status: 204},
		{
			name: "the body as a whole", method: post, path: "/rpc/echo", body: `{"any":[1,"x"]}`, status: 200,
			want: `{"any":[1,"x"]}`,
		},
		{
			name: "the body as a whole, by an empty key", method: post, path: "/rpc/echo_text", body: `{"":"x"}`,
			status: 200, want: `"{\"\":\"x\"}"`,
		},
		{name: "an empty key, by GET", method: get, path: "/rpc/echo_text?=x", status: 200, want: `"x"`},
		{
			name: "the body as bytes", method: post, path: "/rpc/measure", body: "\x00\x01\xff",
			contentType: "application/octet-stream", status: 200, want: `3`,
		},
		{
			name: "a media type that the function does not return", method: get, path: "/rpc/join_all?parts=a",
			accept: "text/plain", status: 406, want: "PGRST107",
		},
		{name: "its own status and headers", method: post, path: "/rpc/teapot", status: 418, want: `"short"`},
		{name: "HEAD", method: head, path: "/rpc/add?a=1", status: 200},
		{
			name: "GET is read only", method: get, path: "/rpc/rename_author?id=1&name=x", status: 405, want: "25006",
		},
		{name: "HEAD is read only", method: head, path: "/rpc/rename_author?id=1&name=x", status: 405},
		{
			name: "an unknown function", method: post, path: "/rpc/ad", body: `{"a":1}`, status: 404, want: "PGRST202",
		},
		{
			name: "an unknown argument", method: post, path: "/rpc/add", body: `{"a":1,"c":2}`, status: 404,
			want: "PGRST202",
		},
		{
			name: "a missing argument", method: post, path: "/rpc/add", body: `{"b":1}`, status: 404, want: "PGRST202",
		},
		{name: "an argument of the wrong type", method: get, path: "/rpc/add?a=x", status: 400, want: "22P02"},
		{name: "other methods", method: http.MethodDelete, path: "/rpc/add", status: 405, want: "PGRST101"},
		{name: "a function of another schema", method: post, path: "/rpc/open", status: 404, want: "PGRST202"},
		{
			name: "a function of the system", method: get, path: "/rpc/pg_sleep?pg_sleep=1", status: 404,
			want: "PGRST202",
		},
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

	t.Run("the hint is a similar name", func(t *testing.T) {
		t.Parallel()
		require.Contains(t, e.asAnon(t).get("/rpc/coun_to?n=1").body,
			"Perhaps you meant to call the function library.count_to")
	})
	t.Run("a function knows the caller and the request", func(t *testing.T) {
		t.Parallel()
		a := e.as(t, e.Editor).get("/rpc/whoami", "User-Agent", "tests")
		require.JSONEq(t,
			`{"role":"authenticated","sub":"`+e.Editor.String()+`","method":"GET","path":"/rpc/whoami",`+
				`"agent":"tests"}`,
			a.body)
		require.JSONEq(t,
			`{"role":"anon","sub":null,"method":"POST","path":"/rpc/whoami","agent":"Go-http-client/1.1"}`,
			e.asAnon(t).do(post, "/rpc/whoami", "").body)
	})
	t.Run("a role that may not execute the function", func(t *testing.T) {
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
