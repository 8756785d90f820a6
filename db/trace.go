package db

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// tracerName is the instrumentation scope of our spans.
const tracerName = "research/db"

// A tracer records a span for each statement, named after the query. For an error it records only the
// SQLSTATE, since PostgreSQL's messages repeat values, which may be users' text.
type tracer struct{ spans trace.Tracer }

func newTracer(p trace.TracerProvider) *tracer { return &tracer{p.Tracer(tracerName)} }

// TraceQueryStart implements pgx.QueryTracer.
func (t *tracer) TraceQueryStart(
	ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData,
) context.Context {
	return startSQL(ctx, t.spans, queryName(data.SQL))
}

// TraceQueryEnd implements pgx.QueryTracer.
func (t *tracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	endSQL(ctx, data.Err)
}

// TraceCopyFromStart implements pgx.CopyFromTracer.
func (t *tracer) TraceCopyFromStart(
	ctx context.Context, _ *pgx.Conn, data pgx.TraceCopyFromStartData,
) context.Context {
	return startSQL(ctx, t.spans, "copy "+strings.Join(data.TableName, "."))
}

// TraceCopyFromEnd implements pgx.CopyFromTracer.
func (t *tracer) TraceCopyFromEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceCopyFromEndData) {
	endSQL(ctx, data.Err)
}

// startSQL starts the span of a statement. One outside of a request, such as the pool's own, must not start a
// trace.
func startSQL(ctx context.Context, t trace.Tracer, name string) context.Context {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return ctx
	}
	ctx, _ = t.Start(ctx, "sql "+name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("db.system.name", "postgresql"),
		attribute.String("db.query.summary", name),
	))
	return ctx
}

func endSQL(ctx context.Context, err error) {
	span := trace.SpanFromContext(ctx)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		state := "connection"
		var pg *pgconn.PgError
		if errors.As(err, &pg) {
			state = pg.Code
		}
		span.SetAttributes(attribute.String("db.response.status_code", state))
		span.SetStatus(codes.Error, state)
	}
	span.End()
}

// queryName returns the name in sqlc's comment, or the first word of the statement.
func queryName(sql string) string {
	if named, ok := strings.CutPrefix(sql, "-- name: "); ok {
		name, _, _ := strings.Cut(named, " ")
		return name
	}
	word, _, _ := strings.Cut(strings.TrimSpace(sql), " ")
	return strings.ToLower(word)
}
