package imports_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/admission"
	"research/api/imports"
	"research/api/reference/contract"
	"research/api/token"
	"research/api/token/tokentest"
	"research/db/dbtest"
	"research/temporalclient"
)

// A noParser starts nothing.
type noParser struct{}

func (noParser) Available(context.Context) error { return nil }

func (noParser) StartParse(context.Context, temporalclient.ParseRequest) (temporalclient.Run, error) {
	return temporalclient.Run{}, temporalclient.ErrUnavailable
}

func (noParser) CancelParse(context.Context, uuid.UUID) error { return temporalclient.ErrNotRunning }

// A fakeEstimator estimates a call of a thousand tokens for each hypothesis.
type fakeEstimator struct{}

func (fakeEstimator) EstimateParse(
	_ context.Context, _ uuid.UUID, hypotheses []uuid.UUID, _ bool,
) (imports.Estimate, error) {
	n := len(hypotheses)
	return imports.Estimate{Calls: n, InputTokens: int64(900 * n), OutputTokens: int64(100 * n)}, nil
}

// An uploads serves /api/import over a database of its own.
type uploads struct {
	*dbtest.DB
	dbtest.Tenant
	tokens *tokentest.Issuer
	url    string
}

func serveUploads(t *testing.T, change func(*imports.Deps)) *uploads {
	t.Helper()
	u := &uploads{DB: dbtest.New(t)}
	u.Tenant = u.DB.Tenant(t)
	u.serve(t, change)
	return u
}

// serve starts a server of its own over the same database. Requests go to it from now on.
func (u *uploads) serve(t *testing.T, change func(*imports.Deps)) {
	t.Helper()
	u.tokens = tokentest.New(t, u.Store, token.KeysConfig{})
	deps := imports.Deps{
		Store: u.Store, Parser: noParser{}, Estimator: fakeEstimator{}, Authenticator: u.tokens.Authenticator,
		Log: slog.New(slog.DiscardHandler),
	}
	change(&deps)
	handler, err := imports.New(deps)
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	u.url = server.URL
}

// send uploads a form as a user, and returns the status and the code of the error.
func (u *uploads) send(
	t *testing.T, user uuid.UUID, contentType string, form io.Reader,
) (status int, code string) {
	t.Helper()
	return u.sendTo(t, "/", user, contentType, form)
}

func (u *uploads) sendTo(
	t *testing.T, path string, user uuid.UUID, contentType string, form io.Reader,
) (status int, code string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, u.url+path, form)
	require.NoError(t, err)
	req.Header.Set("Content-Type", contentType)
	return u.do(t, user, req)
}

// do makes a request as a user, and returns the status and the code of the error.
func (u *uploads) do(t *testing.T, user uuid.UUID, req *http.Request) (status int, code string) {
	t.Helper()
	req.Header.Set("apikey", tokentest.AnonKey)
	req.Header.Set("Authorization", "Bearer "+u.tokens.AccessToken(t, user))
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	checkContract(t, resp, raw)
	var answer struct{ Error string }
	require.NoError(t, json.Unmarshal(raw, &answer))
	return resp.StatusCode, answer.Error
}

// checkContract compares an answer with the API's reference.
func checkContract(t *testing.T, resp *http.Response, body []byte) {
	t.Helper()
	contract.Check(t, contract.Exchange{
		Method: resp.Request.Method, Path: "/api/import" + resp.Request.URL.RequestURI(),
		Status: resp.StatusCode, Header: resp.Header, Body: body,
	})
}

// begin returns a form whose file has begun and does not end until the channel is closed.
func (u *uploads) begin(ended <-chan struct{}) (contentType string, body io.Reader) {
	reader, writer := io.Pipe()
	form := multipart.NewWriter(writer)
	go func() {
		_ = form.WriteField("project_id", u.Project.String())
		if file, err := form.CreateFormFile("file", "a.txt"); err == nil {
			_, _ = io.WriteString(file, "Ada: We pay too much.\n")
		}
		<-ended
		_ = form.Close()
		_ = writer.Close()
	}()
	return form.FormDataContentType(), reader
}

// endless is a form whose file does not end until the server stops to read it. sent counts its bytes.
func (u *uploads) endless() (contentType string, body io.Reader, sent *atomic.Int64) {
	reader, writer := io.Pipe()
	form := multipart.NewWriter(writer)
	sent = &atomic.Int64{}
	go func() {
		_ = form.WriteField("project_id", u.Project.String())
		file, err := form.CreateFormFile("file", "a.txt")
		for text := bytes.Repeat([]byte("Ada: Yes.\n"), 1000); err == nil; {
			var n int
			n, err = file.Write(text)
			sent.Add(int64(n))
		}
	}()
	return form.FormDataContentType(), reader, sent
}

// file is a complete form, with the project in front of the file or after it.
func (u *uploads) file(t *testing.T, text string, projectLast bool) (string, io.Reader) {
	t.Helper()
	var buffer bytes.Buffer
	form := multipart.NewWriter(&buffer)
	if !projectLast {
		require.NoError(t, form.WriteField("project_id", u.Project.String()))
	}
	file, err := form.CreateFormFile("file", "a.txt")
	require.NoError(t, err)
	_, err = io.WriteString(file, text)
	require.NoError(t, err)
	if projectLast {
		require.NoError(t, form.WriteField("project_id", u.Project.String()))
	}
	require.NoError(t, form.Close())
	return form.FormDataContentType(), &buffer
}

