package db_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// A caller executes SQL as a role with a user's claims, as the data API does after it has validated a token.
type caller struct {
	conn    *pgx.Conn
	subject db.Subject
}

// as connects a caller. The connection is authenticator, like those of the programs.
func as(t testing.TB, d *dbtest.DB, subject db.Subject) *caller {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), d.URL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	_, err = conn.Exec(t.Context(), "set role authenticator")
	require.NoError(t, err)
	return &caller{conn: conn, subject: subject}
}

func asUser(t testing.TB, d *dbtest.DB, id uuid.UUID) *caller {
	t.Helper()
	return as(t, d, db.User(id))
}

var errRolledBack = errors.New("rolled back")

func (c *caller) within(ctx context.Context, fn func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, c.conn, func(tx pgx.Tx) error {
		claims := c.subject.Claims
		if claims == nil {
			claims = json.RawMessage(`{}`)
		}
		const become = "select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)"
		if _, err := tx.Exec(ctx, become, c.subject.Role, string(claims)); err != nil {
			return err
		}
		return fn(tx)
	})
}

// exec commits; its error may come from the commit.
func (c *caller) exec(t testing.TB, sql string, args ...any) error {
	t.Helper()
	return c.within(t.Context(), func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), sql, args...)
		return err
	})
}

func (c *caller) mustExec(t testing.TB, sql string, args ...any) {
	t.Helper()
	require.NoError(t, c.exec(t, sql, args...), sql)
}

// try returns the number of rows that a statement would change, and rolls it back after the deferred checks.
func (c *caller) try(t testing.TB, sql string, args ...any) (rows int64, err error) {
	t.Helper()
	err = c.within(t.Context(), func(tx pgx.Tx) error {
		tag, err := tx.Exec(t.Context(), sql, args...)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(t.Context(), "set constraints all immediate"); err != nil {
			return err
		}
		rows = tag.RowsAffected()
		return errRolledBack
	})
	if errors.Is(err, errRolledBack) {
		err = nil
	}
	return rows, err
}

// value reads one value as the caller.
func value[T any](t testing.TB, c *caller, sql string, args ...any) T {
	t.Helper()
	var v T
	require.NoError(t, c.within(t.Context(), func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), sql, args...).Scan(&v)
	}), sql)
	return v
}

// requireNothing requires that a statement was rejected, or changed no row.
func requireNothing(t testing.TB, rows int64, err error, what string) {
	t.Helper()
	if err == nil {
		require.Zero(t, rows, what)
		return
	}
	var pg *pgconn.PgError
	require.ErrorAs(t, err, &pg, what)
	// The privilege and integrity errors. A syntax error or an unknown column would prove nothing.
	require.Contains(t, []string{"42501", "23503", "23505", "23514", "23502"}, pg.Code, "%s: %s", what,
		pg.Message)
}

func state(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// errorText returns all that a client can learn from an error. Ids are masked, since the client sent them.
func errorText(err error) string {
	if err == nil {
		return "accepted"
	}
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return err.Error()
	}
	said := strings.Join([]string{pg.Code, pg.Message, pg.Detail, pg.Hint, pg.TableName, pg.ConstraintName,
		pg.ColumnName}, " | ")
	return anyUUID.ReplaceAllString(said, "<id>")
}

var anyUUID = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// Two utterances with letters of one, two, three and four bytes.
const (
	body  = "Wir zahlen 20 € im Monat 🎉 dafür.\nNo — never again."
	quote = "20 € im Monat 🎉"
)

// A filled tenant has at least one row in every table that the data API serves.
type filled struct {
	dbtest.Tenant
	Persona, Hypothesis, Question, Import, Evidence, Answer uuid.UUID
}

