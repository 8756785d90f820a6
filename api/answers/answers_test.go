package answers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/answers"
	"research/api/cost"
	"research/api/reference/contract"
	"research/api/token"
	"research/api/token/tokentest"
	"research/db/dbtest"
	"research/outcome"
	"research/temporalclient"
)

// A fakeRunner records the runs that are started and cancelled.
type fakeRunner struct {
	unavailable, startErr error

	mu        sync.Mutex
	started   []temporalclient.AnswerRequest
	cancelled []temporalclient.Run
}

func (f *fakeRunner) Available(context.Context) error { return f.unavailable }

func (f *fakeRunner) StartAnswer(
	_ context.Context, r temporalclient.AnswerRequest,
) (temporalclient.Run, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.started = append(f.started, r)
	return temporalclient.Run{WorkflowID: "answer-" + r.AnswerID.String(), RunID: "run"}, f.startErr
}

func (f *fakeRunner) CancelAnswer(_ context.Context, id uuid.UUID, runID string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cancelled = append(f.cancelled, temporalclient.Run{WorkflowID: id.String(), RunID: runID})
	return temporalclient.ErrNotRunning
}

// estimates has the same estimate of every answer; for a quick one, there are too many interviews.
type estimates struct{}

func (estimates) EstimateAnswer(
	_ context.Context, _ uuid.UUID, mode outcome.AnswerMode,
) (answers.Estimate, error) {
	if mode == outcome.ModeQuick {
		return answers.Estimate{}, fmt.Errorf("estimate: %w", answers.ErrScopeTooLarge)
	}
	if mode != outcome.ModeThorough {
		return answers.Estimate{Imports: 1, Passages: 10}, nil
	}
	return answers.Estimate{
		Calls: 3, InputTokens: 2_000_000, OutputTokens: 1_000_000, Imports: 1, Passages: 40,
	}, nil
}

// An edge is the handlers under test, with a workspace.
type edge struct {
	*dbtest.DB
	dbtest.Tenant
	tokens  *tokentest.Issuer
	runner  *fakeRunner
	handler http.Handler
	asker   *answers.Asker
}

// setup serves a workspace whose project has one interview.
func setup(t *testing.T, change ...func(*answers.Config)) *edge {
	t.Helper()
	e := &edge{DB: dbtest.New(t), runner: &fakeRunner{}}
	e.Tenant = e.DB.Tenant(t)
	e.interview(t, e.Tenant)
	e.tokens = tokentest.New(t, e.Store, token.KeysConfig{})
	cfg := answers.Config{UsesModel: true, Timeout: time.Minute}
	for _, c := range change {
		c(&cfg)
	}
	handlers, err := answers.New(answers.Deps{
		Config: cfg, Store: e.Store, Runner: e.runner, Estimator: estimates{},
		Authenticator: e.tokens.Authenticator, Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	e.asker = handlers.Asker
	r := chi.NewRouter()
	r.Mount("/api/answer", handlers.Answers)
	reject := func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusTeapot) }
	r.With(e.tokens.Authenticator.APIKey(reject), e.tokens.Authenticator.Bearer(reject)).
		Method(http.MethodPost, "/api/project/{projectId}/ask", handlers.Ask)
	e.handler = r
	return e
}

const said = "We lose half of our receipts. I pay for them myself."

// interview adds an interview with one participant to a project.
func (e *edge) interview(t *testing.T, n dbtest.Tenant) uuid.UUID {
	t.Helper()
	id := dbtest.Value[uuid.UUID](t, e.DB, `
		insert into imports (project_id, title, format, size_bytes, sha256)
		values ($1, 'Dana', 'text', 1, '00') returning id`, n.Project)
	e.Exec(t, `insert into private.transcripts (import_id, body) values ($1, convert_to($2, 'UTF8'))`, id, said)
	e.Exec(t, `
		insert into utterances (import_id, ordinal, workspace_id, project_id, speaker, text, byte_start, byte_end)
		values ($1, 0, $2, $3, 'P', $4, 0, length($4))`, id, n.Workspace, n.Project, said)
	e.Exec(t, `
		insert into import_speakers (import_id, speaker, project_id, display_name, role)
		values ($1, 'P', $2, 'Dana', 'participant')`, id, n.Project)
	return id
}

