package trial

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/modeltest"
	"research/activities/extract/openai"
	"research/activities/extract/quote"
	"research/outcome"
)

func newModel(t *testing.T, server *modeltest.Server) *openai.Extractor {
	t.Helper()
	model, err := openai.New(openai.Config{BaseURL: server.URL, Model: "m", Timeout: time.Minute})
	require.NoError(t, err)
	return model
}

func TestAGoodModelPasses(t *testing.T) {
	t.Parallel()
	server := modeltest.New(t)
	r, err := Run(t.Context(), newModel(t, server))
	require.NoError(t, err)
	require.True(t, r.Found && r.Beginning && r.End && !r.Made, "%+v", r)
	require.Equal(t, DeniedContradicts, r.Denied)
	require.Zero(t, r.Refused)
	require.Equal(t, 2, server.Count(), "it is paid for")
	require.Equal(t, 2, r.Requests)
	require.Greater(t, r.Long.Words, 2800)
	require.InEpsilon(t, r.Short.Expected.InputTokens, r.Short.Usage.InputTokens, 0.25)
}

func TestBadModelsAreFoundOut(t *testing.T) {
	t.Parallel()
	says := func(findings ...modeltest.Finding) modeltest.Behavior {
		for i := range findings {
			findings[i].Rationale, findings[i].Strength, findings[i].Summary = "r", "medium", "s"
		}
		return modeltest.Say(modeltest.Reply{Findings: findings, Questions: []modeltest.Question{}}.JSON())
	}
	const denied = "We would not pay for another tool"
	for name, c := range map[string]struct {
		behavior modeltest.Behavior
		check    func(t *testing.T, r Result)
	}{
		"it says nothing": {modeltest.Nothing(), func(t *testing.T, r Result) {
			t.Helper()
			require.False(t, r.Found)
			require.Equal(t, DeniedSilent, r.Denied)
		}},
		"it takes a denial for support": {
			says(modeltest.Finding{Hypothesis: "h2", Utterances: []string{"u5"}, Quote: denied, Stance: "supports"}),
			func(t *testing.T, r Result) {
				t.Helper()
				require.Equal(t, DeniedSupports, r.Denied)
			},
		},
		"it drops the negation": {
			says(modeltest.Finding{
				Hypothesis: "h2", Utterances: []string{"u5"}, Quote: "We would pay for another tool", Stance: "supports",
			}),
			func(t *testing.T, r Result) {
				t.Helper()
				require.Equal(t, 2, r.Refused, "in both interviews")
				require.Equal(t, DeniedSilent, r.Denied)
			},
		},
		"it makes something up": {
			says(modeltest.Finding{Hypothesis: "h3", Utterances: []string{"u1"},
				Quote: "Two people sort them in the morning", Stance: "supports"}),
			func(t *testing.T, r Result) {
				t.Helper()
				require.True(t, r.Made)
			},
		},
		"it does not answer in JSON": {modeltest.Garbage(), func(t *testing.T, r Result) {
			t.Helper()
			require.Equal(t, outcome.CodeModelBadAnswer, r.Short.Failed.Code)
			require.False(t, r.Long.Asked, "a second call would be wasted")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := modeltest.New(t).Then(c.behavior, c.behavior)
			r, err := Run(t.Context(), newModel(t, server))
			require.NoError(t, err)
			c.check(t, r)
			require.LessOrEqual(t, server.Count(), 4)
		})
	}
}

func TestALongPromptThatDoesNotFitIsReported(t *testing.T) {
	t.Parallel()
	server := modeltest.New(t).Always(modeltest.ContextTooLong(8000))
	r, err := Run(t.Context(), newModel(t, server))
	require.NoError(t, err)
	require.True(t, r.Found)
	require.Equal(t, outcome.CodeModelTooLong, r.Long.Failed.Code)
}

func TestThePlantedQuotesAreInTheInterviews(t *testing.T) {
	t.Parallel()
	short := shortInterview()
	aligner := quote.NewAligner(short.transcript)
	span, reason := aligner.Align("Every return is typed into a spreadsheet by hand", []int{3}, 0, 9)
	require.Empty(t, reason)
	require.Equal(t, short.planted[hypothesisFound], span.UtteranceFrom)
	_, reason = aligner.Align("We would pay for another tool", []int{5}, 0, 9)
	require.Equal(t, quote.RejectMeaningDiffers, reason)

	for _, context := range []int{0, 4096, 16_000} {
		model, err := openai.New(openai.Config{Model: "m", Timeout: time.Minute, Context: context})
		require.NoError(t, err)
		long := longInterview(model)
		require.Equal(t, model.Plan(long.transcript, long.hypotheses)[0], long.chunk)
		require.Equal(t, long.chunk.To-2, long.planted[1])
		require.Equal(t, plantedFirst, long.transcript.Utterances[1].Text)
		require.Equal(t, plantedLast, long.transcript.Utterances[long.planted[1]].Text)
		require.NotEqual(t, extract.Whole(long.transcript), long.chunk, "it is a chunk of the usual size")
	}
}
