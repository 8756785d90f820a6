package dbtest

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// ownerConns are connections of a database's owner that wait for the next statement of a test. A connection
// costs PostgreSQL a process, and tests execute thousands of statements.
type ownerConns struct {
	mu   sync.Mutex
	idle []*pgx.Conn
}

// ownerTimeout is how long a statement of a test may take.
const ownerTimeout = 2 * time.Minute

// use calls fn with a connection whose session is new.
func (o *ownerConns) use(ctx context.Context, url string, fn func(context.Context, *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(ctx, ownerTimeout)
	defer cancel()
	c, err := o.take(ctx, url)
	if err != nil {
		return err
	}
	err = fn(ctx, c)
	if c.IsClosed() || c.PgConn().TxStatus() != 'I' {
		_ = c.Close(context.WithoutCancel(ctx))
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.idle = append(o.idle, c)
	return err
}

// take returns an idle connection as if it were new, or a new one.
func (o *ownerConns) take(ctx context.Context, url string) (*pgx.Conn, error) {
	for {
		c := o.pop()
		if c == nil {
			break
		}
		// The server may have closed it, and the last statement may have changed settings.
		if exec(ctx, c, "discard all") == nil {
			return c, nil
		}
		_ = c.Close(context.WithoutCancel(ctx))
	}
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeDescribeExec // nothing outlives discard all
	return pgx.ConnectConfig(ctx, config)
}

func (o *ownerConns) pop() *pgx.Conn {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.idle) == 0 {
		return nil
	}
	c := o.idle[len(o.idle)-1]
	o.idle = o.idle[:len(o.idle)-1]
	return c
}

func (o *ownerConns) close(ctx context.Context) {
	for c := o.pop(); c != nil; c = o.pop() {
		_ = c.Close(ctx)
	}
}