// do sends a request as a user, and checks that the answer is documented.
func (e *edge) do(
	t *testing.T, user uuid.UUID, method, path, body, key string,
) (int, map[string]any, http.Header) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("apikey", tokentest.AnonKey)
	r.Header.Set("Authorization", "Bearer "+e.tokens.AccessToken(t, user))
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	w := httptest.NewRecorder()
	e.handler.ServeHTTP(w, r)
	contract.Check(t, contract.Exchange{
		Method: method, Path: r.URL.RequestURI(), Status: w.Code, Header: w.Header(), Body: w.Body.Bytes(),
	})
	var fields map[string]any
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &fields), w.Body.String())
	return w.Code, fields, w.Header()
}

// require sends a request and requires its status and, for an error, its code. It returns the response.
func (e *edge) require(
	t *testing.T, user uuid.UUID, request, body string, status int, code string,
) map[string]any {
	t.Helper()
	method, path, _ := strings.Cut(request, " ")
	got, fields, header := e.do(t, user, method, path, body, "")
	require.Equal(t, status, got, "%v", fields)
	if code != "" {
		require.Equal(t, code, fields["error"])
	}
	if status == http.StatusTooManyRequests {
		require.NotEmpty(t, header.Get("Retry-After"))
	}
	return fields
}

func (e *edge) askPath() string { return "POST /api/project/" + e.Project.String() + "/ask" }

// ask asks a question as the editor, and returns the path of the answer.
func (e *edge) ask(t *testing.T, body string) (id uuid.UUID, path string) {
	t.Helper()
	started := e.require(t, e.Editor, e.askPath(), body, http.StatusAccepted, "")
	require.Equal(t, "queued", started["status"])
	id, err := uuid.Parse(started["answerId"].(string))
	require.NoError(t, err)
	return id, "/api/answer/" + id.String()
}

const question = `{"question": " Who pays for lost receipts?\n"}`

func TestAsking(t *testing.T) {
	t.Parallel()
	e := setup(t)
	planned := dbtest.Value[uuid.UUID](t, e.DB,
		`insert into questions (project_id, text) values ($1, 'Who pays?') returning id`, e.Project)
	persona := dbtest.Value[uuid.UUID](t, e.DB,
		`insert into personas (project_id, name) values ($1, 'Finance') returning id`, e.Project)
	imported := dbtest.Value[uuid.UUID](t, e.DB, `select id from imports`)
	id, path := e.ask(t, `{"question": " Who pays for lost receipts?\n", "mode": "thorough",
		"questionId": "`+planned.String()+`", "scope": {"imports": ["`+imported.String()+`", "`+
		imported.String()+`"], "from": "2001-01-31", "to": null, "personas": []}}`)
	require.Len(t, e.runner.started, 1)
	run := e.runner.started[0]
	require.Equal(t, temporalclient.AnswerRequest{
		AnswerID: id, ClaimID: run.ClaimID, WorkspaceID: e.Workspace, ProjectID: e.Project,
		Mode: outcome.ModeThorough, Timeout: time.Minute,
	}, run)
	require.Equal(t, run.ClaimID, dbtest.Value[uuid.UUID](t, e.DB, `select claim_id from answers`))

	answer := e.require(t, e.Viewer, "GET "+path, "", http.StatusOK, "")
	for field, value := range map[string]any{
		"question": "Who pays for lost receipts?", "mode": "thorough", "status": "queued", "result": nil,
		"questionId": planned.String(), "createdBy": e.Editor.String(), "title": "", "kept": false,
		"sentences": []any{}, "passages": []any{}, "staleSince": nil, "finishedAt": nil,
		"scope": map[string]any{
			"personas": []any{}, "imports": []any{imported.String()}, "from": "2001-01-31", "to": nil,
		},
	} {
		require.Equal(t, value, answer[field], field)
	}

	stranger := e.DB.Tenant(t)
	e.require(t, e.Viewer, e.askPath(), question, http.StatusForbidden, "forbidden")
	e.require(t, stranger.Owner, e.askPath(), question, http.StatusNotFound, "project_not_found")
	e.require(t, e.Editor, "POST /api/project/1/ask", question, http.StatusNotFound, "project_not_found")
	e.require(t, stranger.Owner, "GET "+path, "", http.StatusNotFound, "answer_not_found")
	e.require(t, e.Viewer, "GET /api/answer/1", "", http.StatusNotFound, "answer_not_found")
	e.require(t, e.Viewer, "GET /api/answer/"+uuid.NewString(), "", http.StatusNotFound, "answer_not_found")

	for name, of := range map[string]struct{ field, code string }{
		"another project's interview": {
			`"scope": {"imports": ["` + e.interview(t, stranger).String() + `"]}`, "scope_not_found",
		},
		"no persona":                 {`"scope": {"personas": ["` + uuid.NewString() + `"]}`, "scope_not_found"},
		"no planned question":        {`"questionId": "` + uuid.NewString() + `"`, "question_not_found"},
		"no interview on these days": {`"scope": {"to": "1999-12-31"}`, "nothing_to_read"},
		"nobody with this persona":   {`"scope": {"personas": ["` + persona.String() + `"]}`, "nothing_to_read"},
	} {
		body := `{"question": "Who pays?", ` + of.field + `}`
		fields := e.require(t, e.Editor, e.askPath(), body, http.StatusUnprocessableEntity, of.code)
		require.NotEmpty(t, fields["message"], name)
	}
	require.Len(t, e.runner.started, 1)
	require.Equal(t, 1, dbtest.Value[int](t, e.DB, `select count(*) from answers`))
}

