package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// Who may ask what, over everything that is served. A route that is added belongs into this table.
func TestSurface(t *testing.T) {
	t.Parallel()
	s := startAPI(t)
	bearer := s.signIn(t, s.Viewer)
	const (
		anybody  = "anybody"        // no key at all
		public   = "the public key" // and nothing else
		users    = "users"          // the public key and an access token
		secret   = "the secret key" // which is also refused to browsers
		nobody   = "nobody here"    // a secret of its own
		loopback = "this machine"
	)
	id := uuid.NewString()
	for path, who := range map[string]string{
		"GET /": anybody, "GET /config.json": anybody, "GET /projects/x": anybody, "GET /healthz": anybody, "GET /readyz": anybody, "GET /metrics": loopback,
		"GET /auth/v1/.well-known/jwks.json": anybody, "GET /auth/v1/.well-known/openid-configuration": anybody, "GET /auth/v1/verify": anybody, "POST /auth/v1/verify": anybody,
		"POST /auth/v1/token": public, "POST /auth/v1/signup": public, "POST /auth/v1/recover": public, "POST /auth/v1/resend": public, "GET /auth/v1/health": public, "GET /auth/v1/settings": public,
		"GET /auth/v1/user": users, "PUT /auth/v1/user": users, "GET /auth/v1/sessions": users, "DELETE /auth/v1/sessions/" + id: users, "POST /auth/v1/logout?scope=nonsense": users,
		"POST /auth/v1/invite": secret, "GET /auth/v1/admin/users": secret, "POST /auth/v1/admin/users": secret, "GET /auth/v1/admin/users/" + id: secret, "PUT /auth/v1/admin/users/" + id: secret,
		"DELETE /auth/v1/admin/users/" + id: secret,
		"POST /api/import":                  users, "GET /api/import/" + id: users, "POST /api/import/" + id + "/parse": users, "POST /api/import/" + id + "/cancel": users,
		"POST /api/notifications/digest": nobody, "GET /api/notifications/unsubscribe": anybody, "POST /api/notifications/unsubscribe": anybody,
		"GET /rest/v1/": public, "GET /rest/v1/projects": public, "POST /rest/v1/rpc/nothing": public, "DELETE /rest/v1/projects?id=eq." + id: public,
	} {
		t.Run(path, func(t *testing.T) {
			method, target, _ := strings.Cut(path, " ")
			ask := func(headers ...string) int {
				r, err := http.NewRequestWithContext(t.Context(), method, s.cfg.HTTP.PublicURL+target, strings.NewReader(`{}`))
				require.NoError(t, err)
				r.Header.Set("Content-Type", "application/json")
				for i := 0; i < len(headers); i += 2 {
					r.Header.Set(headers[i], headers[i+1])
				}
				resp, err := http.DefaultClient.Do(r)
				require.NoError(t, err)
				require.NoError(t, resp.Body.Close())
				require.Less(t, resp.StatusCode, 500)
				require.Equal(t, "nosniff", resp.Header.Get("X-Content-Type-Options"))
				require.NotEmpty(t, resp.Header.Get("Cache-Control"))
				require.NotEmpty(t, resp.Header.Get("X-Request-Id"))
				require.Empty(t, resp.Header.Values("Set-Cookie"))
				require.Empty(t, resp.Header.Get("Access-Control-Allow-Credentials"))
				return resp.StatusCode
			}
			refused := func(status int) bool { return status == http.StatusUnauthorized || status == http.StatusForbidden }
			anon, token := []string{"apikey", s.cfg.Keys.Anon}, []string{"Authorization", "Bearer " + bearer}
			service, browser := []string{"apikey", s.cfg.Keys.Service}, []string{"Sec-Fetch-Site", "cross-site"}
			switch who {
			case loopback:
				require.False(t, refused(ask()))
				require.True(t, refused(ask("X-Forwarded-For", "192.0.2.1")))
				return
			case nobody:
				for _, shown := range [][]string{nil, anon, append(anon, token...), {"apikey", s.cfg.Keys.Service, "Authorization", "Bearer " + s.cfg.Keys.Service}, {"Authorization", s.cfg.Keys.CronSecret}} {
					require.Equal(t, http.StatusUnauthorized, ask(shown...))
				}
				require.Equal(t, http.StatusBadRequest, ask("Authorization", "Bearer "+s.cfg.Keys.CronSecret))
				return
			case anybody:
				if !strings.HasSuffix(target, "/verify") { // which finds no such link
					require.False(t, refused(ask()))
				}
				return
			}
			require.Equal(t, http.StatusUnauthorized, ask())
			require.Equal(t, http.StatusUnauthorized, ask("apikey", "nonsense"))
			require.Equal(t, http.StatusUnauthorized, ask(token...), "a token is no key")
			require.True(t, refused(ask(append(service, browser...)...)), "the secret key in a browser")
			require.True(t, refused(ask(append(anon, "Authorization", "Bearer a.b.c")...)) || who == public && strings.HasPrefix(target, "/auth/"), "a token that nobody signed")
			switch who {
			case public:
				require.False(t, refused(ask(append(anon, token...)...)))
			case users:
				require.True(t, refused(ask(anon...)))
				require.True(t, refused(ask(append(anon, "Authorization", "Bearer "+s.cfg.Keys.Anon)...)))
				require.False(t, refused(ask(append(anon, token...)...)))
			case secret:
				require.True(t, refused(ask(anon...)))
				require.True(t, refused(ask(append(anon, token...)...)))
				require.True(t, refused(ask(append(anon, "Authorization", "Bearer "+s.cfg.Keys.Service, "Origin", "https://x.example", "User-Agent", "Mozilla/5.0")...)))
				require.False(t, refused(ask(service...)))
			}
		})
	}
}
