package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"research/cli"
	"research/docs"
)

func TestAssistant(t *testing.T) {
	t.Parallel()
	s := startAPI(t, "MCP_LIMIT=5")
	owner, editor := s.signIn(t, s.Owner), s.signIn(t, s.Editor)
	reads := connectApp(t, s.url(), editor, "research:read")
	session := openAssistant(t, s.url(), reads.access)

	t.Run("has the tools, and its calls are recorded", func(t *testing.T) {
		tools, err := session.ListTools(t.Context(), nil)
		require.NoError(t, err)
		guide, err := docs.Guides.ReadFile("assistants.md")
		require.NoError(t, err)
		for _, tool := range tools.Tools {
			require.Regexp(t, `(?m)^\| .*`+"`"+tool.Name+"`"+`.*research:`, string(guide), "the guide lists all tools")
			require.NotNil(t, tool.Annotations.DestructiveHint, tool.Name)
			require.False(t, *tool.Annotations.DestructiveHint, tool.Name)
		}
		require.NotEmpty(t, session.InitializeResult().ServerInfo.Version)
		require.Contains(t, useTool(t, session, "list_projects", nil), s.Project.String())
		s.add(t, editor, "talk.vtt", []byte(zoom))
		found := useTool(t, session, "search", map[string]any{"query": "missing receipts"})
		require.Contains(t, found, "Closing the books takes us five days")
		var records []struct{ Action string }
		const byApp = "&client=eq.An%20app&order=occurred_at"
		s.readRows(t, owner, "rpc/audit_log?workspace="+s.Workspace.String()+byApp, &records)
		require.Len(t, records, 3)
		require.Equal(t, "app_connected", records[0].Action)
		require.Equal(t, "mcp.list_projects", records[1].Action)
		require.Equal(t, "mcp.search", records[2].Action)
	})

	t.Run("keeps its access with new tokens", func(t *testing.T) {
		old := reads.refresh
		reads.exchange(t, map[string]any{
			"grant_type": "refresh_token", "refresh_token": old, "client_id": reads.id,
		})
		require.NotEqual(t, old, reads.refresh)
		require.Equal(t, http.StatusOK, toolStatus(t, s.url(), reads.access))
	})

	t.Run("uses its token nowhere else, and a user's token is none", func(t *testing.T) {
		for _, path := range []string{
			"/rest/v1/projects", "/api/account/export", "/auth/v1/user", "/auth/v1/tokens", "/api/events",
		} {
			status, answer := exchangeJSON(t, http.MethodGet, s.url()+path, reads.access, nil)
			require.Contains(t, []int{http.StatusUnauthorized, http.StatusForbidden}, status, "%s: %s", path, answer)
		}
		for _, token := range []string{editor, anonKey, serviceKey, "rsp_" + strings.Repeat("x", 43)} {
			require.Equal(t, http.StatusUnauthorized, toolStatus(t, s.url(), token))
		}
	})

	t.Run("is bridged by research mcp", func(t *testing.T) {
		personal := s.makeToken(t, editor, "research:read")
		session := s.bridge(t, personal)
		require.Contains(t, useTool(t, session, "list_projects", nil), s.Project.String())
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{
			Name:      "add_hypothesis",
			Arguments: map[string]any{"project": s.Project.String(), "text": "Books take days"},
		})
		require.ErrorContains(t, err, "RESEARCH_TOKEN lacks a scope. "+
			"Make a token with research:read and research:write")
	})

	t.Run("stops at the limit of the user", func(t *testing.T) {
		text, failed := "", false
		for calls := 0; !failed; calls++ {
			require.Less(t, calls, 6)
			text, failed = callTool(t, session, "list_projects", nil)
		}
		require.Contains(t, text, "The user's 5 tool calls of an hour are used up. The next one is possible in ")
		others := openAssistant(t, s.url(), connectApp(t, s.url(), s.signIn(t, s.Viewer), allScopes).access)
		require.Contains(t, useTool(t, others, "list_projects", nil), s.Project.String())
	})
}

// makeToken makes a personal access token of the user with this access token.
func (s *service) makeToken(t testing.TB, userToken string, scopes ...string) (token string) {
	t.Helper()
	return makeToken(t, s.url(), userToken, scopes...).Token
}

type personalToken struct{ ID, Token string }

func makeToken(t testing.TB, url, userToken string, scopes ...string) (made personalToken) {
	t.Helper()
	status, answer := exchangeJSON(t, http.MethodPost, url+"/auth/v1/tokens", userToken,
		map[string]any{"name": "A script", "scopes": scopes})
	require.Equal(t, http.StatusCreated, status, "%s", answer)
	require.NoError(t, json.Unmarshal(answer, &made))
	return made
}

