package db

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"
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

// Rules are the rules of every database, of which the test proves that they find violations.
var Rules = rules

// DescribePrivileges is for the test that writes privileges.txt.
func DescribePrivileges(ctx context.Context, conn *pgx.Conn) (lines []string, err error) {
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		in, err := readPrivileges(ctx, tx)
		lines = in.lines()
		return err
	})
	return lines, err
}
