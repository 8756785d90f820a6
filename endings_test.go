package main

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"research/activities"
	"research/activities/extract/modeltest"
	"research/db"
	"research/db/dbtest"
	"research/workflows"
)

// A gate is a model that answers an interview's first call and keeps the others waiting until the interview is let through. An interview is known by its marker.
type gate struct {
	*modeltest.Server

	mu      sync.Mutex
	through map[string]chan struct{}
	calls   map[string]int // that arrived
	waiting map[string]int // that wait
	refused map[string]bool
}

func newGate(t *testing.T) *gate {
	g := &gate{Server: modeltest.New(t), through: map[string]chan struct{}{}, calls: map[string]int{}, waiting: map[string]int{}, refused: map[string]bool{}}
	g.Always(g.behave)
	return g
}

var marker = regexp.MustCompile(`case-[a-z-]+`)

func (g *gate) behave(w http.ResponseWriter, x *modeltest.Exchange) {
	name := marker.FindString(x.User)
	g.mu.Lock()
	g.calls[name]++
	answer, open := modeltest.Honest(), g.open(name)
	if g.refused[name] {
		answer = modeltest.BadKey()
	}
	first := g.calls[name] == 1
	g.mu.Unlock()
	if !first {
		g.add(name, 1)
		defer g.add(name, -1)
		select {
		case <-open:
		case <-x.Gone:
			return
		}
	}
	answer(w, x)
}

// open is the channel that is closed when an interview is let through; g.mu is held.
func (g *gate) open(name string) chan struct{} {
	if g.through[name] == nil {
		g.through[name] = make(chan struct{})
	}
	return g.through[name]
}

func (g *gate) add(name string, n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting[name] += n
}

func (g *gate) let(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.open(name))
}

func (g *gate) refuse(name string, refused bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refused[name] = refused
}

func (g *gate) count(counts map[string]int, name string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return counts[name]
}

// An ending is one import of three chunks whose end is looked at.
type ending struct {
	*service
	gate           *gate
	editor, name   string
	id             string
	hypothesis     uuid.UUID
	workflowID     string
	runID, another string // the run, and the one it was reset to
}

// interviewOf has three chunks and a sentence to find in each.
func interviewOf(name string) []byte {
	var b strings.Builder
	for i := range 420 {
		fmt.Fprintf(&b, "%s: In week %d of %s we exported the card statement and pasted it in, and somebody sorted one column.\n\n", []string{"Dana", "Omar"}[i%2], i, name)
		if i%100 == 50 {
			b.WriteString("Omar: Closing the books takes us five days because receipts are missing.\n\n")
		}
	}
	return []byte(b.String())
}

func (s *service) ending(t *testing.T, g *gate, editor, name string) *ending {
	t.Helper()
	e := &ending{service: s, gate: g, editor: editor, name: name, hypothesis: s.Hypothesis(t, s.Tenant, "Closing the books takes days because receipts are missing: "+name)}
	status, uploaded := s.upload(t, editor, name+".txt", interviewOf(name))
	require.Equal(t, http.StatusCreated, status, "%v", uploaded)
	e.id = uploaded["importId"].(string)
	e.workflowID = "import-" + e.id
	return e
}

// parse asks for a parse, and waits until it reads.
func (e *ending) parse(t *testing.T) {
	t.Helper()
	e.ask(t)
	e.reads(t)
}

// reads waits until the first chunk is read and the others wait for their answers.
func (e *ending) reads(t *testing.T) {
	t.Helper()
	e.eventually(t, func() bool {
		return e.gate.count(e.gate.waiting, e.name) == 2 && e.value(t, "progress_done::text") == "1"
	})
}

func (e *ending) ask(t *testing.T) {
	t.Helper()
	var status int
	var started map[string]any
	e.eventually(t, func() bool { // while Temporal is too busy, it is 503: come again
		status, started = e.post(t, "/api/import/"+e.id+"/parse", e.editor, map[string]any{"hypothesisIds": []uuid.UUID{e.hypothesis}})
		return status != http.StatusServiceUnavailable
	})
	require.Equal(t, http.StatusOK, status, "%v", started)
	e.runID = started["runId"].(string)
}

func (e *ending) value(t *testing.T, column string) string {
	t.Helper()
	return dbtest.Value[string](t, e.DB, `select coalesce(`+column+`, '') from imports where id = $1`, e.id)
}

