package main

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"

	"research/activities/extract/modeltest"
	"research/db/dbtest"
	"research/workflows"
)

// A faultCase is what a model's server does to one import, and the end that follows.
type faultCase struct {
	behavior modeltest.Behavior
	long     bool // an interview of several chunks, else of one

	status, code string
	calls        int      // exactly, where not 0
	evidence     bool     // some is found
	read         float64  // coverage: 1 where all was read, 0.5 for "some of it", 0 for nothing
	unread       []string // reasons
	rejected     bool     // quotes were refused
	waited       time.Duration
}

// once misbehaves at the first call and is honest after it.
func once(b modeltest.Behavior) modeltest.Behavior { return times(1, b) }

func times(n int32, b modeltest.Behavior) modeltest.Behavior {
	var calls atomic.Int32
	return func(w http.ResponseWriter, x *modeltest.Exchange) {
		if calls.Add(1) <= n {
			b(w, x)
			return
		}
		modeltest.Honest()(w, x)
	}
}

// where misbehaves for prompts that hold a text.
func where(text string, b modeltest.Behavior) modeltest.Behavior {
	return func(w http.ResponseWriter, x *modeltest.Exchange) {
		if strings.Contains(x.User, text) {
			b(w, x)
			return
		}
		modeltest.Honest()(w, x)
	}
}

// larger misbehaves for prompts of more than so many bytes.
func larger(bytes int, b modeltest.Behavior) modeltest.Behavior {
	return func(w http.ResponseWriter, x *modeltest.Exchange) {
		if len(x.User) > bytes {
			b(w, x)
			return
		}
		modeltest.Honest()(w, x)
	}
}

func parsed(b modeltest.Behavior, calls int) faultCase {
	return faultCase{behavior: b, status: "parsed", calls: calls, evidence: true, read: 1}
}

func failed(b modeltest.Behavior, code string, calls int) faultCase {
	return faultCase{behavior: b, status: "failed", code: code, calls: calls}
}

