// Package telemetry provides metrics for Prometheus, traces for an OpenTelemetry collector, and log lines
// with the ids of their request, run and trace.
//
// It records counts, durations, ids and names of code, but never a transcript, a prompt, an address or a
// query parameter. A program has one Telemetry; nothing is global.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"research/internal/outage"
)

// Config configures tracing. The zero value means no traces.
type Config struct {
	// Program is the service.name of traces, such as "research-serve".
	Program string
	// Endpoint is OTEL_EXPORTER_OTLP_ENDPOINT, which receives traces by OTLP over HTTP. Empty means no traces.
	Endpoint string
	// Headers are OTEL_EXPORTER_OTLP_HEADERS: name=value, separated by commas.
	Headers string
	// Ratio is OTEL_TRACES_SAMPLER_ARG: the fraction of traces that is kept, from 0 to 1.
	Ratio float64
	// Log is told when traces cannot be sent. It is required with an Endpoint.
	Log *slog.Logger
}

// A Telemetry belongs to one program. It is safe for concurrent use. Shutdown ends it.
type Telemetry struct {
	*Metrics
	registry *prometheus.Registry
	meters   *sdkmetric.MeterProvider
	tracers  *sdktrace.TracerProvider // nil means no traces
}

// scope names our instruments.
const scope = "research"

// propagator carries traces across HTTP and through Temporal, as W3C Trace Context. Baggage, which clients
// could fill, is not propagated.
var propagator = propagation.TraceContext{}

// New prepares metrics, and traces if there is an endpoint. It does not connect yet.
func New(ctx context.Context, c Config) (*Telemetry, error) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	exporter, err := otelprometheus.New(
		otelprometheus.WithRegisterer(registry),
		otelprometheus.WithoutScopeInfo(),
		otelprometheus.WithoutTargetInfo(),
	)
	if err != nil {
		return nil, fmt.Errorf("create the metrics exporter: %w", err)
	}
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(exporter), sdkmetric.WithView(temporalTimers))
	t := &Telemetry{registry: registry, meters: meters}
	if t.Metrics, err = newMetrics(meters.Meter(scope)); err != nil {
		return nil, err
	}
	if c.Endpoint == "" {
		return t, nil
	}
	if t.tracers, err = newTracers(ctx, c); err != nil {
		return nil, err
	}
	return t, nil
}

func newTracers(ctx context.Context, c Config) (*sdktrace.TracerProvider, error) {
	headers, err := ParseHeaders(c.Headers)
	if err != nil {
		return nil, err
	}
	spans, err := otlptracehttp.New(ctx,
		otlptracehttp.WithEndpointURL(c.Endpoint+"/v1/traces"), otlptracehttp.WithHeaders(headers))
	if err != nil {
		return nil, errors.New("create the trace exporter: OTEL_EXPORTER_OTLP_ENDPOINT cannot be used")
	}
	return sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(&loggedExporter{spans, outage.New(c.Log, "traces not sent")}),
		sdktrace.WithSampler(sampler(c.Ratio)),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", c.Program))),
	), nil
}

// A loggedExporter logs an outage of the collector. OpenTelemetry would report each batch.
type loggedExporter struct {
	sdktrace.SpanExporter
	failures *outage.Log
}

// ExportSpans implements sdktrace.SpanExporter. It returns no error, since the log has it.
func (e *loggedExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	e.failures.Report(e.SpanExporter.ExportSpans(ctx, spans))
	return nil
}

// sampler decides by the trace id, so that all programs keep the same traces. A client can prevent its trace
// from being kept, but cannot force it to be kept.
func sampler(ratio float64) sdktrace.Sampler {
	byID := sdktrace.TraceIDRatioBased(ratio)
	return sdktrace.ParentBased(byID, sdktrace.WithRemoteParentSampled(byID))
}

// ParseHeaders parses OTEL_EXPORTER_OTLP_HEADERS. Its error does not repeat them, because they contain keys.
func ParseHeaders(text string) (map[string]string, error) {
	headers := map[string]string{}
	for header := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(header) == "" {
			continue
		}
		name, value, ok := strings.Cut(header, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, errors.New("must be name=value, separated by commas")
		}
		headers[name] = strings.TrimSpace(value)
	}
	return headers, nil
}

// Handler answers scrapes in Prometheus' text format.
func (t *Telemetry) Handler() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// SQLTracers is TracerProvider for the database. It is nil if traces are off, so that statements are not
// inspected.
func (t *Telemetry) SQLTracers() trace.TracerProvider {
	if t.tracers == nil {
		return nil
	}
	return t.tracers
}

// TracerProvider returns the provider of spans. If traces are off, its spans do nothing.
func (t *Telemetry) TracerProvider() trace.TracerProvider {
	if t.tracers == nil {
		return noop.NewTracerProvider()
	}
	return t.tracers
}

// StartRequest starts the span of an HTTP request, in the trace that the request's headers name. If traces
// are off, it has no effect.
func (t *Telemetry) StartRequest(r *http.Request) (context.Context, trace.Span) {
	if t.tracers == nil {
		return r.Context(), trace.SpanFromContext(context.Background())
	}
	ctx := propagator.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	return t.tracers.Tracer(scope).Start(ctx, r.Method, trace.WithSpanKind(trace.SpanKindServer))
}

// Shutdown sends the remaining spans and stops the metrics.
func (t *Telemetry) Shutdown(ctx context.Context) error {
	err := t.meters.Shutdown(ctx)
	if t.tracers != nil {
		err = errors.Join(err, t.tracers.Shutdown(ctx))
	}
	return err
}
