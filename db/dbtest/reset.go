package dbtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// maxTableBytes is the size of a table that is emptied by deleting its rows. What they leave behind would
// change the plans of later queries in a larger one.
const maxTableBytes = 64 << 10

var errTooLarge = errors.New("a table is too large to be emptied")

// invalidCatalogName is the SQLSTATE of a database that does not exist.
const invalidCatalogName = "3D000"

// A template is the migrated database of which every test gets a clone, and what the clones have in common.
type template struct {
	name string
	// reuse is whether clones serve several tests. Only a superuser can empty tables without their triggers.
	reuse    bool
	mu       sync.Mutex
	pristine state // of a clone that no test has used
}

// take returns the name of a database that only the caller knows: one that was given back, else a clone.
func (p *template) take(ctx context.Context, server string) (name string, err error) {
	name = "test_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	err = onServer(ctx, server, func(c *pgx.Conn) error {
		if taken, err := p.takeFree(ctx, c, name); taken || err != nil {
			return err
		}
		return exec(ctx, c, fmt.Sprintf("create database %s template %s", name, p.name))
	})
	if err != nil || !p.reuse {
		return name, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pristine == nil {
		err = onServer(ctx, withDatabase(server, name), func(c *pgx.Conn) (err error) {
			p.pristine, err = readState(ctx, c, nil)
			return err
		})
	}
	return name, err
}

// takeFree renames a free database, unless there is none. Others may be faster.
func (p *template) takeFree(ctx context.Context, c *pgx.Conn, name string) (taken bool, err error) {
	for {
		var free string
		err := c.QueryRow(ctx, "select datname from pg_database where datname like $1 order by random() limit 1",
			p.free("%")).Scan(&free)
		if errors.Is(err, pgx.ErrNoRows) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		err = exec(ctx, c, fmt.Sprintf("alter database %s rename to %s", free, name))
		var refused *pgconn.PgError
		if errors.As(err, &refused) && refused.Code == invalidCatalogName {
			continue
		}
		return err == nil, err
	}
}

// giveBack empties a database for another test. One that differs from the template is dropped instead.
func (p *template) giveBack(ctx context.Context, server, name string) error {
	same := false
	if p.reuse {
		err := onServer(ctx, withDatabase(server, name), func(c *pgx.Conn) (err error) {
			same, err = p.pristine.restore(ctx, c)
			return err
		})
		// A test may have left the database in any state, such as without connections.
		same = same && err == nil
	}
	return onServer(ctx, server, func(c *pgx.Conn) error {
		if same {
			return exec(ctx, c, fmt.Sprintf("alter database %s rename to %s", name,
				p.free(strings.TrimPrefix(name, "test_"))))
		}
		return exec(ctx, c, fmt.Sprintf("drop database %s with (force)", name))
	})
}

// dropOthers drops the free databases of other versions of the migrations.
func (p *template) dropOthers(ctx context.Context, c *pgx.Conn) error {
	rows, err := c.Query(ctx, `select datname from pg_database
		where datname like 'free\_%' and datname not like $1`, p.free("%"))
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, name := range names {
		err = errors.Join(err, exec(ctx, c, fmt.Sprintf("drop database if exists %s with (force)", name)))
	}
	return err
}

// free is the name of a database that no test uses.
func (p *template) free(suffix string) string {
	return "free_" + strings.TrimPrefix(p.name, "template_") + "_" + suffix
}

// A state is what a database contains: the rows of each table that has some, as JSON, the position of each
// sequence that was used, and what has changed in the catalog.
type state map[string]string

// catalogs are the tables of the catalog that DDL changes: it adds rows, removes some, or writes them again
// in a later transaction. The rows of the system itself are left out where they are many.
var catalogs = []string{
	"pg_class where oid >= 16384", "pg_attribute where attrelid >= 16384", "pg_attrdef", "pg_constraint",
	"pg_index", "pg_sequence", "pg_trigger", "pg_policy", "pg_rewrite", "pg_proc", "pg_type", "pg_enum",
	"pg_namespace", "pg_extension", "pg_default_acl", "pg_description", "pg_event_trigger", "pg_statistic",
	"pg_statistic_ext", "pg_largeobject_metadata",
	"pg_db_role_setting where setdatabase = (select oid from pg_database where datname = current_database())",
}

