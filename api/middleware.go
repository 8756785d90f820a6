package api

import (
	"cmp"
	"context"
	"encoding/json"
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
	"go.opentelemetry.io/otel/trace"

	"research/telemetry"
)

// requestIDHeader is set on every response. An id set by a proxy is kept.
const requestIDHeader = "X-Request-Id"

// validRequestID prevents clients from breaking the structure of logs.
var validRequestID = regexp.MustCompile(`^[A-Za-z0-9._-]{8,128}$`)

func requestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(requestIDHeader)
		if id == "" || !validRequestID.MatchString(id) {
			id = uuid.NewString()
		}
		w.Header().Set(requestIDHeader, id)
		next.ServeHTTP(w, r.WithContext(telemetry.WithRequestID(r.Context(), id)))
	})
}

// strictTransport keeps browsers on https for a year. It leaves out subdomains, which may belong to other
// services.
const strictTransport = "max-age=31536000"

// securityHeaders sets the default headers of responses: caches do not store them, since they belong to one
// person, and browsers do not sniff their type. With https, browsers use nothing else from then on.
func securityHeaders(https bool) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "no-store")
			w.Header().Set("X-Content-Type-Options", "nosniff")
			if https {
				w.Header().Set("Strict-Transport-Security", strictTransport)
			}
			next.ServeHTTP(w, r)
		})
	}
}

// recoverer answers 500 when a handler panics, instead of dropping the connection. The stack goes to the log.
func recoverer(log *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				panicked := recover()
				if panicked == nil {
					return
				}
				if panicked == http.ErrAbortHandler { //nolint:errorlint // net/http compares it like this as well
					panic(panicked)
				}
				log.ErrorContext(r.Context(), "handler panicked",
					"path", r.URL.Path, "panic", panicked, "stack", string(debug.Stack()))
				writeJSON(w, http.StatusInternalServerError, map[string]string{
					"error":   "internal",
					"message": "Something went wrong on our side. It is logged.",
				})
			}()
			next.ServeHTTP(w, r)
		})
	}
}

// observe logs and counts each request, and starts a span if traces are on. None of these contains the query,
// because filters may contain personal data.
func observe(t *telemetry.Telemetry, log *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			began := time.Now()
			ctx, span := t.StartRequest(r)
			defer span.End()
			if ctx != r.Context() {
				r = r.WithContext(ctx)
			}
			wrapped := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
			next.ServeHTTP(wrapped, r)
			took, status, route := time.Since(began), cmp.Or(wrapped.Status(), http.StatusOK), routeOf(r)
			t.Request(ctx, r.Method, route, status, took)
			if span.IsRecording() {
				describe(span, r.Method, route, status, telemetry.RequestID(ctx))
			}
			level := slog.LevelInfo
			if slices.Contains([]string{"/healthz", "/readyz", "/metrics"}, r.URL.Path) {
				level = slog.LevelDebug
			}
			log.Log(ctx, level, "request",
				"method", r.Method, "path", r.URL.Path, "route", route, "status", status,
				"bytes", wrapped.BytesWritten(), "duration_ms", took.Milliseconds())
		})
	}
}

// describe sets the name and the attributes of a request's span.
func describe(span trace.Span, method, route string, status int, id string) {
	span.SetName(method + " " + route)
	span.SetAttributes(
		attribute.String("http.request.method", method),
		attribute.String("http.route", route),
		attribute.Int("http.response.status_code", status),
		attribute.String("research.request_id", id),
	)
	if status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
}

// routeOf returns the pattern of the matched route. Unlike paths, patterns are few enough for a metric label.
func routeOf(r *http.Request) string {
	if route := chi.RouteContext(r.Context()); route != nil {
		return cmp.Or(route.RoutePattern(), "none")
	}
	return "none"
}

// closeConnections makes clients open new connections once stopping is closed, so that no request is sent on
// a connection that is being closed.
func closeConnections(stopping <-chan struct{}) func(http.Handler) http.Handler {
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

// timeout ends a request's context after d. Handlers then respond that the request took too long.
func timeout(d time.Duration) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), d)
			defer cancel()
			next.ServeHTTP(w, r.WithContext(ctx))
		})
	}
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client may have closed the connection
}
