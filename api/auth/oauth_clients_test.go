package auth_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/auth"
)

const registerPath = "/oauth/clients/register"

// registration is a valid body of a registration, with other values for some fields.
func registration(other map[string]any) string {
	body := map[string]any{"client_name": "App", "redirect_uris": []string{"https://app.example/cb"}}
	for field, value := range other {
		body[field] = value
	}
	return jsonOf(body)
}

func TestRegistrationOfApps(t *testing.T) {
	t.Parallel()
	e := setup(t)

	t.Run("needs no API key, and answers as RFC 7591 says", func(t *testing.T) {
		t.Parallel()
		a := e.do(t, "POST", registerPath, registration(map[string]any{
			"redirect_uris":              []string{"cursor://anysphere.cursor-mcp/oauth/callback"},
			"token_endpoint_auth_method": "none", "application_type": "native", "client_uri": "https://cursor.com",
			"grant_types": []string{"authorization_code", "refresh_token"}, "response_types": []string{"code"},
			"scope": "research:read", "contacts": []string{"a@app.example"}, "software_id": "x",
		}), "apikey: ")
		require.Equal(t, 201, a.status, a.raw)
		_, err := uuid.Parse(a.body["client_id"].(string))
		require.NoError(t, err)
		require.Equal(t, "public", a.body["client_type"])
		require.Equal(t, "dynamic", a.body["registration_type"])
		require.Equal(t, "native", a.body["application_type"])
		require.Equal(t, "https://cursor.com", a.body["client_uri"])
		require.Equal(t, []any{"code"}, a.body["response_types"])
		require.NotZero(t, a.body["client_id_issued_at"])
		for _, absent := range []string{"client_secret", "client_secret_expires_at", "logo_uri", "id", "scope"} {
			require.NotContains(t, a.body, absent)
		}
		require.Contains(t, a.header.Get("Cache-Control"), "no-store")
	})

	t.Run("gives a secret unless the app is public", func(t *testing.T) {
		t.Parallel()
		a := e.do(t, "POST", registerPath, registration(nil), "apikey: ")
		require.Equal(t, 201, a.status, a.raw)
		require.Len(t, a.body["client_secret"], 43)
		require.Equal(t, json.Number("0"), a.body["client_secret_expires_at"])
		require.Equal(t, "client_secret_basic", a.body["token_endpoint_auth_method"])
	})

	t.Run("says what is not valid", func(t *testing.T) {
		t.Parallel()
		for body, want := range map[string]string{
			registration(map[string]any{"redirect_uris": []string{"javascript:alert(1)"}}): "invalid_redirect_uri",
			registration(map[string]any{"redirect_uris": []string{"http://app.example"}}):  "invalid_redirect_uri",
			registration(map[string]any{"redirect_uris": []string{}}):                      "invalid_redirect_uri",
			registration(map[string]any{"redirect_uris": "https://app.example"}):           "invalid_client_metadata",
			registration(map[string]any{"client_name": strings.Repeat("x", 201)}):          "invalid_client_metadata",
			registration(map[string]any{"grant_types": []string{"implicit"}}):              "invalid_client_metadata",
			registration(map[string]any{"response_types": []string{"token"}}):              "invalid_client_metadata",
			registration(map[string]any{"token_endpoint_auth_method": "private_key_jwt"}):  "invalid_client_metadata",
			registration(map[string]any{"application_type": "spa"}):                        "invalid_client_metadata",
			`{`:  "invalid_client_metadata",
			`[]`: "invalid_client_metadata",
			`{}`: "invalid_redirect_uri",
		} {
			a := e.do(t, "POST", registerPath, body, "apikey: ")
			require.Equal(t, 400, a.status, a.raw)
			require.Equal(t, want, a.body["error"], body)
			require.NotEmpty(t, a.body["error_description"])
		}
		a := e.do(t, "POST", registerPath, strings.Repeat(" ", 1<<20+1))
		requireError(t, a, 413, "request_entity_too_large")
	})

	t.Run("is limited for a network", func(t *testing.T) {
		t.Parallel()
		e := setup(t, configured(func(c *auth.Config) { c.Identity.Limits.AddressClients = 3 }))
		for range 3 {
			require.Equal(t, 400, e.do(t, "POST", registerPath, `{}`, "apikey: ").status, "does not count")
			require.Equal(t, 201, e.do(t, "POST", registerPath, registration(nil), "apikey: ").status)
		}
		for range 10 {
			a := e.do(t, "POST", registerPath, registration(nil), "apikey: ")
			requireError(t, a, 429, "over_request_rate_limit")
			require.NotEmpty(t, a.header.Get("Retry-After"))
		}
		admin := e.do(t, "POST", "/admin/oauth/clients", registration(nil),
			"apikey: "+serviceKey, bearer(serviceKey))
		require.Equal(t, 201, admin.status)
	})
}