func TestBodiesOfQuestions(t *testing.T) {
	t.Parallel()
	e := setup(t)
	long := strings.Repeat("é", 1000)
	for body, field := range map[string]string{
		``:                                   "body",
		`[]`:                                 "body",
		`{`:                                  "body",
		`{"mode": "quick"}`:                  "question",
		`{"question": 3}`:                    "question",
		`{"question": " ab "}`:               "question",
		`{"question": "` + long + `?"}`:      "question",
		`{"question": "a\u0000b"}`:           "question",
		`{"question": "Who?", "mode": "x"}`:  "mode",
		`{"question": "Who?", "model": "x"}`: "model",
		`{"question": "Who?", "questionId": "1"}`:                                   "questionId",
		`{"question": "Who?", "scope": []}`:                                         "scope",
		`{"question": "Who?", "scope": {"imports": ["1"]}}`:                         "scope.imports",
		`{"question": "Who?", "scope": {"personas": [""]}}`:                         "scope.personas",
		`{"question": "Who?", "scope": {"from": "1.2.2031"}}`:                       "scope.from",
		`{"question": "Who?", "scope": {"to": "2031-02-30"}}`:                       "scope.to",
		`{"question": "Who?", "scope": {"from": "2031-02-02", "to": "2031-02-01"}}`: "scope.to",
		`{"question": "Who?", "scope": {"imports": [` + strings.Repeat(`"`+uuid.NewString()+`",`, 1000) + `"` +
			uuid.NewString() + `"]}}`: "scope.imports",
	} {
		fields := e.require(t, e.Editor, e.askPath(), body, http.StatusBadRequest, "invalid_request")
		require.Contains(t, fields["details"], field, "%.60s", body)
	}
	large := `{"question": "` + strings.Repeat("x", 300<<10) + `"}`
	e.require(t, e.Editor, e.askPath(), large, http.StatusRequestEntityTooLarge, "too_large")
	e.require(t, e.Editor, e.askPath()+"?mode=quick", question, http.StatusBadRequest, "invalid_request")
	e.ask(t, `{"question": "`+long+`"}`)
}

