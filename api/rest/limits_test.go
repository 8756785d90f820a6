package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/api/rest"
	"research/db/dbtest"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	e := begin(t, library(t), func(cfg *rest.Config, d *dbtest.DB) {
		cfg.MaxRows, cfg.MaxBodyBytes = 3, 1<<20
		d.Exec(t, `create table library.ids (id uuid primary key);
			insert into library.ids select gen_random_uuid() from generate_series(1, 1500);
			grant select on library.ids to anon, authenticated`)
	})
	anon, user := e.asAnon(t), e.as(t, e.Owner)

	t.Run("X-Rows-Cut says that there are more rows", func(t *testing.T) {
		t.Parallel()
		for path, want := range map[string]struct{ contentRange, cut string }{
			"/books":                            {"0-2/*", "3"},
			"/books?limit=10":                   {"0-2/*", "3"},
			"/books?limit=3":                    {"0-2/*", ""}, // as many as were asked for
			"/books?limit=2":                    {"0-1/*", ""},
			"/books?offset=1":                   {"1-3/*", ""}, // all that are left
			"/authors":                          {"0-2/*", ""}, // there are three
			"/rpc/count_to?n=4":                 {"0-2/*", "3"},
			"/rpc/count_to?n=3":                 {"0-2/*", ""},
			"/rpc/by_genre?wanted=novel":        {"0-2/*", ""},
			"/rpc/pairs":                        {"0-2/*", ""},
			"/books?select=id,labels(name)":     {"0-2/*", "3"},
			"/books?select=*&order=id&id=neq.9": {"0-2/*", "3"},
		} {
			a := anon.get(path)
			require.Equal(t, http.StatusOK, a.status, "%s: %s", path, a.body)
			require.Equal(t, want.contentRange, a.header.Get("Content-Range"), path)
			require.Equal(t, want.cut, a.header.Get("X-Rows-Cut"), path)
		}
		counted := anon.get("/books?order=id", "Prefer", "count=exact")
		require.Equal(t, http.StatusPartialContent, counted.status)
		require.Equal(t, "0-2/4", counted.header.Get("Content-Range"))
		require.JSONEq(t, `[1,2,3]`, anon.get("/rpc/count_to?n=9").body)
		require.Equal(t, 4, strings.Count(anon.get("/books?select=id&order=id", "Accept", "text/csv").body, "\n")+1,
			"a line of names and three rows")
	})

	t.Run("a filter of a thousand ids", func(t *testing.T) {
		t.Parallel()
		var ids []string
		e.AsOwner(t, func(c *pgx.Conn) {
			rows, err := c.Query(t.Context(), `select id::text from library.ids limit 1000`)
			require.NoError(t, err)
			ids, err = pgx.CollectRows(rows, pgx.RowTo[string])
			require.NoError(t, err)
		})
		require.Len(t, ids, 1000)
		// As supabase-js writes it, every id in quotes that are escaped.
		a := anon.get("/ids?select=id&id=in.(%22"+strings.Join(ids, "%22,%22")+"%22)", "Prefer", "count=exact")
		require.Equal(t, http.StatusPartialContent, a.status, a.body)
		require.Equal(t, "0-2/1000", a.header.Get("Content-Range"))
		require.Empty(t, a.header.Get("Content-Location"), "clients refuse answers with such headers")
		require.Equal(t, "/rest/v1/ids?id=is.null", anon.get("/ids?id=is.null").header.Get("Content-Location"))
	})

	t.Run("a body that is too large", func(t *testing.T) {
		t.Parallel()
		a := user.do(http.MethodPost, "/labels", `[{"name":"`+strings.Repeat("x", 1<<20)+`"}]`)
		require.Equal(t, http.StatusRequestEntityTooLarge, a.status)
		require.Equal(t, "PGRST102", a.code())
	})

	t.Run("a body that is too deep", func(t *testing.T) {
		t.Parallel()
		deep := strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000)
		for path, body := range map[string]string{
			"/labels": deep, "/authors": `{"id":9,"name":"x","facts":` + deep + `}`, "/rpc/echo": deep,
			"/rpc/add": `{"a":` + deep + `}`,
		} {
			a := user.do(http.MethodPost, path, body)
			require.Equal(t, http.StatusBadRequest, a.status, "%s: %.300s", path, a.body)
		}
	})

	t.Run("too many embedded resources, or too deep ones", func(t *testing.T) {
		t.Parallel()
		nested := func(depth int) string {
			path := "id"
			for i := range depth {
				if (depth-i)%2 == 0 {
					path = "id,authors!books_author_id_fkey(" + path + ")"
				} else {
					path = "id,books!books_author_id_fkey(" + path + ")"
				}
			}
			return "/authors?select=" + path
		}
		require.Equal(t, http.StatusOK, anon.get(nested(6)).status)
		require.Equal(t, "PGRST100", anon.get(nested(21)).code())
		a := anon.get(nested(9))
		require.Equal(t, "PGRST100", a.code(), a.body)
		require.Contains(t, a.body, "books.authors.books.authors.books.authors.books.authors.books")
		wide := func(n int) string {
			var items []string
			for i := range n {
				items = append(items, fmt.Sprintf("x%d:labels(name)", i))
			}
			return "/books?select=" + strings.Join(items, ",")
		}
		require.Equal(t, http.StatusOK, anon.get(wide(100)).status)
		a = anon.get(wide(1000))
		require.Equal(t, "PGRST100", a.code(), "%.300s", a.body)
	})

	t.Run("requests that PostgreSQL could not interrupt", func(t *testing.T) {
		t.Parallel()
		times := func(n int, format string) string {
			var items []string
			for i := range n {
				items = append(items, strings.ReplaceAll(format, "#", strconv.Itoa(i)))
			}
			return strings.Join(items, ",")
		}
		long := strings.Repeat("a_", 300)
		for query, want := range map[string]string{
			"select=" + times(501, "c#:id"):                                       "columns",
			"select=labels(" + times(501, "c#:id") + ")":                          "columns",
			"select=" + times(51, "c#:id::text"):                                  "casts",
			"order=" + times(51, "id"):                                            "sorts",
			"or=(" + times(301, "id.eq.#") + ")":                                  "filters",
			strings.Repeat("id=gt.0&", 301):                                       "filters",
			"and=(" + times(21, "title.like.*#*") + ")":                           "patterns",
			"title=like.*" + long:                                                 "patterns",
			"title=not.ilike.*" + long:                                            "patterns",
			"title=match." + long:                                                 "patterns",
			"title=imatch." + long:                                                "patterns",
			"title=like(any).{a," + long + "}":                                    "patterns",
			"or=(title.like.*" + long + ",id.eq.1)":                               "patterns",
			"select=id,labels(id)&labels.name=like." + long:                       "patterns",
			"title=like." + long[:300] + "&genre=like." + long[:300]:              "patterns",
			"title=wfts." + strings.Repeat("word+", 2000):                         "searches",
			"tags=cs.{" + times(4000, "#") + "}":                                  "arrays",
			"tags=ov.{" + times(4000, "#") + "}":                                  "arrays",
			"select=facts" + strings.Repeat("->a", 21):                            "steps",
			"order=facts" + strings.Repeat("->a", 21):                             "steps",
			"facts" + url.QueryEscape(strings.Repeat("->a", 20)+"->>a") + "=eq.1": "steps",
		} {
			a := anon.get("/books?" + query)
			require.Equal(t, http.StatusBadRequest, a.status, "%.100s: %s", query, a.body)
			require.Equal(t, "PGRST100", a.code(), "%.100s: %s", query, a.body)
			require.Contains(t, a.body, want, "%.100s", query)
			require.Less(t, len(a.body), 500, "%.100s", query)
		}
		require.Equal(t, http.StatusOK, anon.get("/books?title=like.*"+long[:480]).status)
	})

	t.Run("a body of too many rows", func(t *testing.T) {
		t.Parallel()
		list := "[" + strings.Repeat("{},", 20_000) + "{}]"
		for path, body := range map[string]string{
			"/labels": list, "/labels?columns=name": list, "/rpc/add": list,
		} {
			a := user.do(http.MethodPost, path, body, "Prefer", "missing=default")
			require.Equal(t, http.StatusBadRequest, a.status, a.body)
			require.Equal(t, "PGRST102", a.code(), a.body)
			require.Contains(t, a.body, "rows")
		}
		a := user.do(http.MethodPost, "/labels", "name\n"+strings.Repeat("x\n", 20_001), "Content-Type", "text/csv")
		require.Equal(t, "PGRST102", a.code(), a.body)
		require.Contains(t, a.body, "rows")
	})

	t.Run("writes without a filter are rejected", func(t *testing.T) {
		t.Parallel()
		for _, r := range []wireRequest{{method: http.MethodDelete, path: "/ids"}, {
			method: http.MethodPatch, path: "/authors", body: `{"name":"x"}`,
		},
			{method: http.MethodDelete, path: "/books?select=id"},
			{method: http.MethodDelete, path: "/books?select=id,labels(name)&labels.name=eq.old"},
		} {
			a := user.do(r.method, r.path, r.body)
			require.Equal(t, http.StatusBadRequest, a.status, r)
			require.Equal(t, "21000", a.code(), r)
			require.Contains(t, a.body, "requires a WHERE clause")
		}
		require.Equal(t, 1500, dbtest.Value[int](t, e.DB, `select count(*) from library.ids`))
	})
}

