package notifications_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
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
	"research/db"
	"research/db/dbtest"
	"research/workflows"
)

const secret = "a-secret-of-the-scheduler"

// A fakeTemporal has every run end as the test says.
type fakeTemporal struct {
	client.Client
	refuses error // to start one
	end     func(ctx context.Context) (workflows.SendDigestsResult, error)

	options client.StartWorkflowOptions
	input   any
	starts  int
}

func (f *fakeTemporal) ExecuteWorkflow(_ context.Context, options client.StartWorkflowOptions, _ any, args ...any) (client.WorkflowRun, error) {
	f.starts++
	f.options, f.input = options, args[0]
	return fakeRun{f: f}, f.refuses
}

type fakeRun struct {
	client.WorkflowRun
	f *fakeTemporal
}

func (fakeRun) GetID() string    { return "digest-daily-now" }
func (fakeRun) GetRunID() string { return "run-1" }
func (r fakeRun) Get(ctx context.Context, value any) (err error) {
	*value.(*workflows.SendDigestsResult), err = r.f.end(ctx)
	return err
}

func handler(t *testing.T, d *dbtest.DB, f *fakeTemporal, wait time.Duration) http.Handler {
	t.Helper()
	h, err := notifications.New(notifications.Deps{
		Store: d.Store, Digests: workflows.NewClient(f), Log: slog.New(slog.DiscardHandler), CronSecret: secret, PublicURL: "https://research.example.com", Wait: wait,
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
	return w
}

func answer(t *testing.T, w *httptest.ResponseRecorder) map[string]any {
	t.Helper()
	var body map[string]any
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &body))
	return body
}

