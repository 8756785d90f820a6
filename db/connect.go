package db

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

var errNoURL = errors.New("DATABASE_URL is not a PostgreSQL connection string")

// ParseURL reads a connection string. Its error has neither the URL nor its password, which the driver's has.
func ParseURL(url string) (*pgx.ConnConfig, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, errNoURL
	}
	return cfg, nil
}

// Connect opens a connection. Its error is ErrUnavailable, with the reason if PostgreSQL gave one.
func Connect(ctx context.Context, url string) (*pgx.Conn, error) {
	cfg, err := ParseURL(url)
	if err != nil {
		return nil, err
	}
	return connect(ctx, cfg)
}

// connectUnprepared is Connect for a connection that prepares no statements, because the URL may be a
// pooler's.
func connectUnprepared(ctx context.Context, url string) (*pgx.Conn, error) {
	cfg, err := ParseURL(url)
	if err != nil {
		return nil, err
	}
	cfg.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	return connect(ctx, cfg)
}

func connect(ctx context.Context, cfg *pgx.ConnConfig) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, unreachable(err)
	}
	return conn, nil
}
