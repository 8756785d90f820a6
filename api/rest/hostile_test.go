package rest_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/api/rest"
	"research/api/rest/query"
	"research/db/dbtest"
)

// hostileBytes is nearly the largest body of a request.
const hostileBytes = 9 << 20

// hostileTimeout is the statement timeout, and hostileDeadline when a request must have ended: long after the
// timeout, since machines can be slow, but long before a statement that cannot be interrupted would end.
const (
	hostileTimeout  = 8 * time.Second
	hostileDeadline = 30 * time.Second
)

// Whatever is served is listed by the catalog, so that no new function, table or column is left out: inputs
// of hostile size and shape end within the statement timeout, and are the client's error.
func TestHostileInputs(t *testing.T) {
	t.Parallel()
	e := begin(t, func(cfg *rest.Config, _ *dbtest.DB) {
		cfg.MaxAnswerBytes, cfg.StatementTimeout = 10<<20, hostileTimeout
	})
	importID := fillHostile(t, e)
	owner := e.as(t, e.Owner)
	ends := func(t *testing.T, method, path, body string, headers ...string) {
		t.Helper()
		e.Exec(t, "delete from private.write_budgets") // which would reject most of the writes
		start := time.Now()
		a := owner.do(method, path, body, headers...)
		require.Less(t, time.Since(start), hostileDeadline, "%s %.150s", method, path)
		if a.code() != "57014" { // the statement timeout
			require.Less(t, a.status, 500, "%s %.150s: %.300s", method, path, a.body)
		}
		if a.status >= 300 {
			require.Less(t, len(a.body), 5000, "%s %.150s: %.300s", method, path, a.body)
		}
	}

	for _, f := range servedFunctions(t, e) {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			arguments := map[string]any{}
			for i, typ := range f.Types {
				value := hostileValue(t, e, typ)
				switch f.Parameters[i] { // so that the rest of the function runs
				case "project", "project_id":
					value = e.Project
				case "workspace", "workspace_id":
					value = e.Workspace
				case "import", "import_id":
					value = importID
				}
				arguments[f.Parameters[i]] = value
			}
			body, err := json.Marshal(arguments)
			require.NoError(t, err)
			ends(t, http.MethodPost, "/rpc/"+f.Name, string(body))
		})
	}

	operators := slices.Concat(query.Comparisons, query.Searches, []query.Operator{query.OperatorIn})
	tested := map[string]bool{} // types whose values are short
	for _, table := range servedTables(t, e) {
		byType := table.columnsByType()
		for typ := range byType {
			if isShort := !isText(typ) && !strings.HasSuffix(typ, "[]") && typ != "jsonb"; isShort && tested[typ] {
				delete(byType, typ)
			} else {
				tested[typ] = true
			}
		}
		t.Run(table.Name, func(t *testing.T) {
			t.Parallel()
			for typ, columns := range byType {
				for _, operator := range operators {
					filter := hostileFilter(operator, typ, len(columns))
					var each []string
					for _, column := range columns {
						each = append(each, column+"."+filter)
					}
					ends(t, http.MethodGet, "/"+table.Name+"?limit=1&or="+
						url.QueryEscape("("+strings.Join(each, ",")+")"), "")
				}
			}
			if !table.Insertable {
				return
			}
			row := map[string]any{}
			texts := 0
			for _, c := range table.Columns {
				if isText(c.Type) {
					texts++
				}
			}
			for _, c := range table.Columns {
				switch {
				case c.Name == "project_id":
					row[c.Name] = e.Project
				case c.Name == "workspace_id":
					row[c.Name] = e.Workspace
				case c.Name == "import_id":
					row[c.Name] = importID
				case isText(c.Type):
					row[c.Name] = strings.Repeat("a", hostileBytes/texts-100)
				}
			}
			body, err := json.Marshal(row)
			require.NoError(t, err)
			ends(t, http.MethodPost, "/"+table.Name, string(body))
			ends(t, http.MethodPatch, "/"+table.Name+"?"+table.Columns[0].Name+"=not.is.null", string(body))
		})
	}
}

// fillHostile adds rows with the longest values that almost match.
func fillHostile(t *testing.T, e *edge) uuid.UUID {
	t.Helper()
	importID := e.addImport(t, strings.Repeat("a", 65536), 3)
	e.Exec(t, `insert into private.transcripts (import_id, body)
		values ($1, convert_to(repeat(repeat('a', 65536) || e'\n', 3), 'UTF8'))`, importID)
	e.Exec(t, `insert into evidence (project_id, quote, summary, rationale)
		select $1, repeat('a', 100000), repeat('a', 20000), repeat('a', 20000) from generate_series(1, 3)`,
		e.Project)
	e.Exec(t, `insert into personas (project_id, name, description) values ($1, 'P', repeat('a', 20000))`,
		e.Project)
	e.Exec(t, `insert into hypotheses (project_id, statement) values ($1, repeat('a', 1000))`, e.Project)
	return importID
}

