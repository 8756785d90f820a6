package db

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
)

const (
	// cancelWait is how long a connection waits for PostgreSQL to stop a statement whose context has ended.
	// PostgreSQL notices a cancel request within a second, so that only a broken network exceeds it.
	cancelWait = 5 * time.Second
	// cancelAgain is when the request is repeated. PostgreSQL ignores one that arrives between two messages of a
	// pipeline.
	cancelAgain = 200 * time.Millisecond
)

// canceledKey is where the custom data of a connection says that a statement was canceled on it.
const canceledKey = "research/db.canceled"

// A canceler asks PostgreSQL to cancel the statement when its context ends, and waits until it has stopped.
// pgx's default closes the connection at once, so that the pool opens the next one while PostgreSQL still
// works for the first.
type canceler struct {
	conn *pgconn.PgConn
	stop context.CancelFunc
	done chan struct{}
}

func newCanceler(conn *pgconn.PgConn) ctxwatch.Handler { return &canceler{conn: conn} }

// HandleCancel implements ctxwatch.Handler.
func (c *canceler) HandleCancel(ended context.Context) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ended), cancelWait)
	c.stop, c.done = stop, make(chan struct{})
	_ = c.conn.Conn().SetDeadline(time.Now().Add(cancelWait))
	go func() {
		defer close(c.done)
		for ctx.Err() == nil {
			_ = c.conn.CancelRequest(ctx)
			select {
			case <-ctx.Done():
			case <-time.After(cancelAgain):
			}
		}
	}()
}

// HandleUnwatchAfterCancel implements ctxwatch.Handler.
func (c *canceler) HandleUnwatchAfterCancel() {
	c.stop()
	<-c.done
	_ = c.conn.Conn().SetDeadline(time.Time{})
	c.conn.CustomData()[canceledKey] = true
}

// isReusable reports whether a connection of the pool may be used again. A cancel request that arrives late
// would cancel the next statement, of somebody else.
func isReusable(_ context.Context, conn *pgx.Conn) (bool, error) {
	return conn.PgConn().CustomData()[canceledKey] == nil, nil
}

// ofContext returns the error of the context if err says that the statement was canceled because it ended,
// and else err.
func ofContext(ctx context.Context, err error) error {
	var pg *pgconn.PgError
	if ctx.Err() != nil && errors.As(err, &pg) && pg.Code == "57014" {
		return ctx.Err()
	}
	return err
}
