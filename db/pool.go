package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// Config says where the database is and how to connect.
type Config struct {
	// URL is a libpq connection string: an owner's, or one of the role authenticator.
	URL string
	// MaxConns is the size of the pool; zero means 20.
	MaxConns int32
	// Login is the role that each connection switches to; empty means authenticator.
	Login string
	// Roles are the roles that a subject may have, the anonymous one first; empty means anon, authenticated and
	// service_role.
	Roles []string
	// ApplicationName is shown in pg_stat_activity; empty means "research".
	ApplicationName string
	// Tracers records a span for each statement, without the values of its parameters; nil means no tracing.
	Tracers trace.TracerProvider
}

// defaultMaxConns keeps two programs of one machine well below PostgreSQL's default limit of 100 connections.
const defaultMaxConns = 20

// A Store is a pool of connections, reached through AsUser, AsService and Run. It is safe for concurrent use.
type Store struct {
	pool   *pgxpool.Pool
	roles  []string
	tracer trace.Tracer
}

// Open creates a pool, and checks that the database answers and has our roles. The caller must close the
// Store.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	pc, err := pgxpool.ParseConfig(cfg.URL)
	if err != nil {
		// The driver's message repeats the URL, password included.
		return nil, fmt.Errorf("DATABASE_URL is not a PostgreSQL connection string")
	}
	pc.MaxConns = defaultMaxConns
	if cfg.MaxConns > 0 {
		pc.MaxConns = cfg.MaxConns
	}
	if cfg.Tracers != nil {
		pc.ConnConfig.Tracer = newTracer(cfg.Tracers)
	}
	pc.MaxConnIdleTime = 5 * time.Minute
	pc.ConnConfig.ConnectTimeout = 5 * time.Second
	name := "research"
	if cfg.ApplicationName != "" {
		name = cfg.ApplicationName
	}
	pc.ConnConfig.RuntimeParams["application_name"] = name
	login := cmp.Or(cfg.Login, "authenticator")
	pc.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, "set role "+pgx.Identifier{login}.Sanitize()); err != nil {
			return fmt.Errorf("switch to the role %s: %w", login, err)
		}
		return nil
	}
	roles := cfg.Roles
	if len(roles) == 0 {
		roles = []string{RoleAnon, RoleAuthenticated, RoleService}
	}
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, fmt.Errorf("open the database pool: %w", err)
	}
	s := &Store{pool: pool, roles: roles, tracer: noop.NewTracerProvider().Tracer("")}
	if cfg.Tracers != nil {
		s.tracer = cfg.Tracers.Tracer(tracerName)
	}
	if err := s.Ping(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return s, nil
}

// Ping checks that the database answers. Its error is ErrUnavailable, with the reason if PostgreSQL gave one.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.pool.Ping(ctx); err != nil {
		return unreachable(err)
	}
	return nil
}

// unreachable says why the database cannot be used, without the host, user and password that the driver's
// text has.
func unreachable(err error) error {
	reason := "reach the database"
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch pg.Code {
		case "28P01", "28000":
			reason = "log in to the database: the user or the password is wrong"
		case "3D000":
			reason = "log in to the database: there is no database of this name"
		case "22023": // set role: role "authenticator" does not exist
			reason = "use the database: it is not migrated (research migrate)"
		case "42501":
			reason = "use the database: the login is neither its owner nor authenticator"
		case "53300":
			reason = "log in to the database: it has no free connection"
		}
	}
	return fmt.Errorf("%s: %w", reason, &unavailableError{err})
}

// Stat returns the usage of the pool, for metrics.
func (s *Store) Stat() *pgxpool.Stat { return s.pool.Stat() }

// Close waits until every connection has been returned, then closes the pool.
func (s *Store) Close() { s.pool.Close() }
