package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// preflight sends what a browser sends before a request from another origin.
func preflight(t *testing.T, handler http.Handler, method, path, headers string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodOptions, path, nil)
	r.Header.Set("Origin", "https://app.example")
	r.Header.Set("Access-Control-Request-Method", method)
	r.Header.Set("Access-Control-Request-Headers", headers)
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func TestPreflight(t *testing.T) {
	t.Parallel()
	handler := newHandler(t)

	t.Run("allows every header that a client asks for", func(t *testing.T) {
		t.Parallel()
		for _, headers := range []string{
			"apikey,authorization,content-type,x-client-info",
			"apikey,x-my-custom-header", // global.headers of supabase-js
			"baggage,traceparent,tracestate", "baggage,sentry-trace",
			"x-datadog-origin,x-datadog-parent-id,x-datadog-sampling-priority,x-datadog-trace-id",
			"cache-control,pragma", "if-none-match", "x-requested-with", "x-region", "x-upsert",
			"idempotency-key,last-event-id,prefer,range,range-unit,x-retry-count,x-supabase-api-version",
		} {
			for _, c := range []struct{ method, path string }{
				{"POST", "/auth/v1/token"}, {"PATCH", "/rest/v1/hypotheses"}, {"POST", "/api/import"},
				{"GET", "/api/events"}, {"GET", "/api/openapi.json"}, {"DELETE", "/api/account"},
				{"PUT", "/api/import/1/reading"}, {"GET", "/api/nothing"},
			} {
				w := preflight(t, handler, c.method, c.path, headers)
				require.Equal(t, 200, w.Code)
				require.Equal(t, "*", w.Header().Get("Access-Control-Allow-Origin"), c.path)
				require.Equal(t, c.method, w.Header().Get("Access-Control-Allow-Methods"))
				allowed := strings.ReplaceAll(w.Header().Get("Access-Control-Allow-Headers"), " ", "")
				require.Equal(t, headers, strings.ToLower(allowed), c.path)
				require.Empty(t, w.Header().Get("Access-Control-Allow-Credentials"))
			}
		}
	})

	t.Run("reflects tokens only, and not without bounds", func(t *testing.T) {
		t.Parallel()
		w := preflight(t, handler, "GET", "/rest/v1/", "x-a\r\nSet-Cookie: b=1, <script>")
		require.NotContains(t, w.Header().Get("Access-Control-Allow-Headers"), "<")
		require.NotContains(t, w.Header().Get("Access-Control-Allow-Headers"), "\n")
		require.Empty(t, w.Header().Get("Set-Cookie"))
		w = preflight(t, handler, "GET", "/rest/v1/", strings.Repeat("x-long,", 2000))
		require.Empty(t, w.Header().Get("Access-Control-Allow-Headers"))
	})

	t.Run("is not answered by the routes of operators", func(t *testing.T) {
		t.Parallel()
		for _, path := range []string{"/metrics", "/readyz", "/healthz", "/api/mail/events"} {
			w := preflight(t, handler, "GET", path, "authorization")
			require.Empty(t, w.Header().Get("Access-Control-Allow-Origin"), path)
		}
	})
}

func TestResponsesToOtherOrigins(t *testing.T) {
	t.Parallel()
	handler := newHandler(t)
	for _, c := range []struct{ method, path string }{
		{"GET", "/api/openapi.json"}, {"DELETE", "/api/openapi.json"}, {"GET", "/api/nothing"},
		{"GET", "/auth/v1/nothing"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), c.method, c.path, nil)
		r.Header.Set("Origin", "https://app.example")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		require.Equal(t, "*", w.Header().Get("Access-Control-Allow-Origin"), "%s %s", c.method, c.path)
		exposed := w.Header().Get("Access-Control-Expose-Headers")
		for _, name := range []string{"Retry-After", "X-Request-Id", "Content-Range", "Idempotent-Replayed"} {
			require.Contains(t, exposed, name)
		}
	}
}
