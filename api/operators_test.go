package api

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"research/telemetry"
)

func TestOperatorsGetProfiles(t *testing.T) {
	t.Parallel()
	seen, err := telemetry.New(t.Context(), telemetry.Config{Program: "test"})
	require.NoError(t, err)
	handler := OperatorHandler(seen, http.NotFoundHandler())
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		return w
	}
	for _, path := range []string{"profile?seconds=1", "heap", "allocs", "goroutine"} {
		w := get("/debug/pprof/" + path)
		require.Equal(t, http.StatusOK, w.Code, path)
		require.Equal(t, "\x1f\x8b", w.Body.String()[:2], "%s is compressed, as `go tool pprof` reads it", path)
	}
	require.Equal(t, http.StatusNotFound, get("/debug/pprof/cmdline").Code, "arguments may contain secrets")
}

func TestMetricsOfDevelopmentAreForThisMachine(t *testing.T) {
	t.Parallel()
	const here = "127.0.0.1:4000"
	for name, c := range map[string]struct {
		peer, host, forwardedFor string
		status                   int
	}{
		"by an address":                        {peer: here, host: "127.0.0.1:8080", status: 200},
		"by IPv6":                              {peer: "[::1]:4000", host: "[::1]:8080", status: 200},
		"by IPv6, at the usual port":           {peer: "[::1]:4000", host: "[::1]", status: 200},
		"IPv4 through a socket of IPv6":        {peer: "[::ffff:127.0.0.1]:4000", host: "127.0.0.1", status: 200},
		"by localhost":                         {peer: here, host: "LocalHost:8080", status: 200},
		"a name that resolves here, rebinding": {peer: here, host: "rebound.example.com:8080", status: 401},
		"a name that begins like an address":   {peer: here, host: "127.0.0.1.example.com", status: 401},
		"a name that ends like ours":           {peer: here, host: "not.localhost.example:8080", status: 401},
		"no name":                              {peer: here, host: "", status: 401},
		"another machine":                      {peer: "192.0.2.7:4000", host: "127.0.0.1:8080", status: 401},
		"another machine, by localhost":        {peer: "[2001:db8::7]:4000", host: "localhost", status: 401},
		"through a proxy here": {
			peer: here, host: "localhost", forwardedFor: "192.0.2.7", status: 401,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
			r.RemoteAddr, r.Host = c.peer, c.host
			if c.forwardedFor != "" {
				r.Header.Set("X-Forwarded-For", c.forwardedFor)
			}
			require.Equal(t, c.status, metricsStatus("", true, r))
			require.Equal(t, http.StatusUnauthorized, metricsStatus("", false, r), "but for `research dev`")
		})
	}
}

func TestMetricsWithAToken(t *testing.T) {
	t.Parallel()
	const token = "of-sixteen-letters"
	for name, c := range map[string]struct {
		peer, authorization string
		status              int
	}{
		"without it, from this machine": {peer: "127.0.0.1:4000", status: 401},
		"with another one":              {peer: "127.0.0.1:4000", authorization: "Bearer another", status: 401},
		"with it, from anywhere":        {peer: "192.0.2.7:4000", authorization: "Bearer " + token, status: 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
			r.RemoteAddr, r.Host = c.peer, "localhost:8080"
			r.Header.Set("Authorization", c.authorization)
			require.Equal(t, c.status, metricsStatus(token, true, r))
		})
	}
}

// metricsStatus is the status of the answer to a request for /metrics.
func metricsStatus(token string, local bool, r *http.Request) int {
	metrics := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	w := httptest.NewRecorder()
	guardMetrics(token, local)(metrics).ServeHTTP(w, r)
	return w.Code
}

func TestBrowsersStayOnHTTPS(t *testing.T) {
	t.Parallel()
	header := func(https bool) string {
		answer := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		securityHeaders(https)(answer).ServeHTTP(w, r)
		return w.Header().Get("Strict-Transport-Security")
	}
	require.Equal(t, "max-age=31536000", header(true))
	require.Empty(t, header(false))
}
