package telemetry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"research/outcome"
)

// Metrics are the service's own metrics; docs/operations.md lists them. Counters start at 0, so that the
// first event is visible as an increase.
type Metrics struct {
	meter metric.Meter

	requests        metric.Int64Counter
	requestSeconds  metric.Float64Histogram
	toolCalls       metric.Int64Counter
	toolSeconds     metric.Float64Histogram
	chunks          metric.Int64Counter
	modelCalls      metric.Int64Counter
	repeatedCalls   metric.Int64Counter
	modelSeconds    metric.Float64Histogram
	tokens          metric.Int64Counter
	rejected        metric.Int64Counter
	evidence        metric.Int64Counter
	importsEnded    metric.Int64Counter
	answersEnded    metric.Int64Counter
	themesEnded     metric.Int64Counter
	stateSeconds    metric.Float64Histogram
	retries         metric.Int64Counter
	digests         metric.Int64Counter
	repairs         metric.Int64Counter
	unknown         metric.Int64Counter
	reconciliations metric.Int64Counter
	importPolls     metric.Int64Counter
	wrongNamespace  metric.Int64Gauge
}

// Values of the label outcome.
var (
	// ChunkOutcomes: read by a call; stored: every response was already stored; partial: ranges could not be
	// read.
	ChunkOutcomes = []string{"read", "stored", "partial"}
	// DigestOutcomes are the final statuses of a delivery.
	DigestOutcomes = []string{"sent", "skipped", "uncertain", "failed"}
)

// OutcomeAnswered is the outcome of a model call that succeeded. Other outcomes are codes of package outcome.
const OutcomeAnswered = "answered"

// Buckets of histograms, in seconds.
var (
	// shortSeconds are for requests and calls.
	shortSeconds = []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120}
	// longSeconds are for the statuses of an import: up to PARSE_TIMEOUT and the queue before it.
	longSeconds = []float64{0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400}
)

func newMetrics(meter metric.Meter) (*Metrics, error) {
	m := &Metrics{meter: meter}
	var errs []error
	counter := func(name, help string) metric.Int64Counter {
		c, err := meter.Int64Counter(name, metric.WithDescription(help))
		errs = append(errs, err)
		return c
	}
	seconds := func(name, help string, buckets []float64) metric.Float64Histogram {
		h, err := meter.Float64Histogram(name, metric.WithDescription(help), metric.WithUnit("s"),
			metric.WithExplicitBucketBoundaries(buckets...))
		errs = append(errs, err)
		return h
	}
	m.requests = counter("research_http_requests", "HTTP requests answered.")
	m.requestSeconds = seconds("research_http_request_duration", "Duration of HTTP requests.", shortSeconds)
	m.toolCalls = counter("research_tool_calls", "Calls of tools by assistants, by outcome.")
	m.toolSeconds = seconds("research_tool_call_duration", "Duration of calls of tools by assistants.",
		shortSeconds)
	m.chunks = counter("research_chunks", "Chunks of transcripts finished, by outcome.")
	m.modelCalls = counter("research_model_calls", "Calls to the extractor, by outcome.")
	m.repeatedCalls = counter("research_model_calls_repeated",
		"Calls to the extractor whose response another call had stored: they were paid for twice.")
	m.modelSeconds = seconds("research_model_call_duration", "Duration of calls to the extractor.", shortSeconds)
	m.tokens = counter("research_model_tokens", "Tokens used, as counted by the model.")
	m.rejected = counter("research_quotes_rejected", "Quotes that the transcript does not contain.")
	m.evidence = counter("research_evidence_found", "Pieces of evidence of imports that ended.")
	m.importsEnded = counter("research_imports_ended", "Imports ended, by status.")
	m.answersEnded = counter("research_answers_ended", "Answers ended, by status and result.")
	m.themesEnded = counter("research_theme_runs_ended", "Runs that propose themes ended, by status.")
	m.stateSeconds = seconds("research_import_state_duration",
		"Time that imports spent queued and parsing, recorded when they end.", longSeconds)
	m.retries = counter("research_activity_retries", "Attempts of activities after the first.")
	m.digests = counter("research_digests", "Digest deliveries ended, by outcome.")
	m.repairs = counter("research_reconciler_repairs", "Imports that the reconciler ended or started.")
	m.unknown = counter("research_reconciler_unknown",
		"Imports whose state could not be determined by the reconciler; they stay open.")
	m.reconciliations = counter("research_reconciler_runs",
		"Pages of open imports compared by the reconciler.")
	m.importPolls = counter("research_reconciler_polls",
		"Polls of the database for open imports without a recent heartbeat.")
	wrongNamespace, err := meter.Int64Gauge("research_temporal_wrong_namespace", metric.WithDescription(
		"1 if the namespace of Temporal does not belong to the database: nothing is started or ended."))
	m.wrongNamespace = wrongNamespace
	errs = append(errs, err)
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("create the metrics: %w", err)
	}
	m.startAtZero(context.Background())
	return m, nil
}