// says waits until the import has the status and the code, and returns how long it took.
func (e *ending) says(t *testing.T, status, code string) time.Duration {
	t.Helper()
	began := time.Now()
	require.Eventually(t, func() bool { return e.value(t, "status::text") == status }, 2*patience, 20*time.Millisecond, "%s is %s", e.name, e.value(t, "status::text"))
	require.Equal(t, code, e.value(t, "error_code"))
	if status != "parsed" {
		require.NotEmpty(t, e.value(t, "error_message"))
		require.NotEmpty(t, e.value(t, "finished_at::text"))
	}
	return time.Since(began)
}

// parsesAgain lets the interview through; it ends parsed, and what was paid for is not asked for again.
func (e *ending) parsesAgain(t *testing.T) {
	t.Helper()
	e.gate.let(e.name)
	e.ask(t)
	e.parsed(t)
	require.Equal(t, 1+2+2, e.gate.count(e.gate.calls, e.name), "the first chunk was answered in the first run")
}

// parsed waits for the end, with the evidence of all chunks.
func (e *ending) parsed(t *testing.T) {
	t.Helper()
	e.says(t, "parsed", "")
	require.Equal(t, "3 of 3", e.value(t, "progress_done || ' of ' || progress_total"))
	require.Equal(t, "3", e.value(t, `(select count(*) from evidence where import_id = imports.id)::text`))
	require.Equal(t, "1", e.value(t, "coverage::text"))
}

func (e *ending) keptWhatWasFound(t *testing.T) {
	t.Helper()
	require.Equal(t, "1 suggested", e.value(t, `(select count(*) || ' ' || min(review::text) from evidence where import_id = imports.id)`))
}

// hangUp waits until no call of the import is under way.
func (e *ending) hangUp(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { return e.gate.count(e.gate.waiting, e.name) == 0 }, patience, 10*time.Millisecond)
}

// resetTo goes back to the workflow task after n activities were completed.
func (e *ending) resetTo(t *testing.T, activitiesDone int) {
	t.Helper()
	events := e.temporal.GetWorkflowHistory(t.Context(), e.workflowID, e.runID, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	done, task := 0, int64(0)
	for events.HasNext() && task == 0 {
		event, err := events.Next()
		require.NoError(t, err)
		switch event.GetEventType() {
		case enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
			done++
		case enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED:
			if done == activitiesDone {
				task = event.GetEventId()
			}
		}
	}
	require.NotZero(t, task)
	answer, err := e.temporal.ResetWorkflowExecution(t.Context(), &workflowservice.ResetWorkflowExecutionRequest{
		Namespace: e.namespace, WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: e.workflowID, RunId: e.runID},
		Reason: "a test", WorkflowTaskFinishEventId: task, RequestId: uuid.NewString(),
	})
	require.NoError(t, err)
	e.another = answer.GetRunId()
}

