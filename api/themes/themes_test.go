package themes_test

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

	"research/api/cost"
	"research/api/reference/contract"
	"research/api/themes"
	"research/api/token"
	"research/api/token/tokentest"
	"research/db/dbtest"
	"research/temporalclient"
)

// A fakeRunner records the runs that are started and cancelled.
type fakeRunner struct {
	unavailable, startErr error

	mu        sync.Mutex
	started   []temporalclient.ThemesRequest
	cancelled []string
}

func (f *fakeRunner) Available(context.Context) error { return f.unavailable }

func (f *fakeRunner) StartThemes(
	_ context.Context, r temporalclient.ThemesRequest,
) (temporalclient.Run, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.started = append(f.started, r)
	return temporalclient.Run{WorkflowID: "themes-" + r.ProjectID.String(), RunID: "run"}, f.startErr
}

func (f *fakeRunner) CancelThemes(_ context.Context, project uuid.UUID, runID string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cancelled = append(f.cancelled, project.String()+" "+runID)
	return temporalclient.ErrNotRunning
}

// estimates has the same estimate of every project, or an error.
type estimates struct{ err error }

func (e *estimates) EstimateThemes(context.Context, uuid.UUID) (themes.Estimate, error) {
	return themes.Estimate{Calls: 3, InputTokens: 2_000_000, OutputTokens: 1_000_000, Imports: 1}, e.err
}

// An edge is the handlers under test, with a workspace.
type edge struct {
	*dbtest.DB
	dbtest.Tenant
	tokens    *tokentest.Issuer
	runner    *fakeRunner
	estimates *estimates
	handler   http.Handler
}

// setup serves a workspace whose project has one interview.
func setup(t *testing.T, change ...func(*themes.Config)) *edge {
	t.Helper()
	e := &edge{DB: dbtest.New(t), runner: &fakeRunner{}, estimates: &estimates{}}
	e.Tenant = e.DB.Tenant(t)
	e.interview(t, e.Tenant)
	e.tokens = tokentest.New(t, e.Store, token.KeysConfig{})
	cfg := themes.Config{UsesModel: true, Timeout: time.Hour}
	for _, c := range change {
		c(&cfg)
	}
	handlers, err := themes.New(themes.Deps{
		Config: cfg, Store: e.Store, Runner: e.runner, Estimator: e.estimates,
		Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	r := chi.NewRouter()
	reject := func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusTeapot) }
	in := r.With(e.tokens.Authenticator.APIKey(reject), e.tokens.Authenticator.Bearer(reject))
	in.Method(http.MethodPost, "/api/project/{projectId}/themes/propose", handlers.Propose)
	in.Method(http.MethodPost, "/api/project/{projectId}/themes/estimate", handlers.Estimate)
	in.Method(http.MethodPost, "/api/project/{projectId}/themes/cancel", handlers.Cancel)
	e.handler = r
	return e
}

// interview adds an interview to a project.
func (e *edge) interview(t *testing.T, n dbtest.Tenant) {
	t.Helper()
	id := dbtest.Value[uuid.UUID](t, e.DB, `
		insert into imports (project_id, title, format, size_bytes, sha256)
		values ($1, 'Dana', 'text', 1, '00') returning id`, n.Project)
	e.Exec(t, `insert into private.transcripts (import_id, body) values ($1, 'We lose receipts.')`, id)
}

// do sends a request as a user, and checks that the answer is documented.
func (e *edge) do(
	t *testing.T, user uuid.UUID, path, body, key string,
) (int, map[string]any, http.Header) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("apikey", tokentest.AnonKey)
	r.Header.Set("Authorization", "Bearer "+e.tokens.AccessToken(t, user))
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	w := httptest.NewRecorder()
	e.handler.ServeHTTP(w, r)
	contract.Check(t, contract.Exchange{
		Method: http.MethodPost, Path: r.URL.RequestURI(), Status: w.Code, Header: w.Header(), Body: w.Body.Bytes(),
	})
	var fields map[string]any
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &fields), w.Body.String())
	return w.Code, fields, w.Header()
}

// require sends a request and requires its status and, for an error, its code. It returns the response.
func (e *edge) require(
	t *testing.T, user uuid.UUID, path, body string, status int, code string,
) map[string]any {
	t.Helper()
	got, fields, header := e.do(t, user, path, body, "")
	require.Equal(t, status, got, "%v", fields)
	if code != "" {
		require.Equal(t, code, fields["error"])
	}
	if status == http.StatusTooManyRequests {
		require.NotEmpty(t, header.Get("Retry-After"))
	}
	return fields
}

