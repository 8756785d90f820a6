package telemetry

import (
	"context"
	"fmt"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/opentelemetry"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/workflow"
)

// TemporalMetrics are the SDK's own, as temporal_….
func (t *Telemetry) TemporalMetrics() client.MetricsHandler {
	return opentelemetry.NewMetricsHandler(opentelemetry.MetricsHandlerOptions{
		Meter: t.meters.Meter("temporal-sdk-go"), UseMonotonicCounters: true,
		OnError: func(error) {}, // an instrument that the SDK names badly is left out; it must not end a worker
	})
}

// TemporalInterceptors put runs and activities into the trace of the request that started them, and its id into their log lines.
func (t *Telemetry) TemporalInterceptors() ([]interceptor.ClientInterceptor, error) {
	all := []interceptor.ClientInterceptor{&requestLog{}}
	if t.tracers == nil {
		return all, nil
	}
	tracing, err := opentelemetry.NewTracingInterceptor(opentelemetry.TracerOptions{
		Tracer: t.tracers.Tracer("temporal-sdk-go"), TextMapPropagator: propagator, DisableBaggage: true, AllowInvalidParentSpans: true,
	})
	if err != nil {
		return nil, fmt.Errorf("prepare traces of workflows: %w", err)
	}
	return append(all, tracing), nil
}

// TemporalPropagators carry the request's id into workflows and activities.
func TemporalPropagators() []workflow.ContextPropagator {
	return []workflow.ContextPropagator{requestPropagator{}}
}

// requestHeader is the field of Temporal's headers. It holds an id alone, and is not encrypted.
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

func (requestPropagator) ExtractToWorkflow(ctx workflow.Context, r workflow.HeaderReader) (workflow.Context, error) {
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

// readRequestID: a header that cannot be read is as good as none; a log line must not stop a run.
func readRequestID(r workflow.HeaderReader) (id string) {
	if payload, ok := r.Get(requestHeader); ok {
		_ = converter.GetDefaultDataConverter().FromPayload(payload, &id)
	}
	return id
}

// requestLog gives the loggers of workflows and activities the request's id.
type requestLog struct{ interceptor.InterceptorBase }

func (*requestLog) InterceptWorkflow(_ workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	return &requestInbound{interceptor.WorkflowInboundInterceptorBase{Next: next}}
}

type requestInbound struct {
	interceptor.WorkflowInboundInterceptorBase
}

func (i *requestInbound) Init(next interceptor.WorkflowOutboundInterceptor) error {
	return i.Next.Init(&requestOutbound{interceptor.WorkflowOutboundInterceptorBase{Next: next}})
}

type requestOutbound struct {
	interceptor.WorkflowOutboundInterceptorBase
}

func (o *requestOutbound) GetLogger(ctx workflow.Context) log.Logger {
	logger := o.Next.GetLogger(ctx)
	if id, _ := ctx.Value(requestIDKey{}).(string); id != "" {
		logger = log.With(logger, keyRequest, id)
	}
	return logger
}
