package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"research/db"
)

// ErrNotEmpty means that the database to restore into has contents.
var ErrNotEmpty = errors.New("the database is not empty")

// A Restored describes a database that was restored.
type Restored struct {
	TakenAt    time.Time // when the backup was taken
	Created    bool      // the database did not exist before
	Migrations db.MigrationState
}

// Restore restores a backup into the database at url, which is created if it does not exist, and must be
// empty. jobs connections restore tables and indexes concurrently; 0 means 1. With one connection the restore
// is one transaction. The login becomes the owner of everything, except for what belongs to service_role.
//
// Privileges are those of the migrations afterwards, unless migrations are missing: then Migrate corrects
// them.
//
// Its errors are ErrNotEmpty, a *db.WideningsError, and those of pg_restore. A database that Restore created
// is dropped if it fails.
func Restore(ctx context.Context, tools Tools, path, url string, jobs int) (r Restored, err error) {
	if _, err := os.Stat(path); err != nil {
		return r, err
	}
	if err := verifySum(path); err != nil {
		return r, err
	}
	if r.Created, err = ensureDatabase(ctx, url); err != nil {
		return r, err
	}
	defer func() {
		if err != nil && r.Created {
			err = errors.Join(err, dropDatabase(context.WithoutCancel(ctx), url))
		}
	}()
	conn, major, err := connect(ctx, url)
	if err != nil {
		return r, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if err := checkEmpty(ctx, conn); err != nil {
		return r, err
	}
	h, err := readHeader(ctx, tools, major, path)
	if err != nil {
		return r, err
	}
	r.TakenAt = h.takenAt
	if h.major > major {
		return r, fmt.Errorf("the backup was made by PostgreSQL %d, and the server is PostgreSQL %d: "+
			"restore it to a server of version %d or newer", h.major, major, h.major)
	}
	if err := db.CreateRoles(ctx, url); err != nil {
		return r, err
	}
	if err := load(ctx, tools, major, path, url, h.entries, jobs); err != nil {
		return r, err
	}
	if err := restoreOwners(ctx, tools, major, path, conn); err != nil {
		return r, err
	}
	// A dump has no statistics, and without them the first queries are slow.
	if _, err := conn.Exec(ctx, "analyze"); err != nil {
		return r, fmt.Errorf("analyze the database: %w", err)
	}
	if r.Migrations, err = db.CompareMigrations(ctx, url); err != nil {
		return r, err
	}
	if m := r.Migrations; len(m.Missing)+len(m.Unknown)+len(m.Other) == 0 {
		err = db.CorrectPrivileges(ctx, url)
	}
	return r, err
}

// notEmptySQL reports whether a database contains anything beside extensions.
const notEmptySQL = `
	select exists (
		select from pg_class c
		join pg_namespace n on n.oid = c.relnamespace
		where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
			and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e'))
		or exists (select from pg_namespace where nspname in ('auth', 'private'))`

func checkEmpty(ctx context.Context, conn *pgx.Conn) error {
	var hasContents bool
	if err := conn.QueryRow(ctx, notEmptySQL).Scan(&hasContents); err != nil {
		return fmt.Errorf("look into the database: %w", err)
	}
	if hasContents {
		return fmt.Errorf("%w: restore into a new one, whose name in DATABASE_URL need not exist yet", ErrNotEmpty)
	}
	return nil
}

// createdBefore matches the entries of a backup that db.CreateRoles has created: the schemas, since
// service_role must be able to create functions in one of them before pg_restore grants anything, and the
// default privileges, which name the owner of the original database.
var createdBefore = regexp.MustCompile(`(?m)^(\d+; \d+ \d+ (SCHEMA - (auth|private) |DEFAULT ACL ))`)

// rowSecurity matches the entries of a backup that switch on row-level security.
var rowSecurity = regexp.MustCompile(`(?m)^(\d+; \d+ \d+ (ROW SECURITY|POLICY|COMMENT \S+ POLICY) .*)$`)

// load runs pg_restore.
func load(ctx context.Context, tools Tools, major int, path, url string, entries []byte, jobs int) error {
	entries = createdBefore.ReplaceAll(entries, []byte(";$1"))
	if jobs <= 1 {
		return loadEntries(ctx, tools, major, path, url, entries, "--single-transaction")
	}
	// Row-level security comes last, as it does in the order of the backup, which several connections do not
	// keep: foreign keys cannot be checked where it hides rows from a login that is not a superuser.
	first := rowSecurity.ReplaceAll(entries, []byte(";$1"))
	if err := loadEntries(ctx, tools, major, path, url, first, "--jobs="+strconv.Itoa(jobs)); err != nil {
		return err
	}
	last := bytes.Join(rowSecurity.FindAll(entries, -1), []byte("\n"))
	return loadEntries(ctx, tools, major, path, url, last, "--single-transaction")
}

// loadEntries restores some of the entries of a backup.
func loadEntries(
	ctx context.Context, tools Tools, major int, path, url string, entries []byte, option string,
) error {
	list, err := os.CreateTemp("", "research-restore-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(list.Name()) }()
	_, err = list.Write(entries)
	if err := errors.Join(err, list.Close()); err != nil {
		return err
	}
	return tools.run(ctx, "pg_restore", major, url, nil,
		"--no-owner", "--no-password", "--exit-on-error", "--use-list="+list.Name(), option, path)
}

// ownerPattern matches the statements of a dump that give an object to service_role.
var ownerPattern = regexp.MustCompile(`(?m)^ALTER [A-Z ]+ .+ OWNER TO service_role;$`)

// restoreOwners gives service_role what it owns: the functions that pass row-level security by its policies.
func restoreOwners(ctx context.Context, tools Tools, major int, path string, conn *pgx.Conn) error {
	var script bytes.Buffer
	args := []string{"--schema-only", "--section=pre-data", "--file=-", path}
	err := tools.run(ctx, "pg_restore", major, "", &script, args...)
	if err != nil {
		return err
	}
	statements := ownerPattern.FindAll(script.Bytes(), -1)
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for _, statement := range statements {
			if _, err := tx.Exec(ctx, string(statement)); err != nil {
				return fmt.Errorf("restore the owner of a function: %w", err)
			}
		}
		return nil
	})
}