// However a run ends, the import says so, and can be parsed again.
func TestEndings(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	s := startService(t, "RECONCILE_INTERVAL", "1s", "OPENAI_BASE_URL", g.URL, "OPENAI_API_KEY", "key", "OPENAI_MODEL", "test")
	editor, viewer := s.signIn(t, s.Editor), s.signIn(t, s.Viewer)
	stranger := s.signIn(t, s.DB.Tenant(t).Owner)

	for name, run := range map[string]func(t *testing.T, e *ending){
		"case-parsed": func(t *testing.T, e *ending) {
			e.parse(t)
			g.let(e.name)
			e.parsed(t)
			require.Equal(t, 3, g.count(g.calls, e.name))
			status, answer := s.post(t, "/api/import/"+e.id+"/cancel", editor, nil)
			require.Equal(t, http.StatusUnprocessableEntity, status)
			require.Equal(t, "import_not_parsing", answer["error"])
		},
		"case-bad-key": func(t *testing.T, e *ending) {
			e.parse(t)
			g.refuse(e.name, true)
			g.let(e.name) // those that wait were asked with the key that was good then
			e.parsed(t)
			other := s.ending(t, g, editor, "case-bad-key-from-the-start")
			g.refuse(other.name, true)
			other.ask(t)
			other.says(t, "failed", "model_key_rejected")
			g.refuse(other.name, false)
			g.let(other.name)
			other.ask(t)
			other.parsed(t)
		},
		"case-cancelled-by-api": func(t *testing.T, e *ending) {
			e.parse(t)
			path := "/api/import/" + e.id + "/cancel"
			status, _ := s.post(t, path, viewer, nil)
			require.Equal(t, http.StatusForbidden, status)
			status, answer := s.post(t, path, stranger, nil)
			require.Equal(t, http.StatusUnprocessableEntity, status)
			require.Equal(t, "import_not_found", answer["error"])
			for range 3 { // asking again is no mistake
				status, answer = s.post(t, path, editor, nil)
				require.Equal(t, http.StatusOK, status, "%v", answer)
				require.Equal(t, map[string]any{"importId": e.id, "status": "canceling"}, answer)
			}
			began := time.Now()
			e.hangUp(t)
			t.Logf("model calls stopped after %s, the import said so %s later", time.Since(began), e.says(t, "canceled", "canceled"))
			e.keptWhatWasFound(t)
			status, _ = s.post(t, path, editor, nil)
			require.Equal(t, http.StatusUnprocessableEntity, status)
			e.parsesAgain(t)
		},
		"case-cancelled-by-operator": func(t *testing.T, e *ending) {
			e.parse(t)
			require.NoError(t, s.temporal.CancelWorkflow(t.Context(), e.workflowID, ""))
			e.says(t, "canceled", "canceled")
			e.keptWhatWasFound(t)
			e.parsesAgain(t)
		},
		"case-terminated": func(t *testing.T, e *ending) {
			e.parse(t)
			require.NoError(t, s.temporal.TerminateWorkflow(t.Context(), e.workflowID, "", "a test"))
			t.Logf("said so after %s", e.says(t, "terminated", "terminated"))
			e.keptWhatWasFound(t)
			e.hangUp(t)
			e.parsesAgain(t)
		},
		"case-history-deleted": func(t *testing.T, e *ending) {
			e.parse(t)
			_, err := s.temporal.WorkflowService().DeleteWorkflowExecution(t.Context(), &workflowservice.DeleteWorkflowExecutionRequest{
				Namespace: s.namespace, WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: e.workflowID},
			})
			require.NoError(t, err)
			e.eventually(t, func() bool { return e.value(t, "status::text") != "parsing" })
			require.Equal(t, "terminated", e.value(t, "status::text"))
			require.Contains(t, []string{"terminated", "history_deleted"}, e.value(t, "error_code")) // Temporal terminates it first
			e.keptWhatWasFound(t)
			e.hangUp(t)
			e.parsesAgain(t)
		},
		"case-run-timed-out": func(t *testing.T, e *ending) {
			ref := e.claim(t)
			_, err := s.temporal.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
				ID: e.workflowID, TaskQueue: workflows.QueueControl, WorkflowExecutionTimeout: 3 * time.Second,
			}, workflows.ParseTranscript, workflows.ParseTranscriptInput{ParseRef: ref})
			require.NoError(t, err)
			e.says(t, "timed_out", "timed_out")
			e.hangUp(t)
			g.let(e.name)
			e.ask(t)
			e.parsed(t)
		},
		"case-failed-outside-our-code": func(t *testing.T, e *ending) {
			e.claim(t)
			_, err := s.temporal.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: e.workflowID, TaskQueue: workflows.QueueControl},
				"ParseTranscript", "not what it takes")
			require.NoError(t, err)
			e.pretendOverdue(t)
			e.says(t, "failed", "internal")
			g.let(e.name)
			e.ask(t)
			e.parsed(t)
		},
		"case-completed-and-nobody-said-so": func(t *testing.T, e *ending) {
			ref := e.claim(t)
			run, err := s.temporal.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: e.workflowID, TaskQueue: workflows.QueueControl},
				workflows.ParseTranscript, workflows.ParseTranscriptInput{ParseRef: activities.ParseRef{ImportID: ref.ImportID, ClaimID: uuid.New()}})
			require.NoError(t, err)
			require.NoError(t, run.Get(t.Context(), nil))
			e.pretendOverdue(t)
			e.says(t, "failed", "internal")
			g.let(e.name)
			e.ask(t)
			e.parsed(t)
		},
		"case-never-started": func(t *testing.T, e *ending) {
			e.claim(t)
			e.pretendOverdue(t)
			g.let(e.name)
			e.parsed(t)
			require.NotEmpty(t, e.value(t, "run_id"))
		},
		"case-cancelled-before-it-was-started": func(t *testing.T, e *ending) {
			ref := e.claim(t)
			status, answer := s.post(t, "/api/import/"+e.id+"/cancel", editor, nil)
			require.Equal(t, http.StatusOK, status)
			require.Equal(t, "canceled", answer["status"])
			require.Equal(t, "canceled", e.value(t, "status::text"))
			// The request that claimed it comes late: its run changes nothing.
			run, err := s.temporal.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: e.workflowID, TaskQueue: workflows.QueueControl},
				workflows.ParseTranscript, workflows.ParseTranscriptInput{ParseRef: ref})
			require.NoError(t, err)
			var result workflows.ParseTranscriptResult
			require.NoError(t, run.Get(t.Context(), &result))
			require.EqualValues(t, activities.TypeSuperseded, result.Status)
			require.Equal(t, "canceled", e.value(t, "status::text"))
			g.let(e.name)
			e.ask(t)
			e.parsed(t)
		},
		"case-reset": func(t *testing.T, e *ending) {
			e.parse(t)
			e.resetTo(t, 0)
			e.eventually(t, func() bool { return e.value(t, "run_id") == e.another })
			require.Equal(t, "parsing", e.value(t, "status::text"))
			g.let(e.name)
			e.parsed(t)
		},
		"case-reset-to-the-middle": func(t *testing.T, e *ending) {
			e.parse(t)
			e.resetTo(t, 1)
			e.eventually(t, func() bool { return e.value(t, "run_id") == e.another })
			require.Equal(t, "parsing", e.value(t, "status::text"))
			g.let(e.name)
			e.parsed(t)
		},
		"case-reset-after-its-end": func(t *testing.T, e *ending) {
			e.parse(t)
			require.NoError(t, s.temporal.CancelWorkflow(t.Context(), e.workflowID, ""))
			e.says(t, "canceled", "canceled")
			require.Error(t, s.temporal.GetWorkflow(t.Context(), e.workflowID, e.runID).Get(t.Context(), nil))
			e.resetTo(t, 1)
			e.eventually(t, func() bool { return e.value(t, "status::text") == "parsing" })
			require.Equal(t, e.another, e.value(t, "run_id"))
			g.let(e.name)
			e.parsed(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, s.ending(t, g, editor, name))
		})
	}
}

