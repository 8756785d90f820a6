package activities_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"research/activities"
	"research/activities/webhook"
	"research/db"
	"research/db/dbtest"
)

// A receiver answers the events of an endpoint.
type receiver struct {
	mu       sync.Mutex
	response func(m webhook.Message) (webhook.Response, error)
	accepted []string // the ids of events
	attempts []string
}

func (r *receiver) Send(_ context.Context, m webhook.Message) (webhook.Response, error) {
	response, err := webhook.Response{Status: 204}, error(nil)
	if r.response != nil {
		response, err = r.response(m)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.attempts = append(r.attempts, m.ID)
	if err == nil && response.Accepted() {
		r.accepted = append(r.accepted, m.ID)
	}
	return response, err
}

// A hook is an endpoint, and what sends to it.
type hook struct {
	*dbtest.DB
	dbtest.Tenant
	*receiver
	endpoint uuid.UUID
	imports  []uuid.UUID
}

func newHook(t *testing.T) *hook {
	t.Helper()
	h := &hook{DB: dbtest.New(t), receiver: &receiver{}}
	h.Tenant = h.DB.Tenant(t)
	for range 2 {
		h.imports = append(h.imports, dbtest.Value[uuid.UUID](t, h.DB, `
			insert into imports (workspace_id, project_id, title, format, size_bytes, sha256)
			values ($1, $2, 'Interview', 'text', 10, repeat('0', 64)) returning id`, h.Workspace, h.Project))
	}
	h.publish(t)
	h.delayRetries(t)
	h.endpoint = dbtest.Value[uuid.UUID](t, h.DB, `
		insert into webhook_endpoints (workspace_id, url, events, verified_at)
		values ($1, 'https://receiver.example/', '{import.*}', now()) returning id`, h.Workspace)
	return h
}

// publish numbers the events, and makes the deliveries of every endpoint.
func (h *hook) publish(t *testing.T) {
	t.Helper()
	endpoints := dbtest.Value[[]uuid.UUID](t, h.DB,
		`select coalesce(array_agg(id), '{}') from webhook_endpoints`)
	require.NoError(t, h.AsService(t.Context(), func(q *db.Queries) error {
		_, err := q.PublishEvents(t.Context(), 1000)
		for _, endpoint := range endpoints {
			_, wrong := q.FeedWebhook(t.Context(), db.FeedWebhookParams{
				EndpointID: endpoint, Most: 1000, MostPending: 1000,
			})
			err = errors.Join(err, wrong)
		}
		return err
	}))
}

// progress makes an event of each import.
func (h *hook) progress(t *testing.T, done int) {
	t.Helper()
	for _, id := range h.imports {
		h.Exec(t, `update imports set progress_total = 100, progress_done = $2 where id = $1`, id, done)
	}
	h.publish(t)
}

// send sends what is due.
func (h *hook) send(t *testing.T) activities.SendWebhooksResult {
	t.Helper()
	webhooks, err := activities.NewWebhooks(h.Store, h.receiver, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	activities.Register(env, activities.Deps{Webhooks: webhooks})
	in := activities.SendWebhooksInput{EndpointID: h.endpoint}
	value, err := env.ExecuteActivity(webhooks.SendWebhooks, in)
	require.NoError(t, err)
	var result activities.SendWebhooksResult
	require.NoError(t, value.Get(&result))
	return result
}

// delayRetries adds an hour to every delay and lease, so that none of them ends before makeDue, however slow
// the machine is. An update that waited for a sender may leave a time that is after its own now: that is no
// delay.
func (h *hook) delayRetries(t *testing.T) {
	t.Helper()
	h.Exec(t, `
		create function private.delay_retry() returns trigger language plpgsql as $$
		begin
			new.due_at := new.due_at + interval '1 hour';
			return new;
		end $$`)
	h.Exec(t, `
		create trigger delay_retry before update of due_at on private.webhook_queues
			for each row when (new.due_at > now() and new.due_at <> old.due_at)
			execute function private.delay_retry()`)
}

// makeDue lets the time of every delay pass.
func (h *hook) makeDue(t *testing.T) {
	t.Helper()
	h.Exec(t, `update private.webhook_queues set due_at = now()`)
}

// events returns the ids of the events of an import, in order.
func (h *hook) events(t *testing.T, of uuid.UUID) []string {
	t.Helper()
	return dbtest.Value[[]string](t, h.DB, `
		select coalesce(array_agg(event_id::text order by seq), '{}') from webhook_deliveries where queue = $1`, of)
}

func TestWebhooksAreSentInOrder(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	for done := range 5 {
		h.progress(t, done+1)
	}
	first, second := h.events(t, h.imports[0]), h.events(t, h.imports[1])
	require.Len(t, first, 5)
	failing := first[2]
	h.response = func(m webhook.Message) (webhook.Response, error) {
		if m.ID == failing {
			return webhook.Response{Status: 500, Excerpt: "out of order"}, nil
		}
		return webhook.Response{Status: 200}, nil
	}
	require.Equal(t, activities.SendWebhooksResult{Delivered: 7, Failed: 1}, h.send(t))
	of := func(ids []string) (accepted []string) {
		for _, id := range h.accepted {
			if slices.Contains(ids, id) {
				accepted = append(accepted, id)
			}
		}
		return accepted
	}
	require.Equal(t, first[:2], of(first), "the events after one that failed wait")
	require.Equal(t, second, of(second), "those of other imports do not")
	require.Equal(t, "pending|1|500|out of order|5", dbtest.Value[string](t, h.DB, `
		select concat_ws('|', status, attempts, response_status, response_excerpt,
			round(extract(epoch from next_attempt_at - updated_at)))
		from webhook_deliveries where event_id = $1`, failing),
		"the first retry is soon")
	require.Zero(t, h.send(t).Delivered, "nothing is due")

	failing = ""
	h.makeDue(t)
	require.Equal(t, 3, h.send(t).Delivered)
	require.Equal(t, first, of(first))
	require.Equal(t, 10, dbtest.Value[int](t, h.DB,
		`select count(*) from webhook_deliveries where status = 'delivered' and delivered_at is not null`))
	require.Zero(t, dbtest.Value[int](t, h.DB, `select count(*) from private.webhook_queues`))
}

func TestWebhooksBeginWithTheRegistration(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	touch := func(done int) {
		h.Exec(t, `update imports set progress_total = 100, progress_done = $2 where id = $1`, h.imports[0], done)
	}
	touch(1) // published after the second registration, and before it in time
	later := dbtest.Value[uuid.UUID](t, h.DB, `
		insert into webhook_endpoints (workspace_id, url, verified_at)
		values ($1, 'https://other.example/', now()) returning id`, h.Workspace)
	touch(2)
	h.publish(t)
	require.Len(t, h.events(t, h.imports[0]), 3)
	require.Equal(t, []string{"2"}, dbtest.Value[[]string](t, h.DB, `
		select array_agg(payload -> 'data' ->> 'done') from webhook_deliveries
		where endpoint_id = $1`, later))
}

func TestWebhookOfADeadWorkerIsSentAgain(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	h.progress(t, 1)
	id := h.events(t, h.imports[0])[0]
	claim := func() (db.ClaimWebhookRow, error) {
		return db.AsService(t.Context(), h.Store, func(q *db.Queries) (db.ClaimWebhookRow, error) {
			return q.ClaimWebhook(t.Context(), db.ClaimWebhookParams{EndpointID: h.endpoint, LeaseSeconds: 60})
		})
	}
	for range h.imports {
		claimed, err := claim() // by a worker that is killed
		require.NoError(t, err)
		require.Regexp(t, `^whsec_[A-Za-z0-9+/]{43}=$`, claimed.Secrets[0])
	}
	_, err := claim()
	require.ErrorIs(t, err, db.ErrNotFound, "no other worker sends it meanwhile")
	h.makeDue(t)
	require.Equal(t, 2, h.send(t).Delivered)
	require.Contains(t, h.accepted, id, "with the same id")
}

func TestWebhooksThatFail(t *testing.T) {
	t.Parallel()

	t.Run("are tried for a day, and then the endpoint is paused", func(t *testing.T) {
		t.Parallel()
		h := newHook(t)
		h.imports = h.imports[:1]
		h.progress(t, 1)
		h.response = func(webhook.Message) (webhook.Response, error) {
			return webhook.Response{}, &webhook.Error{Reason: webhook.ReasonTimeout}
		}
		delays := 0.0
		for h.send(t).Failed > 0 {
			delay := dbtest.Value[float64](t, h.DB, `
				select coalesce(extract(epoch from next_attempt_at - updated_at), 0)::float8 from webhook_deliveries`)
			delays += delay
			h.makeDue(t)
			h.Exec(t, `
				update private.webhook_cursors set failing_since = failing_since - make_interval(secs => $1)`, delay)
		}
		require.InDelta(t, 1.0, delays/24/3600, 0.05, "days")
		require.Equal(t, "failed|11|"+webhook.ReasonTimeout, dbtest.Value[string](t, h.DB,
			`select concat_ws('|', status, attempts, error) from webhook_deliveries`))
		require.Equal(t, "f|t|It accepted nothing for a day.", dbtest.Value[string](t, h.DB,
			`select concat_ws('|', active, disabled_at is not null, disabled_reason) from webhook_endpoints`))
		require.Equal(t, 1, dbtest.Value[int](t, h.DB,
			`select count(*) from private.audit_records where action = 'webhook_disabled'`))
		require.ElementsMatch(t, []uuid.UUID{h.Owner, h.Admin}, dbtest.Value[[]uuid.UUID](t, h.DB,
			`select array_agg(user_id) from auth.notices where kind = 'webhook_paused'`))

		h.progress(t, 2)
		require.Len(t, h.events(t, h.imports[0]), 1, "an inactive endpoint gets no deliveries")
		h.Exec(t, `update webhook_endpoints set active = true`)
		require.Equal(t, "t", dbtest.Value[string](t, h.DB,
			`select concat_ws('|', active, disabled_at, disabled_reason) from webhook_endpoints`))
		require.Zero(t, dbtest.Value[int](t, h.DB,
			`select count(*) from private.webhook_cursors where failing_since is not null`), "it begins afresh")
		h.response = nil
		delivery := dbtest.Value[uuid.UUID](t, h.DB, `select id from webhook_deliveries`)
		for user, want := range map[uuid.UUID]bool{h.Editor: false, h.Admin: true} {
			require.Equal(t, want, h.redeliver(t, user, delivery))
		}
		require.Equal(t, 1, h.send(t).Delivered)
		require.Equal(t, h.attempts[0], h.accepted[0], "with the same id")
	})

	t.Run("end when the receiver is gone", func(t *testing.T) {
		t.Parallel()
		h := newHook(t)
		h.progress(t, 1)
		h.response = func(webhook.Message) (webhook.Response, error) { return webhook.Response{Status: 410}, nil }
		require.NotZero(t, h.send(t).Failed)
		require.False(t, dbtest.Value[bool](t, h.DB, `select active from webhook_endpoints`))
		h.Exec(t, `update webhook_endpoints set active = true`)
		h.progress(t, 2)
		require.NotZero(t, h.send(t).Failed)
		require.False(t, dbtest.Value[bool](t, h.DB, `select active from webhook_endpoints`))
		require.Equal(t, 2, dbtest.Value[int](t, h.DB, `select count(*) from auth.notices`),
			"one mail a day to the owner and to the admin")
		h.progress(t, 3)
		h.makeDue(t)
		require.Zero(t, h.send(t), "nothing is sent any more")
	})

	t.Run("are retried when the worker fails", func(t *testing.T) {
		t.Parallel()
		h := newHook(t)
		h.progress(t, 1)
		h.response = func(webhook.Message) (webhook.Response, error) {
			return webhook.Response{}, errors.New("malformed")
		}
		webhooks, err := activities.NewWebhooks(h.Store, h.receiver, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		var suite testsuite.WorkflowTestSuite
		env := suite.NewTestActivityEnvironment()
		activities.Register(env, activities.Deps{Webhooks: webhooks})
		_, err = env.ExecuteActivity(webhooks.SendWebhooks, activities.SendWebhooksInput{EndpointID: h.endpoint})
		require.Error(t, err)
		require.NotContains(t, err.Error(), "malformed")
	})
}

// An endpoint gets nothing but a test event until its address has accepted one.
func TestWebhooksNeedAnAcceptedTest(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	h.Exec(t, `delete from webhook_endpoints`)
	h.progress(t, 1)
	h.endpoint = dbtest.Value[uuid.UUID](t, h.DB, `
		insert into webhook_endpoints (workspace_id, url) values ($1, 'https://receiver.example/') returning id`,
		h.Workspace)
	h.progress(t, 2)
	status := 500
	var mu sync.Mutex
	var types []string
	h.response = func(m webhook.Message) (webhook.Response, error) {
		var event struct {
			ID, Type, Timestamp string
			Data                struct{ WorkspaceID, EntityID uuid.UUID }
		}
		if err := json.Unmarshal(m.Body, &event); err != nil || event.ID != m.ID {
			return webhook.Response{Status: 400}, err
		}
		mu.Lock()
		defer mu.Unlock()
		types = append(types, event.Type)
		return webhook.Response{Status: status}, nil
	}
	proven := func() bool {
		return dbtest.Value[bool](t, h.DB, `select verified_at is not null from webhook_endpoints`)
	}
	const test, event = "webhook.test", "import.progress"
	require.Equal(t, 1, h.send(t).Failed)
	h.makeDue(t)
	require.Equal(t, 1, h.send(t).Failed)
	require.Equal(t, []string{test, test}, types)
	require.False(t, proven())

	h.makeDue(t)
	types, status = nil, 200
	require.Equal(t, 3, h.send(t).Delivered)
	require.Equal(t, []string{test, event, event}, types, "and then what happened since the registration")
	require.True(t, proven())

	h.progress(t, 3) // whose deliveries wait for the proof of the next address
	h.Exec(t, `update webhook_endpoints set url = 'https://other.example/'`)
	require.False(t, proven())
	h.progress(t, 4)
	types, status = nil, 302
	require.Equal(t, 1, h.send(t).Failed)
	require.Equal(t, []string{test}, types)

	h.Exec(t, `update webhook_endpoints set url = 'https://receiver.example/'`)
	require.Equal(t, 1, dbtest.Value[int](t, h.DB,
		`select count(*) from webhook_deliveries where type = 'webhook.test' and status = 'pending'`))
	types, status = nil, 200
	require.Equal(t, 5, h.send(t).Delivered)
	require.Equal(t, test, types[0], "at once")

	h.Exec(t, `update webhook_endpoints set url = 'https://another.example/'`)
	h.Exec(t, `update private.webhook_cursors set failing_since = now() - interval '1 day'`)
	types, status = nil, 500
	require.Equal(t, 1, h.send(t).Failed)
	require.Equal(t, "It did not accept the test event for a day.", dbtest.Value[string](t, h.DB,
		`select disabled_reason from webhook_endpoints where not active`))
	h.makeDue(t)
	require.Zero(t, h.send(t))
	status = 200
	h.Exec(t, `update webhook_endpoints set active = true`)
	require.Equal(t, 1, h.send(t).Delivered, "the test event again, and nothing that happened meanwhile")
	require.True(t, proven())
}

// The latest 10,000 deliveries of an endpoint are kept.
// A test event is sent to an endpoint that is at work as any other event, whatever its types of events are.
func TestWebhooksAreTestedOnDemand(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	row := h.call(t, h.Admin, fmt.Sprintf(`select public.send_test_event('%s')::text`, h.endpoint))
	event := dbtest.Value[string](t, h.DB, `select event_id::text from webhook_deliveries where id = $1`, row)
	h.send(t)
	require.Equal(t, []string{event}, h.accepted)
	require.Equal(t, "webhook.test delivered", dbtest.Value[string](t, h.DB,
		`select type || ' ' || status from webhook_deliveries where id = $1`, row))
	require.Equal(t, 1, dbtest.Value[int](t, h.DB,
		`select count(*) from private.audit_records where action = 'webhook_tested'`))
}

// An endpoint can ask for every type that happens: each status of an import and each of the others.
func TestWebhooksOfAnswers(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	h.Exec(t, `update webhook_endpoints set events = '{answer.finished, answer.deleted}'`)
	answer := dbtest.Value[uuid.UUID](t, h.DB, `
		insert into answers (project_id, question, mode) values ($1, 'Who pays?', 'quick') returning id`, h.Project)
	h.Exec(t, `update answers set status = 'answered', result = 'partly' where id = $1`, answer)
	h.Exec(t, `delete from answers where id = $1`, answer)
	h.publish(t)
	require.Equal(t, activities.SendWebhooksResult{Delivered: 2}, h.send(t))
	require.Equal(t,
		[]string{"answer.finished answered partly " + answer.String(), "answer.deleted " + answer.String()},
		dbtest.Value[[]string](t, h.DB, `
			select array_agg(concat_ws(' ', type, payload -> 'data' ->> 'status', payload -> 'data' ->> 'result',
				payload -> 'data' ->> 'answerId') order by seq)
			from webhook_deliveries where status = 'delivered'`))
}

func TestWebhooksKnowTheStatusesOfImports(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	require.Empty(t, dbtest.Value[[]string](t, d, `
		select coalesce(array_agg(happens), '{}') from (
			select 'import.' || s from unnest(enum_range(null::import_status)) s
			union all
			select 'evidence.' || s from unnest(enum_range(null::evidence_review)) s
		) n (happens)
		where happens not in (select t from private.event_types() t)`))
}

func TestDeliveriesOfWebhooksAreBounded(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	h.Exec(t, `
		insert into webhook_deliveries (workspace_id, endpoint_id, event_id, type, payload, queue, seq, status)
		select $1, $2, gen_random_uuid(), 'import.progress', '{}', $1, n - 20000,
			case when n = 1 then 'pending' else 'delivered' end
		from generate_series(1, 10500) n`, h.Workspace, h.endpoint)
	h.progress(t, 1)
	require.Equal(t, "10001|1", dbtest.Value[string](t, h.DB,
		`select concat_ws('|', count(*), count(*) filter (where seq = 1 - 20000)) from webhook_deliveries`),
		"and one that is still pending")
	require.Len(t, h.events(t, h.imports[0]), 1)
}

// Events are kept for a limited time, also for an endpoint that is behind.
func TestWebhooksThatAreTooLate(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	for done := range 2 {
		h.Exec(t, `update imports set progress_total = 100, progress_done = $1`, done+1)
	}
	h.Exec(t, `insert into webhook_endpoints (workspace_id, url, events, verified_at)
		values ($1, 'https://other.example/', '{member.*}', now())`, h.Workspace)
	expire := func() {
		require.NoError(t, h.AsService(t.Context(), func(q *db.Queries) error {
			if _, err := q.PublishEvents(t.Context(), 1000); err != nil {
				return err
			}
			_, err := q.DeleteOldEvents(t.Context(), db.DeleteOldEventsParams{
				Before: time.Now().Add(time.Hour), Most: 1000,
			})
			return err
		}))
	}
	expire()
	require.Equal(t, "{import.*}|It was so far behind that events were no longer kept for it.",
		dbtest.Value[string](t, h.DB,
			`select string_agg(concat_ws('|', events, disabled_reason), ',') from webhook_endpoints where not active`))
	h.Exec(t, `update webhook_endpoints set active = true`)
	h.progress(t, 3)
	require.Equal(t, 2, h.send(t).Delivered)
	expire()
	require.Zero(t, dbtest.Value[int](t, h.DB, `select count(*) from webhook_endpoints where not active`))
}

func TestWebhooksOfAnImportDoNotWaitForAnother(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	for done := range 5 {
		h.progress(t, done+1)
	}
	slow, others := h.events(t, h.imports[0])[0], h.events(t, h.imports[1])
	done := make(chan struct{})
	h.response = func(m webhook.Message) (webhook.Response, error) {
		switch m.ID {
		case slow:
			select {
			case <-done:
			case <-time.After(5 * time.Minute):
				return webhook.Response{Status: 503}, nil
			}
		case others[len(others)-1]:
			close(done)
		}
		return webhook.Response{Status: 200}, nil
	}
	require.Equal(t, activities.SendWebhooksResult{Delivered: 10}, h.send(t))
}

// A sender may find nothing because another one holds a queue only for a moment. Here a queue is due only
// when all senders but one have found nothing.
func TestIdleSendersOfWebhooksLookAgain(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	h.progress(t, 1)
	slow := h.events(t, h.imports[0])[0]
	h.Exec(t, `set session_replication_role = replica; -- without the delay of delayRetries
		update private.webhook_queues set due_at = now() + interval '1 second'
		where queue = '`+h.imports[1].String()+`'`)
	var others atomic.Int32
	done := make(chan struct{})
	h.response = func(m webhook.Message) (webhook.Response, error) {
		if m.ID == slow {
			select {
			case <-done:
			case <-time.After(time.Minute):
				return webhook.Response{Status: 503}, nil
			}
		} else if others.Add(1) == 1 {
			close(done)
		}
		return webhook.Response{Status: 200}, nil
	}
	require.Zero(t, h.send(t).Failed)
	require.Positive(t, others.Load())
}

func TestSecretsOfWebhooksAreReplaced(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	var mu sync.Mutex
	var secrets []string // of the latest message
	h.response = func(m webhook.Message) (webhook.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		secrets = m.Secrets
		return webhook.Response{Status: 200}, nil
	}
	h.progress(t, 1)
	h.send(t)
	require.Len(t, secrets, 1)
	former := secrets[0]

	rotate := fmt.Sprintf("select coalesce(public.rotate_webhook_secret('%s'), 'none')", h.endpoint)
	require.Equal(t, "none", h.call(t, h.DB.Tenant(t).Owner, rotate), "of another workspace")
	made := h.call(t, h.Owner, rotate)
	require.Regexp(t, `^whsec_[A-Za-z0-9+/]{43}=$`, made)
	require.NotEqual(t, former, made)
	h.progress(t, 2)
	h.send(t)
	require.Equal(t, []string{made, former}, secrets, "for a day")
	require.Equal(t, 1, dbtest.Value[int](t, h.DB,
		`select count(*) from private.audit_records where action = 'webhook_secret_rotated'`))

	h.Exec(t, `update private.webhook_secrets set previous_until = now()`)
	h.progress(t, 3)
	h.send(t)
	require.Equal(t, []string{made}, secrets)
}

// redeliver calls the function of the data API as a user.
func (h *hook) redeliver(t *testing.T, user, delivery uuid.UUID) (done bool) {
	t.Helper()
	return h.call(t, user, fmt.Sprintf("select public.redeliver_webhook('%s')", delivery)) == "t"
}

// call returns the one value that a query of a user returns.
func (h *hook) call(t *testing.T, user uuid.UUID, sql string) string {
	t.Helper()
	results, err := h.Run(t.Context(), db.User(user), db.Batch{Queries: []db.Query{{SQL: sql}}},
		func([]db.Rows) (bool, error) { return true, nil })
	require.NoError(t, err)
	return string(results[0].Values[0][0])
}
