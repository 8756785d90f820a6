package db

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Together runs statements within the transaction of q in one round trip, in the order in which fn calls them.
// They are sent when fn has returned, so that fn must not use their results: only queries of sqlc's kinds
// :exec and :execrows work, and the rows that they count are 0. The first failure is returned.
func (q *Queries) Together(ctx context.Context, fn func(*Queries) error) error {
	tx, ok := q.db.(translatingTx)
	if !ok {
		return errNotTogether
	}
	var statements together
	if err := fn(New(&statements)); err != nil {
		return err
	}
	if len(statements) == 0 {
		return nil
	}
	batch := &pgx.Batch{}
	for _, s := range statements {
		batch.Queue(s.sql, s.args...)
	}
	ctx = startSQL(ctx, tx.tracer, "batch")
	err := tx.SendBatch(ctx, batch).Close()
	endSQL(ctx, err)
	return translate(err)
}

// TogetherAsService is Together in a transaction of its own, as AsService. It takes one round trip instead of three
// (BEGIN with the role, the statements, COMMIT).
func (s *Store) TogetherAsService(ctx context.Context, fn func(*Queries) error) error {
	if !s.prepares {
		return s.AsService(ctx, func(q *Queries) error { return q.Together(ctx, fn) })
	}
	var statements together
	if err := fn(New(&statements)); err != nil {
		return err
	}
	if len(statements) == 0 {
		return nil
	}
	return s.runOnce(ctx, "batch", becomeSQL, statements...)
}

var errNotTogether = errors.New("Together runs statements without results, in a transaction")

// together collects statements.
type together []call

// Exec implements DBTX.
func (t *together) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	*t = append(*t, call{sql: sql, args: args})
	return pgconn.CommandTag{}, nil
}

// Query implements DBTX.
func (*together) Query(context.Context, string, ...any) (pgx.Rows, error) { return nil, errNotTogether }

// QueryRow implements DBTX.
func (*together) QueryRow(context.Context, string, ...any) pgx.Row {
	return rowFunc(func(...any) error { return errNotTogether })
}
