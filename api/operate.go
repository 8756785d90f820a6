package api

import (
	"context"
	"crypto/subtle"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"research/telemetry"
)

// Operate is the handler of METRICS_ADDR: what operators' programs ask, on an address that no client reaches.
func Operate(t *telemetry.Telemetry, ready http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", Live)
	mux.Handle("GET /readyz", ready)
	mux.Handle("GET /metrics", t.Handler())
	return mux
}

// Live is liveness: it depends on nothing, so that a database that is away does not get the process killed.
func Live(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// readyTimeout bounds each check of readiness.
const readyTimeout = 2 * time.Second

// Ready is readiness: every dependency answers, and the program is not about to stop.
func Ready(checks map[string]func(context.Context) error, stopping <-chan struct{}, log *slog.Logger) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
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
	}
}

// guardMetrics keeps the metrics from clients: they show METRICS_TOKEN, or, where there is none, ask from this machine, by its address and not through a proxy.
func guardMetrics(token string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			switch {
			case token == "" && fromHere(r):
			case token != "" && subtle.ConstantTimeCompare([]byte(bearer), []byte(token)) == 1:
			default:
				w.Header().Set("WWW-Authenticate", "Bearer")
				writeJSON(w, http.StatusUnauthorized, map[string]string{"error": "unauthorized",
					"message": "Metrics are for operators: show METRICS_TOKEN as a bearer token, or scrape METRICS_ADDR."})
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// fromHere tells whether a program on this machine asks. A page in a browser here can have its own name lead to this address (DNS rebinding); its Host then is that name,
// as no name but localhost is ours for sure.
func fromHere(r *http.Request) bool {
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
