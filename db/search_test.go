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
			"lost receipts", []string{
				"utterance 0 Café receipts are lost in Zürich.", "utterance 1 Nobody has lost a receipt, ever.",
			},
		},
		"without case and accents": {"cafe ZURICH", []string{"utterance 0 Café receipts are lost in Zürich."}},
		"words beside each other": {
			`"has lost"`, []string{"utterance 1 Nobody has lost a receipt, ever."},
		},
		"not words apart in quotation marks": {`"lost has"`, []string{}},
		"whole words in quotation marks": {
			`"receipt"`, []string{"utterance 1 Nobody has lost a receipt, ever."},
		},
		"no beginning in quotation marks": {`nobody "has los".`, []string{}},
		"the beginning of a word after a quotation": {
			`"has" recei`, []string{"utterance 1 Nobody has lost a receipt, ever."},
		},
		"a quotation in a script without spaces": {`"每个月"`, []string{"utterance 2 我们每个月都丢失收据。"}},
		"a part of a script without spaces":      {"丢失", []string{"utterance 2 我们每个月都丢失收据。"}},
		"one letter of such a script":            {"据", []string{"utterance 2 我们每个月都丢失收据。"}},
		"three letters beside each other":        {"每个月", []string{"utterance 2 我们每个月都丢失收据。"}},
		"not three letters apart":                {"每个丢失", []string{}},
		"kana":                                   {"シート", []string{"utterance 3 レシートをなくす"}},
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

	t.Run("finds answers by their question and their sentences, for who sees the project", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, []string{"answer - How much do they pay?"},
			searched(t, asUser(t, d, f.Viewer), f.Project, "how much"))
		require.Contains(t, searched(t, asUser(t, d, f.Viewer), f.Project, "20 €"), "answer 0 20 €.")
		require.Empty(t, searched(t, asUser(t, d, fill(t, d).Owner), f.Project, "how much"))
	})
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
			`select count(*)::int
				from private.search_transcripts($1, '{monat}', '{f}', '{}', '{}', array[$2::uuid], 40)`,
			f.Project, f.Import))
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
			where w.project_id = $1 and w.words @@ '(''needle'':* | ''=en=needl'' | ''=de=needl'') <0> (a | ''=en=a'')'
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

// storeSpoken stores an import in a language, a line an utterance.
func storeSpoken(t *testing.T, d *dbtest.DB, project uuid.UUID, language string, lines ...string) uuid.UUID {
	t.Helper()
	params := storeParams(project, nil, strings.Join(lines, "\n"))
	params.Language = language
	var id uuid.UUID
	require.NoError(t, d.AsService(t.Context(), func(q *db.Queries) error {
		var err error
		id, err = q.StoreImport(t.Context(), params)
		return err
	}))
	return id
}

