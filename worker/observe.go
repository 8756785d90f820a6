package worker

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"

	"research/activities"
	"research/activities/extract"
	"research/db"
	"research/telemetry"
)

// An observedExtractor counts the questions to an extractor, and makes each a span.
type observedExtractor struct {
	extract.Extractor
	telemetry *telemetry.Telemetry
	log       *slog.Logger
}

// Ask asks.
func (o *observedExtractor) Ask(ctx context.Context, q extract.Question) (extract.Answer, error) {
	ctx, span := o.telemetry.TracerProvider().Tracer("research/worker").Start(ctx, "ask "+o.Name())
	defer span.End()
	began := time.Now()
	answer, err := o.Extractor.Ask(ctx, q)
	took, outcome, usage := time.Since(began), "answered", answer.Usage
	var failed *extract.Error
	switch {
	case errors.As(err, &failed):
		outcome, usage = string(failed.Kind), failed.Usage
	case err != nil:
		outcome = "canceled"
	}
	o.telemetry.ModelCall(ctx, outcome, 1, took, usage.InputTokens, usage.OutputTokens)
	span.SetAttributes(attribute.String("research.outcome", outcome), attribute.String("gen_ai.request.model", o.Model()),
		attribute.Int64("gen_ai.usage.input_tokens", usage.InputTokens), attribute.Int64("gen_ai.usage.output_tokens", usage.OutputTokens))
	level := slog.LevelDebug
	if err != nil {
		level = slog.LevelWarn
		span.SetStatus(codes.Error, outcome)
	}
	o.log.Log(ctx, level, "model call", "outcome", outcome, "duration_ms", took.Milliseconds(), "input_tokens", usage.InputTokens, "output_tokens", usage.OutputTokens)
	return answer, err
}

// An observer counts what activities did by what they return, so that they need not know who counts.
type observer struct {
	interceptor.WorkerInterceptorBase
	telemetry *telemetry.Telemetry
	store     *db.Store
}

// InterceptActivity implements interceptor.WorkerInterceptor.
func (o *observer) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &observedActivity{interceptor.ActivityInboundInterceptorBase{Next: next}, o}
}

type observedActivity struct {
	interceptor.ActivityInboundInterceptorBase
	*observer
}

// ExecuteActivity runs the activity and counts.
func (o *observedActivity) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	if info := activity.GetInfo(ctx); info.Attempt > 1 {
		o.telemetry.Retry(ctx, info.ActivityType.Name)
	}
	result, err := o.Next.ExecuteActivity(ctx, in)
	if err == nil && len(in.Args) == 1 {
		o.count(ctx, in.Args[0], result)
	}
	return result, err
}

func (o *observer) count(ctx context.Context, in, result any) {
	switch result := result.(type) {
	case activities.ExtractChunkResult:
		switch {
		case result.Unread > 0:
			o.telemetry.Chunk(ctx, "partial")
		case result.Calls == 0:
			o.telemetry.Chunk(ctx, "stored")
		default:
			o.telemetry.Chunk(ctx, "read")
		}
	case activities.SkipChunkResult:
		o.telemetry.Chunk(ctx, "skipped")
	case activities.ReconcilePageResult:
		o.telemetry.Reconciled(ctx, result.Repaired, result.Unknown)
	case activities.ParseEnd:
		queued, parsing := o.times(ctx, in)
		o.telemetry.ImportEnded(ctx, result.Status, result.Evidence, result.Rejected, queued, parsing)
	}
}

// times says how long an import was queued and parsing; negative where it is not known.
func (o *observer) times(ctx context.Context, in any) (queued, parsing time.Duration) {
	queued, parsing = -1, -1
	var id uuid.UUID
	switch in := in.(type) {
	case activities.FinishParseInput:
		id = in.ImportID
	case activities.FailImportInput:
		id = in.ImportID
	default:
		return queued, parsing
	}
	var row db.Import
	err := o.store.AsService(ctx, func(q *db.Queries) (err error) {
		row, err = q.GetImport(ctx, id)
		return err
	})
	if err != nil || row.QueuedAt == nil || row.FinishedAt == nil {
		return queued, parsing
	}
	if row.StartedAt == nil { // it never got a worker
		return row.FinishedAt.Sub(*row.QueuedAt), parsing
	}
	return row.StartedAt.Sub(*row.QueuedAt), row.FinishedAt.Sub(*row.StartedAt)
}
