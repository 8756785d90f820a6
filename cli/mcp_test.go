package cli_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMCPCommand(t *testing.T) {
	t.Parallel()
	tokens := make(chan string, 1)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/mcp" {
			http.NotFound(w, r)
			return
		}
		tokens <- r.Header.Get("Authorization")
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"ok":true}}`)
	}))
	t.Cleanup(service.Close)
	address := "PUBLIC_URL=" + service.URL
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

	r := run(t, []string{address, "RESEARCH_TOKEN=rsp_secret"}, ping, "mcp")
	require.Zero(t, r.code, r.stderr)
	require.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"ok":true}}`+"\n", r.stdout)
	require.Empty(t, r.stderr)
	require.Equal(t, "Bearer rsp_secret", <-tokens)

	r = run(t, []string{address}, ping, "mcp")
	require.Equal(t, 2, r.code)
	require.Contains(t, r.stderr, "RESEARCH_TOKEN is missing")
	require.Empty(t, r.stdout)

	r = run(t, []string{address, "RESEARCH_TOKEN=service-key"}, ping, "mcp")
	require.Equal(t, 2, r.code)
	require.Contains(t, r.stderr, "RESEARCH_TOKEN must be a personal access token, which begins with rsp_")

	r = run(t, []string{address, "RESEARCH_TOKEN=rsp_secret"}, "", "settings")
	require.Contains(t, r.stdout, "RESEARCH_TOKEN=***\n")
}
