// Package dbtest gives each test a migrated database of its own.
//
// TEST_DATABASE_URL is the URL of an owner on a server for tests; `make test` starts one.
//
// A database is a clone of a template with all migrations. Cloning copies hundreds of files, so a database
// that a test has used is emptied and serves another test, if it is the template again by then: see reset.go.
package dbtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
)

// A DB is the database of one test.
type DB struct {
	*db.Store
	// URL is the owner's: for programs under test that open the database themselves.
	URL string

	idle ownerConns
}

// New returns a migrated database without rows. It fails the test if there is no server.
func New(t testing.TB) *DB {
	t.Helper()
	server := ServerURL(t)
	ctx := context.Background()
	template, err := ensureTemplate(ctx, server)
	require.NoError(t, err)
	name, err := template.take(ctx, server)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, template.giveBack(ctx, server, name)) })
	d := &DB{URL: withDatabase(server, name)}
	t.Cleanup(func() { d.idle.close(ctx) })
	d.Store, err = db.Open(ctx, db.Config{URL: d.URL})
	require.NoError(t, err)
	t.Cleanup(d.Close)
	return d
}

// Localized is New for a database that was created with these options, such as "locale_provider icu
// icu_locale 'tr-TR' lc_collate 'C' lc_ctype 'C'".
func Localized(t testing.TB, options string) *DB {
	t.Helper()
	d := Empty(t, "template template0 encoding 'UTF8'", options)
	_, err := db.Migrate(t.Context(), d.URL)
	require.NoError(t, err)
	d.Store, err = db.Open(t.Context(), db.Config{URL: d.URL, MaxConns: 2})
	require.NoError(t, err)
	t.Cleanup(d.Close)
	return d
}

// Empty is New without migrations and without a Store: only URL is set. Options are those of CREATE DATABASE.
func Empty(t testing.TB, options ...string) *DB {
	t.Helper()
	server := ServerURL(t)
	ctx := context.Background()
	name := "test_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	require.NoError(t,
		onServer(ctx, server, func(c *pgx.Conn) error {
			return exec(ctx, c, "create database "+name+" "+strings.Join(options, " "))
		}))
	t.Cleanup(func() {
		require.NoError(t, onServer(ctx, server, func(c *pgx.Conn) error {
			return exec(ctx, c, fmt.Sprintf("drop database %s with (force)", name))
		}))
	})
	d := &DB{URL: withDatabase(server, name)}
	t.Cleanup(func() { d.idle.close(ctx) })
	return d
}

// ServerURL returns the URL of the server. It fails the test if TEST_DATABASE_URL is not set.
func ServerURL(t testing.TB) string {
	t.Helper()
	server := os.Getenv("TEST_DATABASE_URL")
	if server == "" {
		t.Fatal("this test needs PostgreSQL, and TEST_DATABASE_URL is not set: " +
			"run `make test`, or `go run . dev -- go test ./...`")
	}
	return server
}

// Exec executes a statement as the owner of the database. No policy applies.
func (d *DB) Exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	require.NoError(t, d.idle.use(context.Background(), d.URL, func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, sql, args...)
		return err
	}))
}

// Value reads one value as the owner of the database.
func Value[T any](t testing.TB, d *DB, sql string, args ...any) T {
	t.Helper()
	v, err := Try[T](context.Background(), d, sql, args...)
	require.NoError(t, err)
	return v
}

// Try is Value for a database that may be away.
func Try[T any](ctx context.Context, d *DB, sql string, args ...any) (v T, err error) {
	err = d.idle.use(ctx, d.URL, func(ctx context.Context, c *pgx.Conn) error {
		return c.QueryRow(ctx, sql, args...).Scan(&v)
	})
	return v, err
}

// AsOwner calls fn with a new connection of the owner of the database.
func (d *DB) AsOwner(t testing.TB, fn func(*pgx.Conn)) {
	t.Helper()
	require.NoError(t, onServer(context.Background(), d.URL, func(c *pgx.Conn) error {
		fn(c)
		return nil
	}))
}

// AwaitLock waits until a statement in the database waits for a lock.
func (d *DB) AwaitLock(t testing.TB) {
	t.Helper()
	require.Eventually(t, func() bool {
		return Value[bool](t, d, `select exists (select from pg_stat_activity
			where datname = current_database() and wait_event_type = 'Lock')`)
	}, time.Minute, 10*time.Millisecond)
}

