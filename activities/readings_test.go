package activities_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/db"
	"research/db/dbtest"
	"research/outcome"
)

// readBy returns what read the import for each hypothesis, in the order of their statements.
func (f *parseFixture) readBy(t *testing.T) []string {
	t.Helper()
	return dbtest.Value[[]string](t, f.DB, `
		select array_agg(concat_ws(' ',
			h.result, h.coverage, h.model_coverage,
			(select string_agg(concat_ws(':', r ->> 'extractor', r ->> 'model', r ->> 'coverage'), ' ' order by n)
			 from jsonb_array_elements(h.readings) with ordinality as x (r, n))
		) order by h.statement)
		from import_hypotheses h`)
}

func TestReadings(t *testing.T) {
	t.Parallel()

	t.Run("of a refresh that fails are those before it", func(t *testing.T) {
		t.Parallel()
		f, e := newFindingsFixture(t)
		f.parse(t)
		before := f.readBy(t)
		require.Equal(t, []string{
			"supports 1 1 openai:test-model:1", "contradicts 1 1 openai:test-model:1",
		}, before)

		e.ask, e.model = fails(outcome.CodeModelTooLong), "other-model"
		f.refresh(t)
		end := f.parse(t)
		require.Equal(t, outcome.StatusFailed, end.Status)
		require.Equal(t, outcome.CodeModelTooLong, end.ErrorCode)
		require.Zero(t, end.Unread, "an earlier run has read what this one could not")
		require.Equal(t, before, f.readBy(t))
		row := f.row(t)
		require.Equal(t, "test-model", *row.Model, "the import is named after what read it")
		require.EqualValues(t, 2, row.EvidenceCount)
		require.EqualValues(t, 2, row.RejectedCount)
		require.Equal(t, "other-model failed", dbtest.Value[string](t, f.DB,
			`select concat_ws(' ', model, status) from private.import_runs where refresh`))
	})

	t.Run("of a refresh that reads a part name both models", func(t *testing.T) {
		t.Parallel()
		f, e := newFindingsFixture(t)
		f.parse(t)
		e.plan, e.model = halves, "other-model"
		e.ask = func(q extract.Request) (extract.Response, error) {
			if q.Chunk.From == 0 {
				return extract.Response{}, &extract.Error{Code: outcome.CodeModelRefused}
			}
			return extract.Response{}, nil
		}
		f.refresh(t)
		end := f.parse(t)
		require.Equal(t, outcome.StatusParsed, end.Status)
		require.Zero(t, end.Unread)
		require.Equal(t, []string{
			"supports 1 1 openai:test-model:0.507 openai:other-model:0.493",
			"nothing_found 1 1 openai:test-model:0.507 openai:other-model:0.493",
		}, f.readBy(t))
		require.Equal(t, "supports test-model", dbtest.Value[string](t, f.DB,
			`select concat_ws(' ', eh.stance, e.model) from evidence e
			join evidence_hypotheses eh on eh.evidence_id = e.id`), "what the other model read again is replaced")
	})

	t.Run("by keyword do not count for a model", func(t *testing.T) {
		t.Parallel()
		e := &fakeExtractor{name: "keyword", ask: findsNothing}
		f := newParseFixture(t, e)
		e.ask = f.findings
		f.parse(t)
		require.Equal(t, []string{"supports 1 0 keyword:test-model:1", "contradicts 1 0 keyword:test-model:1"},
			f.readBy(t))
		require.Equal(t, "en", dbtest.Value[string](t, f.DB,
			`select statement_language from import_hypotheses where hypothesis_id = $1`, f.bookkeeping))
		require.Equal(t, db.PrivateClaimResultImportAlreadyParsed,
			f.tryClaim(t, false, f.bookkeeping, f.spreadsheets))

		f.byModel = true
		f.execAsEditor(t, `update public.evidence set review = 'accepted' where quote = '`+fiveDays+`'`)
		e.name, e.ask = "openai", findsNothing
		f.claim(t)
		require.Len(t, f.parseAgain(t, e), 1)
		require.Equal(t, []string{"supports 1 1 openai:test-model:1", "nothing_found 1 1 openai:test-model:1"},
			f.readBy(t), "what a person accepted stays")
		require.Equal(t, "openai", *f.row(t).Extractor)
		require.Equal(t, db.PrivateClaimResultImportAlreadyParsed,
			f.tryClaim(t, false, f.bookkeeping, f.spreadsheets))
	})

	t.Run("of one run are told apart for each hypothesis", func(t *testing.T) {
		t.Parallel()
		f, e := newFindingsFixture(t)
		f.parse(t)
		e.name, e.model, e.ask = "keyword", "none", findsNothing
		added := f.Hypothesis(t, f.tenant, "Nobody sleeps")
		require.Equal(t, db.PrivateClaimResultClaimed, f.tryClaim(t, false, f.bookkeeping, f.spreadsheets, added))
		f.parse(t)
		require.Equal(t, []string{
			"supports 1 1 openai:test-model:1", "nothing_found 1 0 keyword:none:1",
			"contradicts 1 1 openai:test-model:1",
		}, f.readBy(t))
		require.Equal(t, "openai", *f.row(t).Extractor)
	})
}

