package openai_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/interviewtest"
	"research/activities/extract/modeltest"
	"research/activities/extract/openai"
	"research/outcome"
	"research/transcript"
)

// longInterview has about 9,000 words, which are four chunks.
func longInterview() *transcript.Transcript {
	lines := make([]string, 0, 600)
	for i := range 300 {
		lines = append(lines, fmt.Sprintf("Ann: What happened to the invoices in week %d?", i),
			fmt.Sprintf("Ben: In week %d we copied every invoice by hand into the spreadsheet, which took Maria two "+
				"days because of %d missing receipts.", i, i%7+2))
	}
	return interviewtest.New(lines...)
}

// A reading is what became of the chunks of a transcript.
type reading struct {
	mu       sync.Mutex
	changed  *sync.Cond // when a request has ended
	recovery extract.Recovery
	read     int
	unread   map[outcome.Code]int
	requests int
	ended    error // what ends an import
}

// readAll reads the chunks of a plan concurrently, as the service does: it asks again about what could not be
// read, or about its parts.
func readAll(ctx context.Context, model *openai.Extractor, t *transcript.Transcript) *reading {
	plan := model.Plan(t, twoHypotheses)
	r := &reading{unread: map[outcome.Code]int{}, recovery: extract.NewRecovery(len(plan))}
	r.changed = sync.NewCond(&r.mu)
	var all sync.WaitGroup
	for i, chunk := range plan {
		all.Go(func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			for parts := []extract.Part{{Chunk: chunk}}; len(parts) > 0; {
				parts = append(r.readLocked(ctx, model, t, i, parts[0]), parts[1:]...)
			}
		})
	}
	all.Wait()
	return r
}

// readLocked reads a part of a chunk, and returns what is to be read instead.
func (r *reading) readLocked(
	ctx context.Context, model *openai.Extractor, t *transcript.Transcript, chunk int, part extract.Part,
) []extract.Part {
	if r.ended != nil {
		return nil
	}
	r.requests++
	decision := r.recovery.Decide(t, chunk, part)
	for ; decision == extract.Wait; decision = r.recovery.Decide(t, chunk, part) {
		r.changed.Wait()
	}
	failure := extract.PartFailure{Code: part.Failed, Skipped: true}
	if decision == extract.Ask {
		r.mu.Unlock()
		_, err := model.Extract(ctx, extract.Request{
			Transcript: t, Chunk: part.Chunk, Hypotheses: twoHypotheses, Again: part.Again,
		})
		r.mu.Lock()
		var failed *extract.Error
		switch {
		case err == nil:
			failure = extract.PartFailure{}
		case errors.As(err, &failed) && !failed.Code.EndsImport():
			failure = extract.PartFailure{Code: failed.Code}
		default:
			r.ended = err
			return nil
		}
		r.recovery.End(chunk, part, failure.Code)
		r.changed.Broadcast()
	}
	if failure.Code == "" {
		r.read++
		return nil
	}
	failure.Final = r.recovery.Exhausted()
	instead := part.After(t, failure)
	if len(instead) == 0 {
		r.unread[failure.Code]++
	}
	return instead
}

