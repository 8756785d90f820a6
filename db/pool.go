package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// Config says where the database is and how to connect.
type Config struct {
	// URL is a libpq connection string: an owner's, or one of the role authenticator.
	URL string
	// DirectURL is the same database without the pooler, where URL is a pooler that lends a connection for one
	// transaction. Nothing of a session is used then: no role and no prepared statements, and Listen connects
	// to DirectURL. Empty means that connections are the pool's own.
	DirectURL string
	// MaxConns is the size of the pool; zero means 20.
	MaxConns int32
	// ApplicationName is shown in pg_stat_activity; empty means "research".
	ApplicationName string
	// Roles are the roles of a database that is not ours; the zero value means ours. Only tools/conformance has
	// others.
	Roles Roles
	// Tracers records a span for each statement, without the values of its parameters; nil means no tracing.
	Tracers trace.TracerProvider
}

// defaultMaxConns keeps two programs on one machine well below PostgreSQL's default limit of 100 connections.
const defaultMaxConns = 20

// A Store is a pool of connections, used through AsUser, AsService, Run and Listen. It is safe for concurrent
// use.
type Store struct {
	pool     *pgxpool.Pool
	direct   string // Config.DirectURL
	roles    []string
	prepares bool // Run prepares statements; false for default_query_exec_mode=exec and the like
	tracer   trace.Tracer
}

// Roles are the database roles of a Store.
type Roles struct {
	// Login is the role that connections switch to.
	Login string
	// Subjects are the roles that a subject may have. The first is that of a subject without a role.
	Subjects []string
}

var ourRoles = Roles{Login: LoginServe, Subjects: []string{RoleAnon, RoleAuthenticated, RoleService}}

// Open creates a pool, and checks that the database answers and has the roles. The caller must close the
// Store.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if cfg.Roles.Login == "" {
		cfg.Roles = ourRoles
	}
	clean, _, err := ReadURL(cfg.URL)
	if err != nil {
		return nil, err
	}
	pc, err := pgxpool.ParseConfig(clean)
	if err != nil {
		return nil, urlError(clean, err)
	}
	fixSession(pc.ConnConfig)
	pc.MaxConns = defaultMaxConns
	if cfg.MaxConns > 0 {
		pc.MaxConns = cfg.MaxConns
	}
	if cfg.Tracers != nil {
		pc.ConnConfig.Tracer = newTracer(cfg.Tracers)
	}
	pc.MaxConnIdleTime = 5 * time.Minute
	name := "research"
	if cfg.ApplicationName != "" {
		name = cfg.ApplicationName
	}
	pc.ConnConfig.RuntimeParams["application_name"] = name
	pc.ConnConfig.BuildContextWatcherHandler = newCanceler
	pc.ConnConfig.OnPgError = keepsConnection
	pc.PrepareConn = isReusable
	pc.AfterConnect = newSession(cfg.Roles.Login)
	if cfg.DirectURL != "" {
		pc.AfterConnect = refuseOwner
		pc.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, fmt.Errorf("open the database pool: %w", err)
	}
	s := &Store{
		pool:     pool,
		direct:   cfg.DirectURL,
		roles:    cfg.Roles.Subjects,
		prepares: pc.ConnConfig.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement,
		tracer:   noop.NewTracerProvider().Tracer(""),
	}
	if cfg.Tracers != nil {
		s.tracer = cfg.Tracers.Tracer(tracerName)
	}
	if err := s.Ping(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return s, nil
}

// newSession returns the function that prepares a new connection: it switches to the role, unless a pooler
// lends the connection.
func newSession(role string) func(context.Context, *pgx.Conn) error {
	setUp := "select " + settingsExpr(false, Setting{"role", role})
	return func(ctx context.Context, conn *pgx.Conn) error {
		set, err := simply(ctx, conn, setUp+" where "+fmt.Sprintf(isDirect, conn.PgConn().PID()))
		if err == nil && set == "" { // behind a pooler
			if err := refuseLent(ctx, conn); err != nil {
				return err
			}
			_, err = simply(ctx, conn, setUp)
		}
		if err != nil {
			return fmt.Errorf("switch to the role %s: %w", role, err)
		}
		return nil
	}
}

// refuseOwner returns an error if the login may do more than the programs. They cannot switch to their roles
// behind a pooler: the role would stay with a connection that others use.
func refuseOwner(ctx context.Context, conn *pgx.Conn) error {
	var isOwner bool
	err := conn.QueryRow(ctx, `select pg_has_role(current_user, d.datdba, 'member')
		from pg_database d where d.datname = current_database()`).Scan(&isOwner)
	if err == nil && isOwner {
		return errOwnerBehindPooler
	}
	return err
}

var errOwnerBehindPooler = errors.New(
	"with DATABASE_DIRECT_URL, DATABASE_URL must log in as authenticator or research_worker")

// Ping checks that the database answers. Its error is ErrUnavailable with the cause, or ErrLent.
func (s *Store) Ping(ctx context.Context) error {
	err := s.pool.Ping(ctx)
	if errors.Is(err, errOwnerBehindPooler) {
		return errOwnerBehindPooler
	}
	if errors.Is(err, ErrLent) {
		return ErrLent
	}
	if err != nil {
		return unreachable(err)
	}
	return nil
}

// CheckWrites returns an error if the database can be read and not written.
func (s *Store) CheckWrites(ctx context.Context) error { return checkWrites(ctx, s.pool) }

// Stat returns the usage of the pool, for metrics.
func (s *Store) Stat() *pgxpool.Stat { return s.pool.Stat() }

// Close waits until every connection has been returned, then closes the pool.
func (s *Store) Close() { s.pool.Close() }
