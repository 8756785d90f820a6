package telemetry

import (
	"context"
	"io"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
	"go.temporal.io/sdk/activity"
)

type requestIDKey struct{}

// WithRequestID puts the id of the request that began all this into the context: its log lines have it, and so have those of the workflows and activities that it starts.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// RequestID is the id that WithRequestID put there, or empty.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// The keys of our log lines.
const (
	keyRequest  = "request_id"
	keyWorkflow = "workflow_id"
	keyRun      = "run_id"
	keyTrace    = "trace_id"
)

// sdkKeys are how Temporal's SDK names what we name otherwise.
var sdkKeys = map[string]string{
	"WorkflowID": keyWorkflow, "RunID": keyRun, "WorkflowType": "workflow_type", "ActivityID": "activity_id", "ActivityType": "activity_type", "Attempt": "attempt",
	"Namespace": "namespace", "TaskQueue": "task_queue", "WorkerID": "worker_id", "WorkerType": "worker_type", "Error": "error", "TraceID": keyTrace, "SpanID": "span_id",
}

// NewLog writes JSON, one line a fact, with the ids of the request, the run and the trace that a line belongs to.
func NewLog(w io.Writer, level slog.Leveler) *slog.Logger {
	rename := func(groups []string, a slog.Attr) slog.Attr {
		if ours, ok := sdkKeys[a.Key]; ok && len(groups) == 0 {
			a.Key = ours
		}
		return a
	}
	return slog.New(idLog{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: rename})})
}

// idLog adds the ids of the context to a line that lacks them.
type idLog struct{ slog.Handler }

func (h idLog) Handle(ctx context.Context, record slog.Record) error {
	has := map[string]bool{}
	record.Attrs(func(a slog.Attr) bool {
		has[a.Key] = true
		return true
	})
	add := func(key, value string) {
		if value != "" && !has[key] {
			record.AddAttrs(slog.String(key, value))
		}
	}
	add(keyRequest, RequestID(ctx))
	if activity.IsActivity(ctx) {
		info := activity.GetInfo(ctx)
		add(keyWorkflow, info.WorkflowExecution.ID)
		add(keyRun, info.WorkflowExecution.RunID)
	}
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		add(keyTrace, span.TraceID().String())
	}
	return h.Handler.Handle(ctx, record)
}

func (h idLog) WithAttrs(attrs []slog.Attr) slog.Handler { return idLog{h.Handler.WithAttrs(attrs)} }

func (h idLog) WithGroup(name string) slog.Handler { return idLog{h.Handler.WithGroup(name)} }
