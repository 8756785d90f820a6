package db_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// searched returns what search_project finds, one line a row: kind, place and text.
func searched(t *testing.T, c *caller, project uuid.UUID, query string) []string {
	t.Helper()
	found := []string{}
	require.NoError(t, c.within(t.Context(), func(tx pgx.Tx) error {
		rows, err := tx.Query(t.Context(), `
			select concat_ws(' ', kind, coalesce(ordinal::text, '-'), text)
				from search_project($1, $2)`, project, query)
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	}))
	return found
}

func TestSearch(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	f := fill(t, d)
	other := storeImport(t, d, f.Project, nil, strings.Join([]string{
		"Café receipts are lost in Zürich.", "Nobody has lost a receipt, ever.", "我们每个月都丢失收据。", "レシートをなくす",
	}, "\n"))
	d.Exec(t, `update imports set title = 'Priya, bookkeeper', created_at = now() + interval '1 hour'
		where id = $1`,
		other)

	for name, test := range map[string]struct {
		query string
		want  []string
	}{
		"a word": {"never", []string{"utterance 1 No — never again."}},
		"the beginning of the last word": {
			"a rece", []string{"utterance 1 Nobody has lost a receipt, ever."},
		},
		"no beginning of another word": {"rece a", []string{}},
		"all words, in one utterance": {
			"lost receipts", []string{"utterance 0 Café receipts are lost in Zürich."},
		},
		"without case and accents": {"cafe ZURICH", []string{"utterance 0 Café receipts are lost in Zürich."}},
		"words beside each other": {
			`"has lost"`, []string{"utterance 1 Nobody has lost a receipt, ever."},
		},
		"not words apart in quotation marks": {`"lost has"`, []string{}},
		"a part of a script without spaces":  {"丢失", []string{"utterance 2 我们每个月都丢失收据。"}},
		"one letter of such a script":        {"据", []string{"utterance 2 我们每个月都丢失收据。"}},
		"three letters beside each other":    {"每个月", []string{"utterance 2 我们每个月都丢失收据。"}},
		"not three letters apart":            {"每个丢失", []string{}},
		"kana":                               {"シート", []string{"utterance 3 レシートをなくす"}},
		"an emoji, and its quote": {"🎉", []string{
			"utterance 0 Wir zahlen 20 € im Monat 🎉 dafür.", "quote 0 20 € im Monat 🎉",
		}},
		"a hypothesis":               {"monthly", []string{"hypothesis - People pay monthly"}},
		"a title":                    {"priya", []string{"interview - Priya, bookkeeper"}},
		"a title with another vowel": {"prija", []string{"interview - Priya, bookkeeper"}},
		"nothing":                    {"", []string{}},
		"white space":                {" \t\n ", []string{}},
		"punctuation":                {`"' & | ! :* <-> () \`, []string{}},
		"operators of a text search": {`never & !again | (x:* <-> 'y')`, []string{}},
		"half a quotation mark":      {`"never`, []string{"utterance 1 No — never again."}},
		"ten thousand letters":       {strings.Repeat("x", 10_000), []string{}},
		"ten thousand words":         {strings.Repeat("never ", 10_000), []string{"utterance 1 No — never again."}},
		"wildcards":                  {"%_%", []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, searched(t, asUser(t, d, f.Viewer), f.Project, test.query))
		})
	}

	t.Run("finds speakers by their current names", func(t *testing.T) {
		t.Parallel()
		require.Len(t, searched(t, asUser(t, d, f.Viewer), f.Project, "speaker"), 4)
	})
	t.Run("can be restricted to one import", func(t *testing.T) {
		t.Parallel()
		viewer := asUser(t, d, f.Viewer)
		require.Equal(t, 2, value[int](t, viewer,
			"select count(*)::int from search_project($1, 'lost', $2)", f.Project, other))
		require.Zero(t, value[int](t, viewer,
			"select count(*)::int from search_project($1, 'lost', $2)", f.Project, f.Import))
	})
}

// Rejected quotes, deleted imports and members who left matter as they do for the tables.
func TestSearchFollowsTheTables(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	f := fill(t, d)
	rival := fill(t, d)
	const words = "Monat"

	mine := searched(t, asUser(t, d, f.Viewer), f.Project, words)
	require.Len(t, mine, 2)

	t.Run("members of another workspace find nothing", func(t *testing.T) {
		stranger := asUser(t, d, rival.Owner)
		require.Empty(t, searched(t, stranger, f.Project, words))
		require.Empty(t, searched(t, stranger, f.Project, "monthly"))
		require.Empty(t, searched(t, stranger, f.Project, "Interview"))
		require.Zero(t, value[int](t, stranger,
			"select count(*)::int from private.search_transcripts($1, '{monat}', '{f}', $2, 40)", f.Project, f.Import))
		require.Zero(t, value[int](t, stranger,
			"select count(*)::int from search_project($1, $2, $3)", rival.Project, words, f.Import),
			"an import of another project")
	})
	t.Run("without a user, there is nothing", func(t *testing.T) {
		_, err := as(t, d, db.Subject{Role: db.RoleAnon}).try(t, "select * from search_project($1, $2)", f.Project,
			words)
		require.Equal(t, "42501", state(err))
	})
	t.Run("nobody reads the words themselves", func(t *testing.T) {
		_, err := asUser(t, d, f.Owner).try(t, "select * from private.transcript_words")
		require.Equal(t, "42501", state(err))
		_, err = asUser(t, d, f.Owner).try(t, "select private.index_words(array[$1::uuid])", f.Import)
		require.Equal(t, "42501", state(err))
	})
	t.Run("a rejected quote is found, as in the list of quotes", func(t *testing.T) {
		d.Exec(t, "update evidence set review = 'rejected' where id = $1", f.Evidence)
		require.Len(t, searched(t, asUser(t, d, f.Viewer), f.Project, words), 2)
	})
	t.Run("a deleted import is not found", func(t *testing.T) {
		d.Exec(t, "delete from imports where id = $1", f.Import)
		require.Empty(t, searched(t, asUser(t, d, f.Viewer), f.Project, words))
		require.Zero(t, dbtest.Value[int](t, d,
			"select count(*)::int from private.transcript_words where import_id = $1", f.Import))
	})
	t.Run("who left a workspace finds nothing in it", func(t *testing.T) {
		require.NotEmpty(t, searched(t, asUser(t, d, rival.Viewer), rival.Project, words))
		d.Exec(t, "delete from workspace_members where user_id = $1", rival.Viewer)
		require.Empty(t, searched(t, asUser(t, d, rival.Viewer), rival.Project, words))
	})
}

