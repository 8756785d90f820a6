package db

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"

	"github.com/pressly/goose/v3/database"
)

// ErrOtherSchema is the error for a database whose migrations were applied from other files than those of
// this program. Released files do not change, so such a database was made before 1.0.0, or by a build of
// files that were not released.
var ErrOtherSchema = errors.New("the database was made by a version before 1.0.0 or by a development " +
	"build: restore a backup of a release, or start over with an empty database")

// A migrationStore is goose's table of migrations, in which each row also has the checksum of the applied
// file.
type migrationStore struct {
	database.Store
	checksums map[int64]string // by version
}

func newMigrationStore() (migrationStore, error) {
	store, err := database.NewStore(database.DialectPostgres, versionTable)
	if err != nil {
		return migrationStore{}, err
	}
	checksums, err := migrationChecksums()
	return migrationStore{Store: store, checksums: checksums}, err
}

// TableExists implements database.StoreExtender.
func (s migrationStore) TableExists(ctx context.Context, tx database.DBTxConn) (exists bool, err error) {
	err = tx.QueryRowContext(ctx, versionTableExists, versionTable).Scan(&exists)
	return exists, err
}

// CreateVersionTable implements database.Store.
func (s migrationStore) CreateVersionTable(ctx context.Context, tx database.DBTxConn) error {
	if err := s.Store.CreateVersionTable(ctx, tx); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "alter table "+versionTable+" add column checksum text")
	return err
}

// Insert implements database.Store. The row of version 0, with which goose begins, has no checksum.
func (s migrationStore) Insert(ctx context.Context, tx database.DBTxConn, row database.InsertRequest) error {
	const insert = "insert into " + versionTable +
		" (version_id, is_applied, checksum) values ($1, true, nullif($2, ''))"
	_, err := tx.ExecContext(ctx, insert, row.Version, s.checksums[row.Version])
	return err
}

// ListMigrations implements database.Store. Before it applies a migration, goose asks for those that were
// applied. The error is ErrOtherSchema if they are not those of this program.
func (s migrationStore) ListMigrations(
	ctx context.Context, tx database.DBTxConn,
) ([]*database.ListMigrationsResult, error) {
	rows, err := tx.QueryContext(ctx, appliedMigrationsSQL)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var applied []appliedMigration
	for rows.Next() {
		var m appliedMigration
		if err := rows.Scan(&m.version, &m.checksum); err != nil {
			return nil, err
		}
		applied = append(applied, m)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	state, err := stateOf(applied)
	if err != nil {
		return nil, err
	}
	if len(state.Other) > 0 {
		return nil, ErrOtherSchema
	}
	return s.Store.ListMigrations(ctx, tx)
}

// migrationChecksums returns the checksums of this program's migrations by version, as sha256sum writes them.
func migrationChecksums() (map[int64]string, error) {
	names, err := migrationNames()
	if err != nil {
		return nil, err
	}
	checksums := make(map[int64]string, len(names))
	for _, name := range names {
		version, err := migrationVersion(name)
		if err != nil {
			return nil, err
		}
		content, err := fs.ReadFile(Migrations(), name+".sql")
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(content)
		checksums[version] = hex.EncodeToString(sum[:])
	}
	return checksums, nil
}
