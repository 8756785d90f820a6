package db_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

func TestQuotes(t *testing.T) {
	t.Parallel()
	at := func(s string) (from, to int) {
		from = strings.Index(body, s)
		return from, from + len(s)
	}
	const insert = `
		insert into evidence (
			project_id, import_id, quote, byte_start, byte_end, match, speaker, start_ms, utterance_from
		)
		values ($1, $2, $3, $4, $5, 'repaired', 'Forged', 1, 7)`

	t.Run("with offsets must be the bytes of the transcript, for every writer", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		from, to := at(quote)
		writers := map[string]*caller{
			"editor": asUser(t, d, f.Editor), "service": as(t, d, db.Subject{Role: db.RoleService}),
		}
		for name, c := range writers {
			for _, wrong := range []struct {
				quote    string
				from, to int
			}{
				// Off by one, which cuts a letter of several bytes.
				{quote, from + 1, to + 1}, {quote, from, to + 1}, {quote, from + 1, to},
				{"20 EUR im Monat", from, to}, {strings.ToUpper(quote), from, to}, {quote + " ", from, to},
				{quote, from + len(body), to + len(body)}, {quote, 1 << 30, 1<<30 + len(quote)},
				{body[:4], -1, 3}, {quote, to, from}, {"x", from, from},
				// Counted in letters.
				{quote, len([]rune(body[:from])), len([]rune(body[:to]))},
			} {
				_, err := c.try(t, insert, f.Project, f.Import, wrong.quote, wrong.from, wrong.to)
				require.Equal(t, "23514", state(err), "%s: %v", name, wrong)
				require.NotContains(t, errorText(err), "Monat")
			}
			rows, err := c.try(t, insert, f.Project, f.Import, quote, from, to)
			require.NoError(t, err, name)
			require.EqualValues(t, 1, rows)
		}
		// Both offsets are required, and an import.
		for _, sql := range []string{
			"insert into evidence (project_id, import_id, quote, byte_start) values ($1, $2, 'nowhere', 0)",
			"insert into evidence (project_id, import_id, quote, byte_end) values ($1, $2, 'nowhere', 5)",
			`insert into evidence (project_id, quote, byte_start, byte_end) select $1, 'nowhere', 0, 7
				where $2::uuid is not null`,
			"insert into evidence (project_id, import_id, quote) values ($1, $2, '')",
		} {
			_, err := writers["editor"].try(t, sql, f.Project, f.Import)
			require.Equal(t, "23514", state(err), sql)
		}
	})

	t.Run("stay verbatim when they are changed", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		for name, c := range map[string]*caller{
			"editor": asUser(t, d, f.Editor), "service": as(t, d, db.Subject{Role: db.RoleService}),
		} {
			for _, sql := range []string{
				"update evidence set byte_start = byte_start + 1 where id = $1",
				"update evidence set byte_end = byte_end - 1 where id = $1",
				"update evidence set quote = 'invented', byte_start = 0, byte_end = 8 where id = $1",
			} {
				_, err := c.try(t, sql, f.Evidence)
				require.Equal(t, "evidence_quote_proven", db.Constraint(err), "%s: %s", name, sql)
			}
		}
		_, err := as(t, d, db.Subject{Role: db.RoleService}).try(t,
			"update evidence set quote = 'invented' where id = $1", f.Evidence)
		require.Equal(t, "evidence_quote_proven", db.Constraint(err))

		c := asUser(t, d, f.Editor)
		c.mustExec(t,
			`update evidence set speaker = 'Forged', start_ms = 99, utterance_to = 99, match = 'verbatim',
			confidence = 0.1, origin = 'ai' where id = $1`, f.Evidence)
		require.Equal(t, "Speaker 0|0|900|0|0", located(t, d, f.Evidence))
		// A quote that a person changes loses its place, unless the transcript has the new words.
		c.mustExec(t, "update evidence set quote = 'never again' where id = $1", f.Evidence)
		require.Equal(t, "Speaker 1|1000|1900|1|1", located(t, d, f.Evidence))
		c.mustExec(t, "update evidence set quote = 'words of my own' where id = $1", f.Evidence)
		require.True(t,
			dbtest.Value[bool](t, d,
				"select byte_start is null and byte_end is null and match = 'manual' from evidence where id = $1",
				f.Evidence))
	})

	t.Run("are located in the transcript if a person gives no offsets", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		c := asUser(t, d, f.Editor)
		id := value[uuid.UUID](t, c,
			`insert into evidence (project_id, import_id, quote) values ($1, $2, 'dafür.'||chr(10)||'No —')
				returning id`, f.Project, f.Import)
		require.Equal(t, "Speaker 0|0|1900|0|1", located(t, d, id))
		from, to := at("dafür.\nNo —")
		require.Equal(t, []int32{int32(from), int32(to)},
			dbtest.Value[[]int32](t, d, "select array[byte_start, byte_end] from evidence where id = $1", id))
		id = value[uuid.UUID](t, c,
			`insert into evidence (project_id, import_id, quote, speaker) values ($1, $2, 'as I remember it', 'Ada')
				returning id`, f.Project, f.Import)
		require.True(t,
			dbtest.Value[bool](t, d,
				"select byte_start is null and match = 'manual' and speaker = 'Ada' from evidence where id = $1", id))
	})

	t.Run("reveal nothing of a transcript to another workspace", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f, rival := fill(t, d), fill(t, d)
		c := asUser(t, d, rival.Owner)
		from, to := at(quote)
		for _, workspace := range []any{nil, f.Workspace, rival.Workspace} {
			for _, project := range []uuid.UUID{f.Project, rival.Project} {
				for _, place := range []any{from, nil} {
					end := any(to)
					if place == nil {
						end = nil
					}
					said := map[string]bool{}
					// Words that the transcript has, and words that it does not have.
					for _, q := range []string{quote, strings.Repeat("x", len(quote))} {
						for _, id := range []uuid.UUID{f.Import, uuid.New()} {
							_, err := c.try(t,
								`insert into evidence (workspace_id, project_id, import_id, quote, byte_start, byte_end)
									values ($1, $2, $3, $4, $5, $6)`,
								workspace, project, id, q, place, end)
							require.Error(t, err)
							said[errorText(err)] = true
						}
					}
					require.Len(t, said, 1, "workspace %v, project %v", workspace, project)
				}
			}
		}
	})

	t.Run("of a long transcript are found by an index", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		n := d.Tenant(t)
		line := "This is the utterance of somebody who says a few words about the price."
		text := strings.TrimSuffix(strings.Repeat(line+"\n", 20_000), "\n")
		id := storeImport(t, d, n.Project, nil, text)
		plan := ""
		d.AsOwner(t, func(c *pgx.Conn) {
			_, err := c.Exec(t.Context(), "analyze utterances")
			require.NoError(t, err)
			plan = explain(t, c, `
				select min(u.ordinal)
				from public.utterances u
				where u.import_id = $1 and u.byte_start < $2 and u.byte_end > $3
					and u.byte_start >= (
						select max(v.byte_start)
						from public.utterances v
						where v.import_id = $1 and v.byte_start <= $3)`, id, 720_010, 720_000)
		})
		require.NotContains(t, plan, "Seq Scan")
		require.NotRegexp(t, `rows=[0-9]{3,} loops`, plan)
		c := as(t, d, db.Subject{Role: db.RoleService})
		rows, err := c.try(t,
			`insert into evidence (project_id, import_id, quote, byte_start, byte_end, match, origin)
			select $1, $2, $3, g * 72 * 100, g * 72 * 100 + 71, 'verbatim', 'keyword' from generate_series(0, 199) g`,
			n.Project, id, line)
		require.NoError(t, err)
		require.EqualValues(t, 200, rows)
	})
}