func TestWithoutAModelOnlyPassagesAreShown(t *testing.T) {
	t.Parallel()
	e := setup(t, func(c *answers.Config) { c.UsesModel = false })
	_, path := e.ask(t, question)
	require.Equal(t, outcome.ModePassages, e.runner.started[0].Mode)
	for _, mode := range []string{"quick", "thorough"} {
		body := `{"question": "Who pays?", "mode": "` + mode + `"}`
		e.require(t, e.Editor, e.askPath(), body, http.StatusUnprocessableEntity, "model_not_configured")
		e.require(t, e.Editor, "POST "+path+"/again", `{"mode": "`+mode+`"}`, http.StatusUnprocessableEntity,
			"model_not_configured")
	}
	estimate := e.require(t, e.Editor, "POST "+path+"/estimate", "", http.StatusOK, "")
	require.Equal(t, "passages", estimate["mode"])
}

func TestLimitsOfQuestions(t *testing.T) {
	t.Parallel()
	e := setup(t, func(c *answers.Config) { c.Limit = 2 })
	_, path := e.ask(t, question)
	e.ask(t, question)
	e.require(t, e.Editor, e.askPath(), question, http.StatusTooManyRequests, "ask_limit")
	e.Exec(t, `update answers set status = 'failed', claim_id = null`)
	e.require(t, e.Editor, "DELETE "+path, "", http.StatusOK, "")
	e.require(t, e.Editor, e.askPath(), question, http.StatusTooManyRequests, "ask_limit")
	e.require(t, e.Owner, e.askPath(), question, http.StatusAccepted, "")

	e = setup(t, func(c *answers.Config) { c.QueueLimit = 1 })
	e.ask(t, question)
	e.require(t, e.Editor, e.askPath(), question, http.StatusTooManyRequests, "queue_full")
	e = setup(t, func(c *answers.Config) { c.WorkspaceQueueLimit = 1 })
	e.ask(t, question)
	e.require(t, e.Editor, e.askPath(), question, http.StatusTooManyRequests, "queue_full")
	require.Len(t, e.runner.started, 1)
}

func TestAQuestionThatIsSentAgainIsAskedOnce(t *testing.T) {
	t.Parallel()
	e := setup(t)
	path := "/api/project/" + e.Project.String() + "/ask"
	ids := make(chan any, 5)
	var group sync.WaitGroup
	for range cap(ids) {
		group.Go(func() {
			status, fields, _ := e.do(t, e.Editor, http.MethodPost, path, question, "k1")
			require.Equal(t, http.StatusAccepted, status)
			ids <- fields["answerId"]
		})
	}
	group.Wait()
	first := <-ids
	for range cap(ids) - 1 {
		require.Equal(t, first, <-ids)
	}
	require.Len(t, e.runner.started, 1)

	status, fields, header := e.do(t, e.Editor, http.MethodPost, path, question, "k1")
	require.Equal(t, http.StatusAccepted, status)
	require.Equal(t, first, fields["answerId"])
	require.Equal(t, "true", header.Get("Idempotent-Replayed"))
	status, fields, _ = e.do(t, e.Editor, http.MethodPost, path, `{"question": "Who else?"}`, "k1")
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Equal(t, "idempotency_key_reused", fields["error"])
	_, fields, _ = e.do(t, e.Owner, http.MethodPost, path, question, "k1")
	require.NotEqual(t, first, fields["answerId"], "a key is its user's")

	again := "/api/answer/" + first.(string) + "/again"
	e.Exec(t, `update answers set status = 'failed', claim_id = null`)
	for range 2 {
		status, _, _ = e.do(t, e.Editor, http.MethodPost, again, `{"mode": "thorough"}`, "k2")
		require.Equal(t, http.StatusAccepted, status)
	}
	require.Len(t, e.runner.started, 3)
}

func TestWithoutTemporalNothingIsAsked(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.runner.unavailable = temporalclient.ErrUnavailable
	e.require(t, e.Editor, e.askPath(), question, http.StatusServiceUnavailable, "unavailable")
	require.Zero(t, dbtest.Value[int](t, e.DB, `select count(*) from answers`))

	e.runner.unavailable, e.runner.startErr = nil, errors.New("gone meanwhile")
	id, _ := e.ask(t, question)
	require.Equal(t, "queued",
		dbtest.Value[string](t, e.DB, `select status::text from answers where id = $1`, id),
		"the reconciler starts it")
}