func TestARunThatReadsNothingFails(t *testing.T) {
	t.Parallel()

	t.Run("although another hypothesis was read before", func(t *testing.T) {
		t.Parallel()
		f, e := newFindingsFixture(t)
		f.parse(t)
		e.ask = fails(outcome.CodeModelRefused)
		added := f.Hypothesis(t, f.tenant, "Nobody sleeps")
		require.Equal(t, db.PrivateClaimResultClaimed, f.tryClaim(t, false, f.bookkeeping, added))
		end := f.parse(t)
		require.Equal(t, outcome.StatusFailed, end.Status)
		require.Equal(t, 1, end.Unread)
		require.Zero(t, end.Coverage)
		require.Equal(t, "pending", dbtest.Value[string](t, f.DB,
			`select result::text from import_hypotheses where hypothesis_id = $1`, added))
	})

	t.Run("and a later one heals it", func(t *testing.T) {
		t.Parallel()
		f, e := newFindingsFixture(t)
		f.parse(t)
		findings := e.ask
		e.ask = fails(outcome.CodeModelTooLong)
		f.refresh(t)
		f.parse(t)
		f.Exec(t, `delete from private.chunk_responses`)
		e.ask = findings
		f.refresh(t)
		require.Equal(t, outcome.StatusParsed, f.parse(t).Status)
	})
}

// A later run asks again at once about what an earlier one could not read, in this process or another one.
func TestTheRecoveryBelongsToTheRun(t *testing.T) {
	t.Parallel()
	e := &fakeExtractor{ask: fails(outcome.CodeModelBadAnswer)}
	f := newParseFixture(t, e)
	require.Equal(t, outcome.StatusFailed, f.parse(t).Status)
	require.EqualValues(t, 3, e.calls.Load(), "once, again, and about a part")
	require.EqualValues(t, 3, dbtest.Value[int](t, f.DB, `select calls from private.import_runs`))

	e.calls.Store(0)
	f.claim(t)
	require.Equal(t, outcome.StatusFailed, f.parse(t).Status)
	require.EqualValues(t, 3, e.calls.Load())

	e.calls.Store(0)
	e.ask = func(q extract.Request) (extract.Response, error) {
		if !q.Again {
			return extract.Response{}, &extract.Error{Code: outcome.CodeModelBadAnswer}
		}
		return extract.Response{}, nil
	}
	f.claim(t)
	require.Equal(t, outcome.StatusParsed, f.parse(t).Status)
	require.EqualValues(t, 2, e.calls.Load())
	f.refresh(t)
	require.Equal(t, outcome.StatusParsed, f.parse(t).Status)
	require.EqualValues(t, 2, e.calls.Load(), "the second response is the stored one")
}
