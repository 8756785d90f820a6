package cli_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/cli"
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

// The process of the test is the command. Only writes to the standard error of a process end it.
func TestMCPCommandOutlivesStandardError(t *testing.T) {
	const child = "TEST_MCP_CHILD"
	if os.Getenv(child) != "" {
		os.Args = []string{"research", "mcp"}
		os.Exit(cli.Main())
	}
	t.Parallel()
	service := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(service.Close)
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, reader.Close())
	t.Cleanup(func() { _ = writer.Close() })
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	command.Dir = t.TempDir()
	command.Env = []string{child + "=1", "PUBLIC_URL=" + service.URL, "RESEARCH_TOKEN=rsp_secret"}
	command.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
	command.Stderr = writer
	output, err := command.Output()
	require.NoError(t, err)
	require.Contains(t, string(output), `"id":1,"error":`)
}
