package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/api/rest"
	"research/db/dbtest"
)

func TestSchemas(t *testing.T) {
	t.Parallel()
	e := begin(t, library(t))
	user := e.as(t, e.Owner)

	t.Run("a profile chooses the second schema", func(t *testing.T) {
		t.Parallel()
		a := user.get("/boxes", "Accept-Profile", "archive")
		require.JSONEq(t, `[{"id":1,"name":"first"}]`, a.body)
		require.Equal(t, "archive", a.header.Get("Content-Profile"))
		require.JSONEq(t, `"from the archive"`, user.get("/rpc/hello", "Accept-Profile", "archive").body)
		require.JSONEq(t, `"from the archive"`,
			user.do(http.MethodPost, "/rpc/hello", "{}", "Content-Profile", "archive").body)
		require.Equal(t, http.StatusCreated,
			user.do(http.MethodPost, "/boxes", `{"id":2}`, "Content-Profile", "archive").status)
		require.Equal(t, http.StatusNoContent,
			user.do(http.MethodDelete, "/boxes?id=eq.2", "", "Content-Profile", "archive").status)
		require.Contains(t, user.get("/", "Accept-Profile", "archive").body, `"/boxes"`)
	})
	t.Run("one schema has nothing of another", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, "PGRST205", user.get("/boxes").code())
		require.Equal(t, "PGRST205", user.get("/books", "Accept-Profile", "archive").code())
		require.Equal(t, "PGRST202", user.get("/rpc/hello").code())
		require.NotContains(t, user.get("/").body, "boxes")
	})
	t.Run("other schemas are rejected for every role", func(t *testing.T) {
		t.Parallel()
		for _, c := range []*caller{user, e.asAnon(t), e.asService(t)} {
			for _, profile := range []string{
				"vault", "pg_catalog", "information_schema", "auth", "private", "public", "nothing", "library,archive",
				`"library"`, "LIBRARY",
			} {
				for _, r := range []wireRequest{
					{method: http.MethodGet, path: "/gold"}, {method: http.MethodGet, path: "/pg_roles"},
					{method: http.MethodGet, path: "/rpc/open"}, {method: http.MethodGet, path: "/"},
				} {
					a := c.do(r.method, r.path, "", "Accept-Profile", profile)
					require.Equal(t, http.StatusNotAcceptable, a.status, "%s %s", profile, r)
					require.Equal(t, "PGRST106", a.code())
				}
				for _, r := range []wireRequest{
					{http.MethodPost, "/rpc/open", `{}`, nil}, {http.MethodPost, "/gold", `{"id":1}`, nil},
					{http.MethodPatch, "/gold?id=eq.1", `{"id":2}`, nil}, {http.MethodDelete, "/gold?id=eq.1", "", nil},
				} {
					require.Equal(t, "PGRST106", c.do(r.method, r.path, r.body, "Content-Profile", profile).code(), "%s %s",
						profile, r)
				}
			}
		}
		require.Equal(t, 0, dbtest.Value[int](t, e.DB, `select count(*) from vault.gold`))
	})
	t.Run("other schemas cannot be reached by the other header, a path or an embed", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, "PGRST205", user.get("/gold", "Content-Profile", "vault").code())
		require.Equal(t, "PGRST205", user.get("/vault.gold").code())
		require.Equal(t, "PGRST125", user.get("/vault/gold").code())
		require.Equal(t, "PGRST202", user.get("/rpc/vault.open").code())
		require.Equal(t, "PGRST200", user.get("/books?select=id,gold(*)").code())
	})
}

