//go:build cluster

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

// An api is an installation as its clients know it.
type api struct {
	url, anonKey string
	http         *http.Client
}

func (c *cluster) api() *api {
	return newAPI("http://"+c.at.api, c.secrets["ANON_KEY"])
}

func newAPI(url, anonKey string) *api {
	return &api{url: url, anonKey: anonKey, http: &http.Client{
		Timeout:   time.Minute,
		Transport: &http.Transport{MaxIdleConnsPerHost: 64},
	}}
}

// A request is what a client sends.
type request struct {
	method, path, contentType string
	header                    map[string]string
	body                      []byte
}

func get(path string) request { return request{method: http.MethodGet, path: path} }

// post is a request with a JSON body.
func post(path string, body any) request {
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err) // our own maps and slices
	}
	return request{method: http.MethodPost, path: path, contentType: "application/json", body: raw}
}

// An answer is what a client gets.
type answer struct {
	status int // 0: there was no answer
	body   []byte
}

func (a *api) send(ctx context.Context, token string, r request) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, a.url+r.path, bytes.NewReader(r.body))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("apikey", a.anonKey)
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for name, value := range r.header {
		req.Header.Set(name, value)
	}
	resp, err := a.http.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return answer{status: resp.StatusCode, body: body}, err
}

// expect sends a request once, and returns an error unless the answer has the status. It fills into, if not
// nil.
func (a *api) expect(ctx context.Context, token string, status int, r request, into any) error {
	got, err := a.send(ctx, token, r)
	if err != nil {
		return err
	}
	if got.status != status {
		return fmt.Errorf("%s %s: %d %s", r.method, r.path, got.status, got.body)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(got.body, into)
}

// A member is a person with a workspace, a project and a hypothesis of their own.
type member struct {
	*api
	email, password                string
	token                          string
	workspace, project, hypothesis string
}

// signUp makes a member by the API alone.
func signUp(t *testing.T, a *api) *member {
	t.Helper()
	m := &member{api: a, email: uuid.NewString() + "@example.com", password: "a fine long passphrase"}
	var session struct {
		AccessToken string `json:"access_token"`
	}
	r := post("/auth/v1/signup", map[string]string{"email": m.email, "password": m.password})
	require.NoError(t, a.expect(t.Context(), "", http.StatusOK, r, &session))
	m.token = session.AccessToken
	m.workspace = m.insert(t, "workspaces", map[string]string{"name": "Bakers"})
	m.project = m.insert(t, "projects", map[string]string{"workspace_id": m.workspace, "name": "Books"})
	m.hypothesis = m.insert(t, "hypotheses", map[string]string{
		"project_id": m.project, "statement": "Closing the books takes days because receipts are missing",
	})
	return m
}

// insert adds a row by the data API, and returns its id.
func (m *member) insert(t *testing.T, table string, row map[string]string) string {
	t.Helper()
	r := post("/rest/v1/"+table+"?select=id", row)
	r.header = map[string]string{"Prefer": "return=representation"}
	var rows []struct{ ID string }
	require.NoError(t, m.expect(t.Context(), m.token, http.StatusCreated, r, &rows))
	require.Len(t, rows, 1)
	return rows[0].ID
}

// interview is a transcript in which the hypothesis is supported once in a hundred turns. 420 turns are two
// chunks.
func interview(turns int) []byte {
	var b strings.Builder
	for i := range turns {
		speaker := []string{"Dana", "Omar"}[i%2]
		fmt.Fprintf(&b, "%s: In week %d we exported the statement, and somebody sorted a column.\n\n", speaker, i)
		if i%100 == 50 {
			b.WriteString("Omar: Closing the books takes us five days because receipts are missing.\n\n")
		}
	}
	return []byte(b.String())
}

// upload is the request that stores a transcript. The service answers a repeated one as it answered the
// first.
func (m *member) upload(transcript []byte) request {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	_ = w.WriteField("project_id", m.project) // to memory
	part, _ := w.CreateFormFile("file", "interview.txt")
	_, _ = part.Write(transcript)
	_ = w.Close()
	return request{
		method: http.MethodPost, path: "/api/import", contentType: w.FormDataContentType(), body: form.Bytes(),
		header: map[string]string{"Idempotency-Key": uuid.NewString()},
	}
}

// parse is the request that starts a parse.
func (m *member) parse(importID string) request {
	r := post("/api/import/"+importID+"/parse", map[string][]string{"hypothesisIds": {m.hypothesis}})
	r.header = map[string]string{"Idempotency-Key": uuid.NewString()}
	return r
}

// uploadAll uploads copies of a transcript, and returns their ids.
func (m *member) uploadAll(t *testing.T, count int, transcript []byte) []string {
	t.Helper()
	ids := make([]string, count)
	var group errgroup.Group
	group.SetLimit(8)
	for i := range ids {
		group.Go(func() error {
			var stored struct{ ImportID string }
			err := m.expect(t.Context(), m.token, http.StatusCreated, m.upload(transcript), &stored)
			ids[i] = stored.ImportID
			return err
		})
	}
	require.NoError(t, group.Wait())
	return ids
}

// parseAll starts the parse of all of them.
func (m *member) parseAll(t *testing.T, ids []string) {
	t.Helper()
	var group errgroup.Group
	group.SetLimit(16)
	for _, id := range ids {
		group.Go(func() error { return m.expect(t.Context(), m.token, http.StatusOK, m.parse(id), nil) })
	}
	require.NoError(t, group.Wait())
}

// parsePatiently is parseAll for an installation that may answer 503: each request is sent again until it is
// taken.
func (m *member) parsePatiently(t *testing.T, ids []string) {
	t.Helper()
	for _, id := range ids {
		r := m.parse(id)
		eventually(t, "import "+id+" is taken", func() bool {
			got, err := m.send(t.Context(), m.token, r)
			return err == nil && got.status == http.StatusOK
		})
	}
}

// statuses counts the imports of the project by their status.
func (m *member) statuses(t *testing.T) map[string]int {
	t.Helper()
	var rows []struct{ Status string }
	r := get("/rest/v1/imports?select=status&project_id=eq." + m.project)
	require.NoError(t, m.expect(t.Context(), m.token, http.StatusOK, r, &rows))
	counts := map[string]int{}
	for _, row := range rows {
		counts[row.Status]++
	}
	return counts
}

// waitUntilParsed waits for all imports of the project. No other end will do.
func (m *member) waitUntilParsed(t *testing.T, count int) {
	t.Helper()
	eventually(t, "all imports are parsed", func() bool {
		counts := m.statuses(t)
		onTheWay := counts["uploaded"] + counts["queued"] + counts["parsing"]
		require.Equal(t, count, onTheWay+counts["parsed"], "%v", counts)
		return counts["parsed"] == count
	})
}