func TestAdministrationOfApps(t *testing.T) {
	t.Parallel()
	e := setup(t)
	const path = "/admin/oauth/clients"
	admin := []string{"apikey: " + serviceKey, bearer(serviceKey)}
	send := func(t *testing.T, method, path, body string, status int) answer {
		t.Helper()
		a := e.do(t, method, path, body, admin...)
		require.Equal(t, status, a.status, a.raw)
		return a
	}

	made := send(t, "POST", path, registration(nil), 201)
	id, secret := made.body["client_id"].(string), made.body["client_secret"].(string)
	require.Equal(t, id, made.body["id"])
	require.Equal(t, "manual", made.body["registration_type"])
	public := send(t, "POST", path, registration(map[string]any{"client_type": "public"}), 201)
	require.Equal(t, "none", public.body["token_endpoint_auth_method"])
	require.NotContains(t, public.body, "client_secret")

	read := send(t, "GET", path+"/"+id, "", 200)
	require.NotContains(t, read.raw, secret)
	require.Equal(t, made.body["created_at"], read.body["created_at"])

	list := send(t, "GET", path+"?per_page=1", "", 200)
	require.Len(t, list.body["clients"], 1)
	require.Equal(t, "2", list.header.Get("X-Total-Count"))
	require.Contains(t, list.header.Get("Link"),
		`<https://research.example/auth/v1/admin/oauth/clients?page=2&per_page=1>; rel="next"`)
	require.Len(t, send(t, "GET", path+"?page=&per_page=", "", 200).body["clients"], 2, "as auth-js asks")
	requireError(t, e.do(t, "GET", path+"?page=0", "", admin...), 400, "validation_failed")
	requireError(t, e.do(t, "GET", path+"?filter=x", "", admin...), 400, "validation_failed")

	change := `{"client_name": "Renamed", "logo_uri": "https://app.example/l"}`
	changed := send(t, "PUT", path+"/"+id, change, 200)
	require.Equal(t, "Renamed", changed.body["client_name"])
	require.Equal(t, made.body["redirect_uris"], changed.body["redirect_uris"])
	requireError(t, e.do(t, "PUT", path+"/"+id, `{}`, admin...), 400, "validation_failed")
	bad := e.do(t, "PUT", path+"/"+id, `{"redirect_uris": ["data:text/html,x"]}`, admin...)
	requireError(t, bad, 400, "validation_failed")

	renewed := send(t, "POST", path+"/"+id+"/regenerate_secret", "", 200)
	require.NotEqual(t, secret, renewed.body["client_secret"])
	public = e.do(t, "POST", path+"/"+public.body["id"].(string)+"/regenerate_secret", "", admin...)
	requireError(t, public, 400, "validation_failed")

	send(t, "DELETE", path+"/"+id, "", 204)
	for _, request := range [][2]string{
		{"GET", ""}, {"PUT", ""}, {"DELETE", ""}, {"POST", "/regenerate_secret"},
	} {
		body := `{"client_name": "x"}`
		a := e.do(t, request[0], path+"/"+id+request[1], body, admin...)
		requireError(t, a, 404, "oauth_client_not_found")
		a = e.do(t, request[0], path+"/x"+request[1], body, admin...)
		requireError(t, a, 400, "validation_failed")
	}

	e.User(t, "ada@example.com")
	user := e.signIn(t, "ada@example.com", correct)
	requireError(t, e.do(t, "GET", path, "", bearer(user.access)), 403, "not_admin")
	requireError(t, e.do(t, "POST", path, registration(nil), bearer(anonKey)), 403, "not_admin")
}
