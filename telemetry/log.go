package telemetry

import (
	"context"
	"io"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
	"go.temporal.io/sdk/activity"
)

type requestIDKey struct{}

// WithRequestID returns a context with the id of a request. Log lines with the context contain the id, and so
// do those of workflows and activities started with the context.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// RequestID returns the id of WithRequestID, or "".
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// Keys of log lines.
const (
	keyRequest  = "request_id"
	keyWorkflow = "workflow_id"
	keyRun      = "run_id"
	keyTrace    = "trace_id"
)

// sdkKeys maps the keys of Temporal's SDK to ours.
var sdkKeys = map[string]string{
	"WorkflowID":   keyWorkflow,
	"RunID":        keyRun,
	"WorkflowType": "workflow_type",
	"ActivityID":   "activity_id",
	"ActivityType": "activity_type",
	"Attempt":      "attempt",
	"Namespace":    "namespace",
	"TaskQueue":    "task_queue",
	"WorkerID":     "worker_id",
	"WorkerType":   "worker_type",
	"Error":        "error",
	"TraceID":      keyTrace,
	"SpanID":       "span_id",
}

// NewLog returns a logger that writes JSON lines with the ids of the request, the run and the trace of the
// context.
func NewLog(w io.Writer, level slog.Leveler) *slog.Logger {
	rename := func(groups []string, a slog.Attr) slog.Attr {
		if key, ok := sdkKeys[a.Key]; ok && len(groups) == 0 {
			a.Key = key
		}
		return a
	}
	return slog.New(idHandler{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: rename})})
}

// An idHandler adds the ids of the context to records that lack them.
type idHandler struct{ slog.Handler }

func (h idHandler) Handle(ctx context.Context, record slog.Record) error {
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

func (h idHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return idHandler{h.Handler.WithAttrs(attrs)}
}

func (h idHandler) WithGroup(name string) slog.Handler { return idHandler{h.Handler.WithGroup(name)} }
