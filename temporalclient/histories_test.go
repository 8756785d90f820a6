package temporalclient_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"google.golang.org/protobuf/encoding/protojson"

	"research/activities"
	"research/outcome"
	"research/temporalclient"
	"research/workflows"
)

// TestHistories runs every workflow on a real server, with scripted activities and as the product starts it,
// and compares how the runs end. With -record, it writes their histories for TestReplay of the workflows:
//
//	go run . dev -- go test ./temporalclient -run TestHistories -record
//
// A history of a release is kept: what is recorded then is written beside it, under another name. A change of
// a workflow's commands that keeps open runs needs no new histories: the old ones show that it does.
var record = flag.Bool("record", false, "write the histories of runs to workflows/testdata/history")

// A scene is a run of a workflow.
type scene struct {
	workflow string
	name     string // of the history
	script   script
	start    func(t *testing.T, s *stage) temporalclient.Run
	during   func(t *testing.T, s *stage, run temporalclient.Run) // optional
	ends     enumspb.WorkflowExecutionStatus
}

// A script has the activities of a run, by their names.
type script map[string]any

// A stage is a namespace with workers.
type stage struct {
	namespace string
	temporal  client.Client
	client    *temporalclient.Client
	busy      chan struct{} // receives when an activity waits, see waits
	over      chan struct{} // closed at the end of the test
}

const (
	completed = enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED
	failed    = enumspb.WORKFLOW_EXECUTION_STATUS_FAILED
	canceled  = enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED
	continued = enumspb.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW
)

// historyLimit is the number of events after which the server suggests to continue as new.
const historyLimit = 100

func TestHistories(t *testing.T) {
	t.Parallel()
	all := scenes()
	var namespaces []string
	for range all {
		namespaces = append(namespaces, "scene-"+uuid.NewString()[:8])
	}
	address := startServer(t, namespaces)
	for i, s := range all {
		t.Run(s.workflow+"/"+s.name, func(t *testing.T) {
			t.Parallel()
			stage := newStage(t, address, namespaces[i], s.script)
			run := s.start(t, stage)
			require.Equal(t, s.workflow, describe(t, stage, run).Type.Name)
			if s.during != nil {
				s.during(t, stage, run)
			}
			var latest temporalclient.Run
			require.Eventually(t, func() bool {
				info := describe(t, stage, temporalclient.Run{WorkflowID: run.WorkflowID})
				latest = temporalclient.Run{WorkflowID: run.WorkflowID, RunID: info.Execution.RunId}
				return info.Status != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
			}, 2*time.Minute, 50*time.Millisecond)
			if s.ends == continued {
				require.Equal(t, completed, describe(t, stage, latest).Status)
				require.NotEqual(t, run, latest)
			} else {
				run = latest // of a reset, the run that began again
			}
			require.Equal(t, s.ends, describe(t, stage, run).Status)
			events := history(t, stage, run)
			started := events[0].GetWorkflowExecutionStartedEventAttributes()
			timeout := started.WorkflowRunTimeout.AsDuration()
			require.Greater(t, timeout, time.Minute, "a run that stands still must end")
			require.LessOrEqual(t, timeout, 31*24*time.Hour)
			if *record {
				writeHistory(t, filepath.Join(s.workflow, s.name+".json"), events)
			}
		})
	}
}

// startServer starts a Temporal whose histories are long after historyLimit events.
func startServer(t *testing.T, namespaces []string) (address string) {
	t.Helper()
	cli := os.Getenv("TEST_TEMPORAL_CLI")
	if cli == "" {
		const missing = "this test needs a Temporal of its own, and TEST_TEMPORAL_CLI is not set: " +
			"run it by `make test`"
		if os.Getenv("TEST_ALL_PROGRAMS") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	options := testsuite.DevServerOptions{
		ExistingPath: cli, LogLevel: "error", Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{},
		ClientOptions: &client.Options{Logger: slog.New(slog.DiscardHandler)},
		ExtraArgs: []string{
			"--dynamic-config-value", fmt.Sprintf("limit.historyCount.suggestContinueAsNew=%d", historyLimit),
		},
	}
	for _, namespace := range namespaces {
		options.ExtraArgs = append(options.ExtraArgs, "--namespace", namespace)
	}
	server, err := testsuite.StartDevServer(t.Context(), options)
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Stop() })
	return server.FrontendHostPort()
}

