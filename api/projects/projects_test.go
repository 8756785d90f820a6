package projects_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/problem/problemtest"
	"research/api/projects"
	"research/api/projects/guide"
	"research/api/reference/contract"
	"research/api/token"
	"research/api/token/tokentest"
	"research/db/dbtest"
)

// An edge is the handler under test, with a workspace.
type edge struct {
	*dbtest.DB
	dbtest.Tenant
	tokens  *tokentest.Issuer
	handler http.Handler
	log     bytes.Buffer
}

func setup(t *testing.T) *edge {
	t.Helper()
	e := &edge{DB: dbtest.New(t)}
	e.Tenant = e.DB.Tenant(t)
	e.tokens = tokentest.New(t, e.Store, token.KeysConfig{})
	handler, err := projects.New(projects.Deps{
		Store: e.Store, Ask: http.NotFoundHandler(),
		Exchange: projects.Exchange{
			Project: http.NotFoundHandler(), Codebook: http.NotFoundHandler(), Import: http.NotFoundHandler(),
		},
		Themes: projects.Themes{
			Propose: http.NotFoundHandler(), Estimate: http.NotFoundHandler(), Cancel: http.NotFoundHandler(),
		},
		Authenticator: e.tokens.Authenticator,
		Log:           slog.New(slog.NewTextHandler(&e.log, nil)),
	})
	require.NoError(t, err)
	r := chi.NewRouter()
	r.Mount("/api/project", handler)
	e.handler = r
	return e
}

// do sends a request as a user, and checks that the answer is documented.
func (e *edge) do(
	t *testing.T, user uuid.UUID, method, path, body string, header ...string,
) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "/api/project/"+path, strings.NewReader(body))
	r.Header.Set("apikey", tokentest.AnonKey)
	if user != uuid.Nil {
		r.Header.Set("Authorization", "Bearer "+e.tokens.AccessToken(t, user))
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	e.handler.ServeHTTP(w, r)
	contract.Check(t, contract.Exchange{
		Method: method, Path: r.URL.RequestURI(), Status: w.Code, Header: w.Header(), Body: w.Body.Bytes(),
	})
	return w
}

// guide reads the guide of the project as the viewer.
func (e *edge) guide(t *testing.T) (read guide.Guide) {
	t.Helper()
	w := e.do(t, e.Viewer, http.MethodGet, e.Project.String()+"/guide", "")
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &read))
	return read
}

// interview stores an interview with one participant, P, who has a persona unless it is uuid.Nil.
func (e *edge) interview(t *testing.T, number int, persona uuid.UUID) uuid.UUID {
	t.Helper()
	id := dbtest.Value[uuid.UUID](t, e.DB, `
		insert into imports (project_id, persona_id, title, format, size_bytes, sha256)
		values ($1, nullif($2::uuid, $4), 'Interview', 'text', 1, decode(lpad($3, 64, '0'), 'hex')) returning id`,
		e.Project, persona, fmt.Sprint(number), uuid.Nil)
	e.Exec(t, `insert into import_speakers (import_id, speaker, project_id, display_name, role)
		values ($1, 'P', $2, $3, 'participant')`, id, e.Project, fmt.Sprint("Person ", number))
	return id
}

func TestGuide(t *testing.T) {
	t.Parallel()

	t.Run("of an empty project asks in general", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		read := e.guide(t)
		require.Equal(t, "en", read.Language)
		require.Len(t, read.Questions, 6)
		require.Empty(t, read.Hypotheses)
		require.Contains(t, read.Ask, "personas")
	})

	t.Run("asks what was planned for open hypotheses, and leaves out leading questions", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		open, parked := e.Hypothesis(t, e.Tenant, "People lose receipts"), e.Hypothesis(t, e.Tenant, "People fly")
		e.Exec(t, "update hypotheses set status = 'parked' where id = $1", parked)
		plan := "insert into questions (project_id, hypothesis_id, text, status) values ($1, $2, $3, $4)"
		e.Exec(t, plan, e.Project, open, "When did you last lose a receipt?", "open")
		e.Exec(t, plan, e.Project, open, "What happened then?", "asked")
		e.Exec(t, plan, e.Project, open, "Don't you hate receipts?", "open")
		e.Exec(t, plan, e.Project, parked, "When did you last fly?", "open")
		read := e.guide(t)
		var texts []string
		for _, q := range read.Questions {
			texts = append(texts, q.Text)
		}
		require.Contains(t, texts, "When did you last lose a receipt?")
		require.NotContains(t, texts, "What happened then?")
		require.NotContains(t, texts, "When did you last fly?")
		require.Len(t, read.LeftOut, 1)
		require.Equal(t, "Don't you hate receipts?", read.LeftOut[0].Text)
		require.Len(t, read.Hypotheses, 1)
		require.Equal(t, open, read.Hypotheses[0].ID)
		require.False(t, read.Hypotheses[0].Ready)
	})

	t.Run("is Markdown where that is asked for", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		path := e.Project.String() + "/guide"
		for _, w := range []*httptest.ResponseRecorder{
			e.do(t, e.Viewer, http.MethodGet, path+"?format=markdown", ""),
			e.do(t, e.Viewer, http.MethodGet, path, "", "Accept", "text/markdown"),
		} {
			require.Equal(t, http.StatusOK, w.Code, w.Body)
			require.Equal(t, "text/markdown; charset=utf-8", w.Header().Get("Content-Type"))
			require.True(t, strings.HasPrefix(w.Body.String(), "# Next interview: "), w.Body)
		}
		w := e.do(t, e.Viewer, http.MethodGet, path+"?format=json", "", "Accept", "text/markdown")
		require.Contains(t, w.Header().Get("Content-Type"), "application/json")
		for _, query := range []string{"?format=pdf", "?format=", "?format=json&format=json"} {
			w := e.do(t, e.Viewer, http.MethodGet, path+query, "")
			problemtest.RequireError(t, w, http.StatusBadRequest, "invalid_request")
		}
	})

	t.Run("is for those who see the project", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		stranger := e.User(t, "stranger@example.com")
		for _, path := range []string{
			e.Project.String() + "/guide", uuid.NewString() + "/guide", "nonsense/guide",
		} {
			w := e.do(t, stranger, http.MethodGet, path, "")
			problemtest.RequireError(t, w, http.StatusNotFound, "project_not_found")
			w = e.do(t, stranger, http.MethodPost, path+"/check", `{"text": "Why?"}`)
			problemtest.RequireError(t, w, http.StatusNotFound, "project_not_found")
			w = e.do(t, uuid.Nil, http.MethodGet, path, "")
			problemtest.RequireError(t, w, http.StatusUnauthorized, "unauthorized")
		}
	})
}

