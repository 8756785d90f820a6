package api

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"slices"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/google/uuid"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"

	"research/telemetry"
)

// requestIDHeader goes out with every answer; one that a proxy set comes in.
const requestIDHeader = "X-Request-Id"

// goodRequestID keeps what clients send out of our logs' structure.
var goodRequestID = regexp.MustCompile(`^[A-Za-z0-9._-]{8,128}$`)

func requestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(requestIDHeader)
		if !goodRequestID.MatchString(id) {
			id = uuid.NewString()
		}
		w.Header().Set(requestIDHeader, id)
		next.ServeHTTP(w, r.WithContext(telemetry.WithRequestID(r.Context(), id)))
	})
}

// careful sets what every answer should say unless its handler says otherwise: nobody keeps it, since it is one person's, and nobody guesses its type.
func careful(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}

// recoverer answers 500 instead of dropping the connection; the stack goes to the log.
func recoverer(log *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				problem := recover()
				if problem == nil {
					return
				}
				if problem == http.ErrAbortHandler { //nolint:errorlint // the server's own sentinel, which must go on
					panic(problem)
				}
				log.ErrorContext(r.Context(), "handler panicked", "path", r.URL.Path, "panic", problem, "stack", string(debug.Stack()))
				writeJSON(w, http.StatusInternalServerError, map[string]string{"error": "internal", "message": "Something went wrong on our side. It is logged."})
			}()
			next.ServeHTTP(w, r)
		})
	}
}

// observe writes a line a request, counts it, and makes it a span where traces are on. None of them has its query: filters can hold what people typed.
func observe(t *telemetry.Telemetry, log *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			began := time.Now()
			ctx, span := t.StartRequest(r)
			defer span.End()
			r = r.WithContext(ctx)
			wrapped := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
			next.ServeHTTP(wrapped, r)
			took, status, route := time.Since(began), cmp.Or(wrapped.Status(), http.StatusOK), routeOf(r)
			t.Request(ctx, r.Method, route, status, took)
			span.SetName(r.Method + " " + route)
			span.SetAttributes(attribute.String("http.request.method", r.Method), attribute.String("http.route", route), attribute.Int("http.response.status_code", status),
				attribute.String("research.request_id", telemetry.RequestID(ctx)))
			if status >= http.StatusInternalServerError {
				span.SetStatus(codes.Error, "")
			}
			level := slog.LevelInfo
			if slices.Contains([]string{"/healthz", "/readyz", "/metrics"}, r.URL.Path) {
				level = slog.LevelDebug
			}
			log.Log(ctx, level, "request", "method", r.Method, "path", r.URL.Path, "route", route, "status", status,
				"bytes", wrapped.BytesWritten(), "duration_ms", took.Milliseconds())
		})
	}
}

// routeOf is the pattern of the mounts that answered: a short list, unlike paths.
func routeOf(r *http.Request) string {
	if found := chi.RouteContext(r.Context()); found != nil {
		return cmp.Or(found.RoutePattern(), "none")
	}
	return "none"
}

// drain tells clients to come back by another connection while the server is about to stop, so that none of their requests meets a connection that is just being
// closed.
func drain(stopping <-chan struct{}) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if isClosed(stopping) {
				w.Header().Set("Connection", "close")
			}
			next.ServeHTTP(w, r)
		})
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// timeout ends a request's context; handlers answer by it.
func timeout(d time.Duration) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), d)
			defer cancel()
			next.ServeHTTP(w, r.WithContext(ctx))
		})
	}
}
