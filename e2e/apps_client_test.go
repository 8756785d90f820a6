//go:build clients

package e2e

import (
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// /mcp and its authorization server, driven by the client of the Model Context Protocol from npm.
func TestClientMCP(t *testing.T) {
	t.Parallel()
	address, authority := serveClientDocument(t)
	// A process of its own, since the authorities of a process are read once.
	s := startAPI(t).with("HTTP_ADDR="+unusedAddress(t), "SSL_CERT_FILE="+authority,
		"OAUTH_CLIENT_HOSTS="+strings.Split(address, "/")[2])
	require.NoError(t, s.newProcess(t, "serve").Start(t.Context()))
	eventually(t, "the API is ready", func() bool {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url()+"/readyz", nil)
		require.NoError(t, err)
		resp, err := http.DefaultClient.Do(r)
		return err == nil && resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
	})
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("..", "api", "mcp", "clienttest"))))
	installPackages(t, dir)
	out := runProgram(t, dir, []string{
		"API_URL=" + s.url(), "ANON_KEY=" + anonKey, "SERVICE_ROLE_KEY=" + serviceKey, "CLIENT_ID_URL=" + address,
		"EMAIL=" + s.email(t, s.Editor), "PASSWORD=correct horse",
	}, "node", "--test", "--test-reporter=tap", "connect.test.js")
	requireChecks(t, out, 10)
}

// serveClientDocument serves the metadata document of an app by https, and returns its URL and the file of
// its certificate authority.
func serveClientDocument(t *testing.T) (address, authority string) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"client_id": "https://" + r.Host + r.URL.Path, "client_name": "A documented assistant",
			"redirect_uris": []string{"http://127.0.0.1/callback"}, "token_endpoint_auth_method": "none",
		})
	}))
	t.Cleanup(server.Close)
	authority = filepath.Join(t.TempDir(), "authority.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	require.NoError(t, os.WriteFile(authority, certificate, 0o600))
	return server.URL + "/oauth/client.json", authority
}
