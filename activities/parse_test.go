package activities_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/activities"
	"research/activities/extract"
	"research/activities/extract/keyword"
	"research/db/dbtest"
	"research/outcome"
)

// findings is a response with a verbatim quote, a quote with a changed word, an invented quote, and a finding
// for a hypothesis that was not asked about.
func (f *parseFixture) findings(extract.Request) (extract.Response, error) {
	return extract.Response{
		Findings: []extract.Finding{{
			HypothesisID: f.bookkeeping.String(), Stance: "supports", Strength: "strong",
			Quote: fiveDays, Utterances: []int{1},
		}, {
			HypothesisID: f.spreadsheets.String(), Stance: "contradicts", Strength: "medium",
			Quote: strings.Replace(sleepless, "the", "that", 1), Utterances: []int{3},
		}, {
			HypothesisID: f.spreadsheets.String(), Stance: "supports", Strength: "strong",
			Quote: "Then we do sleep. I love the spreadsheet, honestly.", Utterances: []int{3},
		}, {
			HypothesisID: uuid.NewString(), Stance: "supports", Strength: "strong",
			Quote: fiveDays, Utterances: []int{1},
		}},
		FollowUps: []extract.FollowUp{{HypothesisID: f.bookkeeping.String(), Text: "What happens on day six?"}},
		Usage:     extract.Usage{InputTokens: 100, OutputTokens: 20},
	}, nil
}

// newFindingsFixture has an extractor that responds with findings.
func newFindingsFixture(t *testing.T) (*parseFixture, *fakeExtractor) {
	t.Helper()
	e := &fakeExtractor{}
	f := newParseFixture(t, e)
	e.ask = f.findings
	return f, e
}

func TestParse(t *testing.T) {
	t.Parallel()

	t.Run("writes proven evidence, a result for each hypothesis, and the counts", func(t *testing.T) {
		t.Parallel()
		f, _ := newFindingsFixture(t)
		requireEnd(t, activities.ParseEnd{
			Status: outcome.StatusParsed, Evidence: 2, Rejected: 2, Coverage: 1,
		}, f.parse(t))

		row := f.row(t)
		require.Equal(t, outcome.StatusParsed, row.Status)
		require.NotNil(t, row.FinishedAt)
		require.Equal(t, [2]int32{1, 1}, [2]int32{row.ProgressDone, row.ProgressTotal})
		require.Equal(t, [2]int32{2, 2}, [2]int32{row.EvidenceCount, row.RejectedCount})
		require.Equal(t, "meaning_differs,unknown_hypothesis", dbtest.Value[string](t, f.DB, `
			select string_agg(d ->> 'reason', ',' order by d ->> 'reason')
			from private.import_runs, jsonb_array_elements(discarded) d
			where d ->> 'quote' <> '' and d ? 'utterance'`))
		require.Equal(t, [2]int64{100, 20}, [2]int64{row.InputTokens, row.OutputTokens})
		require.Equal(t, "openai test-model v0", *row.Extractor+" "+*row.Model+" "+*row.PromptVersion)
		require.Equal(t, "supports,contradicts", dbtest.Value[string](t, f.DB,
			`select string_agg(result::text, ',' order by statement) from import_hypotheses`))
		require.Equal(t, []string{
			"verbatim|Omar|ai|" + fiveDays,
			"repaired|Omar|ai|" + sleepless,
		}, dbtest.Value[[]string](t, f.DB, `select array_agg(
			concat_ws('|', match, speaker, origin, quote) order by byte_start) from evidence`))
		require.Equal(t, 2, dbtest.Value[int](t, f.DB, `
			select count(*) from evidence e join private.transcripts t using (import_id)
			where convert_to(e.quote, 'UTF8')
				= substring(t.body from e.byte_start + 1 for e.byte_end - e.byte_start)`),
			"each quote is a slice of the transcript")
		require.Equal(t, "ai", dbtest.Value[string](t, f.DB, `select origin::text from questions`))
	})

	t.Run("marks the evidence of the keyword extractor as such", func(t *testing.T) {
		t.Parallel()
		f := newParseFixture(t, keyword.New(keyword.Precise))
		end := f.parse(t)
		require.Equal(t, outcome.StatusParsed, end.Status)
		require.Positive(t, end.Evidence)
		require.Zero(t, dbtest.Value[int](t, f.DB,
			`select count(*) from import_hypotheses where result = 'pending'`))
		require.Zero(t, dbtest.Value[int](t, f.DB,
			`select count(*) from evidence where origin <> 'keyword' or confidence > 0.66`))
	})

	t.Run("leaves a hypothesis undecided if its evidence is only neutral", func(t *testing.T) {
		t.Parallel()
		f := newParseFixture(t, &fakeExtractor{ask: func(r extract.Request) (extract.Response, error) {
			return extract.Response{Findings: []extract.Finding{{
				HypothesisID: r.Hypotheses[0].ID, Stance: outcome.StanceNeutral, Strength: outcome.StrengthWeak,
				Quote: fiveDays, Utterances: []int{1},
			}}}, nil
		}})
		require.Equal(t, outcome.StatusParsed, f.parse(t).Status)
		require.Equal(t, []string{"nothing_found", "undecided"}, dbtest.Value[[]string](t, f.DB,
			`select array_agg(result::text order by result::text) from import_hypotheses`))
	})

	t.Run("names the interviewers, and rejects what they say", func(t *testing.T) {
		t.Parallel()
		f, e := newFindingsFixture(t)
		f.Exec(t, `update import_speakers set role = 'interviewer' where speaker = 'Omar'`)
		requireEnd(t, activities.ParseEnd{Status: outcome.StatusParsed, Rejected: 4, Coverage: 1}, f.parse(t))
		require.Equal(t, []string{"Omar"}, e.asked[0].Interviewers)
		require.Zero(t, dbtest.Value[int](t, f.DB, `select count(*) from evidence`))
	})

	t.Run("succeeds if there is no evidence", func(t *testing.T) {
		t.Parallel()
		f := newParseFixture(t, &fakeExtractor{ask: findsNothing})
		requireEnd(t, activities.ParseEnd{Status: outcome.StatusParsed, Coverage: 1}, f.parse(t))
		require.Equal(t, 2, dbtest.Value[int](t, f.DB,
			`select count(*) from import_hypotheses where result = 'nothing_found'`))
	})

	t.Run("retries of activities neither duplicate rows nor call the model again", func(t *testing.T) {
		t.Parallel()
		f, e := newFindingsFixture(t)
		for range 3 {
			f.mustPlan(t)
		}
		for range 3 {
			require.Equal(t, 2, f.parse(t).Evidence)
		}
		require.EqualValues(t, 1, e.calls.Load())
		require.Equal(t, 2, dbtest.Value[int](t, f.DB, `select count(*) from evidence`))
	})
}

