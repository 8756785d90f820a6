//go:build clients

package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// Webhooks, verified by the library of the Standard Webhooks specification from npm.
func TestClientWebhooks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := filepath.Join("..", "activities", "webhook", "clienttest")
	require.NoError(t, os.CopyFS(dir, os.DirFS(folder)))
	installPackages(t, dir) // first, because a signature is valid for five minutes
	type request struct {
		Headers map[string]string `json:"headers"`
		Body    string            `json:"body"`
	}
	arrived := make(chan request, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if isTestEvent(body) {
			return
		}
		headers := map[string]string{}
		for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
			headers[name] = r.Header.Get(name)
		}
		arrived <- request{headers, string(body)}
	}))
	t.Cleanup(receiver.Close)
	s := startService(t, "WEBHOOK_ALLOWED_HOSTS=127.0.0.1")
	_, secret := s.addWebhook(t, receiver.URL)
	id := dbtest.Value[uuid.UUID](t, s.DB, `
		insert into imports (workspace_id, project_id, title, format, size_bytes, sha256)
		values ($1, $2, 'Interview', 'text', 10, repeat('0', 64)) returning id`, s.Workspace, s.Project)
	s.Exec(t, `update imports set progress_total = 2, progress_done = 1 where id = $1`, id)
	received, err := json.Marshal(map[string]any{"secret": secret, "requests": []request{<-arrived, <-arrived}})
	require.NoError(t, err)
	out := runProgram(t, dir, []string{"RECEIVED=" + string(received)},
		"node", "--test", "--test-reporter=tap", "webhook.test.js")
	requireChecks(t, out, 2)
}