func (m *Metrics) startAtZero(ctx context.Context) {
	for _, status := range outcome.Statuses {
		if status.Ended() {
			m.importsEnded.Add(ctx, 0, label("status", string(status)))
		}
	}
	for _, status := range outcome.AnswerStatuses {
		if status.Unsuccessful() {
			m.addAnswers(ctx, 0, status, "")
		}
	}
	for _, result := range append([]outcome.AnswerResult{""}, outcome.AnswerResults...) {
		m.addAnswers(ctx, 0, outcome.AnswerAnswered, result)
	}
	for _, status := range outcome.ThemeRunStatuses {
		if status != outcome.ThemesQueued && status != outcome.ThemesReading {
			m.themesEnded.Add(ctx, 0, label("status", string(status)))
		}
	}
	for _, value := range ChunkOutcomes {
		m.chunks.Add(ctx, 0, label("outcome", value))
	}
	for _, value := range DigestOutcomes {
		m.digests.Add(ctx, 0, label("outcome", value))
	}
	m.modelCalls.Add(ctx, 0, label("outcome", OutcomeAnswered))
	m.repeatedCalls.Add(ctx, 0)
	m.addTokens(ctx, 0, 0)
	m.rejected.Add(ctx, 0)
	m.evidence.Add(ctx, 0)
	m.repairs.Add(ctx, 0)
	m.unknown.Add(ctx, 0)
	m.reconciliations.Add(ctx, 0)
	m.importPolls.Add(ctx, 0)
	m.wrongNamespace.Record(ctx, 0)
	m.retries.Add(ctx, 0, label("activity", "ReadChunk"))
}

func label(name, value string) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(attribute.String(name, value)))
}

// httpMethods are the values of the label method. Clients may invent others, which count as "other".
var httpMethods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

// Request records an answered request. The route is a pattern, not a path.
func (m *Metrics) Request(ctx context.Context, method, route string, status int, took time.Duration) {
	if !slices.Contains(httpMethods, method) {
		method = "other"
	}
	list := []attribute.KeyValue{attribute.String("method", method), attribute.String("route", route)}
	m.requestSeconds.Record(ctx, took.Seconds(), metric.WithAttributes(list...))
	list = append(list, attribute.Int("status", status))
	m.requests.Add(ctx, 1, metric.WithAttributes(list...))
}

// ToolCalled records a call of a tool by an assistant. The outcome is ok, or the code of an error.
func (m *Metrics) ToolCalled(ctx context.Context, tool, outcome string, took time.Duration) {
	name := attribute.String("tool", tool)
	m.toolCalls.Add(ctx, 1, metric.WithAttributes(name, attribute.String("outcome", outcome)))
	m.toolSeconds.Record(ctx, took.Seconds(), metric.WithAttributes(name))
}

