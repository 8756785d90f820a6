package e2e

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract/modeltest"
	"research/db/dbtest"
)

// A modelFault is what a model's server does to the calls about one import, and how the import ends.
type modelFault struct {
	behavior modeltest.Behavior
	long     bool // an interview of three chunks, else of one

	status, code string
	calls        int           // the exact number; 0: any number
	evidence     bool          // some is found
	coverage     float64       // 0.5 stands for "some of it"
	unread       string        // the reason why a chunk was not read
	rejected     bool          // quotes were rejected
	waited       time.Duration // at least, between the first two calls
	hangs        bool          // a call ends by OPENAI_TIMEOUT
}

// firstCalls misbehaves for the first n calls and is honest after them.
func firstCalls(n int32, misbehave modeltest.Behavior) modeltest.Behavior {
	var calls atomic.Int32
	return func(w http.ResponseWriter, x *modeltest.Exchange) {
		if calls.Add(1) <= n {
			misbehave(w, x)
			return
		}
		modeltest.Honest()(w, x)
	}
}

// promptsWith misbehaves for prompts that contain a text.
func promptsWith(text string, misbehave modeltest.Behavior) modeltest.Behavior {
	return func(w http.ResponseWriter, x *modeltest.Exchange) {
		if strings.Contains(x.User, text) {
			misbehave(w, x)
			return
		}
		modeltest.Honest()(w, x)
	}
}

// promptsOver misbehaves for prompts longer than a number of bytes.
func promptsOver(bytes int, misbehave modeltest.Behavior) modeltest.Behavior {
	return func(w http.ResponseWriter, x *modeltest.Exchange) {
		if len(x.User) > bytes {
			misbehave(w, x)
			return
		}
		modeltest.Honest()(w, x)
	}
}

// retried is a fault of the first call that a retry helps with.
func retried(firstAnswer modeltest.Behavior) modelFault {
	return modelFault{
		behavior: firstCalls(1, firstAnswer),
		status:   "parsed", calls: 2, evidence: true, coverage: 1,
	}
}

// retriedAfter is retried, for a server that asks for a wait.
func retriedAfter(wait time.Duration, firstAnswer modeltest.Behavior) modelFault {
	fault := retried(firstAnswer)
	fault.waited = wait
	return fault
}

// hanging is a call without an end. On a busy machine, the retries may exceed the timeout as well.
func hanging(firstAnswer modeltest.Behavior) modelFault {
	fault := retried(firstAnswer)
	fault.hangs, fault.calls = true, 0
	return fault
}

// tolerated is an odd answer that is read all the same.
func tolerated(behavior modeltest.Behavior) modelFault {
	return modelFault{behavior: behavior, status: "parsed", calls: 1, evidence: true, coverage: 1}
}

// readInSmallerChunks is a fault of long prompts.
func readInSmallerChunks(behavior modeltest.Behavior) modelFault {
	return modelFault{behavior: behavior, long: true, status: "parsed", evidence: true, coverage: 1}
}

// chunkUnread is a fault of one chunk of an interview, which remains unread.
func chunkUnread(reason string, behavior modeltest.Behavior) modelFault {
	const oneChunk = "In week 300"
	return modelFault{
		behavior: promptsWith(oneChunk, behavior), long: true,
		status: "parsed", evidence: true, coverage: 0.5, unread: reason,
	}
}

// failed is a fault of every call, which ends the import with an error.
func failed(code string, calls int, behavior modeltest.Behavior) modelFault {
	return modelFault{behavior: behavior, status: "failed", code: code, calls: calls}
}

// rejected is an answer whose quotes are not in the transcript.
func rejected(behavior modeltest.Behavior) modelFault {
	return modelFault{behavior: behavior, status: "parsed", calls: 1, coverage: 1, rejected: true}
}

