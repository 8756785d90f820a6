package db

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// An Inspection describes a database to an operator before the programs use it.
type Inspection struct {
	Version  string // as PostgreSQL writes it: 17.6
	Number   int    // 170006
	Encoding string
	Login    string
	IsSuper  bool      // the login is a superuser
	Clock    time.Time // the database's clock
	// Lent is true for a pooler that lends its connections for one transaction.
	Lent bool
	// ReadOnly says why nothing can be written: a standby, or default_transaction_read_only; empty means that
	// the database can be written to.
	ReadOnly string
	// Ignored are the parameters of the connection string that mean nothing to the service.
	Ignored []string
	// Missing are the roles that do not exist, or that the login or authenticator may not become.
	Missing []string
	// Migrations compares the database's migrations with those of this program. If MigrationsHidden, the login
	// may not see them.
	Migrations       MigrationState
	MigrationsHidden bool
	// Gone are the objects that the migrations created and the database lacks, such as "table public.projects".
	// It is empty unless the database has exactly the migrations of this program.
	Gone []string
	// Widenings are what roles may do beyond what the migrations let them, and ForeignGrants describe the roles
	// that are not the service's and may use its objects. They are read where Gone is.
	Widenings     []Widening
	ForeignGrants []string
	// Occupied says which other program uses the database, and what to do. Empty means that none does.
	Occupied string
	// NamespaceID is the id of Temporal's namespace that belongs to the database. Empty means that there is none
	// yet, or that the login may not see it.
	NamespaceID string
}

const serverSQL = `
	select current_setting('server_version'), current_setting('server_version_num')::int,
		current_setting('server_encoding'), current_user, current_setting('is_superuser')::boolean,
		clock_timestamp(), ` + whyReadOnly

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
	conn, err := connectUnprepared(ctx, url)
	if err != nil {
		return Inspection{}, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var i Inspection
	if _, i.Ignored, err = ReadURL(url); err != nil {
		return i, err
	}
	err = conn.QueryRow(ctx, serverSQL).Scan(
		&i.Version, &i.Number, &i.Encoding, &i.Login, &i.IsSuper, &i.Clock, &i.ReadOnly)
	if err != nil {
		return i, unreachable(err)
	}
	switch err := refuseLent(ctx, conn); {
	case errors.Is(err, ErrLent):
		i.Lent = true
	case err != nil:
		return i, err
	}
	rows, err := conn.Query(ctx, missingRolesSQL)
	if err != nil {
		return i, unreachable(err)
	}
	if i.Missing, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		return i, unreachable(err)
	}
	i.Migrations, err = compareMigrations(ctx, conn)
	if errors.Is(err, ErrDenied) {
		i.MigrationsHidden = true
		return i, nil
	}
	if err != nil {
		return i, unreachable(err)
	}
	if m := i.Migrations; len(m.Missing)+len(m.Unknown)+len(m.Other) == 0 {
		if i.Gone, err = missingObjects(ctx, conn); err != nil {
			return i, unreachable(err)
		}
		if i.Widenings, i.ForeignGrants, err = inspectPrivileges(ctx, conn); err != nil {
			return i, unreachable(err)
		}
	}
	if i.Occupied, err = readOccupied(ctx, conn); err != nil {
		return i, unreachable(err)
	}
	if i.NamespaceID, err = recordedNamespace(ctx, conn); err != nil {
		return i, unreachable(err)
	}
	return i, nil
}

// recordedNamespace returns the id of Temporal's namespace that belongs to the database, or "".
func recordedNamespace(ctx context.Context, conn *pgx.Conn) (id string, err error) {
	err = readPrivate(ctx, conn, func(tx pgx.Tx) error {
		var exists bool
		err := tx.QueryRow(ctx, "select to_regclass('private.temporal_state') is not null").Scan(&exists)
		if err == nil && exists {
			err = tx.QueryRow(ctx, "select coalesce(namespace_id, '') from private.temporal_state").Scan(&id)
		}
		return err
	})
	if errors.Is(translate(err), ErrDenied) {
		return "", nil
	}
	return id, err
}
