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
	Missing []string // names of those that the database lacks, such as 0009_results, in order
	Unknown []int64  // versions above those of this program, which a newer version applied, in order
	// Other are the versions that were applied from other files than those of this program, in order. If there
	// are any, the database is of no use to it: see ErrOtherSchema.
	Other []int64
}

// An appliedMigration is a row of the table of migrations. The checksum is empty in databases of states that
// did not record it.
type appliedMigration struct {
	version  int64
	checksum string
}

const (
	versionTableExists   = "select to_regclass($1) is not null"
	appliedMigrationsSQL = "select m.version_id, coalesce(to_jsonb(m) ->> 'checksum', '') from " + versionTable +
		" m where m.version_id > 0 order by 1"
)

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
	var applied []appliedMigration
	err := readPrivate(ctx, conn, func(tx pgx.Tx) (err error) {
		applied, err = appliedMigrations(ctx, tx)
		return err
	})
	if err != nil {
		return MigrationState{}, fmt.Errorf("read the table of migrations: %w", translate(err))
	}
	return stateOf(applied)
}

// stateOf compares the migrations that were applied with those of this program.
func stateOf(applied []appliedMigration) (s MigrationState, err error) {
	names, err := migrationNames()
	if err != nil {
		return s, err
	}
	checksums, err := migrationChecksums()
	if err != nil {
		return s, err
	}
	var last int64
	for _, name := range names {
		if last, err = migrationVersion(name); err != nil {
			return s, err
		}
		isApplied := func(m appliedMigration) bool { return m.version == last }
		if !slices.ContainsFunc(applied, isApplied) {
			s.Missing = append(s.Missing, name)
		}
	}
	for _, m := range applied {
		switch {
		case m.version > last:
			s.Unknown = append(s.Unknown, m.version)
		case m.checksum != checksums[m.version] || m.checksum == "":
			s.Other = append(s.Other, m.version)
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

// appliedMigrations returns the migrations that were applied, in the order of their versions.
func appliedMigrations(ctx context.Context, tx pgx.Tx) ([]appliedMigration, error) {
	var exists bool
	err := tx.QueryRow(ctx, versionTableExists, versionTable).Scan(&exists)
	if err != nil || !exists {
		return nil, err
	}
	rows, err := tx.Query(ctx, appliedMigrationsSQL)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (m appliedMigration, err error) {
		return m, row.Scan(&m.version, &m.checksum)
	})
}

// migrationNames returns the names of this program's migrations, such as 0009_results, in order.
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

// migrationVersion returns the version of a migration: 9 for 0009_results.
func migrationVersion(name string) (int64, error) {
	number, _, _ := strings.Cut(name, "_")
	version, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("the name of the migration %s does not begin with a number", name)
	}
	return version, nil
}

// FormatVersions writes the versions of migrations as the names of their files begin: 0009, 0010.
func FormatVersions(versions []int64) string {
	texts := make([]string, len(versions))
	for i, version := range versions {
		texts[i] = fmt.Sprintf("%04d", version)
	}
	return strings.Join(texts, ", ")
}