// newStage starts workers that run a script.
func newStage(t *testing.T, address, namespace string, script script) *stage {
	t.Helper()
	c, err := client.Dial(client.Options{
		HostPort: address, Namespace: namespace, Identity: "test", Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	s := &stage{
		namespace: namespace, temporal: c, client: temporalclient.New(c, time.Minute),
		busy: make(chan struct{}, 100), over: make(chan struct{}),
	}
	require.NoError(t, s.client.EnsureSearchAttributes(t.Context(), namespace))
	for _, queue := range workflows.Queues {
		w := worker.New(c, queue, worker.Options{
			Identity: "test", DeadlockDetectionTimeout: time.Minute, WorkerStopTimeout: time.Second,
			MaxHeartbeatThrottleInterval: 100 * time.Millisecond,
			DisableWorkflowWorker:        queue != workflows.QueueControl,
			BackgroundActivityContext:    context.WithValue(context.Background(), stageKey{}, s),
		})
		if queue == workflows.QueueControl {
			workflows.Register(w)
		}
		for name, function := range script {
			w.RegisterActivityWithOptions(function, activity.RegisterOptions{Name: name})
		}
		require.NoError(t, w.Start())
		t.Cleanup(w.Stop)
	}
	t.Cleanup(func() { close(s.over) })
	return s
}

type stageKey struct{}

func describe(t *testing.T, s *stage, run temporalclient.Run) *workflowpb.WorkflowExecutionInfo {
	t.Helper()
	described, err := s.temporal.DescribeWorkflowExecution(t.Context(), run.WorkflowID, run.RunID)
	require.NoError(t, err)
	return described.WorkflowExecutionInfo
}

func history(t *testing.T, s *stage, run temporalclient.Run) (events []*historypb.HistoryEvent) {
	t.Helper()
	all := s.temporal.GetWorkflowHistory(t.Context(), run.WorkflowID, run.RunID, false,
		enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for all.HasNext() {
		event, err := all.Next()
		require.NoError(t, err)
		events = append(events, event)
	}
	return events
}

// historyFolder has the recorded histories.
var historyFolder = filepath.Join("..", "workflows", "testdata", "history")

// unreleased returns a name for a history: its own, or one with a number beside those of releases, such as
// ParseTranscript/parsed_2.json.
func unreleased(t *testing.T, file string) string {
	t.Helper()
	released, err := os.ReadFile(filepath.Join(historyFolder, "released.sum"))
	require.NoError(t, err)
	free := file
	for n := 2; bytes.Contains(released, []byte("  "+filepath.ToSlash(free)+"\n")); n++ {
		free = strings.TrimSuffix(file, ".json") + fmt.Sprintf("_%d.json", n)
	}
	return free
}

func TestHistoriesOfReleasesAreNotRecordedAgain(t *testing.T) {
	t.Parallel()
	require.Equal(t, "ParseTranscript/parsed_2.json", unreleased(t, "ParseTranscript/parsed.json"))
	require.Equal(t, "ParseTranscript/new.json", unreleased(t, "ParseTranscript/new.json"))
}

// writeHistory writes a history, one event a line.
func writeHistory(t *testing.T, file string, events []*historypb.HistoryEvent) {
	t.Helper()
	var lines [][]byte
	for _, event := range events {
		raw, err := protojson.Marshal(event)
		require.NoError(t, err)
		var line bytes.Buffer
		require.NoError(t, json.Compact(&line, raw)) // protojson varies its spaces
		lines = append(lines, line.Bytes())
	}
	text := append([]byte("{\"events\":[\n"), bytes.Join(lines, []byte(",\n"))...)
	path := filepath.Join(historyFolder, unreleased(t, file))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, append(text, "\n]}\n"...), 0o644))
}

// cancel cancels a run while one of its activities waits.
func cancel(t *testing.T, s *stage, run temporalclient.Run) {
	t.Helper()
	awaitBusy(t, s)
	require.NoError(t, s.temporal.CancelWorkflow(t.Context(), run.WorkflowID, run.RunID))
}

// reset makes a run begin again while one of its activities waits.
func reset(t *testing.T, s *stage, run temporalclient.Run) {
	t.Helper()
	awaitBusy(t, s)
	var first int64
	for _, event := range history(t, s, run) {
		if event.EventType == enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			first = event.EventId
			break
		}
	}
	_, err := s.temporal.ResetWorkflowExecution(t.Context(), &workflowservice.ResetWorkflowExecutionRequest{
		Namespace:         s.namespace,
		WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: run.WorkflowID, RunId: run.RunID},
		Reason:            "test", WorkflowTaskFinishEventId: first, RequestId: uuid.NewString(),
	})
	require.NoError(t, err)
}