func TestGuideCountsPeople(t *testing.T) {
	t.Parallel()
	e := setup(t)
	hypothesis := e.Hypothesis(t, e.Tenant, "People lose receipts")
	persona := dbtest.Value[uuid.UUID](t, e.DB,
		"insert into personas (project_id, name) values ($1, 'Finance leads') returning id", e.Project)
	e.Exec(t, "insert into personas (project_id, name) values ($1, 'Travellers')", e.Project)
	for i, stances := range [][]string{{"supports"}, {"contradicts"}, {"supports", "contradicts"}} {
		id := e.interview(t, i, persona)
		for _, stance := range stances {
			quote := dbtest.Value[uuid.UUID](t, e.DB, `
				insert into evidence (project_id, import_id, quote, speaker) values ($1, $2, 'I said so.', 'P')
				returning id`, e.Project, id)
			e.Exec(t, "insert into evidence_hypotheses (evidence_id, hypothesis_id, stance) values ($1, $2, $3)",
				quote, hypothesis, stance)
		}
	}
	read := e.guide(t)
	require.Equal(t, 1, read.Hypotheses[0].Supporting)
	require.Equal(t, 1, read.Hypotheses[0].Contradicting)
	require.Equal(t, 1, read.Hypotheses[0].Mixed)
	require.Equal(t, 3, read.Hypotheses[0].People)
	require.Len(t, read.Personas, 2)
	require.Equal(t, 3, read.Personas[0].People)
	require.Equal(t, 3, read.Personas[0].Heard)
	require.Equal(t, "Talk to “Travellers” next: none of 3 people has this persona.", read.Ask)
}

func TestCheck(t *testing.T) {
	t.Parallel()
	e := setup(t)
	path := e.Project.String() + "/guide/check"
	check := func(body string) *httptest.ResponseRecorder {
		return e.do(t, e.Viewer, http.MethodPost, path, body)
	}
	var kinds guide.Kinds
	w := check(`{"text": "Don't you think that people would pay for this?"}`)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &kinds))
	require.True(t, kinds.Leading)
	require.NotEmpty(t, kinds.Advice)
	for body, field := range map[string]string{
		`{"text": " "}`: "text", `{}`: "text", `[]`: "body", ``: "body", `{"txt": "Why?"}`: "txt",
		`{"text": "` + strings.Repeat("a", 2001) + `"}`: "text",
	} {
		w := check(body)
		problemtest.RequireError(t, w, http.StatusBadRequest, "invalid_request")
		require.Contains(t, w.Body.String(), field)
	}
	require.Equal(t, http.StatusRequestEntityTooLarge, check(`{"text": "`+strings.Repeat("a", 20_000)+`"}`).Code)
	for range 60 {
		w = check(`{"text": "Why?"}`)
	}
	problemtest.RequireError(t, w, http.StatusTooManyRequests, "too_many_requests")
	require.NotEmpty(t, w.Header().Get("Retry-After"))
}

func TestGuideAsksAboutDecisionsAgain(t *testing.T) {
	t.Parallel()
	e := setup(t)
	hypothesis := e.Hypothesis(t, e.Tenant, "People lose receipts")
	persona := dbtest.Value[uuid.UUID](t, e.DB,
		"insert into personas (project_id, name) values ($1, 'Finance leads') returning id", e.Project)
	e.Exec(t, "update hypotheses set status = 'validated', reopen_after = 1 where id = $1", hypothesis)
	require.Empty(t, e.guide(t).Hypotheses, "it is decided")
	quote := dbtest.Value[uuid.UUID](t, e.DB, `
		insert into evidence (project_id, import_id, quote, speaker) values ($1, $2, 'I never lose one.', 'P')
		returning id`, e.Project, e.interview(t, 1, persona))
	e.Exec(t, `insert into evidence_hypotheses (evidence_id, hypothesis_id, stance)
		values ($1, $2, 'contradicts')`, quote, hypothesis)
	require.Len(t, e.guide(t).Hypotheses, 1, "somebody contradicts it since")
}
