package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract/modeltest"
	"research/db/dbtest"
)

// A longParse is an interview of 50,600 words, which makes 20 chunks, and a service that reads 8 of them at a
// time.
type longParse struct {
	service *service
	run     func() (imported map[string]any) // uploads and parses it, and returns the import
}

const (
	longParseChunks   = 20
	longParseInFlight = 8
)

func newLongParse(t testing.TB, model *modeltest.Server, settings ...string) longParse {
	t.Helper()
	s := startService(t, append(settings, "OPENAI_BASE_URL="+model.URL, "OPENAI_MODEL=test-model",
		fmt.Sprint("PARSE_CONCURRENCY=", longParseInFlight))...)
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days because of missing receipts")
	editor := s.signIn(t, s.Editor)
	var text strings.Builder
	for i := range 2530 { // 20 words each
		fmt.Fprintf(&text, "%s: In week %d we exported the card statement and pasted it in, and then somebody "+
			"sorted one column by hand.\n\n", []string{"Dana", "Omar"}[i%2], i)
	}
	return longParse{s, func() map[string]any {
		id := s.add(t, editor, "long.txt", []byte(text.String()))
		s.startParse(t, editor, id, h)
		return s.waitForStatus(t, editor, id, "parsed")
	}}
}

// whenAllHaveCalled answers no call before n calls have arrived.
func whenAllHaveCalled(n int32, answer modeltest.Behavior) modeltest.Behavior {
	var arrived atomic.Int32
	all := make(chan struct{})
	return func(w http.ResponseWriter, x *modeltest.Exchange) {
		if arrived.Add(1) == n {
			close(all)
		}
		select {
		case <-all:
			answer(w, x)
		case <-x.Gone:
		}
	}
}

func TestChunksAreReadAtTheSameTime(t *testing.T) {
	t.Parallel()
	model := modeltest.New(t).Always(whenAllHaveCalled(longParseInFlight, modeltest.Honest()))
	imported := newLongParse(t, model).run()
	require.EqualValues(t, 1, imported["coverage"])
	require.Equal(t, longParseChunks, model.Count())
	require.Equal(t, longParseInFlight, model.MostInFlight())
}

// BenchmarkChunks parses 20 chunks, 8 at a time, with a model that takes two seconds for a call. It may take
// half as long again as its three rounds of calls. The metric "limit" is the part of that time that was used.
func BenchmarkChunks(b *testing.B) {
	const (
		call  = 2 * time.Second
		ideal = (longParseChunks + longParseInFlight - 1) / longParseInFlight * call
	)
	parse := newLongParse(b, modeltest.New(b).Always(modeltest.Delay(call, modeltest.Honest())))
	for b.Loop() {
		parse.run()
	}
	each := b.Elapsed() / time.Duration(b.N)
	b.ReportMetric(float64(each)/float64(ideal*3/2), "limit")
	require.Less(b, each, ideal*3/2)
}

// MODEL_CALLS_IN_FLIGHT bounds the calls of one worker, whatever waits for it.
func TestModelCallsInFlightAreBounded(t *testing.T) {
	t.Parallel()
	const inFlight = 2
	answer := modeltest.Delay(50*time.Millisecond, modeltest.Honest())
	model := modeltest.New(t).Always(whenAllHaveCalled(inFlight, answer))
	newLongParse(t, model, fmt.Sprint("MODEL_CALLS_IN_FLIGHT=", inFlight)).run()
	require.Equal(t, longParseChunks, model.Count())
	require.Equal(t, inFlight, model.MostInFlight())
}

// MODEL_CALLS_PER_MINUTE bounds the calls of all workers together: in a second, Temporal dispatches those of
// that second and, at most, those of one before.
func TestModelCallsPerMinuteAreBounded(t *testing.T) {
	t.Parallel()
	const perSecond = 4
	calls := &callTimes{byCase: map[string][]time.Time{}}
	model := modeltest.New(t).Always(func(w http.ResponseWriter, x *modeltest.Exchange) {
		calls.add("")
		modeltest.Honest()(w, x)
	})
	newLongParse(t, model, fmt.Sprint("MODEL_CALLS_PER_MINUTE=", 60*perSecond)).run()
	made := calls.of("")
	require.Len(t, made, longParseChunks)
	least := (longParseChunks - 2*perSecond) / perSecond * time.Second
	require.GreaterOrEqual(t, made[longParseChunks-1].Sub(made[0]), least)
}

func TestAnImportThatWouldExceedItsTokensCostsNothing(t *testing.T) {
	t.Parallel()
	model := modeltest.New(t)
	s := startService(t, "OPENAI_BASE_URL="+model.URL, "OPENAI_MODEL=test-model", "MAX_TOKENS_PER_IMPORT=50")
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days because of missing receipts")
	editor := s.signIn(t, s.Editor)
	id := s.add(t, editor, "zoom.vtt", []byte(zoom))
	s.startParse(t, editor, id, h)
	imported := s.waitForStatus(t, editor, id, "failed")
	require.Equal(t, "token_limit", imported["errorCode"])
	require.Contains(t, imported["errorMessage"], "MAX_TOKENS_PER_IMPORT")
	require.Zero(t, model.Count())
	tokens := `select coalesce(input_tokens, 0) + coalesce(output_tokens, 0) from imports where id = $1`
	require.Zero(t, dbtest.Value[int](t, s.DB, tokens, id))
}
