package bench

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract/modeltest"
)

const (
	// A call takes half of meanCall to one and a half times as long, depending on its prompt and modelSeed.
	meanCall  = 5 * time.Second
	modelSeed = 34
)

// A slowModel is a model server that takes about as long for a call as large models do. The same prompt
// always takes the same time. It finds every sentence that an interview has about the hypothesis.
type slowModel struct {
	url string

	mu    sync.Mutex
	calls []*modelCall
}

// A modelCall is a call about a chunk of an interview.
type modelCall struct {
	interview string // its mark
	began     time.Time
	answered  time.Time // zero while it is in progress
	took      time.Duration
}

func startSlowModel(b *testing.B) *slowModel {
	b.Helper()
	m := &slowModel{}
	m.url = modeltest.New(b).Always(m.answer).URL
	return m
}

var (
	// markedWords are in each utterance of an interview.
	markedWords = regexp.MustCompile(`of case ([^ ]+) `)
	// wantedLine is an utterance about the hypothesis.
	wantedLine = regexp.MustCompile(`(?m)^\[(u\d+)\] Omar: (Closing the books .*)$`)
)

// answer implements modeltest.Behavior. Neither its work nor that of tests counts as the model's time.
func (m *slowModel) answer(w http.ResponseWriter, x *modeltest.Exchange) {
	call := &modelCall{began: time.Now(), took: callTime(x.User)}
	if found := markedWords.FindStringSubmatch(x.User); found != nil {
		call.interview = found[1]
	}
	m.mu.Lock()
	m.calls = append(m.calls, call)
	m.mu.Unlock()

	reply := modeltest.Reply{Findings: []modeltest.Finding{}, Questions: []modeltest.Question{}}
	for _, line := range wantedLine.FindAllStringSubmatch(x.User, -1) {
		reply.Findings = append(reply.Findings, modeltest.Finding{
			Hypothesis: "h1", Utterances: []string{line[1]}, Quote: line[2], Rationale: "It says how long it takes.",
			Stance: "supports", Strength: "medium", Summary: "Closing the books takes days.",
		})
	}
	answer := modeltest.Complete(func(modeltest.Call) modeltest.Completion {
		return modeltest.Completion{Content: reply.JSON()}
	})
	modeltest.Delay(time.Until(call.began.Add(call.took)), answer)(w, x)
	m.mu.Lock()
	call.answered = time.Now()
	m.mu.Unlock()
}

// callTime returns how long the call with a prompt takes.
func callTime(prompt string) time.Duration {
	h := fnv.New64a()
	_, _ = h.Write([]byte(prompt))
	share := rand.New(rand.NewPCG(modelSeed, h.Sum64())).Float64() //nolint:gosec // not a secret
	return meanCall/2 + time.Duration(share*float64(meanCall))
}

// since returns the calls about an interview that began after a time, in the order in which they began.
func (m *slowModel) since(t time.Time, interview string) []modelCall {
	return m.where(func(c modelCall) bool { return c.interview == interview && c.began.After(t) })
}

func (m *slowModel) where(matches func(modelCall) bool) (calls []modelCall) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.calls {
		if matches(*c) {
			calls = append(calls, *c)
		}
	}
	return calls
}

// idealTime is the shortest time in which calls can be made, so many of them at a time.
func idealTime(calls []modelCall, concurrency int) time.Duration {
	var sum, longest time.Duration
	for _, c := range calls {
		sum, longest = sum+c.took, max(longest, c.took)
	}
	return max(longest, sum/time.Duration(concurrency))
}

// scheduledTime is the time of calls that are made in their order, so many of them at a time: a call begins
// when one before it ends. It is longer than the ideal when calls cannot be divided evenly.
func scheduledTime(calls []modelCall, concurrency int) time.Duration {
	ends := make([]time.Duration, concurrency)
	for _, c := range calls {
		next := slices.Index(ends, slices.Min(ends))
		ends[next] += c.took
	}
	return slices.Max(ends)
}

// firstAnswered returns the call that was answered first.
func firstAnswered(b *testing.B, calls []modelCall) modelCall {
	b.Helper()
	require.NotEmpty(b, calls)
	return slices.MinFunc(calls, func(a, b modelCall) int { return a.answered.Compare(b.answered) })
}

// interviewText returns an interview of a number of words, in which every fortieth utterance is about the
// hypothesis of hypothesisText. Its mark, a word, tells its calls from those of others.
func interviewText(mark string, words int) []byte {
	var text []byte
	for i := 0; words > 0; i++ {
		line := fmt.Sprintf("%s: In week %d of case %s we exported the card statement and pasted it in, and "+
			"somebody sorted one column.", []string{"Dana", "Omar"}[i%2], i, mark)
		if i%40 == 19 {
			line = fmt.Sprintf("Omar: Closing the books of case %s took us %d days, because receipts were missing "+
				"and nobody knew whose they were.", mark, i%7+2)
		}
		text = append(text, line+"\n\n"...)
		words -= wordsOfLine
	}
	return text
}

const (
	hypothesisText = "Closing the books takes days because receipts are missing"
	wordsOfLine    = 20
)

func TestIdealIsTheLongestCallOrAllOfThem(t *testing.T) {
	t.Parallel()
	calls := func(seconds ...int) (calls []modelCall) {
		for _, s := range seconds {
			calls = append(calls, modelCall{took: time.Duration(s) * time.Second})
		}
		return calls
	}
	require.Equal(t, 7*time.Second, idealTime(calls(3, 7, 3), 2))
	require.Equal(t, 9*time.Second, idealTime(calls(6, 6, 6), 2))
	require.Equal(t, 7*time.Second, scheduledTime(calls(3, 7, 3), 2))
	require.Equal(t, 12*time.Second, scheduledTime(calls(6, 6, 6), 2))
}