// write gives an answer sentences and passages, as a run does.
func (e *edge) write(t *testing.T, id uuid.UUID) {
	t.Helper()
	e.Exec(t, `update answers set status = 'answered', result = 'answered', claim_id = null, people_total = 1,
		input_tokens = 2000000, finished_at = now() where id = $1`, id)
	e.Exec(t, `insert into answer_sentences (answer_id, ordinal, project_id, text)
		values ($1, 0, $2, 'They pay themselves.')`, id, e.Project)
	e.Exec(t, `
		insert into answer_quotes (
			answer_id, project_id, sentence_ordinal, ordinal, import_id, quote, byte_start, byte_end, match
		)
		select $1, $2, q.sentence, 0, i.id, q.words, strpos($3, q.words) - 1,
			strpos($3, q.words) - 1 + length(q.words), 'verbatim'
		from imports i, (values (0, 'I pay for them myself.'), (null, 'half of our receipts')) q (sentence, words)
		where i.project_id = $2`, id, e.Project, said)
}

func TestReadingAnAnswer(t *testing.T) {
	t.Parallel()
	e := setup(t, func(c *answers.Config) { c.Prices = cost.Prices{Input: 0.25, Currency: "EUR"} })
	id, path := e.ask(t, question)
	e.write(t, id)
	e.Exec(t, `insert into answer_sentences (answer_id, project_id, ordinal, text)
		values ($1, $2, 1, 'Its quotes are gone.')`, id, e.Project)
	answer := e.require(t, e.Viewer, "GET "+path, "", http.StatusOK, "")
	require.Equal(t, "answered", answer["result"])
	require.Equal(t, map[string]any{"amount": 0.5, "currency": "EUR"}, answer["cost"])
	sentences := answer["sentences"].([]any)
	require.Len(t, sentences, 1)
	sentence := sentences[0].(map[string]any)
	require.Equal(t, "They pay themselves.", sentence["text"])
	require.EqualValues(t, 1, sentence["peopleCount"])
	quotes := sentence["quotes"].([]any)
	require.Len(t, quotes, 1)
	quote := quotes[0].(map[string]any)
	for field, value := range map[string]any{
		"quote": "I pay for them myself.", "importTitle": "Dana", "speaker": "P", "match": "verbatim",
		"byteStart": 30.0, "byteEnd": 52.0, "utteranceFrom": 0.0, "utteranceTo": 0.0, "evidenceId": nil,
	} {
		require.Equal(t, value, quote[field], field)
	}
	passages := answer["passages"].([]any)
	require.Len(t, passages, 1)
	require.Equal(t, "half of our receipts", passages[0].(map[string]any)["quote"])
}

func TestCancellingAnAnswer(t *testing.T) {
	t.Parallel()
	e := setup(t)
	id, path := e.ask(t, question)
	cancel := "POST " + path + "/cancel"
	e.require(t, e.Viewer, cancel, "", http.StatusForbidden, "forbidden")
	e.require(t, e.DB.Tenant(t).Owner, cancel, "", http.StatusNotFound, "answer_not_found")
	require.Empty(t, e.runner.cancelled)
	e.Exec(t, `update answers set status = 'reading', run_id = 'run'`)
	canceled := e.require(t, e.Editor, cancel, "", http.StatusOK, "")
	require.Equal(t, map[string]any{"answerId": id.String(), "status": "canceled"}, canceled)
	run := temporalclient.Run{WorkflowID: id.String(), RunID: "run"}
	require.Equal(t, []temporalclient.Run{run}, e.runner.cancelled, "not that of a later request")
	answer := e.require(t, e.Viewer, "GET "+path, "", http.StatusOK, "")
	require.Equal(t, "canceled", answer["status"])
	require.Equal(t, "canceled", answer["errorCode"])
	require.NotEmpty(t, answer["errorMessage"])
	e.require(t, e.Editor, cancel, "", http.StatusUnprocessableEntity, "answer_not_running")

	_, path = e.ask(t, question) // its run has not begun
	e.require(t, e.Editor, "POST "+path+"/cancel", "", http.StatusOK, "")
	require.Len(t, e.runner.cancelled, 1)
}

