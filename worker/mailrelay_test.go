package worker

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

var errNotStarted = errors.New("no connection to Temporal")

// startedMails records which mails were started.
type startedMails struct {
	wrong error // of CheckNamespace
	most  int   // that can be started; 0 means all

	mu      sync.Mutex
	started []uuid.UUID
}

func (s *startedMails) CheckNamespace(context.Context) error { return s.wrong }

func (s *startedMails) SendAccountMail(_ context.Context, id uuid.UUID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.most > 0 && len(s.started) == s.most {
		return errNotStarted
	}
	s.started = append(s.started, id)
	return nil
}

func (s *startedMails) SendAccountNotice(ctx context.Context, id uuid.UUID) error {
	return s.SendAccountMail(ctx, id)
}

func TestMailRelay(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	tenant := d.Tenant(t)
	request := func(tokenType, age string) uuid.UUID {
		return dbtest.Value[uuid.UUID](t, d, `
			insert into auth.one_time_tokens (user_id, token_type, created_at, expires_at)
			values ($1, $2, now() - $3::interval, now() - $3::interval + interval '1 hour') returning id`,
			tenant.Viewer, tokenType, age)
	}
	notice := func(age string) uuid.UUID {
		return dbtest.Value[uuid.UUID](t, d, `
			insert into auth.notices (user_id, kind, recipient, created_at)
			values ($1, 'password_changed', 'former@example.com', now() - $2::interval) returning id`,
			tenant.Viewer, age)
	}
	poll := func(mails *startedMails) ([]uuid.UUID, error) {
		mails.started = nil
		relay := &mailRelay{store: d.Store, mails: mails}
		err := relay.poll(t.Context())
		return mails.started, err
	}
	polledAt := func(at string) { d.Exec(t, `update private.temporal_state set mails_looked_at = `+at) }
	intervalEnds := func() { polledAt(`'-infinity'`) }

	started, err := poll(&startedMails{wrong: errors.New("it is not checked while no mail is unsent")})
	require.NoError(t, err)
	require.Empty(t, started)

	first, second, told := request("signup", "2 minutes"), request("recovery", "1 minute"), notice("1 minute")
	request("invite", "2 hours") // it has expired
	notice("8 days")             // it is too old to be useful
	d.Exec(t, `update auth.users set email_confirmed_at = null where id = $1`, tenant.Admin)
	d.Exec(t, `insert into workspace_invitations (workspace_id, email, created_by)
		values ($1, 'guest@example.com', $2)`, tenant.Workspace, tenant.Admin)

	wrong := errors.New("the namespace does not belong to the database")
	started, err = poll(&startedMails{wrong: wrong})
	require.ErrorIs(t, err, wrong)
	require.Empty(t, started)
	intervalEnds()
	started, err = poll(&startedMails{})
	require.NoError(t, err)
	require.Equal(t, []uuid.UUID{first, second, told}, started, "the inviter has not proven the own address")
	require.True(t, dbtest.Value[bool](t, d,
		`select mails_looked_at > now() - interval '1 hour' from private.temporal_state`))
	polledAt(`now() + interval '1 hour'`) // the interval must not end before the next poll
	started, err = poll(&startedMails{})
	require.NoError(t, err)
	require.Empty(t, started, "another worker has polled in this interval")

	d.Exec(t, `update auth.users set email_confirmed_at = now() where id = $1`, tenant.Admin)
	intervalEnds()
	started, err = poll(&startedMails{})
	require.NoError(t, err)
	require.Len(t, started, 1, "the invitation: the runs of the others go on")

	// The runs are lost. One mail was sent before, and one was refused.
	d.Exec(t, `update auth.one_time_tokens set started_at = now() - interval '1 hour',
		sent_at = case when id = $1 then now() end, refused_at = case when id = $2 then now() end`, first, second)
	d.Exec(t, `update auth.notices set started_at = now() - interval '1 hour'`)
	intervalEnds()
	started, err = poll(&startedMails{})
	require.NoError(t, err)
	require.Len(t, started, 2, "the invitation and the notice")
	require.Contains(t, started, told)
	require.NotContains(t, started, first)
	require.NotContains(t, started, second)
}

func TestMailRelayWhileMailsCannotBeStarted(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	tenant := d.Tenant(t)
	var requests []uuid.UUID
	for i := range 3 {
		requests = append(requests, dbtest.Value[uuid.UUID](t, d, `
			insert into auth.one_time_tokens (user_id, token_type, created_at, expires_at)
			values ($1, 'signup', now() - make_interval(mins => 9 - $2), now() + interval '1 hour') returning id`,
			tenant.Viewer, i))
	}
	notice := dbtest.Value[uuid.UUID](t, d, `insert into auth.notices (user_id, kind, recipient)
		values ($1, 'password_changed', 'former@example.com') returning id`, tenant.Viewer)
	mails := &startedMails{most: 1}
	relay := &mailRelay{store: d.Store, mails: mails}
	require.ErrorIs(t, relay.poll(t.Context()), errNotStarted)
	require.Equal(t, requests[:1], mails.started)

	d.Exec(t, `update private.temporal_state set mails_looked_at = '-infinity'`)
	mails.most = 10
	require.NoError(t, relay.poll(t.Context()))
	require.Equal(t, append(requests, notice), mails.started, "none is started twice")
}
