package api_test

import (
	"compress/gzip"
	"encoding/json"
	"net/http"
	"net/http/httptest"
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

// send sends a request, and returns its answer with the fields of a JSON body, or nil.
func send(
	t *testing.T, handler http.Handler, r *http.Request,
) (w *httptest.ResponseRecorder, body map[string]any) {
	t.Helper()
	w = httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	if strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") && w.Body.Len() > 0 {
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &body), "%s %s: %s", r.Method, r.URL, w.Body)
	}
	return w, body
}

func newRequest(t *testing.T, method, path, body string) *http.Request {
	t.Helper()
	return httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
}

func TestUnknownPathsOfTheAPI(t *testing.T) {
	t.Parallel()
	handler := newHandler(t)
	for _, path := range []string{
		"/api", "/api/", "/api/imports", "//api/nothing", "/api//nothing/", "/rest", "/rest/", "/rest/v2/x",
		"/rest/hypotheses", "//rest//v2", "/auth", "/auth/", "/auth/token", "/auth/v2/token", "/auth/v1/nothing",
		"//auth/v1/nothing", "/docs/nothing", "/mcp/nothing", "/.well-known/nothing",
	} {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"} {
			w, body := send(t, handler, newRequest(t, method, path, ""))
			require.Equal(t, 404, w.Code, "%s %s", method, path)
			require.Equal(t, "application/json; charset=utf-8", w.Header().Get("Content-Type"), "%s %s", method, path)
			require.Equal(t, "not_found", body["error"], "%s %s", method, path)
			require.NotEmpty(t, body["message"])
		}
	}
}

func TestPathsWithMoreSlashesAreThoseWithout(t *testing.T) {
	t.Parallel()
	handler := newHandler(t)
	id := uuid.NewString()
	for path, status := range map[string]int{
		"//api/import/" + id: 401, "/api//import//" + id: 401, "/api/import/" + id + "/": 401,
		"//api/import/" + id + "/events": 401, "///auth/v1//user": 401,
		"/docs/": 200, "//docs": 200, "//api/openapi.json": 200, "/api/openapi.json/": 200,
		"//": 404, "//imports": 404, "//metrics": 404, // not the API's
	} {
		w, _ := send(t, handler, newRequest(t, "GET", path, ""))
		require.Equal(t, status, w.Code, "%s: %s", path, w.Body)
	}
	w, _ := send(t, handler, newRequest(t, "POST", "//api//import/a%2Fb//parse/", "{}"))
	require.Equal(t, 401, w.Code, "escaped slashes stay")
}

// Every route answers methods that it does not have with 405, JSON and the methods that it has, and HEAD as
// it answers GET.
func TestMethodsOfEveryRoute(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	tenant := d.Tenant(t)
	tokens := tokentest.New(t, d.Store, token.KeysConfig{})
	handler := newHandlerOf(t, d, tokens)
	routes := map[string]map[string]bool{}
	require.NoError(t, chi.Walk(handler.(chi.Routes), func(method, route string, _ http.Handler,
		_ ...func(http.Handler) http.Handler) error {
		route = strings.ReplaceAll(route, "/*/", "/")
		if strings.HasPrefix(route, "/rest/v1") || strings.HasSuffix(route, "*") {
			return nil // package rest answers all methods itself; the page has every path
		}
		if routes[route] == nil {
			routes[route] = map[string]bool{}
		}
		routes[route][method] = true
		return nil
	}))
	require.NotEmpty(t, routes)
	authorize := func(r *http.Request) *http.Request {
		r.Header.Set("apikey", tokentest.AnonKey)
		r.Header.Set("Authorization", "Bearer "+tokens.AccessToken(t, tenant.Owner))
		return r
	}
	for route, methods := range routes {
		path := parameter.ReplaceAllString(route, uuid.NewString())
		readOnly := methods["TRACE"] // a handler that rejects methods itself
		if readOnly && strings.HasPrefix(route, "/auth/v1/") {
			continue // it says that GoTrue's route is not offered
		}
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "NONSENSE"} {
			if methods[method] && !readOnly || readOnly && method == "GET" {
				continue
			}
			if method == "DELETE" && (route == "/auth/v1/factors/recovery-codes" ||
				route == "/auth/v1/user/identities/authorize") {
				continue // of the factor, or of the identity, with this id
			}
			w, body := send(t, handler, authorize(newRequest(t, method, path, "")))
			require.Equal(t, 405, w.Code, "%s %s: %s", method, route, w.Body)
			require.Equal(t, "method_not_allowed", body["error"], "%s %s", method, route)
			allowed := w.Header().Get("Allow")
			require.NotEmpty(t, allowed, "%s %s", method, route)
			require.Equal(t, methods["GET"], strings.Contains(allowed, "GET, HEAD"),
				"%s %s: %s", method, route, allowed)
			for name := range methods {
				if !readOnly {
					require.Contains(t, allowed, name, "%s %s", method, route)
				}
			}
		}
		if !methods["GET"] || strings.HasSuffix(route, "/events") { // a GET of a stream does not end
			continue
		}
		get, _ := send(t, handler, authorize(newRequest(t, "GET", path, "")))
		headed := httptest.NewRecorder()
		handler.ServeHTTP(headed, authorize(newRequest(t, "HEAD", path, "")))
		require.Equal(t, get.Code, headed.Code, route)
		require.Equal(t, get.Header().Get("Content-Type"), headed.Header().Get("Content-Type"), route)
	}
}