func TestLateActivities(t *testing.T) {
	t.Parallel()
	f, _ := newFindingsFixture(t)
	f.mustFail(t, outcome.StatusFailed, outcome.CodeInternal)
	late := *f
	f.claim(t)
	_, readErr := late.readChunk(0)
	_, failErr := late.fail(outcome.StatusFailed, outcome.CodeInternal)
	for _, err := range []error{readErr, failErr} {
		requireNotRetried(t, activities.TypeSuperseded, err)
	}
	require.Equal(t, outcome.StatusQueued, f.row(t).Status, "activities of the earlier claim change nothing")
}

func TestParseEndDurations(t *testing.T) {
	t.Parallel()

	t.Run("of an import that was parsed", func(t *testing.T) {
		t.Parallel()
		f := newParseFixture(t, keyword.New(keyword.Precise))
		f.Exec(t, `update imports set queued_at = now() - interval '90 minutes'`)
		f.mustPlan(t)
		f.Exec(t, `update imports set started_at = now() - interval '30 minutes'`)
		for range 2 { // a retry returns the same end
			end := f.parse(t)
			require.InDelta(t, 60, end.Queued.Minutes(), 10)
			require.InDelta(t, 30, end.Parsing.Minutes(), 10)
		}
	})

	t.Run("of an import that no worker began", func(t *testing.T) {
		t.Parallel()
		f := newParseFixture(t, keyword.New(keyword.Precise))
		f.Exec(t, `update imports set queued_at = now() - interval '90 minutes'`)
		end := f.mustFail(t, outcome.StatusCanceled, outcome.CodeCanceled)
		require.InDelta(t, 90, end.Queued.Minutes(), 10)
		require.Zero(t, end.Parsing)
	})
}

func TestFailImportExplainsTheCode(t *testing.T) {
	t.Parallel()
	f := newParseFixture(t, keyword.New(keyword.Precise))
	for _, code := range []outcome.Code{outcome.CodeModelKeyRejected, outcome.CodeCanceled, "something_new"} {
		f.Exec(t, `update imports set status = 'parsing'`)
		f.mustFail(t, outcome.StatusFailed, code)
		require.Equal(t, string(code), *f.row(t).ErrorCode)
		require.Equal(t, code.Message(), *f.row(t).ErrorMessage)
	}
}
