package imports_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/imports"
	"research/api/token/tokentest"
	"research/db"
	"research/db/dbtest"
	"research/temporalclient"
)

// A reply is what a request was answered.
type reply struct {
	status int
	header http.Header
	body   string
}

func (r reply) replayed() bool { return r.header.Get("Idempotent-Replayed") == "true" }

// field returns a field of the body.
func (r reply) field(t *testing.T, name string) string {
	t.Helper()
	var fields map[string]any
	require.NoError(t, json.Unmarshal([]byte(r.body), &fields), r.body)
	text, _ := fields[name].(string)
	return text
}

// post sends a request with an Idempotency-Key; the empty key is none.
func (u *uploads) post(t *testing.T, user uuid.UUID, path, key, contentType string, body io.Reader) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, u.url+path, body)
	require.NoError(t, err)
	req.Header.Set("apikey", tokentest.AnonKey)
	req.Header.Set("Authorization", "Bearer "+u.tokens.AccessToken(t, user))
	req.Header.Set("Content-Type", contentType)
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	checkContract(t, resp, raw)
	return reply{resp.StatusCode, resp.Header, string(raw)}
}

// upload uploads a text under a key.
func (u *uploads) upload(t *testing.T, user uuid.UUID, key, text string) reply {
	t.Helper()
	contentType, form := u.file(t, text, false)
	return u.post(t, user, "/", key, contentType, form)
}

// parse requests a parse under a key.
func (u *uploads) parse(t *testing.T, importID, key string, hypotheses ...uuid.UUID) reply {
	t.Helper()
	body, err := json.Marshal(map[string]any{"hypothesisIds": hypotheses})
	require.NoError(t, err)
	return u.post(t, u.Editor, "/"+importID+"/parse", key, "application/json", bytes.NewReader(body))
}

func (u *uploads) imports(t *testing.T) int {
	t.Helper()
	return dbtest.Value[int](t, u.DB, "select count(*) from imports")
}

const interview = "Ada: We pay too much.\n"

func TestAnUploadThatIsSentAgainHasTheSameAnswer(t *testing.T) {
	t.Parallel()
	u := serveUploads(t, func(*imports.Deps) {})
	first := u.upload(t, u.Editor, "k1", interview)
	require.Equal(t, http.StatusCreated, first.status)
	require.False(t, first.replayed())

	t.Run("also as a quoted string, with another boundary and another order of the fields", func(t *testing.T) {
		contentType, form := u.file(t, interview, true)
		again := u.post(t, u.Editor, "/", `"k1"`, contentType, form)
		require.Equal(t, http.StatusCreated, again.status)
		require.Equal(t, first.body, again.body)
		require.True(t, again.replayed())
		require.Equal(t, 1, u.imports(t))
	})
	t.Run("also from another process", func(t *testing.T) {
		other := *u
		other.serve(t, func(*imports.Deps) {})
		again := other.upload(t, u.Editor, "k1", interview)
		require.Equal(t, first.body, again.body)
		require.Equal(t, 1, u.imports(t))
	})
	t.Run("another body is rejected", func(t *testing.T) {
		other := u.upload(t, u.Editor, "k1", "Ada: We pay too little.\n")
		require.Equal(t, http.StatusUnprocessableEntity, other.status)
		require.Equal(t, "idempotency_key_reused", other.field(t, "error"))

		var titled bytes.Buffer
		form := multipart.NewWriter(&titled)
		require.NoError(t, form.WriteField("project_id", u.Project.String()))
		require.NoError(t, form.WriteField("title", "Another title"))
		file, err := form.CreateFormFile("file", "a.txt")
		require.NoError(t, err)
		_, err = io.WriteString(file, interview)
		require.NoError(t, err)
		require.NoError(t, form.Close())
		other = u.post(t, u.Editor, "/", "k1", form.FormDataContentType(), &titled)
		require.Equal(t, "idempotency_key_reused", other.field(t, "error"))
		require.Equal(t, 1, u.imports(t))
	})
	t.Run("a key belongs to its user", func(t *testing.T) {
		others := u.upload(t, u.Admin, "k1", interview)
		require.Equal(t, http.StatusCreated, others.status)
		require.NotEqual(t, first.field(t, "importId"), others.field(t, "importId"))
	})
	t.Run("without a key it is another upload", func(t *testing.T) {
		before := u.imports(t)
		require.Equal(t, http.StatusCreated, u.upload(t, u.Editor, "", interview).status)
		require.Equal(t, before+1, u.imports(t))
	})
	t.Run("once the import is deleted, it is another upload", func(t *testing.T) {
		u.Exec(t, "delete from imports where id = $1", first.field(t, "importId"))
		again := u.upload(t, u.Editor, "k1", interview)
		require.Equal(t, http.StatusCreated, again.status)
		require.False(t, again.replayed())
	})
	t.Run("after 24 hours it is another upload", func(t *testing.T) {
		u.Exec(t, "update private.idempotency_keys set expires_at = now() - interval '1 second'")
		before := u.imports(t)
		again := u.upload(t, u.Editor, "k1", interview)
		require.Equal(t, http.StatusCreated, again.status)
		require.False(t, again.replayed())
		require.Equal(t, before+1, u.imports(t))
		require.Equal(t, 1, dbtest.Value[int](t, u.DB, "select count(*) from private.idempotency_keys"),
			"expired keys are deleted")
	})
}