// located returns the place that the database found for a quote.
func located(t *testing.T, d *dbtest.DB, id uuid.UUID) string {
	t.Helper()
	return dbtest.Value[string](t, d,
		`select concat_ws('|', speaker, start_ms, end_ms, utterance_from, utterance_to)
		from evidence where id = $1`, id)
}

func explain(t testing.TB, c interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}, sql string, args ...any) string {
	t.Helper()
	rows, err := c.Query(t.Context(), "explain (analyze, costs off, timing off) "+sql, args...)
	require.NoError(t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return strings.Join(lines, "\n")
}

// What PostgreSQL cannot interrupt within a row is bounded: here, quotes that almost match everywhere.
func TestQuotesThatAlmostMatch(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	f := fill(t, d)
	d.Exec(t, `delete from utterances where import_id = $1`, f.Import)
	text := strings.Repeat("a", 10<<20)
	d.Exec(t, `update private.transcripts set body = convert_to($2, 'UTF8') where import_id = $1`,
		f.Import, text)
	c := asUser(t, d, f.Editor)
	const insert = "insert into evidence (project_id, import_id, quote) values ($1, $2, $3)"
	_, err := c.try(t, insert, f.Project, f.Import, strings.Repeat("a", 5<<20)+"b")
	require.Equal(t, "23514", state(err))
	require.Equal(t, "evidence_quote_length", db.Constraint(err))
	_, err = c.try(t, "update evidence set quote = $1", strings.Repeat("a", 5<<20)+"b")
	require.Equal(t, "23514", state(err))

	start := time.Now()
	err = c.within(t.Context(), func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), "set local statement_timeout = '200ms'"); err != nil {
			return err
		}
		_, err := tx.Exec(t.Context(), insert, f.Project, f.Import, strings.Repeat("a", 99_999)+"b")
		return err
	})
	require.Equal(t, "57014", state(err))
	require.Less(t, time.Since(start), 20*time.Second, "the search ends long after its time is over")

	service := as(t, d, db.Subject{Role: db.RoleService})
	_, err = service.try(t, `
		insert into utterances (import_id, ordinal, workspace_id, project_id, text, byte_start, byte_end)
		select id, 0, workspace_id, project_id, repeat('a', 65537), 0, 65537 from imports where id = $1`, f.Import)
	require.Equal(t, "utterances_text_length", db.Constraint(err))
}

// A quote is found at its first place, also where the search is in parts.
func TestQuotesAreFoundAtTheirFirstPlace(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	f := fill(t, d)
	c := asUser(t, d, f.Editor)
	d.Exec(t, `delete from utterances where import_id = $1`, f.Import)
	text := strings.Repeat("é", 8191) + "needle\n" + strings.Repeat("é", 20_000) + "needle\nlast"
	d.Exec(t, `update private.transcripts set body = convert_to($2, 'UTF8') where import_id = $1`,
		f.Import, text)
	for _, quote := range []string{
		"needle", "é", "éneedle", "needle\né", "last", "\nlast", text, "needle\nlast", strings.Repeat("é", 9000),
	} {
		at := value[int](t, c, `insert into evidence (project_id, import_id, quote) values ($1, $2, $3)
			returning byte_start`, f.Project, f.Import, quote)
		require.Equal(t, strings.Index(text, quote), at, "%.20q", quote)
	}
	for _, quote := range []string{"needlé", "lastly", strings.Repeat("é", 20_001)} {
		require.True(t, value[bool](t, c, `insert into evidence (project_id, import_id, quote) values ($1, $2, $3)
			returning byte_start is null`, f.Project, f.Import, quote), "%.20q", quote)
	}
}