func TestHEADChangesNothing(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	tenant := d.Tenant(t)
	tokens := tokentest.New(t, d.Store, token.KeysConfig{})
	handler := newHandlerOf(t, d, tokens)
	id := dbtest.Value[uuid.UUID](t, d, "insert into auth.sessions (user_id) values ($1) returning id",
		tenant.Owner)
	session := tokens.Sign(t, jwt.MapClaims{
		"sub": tenant.Owner.String(), "role": db.RoleAuthenticated, "session_id": id.String(), "aal": "aal1",
	})
	before := dbtest.Value[int](t, d, "select count(*)::int from auth.one_time_tokens")
	for _, path := range []string{"/auth/v1/reauthenticate", "/api/account/export", "/api/events"} {
		r := newRequest(t, "HEAD", path, "")
		r.Header.Set("apikey", tokentest.AnonKey)
		r.Header.Set("Authorization", "Bearer "+session)
		w, _ := send(t, handler, r)
		require.Equal(t, 200, w.Code, "%s: %s", path, w.Body)
	}
	require.Equal(t, before, dbtest.Value[int](t, d, "select count(*)::int from auth.one_time_tokens"))
}

func TestWhatIsNotOfferedSaysSo(t *testing.T) {
	t.Parallel()
	handler := newHandler(t)
	for path, alternative := range map[string]string{
		"/realtime/v1/websocket?apikey=x&vsn=1.0.0": "/api/events", "/realtime/v1/api/broadcast": "/api/events",
		"/storage/v1/bucket": "/api/import", "/storage/v1/object/a/b.txt": "/api/import", "/storage": "/api/import",
		"/functions/v1/hello": "/rest/v1/rpc", "//graphql/v1": "/rest/v1/",
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
			r := newRequest(t, method, path, "")
			r.Header.Set("Origin", "https://app.example")
			if method == "GET" && strings.HasPrefix(path, "/realtime") {
				r.Header.Set("Connection", "Upgrade")
				r.Header.Set("Upgrade", "websocket")
			}
			w, body := send(t, handler, r)
			require.Equal(t, 404, w.Code, "%s %s", method, path)
			require.Equal(t, "*", w.Header().Get("Access-Control-Allow-Origin"))
			require.Equal(t, "not_offered", body["error"])
			require.Contains(t, body["message"], alternative)
			require.Equal(t, body["message"], body["msg"], "which storage-js reads first")
			require.InDelta(t, 404, body["status"], 0, "a number for storage-go")
			if strings.HasPrefix(r.URL.Path, "//graphql") {
				require.Contains(t, body["errors"], map[string]any{"message": body["message"]})
			}
		}
	}
}

func TestCompressedBodies(t *testing.T) {
	t.Parallel()
	handler := newHandler(t)
	var zipped strings.Builder
	zip := gzip.NewWriter(&zipped)
	_, err := zip.Write([]byte(`{"hypothesisIds": []}`))
	require.NoError(t, err)
	require.NoError(t, zip.Close())
	for _, path := range []string{
		"/auth/v1/token?grant_type=password", "/rest/v1/hypotheses", "/api/import", "/api/findings/shares",
		"/api/import/" + uuid.NewString() + "/parse", "/api/mail/events",
	} {
		for _, encoding := range []string{"gzip", "br", "deflate, gzip", "zstd"} {
			r := newRequest(t, "POST", path, zipped.String())
			r.Header.Set("Content-Encoding", encoding)
			w, body := send(t, handler, r)
			require.Equal(t, 415, w.Code, path)
			require.Equal(t, "identity", w.Header().Get("Accept-Encoding"))
			require.Equal(t, "unsupported_media_type", body["error"])
			require.Contains(t, body["message"], "Content-Encoding")
		}
		r := newRequest(t, "POST", path, "{}")
		r.Header.Set("Content-Encoding", "identity")
		w, _ := send(t, handler, r)
		require.NotEqual(t, 415, w.Code, path)
	}
}
