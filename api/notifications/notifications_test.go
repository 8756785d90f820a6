package notifications_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"research/api/notifications"
	"research/api/reference/contract"
	"research/api/token"
	"research/db"
	"research/db/dbtest"
	"research/temporalclient"
	"research/workflows"
)

const secret = "the-secret-of-the-scheduler"

// A fakeTemporal records how runs are started. Waiting for a run returns what end returns.
type fakeTemporal struct {
	client.Client
	startError error
	end        func(ctx context.Context) (workflows.PlanDigestsResult, error)

	options client.StartWorkflowOptions
	input   any
	starts  int
}

func (f *fakeTemporal) ExecuteWorkflow(
	_ context.Context, options client.StartWorkflowOptions, _ any, args ...any,
) (client.WorkflowRun, error) {
	f.starts++
	f.options, f.input = options, args[0]
	return fakeRun{f: f}, f.startError
}

// ScheduleClient has no schedules, so that no run remembers the database.
func (*fakeTemporal) ScheduleClient() client.ScheduleClient { return noSchedules{} }

type noSchedules struct{ client.ScheduleClient }

func (noSchedules) GetHandle(context.Context, string) client.ScheduleHandle { return noSchedule{} }

type noSchedule struct{ client.ScheduleHandle }

func (noSchedule) Describe(context.Context) (*client.ScheduleDescription, error) {
	return nil, serviceerror.NewNotFound("no such schedule")
}

type fakeRun struct {
	client.WorkflowRun
	f *fakeTemporal
}

func (fakeRun) GetID() string    { return "digest-daily-now" }
func (fakeRun) GetRunID() string { return "run-1" }
func (r fakeRun) Get(ctx context.Context, value any) (err error) {
	*value.(*workflows.PlanDigestsResult), err = r.f.end(ctx)
	return err
}

// noPreviews composes nothing. The tests of the whole service compose previews.
type noPreviews struct{}

func (noPreviews) PreviewDigest(context.Context, uuid.UUID, string) (notifications.Preview, error) {
	return notifications.Preview{}, db.ErrNotFound
}

func handler(t *testing.T, d *dbtest.DB, f *fakeTemporal, wait time.Duration) http.Handler {
	t.Helper()
	h, err := notifications.New(notifications.Deps{
		Store: d.Store, Digests: temporalclient.New(f, time.Minute), Previews: noPreviews{},
		Authenticator: &token.Authenticator{},
		Log:           slog.New(slog.DiscardHandler),
		CronSecret:    secret, PublicURL: "https://research.example.com", Wait: wait,
	})
	require.NoError(t, err)
	return h
}

func do(t *testing.T, h http.Handler, method, path, authorization, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	contract.Check(t, contract.Exchange{
		Method: method, Path: "/api/notifications" + path, Status: w.Code, Header: w.Header(), Body: w.Body.Bytes(),
	})
	return w
}

func decode(t *testing.T, w *httptest.ResponseRecorder) map[string]any {
	t.Helper()
	var body map[string]any
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &body))
	return body
}