func TestUploadsAreAuthorizedBeforeTheyAreRead(t *testing.T) {
	t.Parallel()
	u := serveUploads(t, func(*imports.Deps) {})
	stranger := u.User(t, "stranger@example.com")
	for _, user := range []uuid.UUID{stranger, u.Viewer} {
		contentType, body, sent := u.endless()
		status, code := u.send(t, user, contentType, body)
		require.Equal(t, http.StatusForbidden, status)
		require.Equal(t, "forbidden", code)
		require.Less(t, sent.Load(), int64(8<<20), "the answer does not wait for the file")

		contentType, body = u.file(t, "\x00\x01 not a transcript", true)
		status, _ = u.send(t, user, contentType, body)
		require.Equal(t, http.StatusForbidden, status, "the file is not parsed")
	}
	contentType, body := u.file(t, "Ada: We pay too much.\n", true)
	status, _ := u.send(t, u.Editor, contentType, body)
	require.Equal(t, http.StatusCreated, status)
}

func TestUploadsAreLimited(t *testing.T) {
	t.Parallel()

	t.Run("within an hour", func(t *testing.T) {
		t.Parallel()
		u := serveUploads(t, func(d *imports.Deps) { d.UploadLimit, d.WorkspaceUploadLimit = 2, 3 })
		upload := func(user uuid.UUID) (int, string) {
			contentType, body := u.file(t, "Ada: We pay too much.\n", false)
			return u.send(t, user, contentType, body)
		}
		for _, user := range []uuid.UUID{u.Editor, u.Editor, u.Admin} {
			status, _ := upload(user)
			require.Equal(t, http.StatusCreated, status)
		}
		for _, user := range []uuid.UUID{u.Editor, u.Admin, u.Owner} {
			status, code := upload(user)
			require.Equal(t, http.StatusTooManyRequests, status)
			require.Equal(t, "too_many_uploads", code)
		}
	})

	t.Run("as dry runs", func(t *testing.T) {
		t.Parallel()
		u := serveUploads(t, func(d *imports.Deps) { d.UploadLimit = 1 })
		dryRun := func(user uuid.UUID) (int, string) {
			contentType, body := u.file(t, "Ada: We pay too much.\n", false)
			return u.sendTo(t, "/?dry_run=true", user, contentType, body)
		}
		for range 5 {
			status, _ := dryRun(u.Editor)
			require.Equal(t, http.StatusOK, status)
		}
		status, code := dryRun(u.Editor)
		require.Equal(t, http.StatusTooManyRequests, status)
		require.Equal(t, "too_many_uploads", code)
		status, _ = dryRun(u.Admin)
		require.Equal(t, http.StatusOK, status, "of another user")
	})

	t.Run("at the same time", func(t *testing.T) {
		t.Parallel()
		u := serveUploads(t, func(d *imports.Deps) {
			d.Uploads = admission.New(
				admission.Config{Slots: 1, WorkspaceSlots: 1, UserRequests: 1, MaxWait: time.Minute},
				func(context.Context, uuid.UUID) (uuid.UUID, error) { return oneWorkspace, nil })
		})
		first, ended := make(chan int, 1), make(chan struct{})
		go func() {
			status := http.StatusTooManyRequests
			defer func() { first <- status }()         // also where the upload ends the goroutine
			for status == http.StatusTooManyRequests { // while one of those below is under way
				contentType, body := u.begin(ended)
				status, _ = u.send(t, u.Editor, contentType, body)
			}
		}()
		contentType, _ := u.file(t, "", false)
		require.Eventually(t, func() bool {
			status, code := u.send(t, u.Editor, contentType, bytes.NewReader(nil))
			return status == http.StatusTooManyRequests && code == "too_many_uploads"
		}, time.Minute, 10*time.Millisecond)
		contentType, body := u.file(t, "Ada: We pay too much.\n", false)
		status, _ := u.send(t, u.Admin, contentType, body)
		require.Equal(t, http.StatusCreated, status, "another user's upload does not wait for one that trickles")
		close(ended)
		require.Equal(t, http.StatusCreated, <-first)
	})
}

func TestReadsOfImportsTakeTurnsWithTheDataAPI(t *testing.T) {
	t.Parallel()
	queue := admission.New(admission.Config{Slots: 1, WorkspaceSlots: 1, UserRequests: 2},
		func(_ context.Context, user uuid.UUID) (uuid.UUID, error) { return user, nil })
	u := serveUploads(t, func(d *imports.Deps) { d.Statements = queue })
	get := func(path string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u.url+path, nil)
		require.NoError(t, err)
		return u.do(t, u.Editor, req)
	}
	ticket, err := queue.Enter(t.Context(), admission.Caller{User: u.Owner})
	require.NoError(t, err)
	require.NoError(t, ticket.Work(t.Context()))
	for _, path := range []string{"/" + uuid.NewString(), "/" + uuid.NewString() + "/runs"} {
		status, code := get(path)
		require.Equal(t, http.StatusTooManyRequests, status, path)
		require.Equal(t, "too_many_requests", code)
	}
	ticket.Leave()
	status, code := get("/" + uuid.NewString())
	require.Equal(t, http.StatusNotFound, status)
	require.Equal(t, "import_not_found", code)
}

// oneWorkspace is the workspace of all callers.
var oneWorkspace = uuid.UUID{1}
