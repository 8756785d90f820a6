package worker

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"

	"research/activities"
	"research/activities/extract"
	"research/config"
	"research/db"
	"research/outcome"
	"research/telemetry"
)

// An observedExtractor records the calls to an extractor, each with a span.
type observedExtractor struct {
	extract.Extractor
	telemetry *telemetry.Telemetry
	log       *slog.Logger
}

// Extract calls the extractor.
func (o *observedExtractor) Extract(
	ctx context.Context, r extract.Request,
) (response extract.Response, err error) {
	o.observe(ctx, "ask "+o.Name(), func(ctx context.Context) (extract.Usage, error) {
		response, err = o.Extractor.Extract(ctx, r)
		return response.Usage, err
	})
	return response, err
}

// speakers returns what asks the model who speaks, or nil if the extractor has no model.
func (o *observedExtractor) speakers() activities.SpeakerChecker {
	if checker, ok := o.Extractor.(activities.SpeakerChecker); ok {
		return &observedChecker{checker, o}
	}
	return nil
}

// An observedChecker records the calls about speakers.
type observedChecker struct {
	activities.SpeakerChecker
	extractor *observedExtractor
}

// AskSpeakers calls the model.
func (o *observedChecker) AskSpeakers(
	ctx context.Context, q extract.SpeakerQuestion,
) (answers extract.SpeakerAnswers, err error) {
	o.extractor.observe(ctx, "ask about speakers", func(ctx context.Context) (extract.Usage, error) {
		answers, err = o.SpeakerChecker.AskSpeakers(ctx, q)
		return answers.Usage, err
	})
	return answers, err
}

// answerer returns what asks the model about questions, or nil if the extractor has no model.
func (o *observedExtractor) answerer() extract.Answerer {
	if answerer, ok := o.Extractor.(extract.Answerer); ok {
		return &observedAnswerer{answerer, o}
	}
	return nil
}

// An observedAnswerer records the calls about questions.
type observedAnswerer struct {
	extract.Answerer
	extractor *observedExtractor
}

// Reword calls the model.
func (o *observedAnswerer) Reword(
	ctx context.Context, question string, names []string,
) (wordings extract.Rewordings, err error) {
	o.extractor.observe(ctx, "reword a question", func(ctx context.Context) (extract.Usage, error) {
		wordings, err = o.Answerer.Reword(ctx, question, names)
		return wordings.Usage, err
	})
	return wordings, err
}

// ReadForQuestion calls the model.
func (o *observedAnswerer) ReadForQuestion(
	ctx context.Context, r extract.Request,
) (response extract.Response, err error) {
	o.extractor.observe(ctx, "read for a question", func(ctx context.Context) (extract.Usage, error) {
		response, err = o.Answerer.ReadForQuestion(ctx, r)
		return response.Usage, err
	})
	return response, err
}

// Compose calls the model. An error of each is not recorded as one of the model.
func (o *observedAnswerer) Compose(
	ctx context.Context, r extract.ComposeRequest, each func(extract.AnswerLine) error,
) (used extract.Usage, err error) {
	o.extractor.observe(ctx, "compose an answer", func(ctx context.Context) (extract.Usage, error) {
		var stopped error
		used, err = o.Answerer.Compose(ctx, r, func(line extract.AnswerLine) error {
			stopped = each(line)
			return stopped
		})
		if stopped != nil {
			return used, nil
		}
		return used, err
	})
	return used, err
}

// themeFinder returns what asks the model about themes, or nil if the extractor has no model.
func (o *observedExtractor) themeFinder() extract.ThemeFinder {
	if finder, ok := o.Extractor.(extract.ThemeFinder); ok {
		return &observedFinder{finder, o}
	}
	return nil
}

// An observedFinder records the calls about themes.
type observedFinder struct {
	extract.ThemeFinder
	extractor *observedExtractor
}

// ReadOpen calls the model.
func (o *observedFinder) ReadOpen(
	ctx context.Context, r extract.OpenRequest,
) (response extract.Response, err error) {
	o.extractor.observe(ctx, "read for themes", func(ctx context.Context) (extract.Usage, error) {
		response, err = o.ThemeFinder.ReadOpen(ctx, r)
		return response.Usage, err
	})
	return response, err
}

// GroupLabels calls the model.
func (o *observedFinder) GroupLabels(
	ctx context.Context, r extract.GroupRequest,
) (groups extract.Groups, err error) {
	o.extractor.observe(ctx, "group labels", func(ctx context.Context) (extract.Usage, error) {
		groups, err = o.ThemeFinder.GroupLabels(ctx, r)
		return groups.Usage, err
	})
	return groups, err
}

