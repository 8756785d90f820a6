package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"time"

	"research/api/token"
	"research/db"
)

// An upstream is a PostgREST that answers instead of us. API key, token and session are checked here first, and the refusal of writes without a filter and the bound on
// bodies hold; PostgREST checks the token again, so that it has to trust the same keys, and serves the same database.
type upstream struct {
	handler *Handler
	target  *url.URL
	proxy   *httputil.ReverseProxy
	client  *http.Client
}

// upstreamTimeout is for readiness, which asks often.
const upstreamTimeout = 2 * time.Second

func newUpstream(h *Handler, address string) (*upstream, error) {
	target, err := url.Parse(address)
	if err != nil || target.Host == "" {
		return nil, errors.New("rest: the upstream's address is no URL")
	}
	u := &upstream{handler: h, target: target, client: &http.Client{Timeout: upstreamTimeout}}
	u.proxy = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.URL.RawQuery = r.In.URL.RawQuery // as it came: the proxy drops pairs that hold a semicolon, and a DELETE would lose its filter
			r.SetXForwarded()
			r.Out.Header.Del("apikey") // it is ours, and has done its work
			// An API key in the token's place, as supabase-js sends it before sign-in, is no token for PostgREST: without one the request is anonymous.
			if !strings.Contains(r.In.Header.Get("Authorization"), ".") {
				r.Out.Header.Del("Authorization")
			}
		},
		ModifyResponse: func(resp *http.Response) error {
			for name := range resp.Header {
				if strings.HasPrefix(name, "Access-Control-") { // we say that, once
					resp.Header.Del(name)
				}
			}
			for _, name := range []string{"Location", "Content-Location"} {
				if at := resp.Header.Get(name); strings.HasPrefix(at, "/") {
					resp.Header.Set(name, h.cfg.Prefix+at)
				}
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			var tooLarge *http.MaxBytesError
			switch {
			case errors.As(err, &tooLarge):
				err = bodyTooLarge(h.cfg.MaxBodyBytes)
			case r.Context().Err() == nil:
				err = h.sqlError(fmt.Errorf("ask the upstream: %w: %w", err, db.ErrUnavailable), token.From(r.Context()))
			}
			h.WriteError(w, r, err)
		},
	}
	return u, nil
}

// answer passes a request on.
func (u *upstream) answer(w http.ResponseWriter, r *http.Request) error {
	q := &request{method: r.Method}
	// What our grammar does not understand is the upstream's to judge.
	if r.Method == http.MethodPatch || r.Method == http.MethodDelete {
		if err := q.readQuery(r.URL.RawQuery, false); err == nil {
			if err := u.handler.unfiltered(q); err != nil {
				return err
			}
		}
	}
	subject := token.From(r.Context())
	if subject.Role == db.RoleService && !strings.Contains(r.Header.Get("Authorization"), ".") {
		return failure(http.StatusForbidden, "PGRST301", "The secret API key is no token: sign one with the role service_role").
			with("A PostgREST upstream answers here, which knows tokens alone.", nil)
	}
	// A gateway would read it as another of the upstream's services, for which our checks were not made.
	if slices.Contains(strings.Split(r.URL.Path, "/"), "..") {
		return failure(http.StatusNotFound, "PGRST125", "Invalid path specified in request URL")
	}
	r.Body = http.MaxBytesReader(w, r.Body, u.handler.cfg.MaxBodyBytes)
	u.proxy.ServeHTTP(w, r)
	return nil
}

// ready tells whether the upstream answers.
func (u *upstream) ready(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, u.target.String(), nil)
	if err != nil {
		return err
	}
	resp, err := u.client.Do(req)
	if err != nil {
		return fmt.Errorf("ask the upstream: %w", err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode >= http.StatusInternalServerError {
		return fmt.Errorf("the upstream answers %d", resp.StatusCode)
	}
	return nil
}
