package db

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// schemaList has a line for each object of a database with all migrations: tables, columns, views, functions,
// triggers, policies and so on. `go run . dev -- go test ./db -run TestSchema -update` writes it.
//
//go:embed schema.txt
var schemaList string

// schemaSQL lists the objects of a database that work. Disabled triggers and invalid indexes do not. NOT NULL
// is left out, since it is a constraint in some versions of PostgreSQL only.
const schemaSQL = `
	with ours as (
		select c.oid, c.relkind, n.nspname || '.' || c.relname as name
		from pg_class c
		join pg_namespace n on n.oid = c.relnamespace
		where n.nspname in ('public', 'private', 'auth')
	)
	select 'table ' || o.name from ours o where o.relkind in ('r', 'p')
	union all
	select 'view ' || o.name from ours o where o.relkind in ('v', 'm')
	union all
	select 'column ' || a.attname || ' of ' || o.name
	from pg_attribute a
	join ours o on o.oid = a.attrelid and o.relkind in ('r', 'p')
	where a.attnum > 0 and not a.attisdropped
	union all
	select 'index ' || c.relname || ' of ' || o.name
	from pg_index i
	join pg_class c on c.oid = i.indexrelid
	join ours o on o.oid = i.indrelid
	where i.indisvalid and not exists (
		select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
	union all
	select 'constraint ' || k.conname || ' of ' || o.name
	from pg_constraint k
	join ours o on o.oid = k.conrelid
	where k.contype <> 'n' and k.conparentid = 0
	union all
	select 'trigger ' || t.tgname || ' of ' || o.name
	from pg_trigger t
	join ours o on o.oid = t.tgrelid
	where not t.tgisinternal and t.tgenabled <> 'D'
	union all
	select 'policy ' || p.polname || ' of ' || o.name from pg_policy p join ours o on o.oid = p.polrelid
	union all
	select 'function ' || n.nspname || '.' || f.proname || '(' || oidvectortypes(f.proargtypes) || ')'
	from pg_proc f
	join pg_namespace n on n.oid = f.pronamespace
	where n.nspname in ('public', 'private', 'auth')
	union all
	select 'type ' || n.nspname || '.' || t.typname
	from pg_type t
	join pg_namespace n on n.oid = t.typnamespace
	where n.nspname in ('public', 'private', 'auth') and t.typtype in ('e', 'd')`

// readSchema returns the objects of a database in the form of schemaList, sorted.
func readSchema(ctx context.Context, conn *pgx.Conn) (objects []string, err error) {
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		// PostgreSQL writes types of schemas that are not in the search path with the schema.
		if _, err := tx.Exec(ctx, "select "+settingsExpr(true, Setting{"search_path", ""})); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, schemaSQL)
		if err != nil {
			return err
		}
		objects, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the catalog: %w", err)
	}
	slices.Sort(objects)
	return objects, nil
}

// missingObjects returns the objects that the migrations create and the database lacks; for a missing table,
// only the table.
func missingObjects(ctx context.Context, conn *pgx.Conn) (missing []string, err error) {
	objects, err := readSchema(ctx, conn)
	if err != nil {
		return nil, err
	}
	exists := make(map[string]bool, len(objects))
	for _, object := range objects {
		exists[object] = true
	}
	for object := range strings.Lines(schemaList) {
		object = strings.TrimSuffix(object, "\n")
		_, table, isPart := strings.Cut(object, " of ")
		if !exists[object] && (!isPart || exists["table "+table]) {
			missing = append(missing, object)
		}
	}
	return missing, nil
}