// modelFaults are the faults that were seen with servers of models. Each leads to a retry, to smaller chunks,
// to a visible gap, or to a clear error; never to an invented quote.
func modelFaults() map[string]modelFault {
	status := modeltest.Status
	return map[string]modelFault{
		"no fault": tolerated(modeltest.Honest()),

		"429 with a wait of two seconds": retriedAfter(2*time.Second, modeltest.RateLimited(2*time.Second)),
		"429 without a wait, three times": {
			behavior: firstCalls(3, modeltest.RateLimited(0)),
			status:   "parsed", calls: 4, evidence: true, coverage: 1,
		},
		"a wait in milliseconds": retriedAfter(1500*time.Millisecond, status(429, `{}`, "Retry-After-Ms", "1500")),
		"Gemini's array with a wait": retriedAfter(2*time.Second, status(429,
			`[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"2s"}]}}]`)),
		"500":         retried(status(500, `{"error":{"message":"The server had an error"}}`)),
		"502 in HTML": retried(status(502, `<html>Bad Gateway</html>`, "Content-Type", "text/html")),
		"Ollama is busy": retried(status(503,
			`{"error":"server busy, please try again.  maximum pending requests exceeded"}`)),
		"OpenRouter's error with a 200": retried(status(200,
			`{"error":{"code":502,"message":"Provider returned error"}}`)),
		"OpenRouter's finish for an error": retried(modeltest.Complete(func(modeltest.Call) modeltest.Completion {
			return modeltest.Completion{FinishReason: "error"}
		})),
		"no choices":                     retried(modeltest.EmptyChoices()),
		"a dropped connection":           retried(modeltest.Drop()),
		"a connection cut midway":        retried(modeltest.CutOff()),
		"half of the JSON of the answer": retried(status(200, `{"choices":[{`)),
		"choices null":                   retried(status(200, `{"choices":null,"usage":{"prompt_tokens":700}}`)),
		"a rejection that passes":        retried(status(400, `{"error":{"message":"Bad request: upstream"}}`)),
		"a hang":                         hanging(modeltest.Hang()),
		"an endless body":                hanging(modeltest.Endless()),
		"no answer in JSON, once":        retried(modeltest.Garbage()),
		"JSON in a fence with prose":     tolerated(modeltest.Fenced()),
		"JSON after thoughts":            tolerated(modeltest.Thinking()),
		"JSON slightly broken":           tolerated(modeltest.Broken()),

		"the context is too long": readInSmallerChunks(modeltest.ContextTooLong(12_000)),
		"llama.cpp's context is too long": readInSmallerChunks(promptsOver(9_000, status(400,
			`{"error":{"code":400,"message":"the request exceeds the available context size",`+
				`"type":"exceed_context_size_error"}}`))),
		"the body is too large":  readInSmallerChunks(promptsOver(9_000, status(413, `too large`))),
		"answers end for length": readInSmallerChunks(promptsOver(9_000, modeltest.Length())),
		"answers end early and say stop": readInSmallerChunks(
			promptsOver(9_000, modeltest.Unfinished("stop"))),
		"prompts are cut without notice":       readInSmallerChunks(promptsOver(9_000, modeltest.Silently(1024))),
		"long prompts are answered in no JSON": readInSmallerChunks(promptsOver(9_000, modeltest.Garbage())),

		"a refusal of one chunk": chunkUnread("model_refused", modeltest.Refuse()),
		"Azure's filter for one chunk": chunkUnread("model_refused", status(400,
			`{"error":{"message":"The response was filtered","code":"content_filter",`+
				`"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`)),
		"a filtered answer": chunkUnread("model_refused", modeltest.Filtered()),

		"a bad key": failed("model_key_rejected", 1, modeltest.BadKey()),
		"Gemini's bad key": failed("model_key_rejected", 1, status(400,
			`[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.",`+
				`"status":"INVALID_ARGUMENT"}}]`)),
		"an empty account": failed("model_no_credit", 1, modeltest.NoCredit()),
		"OpenRouter's empty account": failed("model_no_credit", 1, status(402,
			`{"error":{"code":402,"message":"Insufficient credits"}}`)),
		"a quota behind a 403": failed("model_no_credit", 1, status(403,
			`{"error":{"message":"The quota of this month is used up"}}`)),
		"a region": failed("model_forbidden", 1, status(403, `{"error":{"code":`+
			`"unsupported_country_region_territory","message":"Country, region, or territory not supported"}}`)),
		"another server":         failed("model_wrong_server", 1, status(404, `404 page not found`)),
		"no such model":          failed("model_not_found", 1, modeltest.NoModel()),
		"Ollama's missing model": failed("model_not_found", 1, status(404, `{"error":"model 'llama9' not found"}`)),
		"a request that it does not understand": failed("model_bad_request", 4, status(400,
			`{"error":{"message":"Unknown parameter","type":"invalid_request_error"}}`)),
		"a refusal of everything":            failed("model_refused", 1, modeltest.Refuse()),
		"a context too small for anything":   failed("model_too_long", 0, modeltest.ContextTooLong(10)),
		"answers that always end for length": failed("model_too_long", 0, modeltest.Length()),
		"answers that are never in JSON":     failed("model_bad_answer", 0, modeltest.Garbage()),

		"invented quotes":                   rejected(modeltest.Invented()),
		"quotes turned round":               rejected(modeltest.Negated()),
		"hypotheses that were not given":    rejected(modeltest.WrongIDs()),
		"a hypothesis quoted as a sentence": rejected(modeltest.Change(quoteHypothesis)),
	}
}

func quoteHypothesis(r *modeltest.Reply) {
	for i := range r.Findings {
		r.Findings[i].Quote = "Closing the books takes days because of missing receipts"
	}
}

