package db

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// A MigrationState compares the migrations of this program with those that a database has.
type MigrationState struct {
	Missing []string // names of those that the database lacks, such as 0061_descriptions, in order
	Unknown []int64  // versions that this program does not know: another version applied them; in order
}

// CompareMigrations returns the state of a database. It changes nothing. Its errors are ErrUnavailable, with
// the reason if PostgreSQL gave one, and ErrDenied.
func CompareMigrations(ctx context.Context, url string) (MigrationState, error) {
	conn, err := connectUnprepared(ctx, url)
	if err != nil {
		return MigrationState{}, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return compareMigrations(ctx, conn)
}

func compareMigrations(ctx context.Context, conn *pgx.Conn) (MigrationState, error) {
	known, err := migrationNames()
	if err != nil {
		return MigrationState{}, err
	}
	var applied []int64
	err = readPrivate(ctx, conn, func(tx pgx.Tx) (err error) {
		applied, err = appliedMigrations(ctx, tx)
		return err
	})
	if err != nil {
		return MigrationState{}, fmt.Errorf("read the table of migrations: %w", translate(err))
	}
	var s MigrationState
	versions := make([]int64, len(known))
	for i, name := range known {
		if versions[i], err = migrationVersion(name); err != nil {
			return MigrationState{}, err
		}
		if !slices.Contains(applied, versions[i]) {
			s.Missing = append(s.Missing, name)
		}
	}
	for _, version := range applied {
		if !slices.Contains(versions, version) {
			s.Unknown = append(s.Unknown, version)
		}
	}
	return s, nil
}

// readPrivate reads tables of the schema private, to which a login that is not an owner's has no access. Then
// it reads as service_role, for one transaction.
func readPrivate(ctx context.Context, conn *pgx.Conn, read func(pgx.Tx) error) error {
	err := pgx.BeginFunc(ctx, conn, read)
	if !isState(err, "42501") {
		return err
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "set local role "+RoleService); err != nil {
			return err
		}
		return read(tx)
	})
}

// appliedMigrations returns the versions of the migrations that were applied, in order.
func appliedMigrations(ctx context.Context, tx pgx.Tx) ([]int64, error) {
	var exists bool
	err := tx.QueryRow(ctx, "select to_regclass($1) is not null", versionTable).Scan(&exists)
	if err != nil || !exists {
		return nil, err
	}
	rows, err := tx.Query(ctx, "select version_id from "+versionTable+" where version_id > 0 order by 1")
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// migrationNames returns the names of this program's migrations, such as 0061_descriptions, in order.
func migrationNames() ([]string, error) {
	files, err := fs.Glob(Migrations(), "*.sql")
	if err != nil {
		return nil, err
	}
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = strings.TrimSuffix(file, ".sql")
	}
	return names, nil
}

// LastMigration returns the name of this program's last migration.
func LastMigration() (string, error) {
	names, err := migrationNames()
	if err != nil {
		return "", err
	}
	return names[len(names)-1], nil
}

// migrationVersion returns the version of a migration: 61 for 0061_descriptions.
func migrationVersion(name string) (int64, error) {
	number, _, _ := strings.Cut(name, "_")
	version, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("the name of the migration %s does not begin with a number", name)
	}
	return version, nil
}

// FormatVersions writes the versions of migrations as the names of their files begin: 0061, 0070.
func FormatVersions(versions []int64) string {
	texts := make([]string, len(versions))
	for i, version := range versions {
		texts[i] = fmt.Sprintf("%04d", version)
	}
	return strings.Join(texts, ", ")
}
