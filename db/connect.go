package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// ignoredParameters are those of other clients, which providers put into the connection strings that they
// show. They change nothing here: how the other client prepares, pools and keeps its connections.
var ignoredParameters = []string{
	"ApplicationName", "binaryTransfer", "command_timeout", "connection_limit", "fallback_application_name",
	"keepalives", "keepalives_count", "keepalives_idle", "keepalives_interval", "loginTimeout",
	"load_balance_hosts", "max_idle_connection_lifetime", "pgbouncer", "pool_max_conn_idle_time",
	"pool_max_conn_lifetime", "pool_max_conns", "pool_min_conns", "pool_timeout", "prepareThreshold",
	"prepared_statement_cache_size", "prepared_statements", "reWriteBatchedInserts", "socketTimeout",
	"socket_timeout", "statement_cache_size", "supa", "tcpKeepAlive", "tcp_user_timeout", "uselibpqcompat",
}

// ReadURL returns a connection string as the driver and PostgreSQL's own programs read it, and the names of
// the parameters that it leaves out. Its error names what is wrong, and no value but that of schema.
func ReadURL(text string) (clean string, ignored []string, err error) {
	u, err := url.Parse(text)
	if err != nil {
		return "", nil, errNoURL
	}
	given := u.Query()
	var kept []string
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		isSchema := name == "schema" || name == "currentSchema" // Prisma's and JDBC's
		switch {
		case pair == "", name == "sslmode": // modeOfTLS has it
		case slices.Contains(ignoredParameters, name), isSchema && value == "public",
			name == "gssencmode" && value != "require", name == "ssl", name == "sslaccept":
			ignored = append(ignored, name)
		case isSchema:
			return "", nil, fmt.Errorf("DATABASE_URL has %s=%s: the service uses the schemas public, auth and "+
				"private of a database of its own; remove the parameter", name, value)
		case name == "gssencmode":
			return "", nil, errors.New("DATABASE_URL has gssencmode=require, which the service does not speak: " +
				"write sslmode=verify-full, which encrypts as well")
		default:
			kept = append(kept, pair)
		}
	}
	if mode := modeOfTLS(given); mode != "" {
		kept = append(kept, "sslmode="+url.QueryEscape(mode))
	}
	u.RawQuery = strings.Join(kept, "&")
	slices.Sort(ignored)
	return u.String(), ignored, nil
}

// modeOfTLS returns the sslmode that a connection string asks for, in the words of whichever client; "" means
// the driver's default. sslmode counts before ssl, and of several values the strictest: the driver would take
// the last one, so that ssl=true after sslmode=verify-full would verify nothing.
func modeOfTLS(given url.Values) string {
	mode := ""
	for _, value := range given["sslmode"] {
		if value == "no-verify" { // node-postgres': encrypted, whoever the server is
			value = "require"
		}
		if !slices.Contains(modesOfTLS, value) {
			return value // urlError says what to write
		}
		if slices.Index(modesOfTLS, value) > slices.Index(modesOfTLS, mode) {
			mode = value
		}
	}
	ssl := given.Get("ssl") // JDBC's and node-postgres'
	switch {
	case mode == "" && (ssl == "false" || ssl == "0"):
		mode = "disable"
	case mode == "" && given.Has("ssl"):
		mode = "require"
	}
	if mode == "require" && given.Get("sslaccept") == "strict" { // Prisma's
		mode = "verify-full"
	}
	return mode
}

// modesOfTLS are the values of sslmode, the strictest last.
var modesOfTLS = []string{"disable", "allow", "prefer", "require", "verify-ca", "verify-full"}

// errNoURL does not repeat the value, which contains a password.
var errNoURL = errors.New("DATABASE_URL is not a PostgreSQL connection string")

// ParseURL reads a connection string. Its error has no password, which the driver's has.
func ParseURL(text string) (*pgx.ConnConfig, error) {
	clean, _, err := ReadURL(text)
	if err != nil {
		return nil, err
	}
	cfg, err := pgx.ParseConfig(clean)
	if err != nil {
		return nil, urlError(clean, err)
	}
	fixSession(cfg)
	return cfg, nil
}

// urlError says why the driver does not accept a connection string, without its text.
func urlError(clean string, err error) error {
	var file *fs.PathError
	if errors.As(err, &file) {
		return fmt.Errorf("DATABASE_URL names the file %s, which cannot be read: %w", file.Path, file.Err)
	}
	u, parseErr := url.Parse(clean)
	if parseErr != nil {
		return errNoURL
	}
	query := u.Query()
	for name, values := range map[string][]string{
		"sslmode": modesOfTLS,
		"target_session_attrs": {
			"any", "read-write", "read-only", "primary", "standby", "prefer-standby",
		},
		"channel_binding": {"disable", "prefer", "require"},
	} {
		if query.Has(name) && !slices.Contains(values, query.Get(name)) {
			return fmt.Errorf("DATABASE_URL has an unknown %s: write one of %s", name, strings.Join(values, ", "))
		}
	}
	for name := range query {
		u.RawQuery = without(query, name).Encode()
		if _, err := pgx.ParseConfig(u.String()); err == nil {
			return fmt.Errorf("DATABASE_URL has a %s that cannot be read: correct or remove it", name)
		}
	}
	return errNoURL
}

// without returns parameters without one of them.
func without(parameters url.Values, name string) url.Values {
	others := maps.Clone(parameters)
	others.Del(name)
	return others
}

// Connect opens a connection to the database itself, for the whole session. Its error is ErrUnavailable with
// the cause, or ErrLent.
func Connect(ctx context.Context, text string) (*pgx.Conn, error) {
	cfg, err := ParseURL(text)
	if err != nil {
		return nil, err
	}
	conn, err := connect(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := refuseLent(ctx, conn); err != nil {
		_ = conn.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	return conn, nil
}

// connectUnprepared is Connect for a connection that prepares no statements and needs no session, because the
// URL may be a pooler's.
func connectUnprepared(ctx context.Context, text string) (*pgx.Conn, error) {
	cfg, err := ParseURL(text)
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