func TestSendDigests(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	done := func(result workflows.PlanDigestsResult) *fakeTemporal {
		return &fakeTemporal{end: func(context.Context) (workflows.PlanDigestsResult, error) { return result, nil }}
	}
	held := func() *fakeTemporal { return done(workflows.PlanDigestsResult{Held: true}) }
	notStarting := func(err error) *fakeTemporal { return &fakeTemporal{startError: err} }
	ending := func(err error) *fakeTemporal {
		return &fakeTemporal{end: func(context.Context) (workflows.PlanDigestsResult, error) {
			return workflows.PlanDigestsResult{}, err
		}}
	}

	t.Run("requires the secret", func(t *testing.T) {
		t.Parallel()
		f := done(workflows.PlanDigestsResult{})
		h := handler(t, d, f, 0)
		for _, wrong := range []string{
			"", "Bearer", "Bearer ", "Bearer wrong", secret, "Basic " + secret, "Bearer " + secret[1:],
			"Bearer " + secret + "x", "Bearer  " + secret, "Bearer " + strings.ToUpper(secret),
		} {
			w := do(t, h, http.MethodPost, "/digest?frequency=neither", wrong, "")
			require.Equal(t, http.StatusUnauthorized, w.Code, "%q is checked before the frequency", wrong)
			require.Equal(t, "Bearer", w.Header().Get("WWW-Authenticate"))
			require.Equal(t, "unauthorized", decode(t, w)["error"])
		}
		require.Zero(t, f.starts)
		for _, right := range []string{"Bearer " + secret, "bearer " + secret} {
			w := do(t, h, http.MethodPost, "/digest?frequency=daily", right, "")
			require.Equal(t, http.StatusOK, w.Code, right)
		}
	})

	t.Run("requires daily or weekly as the frequency", func(t *testing.T) {
		t.Parallel()
		f := done(workflows.PlanDigestsResult{})
		h := handler(t, d, f, 0)
		for _, wrong := range []string{
			"", "?frequency=", "?frequency=monthly", "?frequency=Daily", "?frequency=daily&frequency=weekly",
		} {
			w := do(t, h, http.MethodPost, "/digest"+wrong, "Bearer "+secret, "")
			require.Equal(t, http.StatusBadRequest, w.Code, wrong)
			require.Equal(t, map[string]any{
				"error":   "invalid_request",
				"message": "The query parameter frequency must be given once, as daily or weekly.",
				"details": map[string]any{"frequency": "must be daily or weekly"},
			}, decode(t, w))
		}
		require.Zero(t, f.starts)
		w := do(t, h, http.MethodGet, "/digest?frequency=daily", "Bearer "+secret, "")
		require.Equal(t, http.StatusMethodNotAllowed, w.Code)
		w = do(t, h, http.MethodPost, "/digests", "Bearer "+secret, "")
		require.Equal(t, http.StatusNotFound, w.Code)
	})

	t.Run("responds with what was sent, and ignores the body", func(t *testing.T) {
		t.Parallel()
		f := done(workflows.PlanDigestsResult{Sent: 7, Skipped: 3, Failed: 2, Uncertain: 1})
		w := do(t, handler(t, d, f, 0), http.MethodPost, "/digest?frequency=weekly", "Bearer "+secret, "{")
		require.Equal(t, http.StatusOK, w.Code)
		require.JSONEq(t, `{
			"ok": true, "frequency": "weekly", "sent": 7, "skipped": 3, "failed": 2, "uncertain": 1,
			"status": "done", "workflowId": "digest-daily-now", "runId": "run-1"
		}`, w.Body.String())
		require.Equal(t, workflows.PlanDigestsInput{Frequency: "weekly", Everyone: true}, f.input)
		require.Equal(t, "digest-weekly-now", f.options.ID)
		require.Equal(t, enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING, f.options.WorkflowIDConflictPolicy,
			"concurrent requests share a run")
		require.Equal(t, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, f.options.WorkflowIDReusePolicy)
	})

	for name, end := range map[string]func(ctx context.Context) (workflows.PlanDigestsResult, error){
		"that takes long": func(ctx context.Context) (workflows.PlanDigestsResult, error) {
			<-ctx.Done()
			return workflows.PlanDigestsResult{}, ctx.Err()
		},
		"whose deadline gRPC notices first": func(context.Context) (workflows.PlanDigestsResult, error) {
			return workflows.PlanDigestsResult{}, serviceerror.NewDeadlineExceeded("context deadline exceeded")
		},
		"whose end Temporal cannot tell": func(context.Context) (workflows.PlanDigestsResult, error) {
			return workflows.PlanDigestsResult{}, serviceerror.NewUnavailable("away")
		},
		"that has waited long enough": func(context.Context) (workflows.PlanDigestsResult, error) {
			return workflows.PlanDigestsResult{Sent: 1, Open: 5}, nil
		},
	} {
		t.Run("responds with the progress of a run "+name, func(t *testing.T) {
			t.Parallel()
			respondsWithProgress(t, end)
		})
	}

	for name, c := range map[string]struct {
		temporal *fakeTemporal
		code     string
	}{
		"Temporal is unavailable":         {notStarting(serviceerror.NewUnavailable("away")), "unavailable"},
		"digests are held":                {held(), "digests_held"},
		"the run fails":                   {ending(&temporal.WorkflowExecutionError{}), "digests_failed"},
		"the run is deleted":              {ending(serviceerror.NewNotFound("gone")), "digests_failed"},
		"starting fails in any other way": {notStarting(errors.New("secret words")), "unavailable"},
	} {
		t.Run("asks to try again when "+name, func(t *testing.T) {
			t.Parallel()
			h := handler(t, d, c.temporal, 0)
			w := do(t, h, http.MethodPost, "/digest?frequency=daily", "Bearer "+secret, "")
			require.Equal(t, http.StatusServiceUnavailable, w.Code)
			require.Equal(t, c.code, decode(t, w)["error"])
			if c.code != "digests_held" { // that takes an operator
				require.NotEmpty(t, w.Header().Get("Retry-After"))
			}
			require.NotContains(t, w.Body.String(), "secret words")
		})
	}
}

// respondsWithProgress checks the response for a run that ends in the given way before all is sent.
func respondsWithProgress(t *testing.T, end func(context.Context) (workflows.PlanDigestsResult, error)) {
	t.Helper()
	d := dbtest.New(t)
	n := d.Tenant(t)
	d.Exec(t, `
		insert into digest_deliveries (user_id, frequency, period, window_start, window_end, status, requested_by)
		values ($1, 'daily', 'a', '2026-11-20', '2026-11-21', 'sent', 'run-1'),
			($2, 'daily', 'a', '2026-11-20', '2026-11-21', 'sent', 'run-1'),
			($3, 'daily', 'a', '2026-11-20', '2026-11-21', 'uncertain', 'run-1'),
			($1, 'daily', 'b', '2026-11-20', '2026-11-21', 'failed', 'run-1'),
			($2, 'daily', 'b', '2026-11-20', '2026-11-21', 'skipped', 'run-1'),
			($4, 'daily', 'a', '2026-11-20', '2026-11-21', 'planned', 'run-1'),
			($4, 'daily', 'b', '2026-11-20', '2026-11-21', 'sent', 'another')`, n.Owner, n.Admin, n.Editor, n.Viewer)
	h := handler(t, d, &fakeTemporal{end: end}, 50*time.Millisecond)
	w := do(t, h, http.MethodPost, "/digest?frequency=daily", "Bearer "+secret, "")
	require.Equal(t, http.StatusAccepted, w.Code)
	require.JSONEq(t, `{
		"ok": true, "frequency": "daily", "sent": 2, "skipped": 1, "failed": 1, "uncertain": 1,
		"status": "running", "workflowId": "digest-daily-now", "runId": "run-1"
	}`, w.Body.String())
}

func TestNewRequiresItsDependencies(t *testing.T) {
	t.Parallel()
	_, err := notifications.New(notifications.Deps{CronSecret: secret})
	require.Error(t, err)
}
