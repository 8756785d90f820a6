package activities_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/db"
	"research/db/dbtest"
	"research/outcome"
)

// parseAgain returns the requests of a new run for hypotheses, of which something is missing.
func (f *parseFixture) parseAgain(t *testing.T, e *fakeExtractor) []string {
	t.Helper()
	e.forget()
	require.Equal(t, outcome.StatusParsed, f.parse(t).Status)
	return e.requests()
}

func TestParseAgain(t *testing.T) {
	t.Parallel()

	t.Run("is rejected if nothing is missing", func(t *testing.T) {
		t.Parallel()
		f, _ := newFindingsFixture(t)
		f.parse(t)
		require.Equal(t, db.PrivateClaimResultImportAlreadyParsed,
			f.tryClaim(t, false, f.bookkeeping, f.spreadsheets))
		require.Equal(t, db.PrivateClaimResultImportAlreadyParsed, f.tryClaim(t, false, f.spreadsheets))
		require.Equal(t, outcome.StatusParsed, f.row(t).Status)
	})

	t.Run("asks about a new hypothesis alone", func(t *testing.T) {
		t.Parallel()
		f, e := newFindingsFixture(t)
		f.parse(t)
		added := f.Hypothesis(t, f.tenant, "Nobody sleeps")
		require.Equal(t, db.PrivateClaimResultClaimed, f.tryClaim(t, false, f.bookkeeping, f.spreadsheets, added))
		require.Equal(t, []string{"0-4 Nobody sleeps"}, f.parseAgain(t, e))
		require.EqualValues(t, 2, f.row(t).EvidenceCount, "the evidence of the first run is kept")
		require.Equal(t, 3, dbtest.Value[int](t, f.DB,
			`select count(*) from import_hypotheses where result <> 'pending' and coverage = 1`))
	})

	t.Run("does not count quotes of proposed themes", func(t *testing.T) {
		t.Parallel()
		f, e := newFindingsFixture(t)
		f.parse(t)
		f.Exec(t, `insert into evidence (project_id, import_id, quote, byte_start, byte_end, match, origin)
			select project_id, import_id, quote, byte_start, byte_end, match, 'ai' from evidence limit 1`)
		added := f.Hypothesis(t, f.tenant, "Nobody sleeps")
		f.tryClaim(t, false, f.bookkeeping, f.spreadsheets, added)
		f.parseAgain(t, e)
		require.EqualValues(t, 2, f.row(t).EvidenceCount)
	})

	t.Run("asks about a hypothesis whose statement changed", func(t *testing.T) {
		t.Parallel()
		f, e := newFindingsFixture(t)
		f.parse(t)
		f.Exec(t, `update hypotheses set statement = 'People hate spreadsheets' where id = $1`, f.spreadsheets)
		f.claim(t)
		require.Equal(t, []string{"0-4 People hate spreadsheets"}, f.parseAgain(t, e))
	})

	t.Run("asks about the range that could not be read", func(t *testing.T) {
		t.Parallel()
		e := &fakeExtractor{plan: halves}
		f := newParseFixture(t, e)
		e.ask = func(q extract.Request) (extract.Response, error) {
			if q.Chunk.From == 0 {
				return extract.Response{}, &extract.Error{Code: outcome.CodeModelRefused}
			}
			return extract.Response{}, nil
		}
		require.Less(t, f.parse(t).Coverage, 1.0)
		e.ask = findsNothing
		f.claim(t)
		require.Equal(t, []string{"0-2 Closing the books takes five days, People like spreadsheets"},
			f.parseAgain(t, e))
		require.InDelta(t, 1, f.row(t).Coverage, 0)
		require.JSONEq(t, `[]`, string(f.row(t).Unread))
	})

	t.Run("asks about each hypothesis what it misses", func(t *testing.T) {
		t.Parallel()
		e := &fakeExtractor{plan: halves, ask: findsNothing}
		f := newParseFixture(t, e)
		f.readNext(t)
		f.mustFail(t, outcome.StatusCanceled, outcome.CodeCanceled)
		added := f.Hypothesis(t, f.tenant, "Nobody sleeps")
		require.Equal(t, db.PrivateClaimResultClaimed, f.tryClaim(t, false, f.bookkeeping, added))
		require.Equal(t, []string{
			"0-2 Nobody sleeps", "2-4 Closing the books takes five days", "2-4 Nobody sleeps",
		}, f.parseAgain(t, e))
	})
}

