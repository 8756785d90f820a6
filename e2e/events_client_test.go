//go:build clients

package e2e

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The page's module for streams of events, on Node. It needs no packages.
func TestClientEvents(t *testing.T) {
	t.Parallel()
	s := startAPI(t)
	status, uploaded := s.upload(t, s.signIn(t, s.Editor), "interview.txt", []byte("Ada: We pay too much."))
	require.Equal(t, http.StatusCreated, status, "%v", uploaded)
	out := runProgram(t, filepath.Join("..", "api", "events", "clienttest"), []string{
		"API_URL=" + s.url(), "ANON_KEY=" + anonKey, "EMAIL=" + s.email(t, s.Editor), "PASSWORD=correct horse",
		"PROJECT=" + s.Project.String(), "IMPORT=" + uploaded["importId"].(string),
	}, "node", "--test", "--test-reporter=tap", "events.test.js")
	requireChecks(t, out, 6)
}