// Chunk records a finished chunk. The outcome is one of ChunkOutcomes.
func (m *Metrics) Chunk(ctx context.Context, outcome string) {
	m.chunks.Add(ctx, 1, label("outcome", outcome))
}

// ModelCall records a call to the extractor. The outcome is OutcomeAnswered or an outcome.Code.
func (m *Metrics) ModelCall(
	ctx context.Context, outcome string, took time.Duration, inputTokens, outputTokens int64,
) {
	m.modelCalls.Add(ctx, 1, label("outcome", outcome))
	m.modelSeconds.Record(ctx, took.Seconds())
	m.addTokens(ctx, inputTokens, outputTokens)
}

// CallRepeated records a call whose response another call had stored.
func (m *Metrics) CallRepeated(ctx context.Context) { m.repeatedCalls.Add(ctx, 1) }

func (m *Metrics) addTokens(ctx context.Context, input, output int64) {
	m.tokens.Add(ctx, input, label("direction", "input"))
	m.tokens.Add(ctx, output, label("direction", "output"))
}

// An ImportEnd is the end of an import. A duration of 0 means that the import was never in that state.
type ImportEnd struct {
	Status   outcome.Status
	Evidence int
	Rejected int
	Queued   time.Duration
	Parsing  time.Duration
}

// ImportEnded records the end of an import.
func (m *Metrics) ImportEnded(ctx context.Context, end ImportEnd) {
	m.importsEnded.Add(ctx, 1, label("status", string(end.Status)))
	m.evidence.Add(ctx, int64(end.Evidence))
	m.rejected.Add(ctx, int64(end.Rejected))
	if end.Queued > 0 {
		m.stateSeconds.Record(ctx, end.Queued.Seconds(), label("state", string(outcome.StatusQueued)))
	}
	if end.Parsing > 0 {
		m.stateSeconds.Record(ctx, end.Parsing.Seconds(), label("state", string(outcome.StatusParsing)))
	}
}

// AnswerEnded records the end of an answer. Passages, and answers that failed, have no result.
func (m *Metrics) AnswerEnded(
	ctx context.Context, status outcome.AnswerStatus, result outcome.AnswerResult,
) {
	m.addAnswers(ctx, 1, status, result)
}

func (m *Metrics) addAnswers(
	ctx context.Context, n int64, status outcome.AnswerStatus, result outcome.AnswerResult,
) {
	m.answersEnded.Add(ctx, n, metric.WithAttributes(
		attribute.String("status", string(status)), attribute.String("result", string(result))))
}

// ThemesEnded records the end of a run that proposes themes.
func (m *Metrics) ThemesEnded(ctx context.Context, status outcome.ThemeRunStatus) {
	m.themesEnded.Add(ctx, 1, label("status", string(status)))
}

// Retry records an attempt of an activity after the first.
func (m *Metrics) Retry(ctx context.Context, activity string) {
	m.retries.Add(ctx, 1, label("activity", activity))
}

// Digests records ended deliveries. The outcome is one of DigestOutcomes.
func (m *Metrics) Digests(ctx context.Context, outcome string, n int) {
	m.digests.Add(ctx, int64(n), label("outcome", outcome))
}

// Reconciled records a page of open imports: how many were repaired, and of how many the state could not be
// determined.
func (m *Metrics) Reconciled(ctx context.Context, repaired, unknown int) {
	m.reconciliations.Add(ctx, 1)
	m.repairs.Add(ctx, int64(repaired))
	m.unknown.Add(ctx, int64(unknown))
}

// ImportsPolled records a poll of the database for open imports without a recent heartbeat.
func (m *Metrics) ImportsPolled(ctx context.Context) { m.importPolls.Add(ctx, 1) }

// WrongNamespace records whether the namespace of Temporal belongs to another database.
func (m *Metrics) WrongNamespace(ctx context.Context, isWrong bool) {
	value := int64(0)
	if isWrong {
		value = 1
	}
	m.wrongNamespace.Record(ctx, value)
}
