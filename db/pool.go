package db

import (
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
	pc, err := pgxpool.ParseConfig(cfg.URL)
	if err != nil {
		return nil, errNoURL
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
	pc.ConnConfig.BuildContextWatcherHandler = newCanceler
	pc.PrepareConn = isReusable
	pc.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		// Without statistics, PostgreSQL overestimates short statements, and compiles for 300 ms what runs for one.
		setUp := "set jit = off; set role " + pgx.Identifier{cfg.Roles.Login}.Sanitize()
		if _, err := conn.Exec(ctx, setUp); err != nil {
			return fmt.Errorf("switch to the role %s: %w", cfg.Roles.Login, err)
		}
		return nil
	}
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

// Ping checks that the database answers. Its error is ErrUnavailable, with the reason if PostgreSQL gave one.
func (s *Store) Ping(ctx context.Context) error {
	err := s.pool.Ping(ctx)
	if errors.Is(err, errOwnerBehindPooler) {
		return errOwnerBehindPooler
	}
	if err != nil {
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