// claim claims the import as a request to parse does, and starts nothing.
func (e *ending) claim(t *testing.T) activities.ParseRef {
	t.Helper()
	ref := activities.ParseRef{ImportID: uuid.MustParse(e.id), ClaimID: uuid.New()}
	claimed, err := db.AsUser(t.Context(), e.Store, db.User(e.Editor), func(q *db.Queries) (db.ClaimImportRow, error) {
		return q.ClaimImport(t.Context(), db.ClaimImportParams{
			ImportID: ref.ImportID, ClaimID: ref.ClaimID, HypothesisIds: []uuid.UUID{e.hypothesis},
		})
	})
	require.NoError(t, err)
	require.Equal(t, db.PrivateClaimResultClaimed, claimed.Result)
	return ref
}

// pretendOverdue moves the claim back in time, so that the reconciler does not wait for its request.
func (e *ending) pretendOverdue(t *testing.T) {
	t.Helper()
	e.Exec(t, `update imports set queued_at = now() - interval '1 minute' where id = $1`, e.id)
}

// An import is cancelled while no worker is there: it says so as soon as one is.
func TestCancelBeforeTheRunBegins(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	s := startAPI(t, "OPENAI_BASE_URL", g.URL, "OPENAI_API_KEY", "key", "OPENAI_MODEL", "test")
	e := s.ending(t, g, s.signIn(t, s.Editor), "case-no-worker")
	e.ask(t)
	status, answer := s.post(t, "/api/import/"+e.id+"/cancel", e.editor, nil)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "canceling", answer["status"])
	require.Equal(t, "queued", e.value(t, "status::text"))
	s.startWork(t)
	e.says(t, "canceled", "canceled")
	require.Zero(t, g.count(g.calls, e.name), "no call was made")
	g.let(e.name)
	e.ask(t)
	e.parsed(t)
}

// PARSE_TIMEOUT ends a parse before the server would.
func TestParseTimeout(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	s := startService(t, "PARSE_TIMEOUT", "10s", "OPENAI_BASE_URL", g.URL, "OPENAI_API_KEY", "key", "OPENAI_MODEL", "test")
	e := s.ending(t, g, s.signIn(t, s.Editor), "case-slow")
	e.parse(t)
	e.says(t, "timed_out", "timed_out")
	e.keptWhatWasFound(t)
	e.hangUp(t)
	require.Error(t, s.temporal.GetWorkflow(t.Context(), e.workflowID, e.runID).Get(t.Context(), nil))
	run, err := s.temporal.DescribeWorkflowExecution(t.Context(), e.workflowID, e.runID)
	require.NoError(t, err)
	require.Equal(t, enumspb.WORKFLOW_EXECUTION_STATUS_FAILED, run.GetWorkflowExecutionInfo().GetStatus(), "by itself")
	limit := run.GetExecutionConfig().GetWorkflowExecutionTimeout().AsDuration()
	require.Greater(t, limit, s.cfg.Parse.Timeout)
	e.parsesAgain(t)
}
