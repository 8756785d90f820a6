package api_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/reference/contract"
	"research/api/token"
	"research/api/token/tokentest"
	"research/db/dbtest"
)

// The documents in which apps find out how to ask for access.
func TestMetadataDocuments(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	handler := newHandlerOf(t, d, tokentest.New(t, d.Store, token.KeysConfig{}))
	get := func(t *testing.T, path string) map[string]any {
		t.Helper()
		r := newRequest(t, "GET", path, "")
		r.Header.Set("Origin", "https://app.example")
		w, body := send(t, handler, r)
		require.Equal(t, 200, w.Code, path)
		require.Equal(t, "application/json; charset=utf-8", w.Header().Get("Content-Type"))
		require.Equal(t, "*", w.Header().Get("Access-Control-Allow-Origin"))
		require.Equal(t, "public, max-age=600", w.Header().Get("Cache-Control"))
		contract.Check(t, contract.Exchange{
			Method: "GET", Path: path, Status: w.Code, Header: w.Header(), Body: w.Body.Bytes(),
		})
		return body
	}
	scopes := []any{"research:read", "research:write", "research:ask"}
	const public = "https://research.example"
	const issuer = public + "/auth/v1"

	t.Run("describe the issuer, wherever apps look", func(t *testing.T) {
		t.Parallel()
		for _, path := range []string{
			"/.well-known/oauth-authorization-server/auth/v1", "/.well-known/openid-configuration/auth/v1",
			"/auth/v1/.well-known/oauth-authorization-server", "/auth/v1/.well-known/openid-configuration",
			"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration",
		} {
			body := get(t, path)
			for field, want := range map[string]any{
				"issuer":                                issuer,
				"authorization_endpoint":                issuer + "/oauth/authorize",
				"token_endpoint":                        issuer + "/oauth/token",
				"registration_endpoint":                 issuer + "/oauth/clients/register",
				"userinfo_endpoint":                     issuer + "/oauth/userinfo",
				"jwks_uri":                              issuer + "/.well-known/jwks.json",
				"response_types_supported":              []any{"code"},
				"response_modes_supported":              []any{"query"},
				"grant_types_supported":                 []any{"authorization_code", "refresh_token"},
				"token_endpoint_auth_methods_supported": []any{"none", "client_secret_basic", "client_secret_post"},
				"code_challenge_methods_supported":      []any{"S256"},
				"scopes_supported":                      append(slices.Clone(scopes), "email"),
				"subject_types_supported":               []any{"public"},
				"id_token_signing_alg_values_supported": []any{"ES256"},

				"client_id_metadata_document_supported":          true,
				"authorization_response_iss_parameter_supported": true,
			} {
				require.Equal(t, want, body[field], "%s: %s", path, field)
			}
			for field, value := range body {
				if text, ok := value.(string); ok {
					path := strings.TrimPrefix(text, "https://")
					require.NotContains(t, path, "//", field)
					require.False(t, strings.HasSuffix(path, "/"), field)
				}
			}
		}
	})

	t.Run("describe resources, each at the address that belongs to it", func(t *testing.T) {
		t.Parallel()
		for path, resource := range map[string]string{
			"/.well-known/oauth-protected-resource":     public,
			"/.well-known/oauth-protected-resource/mcp": public + "/mcp",
		} {
			body := get(t, path)
			require.Equal(t, resource, body["resource"])
			require.Equal(t, []any{issuer}, body["authorization_servers"])
			require.Equal(t, scopes, body["scopes_supported"])
			require.Equal(t, []any{"header"}, body["bearer_methods_supported"])
			require.NotEmpty(t, body["resource_name"])
			w, _ := send(t, handler, newRequest(t, "GET",
				strings.TrimPrefix(body["resource_documentation"].(string), public), ""))
			require.Equal(t, 200, w.Code)
		}
	})

	t.Run("are read only, and can be read ahead by browsers", func(t *testing.T) {
		t.Parallel()
		const path = "/.well-known/oauth-protected-resource/mcp"
		w, _ := send(t, handler, newRequest(t, "POST", path, "{}"))
		require.Equal(t, 405, w.Code)
		w, _ = send(t, handler, newRequest(t, "HEAD", path, ""))
		require.Equal(t, 200, w.Code)
		r := httptest.NewRequestWithContext(context.Background(), "OPTIONS", path, nil)
		r.Header.Set("Origin", "https://app.example")
		r.Header.Set("Access-Control-Request-Method", "GET")
		r.Header.Set("Access-Control-Request-Headers", "mcp-protocol-version")
		w, _ = send(t, handler, r)
		require.Equal(t, "*", w.Header().Get("Access-Control-Allow-Origin"))
		require.Equal(t, "Mcp-Protocol-Version", w.Header().Get("Access-Control-Allow-Headers"))
	})

	t.Run("are missing where identity is off", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		off := newHandlerOf(t, d, tokentest.New(t, d.Store, token.KeysConfig{
			Off: true, Secret: "a secret of another issuer, long enough",
		}))
		for _, path := range []string{
			"/.well-known/oauth-authorization-server/auth/v1", "/auth/v1/.well-known/oauth-authorization-server",
			"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp",
			"/.well-known/openid-configuration",
		} {
			w, body := send(t, off, newRequest(t, "GET", path, ""))
			require.Equal(t, 404, w.Code, path)
			require.Equal(t, "feature_disabled", body["error_code"], path)
		}
	})
}
