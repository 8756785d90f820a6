package rest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// A writable is a column of text, arrays of texts or JSON that clients write.
type writable struct {
	Table, Column, Type string
	Insert, Update      bool
}

// writables lists the columns from the privileges of clients, so that no later one is forgotten.
func writables(t *testing.T, d *dbtest.DB) (list []writable) {
	t.Helper()
	d.AsOwner(t, func(c *pgx.Conn) {
		rows, err := c.Query(t.Context(), `
			select c.relname::text, a.attname::text, format_type(a.atttypid, null), x.insert, x.update
			from pg_class c
			join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
			join pg_type t on t.oid = a.atttypid
			left join pg_type e on e.oid = t.typelem
			cross join lateral (select
				has_column_privilege('authenticated', c.oid, a.attnum, 'insert') as insert,
				has_column_privilege('authenticated', c.oid, a.attnum, 'update') as update) x
			where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v')
				and (t.typcategory = 'S' or e.typcategory = 'S' or t.typname in ('json', 'jsonb', 'xml', 'bytea'))
				and (x.insert or x.update)
			order by 1, a.attnum`)
		require.NoError(t, err)
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[writable])
		require.NoError(t, err)
	})
	return list
}

// No text that a client sends is stored beyond its limit, whether it is blank or not, and none of them makes
// the service fail.
func TestTextsAreBoundedAsTheyArrive(t *testing.T) {
	t.Parallel()
	e := begin(t)
	columns := writables(t, e.DB)
	require.Greater(t, len(columns), 20)
	owner := e.as(t, e.Owner)
	persona := dbtest.Value[uuid.UUID](t, e.DB,
		"insert into personas (project_id, name) values ($1, 'P') returning id", e.Project)
	interview := dbtest.Value[uuid.UUID](t, e.DB, `
		insert into imports (project_id, title, format, size_bytes, sha256)
		values ($1, 'I', 'text', 9, '') returning id`, e.Project)
	e.Exec(t, `insert into import_speakers (import_id, speaker, project_id, display_name)
		values ($1, 'A', $2, 'A')`, interview, e.Project)
	for sql, args := range map[string][]any{
		"insert into hypotheses (project_id, statement) values ($1, 'H')":                     {e.Project},
		"insert into questions (project_id, text) values ($1, 'Q')":                           {e.Project},
		"insert into answers (project_id, question, mode) values ($1, 'Why?', 'quick')":       {e.Project},
		"insert into reports (project_id, title) values ($1, 'R')":                            {e.Project},
		"insert into participants (project_id, name) values ($1, 'P')":                        {e.Project},
		"insert into evidence (project_id, quote) values ($1, 'E')":                           {e.Project},
		"insert into webhook_endpoints (workspace_id, url) values ($1, 'https://a.example/')": {e.Workspace},
		"insert into themes (project_id, name) values ($1, 'T')":                              {e.Project},
		"update personas set segment = 'S' where id = $1":                                     {persona},
	} {
		e.Exec(t, sql, args...)
	}
	project, workspace := map[string]any{"project_id": e.Project}, map[string]any{"workspace_id": e.Workspace}
	with := func(base map[string]any, name string, value any) map[string]any {
		row := maps.Clone(base)
		row[name] = value
		return row
	}
	theme := dbtest.Value[uuid.UUID](t, e.DB, "select id from themes")
	e.Exec(t, "insert into comments (theme_id, body, created_by) values ($1, 'C', $2)", theme, e.Owner)
	// A row of each table that would be stored.
	rows := map[string]map[string]any{
		"answers":               {},
		"comments":              {"theme_id": theme, "body": "B"},
		"digest_preferences":    {"user_id": e.Owner},
		"evidence":              with(project, "quote", "Q"),
		"hypotheses":            with(project, "statement", "S"),
		"import_speakers":       {},
		"imports":               {},
		"participants":          with(project, "name", "N"),
		"personas":              with(project, "name", "N"),
		"profiles":              {"id": e.Owner},
		"projects":              with(workspace, "name", "N"),
		"questions":             with(project, "text", "T"),
		"reports":               project,
		"themes":                with(project, "name", "N"),
		"webhook_endpoints":     with(workspace, "url", "https://b.example/"),
		"workspace_invitations": with(workspace, "email", "new@example.com"),
		"workspaces":            {"name": "N"},
	}
	const size = 2_000_000 // far above any bound of a text, and below that of a request
	blanks := strings.Repeat(" ", size)
	for _, c := range columns {
		row, found := rows[c.Table]
		require.True(t, found, "no example of a row of %s", c.Table)
		inserted, updated := any("x"+blanks), any(blanks)
		switch {
		case strings.HasSuffix(c.Type, "[]"):
			inserted, updated = []string{"x" + blanks}, strings.Split(strings.Repeat("x", size/4), "")
		case strings.HasPrefix(c.Type, "json"):
			inserted, updated = map[string]string{"x": blanks}, map[string]string{blanks: "x"}
		}
		check := func(method, path string, row map[string]any) {
			body, err := json.Marshal(row)
			require.NoError(t, err)
			e.Exec(t, "delete from private.write_budgets") // which would reject all but the first
			a := owner.do(method, path, string(body))
			require.NotEqual(t, http.StatusTooManyRequests, a.status, a.body)
			require.Less(t, a.status, http.StatusInternalServerError, "%s %s.%s: %.300s", method, c.Table, c.Column,
				a.body)
			require.Less(t, len(a.body), 10_000, "the error does not repeat the text")
			stored := dbtest.Value[int](t, e.DB, fmt.Sprintf(
				"select coalesce(max(octet_length(%q::text)), 0) from %q", c.Column, c.Table))
			require.LessOrEqual(t, stored, 400_000, "%s %s.%s: %d", method, c.Table, c.Column, a.status)
		}
		if c.Insert {
			check(http.MethodPost, "/"+c.Table, with(row, c.Column, inserted))
		}
		if c.Update {
			check(http.MethodPatch, "/"+c.Table+"?updated_at=gt.2000-01-01", map[string]any{c.Column: updated})
		}
	}
}
