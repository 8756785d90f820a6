package dbtest

import (
	"bytes"
	"context"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
)

// A Plan is a node of a plan, as EXPLAIN (FORMAT JSON) has it.
type Plan struct {
	Type     string `json:"Node Type"`
	Relation string `json:"Relation Name"`
	Plans    []Plan `json:"Plans"`
}

// WholeScans returns those of the tables, which are named without a schema, that the plan reads whole.
func (p Plan) WholeScans(tables []string) []string {
	var found []string
	if strings.HasSuffix(p.Type, "Seq Scan") && slices.Contains(tables, p.Relation) {
		found = append(found, p.Relation)
	}
	for _, child := range p.Plans {
		found = append(found, child.WholeScans(tables)...)
	}
	return found
}

// readsWhole has the queries that may read a large table whole, and why.
var readsWhole = map[string]string{
	"CountUsers":               "administrators ask for the total with a page of users",
	"MeasureDigestLoad":        "research doctor counts the digests of each hour",
	"PauseDigestsAfterRestore": "research restore-fence pauses the digests of all members",
	"MarkOpenDigestsRestored":  "research restore-fence, once for a restore",
}

// A QueryPlan is the plan of one of db/queries.
type QueryPlan struct {
	Name string
	plan Plan
}

// WholeScans returns those of the tables, which are named without a schema, that the query reads whole and
// must not.
func (q QueryPlan) WholeScans(tables []string) []string {
	if readsWhole[q.Name] != "" {
		return nil
	}
	return q.plan.WholeScans(tables)
}

// QueryPlans returns the generic plans of db/queries, which hold for any value of their parameters. The files
// that sqlc has generated are in dir. Before, member is signed in and settings is run, such as "set
// enable_seqscan = off".
func (d *DB) QueryPlans(t testing.TB, dir string, member uuid.UUID, settings string) []QueryPlan {
	t.Helper()
	ctx := t.Context()
	c, err := pgx.Connect(ctx, d.URL)
	require.NoError(t, err)
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }()
	run := func(sql string) [][][]byte {
		results, err := c.PgConn().Exec(ctx, sql).ReadAll()
		require.NoError(t, err, "%s", sql)
		return results[len(results)-1].Rows
	}
	claims, err := c.PgConn().EscapeString(string(db.User(member).Claims))
	require.NoError(t, err)
	run(`set plan_cache_mode = force_generic_plan; set request.jwt.claims = '` + claims + `'; ` + settings)
	var plans []QueryPlan
	for _, query := range Queries(t, dir) {
		run("set role " + query.role)
		run("prepare query as " + query.SQL)
		count, err := strconv.Atoi(string(run(`select cardinality(parameter_types) from pg_prepared_statements
			where name = 'query'`)[0][0]))
		require.NoError(t, err)
		execute := "execute query"
		if count > 0 {
			execute += "(" + strings.Repeat("null, ", count-1) + "null)"
		}
		var lines [][]byte
		for _, row := range run("explain (format json) " + execute) {
			lines = append(lines, row[0])
		}
		var explained []struct{ Plan Plan }
		require.NoError(t, json.Unmarshal(bytes.Join(lines, nil), &explained))
		plans = append(plans, QueryPlan{query.Name, explained[0].Plan})
		run("deallocate query")
	}
	return plans
}

// A Query is one of db/queries.
type Query struct {
	Name string
	SQL  string // begins with the comment that names it
	role string // runs it
}

// Queries returns the queries that sqlc has generated in dir.
func Queries(t testing.TB, dir string) []Query {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.sql.go"))
	require.NoError(t, err)
	var found []Query
	for _, name := range files {
		role := db.RoleService
		if filepath.Base(name) == "activity_events.sql.go" {
			role = db.RoleAuthenticated // a digest is composed as its recipient
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			value, ok := n.(*ast.BasicLit)
			if !ok || value.Kind != token.STRING {
				return true
			}
			sql, err := strconv.Unquote(value.Value)
			require.NoError(t, err)
			if header, ok := strings.CutPrefix(sql, "-- name: "); ok {
				found = append(found, Query{strings.Fields(header)[0], sql, role})
			}
			return true
		})
	}
	require.Greater(t, len(found), 100)
	return found
}
