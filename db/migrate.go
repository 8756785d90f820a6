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
// The error is ErrOtherSchema if the database has migrations of other files.
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
	provider, err := newProvider(ctx, pool)
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(budget); ; {
		results, err := provider.Up(ctx)
		for _, r := range results {
			applied = append(applied, r.Source.Path)
		}
		if err == nil {
			break
		}
		if errors.Is(err, ErrOtherSchema) {
			return applied, ErrOtherSchema
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
