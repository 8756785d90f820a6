// Package telemetry is what the programs tell operators of themselves: metrics that Prometheus scrapes, traces that go to an OpenTelemetry collector, and the ids that
// tie log lines to a request, a run and a trace.
//
// It holds counts, durations, ids and names of code, never what people wrote: no transcript, no prompt, no address, no value of a query. A program has one Telemetry; nothing is
// global.
package telemetry

import (
	"context"
	"errors"
	"fmt"
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
)

// Config says what is told to whom.
type Config struct {
	// Program is service.name of traces: "research-serve".
	Program string
	// Endpoint is OTEL_EXPORTER_OTLP_ENDPOINT, where traces go by OTLP over HTTP; empty: there are none.
	Endpoint string
	// Headers are OTEL_EXPORTER_OTLP_HEADERS: name=value, separated by commas.
	Headers string
	// Ratio is OTEL_TRACES_SAMPLER_ARG: of traces that are kept, 0 to 1.
	Ratio float64
}

// A Telemetry is one program's. It is safe for concurrent use; Shutdown ends it.
type Telemetry struct {
	*Metrics
	registry *prometheus.Registry
	meters   *sdkmetric.MeterProvider
	tracers  *sdktrace.TracerProvider // nil: no traces
}

// scope names the instruments that are ours.
const scope = "research"

// propagator carries a trace across HTTP and through Temporal, as W3C Trace Context; baggage, which clients could fill, stays outside.
var propagator = propagation.TraceContext{}

// New prepares metrics, and traces where there is an endpoint. It connects to nothing yet.
func New(ctx context.Context, c Config) (*Telemetry, error) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	exporter, err := otelprometheus.New(otelprometheus.WithRegisterer(registry), otelprometheus.WithoutScopeInfo(), otelprometheus.WithoutTargetInfo())
	if err != nil {
		return nil, fmt.Errorf("make the metrics exporter: %w", err)
	}
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(exporter), sdkmetric.WithView(temporalTimers))
	t := &Telemetry{registry: registry, meters: meters}
	if t.Metrics, err = newMetrics(meters.Meter(scope)); err != nil {
		return nil, err
	}
	if c.Endpoint == "" {
		return t, nil
	}
	headers, err := ParseHeaders(c.Headers)
	if err != nil {
		return nil, err
	}
	spans, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(c.Endpoint+"/v1/traces"), otlptracehttp.WithHeaders(headers))
	if err != nil {
		return nil, errors.New("make the trace exporter: OTEL_EXPORTER_OTLP_ENDPOINT cannot be used")
	}
	t.tracers = sdktrace.NewTracerProvider(sdktrace.WithBatcher(spans), sdktrace.WithSampler(sampler(c.Ratio)),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", c.Program))))
	return t, nil
}

// sampler decides by the trace's id, so that all programs keep the same traces. A client may say that its trace is not kept, but not that it is.
func sampler(ratio float64) sdktrace.Sampler {
	byID := sdktrace.TraceIDRatioBased(ratio)
	return sdktrace.ParentBased(byID, sdktrace.WithRemoteParentSampled(byID))
}

// ParseHeaders reads OTEL_EXPORTER_OTLP_HEADERS. Its error does not repeat them, since they hold keys.
func ParseHeaders(text string) (map[string]string, error) {
	headers := map[string]string{}
	for one := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(one) == "" {
			continue
		}
		name, value, ok := strings.Cut(one, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, errors.New("must be name=value, separated by commas")
		}
		headers[name] = strings.TrimSpace(value)
	}
	return headers, nil
}

// Handler answers a scrape in Prometheus' text format.
func (t *Telemetry) Handler() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError, EnableOpenMetrics: false})
}

// SQLTracers is TracerProvider for the database, and nil where traces are off: then statements are not even looked at.
func (t *Telemetry) SQLTracers() trace.TracerProvider {
	if t.tracers == nil {
		return nil
	}
	return t.tracers
}

// TracerProvider makes spans; where traces are off they are empty.
func (t *Telemetry) TracerProvider() trace.TracerProvider {
	if t.tracers == nil {
		return noop.NewTracerProvider()
	}
	return t.tracers
}

// StartRequest begins the span of an HTTP request, within the trace that its headers name. Where traces are off it changes nothing.
func (t *Telemetry) StartRequest(r *http.Request) (context.Context, trace.Span) {
	if t.tracers == nil {
		return r.Context(), trace.SpanFromContext(context.Background())
	}
	ctx := propagator.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	return t.tracers.Tracer(scope).Start(ctx, r.Method, trace.WithSpanKind(trace.SpanKindServer))
}

// Shutdown sends the spans that are still there and ends the collection of metrics.
func (t *Telemetry) Shutdown(ctx context.Context) error {
	err := t.meters.Shutdown(ctx)
	if t.tracers != nil {
		err = errors.Join(err, t.tracers.Shutdown(ctx))
	}
	return err
}

// temporalTimers gives the SDK's timers buckets in seconds: OpenTelemetry's own are for milliseconds.
func temporalTimers(i sdkmetric.Instrument) (sdkmetric.Stream, bool) {
	if i.Kind != sdkmetric.InstrumentKindHistogram || !strings.HasPrefix(i.Name, "temporal_") {
		return sdkmetric.Stream{}, false
	}
	return sdkmetric.Stream{Name: i.Name, Description: i.Description, Unit: i.Unit,
		Aggregation: sdkmetric.AggregationExplicitBucketHistogram{Boundaries: shortSeconds, NoMinMax: true}}, true
}

// Buckets of histograms.
var (
	// shortSeconds are of requests and calls: a person, or a caller, waits.
	shortSeconds = []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120}
	// longSeconds are of an import's states: up to PARSE_TIMEOUT and its queue.
	longSeconds = []float64{0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400}
)