// faultCases are the faults that servers of models were seen with, and the end of each: a retry, a smaller question, a visible gap, or a clear error.
func faultCases() map[string]faultCase {
	status := modeltest.Status
	gap := func(b modeltest.Behavior, reason string) faultCase {
		return faultCase{behavior: b, long: true, status: "parsed", evidence: true, read: 0.5, unread: []string{reason}}
	}
	split := func(b modeltest.Behavior) faultCase {
		c := parsed(b, 0)
		c.long = true
		return c
	}
	waited := func(c faultCase, d time.Duration) faultCase {
		c.waited = d
		return c
	}
	rejecting := func(b modeltest.Behavior) faultCase {
		return faultCase{behavior: b, status: "parsed", calls: 1, read: 1, rejected: true}
	}
	return map[string]faultCase{
		"no fault": parsed(modeltest.Honest(), 1),

		// A retry.
		"429 with a wait of two seconds":   waited(parsed(once(modeltest.RateLimited(2*time.Second)), 2), 2*time.Second),
		"429 without a wait, three times":  parsed(times(3, modeltest.RateLimited(0)), 4),
		"a wait in milliseconds":           waited(parsed(once(status(429, `{}`, "Retry-After-Ms", "1500")), 2), 1500*time.Millisecond),
		"Gemini's array with a wait":       waited(parsed(once(status(429, `[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"2s"}]}}]`)), 2), 2*time.Second),
		"500":                              parsed(once(status(500, `{"error":{"message":"The server had an error"}}`)), 2),
		"502 in HTML":                      parsed(once(status(502, `<html>Bad Gateway</html>`, "Content-Type", "text/html")), 2),
		"Ollama is busy":                   parsed(once(status(503, `{"error":"server busy, please try again.  maximum pending requests exceeded"}`)), 2),
		"OpenRouter's error behind a 200":  parsed(once(status(200, `{"error":{"code":502,"message":"Provider returned error"}}`)), 2),
		"OpenRouter's finish for an error": parsed(once(modeltest.Complete(func(modeltest.Call) modeltest.Completion { return modeltest.Completion{FinishReason: "error"} })), 2),
		"no choices":                       parsed(once(modeltest.EmptyChoices()), 2),
		"a dropped connection":             parsed(once(modeltest.Drop()), 2),
		"a connection cut midway":          parsed(once(modeltest.CutOff()), 2),
		"half of the JSON of the answer":   parsed(once(status(200, `{"choices":[{`)), 2),
		"a hang":                           parsed(once(modeltest.Hang()), 2),
		"an endless body":                  parsed(once(modeltest.Endless()), 2),
		"no answer in JSON, once":          parsed(once(modeltest.Garbage()), 2),
		"JSON in a fence with prose":       parsed(modeltest.Fenced(), 1),
		"JSON after thoughts":              parsed(modeltest.Thinking(), 1),
		"JSON slightly broken":             parsed(modeltest.Broken(), 1),

		// A smaller question.
		"the context is too long":              split(modeltest.ContextTooLong(12_000)),
		"llama.cpp's context is too long":      split(larger(9_000, status(400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`))),
		"the body is too large":                split(larger(9_000, status(413, `too large`))),
		"answers end for length":               split(larger(9_000, modeltest.Length())),
		"prompts are cut in silence":           split(larger(9_000, modeltest.Silently(1024))),
		"long prompts are answered in no JSON": split(larger(9_000, modeltest.Garbage())),

		// A visible gap.
		"a refusal of one chunk":        gap(where("In week 300", modeltest.Refuse()), "model_refused"),
		"Azure's filter for one chunk":  gap(where("In week 300", status(400, `{"error":{"message":"The response was filtered","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`)), "model_refused"),
		"a filtered answer":             gap(where("In week 300", modeltest.Filtered()), "model_refused"),
		"one chunk's server stays away": gap(where("In week 300", status(500, `{}`)), "model_unavailable"),

		// A clear error.
		"a bad key":                             failed(modeltest.BadKey(), "model_key_rejected", 1),
		"Gemini's bad key":                      failed(status(400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`), "model_key_rejected", 1),
		"an empty account":                      failed(modeltest.NoCredit(), "model_no_credit", 1),
		"OpenRouter's empty account":            failed(status(402, `{"error":{"code":402,"message":"Insufficient credits"}}`), "model_no_credit", 1),
		"no such model":                         failed(modeltest.NoModel(), "model_not_found", 1),
		"Ollama's missing model":                failed(status(404, `{"error":"model 'llama9' not found"}`), "model_not_found", 1),
		"a request that it does not understand": failed(status(400, `{"error":{"message":"Unknown parameter","type":"invalid_request_error"}}`), "model_bad_request", 3),
		"a server that stays away":              failed(modeltest.Drop(), "model_unavailable", 6),
		"a refusal of everything":               failed(modeltest.Refuse(), "model_refused", 1),
		"a context too small for anything":      failed(modeltest.ContextTooLong(10), "model_too_long", 0),
		"answers that always end for length":    failed(modeltest.Length(), "model_too_long", 0),
		"answers that are never in JSON":        failed(modeltest.Garbage(), "model_bad_answer", 0),

		// Never an invented quote.
		"invented quotes":                          rejecting(modeltest.Invented()),
		"quotes turned round":                      rejecting(modeltest.Negated()),
		"hypotheses that nobody asked about":       rejecting(modeltest.WrongIDs()),
		"the hypothesis quoted as if it were said": rejecting(modeltest.Change(quoteHypothesis)),
	}
}

func quoteHypothesis(r *modeltest.Reply) {
	for i := range r.Findings {
		r.Findings[i].Quote = "Closing the books takes days because of missing receipts"
	}
}

// TestFaultsOfModels gives each fault to an import of its own, all at once, and looks at the ends.
func TestFaultsOfModels(t *testing.T) {
	t.Parallel()
	const key = "sk-test-c0ffee"
	cases := faultCases()
	var mu sync.Mutex
	calls := map[string][]time.Time{}
	server := modeltest.New(t)
	server.Always(func(w http.ResponseWriter, x *modeltest.Exchange) {
		name := between(x.User, "receipts, case «", "»")
		mu.Lock()
		calls[name] = append(calls[name], time.Now())
		mu.Unlock()
		cases[name].behavior(w, x)
	})
	s := startService(t, "OPENAI_BASE_URL", server.URL, "OPENAI_API_KEY", key, "OPENAI_MODEL", "test-model", "OPENAI_TIMEOUT", "3s", "PARSE_CONCURRENCY", "4")
	editor := s.signIn(t, s.Editor)

	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := s.Hypothesis(t, s.Tenant, "Closing the books takes days because of missing receipts, case «"+name+"»")
			file := []byte(zoom + "\n" + strings.Repeat(" ", len(name))) // no two are the same file
			if c.long {
				file = interviewOf("case-" + strings.Map(letters, name))
			}
			status, uploaded := s.upload(t, editor, "talk.vtt", file)
			require.Equal(t, http.StatusCreated, status, "%v", uploaded)
			id := uploaded["importId"].(string)
			started := s.parse(t, editor, id, h)

			var mirror map[string]any
			require.Eventually(t, func() bool {
				_, mirror = s.do(t, http.MethodGet, "/api/import/"+id, editor, "", nil)
				return mirror["finishedAt"] != nil
			}, 5*patience, 100*time.Millisecond) // each fault has its waits, and all are at work at once
			require.Equal(t, c.status, mirror["status"], "%v", mirror)
			if c.code == "" {
				require.Nil(t, mirror["errorCode"])
			} else {
				require.Equal(t, c.code, mirror["errorCode"])
				require.NotEmpty(t, mirror["errorMessage"])
			}
			require.Equal(t, c.evidence, mirror["evidenceCount"].(float64) > 0, "%v", mirror)
			require.Equal(t, c.rejected, mirror["rejectedCount"].(float64) > 0, "%v", mirror)
			switch coverage := mirror["coverage"].(float64); c.read {
			case 0.5:
				require.Greater(t, coverage, 0.3)
				require.Less(t, coverage, 0.95)
			default:
				require.InDelta(t, c.read, coverage, 1e-9)
			}
			reasons := dbtest.Value[string](t, s.DB, `select coalesce(string_agg(distinct u->>'reason', ','), '') from imports, jsonb_array_elements(unread) u where id = $1 and status = 'parsed'`, id)
			require.Equal(t, strings.Join(c.unread, ","), reasons)
			if c.status == "parsed" {
				want := "nothing_found"
				if c.evidence {
					want = "supports"
				}
				require.Equal(t, want, dbtest.Value[string](t, s.DB, `select result::text from import_hypotheses where import_id = $1`, id))
			}
			mu.Lock()
			made := append([]time.Time(nil), calls[name]...)
			mu.Unlock()
			require.NotEmpty(t, made)
			if c.calls > 0 {
				require.Len(t, made, c.calls)
			}
			if c.waited > 0 {
				require.GreaterOrEqual(t, made[1].Sub(made[0]), c.waited, "the server's wish to wait is obeyed")
			}
			history := s.history(t, started["workflowId"].(string), started["runId"].(string))
			for _, secret := range []string{key, "receipts", "Omar", "card statement", "flat price", "Provider returned", "giraffes", server.URL} {
				require.NotContains(t, history, secret)
			}
		})
	}
	t.Cleanup(func() { // after the subtests, and before what startService cleans up
		for _, secret := range []string{key, "missing receipts", "Omar", "card statement", "flat price", "giraffes"} {
			require.NotContains(t, s.logs.String(), secret)
		}
		require.Contains(t, s.logs.String(), "import ended", "the logs are looked at")
		proven := dbtest.Value[int](t, s.DB, `select count(*) from evidence e join private.transcripts t using (import_id)
			where convert_to(e.quote, 'UTF8') = substring(t.body from e.byte_start + 1 for e.byte_end - e.byte_start)`)
		require.Equal(t, dbtest.Value[int](t, s.DB, `select count(*) from evidence`), proven)
	})
}

func between(s, from, to string) string {
	_, s, _ = strings.Cut(s, from)
	s, _, _ = strings.Cut(s, to)
	return s
}

func letters(r rune) rune {
	if r >= 'a' && r <= 'z' {
		return r
	}
	return -1
}

// logs keeps what the programs log.
type logs struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

const (
	wallChunks   = 20
	wallInFlight = 8
)

// wall is a service before a model's server, and a transcript of so many chunks: 50,600 words.
func wall(t testing.TB, server *modeltest.Server, settings ...string) (s *service, parse func() (mirror map[string]any)) {
	t.Helper()
	s = startService(t, append(settings, "OPENAI_BASE_URL", server.URL, "OPENAI_MODEL", "test-model", "PARSE_CONCURRENCY", fmt.Sprint(wallInFlight))...)
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days because of missing receipts")
	editor := s.signIn(t, s.Editor)
	var text strings.Builder
	for i := range 2530 { // 20 words each
		fmt.Fprintf(&text, "%s: In week %d we exported the card statement and pasted it in, and then somebody sorted one column by hand.\n\n", []string{"Dana", "Omar"}[i%2], i)
	}
	return s, func() map[string]any {
		_, uploaded := s.upload(t, editor, "long.txt", []byte(text.String()))
		id := uploaded["importId"].(string)
		s.parse(t, editor, id, h)
		return s.waitForStatus(t, editor, id, "parsed")
	}
}

// together answers nobody before so many have asked.
func together(n int32, b modeltest.Behavior) modeltest.Behavior {
	var arrived atomic.Int32
	all := make(chan struct{})
	return func(w http.ResponseWriter, x *modeltest.Exchange) {
		if arrived.Add(1) == n {
			close(all)
		}
		select {
		case <-all:
			b(w, x)
		case <-x.Gone:
		}
	}
}

// Twenty chunks, and a model that answers nobody before eight ask at once.
func TestAWallOfChunksIsReadAtOnce(t *testing.T) {
	t.Parallel()
	server := modeltest.New(t).Always(together(wallInFlight, modeltest.Honest()))
	_, parse := wall(t, server)
	mirror := parse()
	require.EqualValues(t, 1, mirror["coverage"])
	require.Equal(t, wallChunks, server.Count())
	require.Equal(t, wallInFlight, server.MostInFlight())
}

// A model that takes two seconds a call: the wall is read in less than half as much again as its three rounds of calls take. "limit" is the part of that
// which is used.
func BenchmarkAWallOfChunks(b *testing.B) {
	const (
		call  = 2 * time.Second
		ideal = (wallChunks + wallInFlight - 1) / wallInFlight * call
	)
	_, parse := wall(b, modeltest.New(b).Always(modeltest.Delay(call, modeltest.Honest())))
	for b.Loop() {
		parse()
	}
	each := b.Elapsed() / time.Duration(b.N)
	b.ReportMetric(float64(each)/float64(ideal*3/2), "limit")
	require.Less(b, each, ideal*3/2)
}

// A worker asks about no more chunks at once than it may, and Temporal knows how many all workers together may begin.
func TestCallsAreBounded(t *testing.T) {
	t.Parallel()
	const inFlight = 2
	server := modeltest.New(t).Always(together(inFlight, modeltest.Delay(50*time.Millisecond, modeltest.Honest())))
	s, parse := wall(t, server, "MODEL_CALLS_PER_MINUTE", "6000", "MODEL_CALLS_IN_FLIGHT", fmt.Sprint(inFlight))
	parse()
	require.Equal(t, wallChunks, server.Count())
	require.Equal(t, inFlight, server.MostInFlight())
	s.eventually(t, func() bool {
		queue, err := s.temporal.WorkflowService().DescribeTaskQueue(t.Context(), &workflowservice.DescribeTaskQueueRequest{
			Namespace: s.namespace, TaskQueue: &taskqueuepb.TaskQueue{Name: workflows.QueueParse}, TaskQueueType: enumspb.TASK_QUEUE_TYPE_ACTIVITY, ReportConfig: true,
		})
		return err == nil && queue.GetEffectiveRateLimit().GetRequestsPerSecond() == 100
	})
}

func TestAnImportThatWouldPassItsLimitCostsNothing(t *testing.T) {
	t.Parallel()
	server := modeltest.New(t)
	s := startService(t, "OPENAI_BASE_URL", server.URL, "OPENAI_MODEL", "test-model", "MAX_TOKENS_PER_IMPORT", "50")
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days because of missing receipts")
	editor := s.signIn(t, s.Editor)
	_, uploaded := s.upload(t, editor, "zoom.vtt", []byte(zoom))
	id := uploaded["importId"].(string)
	s.parse(t, editor, id, h)
	mirror := s.waitForStatus(t, editor, id, "failed")
	require.Equal(t, "token_limit", mirror["errorCode"])
	require.Contains(t, mirror["errorMessage"], "MAX_TOKENS_PER_IMPORT")
	require.Zero(t, server.Count())
	require.Zero(t, dbtest.Value[int](t, s.DB, `select coalesce(input_tokens, 0) + coalesce(output_tokens, 0) from imports where id = $1`, id))
}
