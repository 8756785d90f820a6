package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// A queueMember asks for parses in a workspace.
type queueMember struct {
	*service
	token string // an editor's
}

// A queuedImport is an import and the hypothesis that it is to be parsed for.
type queuedImport struct {
	id         string
	hypothesis uuid.UUID
}

func (m queueMember) addImport(t *testing.T) queuedImport {
	t.Helper()
	return queuedImport{
		id:         m.add(t, m.token, "zoom.vtt", []byte(zoom)),
		hypothesis: m.Hypothesis(t, m.Tenant, "Closing the books takes days"),
	}
}

// requestParse returns the status, the error code and Retry-After of the answer.
func (m queueMember) requestParse(t *testing.T, i queuedImport) (status int, code, retryAfter string) {
	t.Helper()
	body := strings.NewReader(`{"hypothesisIds": ["` + i.hypothesis.String() + `"]}`)
	req, err := http.NewRequestWithContext(
		context.Background(), http.MethodPost, m.url()+"/api/import/"+i.id+"/parse", body)
	require.NoError(t, err)
	req.Header.Set("apikey", anonKey)
	req.Header.Set("Authorization", "Bearer "+m.token)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	var answer struct{ Error string }
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&answer))
	return resp.StatusCode, answer.Error, resp.Header.Get("Retry-After")
}

func (m queueMember) requireQueued(t *testing.T) queuedImport {
	t.Helper()
	i := m.addImport(t)
	m.startParse(t, m.token, i.id, i.hypothesis)
	return i
}

// requireQueueFull requires that a parse is rejected, and that the import is unchanged.
func (m queueMember) requireQueueFull(t *testing.T) queuedImport {
	t.Helper()
	i := m.addImport(t)
	status, code, retryAfter := m.requestParse(t, i)
	require.Equal(t, http.StatusTooManyRequests, status)
	require.Equal(t, "queue_full", code)
	require.Equal(t, "30", retryAfter)
	_, imported := m.get(t, "/api/import/"+i.id, m.token)
	require.Equal(t, "uploaded", imported["status"])
	require.Nil(t, imported["workflowId"])
	return i
}

// The queue is full for one workspace first, then for all of them.
func TestFullQueue(t *testing.T) {
	t.Parallel()
	s := startAPI(t, "PARSE_QUEUE_LIMIT=3", "PARSE_QUEUE_LIMIT_WORKSPACE=2")
	other := s.with()
	other.Tenant = s.DB.Tenant(t)
	member := queueMember{s, s.signIn(t, s.Editor)}
	otherMember := queueMember{other, other.signIn(t, other.Editor)}

	member.requireQueued(t)
	queued := member.requireQueued(t)
	status, code, _ := member.requestParse(t, queued)
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Equal(t, "import_already_parsing", code, "what is wrong with the import itself comes first")
	later := member.requireQueueFull(t)
	otherMember.requireQueued(t)
	otherMember.requireQueueFull(t)

	s.startWorker(t)
	eventually(t, "the queue is empty", func() bool {
		return dbtest.Value[int](t, s.DB, `select count(*) from imports where status = 'parsed'`) == 3
	})
	member.startParse(t, member.token, later.id, later.hypothesis)
}