// otherFindings are those of another model: it misses what the first model found about the books, reads the
// opposite from the words about the spreadsheet, and finds something new.
func (f *parseFixture) otherFindings(extract.Request) (extract.Response, error) {
	return extract.Response{Findings: []extract.Finding{{
		HypothesisID: f.spreadsheets.String(), Stance: "supports", Strength: "weak",
		Quote: sleepless, Utterances: []int{3},
	}, {
		HypothesisID: f.bookkeeping.String(), Stance: "neutral", Strength: "weak",
		Quote: "How do you close the books?", Utterances: []int{0},
	}}}, nil
}

// changes are what the latest run changed, one line each.
func (f *parseFixture) changes(t *testing.T) []string {
	t.Helper()
	return dbtest.Value[[]string](t, f.DB, `
		select coalesce(array_agg(concat_ws(' ',
			c.kind, coalesce(c.quote, e.quote), c.stance_before, c.stance_after, case when c.kept then 'kept' end
		) order by c.kind), '{}')
		from private.import_run_changes c left join evidence e on e.id = c.evidence_id
		where c.claim_id = $1`, f.ref.ClaimID)
}

// result is the result of the import for a hypothesis.
func (f *parseFixture) result(t *testing.T, hypothesis uuid.UUID) string {
	t.Helper()
	return dbtest.Value[string](t, f.DB,
		`select result::text from import_hypotheses where hypothesis_id = $1`, hypothesis)
}

