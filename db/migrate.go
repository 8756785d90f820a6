package db

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations returns the files that Migrate applies.
func Migrations() fs.FS {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	return files
}

// versionTable is in a schema that the data API does not serve.
const versionTable = "private.migrations"

// Migrate applies the pending migrations, each in its own transaction. An advisory lock lets any number of
// processes call it concurrently. The URL must be an owner's; the first run needs CREATEROLE to create the
// roles, and no run needs a superuser. Migrate returns the names of the applied files and notifies listening
// data APIs.
//
// Whatever default privileges and grants the database has, what its roles may do is afterwards what the
// migrations let them do.
//
// The error is ErrOtherSchema if the database has migrations of other files, and a *WideningsError if the
// privileges are not what they should be and the login may not change that.
//
// A migration that waits for a table makes every later statement on the table wait as well. Therefore it
// gives up after a few seconds, and is tried again for two minutes.
func Migrate(ctx context.Context, url string) (applied []string, err error) {
	return migrate(ctx, url, lockTimeout, lockBudget)
}

const (
	lockTimeout = 3 * time.Second // shorter than a delay that people notice as an outage
	lockBudget  = 2 * time.Minute // for all attempts
)

// lockNotAvailable is PostgreSQL's lock_not_available.
const lockNotAvailable = "55P03"

func migrate(
	ctx context.Context, url string, lockTimeout, budget time.Duration,
) (applied []string, err error) {
	cfg, err := ParseURL(url)
	if err != nil {
		return nil, err
	}
	setTimeout := fmt.Sprintf("set lock_timeout = %d", lockTimeout.Milliseconds())
	pool := stdlib.OpenDB(*cfg, stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, setTimeout)
		return err
	}))
	defer func() { _ = pool.Close() }()
	if err := requireSession(ctx, url); err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(budget); ; {
		names, err := applyMigrations(ctx, pool, cfg, lockTimeout)
		applied = append(applied, names...)
		if err == nil {
			break
		}
		var wide *WideningsError
		if errors.Is(err, ErrOtherSchema) || errors.Is(err, errOccupied) || errors.As(err, &wide) {
			return applied, err
		}
		var pg *pgconn.PgError
		isLocked := errors.As(err, &pg) && pg.Code == lockNotAvailable
		if isLocked && time.Now().Before(deadline) && ctx.Err() == nil {
			continue
		}
		if isLocked {
			return applied, fmt.Errorf("migrate the database: a table is in use by a long transaction, which "+
				"pg_stat_activity shows: end it and run research migrate again: %w", err)
		}
		return applied, fmt.Errorf("migrate the database: %w", err)
	}
	if len(applied) > 0 {
		if _, err := pool.ExecContext(ctx, "notify pgrst, 'reload schema'"); err != nil {
			return applied, fmt.Errorf("announce the new schema: %w", err)
		}
	}
	return applied, nil
}

// applyMigrations applies the pending migrations, between what comes before and after them in each run, and
// returns the names of the applied files.
func applyMigrations(
	ctx context.Context, pool *sql.DB, cfg *pgx.ConnConfig, lockTimeout time.Duration,
) (applied []string, err error) {
	conn, err := connect(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	catalog := catalog{conn, lockTimeout}
	if err := catalog.prepare(ctx); err != nil {
		return nil, err
	}
	provider, err := newProvider(ctx, pool)
	if err != nil {
		return nil, err
	}
	results, err := provider.Up(ctx)
	for _, r := range results {
		applied = append(applied, r.Source.Path)
	}
	if errors.Is(err, ErrOtherSchema) {
		return applied, ErrOtherSchema
	}
	if err != nil {
		return applied, err
	}
	return applied, catalog.correctMigrated(ctx)
}

// prepare refuses a database of another program, and closes the default privileges.
func (c catalog) prepare(ctx context.Context) error {
	setTimeout := fmt.Sprintf("set lock_timeout = %d", c.lockTimeout.Milliseconds())
	if _, err := c.conn.Exec(ctx, setTimeout); err != nil {
		return err
	}
	occupied, err := readOccupied(ctx, c.conn)
	if err != nil {
		return err
	}
	if occupied != "" {
		return fmt.Errorf("%w: %s", errOccupied, occupied)
	}
	return c.closeDefaults(ctx)
}

// correctMigrated corrects the privileges, unless a newer version has migrated the database: then they are
// those of that version.
func (c catalog) correctMigrated(ctx context.Context) error {
	state, err := compareMigrations(ctx, c.conn)
	if err != nil || len(state.Unknown) > 0 {
		return err
	}
	return c.correctPrivileges(ctx)
}

func newProvider(ctx context.Context, pool *sql.DB) (*goose.Provider, error) {
	// If two processes create the schema concurrently, one gets a unique violation of the system catalog.
	const createSchema = `
		do $$ begin
			create schema if not exists private;
		exception when unique_violation or duplicate_schema then null;
		end $$`
	if _, err := pool.ExecContext(ctx, createSchema); err != nil {
		return nil, fmt.Errorf("create the schema private: %w", err)
	}
	store, err := newMigrationStore()
	if err != nil {
		return nil, fmt.Errorf("open the table of migrations: %w", err)
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 600)) // seconds between tries, tries
	if err != nil {
		return nil, fmt.Errorf("prepare the migration lock: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectCustom, pool, Migrations(),
		goose.WithStore(store), goose.WithSessionLocker(locker))
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	return provider, nil
}
