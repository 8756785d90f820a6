package db

import (
	"context"
	"database/sql"
)

// MigrateWithin is Migrate with other limits for waiting.
var MigrateWithin = migrate

// MigrateTo applies the migrations up to a version, as its release did.
func MigrateTo(ctx context.Context, url string, version int64) error {
	pool, err := sql.Open("pgx", url)
	if err != nil {
		return err
	}
	defer func() { _ = pool.Close() }()
	provider, err := newProvider(ctx, pool)
	if err != nil {
		return err
	}
	_, err = provider.UpTo(ctx, version)
	return err
}

// ReadSchema is for the test that writes schema.txt.
var ReadSchema = readSchema

// CountImportStatesSQL is for the test that reads its plan.
const CountImportStatesSQL = countImportStates

// Execute runs a statement in the transaction of q.
func Execute(ctx context.Context, q *Queries, sql string) error {
	_, err := q.db.Exec(ctx, sql)
	return err
}

// ReadText runs a query of one text in the transaction of q.
func ReadText(ctx context.Context, q *Queries, sql string) (value string, err error) {
	err = q.db.QueryRow(ctx, sql).Scan(&value)
	return value, err
}