func TestRefresh(t *testing.T) {
	t.Parallel()

	t.Run("records what is added, changed and gone", func(t *testing.T) {
		t.Parallel()
		f, e := newFindingsFixture(t)
		f.parse(t)
		require.Len(t, f.changes(t), 2, "all of the first run is added")
		e.ask, e.model = f.otherFindings, "other-model"
		f.refresh(t)
		f.parse(t)
		require.Equal(t, []string{
			"added How do you close the books? neutral",
			"changed " + sleepless + " contradicts supports",
			"gone " + fiveDays + " supports",
		}, f.changes(t))
		require.Equal(t, "1 1 1", dbtest.Value[string](t, f.DB,
			`select concat_ws(' ', added, changed, gone) from private.import_runs where refresh`))
		require.Equal(t, 2, dbtest.Value[int](t, f.DB, `select count(*) from evidence`))
	})

	t.Run("keeps what a person accepted or edited", func(t *testing.T) {
		t.Parallel()
		f, e := newFindingsFixture(t)
		f.parse(t)
		f.execAsEditor(t, `update public.evidence set review = 'accepted' where quote = '`+fiveDays+`'`)
		f.execAsEditor(t, `update public.evidence set summary = 'They hate it' where quote like 'Then we do not%'`)
		e.ask, e.model = findsNothing, "other-model"
		f.refresh(t)
		f.parse(t)
		require.Equal(t, []string{
			"gone " + fiveDays + " supports kept",
			"gone " + sleepless + " contradicts kept",
		}, f.changes(t))
		require.Equal(t, 2, dbtest.Value[int](t, f.DB, `select count(*) from evidence`))
		require.Equal(t, "supports,contradicts", dbtest.Value[string](t, f.DB,
			`select string_agg(result::text, ',' order by statement) from import_hypotheses`))
	})

	t.Run("keeps what a person gave to a theme or commented on", func(t *testing.T) {
		t.Parallel()
		f, e := newFindingsFixture(t)
		f.parse(t)
		f.execAsEditor(t, `
			with theme as (
				insert into public.themes (project_id, name)
				select project_id, 'Nights' from public.imports returning id
			)
			insert into public.evidence_themes (evidence_id, theme_id)
			select e.id, theme.id from public.evidence e, theme where e.quote = '`+fiveDays+`'`)
		f.execAsEditor(t, `insert into public.comments (evidence_id, body)
			select id, 'Ask again' from public.evidence where quote like 'Then we do not%'`)
		e.ask, e.model = findsNothing, "other-model"
		f.refresh(t)
		f.parse(t)
		require.Equal(t, 2, dbtest.Value[int](t, f.DB, `select count(*) from evidence`))
		require.Zero(t, dbtest.Value[int](t, f.DB, `select count(*) from evidence where edited_at is not null`))
	})

	// A judgement on the words of one finding, and another model that takes each stance on them.
	for _, judged := range []string{"accepted", "rejected"} {
		for _, stance := range []outcome.Stance{"supports", "contradicts", "neutral"} {
			t.Run("suggests nothing on words that were "+judged+", such as "+string(stance), func(t *testing.T) {
				t.Parallel()
				f, e := newFindingsFixture(t)
				f.parse(t)
				f.execAsEditor(t, `update public.evidence set review = '`+judged+`' where quote = '`+fiveDays+`'`)
				result := f.result(t, f.bookkeeping)
				e.model = "other-model"
				e.ask = func(extract.Request) (extract.Response, error) {
					return extract.Response{Findings: []extract.Finding{{
						HypothesisID: f.bookkeeping.String(), Stance: stance, Strength: "weak",
						Quote: fiveDays, Utterances: []int{1},
					}}}, nil
				}
				f.refresh(t)
				f.parse(t)
				require.Equal(t, []string{"gone " + sleepless + " contradicts"}, f.changes(t))
				require.Equal(t, "supports "+judged, dbtest.Value[string](t, f.DB,
					`select string_agg(concat_ws(' ', eh.stance, e.review), ',') from evidence e
					join evidence_hypotheses eh on eh.evidence_id = e.id where e.quote = $1`, fiveDays))
				require.Equal(t, result, f.result(t, f.bookkeeping))
			})
		}
	}

	t.Run("suggests what a person rejected for another hypothesis", func(t *testing.T) {
		t.Parallel()
		f, e := newFindingsFixture(t)
		f.parse(t)
		f.execAsEditor(t, `update public.evidence set review = 'rejected' where quote = '`+fiveDays+`'`)
		e.model = "other-model"
		e.ask = func(extract.Request) (extract.Response, error) {
			return extract.Response{Findings: []extract.Finding{{
				HypothesisID: f.spreadsheets.String(), Stance: "supports", Strength: "weak",
				Quote: fiveDays, Utterances: []int{1},
			}}}, nil
		}
		f.refresh(t)
		f.parse(t)
		require.Contains(t, f.changes(t), "added "+fiveDays+" supports")
	})

	t.Run("counts what it wrote", func(t *testing.T) {
		t.Parallel()
		f, e := newFindingsFixture(t)
		f.parse(t)
		f.execAsEditor(t, `delete from public.evidence_hypotheses
			where evidence_id = (select id from public.evidence where quote = '`+fiveDays+`')`)
		e.model = "other-model"
		f.refresh(t)
		f.parse(t)
		require.Empty(t, f.changes(t), "a person took the quote from the hypothesis")
		require.Equal(t, "0 0 0", dbtest.Value[string](t, f.DB,
			`select concat_ws(' ', added, changed, gone) from private.import_runs where refresh`))
	})

	t.Run("changes nothing and costs nothing with the same model and prompt", func(t *testing.T) {
		t.Parallel()
		f, e := newFindingsFixture(t)
		f.parse(t)
		f.refresh(t)
		require.Empty(t, f.parseAgain(t, e), "the responses are stored")
		require.Empty(t, f.changes(t))
	})
}
