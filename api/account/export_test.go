package account_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/problem/problemtest"
	"research/db/dbtest"
)

// An archive has the lines of each file of an export.
type archive map[string][]map[string]any

// export requires that an export succeeds, and returns it with all of its text.
func (e *edge) export(t *testing.T, access string) (files archive, text string) {
	t.Helper()
	w := e.do(t, "GET", "/api/account/export", access, "")
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	require.Equal(t, `attachment; filename="account.zip"`, w.Header().Get("Content-Disposition"))
	content, err := zip.NewReader(bytes.NewReader(w.Body.Bytes()), int64(w.Body.Len()))
	require.NoError(t, err)
	files = archive{}
	for _, entry := range content.File {
		file, err := entry.Open()
		require.NoError(t, err)
		lines, err := io.ReadAll(file)
		require.NoError(t, err)
		text += string(lines)
		files[entry.Name] = nil
		for line := range strings.Lines(string(lines)) {
			var record map[string]any
			require.NoError(t, json.Unmarshal([]byte(line), &record), line)
			files[entry.Name] = append(files[entry.Name], record)
		}
	}
	return files, text
}

func TestExportAccount(t *testing.T) {
	t.Parallel()

	t.Run("has what is the user's own", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		h := e.Hypothesis(t, e.Tenant, "Receipts get lost")
		e.Exec(t, "update hypotheses set decided_by = $1, decided_at = now(), status = 'validated' where id = $2",
			e.Editor, h)
		interview := dbtest.Value[uuid.UUID](t, e.DB, `
			insert into imports (project_id, title, filename, format, size_bytes, sha256, created_by)
			values ($1, 'Ada', 'ada.vtt', 'webvtt', 1, 'x', $2) returning id`, e.Project, e.Editor)
		e.Exec(t, "insert into evidence (project_id, quote, created_by) values ($1, 'mine', $2)", e.Project,
			e.Editor)
		e.Exec(t, "insert into evidence (project_id, quote, summary, created_by, review, reviewed_by, "+
			"reviewed_at) "+
			"values ($1, 'judged', 'of another', $2, 'accepted', $3, now())", e.Project, e.Owner, e.Editor)
		e.Exec(t, "insert into evidence (project_id, quote, created_by) values ($1, 'of another', $2)", e.Project,
			e.Owner)
		e.addFactor(t, e.Editor)
		e.Exec(t, "update auth.mfa_factors set status = 'unverified'")

		files, text := e.export(t, e.signIn(t, e.Editor, 0))
		require.Equal(t, e.Editor.String(), files["account.jsonl"][0]["id"])
		require.Equal(t, "192.0.2.1", files["sessions.jsonl"][0]["ip"])
		require.Equal(t, "Phone", files["second_factors.jsonl"][0]["friendly_name"])
		require.Equal(t, "editor", files["memberships.jsonl"][0]["role"])
		require.Equal(t, interview.String(), files["imports.jsonl"][0]["id"])
		require.Equal(t, "Receipts get lost", files["decisions.jsonl"][0]["statement"])
		require.Len(t, files["digest_preferences.jsonl"], 1)
		require.Equal(t, "user_exported", files["sign_ins.jsonl"][0]["action"], "the export itself is recorded")
		require.NotEmpty(t, files["audit.jsonl"], "a member was added")
		quotes := map[any]any{}
		for _, row := range files["evidence.jsonl"] {
			quotes[row["quote"]] = row["review"]
		}
		require.Equal(t, map[any]any{"mine": nil, "judged": "accepted"}, quotes)
		require.NotContains(t, text, "of another")
	})

	t.Run("has no secrets and no addresses of others", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.Exec(t, "insert into workspace_invitations (workspace_id, email, role, created_by) "+
			"values ($1, 'invited@example.net', 'viewer', $2)", e.Workspace, e.Owner)
		byAdmin := `{"action": "user_modified", "traits": {"user_id": "` + e.Owner.String() + `"}}`
		e.Exec(t, "insert into auth.audit_log_entries (payload, ip_address) values ($1, '203.0.113.9')", byAdmin)
		own := dbtest.Value[string](t, e.DB, "select email from auth.users where id = $1", e.Owner)
		files, text := e.export(t, e.signIn(t, e.Owner, 0))
		require.Len(t, files["invitations.jsonl"], 1)
		require.NotContains(t, strings.ReplaceAll(text, own, ""), "@example")
		for _, hidden := range []string{"$2a$", "secret\"", "salt", "hash\"", "203.0.113.9"} {
			require.NotContains(t, text, hidden)
		}
	})

	t.Run("has of workspaces what the user may still see", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.Exec(t, "insert into evidence (project_id, quote, created_by) values ($1, 'said there', $2)", e.Project,
			e.Editor)
		e.Exec(t, "delete from workspace_members where user_id = $1", e.Editor)
		files, text := e.export(t, e.signIn(t, e.Editor, 0))
		require.Empty(t, files["memberships.jsonl"])
		require.NotContains(t, text, "said there")
	})

	t.Run("has every record once, however many there are", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.Exec(t, "delete from activity_events")
		e.Exec(t, `
			insert into activity_events (workspace_id, actor_id, verb, entity_type, entity_id)
			select $1, $2, 'created', 'evidence', gen_random_uuid()
				from generate_series(1, 1500)`, e.Workspace, e.Editor)
		files, _ := e.export(t, e.signIn(t, e.Editor, 0))
		seen := map[any]bool{}
		for _, row := range files["activity.jsonl"] {
			seen[row["id"]] = true
		}
		require.Len(t, files["activity.jsonl"], 1500)
		require.Len(t, seen, 1500)
	})

	t.Run("runs once at a time for a user", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		slow := &slowReader{ResponseRecorder: httptest.NewRecorder(), began: make(chan struct{}),
			read: make(chan struct{})}
		access := e.signIn(t, e.Editor, 0)
		request := e.request(t, "GET", "/api/account/export", access, "")
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			e.handler.ServeHTTP(slow, request)
		}()
		<-slow.began
		problemtest.RequireError(t, e.do(t, "GET", "/api/account/export", access, ""), 429, "too_many_exports")
		e.export(t, e.signIn(t, e.Viewer, 0))
		close(slow.read)
		<-ended
		e.export(t, access)
	})

	t.Run("that breaks off is seen to be incomplete", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		request := e.request(t, "GET", "/api/account/export", e.signIn(t, e.Editor, 0), "")
		require.PanicsWithValue(t, http.ErrAbortHandler, func() {
			e.handler.ServeHTTP(&brokenWriter{httptest.NewRecorder()}, request)
		})
		e.export(t, e.signIn(t, e.Editor, 0))
	})
}

// A slowReader is a client that reads nothing until read is closed.
type slowReader struct {
	*httptest.ResponseRecorder
	began, read chan struct{}
	blocked     bool
}

func (s *slowReader) Write(p []byte) (int, error) {
	if !s.blocked {
		s.blocked = true
		close(s.began)
		<-s.read
	}
	return s.ResponseRecorder.Write(p)
}

// A brokenWriter is a client that has closed the connection.
type brokenWriter struct{ *httptest.ResponseRecorder }

func (*brokenWriter) Write([]byte) (int, error) { return 0, errors.New("the connection is closed") }
