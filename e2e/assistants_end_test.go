package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// Assistants are answered by any of several servers, and lose their access on all of them at once.
func TestAssistantsOnSeveralServers(t *testing.T) {
	t.Parallel()
	in := startInstallation(t, "LIMIT_ADDRESS_CLIENTS=0", "OPENAI_BASE_URL=", "OPENAI_API_KEY=")
	servers := []string{in.url}
	for _, name := range []string{"second-serve", "third-serve"} {
		listen := unusedAddress(t)
		in.addProgram(t, name, "serve", "HTTP_ADDR="+listen, "PUBLIC_URL="+in.url)
		servers = append(servers, "http://"+listen)
	}
	in.start(t, "second-serve", "third-serve")
	balancer := newLoadBalancer(t, servers...)

	t.Run("fifty clients, without stickiness", func(t *testing.T) { serveFifty(t, in, balancer.url) })

	p := in.newProject(t)
	member := func(user uuid.UUID) *accessOf { return &accessOf{servers: servers, token: in.signInAs(t, user)} }

	t.Run("an app that its user removes", func(t *testing.T) {
		m := member(p.tenant.Admin)
		a := connectApp(t, in.url, m.token, allScopes)
		m.ends(t, a.access, func() {
			a.send(t, http.StatusNoContent, http.MethodDelete,
				"/auth/v1/user/oauth/grants?client_id="+a.id, m.token, nil)
		})
		a.send(t, http.StatusBadRequest, http.MethodPost, "/auth/v1/oauth/token", "", map[string]any{
			"grant_type": "refresh_token", "refresh_token": a.refresh, "client_id": a.id,
		})
	})

	t.Run("a personal access token that is revoked", func(t *testing.T) {
		m := member(p.tenant.Admin)
		made := makeToken(t, in.url, m.token, "research:read")
		m.ends(t, made.Token, func() {
			status, answer := exchangeJSON(t, http.MethodDelete, in.url+"/auth/v1/tokens/"+made.ID, m.token, nil)
			require.Equal(t, http.StatusNoContent, status, "%s", answer)
		})
	})

	for _, kind := range []string{"an app", "a personal access token"} {
		t.Run(kind+" of a user who changes the password", func(t *testing.T) {
			m := member(p.tenant.Owner)
			access := ""
			if kind == "an app" {
				access = connectApp(t, in.url, m.token, allScopes).access
			} else {
				access = makeToken(t, in.url, m.token, "research:read").Token
			}
			m.ends(t, access, func() {
				status, answer := exchangeJSON(t, http.MethodPut, in.url+"/auth/v1/user", m.token,
					map[string]any{"password": "another horse battery " + uuid.NewString()})
				require.Equal(t, http.StatusOK, status, "%s", answer)
			})
			in.query(t, `with restored as (update auth.users set encrypted_password = (
					select encrypted_password from auth.users where id = $2) where id = $1 returning id)
				select count(*)::text from restored`, p.tenant.Owner, p.tenant.Admin)
		})
	}

	t.Run("a member who is removed", func(t *testing.T) {
		m, owner := member(p.tenant.Viewer), member(p.tenant.Owner)
		access := connectApp(t, in.url, m.token, allScopes).access
		var sessions []*mcp.ClientSession
		for _, server := range servers {
			sessions = append(sessions, openAssistant(t, server, access))
		}
		project := p.tenant.Project.String()
		sees := func(session *mcp.ClientSession) bool {
			return strings.Contains(useTool(t, session, "list_projects", nil), project)
		}
		for _, session := range sessions {
			require.True(t, sees(session))
		}
		status, answer := exchangeJSON(t, http.MethodDelete, fmt.Sprintf(
			"%s/rest/v1/workspace_members?workspace_id=eq.%s&user_id=eq.%s", in.url, p.tenant.Workspace,
			p.tenant.Viewer), owner.token, nil)
		require.Equal(t, http.StatusNoContent, status, "%s", answer)
		removed := time.Now()
		for _, session := range sessions {
			requireWithin(t, removed, func() bool { return !sees(session) })
			text, failed := callTool(t, session, "get_hypotheses", map[string]any{"project": project})
			require.True(t, failed)
			require.Contains(t, text, "There is nothing with this id")
		}
	})
}

// signInAs returns the access token of a user of dbtest.
func (in *installation) signInAs(t testing.TB, user uuid.UUID) (token string) {
	t.Helper()
	email := dbtest.Value[string](t, in.db, `select email from auth.users where id = $1`, user)
	status, answer := in.post(t, "/auth/v1/token?grant_type=password", "", "application/json",
		fmt.Appendf(nil, `{"email": %q, "password": "correct horse"}`, email))
	require.Equal(t, http.StatusOK, status, "%v", answer)
	return answer["access_token"].(string)
}

// An accessOf a user is to several servers.
type accessOf struct {
	servers []string
	token   string // the user's own
}

// promise is how soon access ends everywhere: what the documentation says.
const promise = 3 * time.Second

// requireWithin requires that a condition holds whenever it is looked at later than the promise.
func requireWithin(t testing.TB, since time.Time, holds func() bool) {
	t.Helper()
	eventually(t, "access ends", func() bool {
		began := time.Now()
		ended := holds()
		require.True(t, ended || began.Sub(since) <= promise, "a request after %s is accepted", began.Sub(since))
		return ended
	})
}

// ends requires that a token is accepted by all servers, and by none of them soon after end.
func (m *accessOf) ends(t testing.TB, token string, end func()) {
	t.Helper()
	for _, server := range m.servers {
		require.Equal(t, http.StatusOK, toolStatus(t, server, token))
	}
	end()
	ended := time.Now()
	for _, server := range m.servers {
		requireWithin(t, ended, func() bool { return toolStatus(t, server, token) == http.StatusUnauthorized })
	}
}

// serveFifty lets clients of ten users use tools at the same time. Each request is sent to another server.
func serveFifty(t *testing.T, in *installation, url string) {
	const users, clientsOfUser, rounds = 10, 5, 10
	var clients sync.WaitGroup
	for range users {
		a := in.signUp(t)
		a.addTranscript(t, "talk.txt", turns(40))
		access := connectApp(t, in.url, a.token, allScopes).access
		for range clientsOfUser {
			clients.Go(func() {
				if err := useAssistant(t.Context(), url, access, a.project, rounds); err != nil {
					t.Error(err)
				}
			})
		}
	}
	clients.Wait()
}

// useAssistant reads the projects, of which there is one, and searches it.
func useAssistant(ctx context.Context, url, access, project string, rounds int) error {
	session, err := dialAssistant(ctx, url, access)
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	for range rounds {
		for tool, arguments := range map[string]map[string]any{
			"list_projects": {}, "search": {"query": "closed the books", "project": project},
		} {
			result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
			if err != nil {
				return err
			}
			text := result.Content[0].(*mcp.TextContent).Text
			if result.IsError || tool == "list_projects" && strings.Count(text, `"balance"`) != 1 ||
				tool == "search" && !strings.Contains(text, "closed the books") {
				return fmt.Errorf("%s: %s", tool, text)
			}
		}
	}
	return nil
}