// User adds a user who can sign in with the password "correct horse" and returns the id.
func (d *DB) User(t testing.TB, email string) uuid.UUID {
	t.Helper()
	id := uuid.New()
	// The hash is of cost 4, the lowest, so that tests need not wait.
	d.Exec(t,
		`insert into auth.users (id, email, encrypted_password, email_confirmed_at) values ($1, $2, $3, now())`,
		id, email, "$2a$04$ehgBoyD41KUdnEGIHJRV7eL5LH7PcO.sYseyUggZ/XVUGdLQr/DDC")
	return id
}

// A Tenant is a workspace with one member of each role, and a project.
type Tenant struct {
	Workspace, Project           uuid.UUID
	Owner, Admin, Editor, Viewer uuid.UUID
}

// Tenant adds a workspace with four members and a project.
func (d *DB) Tenant(t testing.TB) Tenant {
	t.Helper()
	tag := uuid.NewString()[:8]
	n := Tenant{Workspace: uuid.New(), Project: uuid.New()}
	n.Owner, n.Admin = d.User(t, "owner-"+tag+"@example.com"), d.User(t, "admin-"+tag+"@example.com")
	n.Editor, n.Viewer = d.User(t, "editor-"+tag+"@example.com"), d.User(t, "viewer-"+tag+"@example.com")
	d.Exec(t, `insert into workspaces (id, name, created_by) values ($1, $2, $3)`, n.Workspace, "Workspace "+tag,
		n.Owner)
	d.Exec(t,
		`insert into workspace_members (workspace_id, user_id, role)
			values ($1, $2, 'admin'), ($1, $3, 'editor'), ($1, $4, 'viewer')`,
		n.Workspace, n.Admin, n.Editor, n.Viewer)
	d.Exec(t, `insert into projects (id, workspace_id, name) values ($1, $2, 'Project')`, n.Project, n.Workspace)
	return n
}

// Hypothesis adds a hypothesis to the tenant's project.
func (d *DB) Hypothesis(t testing.TB, n Tenant, statement string) uuid.UUID {
	t.Helper()
	return Value[uuid.UUID](t, d, `insert into hypotheses (project_id, statement) values ($1, $2) returning id`,
		n.Project, statement)
}

// templates has the template of each server that this process uses.
var templates sync.Map

// ensureTemplate returns the template for this version of the migrations, and creates it if there is none. It
// holds a lock, since test binaries run concurrently.
func ensureTemplate(ctx context.Context, server string) (*template, error) {
	once, _ := templates.LoadOrStore(server, sync.OnceValues(func() (*template, error) {
		return createTemplate(ctx, server)
	}))
	p, err := once.(func() (*template, error))()
	if err != nil {
		return nil, fmt.Errorf("create the template database: %w", err)
	}
	return p, nil
}

func createTemplate(ctx context.Context, server string) (*template, error) {
	name, err := templateName()
	if err != nil {
		return nil, err
	}
	p := &template{name: name}
	return p, onServer(ctx, server, func(c *pgx.Conn) error {
		if err := exec(ctx, c, "select pg_advisory_lock(715517)"); err != nil {
			return err
		}
		var exists bool
		if err := c.QueryRow(ctx, `select rolsuper, exists (select from pg_database where datname = $1)
			from pg_roles where rolname = current_user`, name).Scan(&p.reuse, &exists); err != nil || exists {
			return err
		}
		if err := p.dropOthers(ctx, c); err != nil {
			return err
		}
		making := name + "_making"
		if err := exec(ctx, c, fmt.Sprintf("drop database if exists %s with (force)", making)); err != nil {
			return err
		}
		if err := exec(ctx, c, "create database "+making); err != nil {
			return err
		}
		if _, err := db.Migrate(ctx, withDatabase(server, making)); err != nil {
			return err
		}
		return exec(ctx, c, fmt.Sprintf("alter database %s rename to %s", making, name))
	})
}

// templateName returns a name that changes with every change of a migration.
func templateName() (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(db.Migrations(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(db.Migrations(), path)
		sum.Write(data)
		return err
	})
	return "template_" + hex.EncodeToString(sum.Sum(nil))[:16], err
}

func onServer(ctx context.Context, url string, fn func(*pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }()
	return fn(c)
}

func exec(ctx context.Context, c *pgx.Conn, sql string) error {
	_, err := c.Exec(ctx, sql)
	return err
}

func withDatabase(server, name string) string {
	u, err := url.Parse(server)
	if err != nil {
		panic("TEST_DATABASE_URL is not a URL")
	}
	u.Path = "/" + name
	return u.String()
}