// someRows is the content of a table that was not read.
const someRows = "["

// readState returns the state of a database. Where it is to be compared with another state, tables that are
// not in that one are not read, and those that were written to have someRows; the error is errTooLarge if one
// has become too large.
func readState(ctx context.Context, c *pgx.Conn, compared state) (state, error) {
	rows, err := c.Query(ctx, `
		select oid::regclass::text, relkind::text, bytes from pg_class, pg_relation_size(oid) bytes
		where relkind in ('r', 't', 'S') and oid >= 16384 and bytes > 0
			and (relkind <> 'S' or pg_sequence_last_value(oid) is not null)`)
	if err != nil {
		return nil, err
	}
	queries := []string{`
		select 'catalog of databases', concat_ws(' ', datdba, datallowconn, datconnlimit, datacl)
		from pg_database where datname = current_database()`}
	for i, catalog := range catalogs {
		content := "select concat(count(*), '/', max(xmin::text::bigint)) from " + catalog
		queries = append(queries, fmt.Sprintf("select 'catalog %d', (%s)", i, content))
	}
	s := state{}
	var name, kind string
	var bytes int64
	_, err = pgx.ForEachRow(rows, []any{&name, &kind, &bytes}, func() error {
		switch {
		case compared != nil && bytes > maxTableBytes:
			return errTooLarge
		case kind == "t": // it belongs to a table
		case kind == "S":
			queries = append(queries, fmt.Sprintf("select '%s', last_value::text from %[1]s", name))
		case compared != nil && compared[name] == "":
			s[name] = someRows
		default:
			queries = append(queries, rowsOf(name))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, s.read(ctx, c, queries)
}

// rowsOf is a query for the name of a table and its rows.
func rowsOf(table string) string {
	return fmt.Sprintf("select '%s', (select jsonb_agg(x order by x::text)::text from %[1]s x)", table)
}

// read adds the results of queries, which are names with contents.
func (s state) read(ctx context.Context, c *pgx.Conn, queries []string) error {
	// The simple protocol: these statements are not worth preparing.
	rows, err := c.Query(ctx, strings.Join(queries, " union all "), pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return err
	}
	var name string
	var content *string
	_, err = pgx.ForEachRow(rows, []any{&name, &content}, func() error {
		if content != nil {
			s[name] = *content
		}
		return nil
	})
	return err
}

// restore makes the database of a connection have the state s, as far as rows can. It reports whether the
// database is the same now.
func (s state) restore(ctx context.Context, c *pgx.Conn) (same bool, err error) {
	// Programs that a test has started may still be about to disconnect.
	if _, err := c.Exec(ctx, `select pg_terminate_backend(pid, 10000) from pg_stat_activity
		where datname = current_database() and pid <> pg_backend_pid()`); err != nil {
		return false, err
	}
	current, err := readState(ctx, c, s)
	if errors.Is(err, errTooLarge) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	undo := []string{"set session_replication_role = replica"} // no triggers and no foreign keys
	for name, content := range current {
		switch {
		case content == s[name]:
		case strings.HasPrefix(name, "catalog "):
			return false, nil
		case strings.HasPrefix(content, "["):
			undo = append(undo, "delete from "+name)
		default:
			undo = append(undo,
				fmt.Sprintf("select setval('%s', %s, %t)", name, cmp.Or(s[name], "1"), s[name] != ""))
		}
	}
	var written []string // queries for the tables whose rows are written again
	for name, content := range s {
		if content != current[name] && strings.HasPrefix(content, "[") {
			written = append(written, rowsOf(name))
			undo = append(undo, fmt.Sprintf("insert into %s select * from jsonb_populate_recordset(null::%[1]s, '%s')",
				name, strings.ReplaceAll(content, "'", "''")))
		}
	}
	if _, err := c.PgConn().Exec(ctx, strings.Join(undo, "; ")).ReadAll(); err != nil || len(written) == 0 {
		return err == nil, err
	}
	restored := state{}
	if err := restored.read(ctx, c, written); err != nil {
		return false, err
	}
	for name, content := range restored {
		if content != s[name] {
			return false, nil
		}
	}
	return len(restored) == len(written), nil
}
