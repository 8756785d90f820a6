package problem_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/api/problem"
	"research/db"
)

// answer sends a request to a handler that returns err, and returns the answer and what was logged.
func answer(
	t *testing.T, ctx context.Context, edge problem.Edge, err error,
) (*httptest.ResponseRecorder, string) {
	t.Helper()
	var logged bytes.Buffer
	edge.Log = slog.New(slog.NewTextHandler(&logged, nil))
	recorder := httptest.NewRecorder()
	handler := edge.Handle(func(http.ResponseWriter, *http.Request) error { return err })
	handler(recorder, httptest.NewRequestWithContext(ctx, http.MethodGet, "/path", nil))
	return recorder, logged.String()
}

// A narrow error is that of a token without a scope.
type narrow struct{}

func (narrow) Error() string       { return "narrow" }
func (narrow) NeededScope() string { return "a:write" }

// A guessed error is that of a token that was not looked up.
type guessed struct{}

func (guessed) Error() string                { return "guessed" }
func (guessed) UnknownTokens() time.Duration { return 7 * time.Second }

func TestEdge(t *testing.T) {
	t.Parallel()
	edge := problem.Edge{Format: problem.FormatAPI}

	t.Run("answers with the error's status, headers and body", func(t *testing.T) {
		t.Parallel()
		got, logged := answer(t, t.Context(), edge, fmt.Errorf("wrapped: %w", &problem.Error{
			Status: http.StatusTooManyRequests, Code: "busy", Message: "Try again.",
			RetryAfter: 1500 * time.Millisecond,
			Header:     http.Header{"Www-Authenticate": {"Bearer"}}, Cause: errors.New("secret"),
		}))
		require.Equal(t, http.StatusTooManyRequests, got.Code)
		require.Equal(t, "2", got.Header().Get("Retry-After"))
		require.Equal(t, "Bearer", got.Header().Get("WWW-Authenticate"))
		require.Equal(t, "no-store", got.Header().Get("Cache-Control"))
		require.JSONEq(t, `{"error": "busy", "message": "Try again."}`, got.Body.String())
		require.Empty(t, logged)
	})

	t.Run("names the scope that a token lacks, in words and for programs", func(t *testing.T) {
		t.Parallel()
		got, logged := answer(t, t.Context(), edge, fmt.Errorf("wrapped: %w", narrow{}))
		require.Equal(t, http.StatusForbidden, got.Code)
		require.Equal(t, `Bearer error="insufficient_scope", scope="a:write"`, got.Header().Get("WWW-Authenticate"))
		require.JSONEq(t, `{"error": "insufficient_scope",
			"message": "This token does not have the scope a:write, which this request needs."}`, got.Body.String())
		require.Empty(t, logged)
	})

	t.Run("lets networks wait that try tokens", func(t *testing.T) {
		t.Parallel()
		got, _ := answer(t, t.Context(), edge, fmt.Errorf("wrapped: %w", guessed{}))
		require.Equal(t, http.StatusTooManyRequests, got.Code)
		require.Equal(t, "7", got.Header().Get("Retry-After"))
		require.Contains(t, got.Body.String(), "too_many_requests")
	})

	t.Run("names the field to blame", func(t *testing.T) {
		t.Parallel()
		got, _ := answer(t, t.Context(), edge, problem.Invalid("title", "title is too long."))
		require.Equal(t, http.StatusBadRequest, got.Code)
		require.JSONEq(t, `{"error": "invalid_request", "message": "title is too long.",
			"details": {"title": "title is too long."}}`, got.Body.String())
	})

	t.Run("sends the body as it is, with its length", func(t *testing.T) {
		t.Parallel()
		err := &problem.Error{Status: http.StatusNotFound, Code: "c", Message: "a < b & c"}
		got, _ := answer(t, t.Context(), edge, err)
		require.Equal(t, `{"error":"c","message":"a < b & c"}`, got.Body.String())
		require.Equal(t, "35", got.Header().Get("Content-Length"))
	})

	t.Run("logs the cause of an internal error and does not send it", func(t *testing.T) {
		t.Parallel()
		got, logged := answer(t, t.Context(), edge, errors.New("select secret from table"))
		require.Equal(t, http.StatusInternalServerError, got.Code)
		require.NotContains(t, got.Body.String(), "secret")
		require.Contains(t, logged, "select secret from table")
	})

	t.Run("asks the edge before the table of transient errors", func(t *testing.T) {
		t.Parallel()
		translating := edge
		translating.Translations = []problem.Translation{
			problem.Is(db.ErrDenied, &problem.Error{Status: http.StatusForbidden, Code: "forbidden"}),
			problem.Is(db.ErrUnavailable, &problem.Error{Status: http.StatusTeapot, Code: "teapot"}),
			problem.As(func(*http.MaxBytesError) *problem.Error {
				return &problem.Error{Status: http.StatusRequestEntityTooLarge, Code: "too_large"}
			}),
		}
		for err, status := range map[error]int{
			fmt.Errorf("load: %w", db.ErrUnavailable):         http.StatusTeapot,
			fmt.Errorf("read: %w", &http.MaxBytesError{}):     http.StatusRequestEntityTooLarge,
			fmt.Errorf("another: %w", errors.New("no match")): http.StatusInternalServerError,
		} {
			got, _ := answer(t, t.Context(), translating, err)
			require.Equal(t, status, got.Code, err)
		}
	})
}

