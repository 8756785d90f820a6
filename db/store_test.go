package db_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

func TestStore(t *testing.T) {
	t.Parallel()

	t.Run("rejects every role but the three of a request", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		for _, role := range []string{
			"postgres", "none", "authenticator", "pg_read_all_data", "ANON", " anon", "anon;", "\x00",
		} {
			called := false
			err := d.AsUser(t.Context(), db.Subject{Role: role}, func(*db.Queries) error {
				called = true
				return nil
			})
			require.ErrorIs(t, err, db.ErrDenied, role)
			require.False(t, called)
		}
	})

	t.Run("resets the role and the claims after each transaction", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		s, err := db.Open(t.Context(), db.Config{URL: d.URL, MaxConns: 1})
		require.NoError(t, err)
		defer s.Close()
		failed := errors.New("failed")
		see := func(subject db.Subject) error {
			return s.AsUser(t.Context(), subject, func(q *db.Queries) error {
				_, err := q.GetImport(t.Context(), f.Import)
				return err
			})
		}
		for range 3 {
			require.NoError(t, see(db.User(f.Viewer)))
			require.ErrorIs(t, see(db.User(uuid.New())), db.ErrNotFound)
			require.ErrorIs(t, see(db.Subject{}), db.ErrDenied)
			require.ErrorIs(t, see(db.Subject{Role: db.RoleAuthenticated}), db.ErrNotFound)
			require.ErrorIs(t,
				see(db.Subject{Role: db.RoleAuthenticated, Claims: json.RawMessage(`{"sub":"no uuid"}`)}), db.ErrNotFound)
			require.ErrorIs(t, s.AsService(t.Context(), func(*db.Queries) error { return failed }), failed)
			require.ErrorIs(t, see(db.Subject{Role: db.RoleAuthenticated}), db.ErrNotFound)
		}
	})

	t.Run("reports a missing row as ErrNotFound inside the transaction", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		found, err := db.AsService(t.Context(), d.Store, func(q *db.Queries) (bool, error) {
			_, err := q.GetImport(t.Context(), uuid.New())
			require.ErrorIs(t, err, db.ErrNotFound)
			return true, nil
		})
		require.NoError(t, err)
		require.True(t, found)
	})

	t.Run("prepares a query again after a migration changed its columns", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		d.Exec(t, `insert into auth.secrets (name, value) values ('key', 'before')`)
		s, err := db.Open(t.Context(), db.Config{URL: d.URL, MaxConns: 1})
		require.NoError(t, err)
		defer s.Close()
		secret := func() (string, error) {
			value, err := db.AsService(t.Context(), s, func(q *db.Queries) ([]byte, error) {
				return q.GetSecret(t.Context(), "key")
			})
			return string(value), err
		}
		value, err := secret()
		require.NoError(t, err)
		require.Equal(t, "before", value)
		d.Exec(t, `alter table auth.secrets alter column value type text using encode(value, 'escape')`)
		_, err = secret()
		require.ErrorIs(t, err, db.ErrUnavailable)
		value, err = secret()
		require.NoError(t, err)
		require.Equal(t, "before", value)
	})

	t.Run("returns no value with an error", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		failed := errors.New("failed")
		value, err := db.AsUser(t.Context(), d.Store, db.User(uuid.New()),
			func(*db.Queries) (int, error) { return 1, failed })
		require.ErrorIs(t, err, failed)
		require.Zero(t, value)
	})

	t.Run("commits or rolls back the whole transaction", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		failed := errors.New("failed")
		write := func(q *db.Queries) error {
			_, err := q.ClaimImport(t.Context(),
				db.ClaimImportParams{ImportID: f.Import, ClaimID: uuid.New(), HypothesisIds: []uuid.UUID{}})
			return err
		}
		err := d.AsUser(t.Context(), db.User(f.Editor), func(q *db.Queries) error {
			require.NoError(t, write(q))
			return failed
		})
		require.ErrorIs(t, err, failed)
		require.Panics(t, func() {
			_ = d.AsUser(t.Context(), db.User(f.Editor), func(q *db.Queries) error {
				require.NoError(t, write(q))
				panic("a bug")
			})
		})
		ctx, cancel := context.WithCancel(t.Context())
		err = d.AsUser(ctx, db.User(f.Editor), func(q *db.Queries) error {
			require.NoError(t, write(q))
			cancel()
			return nil
		})
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, "uploaded",
			dbtest.Value[string](t, d, "select status::text from imports where id = $1", f.Import))
		// The pool closes a connection that is in a transaction in the background.
		require.Eventually(t, func() bool { return d.Stat().AcquiredConns() == 0 }, time.Minute, time.Millisecond,
			"every connection was returned")
	})

	t.Run("recovers after its connections were terminated", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		err := d.AsService(t.Context(), func(q *db.Queries) error {
			d.Exec(t,
				`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
					and pid <> pg_backend_pid()`)
			_, err := q.GetImport(t.Context(), f.Import)
			return err
		})
		require.ErrorIs(t, err, db.ErrUnavailable)
		require.Equal(t, "database unavailable: it starts or stops", err.Error())
		require.Eventually(t, func() bool {
			return d.AsService(t.Context(), func(q *db.Queries) error {
				_, err := q.GetImport(t.Context(), f.Import)
				return err
			}) == nil
		}, time.Minute, 10*time.Millisecond)
	})
}