// callTimes keeps when the model was called about each case.
type callTimes struct {
	mu     sync.Mutex
	byCase map[string][]time.Time
}

func (c *callTimes) add(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byCase[name] = append(c.byCase[name], time.Now())
}

func (c *callTimes) of(name string) []time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]time.Time(nil), c.byCase[name]...)
}

// TestModelFaults gives each fault to a separate import, all at the same time, and requires its end.
func TestModelFaults(t *testing.T) {
	t.Parallel()
	const key = "sk-test-c0ffee"
	faults := modelFaults()
	calls := &callTimes{byCase: map[string][]time.Time{}}
	model := modeltest.New(t).Always(func(w http.ResponseWriter, x *modeltest.Exchange) {
		_, afterMark, _ := strings.Cut(x.User, "receipts, case «")
		name, _, _ := strings.Cut(afterMark, "»")
		calls.add(name)
		faults[name].behavior(w, x)
	})
	settings := []string{
		"OPENAI_BASE_URL=" + model.URL, "OPENAI_API_KEY=" + key, "OPENAI_MODEL=test-model", "PARSE_CONCURRENCY=4",
	}
	patient := startService(t, append(settings, "OPENAI_TIMEOUT=5m")...)
	impatient := startService(t, append(settings, "OPENAI_TIMEOUT=3s")...)
	patientEditor, impatientEditor := patient.signIn(t, patient.Editor), impatient.signIn(t, impatient.Editor)

	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, editor := patient, patientEditor
			if fault.hangs {
				s, editor = impatient, impatientEditor
			}
			h := s.Hypothesis(t, s.Tenant,
				"Closing the books takes days because of missing receipts, case «"+name+"»")
			file := []byte(zoom + "\n" + strings.Repeat(" ", len(name))) // no two files are the same
			if fault.long {
				file = longInterview("case-" + strings.Map(lowerCaseLetters, name))
			}
			id := s.add(t, editor, "talk.vtt", file)
			started := s.startParse(t, editor, id, h)

			var imported map[string]any
			require.Eventually(t, func() bool {
				_, imported = s.get(t, "/api/import/"+id, editor)
				return imported["finishedAt"] != nil
			}, 5*timeout, 100*time.Millisecond) // each fault has its waits, and all cases run at the same time
			require.Equal(t, fault.status, imported["status"], "%v", imported)
			if fault.code == "" {
				require.Nil(t, imported["errorCode"])
			} else {
				require.Equal(t, fault.code, imported["errorCode"])
				require.NotEmpty(t, imported["errorMessage"])
			}
			require.Equal(t, fault.evidence, imported["evidenceCount"].(float64) > 0, "%v", imported)
			require.Equal(t, fault.rejected, imported["rejectedCount"].(float64) > 0, "%v", imported)
			if coverage := imported["coverage"].(float64); fault.coverage == 0.5 {
				// The chunks are small if another case has shown before that the server rejects large ones.
				require.Greater(t, coverage, 0.3)
				require.Less(t, coverage, 1.0)
			} else {
				require.InDelta(t, fault.coverage, coverage, 1e-9)
			}
			require.Equal(t, fault.unread, dbtest.Value[string](t, s.DB, `
				select coalesce(string_agg(distinct u->>'reason', ','), '')
				from imports, jsonb_array_elements(unread) u where id = $1 and status = 'parsed'`, id))
			if fault.status == "parsed" {
				want := "nothing_found"
				if fault.evidence {
					want = "supports"
				}
				result := `select result::text from import_hypotheses where import_id = $1`
				require.Equal(t, want, dbtest.Value[string](t, s.DB, result, id))
			}
			made := calls.of(name)
			require.NotEmpty(t, made)
			if fault.calls > 0 {
				require.Len(t, made, fault.calls)
			}
			if fault.waited > 0 {
				require.GreaterOrEqual(t, made[1].Sub(made[0]), fault.waited, "the wait that the server asked for")
			}
			history := s.historyText(t, started["workflowId"].(string), started["runId"].(string))
			for _, private := range []string{
				key, "receipts", "Omar", "card statement", "flat price", "Provider returned", "giraffes", model.URL,
			} {
				require.NotContains(t, history, private)
			}
		})
	}
	t.Cleanup(func() { // after the subtests, and before the service ends
		require.Contains(t, patient.logs.String()+impatient.logs.String(), "import ended",
			"the logs are those of the parses")
		for _, s := range []*service{patient, impatient} {
			for _, private := range []string{
				key, "missing receipts", "Omar", "card statement", "flat price", "giraffes",
			} {
				require.NotContains(t, s.logs.String(), private)
			}
			s.requireProven(t, dbtest.Value[int](t, s.DB, `select count(*) from evidence`))
		}
	})
}

func lowerCaseLetters(r rune) rune {
	if r >= 'a' && r <= 'z' {
		return r
	}
	return -1
}
