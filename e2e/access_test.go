package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// What a route requires.
const (
	nothing          = "nothing"
	anonKeyOnly      = "the anon key"
	signedIn         = "the anon key and a user's access token"
	serviceOnly      = "the service key, outside of browsers"
	cronOnly         = "the cron secret"
	relayOnly        = "the secret of mail events"
	metricsTokenOnly = "the token of the metrics"
	appOnly          = "an access token of an app"
)

// access lists every route of the service with what it requires. A new route belongs in this list.
func access() map[string]string {
	id := uuid.NewString()
	return map[string]string{
		"GET /":            nothing,
		"GET /config.json": nothing,
		"GET /projects/x":  nothing,
		"GET /healthz":     nothing,
		"GET /readyz":      nothing,
		"GET /metrics":     metricsTokenOnly,

		"GET /auth/v1/.well-known/jwks.json":            nothing,
		"GET /auth/v1/.well-known/openid-configuration": nothing,
		"GET /auth/v1/verify":                           nothing,
		"POST /auth/v1/verify":                          nothing,
		"GET /auth/v1/authorize":                        nothing,
		"GET /auth/v1/callback":                         nothing,
		"POST /auth/v1/callback":                        nothing,
		"GET /auth/v1/user/identities/authorize":        signedIn,
		"DELETE /auth/v1/user/identities/" + id:         signedIn,
		"GET /auth/v1/undo":                             nothing,
		"POST /auth/v1/undo":                            nothing,
		"POST /auth/v1/token":                           anonKeyOnly,
		"POST /auth/v1/signup":                          anonKeyOnly,
		"POST /auth/v1/recover":                         anonKeyOnly,
		"POST /auth/v1/resend":                          anonKeyOnly,
		"GET /auth/v1/health":                           anonKeyOnly,
		"GET /auth/v1/settings":                         anonKeyOnly,
		"GET /auth/v1/user":                             signedIn,
		"PUT /auth/v1/user":                             signedIn,
		"GET /auth/v1/reauthenticate":                   signedIn,
		"POST /auth/v1/reauthenticate":                  signedIn,
		"GET /auth/v1/sessions":                         signedIn,
		"DELETE /auth/v1/sessions/" + id:                signedIn,
		"GET /auth/v1/tokens":                           signedIn,
		"POST /auth/v1/tokens":                          signedIn,
		"DELETE /auth/v1/tokens/" + id:                  signedIn,
		"POST /auth/v1/logout?scope=nonsense":           signedIn,
		"POST /auth/v1/invite":                          serviceOnly,
		"GET /auth/v1/admin/users":                      serviceOnly,
		"POST /auth/v1/admin/users":                     serviceOnly,
		"GET /auth/v1/admin/users/" + id:                serviceOnly,
		"PUT /auth/v1/admin/users/" + id:                serviceOnly,
		"DELETE /auth/v1/admin/users/" + id:             serviceOnly,

		"GET /.well-known/oauth-authorization-server":         nothing,
		"GET /.well-known/oauth-authorization-server/auth/v1": nothing,
		"GET /.well-known/openid-configuration":               nothing,
		"GET /.well-known/openid-configuration/auth/v1":       nothing,
		"GET /.well-known/oauth-protected-resource":           nothing,
		"GET /.well-known/oauth-protected-resource/mcp":       nothing,
		"GET /auth/v1/.well-known/oauth-authorization-server": nothing,

		"GET /auth/v1/oauth/authorize":                                   nothing,
		"POST /auth/v1/oauth/token":                                      nothing,
		"GET /auth/v1/oauth/userinfo":                                    appOnly,
		"POST /auth/v1/oauth/userinfo":                                   appOnly,
		"GET /auth/v1/oauth/authorizations/" + id:                        signedIn,
		"POST /auth/v1/oauth/authorizations/" + id + "/consent":          signedIn,
		"GET /auth/v1/user/oauth/grants":                                 signedIn,
		"DELETE /auth/v1/user/oauth/grants?client_id=" + id:              signedIn,
		"POST /auth/v1/oauth/clients/register":                           nothing,
		"GET /auth/v1/admin/oauth/clients":                               serviceOnly,
		"POST /auth/v1/admin/oauth/clients":                              serviceOnly,
		"GET /auth/v1/admin/oauth/clients/" + id:                         serviceOnly,
		"PUT /auth/v1/admin/oauth/clients/" + id:                         serviceOnly,
		"DELETE /auth/v1/admin/oauth/clients/" + id:                      serviceOnly,
		"POST /auth/v1/admin/oauth/clients/" + id + "/regenerate_secret": serviceOnly,

		"POST /api/import":                   signedIn,
		"GET /api/import/" + id:              signedIn,
		"DELETE /api/import/" + id:           signedIn,
		"POST /api/import/" + id + "/parse":  signedIn,
		"POST /api/import/" + id + "/cancel": signedIn,
		"GET /api/import/" + id + "/reading": signedIn,
		"PUT /api/import/" + id + "/reading": signedIn,
		"GET /api/import/" + id + "/runs":    signedIn,
		"GET /api/import/" + id + "/craft":   signedIn,

		"POST /api/import/" + id + "/restore":     signedIn,
		"DELETE /api/import/" + id + "/restore":   signedIn,
		"GET /api/import/" + id + "/corrections":  signedIn,
		"POST /api/import/" + id + "/corrections": signedIn,
		"POST /api/import/" + id + "/redactions":  signedIn,

		"GET /api/import/" + id + "/events": signedIn,
		"GET /api/events":                   signedIn,

		"POST /api/findings/shares": signedIn,
		"GET /api/findings/shared":  nothing,
		"GET /shared":               nothing,

		"POST /api/mail/events": relayOnly,

		"POST /api/notifications/digest":         cronOnly,
		"GET /api/notifications/digest/preview":  signedIn,
		"POST /api/notifications/digest/preview": signedIn,
		"GET /api/notifications/unsubscribe":     nothing,
		"POST /api/notifications/unsubscribe":    nothing,

		"GET /api/answer/" + id:                signedIn,
		"DELETE /api/answer/" + id:             signedIn,
		"GET /api/answer/" + id + "/events":    signedIn,
		"POST /api/answer/" + id + "/again":    signedIn,
		"POST /api/answer/" + id + "/cancel":   signedIn,
		"POST /api/answer/" + id + "/estimate": signedIn,

		"POST /api/project/" + id + "/ask":         signedIn,
		"GET /api/project/" + id + "/guide":        signedIn,
		"POST /api/project/" + id + "/guide/check": signedIn,
		"GET /api/project/" + id + "/words":        signedIn,

		"GET /api/project/" + id + "/refi.qdpx":        signedIn,
		"GET /api/project/" + id + "/codebook.qdc":     signedIn,
		"POST /api/project/" + id + "/refi":            signedIn,
		"POST /api/project/" + id + "/themes/propose":  signedIn,
		"POST /api/project/" + id + "/themes/estimate": signedIn,
		"POST /api/project/" + id + "/themes/cancel":   signedIn,

		"GET /rest/v1/":                        anonKeyOnly,
		"GET /rest/v1/projects":                anonKeyOnly,
		"POST /rest/v1/rpc/nothing":            anonKeyOnly,
		"DELETE /rest/v1/projects?id=eq." + id: anonKeyOnly,
	}
}