// Only the functions that sleep may exceed the time: machines can be slow.
func TestStatementTimeout(t *testing.T) {
	t.Parallel()
	e := begin(t, library(t), func(cfg *rest.Config, _ *dbtest.DB) { cfg.StatementTimeout = 2 * time.Second })
	user := e.as(t, e.Owner)
	for _, a := range []answer{
		user.do(http.MethodPost, "/rpc/sleep", `{"seconds":60}`), user.get("/rpc/sleep_readonly?seconds=60"),
	} {
		require.Equal(t, "57014", a.code(), a.body)
	}
	var limit answer
	require.Eventually(t, func() bool {
		limit = user.get("/rpc/timeout")
		return limit.code() != "57014" // on a busy machine, it may exceed the time as well
	}, time.Minute, time.Millisecond)
	require.JSONEq(t, `"2s"`, limit.body)
}

// A role's own statement_timeout replaces ours.
func TestStatementTimeoutOfARole(t *testing.T) {
	t.Parallel()
	e := begin(t, library(t), func(cfg *rest.Config, d *dbtest.DB) {
		cfg.StatementTimeout = time.Minute
		d.Exec(t,
			fmt.Sprintf(`alter role authenticated in database %q set statement_timeout = '45s'`,
				dbtest.Value[string](t, d, `select current_database()`)))
	})
	require.JSONEq(t, `"45s"`, e.as(t, e.Owner).get("/rpc/timeout").body)
	require.JSONEq(t, `"1min"`, e.asAnon(t).get("/rpc/timeout").body)
}