func TestOfConcurrentUploadsWithOneKeyOneIsStored(t *testing.T) {
	t.Parallel()
	const requests = 6
	u := serveUploads(t, func(*imports.Deps) {})
	replies := make(chan reply, requests)
	for range requests {
		go func() {
			var got reply
			defer func() { replies <- got }() // also where the upload ends the goroutine
			got = u.upload(t, u.Editor, "k1", interview)
		}()
	}
	first := <-replies
	require.Equal(t, http.StatusCreated, first.status)
	for range requests - 1 {
		require.Equal(t, first.body, (<-replies).body)
	}
	require.Equal(t, 1, u.imports(t))
}

func TestWhatIsRememberedOfARejection(t *testing.T) {
	t.Parallel()
	u := serveUploads(t, func(d *imports.Deps) { d.UploadLimit = 1 })

	t.Run("an unreadable file is", func(t *testing.T) {
		first := u.upload(t, u.Admin, "k1", "00:00:01\n00:00:05\n00:00:09\n")
		require.Equal(t, "unreadable_transcript", first.field(t, "error"))
		again := u.upload(t, u.Admin, "k1", "00:00:01\n00:00:05\n00:00:09\n")
		require.Equal(t, first.body, again.body)
		require.Equal(t, http.StatusUnprocessableEntity, again.status)
		require.True(t, again.replayed())
	})
	t.Run("a limit is not", func(t *testing.T) {
		require.Equal(t, http.StatusCreated, u.upload(t, u.Editor, "k1", interview).status)
		require.Equal(t, http.StatusTooManyRequests, u.upload(t, u.Editor, "k2", interview).status)
		require.Equal(t, http.StatusCreated, u.upload(t, u.Editor, "k1", interview).status,
			"an answer that is known does not count")
		unlimited := *u
		unlimited.serve(t, func(*imports.Deps) {})
		require.Equal(t, http.StatusCreated, unlimited.upload(t, u.Editor, "k2", interview).status)
	})
	t.Run("missing rights are not", func(t *testing.T) {
		require.Equal(t, http.StatusForbidden, u.upload(t, u.Viewer, "k1", interview).status)
		u.Exec(t, "update workspace_members set role = 'editor' where user_id = $1", u.Viewer)
		require.Equal(t, http.StatusCreated, u.upload(t, u.Viewer, "k1", interview).status)
	})
	t.Run("a dry run is not, since it changes nothing", func(t *testing.T) {
		contentType, form := u.file(t, interview, false)
		require.Equal(t, http.StatusOK, u.post(t, u.Owner, "/?dry_run=true", "k1", contentType, form).status)
		require.Equal(t, http.StatusCreated, u.upload(t, u.Owner, "k1", interview).status)
	})
}

func TestKeysAreBounded(t *testing.T) {
	t.Parallel()
	u := serveUploads(t, func(*imports.Deps) {})
	for _, key := range []string{`""`, "tab\tinside", "ümlaut", strings.Repeat("k", 256)} {
		refused := u.upload(t, u.Editor, key, interview)
		require.Equal(t, http.StatusBadRequest, refused.status, "%q", key)
		require.Equal(t, "invalid_request", refused.field(t, "error"))
	}
	require.Equal(t, http.StatusCreated, u.upload(t, u.Editor, strings.Repeat("k", 255), interview).status)

	u.Exec(t, `insert into private.idempotency_keys (user_id, key, fingerprint, status, body)
		select $1, sha256(n::text::bytea), '', 422, '' from generate_series(1, 50000) n`, u.Admin)
	refused := u.upload(t, u.Admin, "k1", interview)
	require.Equal(t, http.StatusTooManyRequests, refused.status)
	require.Equal(t, "too_many_idempotency_keys", refused.field(t, "error"))
	require.NotEmpty(t, refused.header.Get("Retry-After"))
	require.Equal(t, 1, u.imports(t))
	require.Equal(t, http.StatusCreated, u.upload(t, u.Owner, "k1", interview).status, "others are not affected")

	u.Exec(t, "update private.idempotency_keys set expires_at = now() - interval '1 second'")
	deleted, err := db.AsService(t.Context(), u.Store, func(q *db.Queries) (int64, error) {
		return q.DeleteExpiredKeys(t.Context(), 1000)
	})
	require.NoError(t, err)
	require.EqualValues(t, 1000, deleted)
}

// A fakeParser starts runs that have no worker.
type fakeParser struct {
	noParser
	started atomic.Int32
	start   func() error // nil means that every run starts
}