func fill(t testing.TB, d *dbtest.DB) filled {
	t.Helper()
	f := filled{Tenant: d.Tenant(t)}
	f.Persona = dbtest.Value[uuid.UUID](t, d, `
		insert into personas (project_id, name) values ($1, 'Ada') returning id`, f.Project)
	f.Hypothesis = d.Hypothesis(t, f.Tenant, "People pay monthly")
	d.Exec(t, `
		update hypotheses set persona_id = $2, decided_by = $3 where id = $1`,
		f.Hypothesis, f.Persona, f.Owner)
	f.Import = storeImport(t, d, f.Project, &f.Persona, body)
	d.Exec(t, `
		update imports set created_by = $2 where id = $1`, f.Import, f.Owner)
	d.Exec(t, `
		insert into utterance_questions (
			import_id, byte_start, byte_end, ordinal, workspace_id, project_id, words, is_open, is_closed,
			is_past, is_hypothetical, is_leading
		)
		values ($1, 0, 10, 0, $2, $3, 2, true, false, false, false, false)`, f.Import, f.Workspace, f.Project)
	d.Exec(t, `
		insert into import_hypotheses (import_id, hypothesis_id, project_id, statement)
		values ($1, $2, $3, 'People pay monthly')`, f.Import, f.Hypothesis, f.Project)
	at := strings.Index(body, quote)
	f.Evidence = dbtest.Value[uuid.UUID](t, d, `
		insert into evidence (
			project_id, import_id, quote, byte_start, byte_end, match, origin, created_by, reviewed_by
		)
		values ($1, $2, $3, $4, $5, 'verbatim', 'ai', $6, $6) returning id`,
		f.Project, f.Import, quote, at, at+len(quote), f.Owner)
	d.Exec(t, `
		insert into evidence_hypotheses (evidence_id, hypothesis_id, stance) values ($1, $2, 'supports')`,
		f.Evidence, f.Hypothesis)
	d.Exec(t, `insert into finding_quotes (hypothesis_id, evidence_id) values ($1, $2)`, f.Hypothesis,
		f.Evidence)
	theme := dbtest.Value[uuid.UUID](t, d, `
		insert into themes (project_id, name, created_by) values ($1, 'Money', $2) returning id`,
		f.Project, f.Owner)
	d.Exec(t, `insert into themes (project_id, name, parent_id) values ($1, 'Fees', $2)`, f.Project, theme)
	d.Exec(t, `insert into evidence_themes (evidence_id, theme_id, created_by) values ($1, $2, $3)`, f.Evidence,
		theme, f.Owner)
	d.Exec(t, `
		insert into comments (theme_id, body, mentions, created_by) values ($1, 'Really?', array[$2::uuid], $3)`,
		theme, f.Owner, f.Editor)
	d.Exec(t, `
		insert into finding_shares (workspace_id, project_id, hypothesis_id, expires_at, created_by)
		values ($1, $2, $3, now() + interval '1 day', $4)`, f.Workspace, f.Project, f.Hypothesis, f.Owner)
	d.Exec(t, `
		insert into hypothesis_decisions (
			workspace_id, project_id, hypothesis_id, number, status, reopen_after, decided_by
		)
		values ($1, $2, $3, 1, 'testing', 3, $4)`, f.Workspace, f.Project, f.Hypothesis, f.Owner)
	d.Exec(t, `insert into reports (project_id, title) values ($1, 'What we know')`, f.Project)
	d.Exec(t, `insert into participants (project_id, name, persona_id) values ($1, 'Omar', $2)`, f.Project,
		f.Persona)
	f.Question = dbtest.Value[uuid.UUID](t, d, `
		insert into questions (project_id, text, hypothesis_id, persona_id, answer_evidence_id)
		values ($1, 'How much?', $2, $3, $4) returning id`,
		f.Project, f.Hypothesis, f.Persona, f.Evidence)
	f.Answer = dbtest.Value[uuid.UUID](t, d, `
		insert into answers (project_id, question_id, question, mode, status, result, created_by)
		values ($1, $2, 'How much do they pay?', 'quick', 'answered', 'answered', $3) returning id`,
		f.Project, f.Question, f.Owner)
	d.Exec(t, `insert into answer_sentences (answer_id, ordinal, project_id, text) values ($1, 0, $2, '20 €.')`,
		f.Answer, f.Project)
	d.Exec(t, `
		insert into answer_quotes (
			answer_id, project_id, sentence_ordinal, ordinal, import_id, quote, byte_start, byte_end, match,
			evidence_id
		)
		values ($1, $2, 0, 0, $3, $4, $5, $6, 'verbatim', $7)`,
		f.Answer, f.Project, f.Import, quote, at, at+len(quote), f.Evidence)
	d.Exec(t, `insert into theme_runs (project_id, status, created_by) values ($1, 'done', $2)`, f.Project,
		f.Owner)
	d.Exec(t, `
		insert into workspace_invitations (workspace_id, email, created_by)
		values ($1, 'guest@example.com', $2)`, f.Workspace, f.Owner)
	d.Exec(t, `
		insert into digest_deliveries (user_id, frequency, period, window_start, window_end)
		values ($1, 'daily', '2026-11-20', now(), now())`, f.Owner)
	endpoint := dbtest.Value[uuid.UUID](t, d, `
		insert into webhook_endpoints (workspace_id, url, created_by)
		values ($1, 'https://receiver.example/', $2) returning id`, f.Workspace, f.Owner)
	d.Exec(t, `
		insert into webhook_deliveries (workspace_id, endpoint_id, event_id, type, payload, queue, seq)
		values ($1, $2, gen_random_uuid(), 'import.parsed', '{}', $1, 1)`, f.Workspace, endpoint)
	return f
}

// storeImport stores a transcript with one utterance a line, as the upload does.
func storeImport(t testing.TB, d *dbtest.DB, project uuid.UUID, persona *uuid.UUID, text string) uuid.UUID {
	t.Helper()
	var id uuid.UUID
	require.NoError(t, d.AsService(t.Context(), func(q *db.Queries) error {
		var err error
		id, err = q.StoreImport(t.Context(), storeParams(project, persona, text))
		return err
	}))
	return id
}

