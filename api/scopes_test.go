package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/reference/contract"
	"research/api/token"
	"research/api/token/tokentest"
	"research/db/dbtest"
)

// withoutScope are the routes that take no tokens of users.
var withoutScope = map[string]bool{
	"/api/openapi.json": true, "/api/findings/shared": true, "/api/notifications/digest": true,
	"/api/notifications/unsubscribe": true, "/api/mail/events": true, "/api/account": true,
	"/api/account/export": true, // neither does the account, which says so
}

// asking are the scopes of the routes that have another one than that of their method. Any of them suffices.
var asking = map[string][]string{
	"POST /api/project/{projectId}/ask":    {token.ScopeAsk},
	"POST /api/answer/{answerId}/again":    {token.ScopeAsk},
	"POST /api/answer/{answerId}/cancel":   {token.ScopeAsk, token.ScopeWrite},
	"POST /api/answer/{answerId}/estimate": {token.ScopeAsk, token.ScopeWrite},

	"POST /api/project/{projectId}/themes/propose":  {token.ScopeAsk},
	"POST /api/project/{projectId}/themes/cancel":   {token.ScopeAsk, token.ScopeWrite},
	"POST /api/project/{projectId}/themes/estimate": {token.ScopeAsk, token.ScopeWrite},
}

func scopesOf(method, route string) []string {
	if scopes := asking[method+" "+route]; scopes != nil {
		return scopes
	}
	if method == http.MethodGet {
		return []string{token.ScopeRead}
	}
	return []string{token.ScopeWrite}
}

// A personal access token with one scope gets no further than to what the scope is for.
func TestEveryRouteNeedsAScope(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	tenant := d.Tenant(t)
	handler := newHandlerOf(t, d, tokentest.New(t, d.Store, token.KeysConfig{}))
	bearers := map[string]string{}
	for _, scope := range token.PersonalScopes() {
		bearers[scope] = tokentest.PersonalToken(t, d.Store, tenant.Owner, scope)
	}
	seen := 0
	require.NoError(t, chi.Walk(handler.(chi.Routes), func(method, route string, _ http.Handler,
		_ ...func(http.Handler) http.Handler) error {
		route = strings.TrimSuffix(strings.ReplaceAll(route, "/*/", "/"), "/")
		stream := strings.HasSuffix(route, "/events")
		if !strings.HasPrefix(route, "/api/") || withoutScope[route] || stream && method != http.MethodGet {
			return nil
		}
		path := parameter.ReplaceAllString(route, uuid.NewString()) + "?nonsense=1"
		for scope, bearer := range bearers {
			r := newRequest(t, method, path, "")
			r.Header.Set("apikey", tokentest.AnonKey)
			r.Header.Set("Authorization", "Bearer "+bearer)
			w, body := send(t, handler, r)
			contract.Check(t, contract.Exchange{
				Method: method, Path: path, Status: w.Code, Header: w.Header(), Body: w.Body.Bytes(),
			})
			needed := scopesOf(method, route)
			if strings.Contains(strings.Join(needed, " "), scope) {
				require.Equal(t, 400, w.Code, "%s %s with %s: the query is wrong", method, route, scope)
				continue
			}
			require.Equal(t, 403, w.Code, "%s %s with %s", method, route, scope)
			require.Equal(t, "insufficient_scope", body["error"])
			require.Contains(t, body["message"], needed[0])
			require.Equal(t, `Bearer error="insufficient_scope", scope="`+needed[0]+`"`,
				w.Header().Get("Www-Authenticate"))
		}
		seen++
		return nil
	}))
	require.Greater(t, seen, 15)
}

// Tokens are tried by strangers, so that those who do are told to wait.
func TestTokensThatDoNotExistAreLimited(t *testing.T) {
	t.Parallel()
	handler := newHandler(t)
	refused := 0
	require.Eventually(t, func() bool { // the limit refills meanwhile
		r := newRequest(t, http.MethodGet, "/api/import/"+uuid.NewString(), "")
		r.RemoteAddr = "192.0.2.7:4000"
		r.Header.Set("apikey", tokentest.AnonKey)
		r.Header.Set("Authorization",
			"Bearer rsp_"+strings.ReplaceAll(uuid.NewString(), "-", "")+"abcdefghijA")
		w, body := send(t, handler, r)
		if w.Code == 401 {
			require.Equal(t, "unauthorized", body["error"])
			refused++
			return false
		}
		require.Equal(t, 429, w.Code, w.Body)
		require.Equal(t, "too_many_requests", body["error"])
		require.NotEmpty(t, w.Header().Get("Retry-After"))
		return true
	}, time.Minute, time.Millisecond)
	require.GreaterOrEqual(t, refused, 60)
}