func (e *edge) path(what string) string {
	return "/api/project/" + e.Project.String() + "/themes/" + what
}

func TestProposing(t *testing.T) {
	t.Parallel()
	e := setup(t)
	started := e.require(t, e.Editor, e.path("propose"), "", http.StatusAccepted, "")
	require.Equal(t, "queued", started["status"])
	require.Len(t, e.runner.started, 1)
	run := e.runner.started[0]
	require.Equal(t, started["themeRunId"], run.ThemeRunID.String())
	require.Equal(t, temporalclient.ThemesRequest{
		ThemeRunID: run.ThemeRunID, ClaimID: run.ClaimID, WorkspaceID: e.Workspace, ProjectID: e.Project,
		Timeout: time.Hour,
	}, run)
	require.Equal(t, run.ClaimID, dbtest.Value[uuid.UUID](t, e.DB, `select claim_id from theme_runs`))
	require.Equal(t, e.Editor, dbtest.Value[uuid.UUID](t, e.DB, `select created_by from theme_runs`))

	e.require(t, e.Owner, e.path("propose"), "{}", http.StatusUnprocessableEntity, "themes_already_proposing")
	stranger := e.DB.Tenant(t)
	for _, what := range []string{"propose", "estimate", "cancel"} {
		e.require(t, e.Viewer, e.path(what), "", http.StatusForbidden, "forbidden")
		e.require(t, stranger.Owner, e.path(what), "", http.StatusNotFound, "project_not_found")
		e.require(t, e.Editor, "/api/project/1/themes/"+what, "", http.StatusNotFound, "project_not_found")
		e.require(t, e.Editor, "/api/project/"+uuid.NewString()+"/themes/"+what, "", http.StatusNotFound,
			"project_not_found")
		e.require(t, e.Editor, e.path(what)+"?nonsense=1", "", http.StatusBadRequest, "invalid_request")
	}
	for _, body := range []string{`{"model": "x"}`, `[]`, `{`, `"x"`} {
		e.require(t, e.Editor, e.path("propose"), body, http.StatusBadRequest, "invalid_request")
		e.require(t, e.Editor, e.path("estimate"), body, http.StatusBadRequest, "invalid_request")
	}
	large := `{"x": "` + strings.Repeat("x", 2<<10) + `"}`
	e.require(t, e.Editor, e.path("propose"), large, http.StatusRequestEntityTooLarge, "too_large")
	require.Len(t, e.runner.started, 1)
}

func TestNothingIsProposedWithoutAModelOrInterviews(t *testing.T) {
	t.Parallel()
	e := setup(t, func(c *themes.Config) { c.UsesModel = false })
	e.require(t, e.Editor, e.path("propose"), "", http.StatusUnprocessableEntity, "model_not_configured")
	e.require(t, e.Editor, e.path("estimate"), "", http.StatusUnprocessableEntity, "model_not_configured")
	e.require(t, e.Viewer, e.path("propose"), "", http.StatusForbidden, "forbidden")
	e.require(t, e.DB.Tenant(t).Owner, e.path("propose"), "", http.StatusNotFound, "project_not_found")

	e = setup(t)
	e.Exec(t, `delete from imports`)
	e.require(t, e.Editor, e.path("propose"), "", http.StatusUnprocessableEntity, "nothing_to_read")
	require.Zero(t, dbtest.Value[int](t, e.DB, `select count(*) from theme_runs`))
}

func TestLimitsOfProposals(t *testing.T) {
	t.Parallel()
	e := setup(t, func(c *themes.Config) { c.Limit = 1 })
	e.require(t, e.Editor, e.path("propose"), "", http.StatusAccepted, "")
	e.require(t, e.Editor, e.path("cancel"), "", http.StatusOK, "")
	e.require(t, e.Editor, e.path("propose"), "", http.StatusTooManyRequests, "ask_limit")
	e.require(t, e.Owner, e.path("propose"), "", http.StatusAccepted, "")

	for _, limit := range []func(*themes.Config){
		func(c *themes.Config) { c.QueueLimit = 1 }, func(c *themes.Config) { c.WorkspaceQueueLimit = 1 },
	} {
		e = setup(t, limit)
		e.Exec(t, `insert into answers (project_id, question, mode) values ($1, 'Who pays?', 'quick')`, e.Project)
		e.require(t, e.Editor, e.path("propose"), "", http.StatusTooManyRequests, "queue_full")
	}
}

