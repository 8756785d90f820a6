package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// An Inspection describes a database to an operator before the programs use it.
type Inspection struct {
	Version  string // as PostgreSQL writes it: 17.6
	Number   int    // 170006
	Encoding string
	Login    string
	Clock    time.Time // the database's clock
	// Missing are the roles that do not exist, or that the login or authenticator may not become.
	Missing []string
	Pending int // migrations not yet applied; -1 means that the login may not see which are
	Ahead   int // applied migrations that this program does not know: a newer version applied them
}

const serverSQL = `
	select current_setting('server_version'), current_setting('server_version_num')::int,
		current_setting('server_encoding'), current_user, clock_timestamp()`

const missingRolesSQL = `
	select wanted
	from unnest(array['authenticator', 'anon', 'authenticated', 'service_role']) wanted
	left join pg_roles r on r.rolname = wanted
	left join pg_roles a on a.rolname = 'authenticator'
	where r.oid is null
		or not pg_has_role(current_user, r.oid, 'member')
		or wanted <> 'authenticator' and not coalesce(pg_has_role(a.oid, r.oid, 'member'), false)
	order by wanted`

// Inspect reads the state of a database and changes nothing. Its error is ErrUnavailable, with the reason if
// PostgreSQL gave one.
func Inspect(ctx context.Context, url string) (Inspection, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return Inspection{}, fmt.Errorf("DATABASE_URL is not a PostgreSQL connection string")
	}
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return Inspection{}, unreachable(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var i Inspection
	err = conn.QueryRow(ctx, serverSQL).Scan(&i.Version, &i.Number, &i.Encoding, &i.Login, &i.Clock)
	if err != nil {
		return i, unreachable(err)
	}
	rows, err := conn.Query(ctx, missingRolesSQL)
	if err != nil {
		return i, unreachable(err)
	}
	if i.Missing, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		return i, unreachable(err)
	}
	known, applied, err := countMigrations(ctx, conn)
	if errors.Is(translate(err), ErrDenied) {
		i.Pending = -1
		return i, nil
	}
	if err != nil {
		return i, unreachable(err)
	}
	i.Pending, i.Ahead = max(known-applied, 0), max(applied-known, 0)
	return i, nil
}