// noSuchDatabase is PostgreSQL's invalid_catalog_name.
const noSuchDatabase = "3D000"

// ensureDatabase creates the database of a URL if the server does not have it.
func ensureDatabase(ctx context.Context, url string) (created bool, err error) {
	conn, err := db.Connect(ctx, url)
	var refused *pgconn.PgError
	switch {
	case err == nil:
		return false, conn.Close(ctx)
	case !errors.As(err, &refused) || refused.Code != noSuchDatabase:
		return false, nil // the caller reports why the database cannot be used
	}
	err = onServer(ctx, url, func(conn *pgx.Conn, name string) error {
		_, err := conn.Exec(ctx, "create database "+name+" encoding 'UTF8' template template0")
		if err != nil {
			return err
		}
		// Until the logins are admitted, only the owner may connect: those of other databases could read the rows.
		_, err = conn.Exec(ctx, "revoke connect on database "+name+" from public")
		return err
	})
	if err != nil {
		return false, fmt.Errorf("create the database: %w", err)
	}
	return true, nil
}

// dropDatabase drops the database of a URL, if it exists. It fails if anyone is connected to it.
func dropDatabase(ctx context.Context, url string) error {
	err := onServer(ctx, url, func(conn *pgx.Conn, name string) error {
		_, err := conn.Exec(ctx, "drop database if exists "+name)
		return err
	})
	if err != nil {
		return fmt.Errorf("drop the database: %w", err)
	}
	return nil
}

// maintenanceDatabase is one that every server has.
const maintenanceDatabase = "postgres"

// onServer calls fn with a connection to the server's maintenance database, and the quoted name of the
// database of the URL.
func onServer(ctx context.Context, url string, fn func(conn *pgx.Conn, name string) error) error {
	cfg, err := db.ParseURL(url)
	if err != nil {
		return err
	}
	maintenance, err := withDatabase(url, maintenanceDatabase)
	if err != nil {
		return err
	}
	conn, _, err := connect(ctx, maintenance)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return fn(conn, pgx.Identifier{cfg.Database}.Sanitize())
}
