package db

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// errOccupied means that another program uses the database.
var errOccupied = errors.New("the database is not the service's")

// A database is occupied if it has what another program put where the migrations put theirs: anything in the
// schemas auth and private, or a table, view or type of one of our names in the schema public.
const occupiedSQL = `
	select x.name, exists (select from pg_roles where rolname in ('supabase_admin', 'supabase_auth_admin'))
	from (
		select 'schema auth' as name, 1 as place from pg_namespace where nspname = 'auth'
		union all
		select 'schema private', 2
		from pg_namespace n
		where n.nspname = 'private' and (
			exists (select from pg_class c where c.relnamespace = n.oid and c.relname !~ '^migrations(_|$)')
			or exists (select from pg_proc p where p.pronamespace = n.oid))
		union all
		select k.kind || ' ' || n.nspname || '.' || c.relname, 3
		from pg_class c
		join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
		join (values ('r', 'table'), ('p', 'table'), ('f', 'table'), ('v', 'view'), ('m', 'view')) k (relkind, kind)
			on k.relkind = c.relkind::text
		union all
		select 'type ' || n.nspname || '.' || t.typname, 4
		from pg_type t
		join pg_namespace n on n.oid = t.typnamespace and n.nspname = 'public'
		where t.typtype in ('e', 'd')
	) x
	order by x.place, x.name`

// readOccupied returns why the database cannot be migrated, because another program uses it, and what to do;
// "" if it can.
func readOccupied(ctx context.Context, conn *pgx.Conn) (reason string, err error) {
	// The migrations may be applied concurrently: one snapshot has either some or none.
	snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = pgx.BeginTxFunc(ctx, conn, snapshot, func(tx pgx.Tx) error {
		applied, err := hasMigrations(ctx, tx)
		if err != nil || applied {
			return err
		}
		rows, err := tx.Query(ctx, occupiedSQL)
		if err != nil {
			return err
		}
		var taken []string
		var name string
		var isSupabase bool
		_, err = pgx.ForEachRow(rows, []any{&name, &isSupabase}, func() error {
			if strings.HasPrefix(name, "schema ") || isMigrated(name) || isMigrated(otherKind(name)) {
				taken = append(taken, name)
			}
			return nil
		})
		if len(taken) > 0 {
			reason = describeOccupied(taken, isSupabase)
		}
		return err
	})
	if isState(err, "42501") {
		return "", nil // the login may not see the migrations, so they are the service's
	}
	return reason, err
}

// otherKind returns the name of a view for that of a table, and the reverse: no schema may have both.
func otherKind(name string) string {
	if view, ok := strings.CutPrefix(name, "view "); ok {
		return "table " + view
	}
	return "view " + strings.TrimPrefix(name, "table ")
}

// hasMigrations reports whether a migration has been applied.
func hasMigrations(ctx context.Context, tx pgx.Tx) (applied bool, err error) {
	const exists = `select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where n.nspname || '.' || c.relname = $1)`
	if err := tx.QueryRow(ctx, exists, versionTable).Scan(&applied); err != nil || !applied {
		return false, err
	}
	err = tx.QueryRow(ctx, "select exists (select from "+versionTable+" where version_id > 0)").Scan(&applied)
	return applied, err
}

func describeOccupied(taken []string, isSupabase bool) string {
	whose := "another program"
	if isSupabase && taken[0] == "schema auth" {
		whose = "Supabase"
	}
	return fmt.Sprintf("%s has %s in this database, and the service needs one of its own: "+
		"let DATABASE_URL end in /research after you have run: create database research", whose, Summarize(taken))
}
