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

// Pending returns the number of migrations that have not been applied. It changes nothing. The number is 0 if
// a newer version has migrated the database.
func Pending(ctx context.Context, url string) (int, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return 0, unreachable(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	known, applied, err := countMigrations(ctx, conn)
	return max(known-applied, 0), err
}

// countMigrations returns the number of migrations of this program, and of those that were applied.
func countMigrations(ctx context.Context, conn *pgx.Conn) (known, applied int, err error) {
	names, err := fs.Glob(Migrations(), "*.sql")
	if err != nil {
		return 0, 0, err
	}
	var exists bool
	if err := conn.QueryRow(ctx, "select to_regclass($1) is not null", versionTable).Scan(&exists); err != nil {
		return 0, 0, fmt.Errorf("look for the table of migrations: %w", err)
	}
	if exists {
		err := conn.QueryRow(ctx, "select count(*) from "+versionTable+" where version_id > 0").Scan(&applied)
		if err != nil {
			return 0, 0, fmt.Errorf("count the migrations: %w", err)
		}
	}
	return len(names), applied, nil
}

func newProvider(ctx context.Context, pool *sql.DB) (*goose.Provider, error) {
	// Of two processes that create the schema concurrently, one gets a unique violation of the system catalog.
	const createSchema = `
		do $$ begin
			create schema if not exists private;
		exception when unique_violation or duplicate_schema then null;
		end $$`
	if _, err := pool.ExecContext(ctx, createSchema); err != nil {
		return nil, fmt.Errorf("create the schema private: %w", err)
	}
	store, err := database.NewStore(database.DialectPostgres, versionTable)
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