// Clients that go away at any moment leave no connection and no transaction behind, and the next client is
// served.
func TestClientsThatGoAway(t *testing.T) {
	t.Parallel()
	e := begin(t, library(t))
	user := e.as(t, e.Owner)
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 40 {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(worker*40+i)*50*time.Microsecond)
				switch i % 4 {
				case 0:
					_, _ = user.try(ctx, http.MethodGet, "/rpc/sleep_readonly?seconds=5", "")
				case 1:
					_, _ = user.try(ctx, http.MethodPost, "/rpc/sleep", `{"seconds":5}`)
				case 2:
					_, _ = user.try(ctx, http.MethodPost, "/labels", `{"name":"`+uuid.NewString()+`"}`)
				default:
					_, _ = user.try(ctx, http.MethodGet, "/books?select=*,labels(*)", "")
				}
				cancel()
			}
		})
	}
	wg.Wait()
	e.idle(t)
	require.Eventually(t, func() bool {
		return dbtest.Value[int](t, e.DB,
			`select count(*) from pg_stat_activity
				where datname = current_database() and application_name = 'research'
					and state in ('active', 'idle in transaction')`) == 0
	}, 60*time.Second, 20*time.Millisecond, "PostgreSQL still works for a client that went away")
	for range 3 * poolSize {
		require.Equal(t, http.StatusOK, user.get("/books").status)
	}
	require.NotContains(t, e.log.String(), "request failed", "a client that goes away is not an error")
}