func TestSchemaCache(t *testing.T) {
	t.Parallel()
	e := begin(t, library(t))
	user := e.as(t, e.Owner)
	ctx, stop := context.WithCancel(context.Background())
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		e.handler.Follow(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-followed
	})
	listens := func() bool {
		return dbtest.Value[int](t, e.DB,
			`select count(*) from pg_stat_activity where datname = current_database() and query ilike 'listen%'`) > 0
	}
	require.Eventually(t, listens, 60*time.Second, 10*time.Millisecond)

	t.Run("a notification makes tables appear and disappear", func(t *testing.T) {
		require.Equal(t, "PGRST205", user.get("/shelves").code())
		e.Exec(t,
			`create table library.shelves (id int primary key, book_id int references library.books);
			insert into library.shelves values (1, 1);
			grant select on library.shelves to authenticated`)
		require.Equal(t, "PGRST205", user.get("/shelves").code(), "not before the notification")
		e.Exec(t, `notify pgrst, 'reload schema'`)
		require.Eventually(t, func() bool { return user.get("/shelves").status == http.StatusOK }, 60*time.Second,
			10*time.Millisecond)
		require.JSONEq(t, `[{"id":1,"books":{"title":"Analytical engines"}}]`,
			user.get("/shelves?select=id,books(title)").body, "with its relationships")
		e.Exec(t, `drop table library.shelves; notify pgrst`)
		require.Eventually(t, func() bool { return user.get("/shelves").code() == "PGRST205" }, 60*time.Second,
			10*time.Millisecond)
	})

	t.Run("another payload reloads nothing", func(t *testing.T) {
		e.Exec(t,
			`create table library.quiet (id int primary key);
			grant select on library.quiet to authenticated;
			notify pgrst, 'reload config'`)
		require.Equal(t, "PGRST205", user.get("/quiet").code())
		require.NoError(t, e.handler.Reload(ctx)) // what SIGHUP does
		require.Equal(t, http.StatusOK, user.get("/quiet").status)
	})

	t.Run("it listens again after the connection broke, and reloads", func(t *testing.T) {
		e.Exec(t,
			`select pg_terminate_backend(pid) from pg_stat_activity
				where datname = current_database() and query ilike 'listen%'`)
		e.Exec(t,
			`create table library.missed (id int primary key);
			grant select on library.missed to authenticated;
			notify pgrst`)
		require.Eventually(t, func() bool { return user.get("/missed").status == http.StatusOK }, 60*time.Second,
			20*time.Millisecond)
	})

	t.Run("a reload that fails keeps the old schema and is reported", func(t *testing.T) {
		require.NoError(t, e.handler.Ready(ctx))
		gone, cancel := context.WithCancel(ctx)
		cancel()
		require.Error(t, e.handler.Reload(gone))
		require.Error(t, e.handler.Ready(ctx))
		require.Equal(t, http.StatusOK, user.get("/books").status)
		require.NoError(t, e.handler.Reload(ctx))
		require.NoError(t, e.handler.Ready(ctx))
	})

	t.Run("no request sees half of a new schema", func(t *testing.T) {
		var wg sync.WaitGroup
		problems := make(chan string, 1000)
		done := make(chan struct{})
		for range 3 {
			wg.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
					}
					a, err := user.try(context.Background(), http.MethodGet,
						"/authors?select=name,shout,books!books_author_id_fkey(title,labels(name))&id=eq.1", "")
					if err != nil || a.status != http.StatusOK {
						problems <- fmt.Sprint(a, err)
						return
					}
				}
			})
		}
		for range 15 {
			require.NoError(t, e.handler.Reload(ctx))
		}
		close(done)
		wg.Wait()
		require.Empty(t, problems)
	})
}

// New fails if the database cannot be read or a dependency is missing.
func TestNewNeedsTheDatabase(t *testing.T) {
	t.Parallel()
	e := begin(t)
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := rest.New(gone, rest.Config{Schemas: []string{"public"}}, rest.Deps{Store: e.store, Log: discard})
	require.Error(t, err)
	_, err = rest.New(context.Background(), rest.Config{Schemas: []string{"public"}}, rest.Deps{Store: e.store})
	require.ErrorContains(t, err, "a dependency is missing")
	_, err = rest.New(context.Background(), rest.Config{}, rest.Deps{Store: e.store, Log: discard})
	require.Error(t, err)
}
