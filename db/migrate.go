package db

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations are the files that Migrate applies.
func Migrations() fs.FS {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	return files
}

// versionTable is out of the data API's sight.
const versionTable = "private.migrations"

// Migrate applies the migrations that are missing, each in a transaction of its own, under an advisory lock: any number of processes may
// call it at once. The URL is an owner's; creating the roles needs CREATEROLE the first time, nothing needs a
// superuser. It returns the names of what it applied, and tells listening data APIs to reload their schema.
func Migrate(ctx context.Context, url string) (applied []string, err error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("DATABASE_URL is not a PostgreSQL connection string")
	}
	pool := stdlib.OpenDB(*cfg)
	defer func() { _ = pool.Close() }()
	if err := pool.PingContext(ctx); err != nil {
		return nil, unreachable(err)
	}
	provider, err := newProvider(ctx, pool)
	if err != nil {
		return nil, err
	}
	results, err := provider.Up(ctx)
	for _, r := range results {
		applied = append(applied, r.Source.Path)
	}
	if err != nil {
		return applied, fmt.Errorf("migrate the database: %w", err)
	}
	if len(applied) > 0 {
		if _, err := pool.ExecContext(ctx, "notify pgrst, 'reload schema'"); err != nil {
			return applied, fmt.Errorf("announce the new schema: %w", err)
		}
	}
	return applied, nil
}

// Pending tells how many migrations the database lacks. It changes nothing. A database that a newer version has migrated lacks none.
func Pending(ctx context.Context, url string) (int, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return 0, unreachable(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	known, applied, err := countMigrations(ctx, conn)
	return max(known-applied, 0), err
}

// countMigrations counts those of this program, and those that the database has.
func countMigrations(ctx context.Context, conn *pgx.Conn) (known, applied int, err error) {
	names, err := fs.Glob(Migrations(), "*.sql")
	if err != nil {
		return 0, 0, err
	}
	var exists bool
	if err := conn.QueryRow(ctx, "select to_regclass($1) is not null", versionTable).Scan(&exists); err != nil {
		return 0, 0, fmt.Errorf("look for the list of migrations: %w", err)
	}
	if exists {
		if err := conn.QueryRow(ctx, "select count(*) from "+versionTable+" where version_id > 0").Scan(&applied); err != nil {
			return 0, 0, fmt.Errorf("count the migrations: %w", err)
		}
	}
	return len(names), applied, nil
}

func newProvider(ctx context.Context, pool *sql.DB) (*goose.Provider, error) {
	// Two processes may create the schema at once; the one that comes second meets a unique violation of the catalogue.
	const createSchema = `do $$ begin create schema if not exists private; exception when unique_violation or duplicate_schema then null; end $$`
	if _, err := pool.ExecContext(ctx, createSchema); err != nil {
		return nil, fmt.Errorf("create the schema private: %w", err)
	}
	store, err := database.NewStore(database.DialectPostgres, versionTable)
	if err != nil {
		return nil, fmt.Errorf("name the list of migrations: %w", err)
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 600)) // seconds between tries, tries
	if err != nil {
		return nil, fmt.Errorf("prepare the migration lock: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectCustom, pool, Migrations(), goose.WithStore(store), goose.WithSessionLocker(locker))
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	return provider, nil
}
