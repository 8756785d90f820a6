package api

import (
	"context"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"research/internal/outage"
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

// Timeouts of the checks of readiness. One that only degrades a program ends earlier, so that a probe with a
// timeout of two seconds gets its answer.
const (
	readyTimeout    = 2 * time.Second
	optionalTimeout = time.Second
)

// Checks are the dependencies of a program, by name. A check returns nil if its dependency responds.
type Checks map[string]func(context.Context) error

// Readiness is what a program needs to be ready. The zero value is always ready.
type Readiness struct {
	Needs    Checks          // without one of them, the program is not ready
	Uses     Checks          // without one of them, the program is degraded: ready, and parts of it fail
	Stopping <-chan struct{} // closed when the program stops; nil means never
	Log      *slog.Logger    // required if there are checks
}

// Values of "status" in the body of /readyz.
const (
	statusOK          = "ok"
	statusDegraded    = "degraded"
	statusUnavailable = "unavailable"
	statusStopping    = "stopping"
)

// Ready reports readiness: 503 if a check of Needs fails or the program is stopping, else 200. The body has
// the status of the program and of each dependency: "ok", "unavailable", or what the check says.
func Ready(r Readiness) http.Handler {
	failures := map[string]*outage.Log{}
	for _, checks := range []Checks{r.Needs, r.Uses} {
		for name := range checks {
			failures[name] = outage.New(r.Log.With("dependency", name), "dependency unavailable")
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if isClosed(r.Stopping) {
			writeJSON(w, http.StatusServiceUnavailable, map[string]string{"status": statusStopping})
			return
		}
		var needed, used map[string]error
		var checks sync.WaitGroup
		checks.Go(func() { needed = r.Needs.run(req.Context(), readyTimeout) })
		checks.Go(func() { used = r.Uses.run(req.Context(), optionalTimeout) })
		checks.Wait()
		body, code := map[string]string{"status": statusOK}, http.StatusOK
		report := func(results map[string]error, status string) {
			for name, err := range results {
				body[name] = statusOK
				if err != nil {
					body[name], body["status"] = stateOf(err), status
				}
				if req.Context().Err() == nil { // a probe that gave up says nothing about the dependency
					failures[name].Report(err)
				}
			}
		}
		report(used, statusDegraded)
		report(needed, statusUnavailable)
		if body["status"] == statusUnavailable {
			code = http.StatusServiceUnavailable
		}
		writeJSON(w, code, body)
	})
}

// stateOf names the state of a dependency whose check failed: by the method State of the error, or else
// unavailable.
func stateOf(err error) string {
	var named interface{ State() string }
	if errors.As(err, &named) {
		return named.State()
	}
	return statusUnavailable
}

// run runs the checks at the same time, and returns their errors by name.
func (c Checks) run(ctx context.Context, timeout time.Duration) map[string]error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var mu sync.Mutex
	var running sync.WaitGroup
	errs := make(map[string]error, len(c))
	for name, check := range c {
		running.Go(func() {
			err := check(ctx)
			mu.Lock()
			defer mu.Unlock()
			errs[name] = err
		})
	}
	running.Wait()
	return errs
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