func TestAskingAgain(t *testing.T) {
	t.Parallel()
	e := setup(t)
	id, path := e.ask(t, question)
	again := "POST " + path + "/again"
	e.require(t, e.Editor, again, "", http.StatusUnprocessableEntity, "answer_running")
	e.write(t, id)
	e.require(t, e.Viewer, again, "", http.StatusForbidden, "forbidden")
	e.require(t, e.DB.Tenant(t).Owner, again, "", http.StatusNotFound, "answer_not_found")
	e.require(t, e.Editor, again, `{"mode": "all"}`, http.StatusBadRequest, "invalid_request")
	started := e.require(t, e.Editor, again, `{"mode": "thorough"}`, http.StatusAccepted, "")
	require.Equal(t, id.String(), started["answerId"])
	require.Len(t, e.runner.started, 2)
	require.Equal(t, outcome.ModeThorough, e.runner.started[1].Mode)
	require.Equal(t, e.Project, e.runner.started[1].ProjectID)
	require.NotEqual(t, e.runner.started[0].ClaimID, e.runner.started[1].ClaimID)
	answer := e.require(t, e.Viewer, "GET "+path, "", http.StatusOK, "")
	require.Equal(t, "queued", answer["status"])
	require.Len(t, answer["sentences"], 1, "until the new ones begin")
	require.Nil(t, answer["result"])

	e.fail(t, id)
	e.require(t, e.Editor, again, "{}", http.StatusAccepted, "")
	require.Equal(t, outcome.ModeThorough, e.runner.started[2].Mode, "as before")
}

// fail ends the run of an answer.
func (e *edge) fail(t *testing.T, id uuid.UUID) {
	t.Helper()
	e.Exec(t, `update answers set status = 'failed', claim_id = null where id = $1`, id)
}

func TestDeletingAnAnswer(t *testing.T) {
	t.Parallel()
	e := setup(t)
	id, path := e.ask(t, question)
	e.require(t, e.Viewer, "DELETE "+path, "", http.StatusForbidden, "forbidden")
	e.require(t, e.DB.Tenant(t).Owner, "DELETE "+path, "", http.StatusNotFound, "answer_not_found")
	e.require(t, e.Editor, "DELETE "+path, "", http.StatusOK, "")
	run := temporalclient.Run{WorkflowID: id.String()}
	require.Equal(t, []temporalclient.Run{run}, e.runner.cancelled, "its latest run stops")
	e.require(t, e.Editor, "DELETE "+path, "", http.StatusNotFound, "answer_not_found")

	id, path = e.ask(t, question)
	e.write(t, id)
	e.require(t, e.Editor, "DELETE "+path, "", http.StatusOK, "")
	require.Len(t, e.runner.cancelled, 1, "it had ended")
	require.Zero(t, dbtest.Value[int](t, e.DB,
		`select (select count(*) from answer_sentences) + (select count(*) from answer_quotes)`))
}

func TestEstimatingAnAnswer(t *testing.T) {
	t.Parallel()
	e := setup(t, func(c *answers.Config) { c.Prices = cost.Prices{Input: 0.25, Output: 2, Currency: "EUR"} })
	_, path := e.ask(t, question)
	estimate := "POST " + path + "/estimate"
	e.require(t, e.Viewer, estimate, "", http.StatusForbidden, "forbidden")
	e.require(t, e.DB.Tenant(t).Owner, estimate, "", http.StatusNotFound, "answer_not_found")
	require.Equal(t, map[string]any{
		"mode": "thorough", "calls": 3.0, "inputTokens": 2e6, "outputTokens": 1e6, "imports": 1.0, "passages": 40.0,
		"cost": map[string]any{"amount": 2.5, "currency": "EUR"},
	}, e.require(t, e.Editor, estimate, "", http.StatusOK, ""))
	passages := e.require(t, e.Editor, estimate, `{"mode": "passages"}`, http.StatusOK, "")
	require.EqualValues(t, 10, passages["passages"])
	e.require(t, e.Editor, estimate, `{"mode": "quick"}`, http.StatusUnprocessableEntity, "scope_too_large")
}
