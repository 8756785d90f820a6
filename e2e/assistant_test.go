package e2e

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// allScopes are those of an assistant that may use every tool.
const allScopes = "research:read research:write research:ask"

// An app is an assistant that registered itself, and that a user has given access.
type app struct {
	url, id         string // of the service; of the app
	access, refresh string // its tokens
}

// connectApp does what an app, a browser and the user with this access token do until the app has access.
func connectApp(t testing.TB, url, userToken, scope string) *app {
	t.Helper()
	return connectAppTo(t, url+"/mcp", url, userToken, scope)
}

// connectAppTo is connectApp for a resource. Without one, the app may only read who the user is.
func connectAppTo(t testing.TB, resource, url, userToken, scope string) *app {
	t.Helper()
	const redirect = "https://app.example/callback"
	a := &app{url: url}
	registered := a.send(t, http.StatusCreated, http.MethodPost, "/auth/v1/oauth/clients/register", "",
		map[string]any{
			"client_name": "An app", "redirect_uris": []string{redirect}, "token_endpoint_auth_method": "none",
		})
	a.id = registered["client_id"].(string)

	verifier := uuid.NewString() + uuid.NewString()
	challenge := sha256.Sum256([]byte(verifier))
	asked := a.begin(t, map[string]string{
		"response_type": "code", "client_id": a.id, "redirect_uri": redirect, "scope": scope, "state": "x",
		"resource": resource, "code_challenge_method": "S256",
		"code_challenge": base64.RawURLEncoding.EncodeToString(challenge[:]),
	})
	path := "/auth/v1/oauth/authorizations/" + asked.Query().Get("authorization_id")
	a.send(t, http.StatusOK, http.MethodGet, path, userToken, nil)
	allowed := a.send(t, http.StatusOK, http.MethodPost, path+"/consent", userToken,
		map[string]any{"action": "approve"})
	a.exchange(t, map[string]any{
		"grant_type": "authorization_code", "client_id": a.id, "redirect_uri": redirect,
		"code":          parseURL(t, allowed["redirect_url"].(string)).Query().Get("code"),
		"code_verifier": verifier, "resource": resource,
	})
	return a
}

// begin sends the browser to the service, and returns where that sends it.
func (a *app) begin(t testing.TB, parameters map[string]string) *url.URL {
	t.Helper()
	query := url.Values{}
	for name, value := range parameters {
		query.Set(name, value)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		a.url+"/auth/v1/oauth/authorize?"+query.Encode(), nil)
	require.NoError(t, err)
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	response, err := browser.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusFound, response.StatusCode)
	return parseURL(t, response.Header.Get("Location"))
}

// exchange gets tokens for what the app has.
func (a *app) exchange(t testing.TB, with map[string]any) {
	t.Helper()
	tokens := a.send(t, http.StatusOK, http.MethodPost, "/auth/v1/oauth/token", "", with)
	a.access, a.refresh = tokens["access_token"].(string), tokens["refresh_token"].(string)
}

// send sends JSON, and requires a status.
func (a *app) send(
	t testing.TB, status int, method, path, bearer string, body any,
) (answer map[string]any) {
	t.Helper()
	got, raw := exchangeJSON(t, method, a.url+path, bearer, body)
	require.Equal(t, status, got, "%s %s: %s", method, path, raw)
	if len(raw) > 0 {
		require.NoError(t, json.Unmarshal(raw, &answer), "%s", raw)
	}
	return answer
}

// exchangeJSON sends JSON as supabase-js does, and returns what comes back. The header is pairs of names and
// values.
func exchangeJSON(
	t testing.TB, method, url, bearer string, body any, header ...string,
) (status int, answer []byte) {
	t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(raw))
	require.NoError(t, err)
	request.Header.Set("apikey", anonKey)
	request.Header.Set("Content-Type", "application/json")
	if bearer != "" {
		request.Header.Set("Authorization", "Bearer "+bearer)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	answer, err = io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, answer
}

func parseURL(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	require.NoError(t, err)
	return u
}

// A bearer is a transport that sends a token with every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// openAssistant connects the SDK's client to the service at url, with the token of an app or a personal one.
func openAssistant(t testing.TB, url, token string) *mcp.ClientSession {
	t.Helper()
	session, err := dialAssistant(t.Context(), url, token)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return session
}

func dialAssistant(ctx context.Context, url, token string) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, nil)
	return client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)}, DisableStandaloneSSE: true,
	}, nil)
}

// callTool calls a tool, and returns the text of its result, and whether that is an error.
func callTool(
	t testing.TB, session *mcp.ClientSession, name string, arguments map[string]any,
) (text string, failed bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	require.NoError(t, err, "%s %v", name, arguments)
	var b strings.Builder
	for _, content := range result.Content {
		if text, is := content.(*mcp.TextContent); is {
			b.WriteString(text.Text)
		}
	}
	return b.String(), result.IsError
}

// useTool is callTool for a call that succeeds.
func useTool(t testing.TB, session *mcp.ClientSession, name string, arguments map[string]any) (text string) {
	t.Helper()
	text, failed := callTool(t, session, name, arguments)
	require.False(t, failed, "%s %v: %s", name, arguments, text)
	return text
}

// toolStatus is the status of a call of list_projects with this token.
func toolStatus(t testing.TB, url, token string) (status int) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/mcp", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_projects","arguments":{}}}`))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode
}
