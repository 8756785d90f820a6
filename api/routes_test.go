package api_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api"
	"research/api/answers"
	"research/api/auth"
	"research/api/events"
	"research/api/imports"
	"research/api/mcp"
	"research/api/notifications"
	"research/api/reference/contract"
	"research/api/rest"
	"research/api/themes"
	"research/api/token"
	"research/api/token/tokentest"
	"research/db/dbtest"
	"research/identity"
	"research/outcome"
	"research/telemetry"
	"research/temporalclient"
)

// noPreviews composes nothing.
type noPreviews struct{}

func (noPreviews) PreviewDigest(context.Context, uuid.UUID, string) (notifications.Preview, error) {
	return notifications.Preview{}, nil
}

// noEstimates estimates nothing.
type noEstimates struct{}

func (noEstimates) EstimateParse(context.Context, uuid.UUID, []uuid.UUID, bool) (imports.Estimate, error) {
	return imports.Estimate{}, nil
}

func (noEstimates) EstimateAnswer(
	context.Context, uuid.UUID, outcome.AnswerMode,
) (answers.Estimate, error) {
	return answers.Estimate{}, nil
}

func (noEstimates) EstimateThemes(context.Context, uuid.UUID) (themes.Estimate, error) {
	return themes.Estimate{}, nil
}

// noProofs proves nothing.
type noProofs struct{}

func (noProofs) ProveQuote(context.Context, uuid.UUID, mcp.Claim) (mcp.Proof, error) {
	return mcp.Proof{}, nil
}

// newHandler returns the handler of the whole service, with dependencies that answer no request.
func newHandler(t *testing.T) http.Handler {
	t.Helper()
	d := dbtest.New(t)
	return newHandlerOf(t, d, tokentest.New(t, d.Store, token.KeysConfig{}))
}

func newHandlerOf(t *testing.T, d *dbtest.DB, tokens *tokentest.Issuer) http.Handler {
	t.Helper()
	seen, err := telemetry.New(t.Context(), telemetry.Config{Program: "test"})
	require.NoError(t, err)
	handler, err := api.New(t.Context(), api.Config{
		Auth:   auth.Config{Identity: identity.Config{PublicURL: "https://research.example", BcryptCost: 4}},
		Events: events.Config{Streams: 1, UserStreams: 1}, AnonKey: tokentest.AnonKey, CronSecret: "cron",
		MailSecret: "relay",
	}, api.Deps{
		Identity: d.Store, Data: d.Store, Workflows: &temporalclient.Client{}, Keys: tokens.Keys,
		Authenticator: tokens.Authenticator, Rest: &rest.Handler{}, Previews: noPreviews{},
		Estimator: noEstimates{}, Prover: noProofs{},
		Log: slog.New(slog.DiscardHandler), Telemetry: seen, Ready: http.NotFoundHandler(),
	})
	require.NoError(t, err)
	return handler
}

func TestEveryRouteIsDocumentedAndEveryDocumentedRouteExists(t *testing.T) {
	t.Parallel()
	router, ok := newHandler(t).(chi.Routes)
	require.True(t, ok)

	methods := map[string][]string{}
	err := chi.Walk(router, func(method, route string, _ http.Handler,
		_ ...func(http.Handler) http.Handler) error {
		route = strings.TrimSuffix(strings.ReplaceAll(route, "/*/", "/"), "/")
		if strings.HasPrefix(route, "/api/") || strings.HasPrefix(route, "/auth/v1/") ||
			strings.HasPrefix(route, "/.well-known/") && !strings.HasSuffix(route, "/*") {
			methods[route] = append(methods[route], method)
		}
		return nil
	})
	require.NoError(t, err)
	var routes []string
	for route, of := range methods {
		if slices.Contains(of, http.MethodTrace) { // the handler rejects methods itself
			if strings.HasPrefix(route, "/auth/v1/") { // it says that GoTrue's route is not offered
				continue
			}
			of = []string{http.MethodGet} // a stream
		}
		for _, method := range of {
			routes = append(routes, method+" "+route)
		}
	}
	require.NotEmpty(t, routes)
	slices.Sort(routes)
	require.Equal(t, contract.Shared(t).Routes(), slices.Compact(routes))
}

func TestPathsBelowAPIThatDoNotExistAreAnsweredInJSON(t *testing.T) {
	t.Parallel()
	handler := newHandler(t)
	for _, c := range []struct{ method, path string }{
		{http.MethodGet, "/api"},
		{http.MethodGet, "/api/"},
		{http.MethodGet, "/api/imports"},
		{http.MethodPost, "/api/imports/1/parse"},
	} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), c.method, c.path, nil))
		require.Equal(t, http.StatusNotFound, w.Code, "%s %s", c.method, c.path)
		require.Equal(t, "application/json; charset=utf-8", w.Header().Get("Content-Type"), "%s %s", c.method,
			c.path)
		var body struct{ Error, Message string }
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &body), w.Body.String())
		require.Equal(t, "not_found", body.Error, "%s %s", c.method, c.path)
		require.NotEmpty(t, body.Message)
	}
}

// A brokenBody is a body that there is no memory for.
type brokenBody struct{}

func (brokenBody) Read([]byte) (int, error) { return 0, brokenBody{} }
func (brokenBody) Close() error             { return nil }
func (brokenBody) Error() string            { return "no memory" }
func (brokenBody) Unavailable() bool        { return true }

func TestBodiesWithoutMemoryAreAnsweredWith503(t *testing.T) {
	t.Parallel()
	handler := newHandler(t)
	for path, contentType := range map[string]string{
		"/auth/v1/signup":                    "application/json",
		"/auth/v1/token?grant_type=password": "application/json",
		"/auth/v1/verify":                    "application/x-www-form-urlencoded",
		"/api/mail/events":                   "application/json",
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, nil)
		r.Body = brokenBody{}
		r.Header.Set("apikey", tokentest.AnonKey)
		r.Header.Set("Content-Type", contentType)
		if path == "/api/mail/events" {
			r.Header.Set("Authorization", "Bearer relay")
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		require.Equal(t, http.StatusServiceUnavailable, w.Code, "%s: %s", path, w.Body)
		require.NotEmpty(t, w.Header().Get("Retry-After"), path)
	}
}