func TestWordsOfTranscripts(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	f := d.Tenant(t)
	viewer := asUser(t, d, f.Viewer)

	t.Run("are found in every block", func(t *testing.T) {
		lines := make([]string, 600)
		for i := range lines {
			lines[i] = "the same words"
		}
		lines[249], lines[250], lines[599] = "eleven marker", "twelve marker", "thirteen marker"
		id := storeImport(t, d, f.Project, nil, strings.Join(lines, "\n"))
		require.Equal(t, []string{
			"utterance 249 eleven marker", "utterance 250 twelve marker", "utterance 599 thirteen marker",
		}, searched(t, viewer, f.Project, "marker"))
		require.False(t, value[bool](t, viewer, "select bool_or(more) from search_project($1, 'marker')",
			f.Project))
		require.Equal(t, 597, value[int](t, viewer, "select max(found) from search_project($1, 'same', $2)",
			f.Project, id))
	})
	t.Run("are found in one old utterance, although all blocks have each of them", func(t *testing.T) {
		lines := make([]string, 30*250)
		for i := range lines {
			lines[i] = []string{"amber", "bronze"}[i%2]
		}
		lines[len(lines)-1] = "amber and bronze"
		storeImport(t, d, f.Project, nil, strings.Join(lines, "\n"))
		require.Equal(t, []string{"utterance 7499 amber and bronze"}, searched(t, viewer, f.Project, "bronze amb"))
		require.True(t, value[bool](t, viewer, "select bool_and(more) from search_project($1, 'amber')", f.Project))
	})
	t.Run("of a block with more words than a tsvector can hold do not fail the upload", func(t *testing.T) {
		var text strings.Builder
		for i := range 120_000 {
			text.WriteString(strings.Repeat(string(rune('a'+i%26)), 12))
			text.WriteString(uuid.NewString()[:8])
			text.WriteByte(" \n"[max(0, i%2_000-1_998)]) // a turn has a bounded length
		}
		storeImport(t, d, f.Project, nil, text.String())
	})
	t.Run("beside any white space and punctuation do not fail the upload", func(t *testing.T) {
		storeImport(t, d, f.Project, nil, "\u1680\u2028\u0085 cedar\u1680oak ' \\ : \"\u00a0&\uff3c\uff07 <0> "+
			"!\u0301\u200b")
		require.Len(t, searched(t, viewer, f.Project, "cedar ' oak"), 1)
	})
	t.Run("that are longer than a lexeme do not fail the upload", func(t *testing.T) {
		storeImport(t, d, f.Project, nil, strings.Repeat("é", 20_000))
	})
}

// The words of one project are found by indexes, also in a table with many others.
func TestSearchReadsIndexes(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	f := d.Tenant(t)
	d.Exec(t, `set session_replication_role = replica;
		insert into imports (id, workspace_id, project_id, title, format, size_bytes, sha256)
		select md5('i' || k)::uuid, md5('w' || k % 500)::uuid, md5('p' || k % 500)::uuid, 'Interview', 'vtt', 1, '0'
		from generate_series(1, 5000) k;
		insert into private.transcript_words (import_id, block, project_id, words)
		select id, 0, project_id, (select string_agg(md5(n::text || id), ' ')
			from generate_series(1, 20) n)::tsvector
		from imports;
		analyze`)
	storeImport(t, d, f.Project, nil, "A needle in the haystack.")
	d.AsOwner(t, func(c *pgx.Conn) {
		tx, err := c.Begin(t.Context())
		require.NoError(t, err)
		defer func() { _ = tx.Rollback(t.Context()) }()
		_, err = tx.Exec(t.Context(), "set local role service_role")
		require.NoError(t, err)
		plan := explain(t, tx, `
			select w.import_id
			from private.transcript_words w
			join public.imports i on i.id = w.import_id
			where w.project_id = $1 and w.words @@ 'needle:*'::tsquery
			order by i.created_at desc
			limit 24`, f.Project)
		require.NotContains(t, plan, "Seq Scan on transcript_words")
		require.NotContains(t, plan, "Seq Scan on imports")
		require.Contains(t, plan, "transcript_words_")
	})
}

// A text of accents without letters would take PostgreSQL seconds that cannot be interrupted.
func TestSearchFoldsRunsOfAccents(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	fold := func(text string) string {
		return dbtest.Value[string](t, d, "select private.search_fold($1)", text)
	}
	start := time.Now()
	require.Equal(t, " ", fold(strings.Repeat("\u0315\u0316", 32_000)))
	require.Less(t, time.Since(start), 10*time.Second)
	long := strings.Repeat("Überstürzt", 20)
	require.Equal(t, " "+strings.Repeat("ubersturzt", 20)+" ", fold(long))
}
