package activities_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/db/dbtest"
	"research/outcome"
)

// newHalvesFixture has an interview of two chunks, with a quote in each.
func newHalvesFixture(t *testing.T) *parseFixture {
	t.Helper()
	e := &fakeExtractor{plan: halves}
	f := newParseFixture(t, e)
	e.ask = func(r extract.Request) (extract.Response, error) {
		response, _ := f.findings(r)
		response.Findings = response.Findings[r.Chunk.From/2 : r.Chunk.From/2+1]
		return response, nil
	}
	return f
}

// shown returns the quotes of the import that a run in progress has found, and the others.
func (f *parseFixture) shown(t *testing.T) (inProgress, settled []string) {
	t.Helper()
	const quotes = `select coalesce(array_agg(quote order by byte_start), '{}') from evidence where `
	return dbtest.Value[[]string](t, f.DB, quotes+`in_progress`),
		dbtest.Value[[]string](t, f.DB, quotes+`not in_progress`)
}

// evidenceEvents returns the events of evidence in their order.
func (f *parseFixture) evidenceEvents(t *testing.T) []string {
	t.Helper()
	return dbtest.Value[[]string](t, f.DB, `
		select coalesce(array_agg(type order by id), '{}') from private.events where type like 'evidence.%'`)
}

func TestEvidenceOfRunInProgress(t *testing.T) {
	t.Parallel()

	const (
		results = `select string_agg(result::text, ',' order by statement) from import_hypotheses`
		counted = `select coalesce(sum(supports + contradicts + neutral), 0) from hypothesis_balances((
			select id from projects limit 1))`
		stances = `select count(*) from speaker_stances`
	)

	t.Run("is shown as chunks are read, and counts once the run has ended", func(t *testing.T) {
		t.Parallel()
		f := newHalvesFixture(t)
		f.mustPlan(t)
		f.mustReadChunk(t, 0)
		inProgress, settled := f.shown(t)
		require.Equal(t, []string{fiveDays}, inProgress)
		require.Empty(t, settled)
		require.EqualValues(t, 1, f.row(t).EvidenceCount)
		require.Equal(t, "pending,pending", dbtest.Value[string](t, f.DB, results))
		require.Zero(t, dbtest.Value[int](t, f.DB, counted))
		require.Zero(t, dbtest.Value[int](t, f.DB, stances))
		require.Empty(t, f.evidenceEvents(t))
		first := dbtest.Value[string](t, f.DB, `select id::text from evidence`)

		f.mustReadChunk(t, 1)
		end, err := f.finish()
		require.Equal(t, 2, must(t, end, err).Evidence)
		inProgress, settled = f.shown(t)
		require.Empty(t, inProgress)
		require.Equal(t, []string{fiveDays, sleepless}, settled)
		require.Equal(t, first, dbtest.Value[string](t, f.DB,
			`select id::text from evidence order by byte_start limit 1`))
		require.Equal(t, "supports,contradicts", dbtest.Value[string](t, f.DB, results))
		require.Equal(t, 2, dbtest.Value[int](t, f.DB, counted))
		require.Equal(t, 2, dbtest.Value[int](t, f.DB, stances))
		require.Equal(t, []string{"evidence.created", "evidence.created"}, f.evidenceEvents(t))
	})

	t.Run("is kept if the run fails", func(t *testing.T) {
		t.Parallel()
		f := newHalvesFixture(t)
		f.mustPlan(t)
		f.mustReadChunk(t, 0)
		f.mustFail(t, outcome.StatusCanceled, outcome.CodeCanceled)
		inProgress, settled := f.shown(t)
		require.Empty(t, inProgress)
		require.Equal(t, []string{fiveDays}, settled)
		require.Equal(t, []string{"evidence.created"}, f.evidenceEvents(t))
		require.Equal(t, 1, dbtest.Value[int](t, f.DB, counted))
	})

	t.Run("was never created if the run discards it", func(t *testing.T) {
		t.Parallel()
		f := newHalvesFixture(t)
		f.mustPlan(t)
		f.mustReadChunk(t, 0)
		f.Exec(t, `delete from evidence`)
		require.Empty(t, f.evidenceEvents(t))
	})

	t.Run("can be judged before the run has ended", func(t *testing.T) {
		t.Parallel()
		f := newHalvesFixture(t)
		f.mustPlan(t)
		f.mustReadChunk(t, 0)
		f.execAsEditor(t, `update evidence set review = 'accepted', in_progress = false`)
		inProgress, _ := f.shown(t)
		require.Equal(t, []string{fiveDays}, inProgress, "a person does not end the run")
		require.Equal(t, []string{"evidence.accepted"}, f.evidenceEvents(t))
		f.mustReadChunk(t, 1)
		end, err := f.finish()
		require.Equal(t, 2, must(t, end, err).Evidence)
		require.Equal(t, "accepted", dbtest.Value[string](t, f.DB,
			`select review::text from evidence order by byte_start limit 1`))
		require.Equal(t, 2, dbtest.Value[int](t, f.DB, counted))
		require.Equal(t, 2, dbtest.Value[int](t, f.DB, `select added from private.import_runs`))
	})

	t.Run("causes one event of progress for each chunk", func(t *testing.T) {
		t.Parallel()
		f := newHalvesFixture(t)
		f.mustPlan(t)
		progress := func() int {
			return dbtest.Value[int](t, f.DB, `
				select count(*) from private.events where type = 'import.progress' and detail ->> 'done' <> '0'`)
		}
		f.mustReadChunk(t, 0)
		require.Equal(t, 1, progress())
		f.mustReadChunk(t, 1)
		require.Equal(t, 2, progress())
		_, err := f.finish()
		require.NoError(t, err)
		require.Equal(t, 2, progress())
	})

	t.Run("is in the findings of members, marked, and not in what others get", func(t *testing.T) {
		t.Parallel()
		f := newHalvesFixture(t)
		f.mustPlan(t)
		f.mustReadChunk(t, 0)
		f.Exec(t, `insert into finding_quotes (hypothesis_id, evidence_id, project_id, workspace_id)
			select hypothesis_id, evidence_id, project_id, workspace_id from evidence_hypotheses`)
		require.Equal(t, "true", dbtest.Value[string](t, f.DB,
			`select private.findings(hypothesis_id, true, true) #>> '{quotes,0,in_progress}' from finding_quotes`))
		require.Equal(t, "[]", dbtest.Value[string](t, f.DB,
			`select (private.findings(hypothesis_id, true, false) -> 'quotes')::text from finding_quotes`))
	})
}

func TestUnreadRangesOfAnEnd(t *testing.T) {
	t.Parallel()
	e := &fakeExtractor{plan: halves}
	f := newParseFixture(t, e)
	e.ask = func(r extract.Request) (extract.Response, error) {
		if r.Chunk.From > 0 {
			return extract.Response{}, &extract.Error{Code: outcome.CodeModelRefused}
		}
		return f.findings(r)
	}
	end := f.parse(t)
	require.Equal(t, 1, end.Unread)
	require.Equal(t, outcome.StatusParsed, end.Status)
}