// bridge runs `research mcp`, and connects a client that speaks over its pipes.
func (s *service) bridge(t testing.TB, token string) *mcp.ClientSession {
	t.Helper()
	fromClient, toBridge := io.Pipe()
	fromBridge, toClient := io.Pipe()
	done := make(chan int, 1)
	system := s.with("RESEARCH_TOKEN="+token, "PUBLIC_URL="+s.url()).system(fromClient, toClient, s.logs)
	go func() { done <- cli.Run(t.Context(), []string{"mcp"}, system) }()
	client := mcp.NewClient(&mcp.Implementation{Name: "local", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromBridge, Writer: toBridge}, nil)
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = session.Close()
		require.Zero(t, <-done)
	})
	return session
}

// A workspace that requires a second factor is there for apps and tokens that were given access with one.
func TestAssistantsAndSecondFactors(t *testing.T) {
	t.Parallel()
	s := startAPI(t)
	editor, owner := s.signIn(t, s.Editor), s.signIn(t, s.Owner)
	withoutFactor := map[string]string{
		"an app":  connectApp(t, s.url(), editor, allScopes).access,
		"a token": s.makeToken(t, editor, "research:read"),
	}
	sees := func(token string) bool {
		t.Helper()
		listed := useTool(t, openAssistant(t, s.url(), token), "list_projects", nil)
		return strings.Contains(listed, s.Project.String())
	}
	for name, token := range withoutFactor {
		require.True(t, sees(token), name)
	}

	owner = s.enrollFactor(t, owner)
	withFactor := map[string]string{
		"an app":  connectApp(t, s.url(), owner, allScopes).access,
		"a token": s.makeToken(t, owner, "research:read"),
	}
	workspace := s.url() + "/rest/v1/workspaces?id=eq." + s.Workspace.String()
	status, answer := exchangeJSON(t, http.MethodPatch, workspace, owner, map[string]any{"require_mfa": true})
	require.Equal(t, http.StatusNoContent, status, "%s", answer)
	for name, token := range withoutFactor {
		require.False(t, sees(token), name)
		text, failed := callTool(t, openAssistant(t, s.url(), token), "get_hypotheses",
			map[string]any{"project": s.Project.String()})
		require.True(t, failed)
		require.Contains(t, text, "There is nothing with this id")
	}
	for name, token := range withFactor {
		require.True(t, sees(token), name)
	}
}

// enrollFactor gives a user a second factor, and returns the access token of a session with it.
func (s *service) enrollFactor(t testing.TB, token string) (aal2 string) {
	t.Helper()
	send := func(path string, body any) (answer map[string]any) {
		t.Helper()
		status, raw := exchangeJSON(t, http.MethodPost, s.url()+"/auth/v1/factors"+path, token, body)
		require.Equal(t, http.StatusOK, status, "%s", raw)
		require.NoError(t, json.Unmarshal(raw, &answer))
		return answer
	}
	factor := send("", map[string]any{"factor_type": "totp", "friendly_name": "phone"})
	id := factor["id"].(string)
	challenge := send("/"+id+"/challenge", nil)
	code, err := totp.GenerateCode(factor["totp"].(map[string]any)["secret"].(string), time.Now())
	require.NoError(t, err)
	verified := send("/"+id+"/verify", map[string]any{"challenge_id": challenge["id"], "code": code})
	return verified["access_token"].(string)
}

func TestWithoutAssistants(t *testing.T) {
	t.Parallel()
	paths := []string{
		"/mcp", "/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp",
	}
	servers := []string{
		"/auth/v1/oauth/clients/register", "/auth/v1/oauth/token",
		"/.well-known/oauth-authorization-server/auth/v1",
	}
	for setting, missing := range map[string][]string{
		"MCP=off": paths, "IDENTITY=off": slices.Concat(paths, servers),
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			s := startAPI(t, setting, "JWT_SECRET="+strings.Repeat("s", 32))
			for _, path := range missing {
				for _, method := range []string{http.MethodGet, http.MethodPost} {
					status, answer := exchangeJSON(t, method, s.url()+path, "", nil)
					require.Contains(t, []int{http.StatusNotFound, http.StatusMethodNotAllowed}, status,
						"%s %s: %s", method, path, answer)
				}
			}
			status, answer := exchangeJSON(t, http.MethodPost, s.url()+"/mcp", "", nil)
			require.Equal(t, http.StatusNotFound, status)
			require.Contains(t, string(answer), setting)
			_, page := exchangeJSON(t, http.MethodGet, s.url()+"/config.json", "", nil)
			require.NotContains(t, string(page), "/mcp")
		})
	}
}