func TestTransientErrors(t *testing.T) {
	t.Parallel()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	expired, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	cancel()
	for name, tt := range map[string]struct {
		ctx        context.Context
		err        error
		status     int
		code       string
		retryAfter string
	}{
		"a dependency that cannot be reached": {
			t.Context(), fmt.Errorf("load: %w", db.ErrUnavailable), http.StatusServiceUnavailable, "unavailable", "5",
		},
		"a client that closed the connection": {canceled, context.Canceled, 499, "canceled", ""},
		"a request that took too long": {expired, context.Canceled, http.StatusGatewayTimeout, "timeout",
			"5"},
		"a dependency that took too long": {
			t.Context(), context.DeadlineExceeded, http.StatusGatewayTimeout, "timeout", "5",
		},
		"work that was cancelled although the client still waits": {
			t.Context(), context.Canceled, http.StatusInternalServerError, "internal", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := answer(t, tt.ctx, problem.Edge{Format: problem.FormatAPI}, tt.err)
			require.Equal(t, tt.status, got.Code)
			require.Equal(t, tt.retryAfter, got.Header().Get("Retry-After"))
			require.Contains(t, got.Body.String(), `"error":"`+tt.code+`"`)
		})
	}
}

func TestUnauthorized(t *testing.T) {
	t.Parallel()
	got, _ := answer(t, t.Context(), problem.Edge{Format: problem.FormatAPI},
		problem.Unauthorized(errors.New("the access token has expired")))
	require.Equal(t, http.StatusUnauthorized, got.Code)
	require.Equal(t, "Bearer", got.Header().Get("WWW-Authenticate"))
	require.JSONEq(t, `{"error": "unauthorized", "message": "The access token has expired."}`, got.Body.String())
}

func TestReadJSON(t *testing.T) {
	t.Parallel()
	read := func(body string) (value struct{ Name string }, err error) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/path", strings.NewReader(body))
		err = problem.ReadJSON(httptest.NewRecorder(), r, 1<<10, &value)
		return value, err
	}
	value, err := read(`{"name": "Ann"} ` + "\n")
	require.NoError(t, err)
	require.Equal(t, "Ann", value.Name)
	_, err = read("")
	require.ErrorIs(t, err, io.EOF)
	for _, body := range []string{"{", "[]", `{"other": 1}`, `{"name": "Ann"} {}`, `{"name": "Ann"} x`} {
		_, err = read(body)
		require.Error(t, err, body)
		require.NotErrorIs(t, err, io.EOF, body)
	}
	for _, body := range []string{
		`{"name": "` + strings.Repeat("x", 2000) + `"}`, `{"name": "Ann"}` + strings.Repeat(" ", 2000),
	} {
		_, err = read(body)
		var tooLarge *problem.Error
		require.ErrorAs(t, err, &tooLarge)
		require.Equal(t, http.StatusRequestEntityTooLarge, tooLarge.Status)
		require.Equal(t, "The body is larger than 1 KB.", tooLarge.Message)
	}
}
