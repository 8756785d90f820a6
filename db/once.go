package db

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// OnceAsService is AsService for a single query that returns one row. It takes one round trip instead of three
// (BEGIN with the role, the query, COMMIT). fn must run exactly one query. If its row cannot be scanned, the
// transaction is committed all the same.
func OnceAsService[T any](ctx context.Context, s *Store, fn func(*Queries) (T, error)) (T, error) {
	if !s.prepares {
		return AsService(ctx, s, fn)
	}
	return valueOnce(s, becomeSQL, fn)
}

// OnceAsServiceByKey is OnceAsService for a query that finds its rows by keys; see AsServiceByKey.
func OnceAsServiceByKey[T any](ctx context.Context, s *Store, fn func(*Queries) (T, error)) (T, error) {
	if !s.prepares {
		return AsServiceByKey(ctx, s, fn)
	}
	return valueOnce(s, becomeByKeySQL, fn)
}

func valueOnce[T any](s *Store, become string, fn func(*Queries) (T, error)) (T, error) {
	value, err := fn(New(&once{store: s, become: become}))
	if err != nil {
		var zero T
		return zero, translate(err)
	}
	return value, nil
}

// A once runs the one query of OnceAsService or OnceAsServiceByKey.
type once struct {
	store  *Store
	become string // becomeSQL or becomeByKeySQL
	used   bool
}

var errNotOnce = errors.New("OnceAsService and OnceAsServiceByKey run one query that returns one row")

// Exec implements DBTX.
func (o *once) Exec(context.Context, string, ...any) (pgconn.CommandTag, error) {
	return pgconn.CommandTag{}, errNotOnce
}

// Query implements DBTX.
func (o *once) Query(context.Context, string, ...any) (pgx.Rows, error) { return nil, errNotOnce }

// QueryRow implements DBTX. The query runs when its row is scanned.
func (o *once) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	scan := func(dest ...any) error { return o.queryOnce(ctx, sql, args, dest) }
	if o.used {
		scan = func(...any) error { return errNotOnce }
	}
	o.used = true
	return rowFunc(scan)
}

type rowFunc func(dest ...any) error

func (f rowFunc) Scan(dest ...any) error { return f(dest...) }

// queryOnce runs a query in a transaction.
func (o *once) queryOnce(ctx context.Context, sql string, args, dest []any) (err error) {
	name := queryName(sql)
	ctx = startSQL(ctx, o.store.tracer, name)
	defer func() { endSQL(ctx, err) }()
	conn, err := o.store.pool.Acquire(ctx)
	if err != nil {
		return translate(err)
	}
	defer conn.Release()
	if err := prepareAs(ctx, conn.Conn(), service, name, sql); err != nil {
		return translate(err)
	}
	batch := &pgx.Batch{}
	batch.Queue(o.become, service.Role, string(service.Claims))
	batch.Queue(name, args...).QueryRow(func(row pgx.Row) error { return row.Scan(dest...) })
	return sendOnce(ctx, conn, batch)
}

// sendOnce sends a pipeline, which is one transaction because it has no BEGIN.
func sendOnce(ctx context.Context, conn *pgxpool.Conn, batch *pgx.Batch) error {
	err := conn.SendBatch(ctx, batch).Close()
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Routine == "RevalidateCachedQuery" {
		// The columns have changed. Another connection prepares the query anew.
		_ = conn.Conn().Close(ctx)
	}
	return translate(err)
}

// prepareAs prepares a query on a connection unless that was done before. It is prepared as the subject,
// because the login may not use the schemas.
func prepareAs(ctx context.Context, conn *pgx.Conn, subject Subject, name, sql string) error {
	key, data := "research/db.once."+name, conn.PgConn().CustomData()
	if data[key] != nil {
		return nil
	}
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if err := become(ctx, tx, subject); err != nil {
			return err
		}
		_, err := tx.Prepare(ctx, name, sql)
		return err
	})
	if err == nil {
		data[key] = true
	}
	return err
}