func TestARequestThatIsSentAgainProposesOnce(t *testing.T) {
	t.Parallel()
	e := setup(t)
	ids := make(chan any, 5)
	var group sync.WaitGroup
	for range cap(ids) {
		group.Go(func() {
			status, fields, _ := e.do(t, e.Editor, e.path("propose"), "", "k1")
			require.Equal(t, http.StatusAccepted, status)
			ids <- fields["themeRunId"]
		})
	}
	group.Wait()
	first := <-ids
	for range cap(ids) - 1 {
		require.Equal(t, first, <-ids)
	}
	require.Len(t, e.runner.started, 1)
	e.require(t, e.Editor, e.path("cancel"), "", http.StatusOK, "")
	status, fields, header := e.do(t, e.Editor, e.path("propose"), "{}", "k1")
	require.Equal(t, http.StatusAccepted, status)
	require.Equal(t, first, fields["themeRunId"])
	require.Equal(t, "true", header.Get("Idempotent-Replayed"))
}

// Of requests at the same time, one starts a run.
func TestAProjectHasOneRunAtATime(t *testing.T) {
	t.Parallel()
	e := setup(t)
	codes := make(chan int, 6)
	var group sync.WaitGroup
	for range cap(codes) {
		group.Go(func() {
			status, _, _ := e.do(t, e.Editor, e.path("propose"), "", "")
			codes <- status
		})
	}
	group.Wait()
	count := map[int]int{}
	for range cap(codes) {
		count[<-codes]++
	}
	require.Equal(t, map[int]int{http.StatusAccepted: 1, http.StatusUnprocessableEntity: 5}, count)
	require.Len(t, e.runner.started, 1)
}

func TestWithoutTemporalNothingIsProposed(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.runner.unavailable = temporalclient.ErrUnavailable
	e.require(t, e.Editor, e.path("propose"), "", http.StatusServiceUnavailable, "unavailable")
	require.Zero(t, dbtest.Value[int](t, e.DB, `select count(*) from theme_runs`))

	e.runner.unavailable, e.runner.startErr = nil, errors.New("gone meanwhile")
	e.require(t, e.Editor, e.path("propose"), "", http.StatusAccepted, "")
	require.Equal(t, "queued", dbtest.Value[string](t, e.DB, `select status::text from theme_runs`),
		"the reconciler starts it")
}

func TestCancellingProposals(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.require(t, e.Editor, e.path("cancel"), "", http.StatusUnprocessableEntity, "themes_not_proposing")
	started := e.require(t, e.Editor, e.path("propose"), "", http.StatusAccepted, "")
	cancelled := e.require(t, e.Editor, e.path("cancel"), "", http.StatusOK, "")
	require.Equal(t, map[string]any{"themeRunId": started["themeRunId"], "status": "canceled"}, cancelled)
	require.Empty(t, e.runner.cancelled, "no run has begun")
	require.Equal(t, "canceled", dbtest.Value[string](t, e.DB, `select error_code from theme_runs`))

	e.require(t, e.Editor, e.path("propose"), "", http.StatusAccepted, "")
	e.Exec(t, `update theme_runs set status = 'reading', run_id = 'run' where status = 'queued'`)
	e.require(t, e.Owner, e.path("cancel"), "", http.StatusOK, "")
	require.Equal(t, []string{e.Project.String() + " run"}, e.runner.cancelled)
	e.require(t, e.Editor, e.path("cancel"), "", http.StatusUnprocessableEntity, "themes_not_proposing")
	require.Equal(t, []string{
		"theme_run.canceled", "theme_run.canceled",
		"theme_run.progress", "theme_run.progress", "theme_run.progress",
	}, dbtest.Value[[]string](t, e.DB,
		`select array_agg(type order by type) from private.events where type like 'theme_run%'`))
}

func TestEstimatingProposals(t *testing.T) {
	t.Parallel()
	e := setup(t, func(c *themes.Config) { c.Prices = cost.Prices{Input: 0.25, Output: 2, Currency: "EUR"} })
	require.Equal(t, map[string]any{
		"calls": 3.0, "inputTokens": 2e6, "outputTokens": 1e6, "imports": 1.0,
		"cost": map[string]any{"amount": 2.5, "currency": "EUR"},
	}, e.require(t, e.Editor, e.path("estimate"), "", http.StatusOK, ""))
	e.estimates.err = fmt.Errorf("estimate: %w", themes.ErrScopeTooLarge)
	e.require(t, e.Editor, e.path("estimate"), "", http.StatusUnprocessableEntity, "scope_too_large")
	require.Zero(t, dbtest.Value[int](t, e.DB, `select count(*) from theme_runs`))
}
