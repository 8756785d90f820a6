package db

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
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
	scan := func(dest ...any) error {
		return o.store.runOnce(ctx, queryName(sql), o.become, call{sql, args, dest})
	}
	if o.used {
		scan = func(...any) error { return errNotOnce }
	}
	o.used = true
	return rowFunc(scan)
}

type rowFunc func(dest ...any) error

func (f rowFunc) Scan(dest ...any) error { return f(dest...) }

// A call is a statement with its arguments, and where its row goes; nil means that it returns none.
type call struct {
	sql        string
	args, dest []any
}

// runOnce runs calls as the service, in a pipeline, which is one transaction because it has no BEGIN. span is the name
// of what is traced.
func (s *Store) runOnce(ctx context.Context, span, become string, calls ...call) (err error) {
	ctx = startSQL(ctx, s.tracer, span)
	defer func() { endSQL(ctx, err) }()
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return translate(err)
	}
	defer conn.Release()
	batch := &pgx.Batch{}
	batch.Queue(become, service.Role, string(service.Claims))
	for _, c := range calls {
		name := queryName(c.sql)
		if err := prepareAs(ctx, conn.Conn(), service, name, c.sql); err != nil {
			return translate(err)
		}
		queued := batch.Queue(name, c.args...)
		if c.dest != nil {
			queued.QueryRow(func(row pgx.Row) error { return row.Scan(c.dest...) })
		}
	}
	err = conn.SendBatch(ctx, batch).Close()
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
