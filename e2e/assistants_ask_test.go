package e2e

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"research/activities/extract/modeltest"
	"research/db/dbtest"
)

// A tokenSender adds a token to requests.
type tokenSender string

func (s tokenSender) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(s))
	return http.DefaultTransport.RoundTrip(r)
}

// personalToken gives a user a token for an assistant.
func (s *service) personalToken(t testing.TB, user uuid.UUID) string {
	t.Helper()
	random := sha256.Sum256([]byte(uuid.NewString()))
	token := "rsp_" + base64.RawURLEncoding.EncodeToString(random[:])
	hash := sha256.Sum256([]byte(token))
	s.Exec(t, `insert into auth.personal_access_tokens (user_id, name, token_hash, scopes, expires_at)
		values ($1, 'A test', $2, '{research:read,research:write,research:ask}', now() + interval '1 day')`,
		user, hash[:])
	return token
}

// assistant connects a client of assistants. heard is called for each notification of progress.
func (s *service) assistant(
	t testing.TB, token string, heard func(*mcp.ProgressNotificationParams),
) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			heard(r.Params)
		},
	})
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: s.url() + "/mcp", HTTPClient: &http.Client{Transport: tokenSender(token)},
		DisableStandaloneSSE: true,
	}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// callTool calls a tool that must succeed.
func askTool(t testing.TB, session *mcp.ClientSession, name string, args map[string]any) map[string]any {
	t.Helper()
	params := &mcp.CallToolParams{Name: name, Arguments: args}
	params.SetProgressToken(name)
	called, err := session.CallTool(t.Context(), params)
	require.NoError(t, err)
	text := called.Content[0].(*mcp.TextContent).Text
	require.False(t, called.IsError, text)
	var result map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &result))
	return result
}

func TestAssistantsAskAndRecordEvidence(t *testing.T) {
	t.Parallel()
	model := newAskModel(t)
	s := startService(t, model.settings()...)
	editor := s.signIn(t, s.Editor)
	s.addInterviews(t, editor, 3)
	const question = "What happens to lost receipts, as an assistant asks?"
	gate := make(chan struct{})
	model.when(question, modeltest.AskSlowly(gate))
	heard := make(chan *mcp.ProgressNotificationParams, 100)
	token := s.personalToken(t, s.Editor)
	session := s.assistant(t, token, func(p *mcp.ProgressNotificationParams) { heard <- p })
	go func() {
		gate <- struct{}{}
		for range 2 { // the model writes on once the client has heard of progress
			select {
			case <-heard:
			case <-t.Context().Done():
			}
		}
		close(gate)
	}()
	args := map[string]any{"project": s.Project.String(), "question": question}
	answer := askTool(t, session, "ask_interviews", args)
	require.Equal(t, "answered", answer["status"], "%v", answer["next"])
	sentences := answer["sentences"].([]any)
	require.NotEmpty(t, sentences)
	_, served := s.get(t, "/api/answer/"+answer["answer_id"].(string), editor)
	require.Equal(t, s.Editor.String(), served["createdBy"])
	require.Len(t, served["sentences"], len(sentences))
	require.Equal(t, answer["answer_id"], askTool(t, session, "ask_interviews", args)["answer_id"])

	quote := sentences[0].(map[string]any)["quotes"].([]any)[0].(map[string]any)
	hypothesis := askTool(t, session, "add_hypothesis", map[string]any{
		"project": s.Project.String(), "text": "People pay for receipts that they lose",
	})
	recorded := askTool(t, session, "record_evidence", map[string]any{
		"hypothesis": hypothesis["id"], "import": quote["id"], "quote": quote["quote"], "stance": "supports",
	})
	require.Equal(t, quote["quote"], recorded["quote"])
	require.Equal(t, "verbatim", recorded["match"])
	var rows []struct{ Origin, Review, Match string }
	s.readRows(t, editor, "evidence?select=origin,review,match&id=eq."+
		strings.TrimPrefix(recorded["id"].(string), "evidence:"), &rows)
	require.Equal(t, []struct{ Origin, Review, Match string }{{"human", "accepted", "verbatim"}}, rows)

	// Who stops waiting does not stop the answer.
	const other = "What happens to lost receipts, if nobody waits?"
	slow := make(chan struct{})
	model.when(other, modeltest.AskSlowly(slow))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		slow <- struct{}{}
		cancel()
		close(slow)
	}()
	_, err := session.CallTool(ctx, &mcp.CallToolParams{
		Name: "ask_interviews", Arguments: map[string]any{"project": s.Project.String(), "question": other},
	})
	require.Error(t, err)
	id := dbtest.Value[uuid.UUID](t, s.DB, `select id from answers where question = $1`, other)
	s.waitForAnswer(t, editor, id.String(), "answered")
}