// observe makes a call, and records it with a span of this name.
func (o *observedExtractor) observe(
	ctx context.Context, name string, call func(context.Context) (extract.Usage, error),
) {
	ctx, span := o.telemetry.TracerProvider().Tracer("research/worker").Start(ctx, name)
	defer span.End()
	began := time.Now()
	usage, err := call(ctx)
	took, result := time.Since(began), telemetry.OutcomeAnswered
	var failed *extract.Error
	switch {
	case errors.As(err, &failed):
		result, usage = string(failed.Code), failed.Usage
	case err != nil:
		result = string(outcome.CodeCanceled)
	}
	o.telemetry.ModelCall(ctx, result, took, usage.InputTokens, usage.OutputTokens)
	span.SetAttributes(
		attribute.String("research.outcome", result),
		attribute.String("gen_ai.request.model", o.Model()),
		attribute.Int64("gen_ai.usage.input_tokens", usage.InputTokens),
		attribute.Int64("gen_ai.usage.output_tokens", usage.OutputTokens),
	)
	level := slog.LevelDebug
	if err != nil {
		level = slog.LevelWarn
		span.SetStatus(codes.Error, result)
	}
	o.log.Log(ctx, level, "model call", "outcome", result, "duration_ms", took.Milliseconds(),
		"input_tokens", usage.InputTokens, "output_tokens", usage.OutputTokens,
		"cached_tokens", usage.CachedTokens, "reasoning_tokens", usage.ReasoningTokens)
}

// An observer records metrics from the results of activities, so that activities do not depend on telemetry.
type observer struct {
	interceptor.WorkerInterceptorBase
	telemetry *telemetry.Telemetry
}

// InterceptActivity implements interceptor.WorkerInterceptor.
func (o *observer) InterceptActivity(
	_ context.Context, next interceptor.ActivityInboundInterceptor,
) interceptor.ActivityInboundInterceptor {
	return &observedActivity{interceptor.ActivityInboundInterceptorBase{Next: next}, o}
}

type observedActivity struct {
	interceptor.ActivityInboundInterceptorBase
	*observer
}

// ExecuteActivity runs the activity and records its result.
func (o *observedActivity) ExecuteActivity(
	ctx context.Context, in *interceptor.ExecuteActivityInput,
) (any, error) {
	if info := activity.GetInfo(ctx); info.Attempt > 1 {
		o.telemetry.Retry(ctx, info.ActivityType.Name)
	}
	result, err := o.Next.ExecuteActivity(ctx, in)
	if err == nil {
		o.record(ctx, result)
	}
	return result, err
}

func (o *observer) record(ctx context.Context, result any) {
	switch end := result.(type) {
	case activities.ParseEnd:
		importEnded(ctx, o.telemetry, end)
	case activities.AnswerEnd:
		o.telemetry.AnswerEnded(ctx, end.Status, end.Result)
	case activities.ThemesEnd:
		o.telemetry.ThemesEnded(ctx, end.Status)
	}
}

func chunkOutcome(end activities.ChunkEnd) string {
	switch {
	case end.Unread > 0:
		return "partial"
	case !end.Called:
		return "stored"
	}
	return "read"
}

func importEnded(ctx context.Context, t *telemetry.Telemetry, end activities.ParseEnd) {
	t.ImportEnded(ctx, telemetry.ImportEnd{
		Status: end.Status, Evidence: end.Evidence, Rejected: end.Rejected,
		Queued: end.Queued, Parsing: end.Parsing,
	})
}

// NewReconciler returns the reconciler of a process: of a worker, and of serve, so that it works without
// workers.
func NewReconciler(
	cfg config.Config, store *db.Store, runs activities.Runs, t *telemetry.Telemetry, log *slog.Logger,
) (*activities.Reconciler, error) {
	return activities.NewReconciler(store, runs, activities.ReconcilerConfig{
		Interval:      cfg.Parse.ReconcileInterval,
		ParseTimeout:  cfg.Parse.Timeout,
		AnswerTimeout: cfg.Ask.Timeout,
		Looked:        t.ImportsPolled,
		Reconciled: func(ctx context.Context, page activities.ReconcilePageResult) {
			recordPage(ctx, t, page)
		},
	}, log)
}

func recordPage(ctx context.Context, t *telemetry.Telemetry, page activities.ReconcilePageResult) {
	t.Reconciled(ctx, page.Repaired, page.Unknown)
	for _, end := range page.Ended {
		importEnded(ctx, t, end)
	}
	for _, end := range page.EndedAnswers {
		t.AnswerEnded(ctx, end.Status, end.Result)
	}
	for _, end := range page.EndedThemes {
		t.ThemesEnded(ctx, end.Status)
	}
}
