package telemetry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Metrics are the service's own numbers; docs/operations.md lists them. Those that count say 0 from the start, so that a first event is a rise.
type Metrics struct {
	meter metric.Meter

	requests        metric.Int64Counter
	requestSeconds  metric.Float64Histogram
	chunks          metric.Int64Counter
	modelCalls      metric.Int64Counter
	modelSeconds    metric.Float64Histogram
	tokens          metric.Int64Counter
	rejected        metric.Int64Counter
	evidence        metric.Int64Counter
	importsEnded    metric.Int64Counter
	stateSeconds    metric.Float64Histogram
	retries         metric.Int64Counter
	digests         metric.Int64Counter
	repairs         metric.Int64Counter
	unknown         metric.Int64Counter
	reconciliations metric.Int64Counter
}

// What is counted, by the values of a label; anything else would be a mistake in the code that counts.
var (
	// ImportEnds are the ends of an import.
	ImportEnds = []string{"parsed", "failed", "canceled", "terminated", "timed_out"}
	// ChunkOutcomes: read by a call; stored: all answers were there already; partial: parts could not be read; skipped: not read at all.
	ChunkOutcomes = []string{"read", "stored", "partial", "skipped"}
	// DigestOutcomes are the ends of a delivery.
	DigestOutcomes = []string{"sent", "skipped", "uncertain", "failed"}
)

func newMetrics(meter metric.Meter) (*Metrics, error) {
	m := &Metrics{meter: meter}
	var errs []error
	counter := func(name, what string) metric.Int64Counter {
		c, err := meter.Int64Counter(name, metric.WithDescription(what))
		errs = append(errs, err)
		return c
	}
	seconds := func(name, what string, buckets []float64) metric.Float64Histogram {
		h, err := meter.Float64Histogram(name, metric.WithDescription(what), metric.WithUnit("s"), metric.WithExplicitBucketBoundaries(buckets...))
		errs = append(errs, err)
		return h
	}
	m.requests = counter("research_http_requests", "HTTP requests that were answered.")
	m.requestSeconds = seconds("research_http_request_duration", "How long requests took.", shortSeconds)
	m.chunks = counter("research_chunks", "Chunks of transcripts that were finished.")
	m.modelCalls = counter("research_model_calls", "Questions to the extractor, by how they ended.")
	m.modelSeconds = seconds("research_model_call_duration", "How long questions to the extractor took.", shortSeconds)
	m.tokens = counter("research_model_tokens", "Tokens that the model counted.")
	m.rejected = counter("research_quotes_rejected", "Quotes that did not stand in the transcript.")
	m.evidence = counter("research_evidence_found", "Pieces of evidence of imports that ended.")
	m.importsEnded = counter("research_imports_ended", "Imports that ended, by the activity that wrote the end.")
	m.stateSeconds = seconds("research_import_state_duration", "How long imports that ended had been queued and parsing.", longSeconds)
	m.retries = counter("research_activity_retries", "Attempts of activities after the first.")
	m.digests = counter("research_digests", "Deliveries of digests, by how they ended.")
	m.repairs = counter("research_reconciler_repairs", "Imports that the reconciler put right.")
	m.unknown = counter("research_reconciler_unknown", "Imports of which the reconciler could not learn how they are; they stay open.")
	m.reconciliations = counter("research_reconciler_runs", "Pages of open imports that the reconciler compared; one at least a round.")
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("make the metrics: %w", err)
	}
	ctx := context.Background()
	for _, end := range ImportEnds {
		m.importsEnded.Add(ctx, 0, label("status", end))
	}
	for _, outcome := range ChunkOutcomes {
		m.chunks.Add(ctx, 0, label("outcome", outcome))
	}
	for _, outcome := range DigestOutcomes {
		m.digests.Add(ctx, 0, label("outcome", outcome))
	}
	m.ModelCall(ctx, "answered", 0, 0, 0, 0)
	m.rejected.Add(ctx, 0)
	m.evidence.Add(ctx, 0)
	m.repairs.Add(ctx, 0)
	m.unknown.Add(ctx, 0)
	m.reconciliations.Add(ctx, 0)
	m.retries.Add(ctx, 0, label("activity", "ExtractChunk"))
	return m, nil
}

func label(name, value string) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(attribute.String(name, value)))
}

// httpMethods are told apart; any other is one that a client made up.
var httpMethods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

// Request counts an answered request. The route is a pattern, not a path.
func (m *Metrics) Request(ctx context.Context, method, route string, status int, took time.Duration) {
	if !slices.Contains(httpMethods, method) {
		method = "other"
	}
	m.requests.Add(ctx, 1, metric.WithAttributeSet(attribute.NewSet(attribute.String("method", method), attribute.String("route", route), attribute.Int("status", status))))
	m.requestSeconds.Record(ctx, took.Seconds(), metric.WithAttributeSet(attribute.NewSet(attribute.String("method", method), attribute.String("route", route))))
}

// Chunk counts a chunk; the outcome is one of ChunkOutcomes.
func (m *Metrics) Chunk(ctx context.Context, outcome string) {
	m.chunks.Add(ctx, 1, label("outcome", outcome))
}

// ModelCall counts n questions that ended with the outcome "answered" or a kind of error.
func (m *Metrics) ModelCall(ctx context.Context, outcome string, n int64, took time.Duration, input, output int64) {
	m.modelCalls.Add(ctx, n, label("outcome", outcome))
	m.tokens.Add(ctx, input, label("direction", "input"))
	m.tokens.Add(ctx, output, label("direction", "output"))
	if n > 0 {
		m.modelSeconds.Record(ctx, took.Seconds())
	}
}

// ImportEnded counts an import's end, and how long it was in the states before; a state that it was never in is negative.
func (m *Metrics) ImportEnded(ctx context.Context, status string, evidence, rejected int, queued, parsing time.Duration) {
	m.importsEnded.Add(ctx, 1, label("status", status))
	m.evidence.Add(ctx, int64(evidence))
	m.rejected.Add(ctx, int64(rejected))
	for state, took := range map[string]time.Duration{"queued": queued, "parsing": parsing} {
		if took >= 0 {
			m.stateSeconds.Record(ctx, took.Seconds(), label("state", state))
		}
	}
}

// Retry counts an attempt of an activity after the first.
func (m *Metrics) Retry(ctx context.Context, activity string) {
	m.retries.Add(ctx, 1, label("activity", activity))
}

// Digests counts deliveries; the outcome is one of DigestOutcomes.
func (m *Metrics) Digests(ctx context.Context, outcome string, n int) {
	m.digests.Add(ctx, int64(n), label("outcome", outcome))
}

// Reconciled counts a page of open imports: those that were put right, and those that could not be judged.
func (m *Metrics) Reconciled(ctx context.Context, repaired, unknown int) {
	m.reconciliations.Add(ctx, 1)
	m.repairs.Add(ctx, int64(repaired))
	m.unknown.Add(ctx, int64(unknown))
}
