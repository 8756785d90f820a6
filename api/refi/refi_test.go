package refi_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/imports"
	"research/api/projects"
	"research/api/reference/contract"
	"research/api/refi"
	"research/api/token"
	"research/api/token/tokentest"
	"research/db"
	"research/db/dbtest"
	"research/dev/devtest"
	"research/transcript"
)

// An edge is the handler under test, with a workspace.
type edge struct {
	*dbtest.DB
	dbtest.Tenant
	tokens  *tokentest.Issuer
	handler http.Handler
}

func setup(t *testing.T) *edge { t.Helper(); return setupWith(t, refi.Config{}) }

func setupWith(t *testing.T, cfg refi.Config) *edge {
	t.Helper()
	e := &edge{DB: dbtest.New(t)}
	e.Tenant = e.DB.Tenant(t)
	e.tokens = tokentest.New(t, e.Store, token.KeysConfig{})
	handlers, err := refi.New(refi.Deps{
		Config: cfg, Store: e.Store, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		StoreInterview: func(ctx context.Context, q *db.Queries, i refi.Interview) (uuid.UUID, error) {
			return imports.StoreFile(ctx, q, imports.File(i))
		},
	})
	require.NoError(t, err)
	handler, err := projects.New(projects.Deps{
		Store: e.Store, Ask: http.NotFoundHandler(), Exchange: projects.Exchange(handlers),
		Themes: projects.Themes{
			Propose: http.NotFoundHandler(), Estimate: http.NotFoundHandler(), Cancel: http.NotFoundHandler(),
		},
		Authenticator: e.tokens.Authenticator, Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	r := chi.NewRouter()
	r.Mount("/api/project", handler)
	e.handler = r
	return e
}

// do sends a request as a user, and checks that the answer is documented.
func (e *edge) do(t *testing.T, user uuid.UUID, method, path, contentType string, body []byte) (int, []byte) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "/api/project/"+path, bytes.NewReader(body))
	r.Header.Set("apikey", tokentest.AnonKey)
	r.Header.Set("Authorization", "Bearer "+e.tokens.AccessToken(t, user))
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	w := httptest.NewRecorder()
	e.handler.ServeHTTP(w, r)
	contract.Check(t, contract.Exchange{
		Method: method, Path: r.URL.RequestURI(), Status: w.Code, Header: w.Header(), Body: w.Body.Bytes(),
	})
	return w.Code, w.Body.Bytes()
}

// export returns a project as a .qdpx.
func (e *edge) export(t *testing.T, user, project uuid.UUID) []byte {
	t.Helper()
	status, body := e.do(t, user, "GET", project.String()+"/refi.qdpx", "", nil)
	require.Equal(t, 200, status, "%s", body)
	return body
}

// A result is the answer to an import.
type result struct {
	Sources, Imported, Themes, Hypotheses, Quotes, Codings, Users, SkippedCount int
	Known                                                                       struct {
		Interviews, Themes, Quotes int
	}
	Interviews []struct {
		Title            string
		Quotes, Speakers int
		Known            bool
		ImportID         *uuid.UUID
	}
	ThemeNames []string
	Skipped    []struct{ What, Name, Reason string }
	Warnings   []string
	Error      string
	Message    string
}

// send imports a file, and returns the answer.
func (e *edge) send(t *testing.T, user, project uuid.UUID, query string, data []byte) (int, result) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file, err := form.CreateFormFile("file", "project.qdpx")
	require.NoError(t, err)
	_, err = file.Write(data)
	require.NoError(t, err)
	require.NoError(t, form.Close())
	path := project.String() + "/refi" + query
	status, answer := e.do(t, user, "POST", path, form.FormDataContentType(), body.Bytes())
	var r result
	require.NoError(t, json.Unmarshal(answer, &r), "%s", answer)
	return status, r
}