// Words are found in all forms with the same stem in the language of the interview.
func TestSearchFindsForms(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	f := d.Tenant(t)
	storeSpoken(t, d, f.Project, "en-GB", "They organised their favourite invoices.", "An invoice for a ship.",
		"The cats are travelling.", "Four hours, for the centre.")
	storeSpoken(t, d, f.Project, "de", "Die Häuser zahlten wir.", "Eine große Zahlung.", "Der Kater schläft.")
	storeSpoken(t, d, f.Project, "es", "Las facturaciones son lentas.", "Mi casa, y las CASAS de todos.")
	storeSpoken(t, d, f.Project, "", "Various cashiers sneezed.", "我们每个月都丢失收据")
	storeSpoken(t, d, f.Project, "xx-not-a-language", "Other sneezes.")
	d.Exec(t, `insert into hypotheses (project_id, workspace_id, statement)
		values ($1, $2, 'Owners dread paying invoices')`, f.Project, f.Workspace)

	for query, want := range map[string][]string{
		"invoices": {
			"hypothesis - Owners dread paying invoices", "utterance 0 They organised their favourite invoices.",
			"utterance 1 An invoice for a ship.",
		},
		"invoice ship":   {"utterance 1 An invoice for a ship."},
		"ships invoices": {"utterance 1 An invoice for a ship."},
		"owner dreaded":  {"hypothesis - Owners dread paying invoices"},
		"organizing":     {"utterance 0 They organised their favourite invoices."},
		"favorites":      {"utterance 0 They organised their favourite invoices."},
		"traveled cat":   {"utterance 2 The cats are travelling."},
		"center":         {"utterance 3 Four hours, for the centre."},
		"haus":           {"utterance 0 Die Häuser zahlten wir."},
		"Haeuser":        {"utterance 0 Die Häuser zahlten wir."},
		"grosser":        {"utterance 1 Eine große Zahlung."},
		"facturación":    {"utterance 0 Las facturaciones son lentas."},
		"casas":          {"utterance 1 Mi casa, y las CASAS de todos."},
		// As written, where the language is unknown, and where a person wants it so.
		"cashiers":   {"utterance 0 Various cashiers sneezed."},
		"sneezing":   {},
		`"ships" an`: {},
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			require.ElementsMatch(t, want, searched(t, asUser(t, d, f.Viewer), f.Project, query))
		})
	}
	t.Run("and says which", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, []string{"häuser"}, value[[]string](t, asUser(t, d, f.Viewer),
			"select forms from search_project($1, 'Haus')", f.Project))
		require.Equal(t, []string{"casa", "casas"}, value[[]string](t, asUser(t, d, f.Viewer),
			"select forms from search_project($1, 'CASA')", f.Project))
	})
	t.Run("around the one in a long text", func(t *testing.T) {
		t.Parallel()
		p := d.Tenant(t)
		storeSpoken(t, d, p.Project, "de", strings.Repeat("Und so weiter. ", 200)+"Die Häuser. "+
			strings.Repeat("Und so fort. ", 200))
		require.Contains(t, searched(t, asUser(t, d, p.Viewer), p.Project, "Haus")[0], "Die Häuser.")
	})
	t.Run("after the words as they are written, whichever is newer", func(t *testing.T) {
		t.Parallel()
		p := d.Tenant(t)
		old := storeSpoken(t, d, p.Project, "en", "Some receipts.", "A receipt.")
		d.Exec(t, `update imports set created_at = now() - interval '1 day' where id = $1`, old)
		storeSpoken(t, d, p.Project, "en", strings.Split(strings.Repeat("Many receipts.\n", 40*250), "\n")...)
		found := searched(t, asUser(t, d, p.Viewer), p.Project, `receipt of`)
		require.Empty(t, found)
		found = searched(t, asUser(t, d, p.Viewer), p.Project, "a receipt")
		require.Equal(t, []string{"utterance 1 A receipt."}, found)
		found = searched(t, asUser(t, d, p.Viewer), p.Project, "some receipts some")
		require.Equal(t, []string{"utterance 0 Some receipts."}, found)
	})
	t.Run("in the language that another reading finds", func(t *testing.T) {
		t.Parallel()
		p := d.Tenant(t)
		id := storeSpoken(t, d, p.Project, "", "The mice sneezed.")
		viewer := asUser(t, d, p.Viewer)
		require.Empty(t, searched(t, viewer, p.Project, "sneezing"))
		d.Exec(t, "update imports set language = 'en' where id = $1", id)
		require.Equal(t, []string{"utterance 0 The mice sneezed."}, searched(t, viewer, p.Project, "sneezing"))
		d.Exec(t, "update imports set language = 'de' where id = $1", id)
		require.Empty(t, searched(t, viewer, p.Project, "sneezing"))
	})
}