func TestErrors(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	f := fill(t, d)

	t.Run("are classified, and have no value of a row", func(t *testing.T) {
		t.Parallel()
		const secret = "what Ada said in confidence"
		c := asUser(t, d, f.Editor)
		for _, x := range []struct {
			sql  string
			args []any
			kind error
		}{
			{"insert into workspaces (name, slug) select $1, slug from workspaces", []any{secret}, db.ErrConflict},
			{"insert into questions (project_id, text, hypothesis_id) values ($2, $1, gen_random_uuid())",
				[]any{secret, f.Project}, db.ErrConflict},
			{"insert into projects (workspace_id, name) values ($2, $1 || repeat('x', 300))",
				[]any{secret, f.Workspace}, db.ErrConflict},
			{"insert into projects (workspace_id, name) values (gen_random_uuid(), $1)", []any{secret}, db.ErrDenied},
			{"update imports set filename = $1", []any{secret}, db.ErrDenied},
			{"select $1::text::uuid", []any{secret}, db.ErrInvalidValue},
			{"select $1::text::public.import_status", []any{secret}, db.ErrInvalidValue},
			{"select $1::text::jsonb", []any{secret}, db.ErrInvalidValue},
		} {
			err := d.AsService(t.Context(), func(*db.Queries) error { return c.exec(t, x.sql, x.args...) })
			require.Error(t, err, x.sql)
			require.ErrorIs(t, err, x.kind, x.sql)
			require.NotContains(t, err.Error(), "Ada", x.sql)
			var pg *pgconn.PgError
			require.ErrorAs(t, err, &pg, "the cause is kept")
		}
	})

	t.Run("are classified by SQLSTATE", func(t *testing.T) {
		t.Parallel()
		for code, kind := range map[string]error{
			"08006": db.ErrUnavailable, "25006": db.ErrUnavailable, "25P03": db.ErrUnavailable,
			"25P04": db.ErrUnavailable, "26000": db.ErrUnavailable, "40001": db.ErrUnavailable,
			"40P01": db.ErrUnavailable, "53300": db.ErrUnavailable, "55P03": db.ErrUnavailable,
			"57P01": db.ErrUnavailable, "57P03": db.ErrUnavailable,
			"23505": db.ErrConflict, "23514": db.ErrConflict,
			"42501": db.ErrDenied,
			"57014": db.ErrTimeout,
			"22003": db.ErrInvalidValue, "22P02": db.ErrInvalidValue, "54001": db.ErrInvalidValue,
		} {
			err := d.AsService(t.Context(), func(*db.Queries) error {
				return fmt.Errorf("load it: %w", &pgconn.PgError{Code: code})
			})
			require.ErrorIs(t, err, kind, code)
		}
		kinds := []error{
			db.ErrUnavailable, db.ErrConflict, db.ErrDenied, db.ErrNotFound, db.ErrTimeout, db.ErrInvalidValue,
		}
		for _, code := range []string{"23502", "42P01", "XX000"} {
			err := d.AsService(t.Context(), func(*db.Queries) error { return &pgconn.PgError{Code: code} })
			for _, kind := range kinds {
				require.NotErrorIs(t, err, kind, code)
			}
		}
		err := d.AsService(t.Context(), func(*db.Queries) error { return &pgconn.PgError{Code: "57014"} })
		require.NotErrorIs(t, err, db.ErrUnavailable, "a cancelled statement says nothing about the server")
	})

	t.Run("name the constraint", func(t *testing.T) {
		t.Parallel()
		err := asUser(t, d, f.Editor).exec(t,
			"insert into questions (project_id, text, persona_id) values ($1, 'Q', gen_random_uuid())", f.Project)
		require.Equal(t, "questions_persona_id_fkey", db.Constraint(err))
		require.Empty(t, db.Constraint(errors.New("x")))
	})
}