// load imports a file as the editor, after a dry run that announces the same.
func (e *edge) load(t *testing.T, project uuid.UUID, data []byte) result {
	t.Helper()
	rows := func() int {
		return dbtest.Value[int](t, e.DB, `select (select count(*) from imports) + (select count(*) from evidence)
			+ (select count(*) from themes) + (select count(*) from evidence_themes)
			+ (select count(*) from hypotheses)`)
	}
	before := rows()
	status, tried := e.send(t, e.Editor, project, "?dry_run=true", data)
	require.Equal(t, 200, status, "%+v", tried)
	require.Equal(t, before, rows(), "a dry run stores nothing")
	status, loaded := e.send(t, e.Editor, project, "", data)
	require.Equal(t, 201, status, "%+v", loaded)
	came := loaded
	came.Interviews = append(came.Interviews[:0:0], came.Interviews...)
	for i := range came.Interviews {
		if !came.Interviews[i].Known {
			require.NotNil(t, came.Interviews[i].ImportID)
			came.Interviews[i].ImportID = nil
		}
	}
	require.Equal(t, tried, came, "a dry run says what comes")
	return loaded
}

// upload stores an interview, as its upload would be.
func (e *edge) upload(t *testing.T, project uuid.UUID, title, text string) uuid.UUID {
	t.Helper()
	read, err := transcript.Parse([]byte(text))
	require.NoError(t, err)
	id, err := db.AsUser(t.Context(), e.Store, db.User(e.Editor), func(q *db.Queries) (uuid.UUID, error) {
		return imports.StoreFile(t.Context(), q, imports.File{
			ProjectID: project, Title: title, Filename: title + ".txt", Data: []byte(text), Transcript: read,
		})
	})
	require.NoError(t, err)
	return id
}

// quote adds a quote to an interview: the first occurrence of these bytes of its transcript.
func (e *edge) quote(t *testing.T, project, importID uuid.UUID, words string, themes ...uuid.UUID) uuid.UUID {
	t.Helper()
	id := dbtest.Value[uuid.UUID](t, e.DB, `insert into evidence (project_id, import_id, quote, review)
		values ($1, $2, $3, 'accepted') returning id`, project, importID, words)
	isPlaced := dbtest.Value[bool](t, e.DB, `select byte_start is not null from evidence where id = $1`, id)
	require.True(t, isPlaced, words)
	for _, theme := range themes {
		e.Exec(t, `insert into evidence_themes (evidence_id, theme_id) values ($1, $2)`, id, theme)
	}
	return id
}

func (e *edge) theme(t *testing.T, project uuid.UUID, name string, parent *uuid.UUID) uuid.UUID {
	t.Helper()
	return dbtest.Value[uuid.UUID](t, e.DB, `insert into themes (project_id, name, parent_id) values ($1, $2, $3)
		returning id`, project, name, parent)
}

func (e *edge) project(t *testing.T, name string) uuid.UUID {
	t.Helper()
	return dbtest.Value[uuid.UUID](t, e.DB, `insert into projects (workspace_id, name) values ($1, $2)
		returning id`, e.Workspace, name)
}

// coded lists the quotes of a project with their themes.
func (e *edge) coded(t *testing.T, project uuid.UUID) []string {
	t.Helper()
	return dbtest.Value[[]string](t, e.DB, `
		select coalesce(array_agg(line order by line), '{}') from (
			select i.title || ': ' || e.quote || ' = ' || coalesce((
				select string_agg(t.name, ', ' order by t.name)
				from evidence_themes l join themes t on t.id = l.theme_id where l.evidence_id = e.id), '') as line
			from evidence e join imports i on i.id = e.import_id where e.project_id = $1) x`, project)
}

// entries returns the files of a zip by name.
func entries(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	all := map[string][]byte{}
	for _, entry := range archive.File {
		file, err := entry.Open()
		require.NoError(t, err)
		var content bytes.Buffer
		_, err = content.ReadFrom(file)
		require.NoError(t, err)
		all[entry.Name] = content.Bytes()
	}
	return all
}

// zipped makes a zip of files.
func zipped(t *testing.T, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		file, err := w.Create(files[i])
		require.NoError(t, err)
		_, err = file.Write([]byte(files[i+1]))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// validate checks a document against a schema of REFI.
func validate(t *testing.T, schema string, document []byte) {
	t.Helper()
	devtest.NeedPrograms(t, "xmllint")
	file := filepath.Join(t.TempDir(), "document.xml")
	require.NoError(t, os.WriteFile(file, document, 0o600))
	out, err := exec.CommandContext(t.Context(), "xmllint", "--noout", "--nonet", "--schema",
		filepath.Join("qdpx", "testdata", schema), file).CombinedOutput()
	require.NoError(t, err, "%s\n%s", out, document)
}
