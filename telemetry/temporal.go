package telemetry

import (
	"context"
	"fmt"
	"strings"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/opentelemetry"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/workflow"
)

// temporalScope names the instruments of Temporal's SDK.
const temporalScope = "temporal-sdk-go"

// TemporalMetrics receives the metrics of Temporal's SDK, whose names begin with temporal_.
func (t *Telemetry) TemporalMetrics() client.MetricsHandler {
	return opentelemetry.NewMetricsHandler(opentelemetry.MetricsHandlerOptions{
		Meter:                t.meters.Meter(temporalScope),
		UseMonotonicCounters: true,
		// An instrument with an invalid name is omitted. By default, it would stop the worker.
		OnError: func(error) {},
	})
}

// temporalTimers gives the SDK's timers buckets in seconds. OpenTelemetry's default is for milliseconds.
func temporalTimers(i sdkmetric.Instrument) (sdkmetric.Stream, bool) {
	if i.Kind != sdkmetric.InstrumentKindHistogram || !strings.HasPrefix(i.Name, "temporal_") {
		return sdkmetric.Stream{}, false
	}
	return sdkmetric.Stream{
		Name: i.Name, Description: i.Description, Unit: i.Unit,
		Aggregation: sdkmetric.AggregationExplicitBucketHistogram{Boundaries: shortSeconds, NoMinMax: true},
	}, true
}

// TemporalInterceptors put workflows and activities into the trace of the request that started them, and its
// id into their log lines.
func (t *Telemetry) TemporalInterceptors() ([]interceptor.ClientInterceptor, error) {
	interceptors := []interceptor.ClientInterceptor{&logInterceptor{}}
	if t.tracers == nil {
		return interceptors, nil
	}
	tracing, err := opentelemetry.NewTracingInterceptor(opentelemetry.TracerOptions{
		Tracer: t.tracers.Tracer(temporalScope), TextMapPropagator: propagator,
		DisableBaggage: true, AllowInvalidParentSpans: true,
	})
	if err != nil {
		return nil, fmt.Errorf("create the tracing interceptor: %w", err)
	}
	return append(interceptors, tracing), nil
}

// TemporalPropagators carry the id of the request into workflows and activities.
func TemporalPropagators() []workflow.ContextPropagator {
	return []workflow.ContextPropagator{requestPropagator{}}
}

// requestHeader is the Temporal header with the id of the request. It is not encrypted.
const requestHeader = "request-id"

type requestPropagator struct{}

func (requestPropagator) Inject(ctx context.Context, w workflow.HeaderWriter) error {
	return writeRequestID(RequestID(ctx), w)
}

func (requestPropagator) InjectFromWorkflow(ctx workflow.Context, w workflow.HeaderWriter) error {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return writeRequestID(id, w)
}

func (requestPropagator) Extract(ctx context.Context, r workflow.HeaderReader) (context.Context, error) {
	if id := readRequestID(r); id != "" {
		ctx = WithRequestID(ctx, id)
	}
	return ctx, nil
}

func (requestPropagator) ExtractToWorkflow(
	ctx workflow.Context, r workflow.HeaderReader,
) (workflow.Context, error) {
	if id := readRequestID(r); id != "" {
		ctx = workflow.WithValue(ctx, requestIDKey{}, id)
	}
	return ctx, nil
}

func writeRequestID(id string, w workflow.HeaderWriter) error {
	if id == "" {
		return nil
	}
	payload, err := converter.GetDefaultDataConverter().ToPayload(id)
	if err == nil {
		w.Set(requestHeader, payload)
	}
	return err
}

// readRequestID ignores a header that cannot be decoded, because a run must not fail because of a log field.
func readRequestID(r workflow.HeaderReader) (id string) {
	if payload, ok := r.Get(requestHeader); ok {
		_ = converter.GetDefaultDataConverter().FromPayload(payload, &id)
	}
	return id
}

// A logInterceptor adds the id of the request to the loggers of workflows.
type logInterceptor struct{ interceptor.InterceptorBase }

func (*logInterceptor) InterceptWorkflow(
	_ workflow.Context, next interceptor.WorkflowInboundInterceptor,
) interceptor.WorkflowInboundInterceptor {
	return &logInbound{interceptor.WorkflowInboundInterceptorBase{Next: next}}
}

type logInbound struct {
	interceptor.WorkflowInboundInterceptorBase
}

func (i *logInbound) Init(next interceptor.WorkflowOutboundInterceptor) error {
	return i.Next.Init(&logOutbound{interceptor.WorkflowOutboundInterceptorBase{Next: next}})
}

type logOutbound struct {
	interceptor.WorkflowOutboundInterceptorBase
}

func (o *logOutbound) GetLogger(ctx workflow.Context) log.Logger {
	logger := o.Next.GetLogger(ctx)
	if id, _ := ctx.Value(requestIDKey{}).(string); id != "" {
		logger = log.With(logger, keyRequest, id)
	}
	return logger
}