func TestSendDigests(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	done := func(result workflows.SendDigestsResult) *fakeTemporal {
		return &fakeTemporal{end: func(context.Context) (workflows.SendDigestsResult, error) { return result, nil }}
	}

	t.Run("only with the secret", func(t *testing.T) {
		t.Parallel()
		f := done(workflows.SendDigestsResult{})
		h := handler(t, d, f, 0)
		for _, wrong := range []string{"", "Bearer", "Bearer ", "Bearer wrong", secret, "Basic " + secret, "Bearer " + secret[1:], "Bearer " + secret + "x", "Bearer  " + secret, "Bearer " + strings.ToUpper(secret)} {
			w := do(t, h, http.MethodPost, "/digest?frequency=neither", wrong, "")
			require.Equal(t, http.StatusUnauthorized, w.Code, "%q comes before what else is wrong", wrong)
			require.Equal(t, "Bearer", w.Header().Get("WWW-Authenticate"))
			require.Equal(t, "unauthorized", answer(t, w)["error"])
		}
		require.Zero(t, f.starts)
		for _, right := range []string{"Bearer " + secret, "bearer " + secret} {
			require.Equal(t, http.StatusOK, do(t, h, http.MethodPost, "/digest?frequency=daily", right, "").Code, right)
		}
	})

	t.Run("daily or weekly", func(t *testing.T) {
		t.Parallel()
		f := done(workflows.SendDigestsResult{})
		h := handler(t, d, f, 0)
		for _, wrong := range []string{"", "?frequency=", "?frequency=monthly", "?frequency=Daily", "?frequency=daily&frequency=weekly", "?Frequency=daily"} {
			w := do(t, h, http.MethodPost, "/digest"+wrong, "Bearer "+secret, "")
			require.Equal(t, http.StatusBadRequest, w.Code, wrong)
			require.Equal(t, map[string]any{
				"error": "invalid_request", "message": "The query parameter frequency must be given once, as daily or weekly.", "details": map[string]any{"frequency": "must be daily or weekly"},
			}, answer(t, w))
		}
		require.Zero(t, f.starts)
		require.Equal(t, http.StatusMethodNotAllowed, do(t, h, http.MethodGet, "/digest?frequency=daily", "Bearer "+secret, "").Code)
		require.Equal(t, http.StatusNotFound, do(t, h, http.MethodPost, "/digests", "Bearer "+secret, "").Code)
	})

	t.Run("says what was sent, whatever the body", func(t *testing.T) {
		t.Parallel()
		f := done(workflows.SendDigestsResult{Sent: 7, Skipped: 3, Failed: 2, Uncertain: 1})
		w := do(t, handler(t, d, f, 0), http.MethodPost, "/digest?frequency=weekly", "Bearer "+secret, "{")
		require.Equal(t, http.StatusOK, w.Code)
		require.JSONEq(t, `{"ok": true, "frequency": "weekly", "sent": 7, "skipped": 3, "failed": 2, "uncertain": 1, "status": "done", "workflowId": "digest-daily-now", "runId": "run-1"}`, w.Body.String())
		require.Equal(t, workflows.SendDigestsInput{Frequency: "weekly", Everyone: true}, f.input)
		require.Equal(t, "digest-weekly-now", f.options.ID)
		require.Equal(t, enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING, f.options.WorkflowIDConflictPolicy, "two calls share the work")
		require.Equal(t, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, f.options.WorkflowIDReusePolicy)
	})

	t.Run("tells where a long run stands instead of hanging", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		n := d.Tenant(t)
		d.Exec(t, `insert into digest_deliveries (user_id, frequency, period, window_start, window_end, status, run_id)
			values ($1, 'daily', 'a', now(), now(), 'sent', 'run-1'), ($2, 'daily', 'a', now(), now(), 'sent', 'run-1'), ($3, 'daily', 'a', now(), now(), 'uncertain', 'run-1'),
				($4, 'daily', 'a', now(), now(), 'planned', null), ($4, 'daily', 'b', now(), now(), 'sent', 'another')`, n.Owner, n.Admin, n.Editor, n.Viewer)
		f := &fakeTemporal{end: func(ctx context.Context) (workflows.SendDigestsResult, error) {
			<-ctx.Done()
			return workflows.SendDigestsResult{}, ctx.Err()
		}}
		w := do(t, handler(t, d, f, 50*time.Millisecond), http.MethodPost, "/digest?frequency=daily", "Bearer "+secret, "")
		require.Equal(t, http.StatusAccepted, w.Code)
		require.JSONEq(t, `{"ok": true, "frequency": "daily", "sent": 2, "skipped": 0, "failed": 0, "uncertain": 1, "status": "running", "workflowId": "digest-daily-now", "runId": "run-1"}`, w.Body.String())
	})

	for name, c := range map[string]struct {
		f    *fakeTemporal
		code string
	}{
		"Temporal is away": {&fakeTemporal{refuses: serviceerror.NewUnavailable("away")}, "unavailable"},
		"Temporal goes away": {&fakeTemporal{end: func(context.Context) (r workflows.SendDigestsResult, err error) {
			return r, serviceerror.NewUnavailable("away")
		}}, "unavailable"},
		"the run fails": {&fakeTemporal{end: func(context.Context) (r workflows.SendDigestsResult, err error) {
			return r, &temporal.WorkflowExecutionError{}
		}}, "digests_failed"},
		"the run is deleted meanwhile": {&fakeTemporal{end: func(context.Context) (r workflows.SendDigestsResult, err error) {
			return r, serviceerror.NewNotFound("gone")
		}}, "digests_failed"},
		"something nobody thought of is": {&fakeTemporal{refuses: errors.New("secret words")}, "unavailable"},
	} {
		t.Run(name+": come again", func(t *testing.T) {
			t.Parallel()
			w := do(t, handler(t, d, c.f, 0), http.MethodPost, "/digest?frequency=daily", "Bearer "+secret, "")
			require.Equal(t, http.StatusServiceUnavailable, w.Code)
			require.NotEmpty(t, w.Header().Get("Retry-After"))
			require.Equal(t, c.code, answer(t, w)["error"])
			require.NotContains(t, w.Body.String(), "secret words")
		})
	}

	t.Run("nothing works without its dependencies", func(t *testing.T) {
		t.Parallel()
		_, err := notifications.New(notifications.Deps{Store: d.Store})
		require.Error(t, err)
	})
}