func storeParams(project uuid.UUID, persona *uuid.UUID, text string) db.StoreImportParams {
	p := db.StoreImportParams{ProjectID: project, PersonaID: persona, Title: "Interview", Filename: "a.vtt",
		Format:    "webvtt",
		SizeBytes: int64(len(text)), Sha256: "00", Language: "de", Body: []byte(text)}
	at := 0
	for i, line := range strings.Split(text, "\n") {
		p.Speakers = append(p.Speakers, fmt.Sprintf("Speaker %d", i%2))
		p.Starts, p.Ends = append(p.Starts, int64(i*1000)), append(p.Ends, int64(i*1000+900))
		p.Texts = append(p.Texts, line)
		p.ByteStarts, p.ByteEnds = append(p.ByteStarts, int32(at)), append(p.ByteEnds, int32(at+len(line)))
		at += len(line) + 1
	}
	return p
}

// A table of the schema public, from the system catalog.
type table struct {
	name    string
	columns []string // all, in order
	key     []string // of the primary key
	uuids   []string // columns of type uuid other than id
	insert  []string // columns that authenticated may insert
	update  []string // columns that authenticated may update
}

func servedTables(t testing.TB, d *dbtest.DB) []table {
	t.Helper()
	var tables []table
	d.AsOwner(t, func(c *pgx.Conn) {
		rows, err := c.Query(t.Context(), `
			select c.relname::text,
			  array_agg(a.attname::text order by a.attnum),
			  array_agg(a.attname::text order by a.attnum) filter (where a.attnum = any (i.indkey)),
			  coalesce(array_agg(a.attname::text order by a.attnum)
			    filter (where a.atttypid = 'uuid'::regtype and a.attname <> 'id'), '{}'),
			  coalesce(array_agg(a.attname::text order by a.attnum)
			    filter (where has_column_privilege('authenticated', c.oid, a.attnum, 'insert')), '{}'),
			  coalesce(array_agg(a.attname::text order by a.attnum)
			    filter (where has_column_privilege('authenticated', c.oid, a.attnum, 'update')), '{}')
			from pg_class c
			join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
			join pg_index i on i.indrelid = c.oid and i.indisprimary
			where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
			group by c.relname order by c.relname`)
		require.NoError(t, err)
		tables, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (table, error) {
			var tb table
			return tb, row.Scan(&tb.name, &tb.columns, &tb.key, &tb.uuids, &tb.insert, &tb.update)
		})
		require.NoError(t, err)
	})
	require.GreaterOrEqual(t, len(tables), 14)
	return tables
}

// row returns one row of the tenant, or of its owner, as JSON.
func (tb table) row(t testing.TB, d *dbtest.DB, f filled) map[string]any {
	t.Helper()
	var row map[string]any
	sql := fmt.Sprintf(`select to_jsonb(x) from public.%s x where x::text like $1 or x::text like $2
		order by x::text like $2 desc, x::text limit 1`, tb.name)
	var err error
	d.AsOwner(t, func(c *pgx.Conn) {
		err = c.QueryRow(t.Context(), sql, "%"+f.Workspace.String()+"%", "%"+f.Owner.String()+"%").Scan(&row)
	})
	require.NoError(t, err,
		"fill() puts no row into %s: add one, so that the policies of the table are tested", tb.name)
	return row
}

// put returns an INSERT of a row that is given as JSON.
func (tb table) put(conflict string) string {
	columns := strings.Join(tb.insert, ", ")
	if columns == "" {
		columns = strings.Join(tb.columns, ", ") // no privilege on any column: the insert is rejected
	}
	return fmt.Sprintf(`insert into public.%[1]s (%[2]s) select %[2]s
		from jsonb_populate_record(null::public.%[1]s, $1) %[3]s`, tb.name, columns, conflict)
}

// merge returns the conflict clause of PostgREST's upserts.
func (tb table) merge() string {
	var sets []string
	for _, c := range tb.insert {
		sets = append(sets, c+" = excluded."+c)
	}
	if sets == nil {
		sets = []string{tb.columns[0] + " = excluded." + tb.columns[0]}
	}
	return fmt.Sprintf("on conflict (%s) do update set %s", strings.Join(tb.key, ", "), strings.Join(sets, ", "))
}

// with returns a copy of a row with a new key and other values.
func with(row map[string]any, other map[string]any) map[string]any {
	changed := map[string]any{}
	for k, v := range row {
		changed[k] = v
	}
	if _, ok := row["id"]; ok {
		changed["id"] = uuid.New()
	}
	if _, ok := row["slug"]; ok {
		changed["slug"] = "s-" + uuid.NewString()
	}
	for k, v := range other {
		changed[k] = v
	}
	return changed
}
