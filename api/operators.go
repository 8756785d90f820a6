package api

import (
	"context"
	"crypto/subtle"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"research/telemetry"
)

// OperatorHandler serves METRICS_ADDR, which must not be reachable by clients. Profiles are at the paths that
// `go tool pprof` expects; they contain names of functions and no data.
func OperatorHandler(t *telemetry.Telemetry, ready http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", live)
	mux.Handle("GET /readyz", ready)
	mux.Handle("GET /metrics", t.Handler())
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	for _, name := range []string{"heap", "allocs", "goroutine"} {
		mux.Handle("GET /debug/pprof/"+name, pprof.Handler(name))
	}
	return mux
}

// live reports liveness. It checks no dependency, so that an outage of the database does not get the process
// killed.
func live(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// readyTimeout bounds each check of readiness.
const readyTimeout = 2 * time.Second

// Checks are the dependencies that a program needs to be ready, by name. A check returns nil if its
// dependency responds.
type Checks map[string]func(context.Context) error

// Ready reports readiness: 200 if every check passes, and 503 if one fails or stopping is closed. stopping
// may be nil.
func Ready(checks Checks, stopping <-chan struct{}, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isClosed(stopping) {
			writeJSON(w, http.StatusServiceUnavailable, map[string]string{"program": "stopping"})
			return
		}
		type result struct {
			name string
			err  error
		}
		results := make(chan result, len(checks))
		ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
		defer cancel()
		for name, check := range checks {
			go func() { results <- result{name, check(ctx)} }()
		}
		body, status := map[string]string{}, http.StatusOK
		for range checks {
			one := <-results
			body[one.name] = "ok"
			if one.err != nil {
				body[one.name], status = "unavailable", http.StatusServiceUnavailable
				log.WarnContext(r.Context(), "not ready", "dependency", one.name, "error", one.err)
			}
		}
		writeJSON(w, status, body)
	})
}

// guardMetrics hides the metrics from clients: a request must present METRICS_TOKEN. If the token is not set
// and local is, the request must come from this machine and not through a proxy. A proxy that adds no header
// is indistinguishable from a local program, so local is for development only.
func guardMetrics(token string, local bool) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !mayReadMetrics(r, token, local) {
				w.Header().Set("WWW-Authenticate", "Bearer")
				writeJSON(w, http.StatusUnauthorized, map[string]string{
					"error": "unauthorized",
					"message": "Metrics are for operators: present METRICS_TOKEN as a bearer token, or scrape " +
						"METRICS_ADDR.",
				})
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

func mayReadMetrics(r *http.Request, token string, local bool) bool {
	if token == "" {
		return local && fromThisMachine(r)
	}
	bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return subtle.ConstantTimeCompare([]byte(bearer), []byte(token)) == 1
}

// fromThisMachine reports whether a program on this machine sent the request. A web page can make a browser
// on this machine send requests to a name that resolves to a local address (DNS rebinding). The Host is then
// that name, so only an address or localhost is accepted.
func fromThisMachine(r *http.Request) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"} {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !peer.Addr().Unmap().IsLoopback() {
		return false
	}
	host := (&url.URL{Host: r.Host}).Hostname()
	_, err = netip.ParseAddr(host)
	return err == nil || strings.EqualFold(host, "localhost")
}