func TestMisbehavingServersCostAtMostHalfAsManyCallsMore(t *testing.T) {
	t.Parallel()
	long := longInterview()
	good := modeltest.New(t)
	require.Empty(t, readAll(t.Context(), newModel(t, good), long).unread)
	require.Equal(t, 4, good.Count())

	isRead := map[string]modeltest.Behavior{
		"a bare list":                      modeltest.BareList(),
		"answers in reasoning_content":     modeltest.InReasoning(),
		"roles must alternate":             modeltest.AlternatingRoles(false, modeltest.Honest()),
		"no system role":                   modeltest.AlternatingRoles(true, modeltest.Honest()),
		"no schemas":                       modeltest.NoSchema(false, modeltest.Honest()),
		"no response formats":              modeltest.NoSchema(true, modeltest.Honest()),
		"max_tokens is rejected":           modeltest.NoLimitField("max_tokens", modeltest.Honest()),
		"max_completion_tokens is unknown": modeltest.NoLimitField("max_completion_tokens", modeltest.Honest()),
	}
	for name, behavior := range isRead {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := modeltest.New(t).Always(behavior)
			model := newModel(t, server)
			model.AwaitFirstCall()
			got := readAll(t.Context(), model, long)
			require.NoError(t, got.ended)
			require.Empty(t, got.unread)
			require.LessOrEqual(t, server.Count(), good.Count()*3/2)
			for _, call := range server.Calls() {
				require.Positive(t, call.MaxTokens+call.MaxCompletionTokens, "the length of the response is limited")
			}
		})
	}
	isUnread := map[string]modeltest.Behavior{
		"an empty object":             modeltest.EmptyObject(),
		"an empty text":               modeltest.Blank(),
		"no JSON":                     modeltest.Garbage(),
		"always the limit of length":  modeltest.Length(),
		"a loop":                      modeltest.Looping(),
		"no JSON, alternating roles":  modeltest.AlternatingRoles(false, modeltest.Garbage()),
		"a context that is too small": modeltest.ContextTooLong(10),
	}
	for name, behavior := range isUnread {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := modeltest.New(t).Always(behavior)
			model := newModel(t, server)
			model.AwaitFirstCall()
			got := readAll(t.Context(), model, long)
			require.NoError(t, got.ended)
			require.Zero(t, got.read)
			require.LessOrEqual(t, server.Count(), good.Count()*3/2)
			require.LessOrEqual(t, got.requests, 32, "nor is what is not requested split for ever")
		})
	}
}

func TestHalvesAreReadWhereTheyHelp(t *testing.T) {
	t.Parallel()
	long := longInterview()
	servers := map[string]*modeltest.Server{
		"one bad answer": modeltest.New(t).Then(modeltest.Garbage()),
	}
	for _, bytes := range []int{9_000, 14_000} { // a quarter of a chunk, a half
		for name, misbehave := range map[string]modeltest.Behavior{
			"no JSON": modeltest.Garbage(), "length": modeltest.Length(), "cut prompts": modeltest.Silently(1024),
			"too long": modeltest.ContextTooLong(bytes),
		} {
			servers[fmt.Sprintf("%s over %d bytes", name, bytes)] =
				modeltest.New(t).Always(modeltest.PromptsOver(bytes, misbehave))
		}
	}
	for name, server := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := readAll(t.Context(), newModel(t, server), long)
			require.NoError(t, got.ended)
			require.Empty(t, got.unread)
			require.GreaterOrEqual(t, got.read, 4)
		})
	}
}

func TestTheSecondQuestionIsInTheSameMessage(t *testing.T) {
	t.Parallel()
	server := modeltest.New(t)
	model, first := newModel(t, server), request(interview)
	second := first
	second.Again = true
	for _, r := range []extract.Request{first, second} {
		_, err := model.Extract(t.Context(), r)
		require.NoError(t, err)
	}
	calls := server.Calls()
	require.Len(t, calls, 2)
	require.Equal(t, []string{"system", "user"}, calls[1].Roles)
	require.True(t, strings.HasPrefix(calls[1].User, calls[0].User), "a cached prompt is used again")
}

func TestThoughtsMayBeLongerThanAnswers(t *testing.T) {
	t.Parallel()
	server := modeltest.New(t).Then(modeltest.Complete(func(modeltest.Call) modeltest.Completion {
		return modeltest.Completion{Reasoning: "Let me see …", FinishReason: "length"}
	}))
	model := newModel(t, server)
	for range 2 {
		_, err := model.Extract(t.Context(), request(interview))
		require.NoError(t, err)
	}
	calls := server.Calls()
	require.Len(t, calls, 3)
	require.Greater(t, calls[1].MaxTokens, calls[0].MaxTokens)
	require.Equal(t, calls[1].MaxTokens, calls[2].MaxTokens, "the higher limit is remembered")
}
