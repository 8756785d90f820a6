package api

import (
	"context"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/google/uuid"
)

// requestIDHeader goes out with every answer; one that a proxy set comes in.
const requestIDHeader = "X-Request-Id"

type requestIDKey struct{}

// goodRequestID keeps what clients send out of our logs' structure.
var goodRequestID = regexp.MustCompile(`^[A-Za-z0-9._-]{8,128}$`)

func requestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(requestIDHeader)
		if !goodRequestID.MatchString(id) {
			id = uuid.NewString()
		}
		w.Header().Set(requestIDHeader, id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id)))
	})
}

// WithRequestID is a log handler that adds the request's id to every line of a request.
func WithRequestID(next slog.Handler) slog.Handler { return requestIDLog{next} }

type requestIDLog struct{ slog.Handler }

func (h requestIDLog) Handle(ctx context.Context, record slog.Record) error {
	if id, ok := ctx.Value(requestIDKey{}).(string); ok {
		record.AddAttrs(slog.String("request_id", id))
	}
	return h.Handler.Handle(ctx, record)
}

func (h requestIDLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return requestIDLog{h.Handler.WithAttrs(attrs)}
}

func (h requestIDLog) WithGroup(name string) slog.Handler {
	return requestIDLog{h.Handler.WithGroup(name)}
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

// accessLog writes a line a request, without its query: filters can hold what people typed.
func accessLog(log *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			began := time.Now()
			wrapped := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
			next.ServeHTTP(wrapped, r)
			level := slog.LevelInfo
			if r.URL.Path == "/healthz" || r.URL.Path == "/readyz" {
				level = slog.LevelDebug
			}
			route := r.URL.Path
			if pattern := chi.RouteContext(r.Context()); pattern != nil && pattern.RoutePattern() != "" {
				route = pattern.RoutePattern()
			}
			log.Log(r.Context(), level, "request", "method", r.Method, "path", r.URL.Path, "route", route, "status", wrapped.Status(),
				"bytes", wrapped.BytesWritten(), "duration_ms", time.Since(began).Milliseconds())
		})
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
