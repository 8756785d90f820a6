package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/token"
	"research/api/token/tokentest"
	"research/db"
	"research/db/dbtest"
)

// anyParameter are the routes of /api that ignore parameters, with the reason.
var anyParameter = map[string]string{
	"/api/openapi.json":              "a file, which clients fetch with a parameter to get round caches",
	"/api/notifications/unsubscribe": "a link in mails, to which programs that count clicks add parameters",
}

func TestEveryRouteRejectsUnknownParameters(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	tenant := d.Tenant(t)
	tokens := tokentest.New(t, d.Store, token.KeysConfig{})
	handler := newHandlerOf(t, d, tokens)
	session := dbtest.Value[uuid.UUID](t, d, "insert into auth.sessions (user_id) values ($1) returning id",
		tenant.Owner)
	bearer := tokens.Sign(t, jwt.MapClaims{
		"sub": tenant.Owner.String(), "role": db.RoleAuthenticated, "session_id": session.String(),
	})
	secrets := map[string]string{"/api/notifications/digest": "cron", "/api/mail/events": "relay"}
	seen := 0
	require.NoError(t, chi.Walk(handler.(chi.Routes), func(method, route string, _ http.Handler,
		_ ...func(http.Handler) http.Handler) error {
		route = strings.TrimSuffix(strings.ReplaceAll(route, "/*/", "/"), "/")
		if !strings.HasPrefix(route, "/api/") || anyParameter[route] != "" {
			return nil
		}
		if strings.HasSuffix(route, "/events") && method != http.MethodGet && route != "/api/mail/events" {
			return nil // a handler that rejects other methods itself
		}
		path := parameter.ReplaceAllString(route, uuid.NewString())
		request := func(query, authorization string) *http.Request {
			r := newRequest(t, method, path+query, "")
			r.Header.Set("apikey", tokentest.AnonKey)
			r.Header.Set("Authorization", authorization)
			return r
		}
		authorization := "Bearer " + bearer
		if secret := secrets[route]; secret != "" {
			authorization = "Bearer " + secret
		}
		for query, name := range map[string]string{
			"?nonsense=1": "nonsense", "?dryRun=true": "dryRun", "?x": "x", "?a=%zz": "query", "?a;b": "query",
		} {
			w, body := send(t, handler, request(query, authorization))
			require.Equal(t, 400, w.Code, "%s %s%s: %s", method, route, query, w.Body)
			require.Equal(t, "invalid_request", body["error"])
			require.Contains(t, body["details"], name, "%s %s%s", method, route, query)
		}
		if route != "/api/findings/shared" { // which needs no key
			w, _ := send(t, handler, request("?nonsense=1", "Bearer of nothing"))
			require.Equal(t, 401, w.Code, "%s %s: who asks is checked first", method, route)
		}
		seen++
		return nil
	}))
	require.Greater(t, seen, 15)
}

func TestParametersThatAreAlmostRight(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	tenant := d.Tenant(t)
	tokens := tokentest.New(t, d.Store, token.KeysConfig{})
	handler := newHandlerOf(t, d, tokens)
	for query, want := range map[string]string{
		"?dryRun=true": "dryRun is not a parameter of this request; dry_run is.",
		"?dry-run=1":   "dry-run is not a parameter of this request; dry_run is.",
		"?dry_runn=1":  "dry_runn is not a parameter of this request; dry_run is.",
		"?preview=1":   "preview is not a parameter of this request. It has: dry_run.",
		"?dry_run":     "dry_run must be given once, as true or false.",
		"?dry_run=":    "dry_run must be given once, as true or false.",
		"?dry_run=yes": "dry_run must be given once, as true or false.",

		"?dry_run=true&dry_run=false": "dry_run must be given once, as true or false.",
	} {
		r := newRequest(t, http.MethodPost, "/api/import"+query, "")
		r.Header.Set("apikey", tokentest.AnonKey)
		r.Header.Set("Authorization", "Bearer "+tokens.AccessToken(t, tenant.Owner))
		w, body := send(t, handler, r)
		require.Equal(t, 400, w.Code, query)
		require.Equal(t, want, body["message"], query)
	}
	require.Zero(t, dbtest.Value[int](t, d, "select count(*)::int from imports"))
}