func TestAccess(t *testing.T) {
	t.Parallel()
	s := startAPI(t, "MAIL_EVENTS_SECRET="+relaySecret)
	viewer := s.signIn(t, s.Viewer)
	bearer := "Bearer " + viewer
	personal := "Bearer " + s.makeToken(t, viewer, strings.Fields(allScopes)...)
	ofApp := "Bearer " + connectApp(t, s.url(), viewer, allScopes).access
	for route, requires := range access() {
		t.Run(route, func(t *testing.T) {
			method, path, _ := strings.Cut(route, " ")
			request := func(header map[string]string) (status int) {
				t.Helper()
				return s.requestWithHeader(t, method, path, header)
			}
			refused := func(header map[string]string) bool {
				t.Helper()
				status := request(header)
				return status == http.StatusUnauthorized || status == http.StatusForbidden
			}
			anon := map[string]string{"apikey": anonKey}
			anonAndUser := map[string]string{"apikey": anonKey, "Authorization": bearer}
			serviceAndToken := map[string]string{"apikey": serviceKey, "Authorization": "Bearer " + serviceKey}

			switch requires {
			case nothing:
				// The last two answer that the link does not exist.
				if !strings.HasSuffix(path, "/verify") && !strings.HasSuffix(path, "/undo") {
					require.False(t, refused(nil))
				}
				return
			case metricsTokenOnly:
				for _, header := range []map[string]string{nil, anon, anonAndUser, serviceAndToken} {
					require.Equal(t, http.StatusUnauthorized, request(header), "from this machine, too")
				}
				require.Equal(t, http.StatusOK, request(map[string]string{"Authorization": "Bearer " + metricsToken}))
				return
			case appOnly:
				for _, header := range []map[string]string{nil, anon, anonAndUser, serviceAndToken} {
					require.Equal(t, http.StatusUnauthorized, request(header))
				}
				return
			case relayOnly:
				for _, header := range []map[string]string{
					nil, anon, anonAndUser, serviceAndToken, {"Authorization": relaySecret},
					{"Authorization": "Bearer " + cronSecret},
				} {
					require.Equal(t, http.StatusUnauthorized, request(header))
				}
				withSecret := map[string]string{"Authorization": "Bearer " + relaySecret}
				require.Equal(t, http.StatusBadRequest, request(withSecret), "only the events are missing")
				return
			case cronOnly:
				for _, header := range []map[string]string{
					nil, anon, anonAndUser, serviceAndToken, {"Authorization": cronSecret},
				} {
					require.Equal(t, http.StatusUnauthorized, request(header))
				}
				withSecret := map[string]string{"Authorization": "Bearer " + cronSecret}
				require.Equal(t, http.StatusBadRequest, request(withSecret), "only the frequency is missing")
				return
			}

			require.Equal(t, http.StatusUnauthorized, request(nil))
			require.Equal(t, http.StatusUnauthorized, request(map[string]string{"apikey": "nonsense"}))
			require.Equal(t, http.StatusUnauthorized, request(map[string]string{"Authorization": bearer}),
				"a token without a key")
			serviceInBrowser := map[string]string{"apikey": serviceKey, "Sec-Fetch-Site": "cross-site"}
			require.True(t, refused(serviceInBrowser), "the service key in a browser")
			forged := map[string]string{"apikey": anonKey, "Authorization": "Bearer a.b.c"}
			ignoresTokens := requires == anonKeyOnly && strings.HasPrefix(path, "/auth/")
			require.True(t, refused(forged) || ignoresTokens, "a token that nobody signed")
			anonAndApp := map[string]string{"apikey": anonKey, "Authorization": ofApp}
			require.True(t, refused(anonAndApp) || ignoresTokens, "the token of an app")
			anonAndPersonal := map[string]string{"apikey": anonKey, "Authorization": personal}
			ofAccount := strings.HasPrefix(path, "/auth/") || strings.HasPrefix(path, "/api/account")
			require.Equal(t, ofAccount && !ignoresTokens, refused(anonAndPersonal), "a personal access token")
			switch requires {
			case anonKeyOnly:
				require.False(t, refused(anonAndUser))
			case signedIn:
				require.True(t, refused(anon))
				anonAsToken := map[string]string{"apikey": anonKey, "Authorization": "Bearer " + anonKey}
				require.True(t, refused(anonAsToken))
				require.False(t, refused(anonAndUser))
			case serviceOnly:
				require.True(t, refused(anon))
				require.True(t, refused(anonAndUser))
				require.True(t, refused(map[string]string{
					"apikey": anonKey, "Authorization": "Bearer " + serviceKey,
					"Origin": "https://x.example", "User-Agent": "Mozilla/5.0",
				}))
				require.False(t, refused(map[string]string{"apikey": serviceKey}))
			}
		})
	}
}

// requestWithHeader sends a request with only this header, requires what every answer must have, and returns
// its status.
func (s *service) requestWithHeader(
	t *testing.T, method, path string, header map[string]string,
) (status int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.url()+path, strings.NewReader(`{}`))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	if path != "/readyz" { // its checks have two seconds, in which a busy Temporal may not answer
		require.Less(t, resp.StatusCode, 500)
	}
	require.Equal(t, "nosniff", resp.Header.Get("X-Content-Type-Options"))
	require.NotEmpty(t, resp.Header.Get("Cache-Control"))
	require.NotEmpty(t, resp.Header.Get("X-Request-Id"))
	require.Empty(t, resp.Header.Values("Set-Cookie"))
	require.Empty(t, resp.Header.Get("Access-Control-Allow-Credentials"))
	return resp.StatusCode
}