func TestOpen(t *testing.T) {
	t.Parallel()
	const password = "hunter2"

	t.Run("fails fast if nothing listens, and does not reveal the password", func(t *testing.T) {
		t.Parallel()
		_, err := db.Open(t.Context(), db.Config{URL: "postgres://owner:" + password + "@127.0.0.1:1/x"})
		require.ErrorIs(t, err, db.ErrUnavailable)
		require.NotContains(t, err.Error(), password)
		require.NotContains(t, err.Error(), "127.0.0.1")
		_, err = db.Open(t.Context(), db.Config{URL: "postgres://owner:" + password + "@[bad/x"})
		require.Error(t, err)
		require.NotContains(t, err.Error(), password)
	})

	t.Run("times out on a server that accepts and does not answer", func(t *testing.T) {
		t.Parallel()
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer func() { _ = listener.Close() }()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		_, err = db.Open(ctx, db.Config{URL: "postgres://owner@" + listener.Addr().String() + "/x?sslmode=disable"})
		require.ErrorIs(t, err, db.ErrUnavailable, "the timeout is the pool's, not the caller's")
		require.NoError(t, ctx.Err(), "the caller's context is still active")
	})

	t.Run("says why a database that answers cannot be used", func(t *testing.T) {
		t.Parallel()
		empty := dbtest.Empty(t)
		missing, err := url.Parse(empty.URL)
		require.NoError(t, err)
		missing.Path = "/no_such_database"
		_, err = db.Open(t.Context(), db.Config{URL: missing.String()})
		require.ErrorIs(t, err, db.ErrUnavailable)
		require.ErrorContains(t, err, "no database of this name")
	})

	t.Run("has no statement compiled just in time", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		d.Exec(t, "do $$ begin execute format('alter database %I set jit = on', current_database()); end $$")
		s, err := db.Open(t.Context(), db.Config{URL: d.URL})
		require.NoError(t, err)
		defer s.Close()
		jit := db.Batch{ReadOnly: true, Queries: []db.Query{{SQL: `select current_setting('jit')`}}}
		results, err := s.Run(t.Context(), db.User(uuid.New()), jit,
			func([]db.Rows) (bool, error) { return true, nil })
		require.NoError(t, err)
		require.Equal(t, "off", string(results[0].Values[0][0]))
	})

	t.Run("works with a login as authenticator", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		u, err := url.Parse(d.URL)
		require.NoError(t, err)
		d.Exec(t, "alter role authenticator password 'authenticator'") // some servers require one
		u.User = url.UserPassword("authenticator", "authenticator")
		s, err := db.Open(t.Context(), db.Config{URL: u.String()})
		require.NoError(t, err)
		defer s.Close()
		require.NoError(t, s.AsUser(t.Context(), db.User(f.Viewer), func(q *db.Queries) error {
			_, err := q.GetImport(t.Context(), f.Import)
			return err
		}))
		require.NoError(t, s.AsService(t.Context(), func(q *db.Queries) error {
			_, err := q.GetTranscript(t.Context(), f.Import)
			return err
		}))
		conn, err := pgx.Connect(t.Context(), u.String())
		require.NoError(t, err)
		defer func() { _ = conn.Close(context.Background()) }()
		for _, sql := range []string{
			"select from public.imports", "select from auth.users", "select from private.transcripts",
			"set role postgres", "create table public.x ()",
		} {
			_, err := conn.Exec(t.Context(), sql)
			require.Equal(t, "42501", state(err), sql)
		}
	})
}

