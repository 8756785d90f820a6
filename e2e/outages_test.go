package e2e

import (
	"flag"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract/modeltest"
)

// `make chaos` sets these to minutes.
var (
	outageTime = flag.Duration("outage", 20*time.Second,
		"how long TestOutages stops PostgreSQL and Temporal")
	modelOutageTime = flag.Duration("model-outage", 3*time.Second,
		"how long the model fails at least in TestModelOutage")
)

// countedAnswers is an honest model that counts its answers by their prompts.
type countedAnswers struct {
	mu       sync.Mutex
	byPrompt map[string]int
}

func (c *countedAnswers) answer(w http.ResponseWriter, x *modeltest.Exchange) {
	c.mu.Lock()
	if c.byPrompt == nil {
		c.byPrompt = map[string]int{}
	}
	c.byPrompt[x.User]++
	c.mu.Unlock()
	modeltest.Honest()(w, x)
}

// requireEachOnce requires answers to a number of prompts, none of them twice.
func (c *countedAnswers) requireEachOnce(t *testing.T, prompts int) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	require.Len(t, c.byPrompt, prompts)
	for _, times := range c.byPrompt {
		require.Equal(t, 1, times, "an answer was paid twice")
	}
}

// While the model is unavailable or limits the rate, imports wait, report that, and have no unread ranges in
// the end.
func TestModelOutage(t *testing.T) {
	t.Parallel()
	const chunks = 6 // of both imports
	for reason, fault := range map[string]modeltest.Behavior{
		"model_unavailable":  modeltest.Status(http.StatusServiceUnavailable, `{}`),
		"model_rate_limited": modeltest.RateLimited(time.Second),
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			var isBack atomic.Bool
			answers := &countedAnswers{}
			model := modeltest.New(t).Always(func(w http.ResponseWriter, x *modeltest.Exchange) {
				if isBack.Load() {
					answers.answer(w, x)
				} else {
					fault(w, x)
				}
			})
			s := startService(t, "OPENAI_BASE_URL="+model.URL, "OPENAI_MODEL=test")
			h := s.Hypothesis(t, s.Tenant, "Closing the books takes days because receipts are missing")
			editor := s.signIn(t, s.Editor)
			began := time.Now()
			ids := []string{
				s.add(t, editor, "a.txt", longInterview("case-a")), s.add(t, editor, "b.txt", longInterview("case-b")),
			}
			for _, id := range ids {
				s.startParse(t, editor, id, h)
			}
			for _, id := range ids {
				eventually(t, "the import says what it waits for", func() bool {
					_, imported := s.get(t, "/api/import/"+id, editor)
					return imported["waitingReason"] == reason && imported["status"] == "parsing"
				})
			}
			require.Eventually(t, func() bool {
				return model.Count() > chunks && time.Since(began) > *modelOutageTime
			}, *modelOutageTime+timeout, 100*time.Millisecond, "it is called again")
			isBack.Store(true)
			for _, id := range ids {
				imported := s.waitForStatus(t, editor, id, "parsed")
				require.EqualValues(t, 1, imported["coverage"])
				require.Nil(t, imported["waitingReason"])
			}
			answers.requireEachOnce(t, chunks)
		})
	}
}

// A model that does not recover ends an import when PARSE_TIMEOUT has passed, with the reason. What was read
// is not read again.
func TestModelThatDoesNotRecover(t *testing.T) {
	t.Parallel()
	var fault atomic.Pointer[modeltest.Behavior]
	model := modeltest.New(t).Always(func(w http.ResponseWriter, x *modeltest.Exchange) {
		(*fault.Load())(w, x)
	})
	set := func(b modeltest.Behavior) { fault.Store(&b) }
	set(modeltest.Drop())
	s := startAPI(t, "OPENAI_BASE_URL="+model.URL, "OPENAI_MODEL=test", "PARSE_TIMEOUT=1h")
	stop := s.startWorker(t, "PARSE_TIMEOUT=20s")
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days because receipts are missing")
	editor := s.signIn(t, s.Editor)
	id := s.add(t, editor, "talk.txt", longInterview("case-a"))
	// parseUntilLate starts a parse, and waits until its time has passed. By then, some chunks are read.
	parseUntilLate := func(read float64) (imported map[string]any) {
		s.startParse(t, editor, id, h)
		eventually(t, "the model fails", func() bool {
			_, imported = s.get(t, "/api/import/"+id, editor)
			progress := imported["progress"].(map[string]any)
			return imported["waitingReason"] == "model_unavailable" && progress["done"] == read
		})
		return s.waitForStatus(t, editor, id, "timed_out")
	}
	imported := parseUntilLate(0)
	require.Equal(t, "model_unavailable", imported["errorCode"], "it never answered")
	require.Nil(t, imported["waitingReason"])

	set(promptsWith("In week 300", modeltest.Status(http.StatusInternalServerError, `{}`)))
	stop()
	stop = s.startWorker(t, "PARSE_TIMEOUT=30s") // enough to read the other chunks on a busy machine
	imported = parseUntilLate(2)
	require.Equal(t, "timed_out", imported["errorCode"])
	require.Greater(t, imported["coverage"], 0.3)
	require.Less(t, imported["coverage"], 0.95)

	stop()
	s.startWorker(t)
	answers := &countedAnswers{}
	set(answers.answer)
	s.startParse(t, editor, id, h)
	imported = s.waitForStatus(t, editor, id, "parsed")
	require.EqualValues(t, 1, imported["coverage"])
	answers.requireEachOnce(t, 1)
}

// While PostgreSQL or Temporal is away, the answers of the model arrive. None of them is lost, and none is
// paid for twice.
func TestOutages(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"postgres", "temporal"} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			const imports, chunks = 2, 3
			in := startInstallation(t, "WORKER_STOP_TIMEOUT=5s")
			answers, released := &countedAnswers{}, make(chan struct{})
			in.model.Always(func(w http.ResponseWriter, x *modeltest.Exchange) {
				select {
				case <-released:
					answers.answer(w, x)
				case <-x.Gone:
				}
			})
			p := in.newProject(t)
			for i := range imports {
				p.parse(t, p.add(t, i))
			}
			eventually(t, "all calls are made", func() bool { return in.model.Count() == imports*chunks })
			in.parts[part].Kill()
			began := time.Now()
			close(released)
			isOver := func() bool { return time.Since(began) > *outageTime }
			require.Eventually(t, isOver, *outageTime+timeout, time.Second)
			in.start(t, part)
			in.waitUntilReady(t)
			for _, id := range p.imports {
				in.waitUntilParsed(t, id, chaosTimeout)
				require.Equal(t, "1", in.query(t, `select coverage::text from imports where id = $1`, id))
			}
			answers.requireEachOnce(t, imports*chunks)
			require.Equal(t, imports*chunks, in.model.Count())
		})
	}
}
