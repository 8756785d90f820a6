package identity_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db"
	"research/identity"
)

func TestRedirectURIs(t *testing.T) {
	t.Parallel()
	f := setup(t)
	register := func(t *testing.T, applicationType string, uris ...string) error {
		t.Helper()
		_, err := f.RegisterOAuthClient(t.Context(), client, identity.ClientDynamic, identity.ClientMetadata{
			RedirectURIs: uris, ApplicationType: applicationType,
		})
		return err
	}

	t.Run("are https, http of this machine, and schemes of apps", func(t *testing.T) {
		t.Parallel()
		for _, uri := range []string{
			"https://claude.ai/api/mcp/auth_callback", "https://app.example:8443/cb?x=1&y=%20",
			"http://localhost/cb", "http://localhost:8787/cb", "http://127.0.0.1", "http://127.0.0.1:33418/",
			"http://[::1]:1/cb", "com.example.app:/cb", "com.example.app://cb", "org.example-a.b1:/",
			"cursor://anysphere.cursor-mcp/oauth/callback", "vscode://vscode.github-authentication/did",
		} {
			require.NoError(t, register(t, "", uri), uri)
		}
	})

	t.Run("are nothing else", func(t *testing.T) {
		t.Parallel()
		for _, uri := range []string{
			"", "/cb", "cb", "//app.example/cb", "https:", "https:///cb", "https:cb", "https://",
			"http://app.example/cb", "http://localhost.example/cb", "http://localhost:80@app.example/cb",
			"http://localhost@app.example", "http://127.0.0.1.example/", "http://127.1/cb", "http://0.0.0.0/cb",
			"http://[::1].example/", "http://localhost:123456/cb", "http://LOCALHOST\t/cb", "http://10.0.0.1/cb",
			"javascript:alert(1)", "JavaScript:alert(1)", "javascript://app.example/%0Aalert(1)",
			"java\nscript:alert(1)", " javascript:alert(1)", "data:text/html,x", "data://x/y", "file:///etc/passwd",
			"vbscript:x", "about:blank", "blob:https://app.example/1", "view-source:https://app.example", "ftp://a/b",
			"intent://app.example/#Intent;end", "ms-msdt:/id", "search-ms://x", "mailto:a@app.example", "app://cb",
			"https://app.example/cb#part", "https://app.example/cb#", "https://ada@app.example/cb",
			"https://ada:pw@app.example/cb", `https://app.example\cb`, "https://app.example/c b",
			"https://app.example/cb\x00", "https://app.example/\u202ecb", "https://äpp.example/cb",
			"https://app.example/%zz", "https://app.example/" + strings.Repeat("x", 2000), "com.example.app:cb",
			"com..example:/cb", ".example:/cb", "https://cl%D0%B0ude.ai/cb", "https://[fe80::1%25eth0]/cb",
			"https://app.example/cb?code=x", "https://app.example/cb?a=1&state=", "com.example.app:/cb?%69ss=x",
		} {
			var wrong *identity.ClientMetadataError
			require.ErrorAs(t, register(t, "", uri), &wrong, uri)
			require.Equal(t, identity.CodeInvalidRedirectURI, wrong.Code)
			require.ErrorIs(t, wrong, identity.ErrClientMetadata)
			require.NotContains(t, wrong.Reason, "app.example", "errors do not repeat what was sent")
		}
	})

	t.Run("are one to ten", func(t *testing.T) {
		t.Parallel()
		ten := make([]string, 10)
		for i := range ten {
			ten[i] = "https://app.example/cb"
		}
		require.NoError(t, register(t, "", ten...))
		require.ErrorContains(t, register(t, "", append(ten, ten[0])...), "at most 10")
		require.ErrorContains(t, register(t, ""), "at least one")
	})

	t.Run("depend on the type of the application", func(t *testing.T) {
		t.Parallel()
		require.NoError(t, register(t, "native", "cursor://cb", "http://localhost/cb", "https://app.example/cb"))
		require.NoError(t, register(t, "web", "https://app.example/cb", "http://localhost/cb"))
		require.ErrorContains(t, register(t, "web", "https://app.example/cb", "cursor://cb"), "redirect_uris[1]")
		require.ErrorContains(t, register(t, "spa", "https://app.example/cb"), "application_type")
	})
}

func TestAllowsRedirect(t *testing.T) {
	t.Parallel()
	c := identity.OAuthClient{AuthOauthClient: db.AuthOauthClient{RedirectUris: []string{
		"https://app.example/cb", "http://127.0.0.1/cb", "http://localhost:8787/cb?x=1", "http://[::1]",
		"com.example.app:/cb",
	}}}
	for _, uri := range []string{
		"https://app.example/cb", "http://127.0.0.1/cb", "http://127.0.0.1:49152/cb", "http://localhost/cb?x=1",
		"http://localhost:1/cb?x=1", "http://[::1]:65535", "com.example.app:/cb",
	} {
		require.True(t, c.AllowsRedirect(uri), uri)
	}
	for _, uri := range []string{
		"", "https://app.example/cb/", "https://app.example/cb2", "https://app.example/cb?x", "https://app.example",
		"https://app.example:443/cb", "HTTPS://app.example/cb", "https://app.example/CB",
		"https://app.example/./cb",
		"https://app.example/cb#x", "https://app.example.evil.example/cb", "http://app.example/cb",
		"http://localhost/cb", "http://127.0.0.1/cb?x=1", "http://127.0.0.1:80@evil.example/cb",
		"http://127.0.0.1:x/cb", "http://127.0.0.1.evil.example/cb", "http://127.0.0.1:123456/cb",
		"http://127.0.0.1:80/cb#x", "https://127.0.0.1/cb", "http://[::1]:1/", "com.example.app:/cb2",
	} {
		require.False(t, c.AllowsRedirect(uri), uri)
	}
}

func TestRedirectHost(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]string{
		"https://Claude.ai/api/mcp":                    "claude.ai",
		"https://app.example:8443/cb":                  "app.example:8443",
		"http://localhost:8787/cb":                     "localhost",
		"http://[::1]:8787/cb":                         "[::1]",
		"cursor://anysphere.cursor-mcp/oauth/callback": "cursor:",
		"com.example.app:/cb":                          "com.example.app:",
		"%":                                            "",
	} {
		require.Equal(t, want, identity.RedirectHost(uri))
	}
}
