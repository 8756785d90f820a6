package events_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/admission"
	"research/api/events"
	"research/api/token"
	"research/api/token/tokentest"
)

// streams starts the streams of one more server.
func (i *installation) streams(t *testing.T, cfg events.Config) *events.Streams {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	i.tokens = tokentest.New(t, i.Store, token.KeysConfig{})
	s, err := events.New(ctx, events.Deps{
		Config: cfg, Store: i.Store, Authenticator: i.tokens.Authenticator, Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	return s
}

func TestOthersAreWokenByTheEventsOfAnAnswer(t *testing.T) {
	t.Parallel()
	i := install(t)
	s := i.streams(t, events.Config{Streams: 10, UserStreams: 10})
	id, other := i.newAnswer(t), i.newAnswer(t)
	wake, stop, err := s.WatchAnswer(t.Context(), i.Editor, id)
	require.NoError(t, err)
	defer stop()
	unrelated, stopUnrelated, err := s.WatchAnswer(t.Context(), i.Editor, uuid.New())
	require.NoError(t, err)
	defer stopUnrelated()

	woken := func(what string) {
		t.Helper()
		select {
		case <-wake:
		case <-time.After(timeout):
			require.Fail(t, "not woken", what)
		}
	}
	i.Exec(t, `update answers set status = 'reading', progress_total = 3 where id = $1`, id)
	woken("by progress, or by the question")
	i.Exec(t, `update answers set status = 'failed', claim_id = null, finished_at = now() where id = $1`, id)
	woken("by the end")
	i.Exec(t, `update answers set status = 'reading', progress_total = 3 where id = $1`, other)
	i.Exec(t, `delete from workspace_members where user_id = $1`, i.Editor)
	woken("by the end of the membership")
	<-unrelated // also by that
	require.Empty(t, unrelated)
}

func TestWhoWaitsCountsAsAStream(t *testing.T) {
	t.Parallel()
	i := install(t)
	s := i.streams(t, events.Config{Streams: 2, UserStreams: 1})
	_, stop, err := s.WatchAnswer(t.Context(), i.Editor, uuid.New())
	require.NoError(t, err)
	_, _, err = s.WatchAnswer(t.Context(), i.Editor, uuid.New())
	require.ErrorIs(t, err, admission.ErrBusy)
	_, stopAdmin, err := s.WatchAnswer(t.Context(), i.Admin, uuid.New())
	require.NoError(t, err)
	_, _, err = s.WatchAnswer(t.Context(), i.Viewer, uuid.New())
	require.ErrorContains(t, err, "too_many_streams")
	stopAdmin()
	stop()
	for range 2 {
		_, stop, err = s.WatchAnswer(t.Context(), i.Editor, uuid.New())
		require.NoError(t, err)
		stop()
	}
}
