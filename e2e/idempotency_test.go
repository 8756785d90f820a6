package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// parseWithKey requests a parse under an Idempotency-Key, and returns the status and the body. It repeats the
// request if the answer says so, as clients should: on a busy machine, Temporal or the first request may be
// slow.
func (s *service) parseWithKey(
	t testing.TB, token, importID, key string, h uuid.UUID,
) (status int, body string) {
	t.Helper()
	for deadline := time.Now().Add(timeout); time.Now().Before(deadline); {
		status, body = s.tryParseWithKey(t, token, importID, key, h)
		if status != http.StatusServiceUnavailable && status != http.StatusConflict {
			break
		}
	}
	return status, body
}

func (s *service) tryParseWithKey(t testing.TB, token, importID, key string, h uuid.UUID) (int, string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"hypothesisIds": []uuid.UUID{h}})
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		s.url()+"/api/import/"+importID+"/parse", bytes.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("apikey", anonKey)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(answer)
}

func TestAParseWithAKeyStartsOnceOnTwoServers(t *testing.T) {
	t.Parallel()
	s := startService(t)
	other := s.with("HTTP_ADDR="+unusedAddress(t), "PUBLIC_URL=") // another `serve` over the same database
	other.start(t, "serve")
	eventually(t, "the other server is ready", func() bool {
		status, _ := other.get(t, "/readyz", "")
		return status == http.StatusOK
	})
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days because of missing receipts")
	editor, otherEditor := s.signIn(t, s.Editor), other.signIn(t, s.Editor)
	id := s.add(t, editor, "zoom.vtt", []byte(zoom))

	type reply struct {
		status int
		body   string
	}
	replies := make(chan reply)
	for range 3 {
		go func() {
			status, body := s.parseWithKey(t, editor, id, "k1", h)
			replies <- reply{status, body}
		}()
		go func() {
			status, body := other.parseWithKey(t, otherEditor, id, "k1", h)
			replies <- reply{status, body}
		}()
	}
	first := <-replies
	require.Equal(t, http.StatusOK, first.status, first.body)
	for range 5 {
		require.Equal(t, first, <-replies)
	}
	s.waitForStatus(t, editor, id, "parsed")
	status, body := other.parseWithKey(t, otherEditor, id, "k1", h)
	require.Equal(t, first, reply{status, body}, "it says the same after the run has ended")
}
