package workflows_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/encoding/protojson"

	"research/activities"
	"research/workflows"
)

// histories lists the recorded runs of every workflow. TestHistories of temporalclient records them.
var histories = map[string][]string{
	"AnswerQuestion": {
		"canceled", "continued", "failed", "passages", "quick", "reset", "superseded", "thorough", "timed_out",
		"unreadable",
	},
	"DeleteData":        {"canceled", "failed", "removed", "reset", "some_left"},
	"DeliverDigests":    {"canceled", "continued", "failed", "held", "reset", "sent", "signaled"},
	"DeliverWebhooks":   {"canceled", "failed", "reset", "sent"},
	"EnforceRetention":  {"canceled", "deleted", "failed"},
	"SendAccountMail":   {"canceled", "failed", "sent"},
	"SendAccountNotice": {"canceled", "failed", "sent"},
	"SendDigestPreview": {"canceled", "failed", "sent"},
	"PlanDigests":       {"canceled", "failed", "held", "planned", "requested", "reset"},
	"ParseTranscript": {
		"canceled", "checked", "continued", "failed", "parsed", "reset", "retried", "split", "superseded",
		"timed_out", "unchecked", "unreadable", "waited",
	},
	"ProposeThemes": {
		"canceled", "continued", "failed", "proposed", "reset", "superseded", "timed_out", "unreadable",
	},
}

// recorded returns the files of the recorded runs.
func recorded(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/history/*/*.json")
	require.NoError(t, err)
	return files
}

func TestRecordedHistories(t *testing.T) {
	t.Parallel()
	found := map[string][]string{}
	for _, file := range recorded(t) {
		name := filepath.Base(filepath.Dir(file))
		found[name] = append(found[name], strings.TrimSuffix(filepath.Base(file), ".json"))
	}
	require.Equal(t, histories, found)
	names := &workflowNames{}
	workflows.Register(names)
	require.Len(t, histories, len(*names))
	for _, name := range *names {
		require.Contains(t, histories, name, "every workflow has recorded runs")
	}
}

// workflowNames are the names of the workflows that are registered with it.
type workflowNames []string

func (n *workflowNames) RegisterWorkflow(w any) {
	name := runtime.FuncForPC(reflect.ValueOf(w).Pointer()).Name()
	*n = append(*n, name[strings.LastIndex(name, ".")+1:])
}

func (n *workflowNames) RegisterWorkflowWithOptions(w any, _ workflow.RegisterOptions) {
	n.RegisterWorkflow(w)
}

// Every recorded run must replay: a change of a workflow's commands would break runs that are in progress.
func TestReplay(t *testing.T) {
	t.Parallel()
	for _, file := range recorded(t) {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, replay(t, read(t, file)))
		})
	}
}

// Every recorded run notices a change of its commands, wherever it is.
func TestReplayNoticesTimers(t *testing.T) {
	t.Parallel()
	for _, file := range recorded(t) {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			history := read(t, file)
			commands := 0
			for _, event := range history.Events {
				if event.EventType == enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED {
					commands++
				}
			}
			require.Positive(t, commands)
			for before := range commands {
				err := replay(t, history, &addedTimer{before: before})
				require.ErrorContains(t, err, "[TMPRL1100]", "a timer before activity %d", before+1)
			}
		})
	}
}

func read(t *testing.T, file string) *historypb.History {
	t.Helper()
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	history := &historypb.History{}
	require.NoError(t, protojson.Unmarshal(raw, history))
	return history
}

func replay(t *testing.T, history *historypb.History, interceptors ...interceptor.WorkerInterceptor) error {
	t.Helper()
	replayer, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{
		// The detection gives a workflow a second, in which a busy machine may not get to it.
		DisableDeadlockDetection: true,
		Interceptors:             interceptors,
	})
	require.NoError(t, err)
	workflows.Register(replayer)
	quiet := log.NewStructuredLogger(slog.New(slog.DiscardHandler))
	return replayer.ReplayWorkflowHistory(quiet, history)
}

// An addedTimer starts a timer before one of a workflow's activities.
type addedTimer struct {
	interceptor.WorkerInterceptorBase
	before int // index of the activity
}

func (a *addedTimer) InterceptWorkflow(
	_ workflow.Context, next interceptor.WorkflowInboundInterceptor,
) interceptor.WorkflowInboundInterceptor {
	in := &addedTimerInbound{before: a.before}
	in.Next = next
	return in
}

type addedTimerInbound struct {
	interceptor.WorkflowInboundInterceptorBase
	before int
}

func (a *addedTimerInbound) Init(next interceptor.WorkflowOutboundInterceptor) error {
	out := &addedTimerOutbound{before: a.before}
	out.Next = next
	return a.Next.Init(out)
}

type addedTimerOutbound struct {
	interceptor.WorkflowOutboundInterceptorBase
	before int
	called int
}

func (a *addedTimerOutbound) ExecuteActivity(ctx workflow.Context, name string, args ...any) workflow.Future {
	if a.called == a.before {
		workflow.NewTimer(ctx, timeLeft)
	}
	a.called++
	return a.Next.ExecuteActivity(ctx, name, args...)
}

// A real worker panics where two activities have one name; the test environment does not.
func TestRegistration(t *testing.T) {
	t.Parallel()
	lazy, err := client.NewLazyClient(client.Options{})
	require.NoError(t, err)
	defer lazy.Close()
	w := worker.New(lazy, "test", worker.Options{})
	require.NotPanics(t, func() {
		workflows.Register(w)
		activities.Register(w, allActivities())
	})
}