func awaitBusy(t *testing.T, s *stage) {
	t.Helper()
	select {
	case <-s.busy:
	case <-time.After(time.Minute):
		require.Fail(t, "no activity waits")
	}
}

// does returns an activity with results, one for each call; the last one is repeated.
func does[Out any](results ...Out) any {
	var calls atomic.Int32
	return func(context.Context, any) (Out, error) {
		return results[min(int(calls.Add(1)), len(results))-1], nil
	}
}

// fails returns an activity that fails with a type.
func fails(errorType string) any {
	return func(context.Context, any) (any, error) {
		return nil, temporal.NewNonRetryableApplicationError("failed by the script", errorType, nil)
	}
}

// waits returns an activity that waits until it is cancelled.
func waits(ctx context.Context, _ any) (any, error) {
	s := ctx.Value(stageKey{}).(*stage)
	s.busy <- struct{}{}
	for {
		activity.RecordHeartbeat(ctx)
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-s.over:
			return nil, errors.New("the test is over")
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// neverEnds is an activity that does not notice its cancellation.
func neverEnds(ctx context.Context, _ any) (any, error) {
	<-ctx.Value(stageKey{}).(*stage).over
	return nil, errors.New("the test is over")
}

// waitsOnce returns an activity that waits when it is called first, and then has a result.
func waitsOnce(result any) any {
	var again atomic.Bool
	return func(ctx context.Context, in any) (any, error) {
		if again.Swap(true) {
			return result, nil
		}
		return waits(ctx, in)
	}
}

func scenes() []scene {
	var all []scene
	for _, of := range [][]scene{
		parses(), questions(), proposals(), backgroundWork(), deliveries(), digestPlans(), mails(),
	} {
		all = append(all, of...)
	}
	return all
}

// parses are runs of ParseTranscript.
func parses() []scene {
	starts := func(check bool) func(*testing.T, *stage) temporalclient.Run {
		return func(t *testing.T, s *stage) temporalclient.Run {
			run, err := s.client.StartParse(t.Context(), temporalclient.ParseRequest{
				ImportID: uuid.New(), ClaimID: uuid.New(), WorkspaceID: uuid.New(), ProjectID: uuid.New(),
				CheckSpeakers: check,
			})
			require.NoError(t, err)
			return run
		}
	}
	plan := func(chunks int, timeLeft time.Duration) any {
		plan := activities.ImportPlan{Total: chunks, Concurrency: 2, TimeLeft: timeLeft}
		for i := range chunks {
			plan.Chunks = append(plan.Chunks, i)
		}
		return does(plan)
	}
	done := activities.ReadChunkResult{Done: true}
	read := does(done)
	finish := does(activities.ParseEnd{Status: outcome.StatusParsed, Evidence: 4, Coverage: 1})
	end := func(status outcome.Status, code outcome.Code) any {
		return does(activities.ParseEnd{Status: status, ErrorCode: code})
	}
	retried := func(ctx context.Context, _ any) (activities.ReadChunkResult, error) {
		if activity.GetInfo(ctx).Attempt > 1 {
			return done, nil
		}
		return activities.ReadChunkResult{}, temporal.NewApplicationErrorWithOptions("failed by the script",
			string(outcome.CodeModelRateLimited),
			temporal.ApplicationErrorOptions{NextRetryDelay: 50 * time.Millisecond})
	}
	firstFails := func(ctx context.Context, in activities.ReadChunkInput) (any, error) {
		if in.Ordinal > 0 {
			return waits(ctx, in)
		}
		<-ctx.Value(stageKey{}).(*stage).busy // the other chunk is being read
		return nil, temporal.NewNonRetryableApplicationError(
			"failed by the script", string(outcome.CodeModelNoCredit), nil)
	}
	checked := scenesOf("ParseTranscript", starts(true), []scene{
		{name: "checked", ends: completed, script: script{
			"CheckSpeakers": does(activities.CheckSpeakersResult{Asked: true, Labels: 2}),
			"PlanImport":    plan(1, time.Hour), "ReadChunk": read, "FinishImport": finish,
		}},
		{name: "unchecked", ends: completed, script: script{
			"CheckSpeakers": fails(string(outcome.CodeModelRefused)),
			"PlanImport":    plan(1, time.Hour), "ReadChunk": read, "FinishImport": finish,
		}},
	})
	return append(checked, scenesOf("ParseTranscript", starts(false), []scene{
		{name: "parsed", ends: completed, script: script{
			"PlanImport": plan(5, time.Hour), "ReadChunk": read, "FinishImport": finish,
		}},
		{name: "split", ends: completed, script: script{
			"PlanImport": plan(1, time.Hour), "FinishImport": finish,
			"ReadChunk": does(activities.ReadChunkResult{}, activities.ReadChunkResult{}, done),
		}},
		{name: "retried", ends: completed, script: script{
			"PlanImport": plan(2, time.Hour), "ReadChunk": retried, "FinishImport": finish,
		}},
		{name: "waited", ends: completed, script: script{
			"PlanImport": plan(1, time.Second), "FinishImport": finish,
			"CheckDeadline": does(activities.Deadline{Left: time.Hour}),
			"ReadChunk": func(context.Context, any) (activities.ReadChunkResult, error) {
				time.Sleep(3 * time.Second)
				return done, nil
			},
		}},
		{name: "failed", ends: failed, script: script{
			"PlanImport": plan(3, time.Hour), "ReadChunk": firstFails,
			"FailImport": end(outcome.StatusFailed, outcome.CodeModelNoCredit),
		}},
		{name: "unreadable", ends: failed, script: script{
			"PlanImport": plan(1, time.Hour), "ReadChunk": read,
			"FinishImport": end(outcome.StatusFailed, outcome.CodeModelRefused),
		}},
		{name: "superseded", ends: completed, script: script{"PlanImport": fails(activities.TypeSuperseded)}},
		{name: "canceled", ends: canceled, during: cancel, script: script{
			"PlanImport": plan(3, time.Hour), "ReadChunk": waits,
			"FailImport": end(outcome.StatusCanceled, outcome.CodeCanceled),
		}},
		// The activities do not end, as those that are paused or whose worker is gone.
		{name: "timed_out", ends: failed, script: script{
			"PlanImport": plan(3, time.Second), "ReadChunk": neverEnds,
			"CheckDeadline": does(activities.Deadline{Code: outcome.CodeTimedOut}),
			"FailImport":    end(outcome.StatusTimedOut, outcome.CodeTimedOut),
		}},
		{name: "reset", ends: completed, during: reset, script: script{
			"PlanImport": plan(3, time.Hour), "ReadChunk": waitsOnce(done), "FinishImport": finish,
		}},
		{name: "continued", ends: continued, script: script{
			"PlanImport": planLeft(historyLimit / 3), "ReadChunk": read, "FinishImport": finish,
		}},
	})...)
}

// planLeft returns a PlanImport whose second call has few chunks left.
func planLeft(chunks int) any {
	var again atomic.Bool
	return func(context.Context, any) (activities.ImportPlan, error) {
		plan := activities.ImportPlan{Total: chunks, Concurrency: 2, TimeLeft: time.Hour}
		for i := range chunks {
			plan.Chunks = append(plan.Chunks, i)
		}
		if again.Swap(true) {
			plan.Chunks = plan.Chunks[chunks-2:]
		}
		return plan, nil
	}
}

// backgroundWork are runs of DeleteData, DeliverWebhooks and EnforceRetention.
func backgroundWork() []scene {
	deletion := func(t *testing.T, s *stage) temporalclient.Run {
		require.NoError(t, s.client.StartDeletion(t.Context()))
		return latestRun(t, s, workflows.DeleteDataWorkflowID)
	}
	endpoint := func(t *testing.T, s *stage) temporalclient.Run {
		id := uuid.New()
		require.NoError(t, s.client.DeliverWebhooks(t.Context(), id))
		return latestRun(t, s, workflows.DeliverWebhooksWorkflowID(id))
	}
	slice := activities.RemoveMarkedResult{Removed: 10, Left: true}
	batch := activities.SendWebhooksResult{Delivered: 2, Failed: 1, More: true}
	all := scenesOf("DeleteData", deletion, []scene{
		{name: "removed", ends: completed, script: script{
			"RemoveMarked": does(slice, slice, activities.RemoveMarkedResult{Removed: 1}),
		}},
		{name: "some_left", ends: completed, script: script{"RemoveMarked": does(slice)}},
		{name: "failed", ends: failed, script: script{"RemoveMarked": fails("database")}},
		{name: "canceled", ends: canceled, during: cancel, script: script{"RemoveMarked": waits}},
		{name: "reset", ends: completed, during: reset, script: script{
			"RemoveMarked": waitsOnce(activities.RemoveMarkedResult{Removed: 1}),
		}},
	})
	all = append(all, scenesOf("DeliverWebhooks", endpoint, []scene{
		{name: "sent", ends: completed, script: script{
			"SendWebhooks": does(batch, batch, activities.SendWebhooksResult{Delivered: 1}),
		}},
		{name: "failed", ends: failed, script: script{"SendWebhooks": fails("database")}},
		{name: "canceled", ends: canceled, during: cancel, script: script{"SendWebhooks": waits}},
		{name: "reset", ends: completed, during: reset, script: script{
			"SendWebhooks": waitsOnce(activities.SendWebhooksResult{Delivered: 1}),
		}},
	})...)
	tick := ticks(temporalclient.RetentionSchedule())
	return append(all, scenesOf("EnforceRetention", tick, []scene{
		{name: "deleted", ends: completed, script: script{
			"DeleteOldRows": does(activities.DeleteOldRowsResult{Sessions: 3}),
		}},
		{name: "failed", ends: failed, script: script{"DeleteOldRows": fails("database")}},
		{name: "canceled", ends: canceled, during: cancel, script: script{"DeleteOldRows": waits}},
	})...)
}

// deliveries are runs of DeliverDigests.
func deliveries() []scene {
	start := func(t *testing.T, s *stage) temporalclient.Run {
		require.NoError(t, s.client.DeliverDigests(t.Context(), activities.DigestMark{}))
		return latestRun(t, s, workflows.DeliverDigestsWorkflowID)
	}
	sent := activities.DeliverDigestShardResult{Handled: 3, Done: true}
	// The first shard has a later attempt, for which it waits the shortest time.
	var retried atomic.Bool
	retry := func(_ context.Context, in activities.DeliverDigestShardInput) (any, error) {
		result := sent
		if in.Shard == 0 && !retried.Swap(true) {
			result.NextAt = time.Now()
		}
		return result, nil
	}
	signaled := func(ctx context.Context, in activities.DeliverDigestShardInput) (any, error) {
		s := ctx.Value(stageKey{}).(*stage)
		if in.Shard == 0 {
			info := activity.GetInfo(ctx)
			_ = s.temporal.SignalWorkflow(ctx, info.WorkflowExecution.ID, "", workflows.PlannedSignal, nil)
		}
		return sent, nil
	}
	var calls atomic.Int32
	many := func(context.Context, any) (any, error) {
		return activities.DeliverDigestShardResult{Handled: 1, Done: calls.Add(1) > historyLimit/3}, nil
	}
	return scenesOf("DeliverDigests", start, []scene{
		{name: "sent", ends: completed, script: script{"DeliverDigestShard": retry}},
		{name: "signaled", ends: completed, script: script{"DeliverDigestShard": once(signaled, sent)}},
		{name: "held", ends: completed, script: script{
			"DeliverDigestShard": does(activities.DeliverDigestShardResult{Held: true}),
		}},
		{name: "failed", ends: failed, script: script{"DeliverDigestShard": fails("mail_unavailable")}},
		{name: "canceled", ends: canceled, during: cancel, script: script{"DeliverDigestShard": waits}},
		{name: "reset", ends: completed, during: reset, script: script{"DeliverDigestShard": waitsOnce(sent)}},
		{name: "continued", ends: continued, script: script{"DeliverDigestShard": many}},
	})
}

// once returns an activity that calls f for the first calls of four shards, and then has a result.
func once(f func(context.Context, activities.DeliverDigestShardInput) (any, error), result any) any {
	var calls atomic.Int32
	return func(ctx context.Context, in activities.DeliverDigestShardInput) (any, error) {
		if calls.Add(1) > workflows.DigestShards {
			return result, nil
		}
		return f(ctx, in)
	}
}

// digestPlans are runs of PlanDigests.
func digestPlans() []scene {
	tick := ticks(temporalclient.DigestSchedules()[0])
	request := func(t *testing.T, s *stage) temporalclient.Run {
		run, err := s.client.SendDigests(t.Context(), workflows.Daily)
		require.NoError(t, err)
		return run.Run
	}
	begin := does(activities.BeginDigestsResult{Seen: activities.DigestMark{SeenAt: time.Now()}})
	plan := does(activities.PlanDigestsResult{Members: 2, Planned: 2, Next: uuid.New()},
		activities.PlanDigestsResult{Members: 1, Planned: 1, Done: true})
	delivery := does(activities.StartDeliveryResult{})
	all := scenesOf("PlanDigests", tick, []scene{
		{name: "planned", ends: completed, script: script{
			"BeginDigests": begin, "PlanDigests": plan, "StartDelivery": delivery,
		}},
		{name: "held", ends: completed, script: script{
			"BeginDigests": does(activities.BeginDigestsResult{Held: true}),
		}},
		{name: "failed", ends: failed, script: script{"BeginDigests": begin, "PlanDigests": fails("database")}},
		{name: "canceled", ends: canceled, during: cancel, script: script{
			"BeginDigests": begin, "PlanDigests": waits,
		}},
	})
	return append(all, scenesOf("PlanDigests", request, []scene{
		{name: "requested", ends: completed, script: script{
			"BeginDigests": begin, "StartDelivery": delivery,
			"PlanDigests":  does(activities.PlanDigestsResult{Members: 1, Planned: 1, Done: true}),
			"AwaitDigests": does(activities.AwaitDigestsResult{Open: 1}, activities.AwaitDigestsResult{Sent: 1}),
		}},
		{name: "reset", ends: completed, during: reset, script: script{
			"BeginDigests": begin, "StartDelivery": delivery,
			"PlanDigests":  waitsOnce(activities.PlanDigestsResult{Members: 1, Planned: 1, Done: true}),
			"AwaitDigests": does(activities.AwaitDigestsResult{Sent: 1}),
		}},
	})...)
}

// mails are runs of SendAccountMail, SendAccountNotice and SendDigestPreview.
func mails() []scene {
	id := uuid.New()
	mail := func(t *testing.T, s *stage) temporalclient.Run {
		require.NoError(t, s.client.SendAccountMail(t.Context(), id))
		return latestRun(t, s, workflows.AccountMailWorkflowID(id))
	}
	notice := func(t *testing.T, s *stage) temporalclient.Run {
		require.NoError(t, s.client.SendAccountNotice(t.Context(), id))
		return latestRun(t, s, workflows.AccountNoticeWorkflowID(id))
	}
	preview := func(t *testing.T, s *stage) temporalclient.Run {
		at := time.Now()
		require.NoError(t, s.client.SendDigestPreview(t.Context(), id, workflows.Weekly))
		return latestRun(t, s, workflows.PreviewWorkflowID(id, at))
	}
	var all []scene
	for _, of := range []struct {
		workflow, activity string
		start              func(*testing.T, *stage) temporalclient.Run
		result             any
	}{
		{"SendAccountMail", "MailAccountLink", mail, activities.MailAccountLinkResult{Sent: true}},
		{"SendAccountNotice", "MailAccountNotice", notice, activities.MailAccountNoticeResult{Sent: true}},
		{"SendDigestPreview", "SendDigestPreview", preview, activities.SendDigestPreviewResult{Sent: true}},
	} {
		all = append(all, scenesOf(of.workflow, of.start, []scene{
			{name: "sent", ends: completed, script: script{of.activity: does(of.result)}},
			{name: "failed", ends: failed, script: script{of.activity: fails(activities.TypeMailRefused)}},
			{name: "canceled", ends: canceled, during: cancel, script: script{of.activity: waits}},
		})...)
	}
	return all
}

// scenesOf returns the scenes of a workflow that is started in one way.
func scenesOf(
	workflow string, start func(*testing.T, *stage) temporalclient.Run, scenes []scene,
) []scene {
	for i := range scenes {
		scenes[i].workflow, scenes[i].start = workflow, start
	}
	return scenes
}

// latestRun returns the latest run of a workflow.
func latestRun(t *testing.T, s *stage, workflowID string) temporalclient.Run {
	t.Helper()
	info := describe(t, s, temporalclient.Run{WorkflowID: workflowID})
	return temporalclient.Run{WorkflowID: workflowID, RunID: info.FirstRunId}
}

// ticks returns a start by a schedule.
func ticks(schedule temporalclient.Schedule) func(*testing.T, *stage) temporalclient.Run {
	return func(t *testing.T, s *stage) temporalclient.Run {
		require.NoError(t, s.client.EnsureSchedules(t.Context(), schedule))
		handle := s.temporal.ScheduleClient().GetHandle(t.Context(), schedule.ID)
		require.NoError(t, handle.Trigger(t.Context(), client.ScheduleTriggerOptions{}))
		var run temporalclient.Run
		require.Eventually(t, func() bool {
			described, err := handle.Describe(t.Context())
			if err != nil || len(described.Info.RecentActions) == 0 {
				return false
			}
			started := described.Info.RecentActions[0].StartWorkflowResult
			run = temporalclient.Run{WorkflowID: started.WorkflowID, RunID: started.FirstExecutionRunID}
			return true
		}, time.Minute, 50*time.Millisecond)
		return run
	}
}