type servedFunction struct {
	Name              string
	Parameters, Types []string
}

func servedFunctions(t *testing.T, e *edge) (list []servedFunction) {
	t.Helper()
	e.AsOwner(t, func(c *pgx.Conn) {
		rows, err := c.Query(t.Context(), `
			select p.proname as name,
				coalesce(p.proargnames[1:p.pronargs], '{}') as parameters,
				array(select format_type(a, null) from unnest(p.proargtypes) a) as types
			from pg_proc p
			where p.pronamespace = 'public'::regnamespace and p.prorettype <> 'trigger'::regtype
				and (has_function_privilege('anon', p.oid, 'execute')
					or has_function_privilege('authenticated', p.oid, 'execute'))
			order by 1`)
		require.NoError(t, err)
		list, err = pgx.CollectRows(rows, pgx.RowToStructByName[servedFunction])
		require.NoError(t, err)
	})
	require.NotEmpty(t, list)
	return list
}

// hostileValue is the worst argument of a type.
func hostileValue(t *testing.T, e *edge, typ string) any {
	t.Helper()
	switch typ {
	case "text", "character varying":
		return strings.Repeat("a", hostileBytes)
	case "text[]":
		return slices.Repeat([]string{"a"}, hostileBytes/4)
	case "uuid":
		return uuid.New()
	case "uuid[]":
		return slices.Repeat([]uuid.UUID{uuid.New()}, hostileBytes/40)
	case "integer":
		return 1<<31 - 1
	case "bigint":
		return 1<<53 - 1
	case "boolean":
		return true
	case "json", "jsonb":
		return slices.Repeat([]map[string]string{{"speaker": "a"}}, hostileBytes/20)
	case "timestamp with time zone":
		return "294276-12-31T23:59:59Z"
	}
	label, err := dbtest.Try[string](t.Context(), e.DB,
		`select enumlabel from pg_enum where enumtypid = $1::regtype order by enumsortorder limit 1`, typ)
	require.NoError(t, err, "add the worst value of the type %s here, so that functions with it are tested", typ)
	return label
}

type servedTable struct {
	Name       string
	Insertable bool
	Columns    []servedColumn
}

type servedColumn struct{ Name, Type string }

func (s servedTable) columnsByType() map[string][]string {
	byType := map[string][]string{}
	for _, c := range s.Columns {
		byType[c.Type] = append(byType[c.Type], c.Name)
	}
	return byType
}

func servedTables(t *testing.T, e *edge) (list []servedTable) {
	t.Helper()
	raw := dbtest.Value[[]byte](t, e.DB, `
		select json_agg(json_build_object('Name', c.relname,
			'Insertable', has_any_column_privilege('authenticated', c.oid, 'INSERT'),
			'Columns', (select json_agg(json_build_object('Name', a.attname, 'Type', format_type(a.atttypid, null))
					order by a.attnum)
				from pg_attribute a
				where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
					and has_column_privilege('authenticated', c.oid, a.attnum, 'SELECT'))))
		from pg_class c
		where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'm', 'p')
			and has_any_column_privilege('authenticated', c.oid, 'SELECT')`)
	require.NoError(t, json.Unmarshal(raw, &list))
	require.NotEmpty(t, list)
	return list
}

func isText(typ string) bool { return typ == "text" || strings.HasPrefix(typ, "character") }

// hostileFilter is an operator with the worst operand that a request may have for so many columns.
func hostileFilter(operator query.Operator, typ string, columns int) string {
	patterns := 480 / columns
	long := strings.Repeat("a", 100_000/columns)
	switch operator {
	case query.OperatorLike, query.OperatorILike:
		return string(operator) + ".*" + strings.Repeat("a_", patterns/2-1) + "b"
	case "match", "imatch":
		worst := `a{1,100}a{1,100}a{1,100}b`
		return string(operator) + "." + worst[:min(len(worst), patterns)]
	case query.OperatorIn:
		return "in.(" + strings.Repeat("a,", 50_000/columns) + "b)"
	case "cs", "cd", "ov":
		if typ == "json" || typ == "jsonb" {
			return string(operator) + ".[" + strings.Repeat("1,", 4000/columns-2) + "2]"
		}
		return string(operator) + ".{" + strings.Repeat("a,", 4000/columns-2) + "b}"
	case "fts", "plfts", "phfts", "wfts":
		return string(operator) + "." + strings.Repeat("a ", cmp.Or(4000/columns, 1)-2) + "a"
	case "sl", "sr", "nxr", "nxl", "adj":
		return string(operator) + "." + long[:8000/columns]
	}
	return string(operator) + "." + long
}