// A search can be limited to people of personas, to speakers by their names, and to kinds of rows.
func TestSearchFilters(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	f := d.Tenant(t)
	rival := d.Tenant(t)
	owners, baristas := uuid.New(), uuid.New()
	d.Exec(t, `insert into personas (id, project_id, workspace_id, name) values ($1, $3, $4, 'Owners'),
		($2, $3, $4, 'Baristas')`, owners, baristas, f.Project, f.Workspace)
	// Speaker 0 asks, Speaker 1 answers. Pia is a barista in an interview about owners.
	one := storeSpoken(t, d, f.Project, "en", "Who gets the tips?", "The tips are mine.")
	two := storeSpoken(t, d, f.Project, "en", "And your tips?", "A tip is rare.")
	d.Exec(t, `update imports set persona_id = $1, created_at = now() - interval '1 hour' where id in ($2, $3)`,
		owners, one, two)
	d.Exec(t, `update import_speakers set role = 'interviewer', display_name = 'Lena'
		where speaker = 'Speaker 0' and import_id in ($1, $2)`, one, two)
	pia := uuid.New()
	d.Exec(t, `insert into participants (id, project_id, workspace_id, name, persona_id)
		values ($1, $2, $3, 'Pía', $4)`, pia, f.Project, f.Workspace, baristas)
	d.Exec(t, `update import_speakers set participant_id = $1 where speaker = 'Speaker 1' and import_id = $2`,
		pia, two)
	d.Exec(t, `update import_speakers set participant_id = null, display_name = 'Olga'
		where speaker = 'Speaker 1' and import_id = $1`, one)
	d.Exec(t, `insert into hypotheses (project_id, workspace_id, statement, persona_id)
		values ($1, $2, 'Tips are stolen', $3), ($1, $2, 'Tips are taxed', null)`, f.Project, f.Workspace, owners)
	d.Exec(t, `insert into evidence (project_id, workspace_id, quote, speaker)
		values ($1, $2, 'No tips by hand', 'Olga')`, f.Project, f.Workspace)

	filtered := func(t *testing.T, filters string, args ...any) []string {
		t.Helper()
		return value[[]string](t, asUser(t, d, f.Viewer), `select coalesce(array_agg(concat_ws(' ', kind, text)
			order by kind, text), '{}') from search_project($1, 'tips', `+filters+`)`,
			append([]any{f.Project}, args...)...)
	}
	for name, test := range map[string]struct {
		filters string
		args    []any
		want    []string
	}{
		"nothing": {"personas => null, speakers => null, kinds => null", nil, []string{
			"hypothesis Tips are stolen", "hypothesis Tips are taxed", "quote No tips by hand",
			"utterance A tip is rare.", "utterance And your tips?", "utterance The tips are mine.",
			"utterance Who gets the tips?",
		}},
		"a persona, which interviewers do not have": {"personas => array[$2::uuid]", []any{owners}, []string{
			"hypothesis Tips are stolen", "utterance The tips are mine.",
		}},
		"the persona of the person": {"personas => array[$2::uuid]", []any{baristas}, []string{
			"utterance A tip is rare.",
		}},
		"one of two personas": {"personas => array[$2::uuid, $3]", []any{owners, baristas}, []string{
			"hypothesis Tips are stolen", "utterance A tip is rare.", "utterance The tips are mine.",
		}},
		"an interviewer by name": {"speakers => array['LENA']", nil, []string{
			"utterance And your tips?", "utterance Who gets the tips?",
		}},
		"a person by the current name": {"speakers => array['Pía']", nil, []string{"utterance A tip is rare."}},
		"no label that has a name":     {"speakers => array['Speaker 1']", nil, []string{}},
		"a speaker of a quote by hand": {"speakers => array['Olga']", nil, []string{
			"quote No tips by hand", "utterance The tips are mine.",
		}},
		"a speaker of a persona": {"personas => array[$2::uuid], speakers => array['Olga']", []any{baristas},
			[]string{}},
		"kinds": {"kinds => array['quote', 'hypothesis'], speakers => array['Olga']", nil, []string{
			"quote No tips by hand",
		}},
		"turns of one import": {
			"import => $2, kinds => array['utterance'], speakers => array['Pía', 'Olga']", []any{one},
			[]string{"utterance The tips are mine."},
		},
		"a kind that is none":      {"kinds => array['x']", nil, []string{}},
		"an empty list of kinds":   {"kinds => '{}'", nil, []string{}},
		"an empty list of people":  {"speakers => '{}'", nil, []string{}},
		"a persona of nobody here": {"personas => array[$2::uuid]", []any{uuid.New()}, []string{}},
		"more names than are read": {"speakers => array_fill('x'::text, array[100000]) || 'Olga'::text", nil,
			[]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, filtered(t, test.filters, test.args...))
		})
	}
	t.Run("of a project that one may not see", func(t *testing.T) {
		t.Parallel()
		require.Zero(t, value[int](t, asUser(t, d, rival.Owner), `select count(*)::int
			from search_project($1, 'tips', speakers => array['Olga'])`, f.Project))
		require.Zero(t, value[int](t, asUser(t, d, rival.Owner), `select count(*)::int
			from private.search_voices($1, null, array['Olga'])`, f.Project))
	})
}

// passages returns the turns that private.search_passages finds, as the first word of each.
func passages(t *testing.T, c *caller, project uuid.UUID, query string) (found []string) {
	t.Helper()
	require.NoError(t, c.within(t.Context(), func(tx pgx.Tx) error {
		rows, err := tx.Query(t.Context(), `
			select split_part(u.text, ' ', 1)
			from private.search_passages(array[$1::uuid], $2, 100) with ordinality as s (import_id, ordinal, n)
			join utterances u on u.import_id = s.import_id and u.ordinal = s.ordinal
			order by s.n`, project, query)
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	}))
	return found
}

func TestSearchPassages(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	f := d.Tenant(t)
	storeImport(t, d, f.Project, nil, strings.Join([]string{
		"Zero nothing.", "One we keep receipts in a box.", "Two nothing.", "Three nothing.", "Four nothing.",
		"Five why do the boxes get lost?", "Six receipts, that is what we lose.", "Seven nothing.",
		"Eight nothing.", "Nine a box.", "Ten nothing.", "Eleven 我们每个月都丢失收据。",
	}, "\n"))
	rival := d.Tenant(t)
	storeImport(t, d, rival.Project, nil, "Hidden receipts are lost in boxes.")
	viewer := asUser(t, d, f.Viewer)
	for query, want := range map[string][]string{
		"what happens so that receipts in boxes are lost": {"Five", "Six"},
		"keep receipts":   {"One", "Six"},
		"receipts":        {"One", "Six"},
		"receipt":         {"One", "Six"},
		`"receipts in a"`: {"One"},
		`"a receipts in"`: {},
		"丢失":              {"Eleven"},
		"the of and":      {},
		"":                {},
		"'\"\\ & | !":     {},
		strings.Repeat("receipts box lost ", 5000): {"Five"},
	} {
		got := passages(t, viewer, f.Project, query)
		require.GreaterOrEqual(t, len(got), len(want), query)
		require.Equal(t, want, append([]string{}, got[:len(want)]...), query)
		if len(want) == 0 {
			require.Empty(t, got, query)
		}
		require.NotContains(t, got, "Hidden")
	}
	require.Empty(t, passages(t, viewer, rival.Project, "receipts"))
	require.Equal(t, []string{"Hidden"}, passages(t, asUser(t, d, rival.Viewer), rival.Project, "receipts"))
}