func (p *fakeParser) StartParse(
	_ context.Context, r temporalclient.ParseRequest,
) (temporalclient.Run, error) {
	if p.start != nil {
		if err := p.start(); err != nil {
			return temporalclient.Run{}, err
		}
	}
	p.started.Add(1)
	return temporalclient.Run{WorkflowID: "import-" + r.ImportID.String(), RunID: r.ClaimID.String()}, nil
}

func TestAParseThatIsSentAgainHasTheSameAnswer(t *testing.T) {
	t.Parallel()
	parser := &fakeParser{}
	u := serveUploads(t, func(d *imports.Deps) { d.Parser = parser })
	h, other := u.Hypothesis(t, u.Tenant, "Ada pays"), u.Hypothesis(t, u.Tenant, "Ada does not pay")
	id := u.upload(t, u.Editor, "k1", interview).field(t, "importId")
	first := u.parse(t, id, "k1", h)
	require.Equal(t, http.StatusOK, first.status, first.body)
	require.False(t, first.replayed(), "the key of an upload is another one")

	again := u.parse(t, id, "k1", h)
	require.Equal(t, http.StatusOK, again.status)
	require.Equal(t, first.body, again.body)
	require.True(t, again.replayed())
	require.EqualValues(t, 1, parser.started.Load())

	require.Equal(t, "idempotency_key_reused", u.parse(t, id, "k1", h, other).field(t, "error"))
	require.Equal(t, "import_already_parsing", u.parse(t, id, "", h).field(t, "error"))

	rejected := u.parse(t, id, "k2", h)
	require.Equal(t, "import_already_parsing", rejected.field(t, "error"))
	u.Exec(t, "update imports set status = 'failed' where id = $1", id)
	require.Equal(t, rejected.body, u.parse(t, id, "k2", h).body)
	require.Equal(t, first.body, u.parse(t, id, "k1", h).body)
	require.Equal(t, http.StatusOK, u.parse(t, id, "k3", h).status)
}

func TestOfConcurrentParsesWithOneKeyTheSecondWaits(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	starting := make(chan struct{}, 1)
	parser := &fakeParser{start: func() error {
		starting <- struct{}{}
		<-release
		return nil
	}}
	u := serveUploads(t, func(d *imports.Deps) { d.Parser = parser })
	h := u.Hypothesis(t, u.Tenant, "Ada pays")
	id := u.upload(t, u.Editor, "k1", interview).field(t, "importId")
	replies := make(chan reply, 2)
	request := func() { replies <- u.parse(t, id, "k1", h) }
	go request()
	<-starting
	busy := u.parse(t, id, "k1", h)
	require.Equal(t, http.StatusConflict, busy.status, "it waits for some seconds only")
	require.Equal(t, "idempotency_key_in_use", busy.field(t, "error"))
	require.NotEmpty(t, busy.header.Get("Retry-After"))
	go request()
	close(release)
	first, second := <-replies, <-replies
	require.Equal(t, http.StatusOK, first.status)
	require.Equal(t, first.body, second.body)
	require.EqualValues(t, 1, parser.started.Load())
}

func TestAParseThatWasNotAnsweredIsFound(t *testing.T) {
	t.Parallel()
	down := atomic.Bool{}
	parser := &fakeParser{start: func() error {
		if down.Load() {
			return temporalclient.ErrUnavailable
		}
		return nil
	}}
	u := serveUploads(t, func(d *imports.Deps) { d.Parser = parser })
	h := u.Hypothesis(t, u.Tenant, "Ada pays")
	id := u.upload(t, u.Editor, "k1", interview).field(t, "importId")

	down.Store(true)
	require.Equal(t, http.StatusServiceUnavailable, u.parse(t, id, "k1", h).status)
	down.Store(false)
	first := u.parse(t, id, "k1", h)
	require.Equal(t, http.StatusOK, first.status, "an outage is not remembered")

	// The process was killed before it stored the answer, and the run has begun.
	u.Exec(t, "update private.idempotency_keys set status = null, body = null where claim_id is not null")
	u.Exec(t, "update imports set status = 'parsing', workflow_id = 'import-' || id, run_id = claim_id where "+
		"id = $1", id)
	for range 2 {
		again := u.parse(t, id, "k1", h)
		require.Equal(t, first.body, again.body)
		require.True(t, again.replayed())
	}
	require.EqualValues(t, 1, parser.started.Load())

	// It was killed, and the claim was withdrawn before a run began.
	u.Exec(t, "update private.idempotency_keys set status = null, body = null where claim_id is not null")
	u.Exec(t, "update imports set status = 'canceled', claim_id = null, run_id = null where id = $1", id)
	again := u.parse(t, id, "k1", h)
	require.Equal(t, http.StatusOK, again.status)
	require.False(t, again.replayed())
	require.EqualValues(t, 2, parser.started.Load())
}
