package db

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Listen calls notify for every notification on the channel, and with an empty payload as soon as it listens,
// since earlier notifications are lost. It returns when the context ends or the connection breaks.
func (s *Store) Listen(ctx context.Context, channel string, notify func(payload string)) error {
	raw, err := s.openListener(ctx)
	if err != nil {
		return translate(err)
	}
	defer func() { _ = raw.Close(context.WithoutCancel(ctx)) }()
	// PostgreSQL has nothing to cancel while a connection waits for notifications.
	defer context.AfterFunc(ctx, func() { _ = raw.PgConn().Conn().Close() })()
	if _, err := raw.Exec(ctx, "listen "+pgx.Identifier{channel}.Sanitize()); err != nil {
		return translate(err)
	}
	notify("")
	for {
		n, err := raw.WaitForNotification(ctx)
		if err != nil {
			return translate(err)
		}
		notify(n.Payload)
	}
}

// openListener returns a connection that does not go back to the pool.
func (s *Store) openListener(ctx context.Context) (*pgx.Conn, error) {
	if s.direct != "" {
		conn, err := Connect(ctx, s.direct)
		if err != nil {
			return nil, fmt.Errorf("DATABASE_DIRECT_URL: %w", err)
		}
		return conn, nil
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	return conn.Hijack(), nil
}
