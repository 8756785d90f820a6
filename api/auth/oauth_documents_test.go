package auth_test

import (
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/api/auth"
)

// documented starts a server of metadata documents, and an edge that accepts its host. Each path has the
// document of an app, with other values for some fields.
func documented(t *testing.T, handle func(w http.ResponseWriter, r *http.Request, document map[string]any)) (
	e *edge, address string,
) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		handle(w, r, map[string]any{
			"client_id": "https://" + r.Host + r.URL.Path, "client_name": "Claude",
			"redirect_uris": []string{"https://app.example/cb"},
		})
	}))
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	e = setup(t, configured(func(c *auth.Config) {
		c.Identity.ClientDocuments.Roots = roots
		c.Identity.ClientDocuments.Hosts = []string{strings.TrimPrefix(server.URL, "https://")}
		c.Identity.ClientDocuments.Timeout = time.Minute
		c.Identity.Limits.AddressClients = 2
	}))
	return e, server.URL
}

func TestAppsWithMetadataDocuments(t *testing.T) {
	t.Parallel()

	t.Run("are shown with their host, whatever they call themselves", func(t *testing.T) {
		t.Parallel()
		e, address := documented(t, func(w http.ResponseWriter, _ *http.Request, document map[string]any) {
			_ = json.NewEncoder(w).Encode(document)
		})
		e.User(t, "ada@example.com")
		user := e.signIn(t, "ada@example.com", correct)
		id := e.ask(t, app{id: address + "/client.json", redirect: "https://app.example/cb"})
		details := e.open(t, user.access, id)
		require.Equal(t, 200, details.status, details.raw)
		shown := details.body["client"].(map[string]any)
		require.Equal(t, "Claude", shown["name"])
		require.Equal(t, address+"/client.json", shown["id"])
		require.Equal(t, strings.TrimPrefix(address, "https://"), shown["host"])
		require.Equal(t, "metadata_document", shown["registration_type"])
		require.Equal(t, "app.example", details.body["redirect_host"])
	})

	t.Run("are limited for a network while they are not known", func(t *testing.T) {
		t.Parallel()
		e, address := documented(t, func(w http.ResponseWriter, _ *http.Request, document map[string]any) {
			_ = json.NewEncoder(w).Encode(document)
		})
		for _, path := range []string{"/1", "/2", "/1", "/2"} {
			a := e.authorize(t, app{id: address + path, redirect: "https://app.example/cb"})
			require.Equal(t, 302, a.status, a.raw)
		}
		a := e.authorize(t, app{id: address + "/3", redirect: "https://app.example/cb"})
		requireError(t, a, 429, "over_request_rate_limit")
	})

	// A page says what is wrong: no browser is sent to an address that is not proven to be the app's.
	refused := func(t *testing.T, e *edge, clientID, redirect, want string) {
		t.Helper()
		a := e.authorize(t, app{id: clientID, redirect: redirect})
		requireError(t, a, 400, "validation_failed")
		require.Contains(t, a.body["msg"], want)
		require.Empty(t, a.header.Get("Location"))
		require.NotContains(t, a.raw, "app.example")
	}

	t.Run("are refused at private addresses", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		for _, host := range []string{
			"169.254.169.254", "localhost", "127.0.0.1:5432", "[::1]", "10.0.0.1", "0.0.0.0",
		} {
			refused(t, e, "https://"+host+"/client.json", "https://app.example/cb", "private address")
		}
	})

	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a redirect was followed")
	}))
	t.Cleanup(elsewhere.Close)
	for want, handle := range map[string]func(http.ResponseWriter, *http.Request, map[string]any){
		"redirect": func(w http.ResponseWriter, r *http.Request, _ map[string]any) {
			http.Redirect(w, r, elsewhere.URL, http.StatusFound)
		},
		"larger than 64 KB": func(w http.ResponseWriter, _ *http.Request, document map[string]any) {
			document["padding"] = strings.Repeat("x", 10<<20)
			_ = json.NewEncoder(w).Encode(document)
		},
		"not its URL": func(w http.ResponseWriter, _ *http.Request, document map[string]any) {
			document["client_id"] = "https://claude.ai/oauth/client.json"
			_ = json.NewEncoder(w).Encode(document)
		},
		"redirect_uris[0]": func(w http.ResponseWriter, _ *http.Request, document map[string]any) {
			document["redirect_uris"] = []string{"javascript:alert(1)//app.example"}
			_ = json.NewEncoder(w).Encode(document)
		},
		"not JSON": func(w http.ResponseWriter, _ *http.Request, _ map[string]any) {
			_, _ = io.WriteString(w, "<script>")
		},
	} {
		t.Run("are refused: "+want, func(t *testing.T) {
			t.Parallel()
			e, address := documented(t, handle)
			refused(t, e, address+"/client.json", "https://app.example/cb", want)
		})
	}

	t.Run("are sent only where their document says", func(t *testing.T) {
		t.Parallel()
		e, address := documented(t, func(w http.ResponseWriter, _ *http.Request, document map[string]any) {
			_ = json.NewEncoder(w).Encode(document)
		})
		refused(t, e, address+"/client.json", "https://evil.example/cb", "redirect_uri")
		refused(t, e, address+"/client.json", "javascript:alert(1)", "redirect_uri")
	})

	t.Run("cannot be introduced at the token endpoint", func(t *testing.T) {
		t.Parallel()
		e, address := documented(t, func(http.ResponseWriter, *http.Request, map[string]any) {
			t.Error("the document was fetched")
		})
		a := e.token(t, url.Values{
			"grant_type": {"refresh_token"}, "refresh_token": {"x"}, "client_id": {address + "/client.json"},
		})
		require.Equal(t, 401, a.status)
		require.Equal(t, "invalid_client", a.body["error"])
	})
}