func TestUnsubscribe(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	n := d.Tenant(t)
	h := handler(t, d, &fakeTemporal{}, 0)
	var key []byte
	require.NoError(t, d.AsService(t.Context(), func(q *db.Queries) (err error) {
		key, err = q.GetSecret(t.Context(), db.SecretUnsubscribe)
		return err
	}))
	path := func(token string) string { return "/unsubscribe?" + url.Values{"token": {token}}.Encode() }
	wants := func(user uuid.UUID) string {
		return dbtest.Value[string](t, d, `select frequency::text from digest_preferences where user_id = $1`, user)
	}
	d.Exec(t, `update digest_preferences set frequency = 'daily'`)

	t.Run("looking at the page changes nothing, its button does, without signing in", func(t *testing.T) {
		t.Parallel()
		link := path(db.UnsubscribeToken(key, db.ListDigest, n.Viewer))
		for range 2 {
			w := do(t, h, http.MethodGet, link, "", "")
			require.Equal(t, http.StatusOK, w.Code)
			require.Contains(t, w.Body.String(), `<form method="post"><button type="submit">Stop the digests</button></form>`)
			require.Equal(t, "no-store", w.Header().Get("Cache-Control"))
			require.Equal(t, "no-referrer", w.Header().Get("Referrer-Policy"), "the address is the token")
			require.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'none'")
			require.Equal(t, "daily", wants(n.Viewer))
		}
		w := do(t, h, http.MethodPost, link, "", "")
		require.Equal(t, http.StatusOK, w.Code)
		require.Contains(t, w.Body.String(), "You get no more digests")
		require.Equal(t, "off", wants(n.Viewer))
		require.Equal(t, "daily", wants(n.Editor), "nobody else is taken off")
		require.Equal(t, http.StatusOK, do(t, h, http.MethodPost, link, "", "").Code, "once more is no error")
	})

	t.Run("a mail program's one click", func(t *testing.T) {
		t.Parallel()
		link := path(db.UnsubscribeToken(key, db.ListDigest, n.Admin))
		require.Equal(t, http.StatusOK, do(t, h, http.MethodPost, link, "", "List-Unsubscribe=One-Click").Code)
		require.Equal(t, "off", wants(n.Admin))
	})

	t.Run("an account that is gone is no error", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, http.StatusOK, do(t, h, http.MethodPost, path(db.UnsubscribeToken(key, db.ListDigest, uuid.New())), "", "").Code)
	})

	t.Run("a token is good for what it was made for alone", func(t *testing.T) {
		t.Parallel()
		good := db.UnsubscribeToken(key, db.ListDigest, n.Owner)
		for name, wrong := range map[string]string{
			"none": "", "no base64": "%%", "cut off": good[:len(good)-1], "longer": good + "A", "another list": db.UnsubscribeToken(key, "news", n.Owner),
			"another key": db.UnsubscribeToken([]byte("guess"), db.ListDigest, n.Owner), "a preview's": db.UnsubscribeToken(nil, db.ListDigest, n.Owner),
			"another user": db.UnsubscribeToken(key, db.ListDigest, n.Editor)[:10] + good[10:], "a user's id": n.Owner.String(),
		} {
			for _, method := range []string{http.MethodGet, http.MethodPost} {
				w := do(t, h, method, path(wrong), "", "")
				require.Equal(t, http.StatusBadRequest, w.Code, "%s: %s", method, name)
				require.Contains(t, w.Body.String(), "This link does not work")
			}
		}
		require.Equal(t, "daily", wants(n.Owner))
	})

	t.Run("while the database is away it says so", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		h := handler(t, d, &fakeTemporal{}, 0)
		d.Close()
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			w := do(t, h, method, path(db.UnsubscribeToken(key, db.ListDigest, n.Owner)), "", "")
			require.Equal(t, http.StatusServiceUnavailable, w.Code)
			require.NotEmpty(t, w.Header().Get("Retry-After"))
			require.Contains(t, w.Body.String(), "Nothing was changed")
		}
	})
}
