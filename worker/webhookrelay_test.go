package worker

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// startedWebhooks records the endpoints whose workflow was started.
type startedWebhooks struct {
	wrong   error // of CheckNamespace
	started []uuid.UUID
}

func (s *startedWebhooks) CheckNamespace(context.Context) error { return s.wrong }

func (s *startedWebhooks) DeliverWebhooks(_ context.Context, endpoint uuid.UUID) error {
	s.started = append(s.started, endpoint)
	return nil
}

// addEndpoints registers endpoints for every event of a workspace.
func addEndpoints(t *testing.T, d *dbtest.DB, workspace uuid.UUID, number int) []uuid.UUID {
	t.Helper()
	ids := dbtest.Value[[]uuid.UUID](t, d, `
		with added as (
			insert into webhook_endpoints (workspace_id, url, verified_at)
			select $1, 'https://receiver.example/' || n, now() from generate_series(1, $2::integer) n returning id
		)
		select array_agg(id) from added`, workspace, number)
	idle(t, d)
	return ids
}

// idle makes no endpoint due, as after everything was sent.
func idle(t *testing.T, d *dbtest.DB) {
	t.Helper()
	d.Exec(t, `update private.webhook_cursors set due_at = 'infinity'`)
}

func addQuestions(t *testing.T, d *dbtest.DB, project uuid.UUID, number int) {
	t.Helper()
	d.Exec(t, `
		insert into questions (project_id, text)
		select $1, 'Question ' || n from generate_series(1, $2::integer) n`, project, number)
}

func TestWebhookRelayStartsWhatIsDue(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	tenant := d.Tenant(t)
	poll := func(runs *startedWebhooks) []uuid.UUID {
		require.NoError(t, (&webhookRelay{store: d.Store, runs: runs}).poll(t.Context()))
		return runs.started
	}
	poll(&startedWebhooks{})
	endpoint := addEndpoints(t, d, tenant.Workspace, 1)
	d.Exec(t, `update webhook_endpoints set events = '{question.*}'`)
	wrong := errors.New("it is not checked while nothing is due")
	require.Empty(t, poll(&startedWebhooks{wrong: wrong}))

	d.Exec(t, `insert into personas (project_id, name) values ($1, 'Omar')`, tenant.Project)
	require.Empty(t, poll(&startedWebhooks{wrong: wrong}), "it wants no such event")
	addQuestions(t, d, tenant.Project, 1)
	require.ErrorIs(t, (&webhookRelay{store: d.Store, runs: &startedWebhooks{wrong: wrong}}).poll(t.Context()),
		wrong)
	d.Exec(t, `update private.webhook_cursors set due_at = now()`)
	require.Equal(t, endpoint, poll(&startedWebhooks{}))
	require.True(t, dbtest.Value[bool](t, d, `
		select due_at < now() + interval '1 minute' from private.webhook_cursors`),
		"it is due again, if its run does not finish")
}

// A workspace with many endpoints and a backlog delays only its own.
func TestWebhooksOfOneWorkspaceDelayNoOther(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	noisy, quiet := d.Tenant(t), d.Tenant(t)
	require.NoError(t, (&webhookRelay{store: d.Store, runs: &startedWebhooks{}}).poll(t.Context()))
	many := addEndpoints(t, d, noisy.Workspace, 200)
	one := addEndpoints(t, d, quiet.Workspace, 1)[0]
	for range 3 {
		addQuestions(t, d, noisy.Project, 1000)
	}
	addQuestions(t, d, quiet.Project, 1)

	runs := &startedWebhooks{}
	require.NoError(t, (&webhookRelay{store: d.Store, runs: runs}).poll(t.Context()))
	require.Contains(t, runs.started, one, "in the first poll")
	require.Len(t, runs.started, maxDueWebhooks)
	require.Zero(t, dbtest.Value[int](t, d, `select count(*) from webhook_deliveries`),
		"no delivery is made where events are numbered")

	pending := func(endpoint uuid.UUID) int {
		return dbtest.Value[int](t, d,
			`select count(*) from webhook_deliveries where endpoint_id = $1 and status = 'pending'`, endpoint)
	}
	feed := func(endpoint uuid.UUID) bool {
		more, err := db.AsService(t.Context(), d.Store, func(q *db.Queries) (bool, error) {
			return q.FeedWebhook(t.Context(), db.FeedWebhookParams{EndpointID: endpoint, Most: 500, MostPending: 1000})
		})
		require.NoError(t, err)
		return more
	}
	require.True(t, feed(one))
	require.Equal(t, 1, pending(one))
	for range 5 {
		feed(many[0])
	}
	require.Equal(t, 1000, pending(many[0]), "the others stay events")
	d.Exec(t, `update webhook_deliveries set status = 'delivered' where endpoint_id = $1`, many[0])
	require.True(t, feed(many[0]))
	require.Equal(t, 500, pending(many[0]))
	require.Equal(t, 1500, dbtest.Value[int](t, d, `
		select count(distinct seq) from webhook_deliveries where endpoint_id = $1`, many[0]), "each event once")

	// Every endpoint gets its turn.
	started := slices.Clone(runs.started)
	for range 2 {
		runs.started = nil
		require.NoError(t, (&webhookRelay{store: d.Store, runs: runs}).poll(t.Context()))
		started = append(started, runs.started...)
	}
	for _, endpoint := range many {
		require.Contains(t, started, endpoint)
	}
}

// A transaction that holds events of one workspace keeps no other's from being published.
func TestLockedEventsDelayNoOtherWorkspace(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	locked, free := d.Tenant(t), d.Tenant(t)
	relay := &webhookRelay{store: d.Store, runs: &startedWebhooks{}}
	require.NoError(t, relay.poll(t.Context()))
	addQuestions(t, d, locked.Project, 3)
	addQuestions(t, d, free.Project, 3)
	published := func(workspace uuid.UUID) int {
		return dbtest.Value[int](t, d, `
			select count(*) from private.events
			where workspace_id = $1 and type = 'question.created' and seq is not null`, workspace)
	}
	d.AsOwner(t, func(c *pgx.Conn) {
		tx, err := c.Begin(t.Context())
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), `
			select from private.events where id = (
				select id from private.events where workspace_id = $1 and type = 'question.created'
				order by id offset 1 limit 1
			) for update`, locked.Workspace)
		require.NoError(t, err)
		require.NoError(t, relay.poll(t.Context()))
		require.Equal(t, 3, published(free.Workspace))
		require.Equal(t, 1, published(locked.Workspace), "up to the one that is locked")
		require.NoError(t, tx.Rollback(t.Context()))
	})
	require.NoError(t, relay.poll(t.Context()))
	require.Equal(t, "t", dbtest.Value[string](t, d, `
		select case when array_agg(id order by seq) = array_agg(id order by id) then 't' end
		from private.events where workspace_id = $1`, locked.Workspace), "in their order")
}
