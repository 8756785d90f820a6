package db

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// whyReadOnly is an expression, which is empty where the database can be written to.
const whyReadOnly = `
	case
		when pg_is_in_recovery() then 'it is a standby'
		when current_setting('default_transaction_read_only')::boolean then
			'default_transaction_read_only is on, by a limit of the provider or by an administrator'
		else ''
	end`

// checkWrites returns an error if the database can be read and not written.
func checkWrites(ctx context.Context, on interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}) error {
	var why string
	if err := on.QueryRow(ctx, "select "+whyReadOnly).Scan(&why); err != nil {
		return translate(err)
	}
	if why != "" {
		return &readOnlyError{why}
	}
	return nil
}