func TestMigrateAsAnOwner(t *testing.T) {
	t.Parallel()
	server := dbtest.ServerURL(t)
	admin, err := pgx.Connect(t.Context(), server)
	require.NoError(t, err)
	defer func() { _ = admin.Close(context.Background()) }()
	do := func(sql string) {
		t.Helper()
		_, err := admin.Exec(context.Background(), sql)
		require.NoError(t, err, sql)
	}
	// The template has created the roles. This test is about owners that are not superusers.
	_ = dbtest.New(t)
	tag := strings.ReplaceAll(uuid.NewString(), "-", "")[:12]
	owner, plain := "owner_"+tag, "plain_"+tag
	address := func(user, database string) string {
		u, err := url.Parse(server)
		require.NoError(t, err)
		u.User, u.Path = url.UserPassword(user, "secret"), "/"+database
		return u.String()
	}
	do("create role " + owner + " login createrole createdb password 'secret'")
	do("create role " + plain + " login password 'secret'")
	databases := []string{"test_a_" + tag, "test_b_" + tag, "test_c_" + tag}
	for _, name := range databases {
		do("create database " + name + " owner " + owner)
	}
	t.Cleanup(func() {
		cleaner, err := pgx.Connect(context.Background(), server)
		require.NoError(t, err)
		defer func() { _ = cleaner.Close(context.Background()) }()
		for _, name := range databases {
			_, err := cleaner.Exec(context.Background(), "drop database "+name+" with (force)")
			require.NoError(t, err)
		}
		for _, role := range []string{owner, plain} {
			_, err := cleaner.Exec(context.Background(), "drop owned by "+role)
			require.NoError(t, err)
			_, err = cleaner.Exec(context.Background(), "drop role "+role)
			require.NoError(t, err)
		}
	})
	// From PostgreSQL 16 on, CREATEROLE may grant only roles that it has with the admin option.
	do("grant anon, authenticated, service_role, authenticator to " + owner + " with admin option")

	t.Run("needs no superuser, also in several databases concurrently", func(t *testing.T) {
		var wg sync.WaitGroup
		errs := make(chan error, 6)
		for _, name := range databases[:2] {
			for range 3 {
				wg.Go(func() {
					_, err := db.Migrate(context.Background(), address(owner, name))
					errs <- err
				})
			}
		}
		wg.Wait()
		close(errs)
		for err := range errs {
			require.NoError(t, err)
		}
	})

	t.Run("gives a schema whose row security, triggers and deletions work", func(t *testing.T) {
		s, err := db.Open(t.Context(), db.Config{URL: address(owner, databases[0])})
		require.NoError(t, err)
		defer s.Close()
		conn, err := pgx.Connect(t.Context(), address(owner, databases[0]))
		require.NoError(t, err)
		defer func() { _ = conn.Close(context.Background()) }()
		user, workspace, project := uuid.New(), uuid.UUID{}, uuid.UUID{}
		_, err = conn.Exec(t.Context(), "insert into auth.users (id, email) values ($1, 'ada@example.com')", user)
		require.NoError(t, err, "the owner inserts a user by SQL")
		_, err = conn.Exec(t.Context(), "set role authenticator")
		require.NoError(t, err)
		c := &caller{conn: conn, subject: db.User(user)}
		require.NoError(t, c.within(t.Context(), func(tx pgx.Tx) error {
			return tx.QueryRow(t.Context(), "insert into workspaces (name) values ('W') returning id").Scan(&workspace)
		}))
		require.NoError(t, c.within(t.Context(), func(tx pgx.Tx) error {
			const insert = "insert into projects (workspace_id, name) values ($1, 'P') returning id"
			return tx.QueryRow(t.Context(), insert, workspace).Scan(&project)
		}))
		var id uuid.UUID
		require.NoError(t, s.AsUser(t.Context(), db.User(user), func(q *db.Queries) (err error) {
			id, err = q.StoreImport(t.Context(), storeParams(project, nil, body))
			return err
		}))
		c.mustExec(t, "insert into evidence (project_id, import_id, quote) values ($1, $2, 'never again')",
			project, id)
		require.ErrorIs(t, s.AsUser(t.Context(), db.User(uuid.New()), func(q *db.Queries) error {
			_, err := q.GetImport(t.Context(), id)
			return err
		}), db.ErrNotFound)
		(&caller{conn: conn, subject: db.Subject{Role: db.RoleService}}).mustExec(t,
			"delete from auth.users where id = $1", user)
		require.ErrorIs(t, s.AsService(t.Context(), func(q *db.Queries) error {
			_, err := q.GetImport(t.Context(), id)
			return err
		}), db.ErrNotFound)
	})

	t.Run("needs no CREATEROLE if an administrator has granted the roles",
		func(t *testing.T) {
			do("alter database " + databases[2] + " owner to " + plain)
			_, err := db.Migrate(t.Context(), address(plain, databases[2]))
			require.ErrorContains(t, err, "have an administrator run: grant anon, authenticated, service_role")
			do("grant anon, authenticated, service_role, authenticator to " + plain)
			applied, err := db.Migrate(t.Context(), address(plain, databases[2]))
			require.NoError(t, err)
			require.NotEmpty(t, applied)
			applied, err = db.Migrate(t.Context(), address(plain, databases[2]))
			require.NoError(t, err)
			require.Empty(t, applied)
		})
}
