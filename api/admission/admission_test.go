package admission_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/admission"
)

var ada, bo, eve = uuid.UUID{1}, uuid.UUID{2}, uuid.UUID{3}

// ownWorkspace gives each user a workspace of their own.
func ownWorkspace(_ context.Context, user uuid.UUID) (uuid.UUID, error) { return user, nil }

var small = admission.Config{Slots: 2, WorkspaceSlots: 1, UserRequests: 2, UserWaiting: 1,
	MaxWait: time.Second}

func enter(t *testing.T, q *admission.Queue, user uuid.UUID) *admission.Ticket {
	t.Helper()
	ticket, err := q.Enter(t.Context(), admission.Caller{User: user})
	require.NoError(t, err)
	return ticket
}

func work(t *testing.T, q *admission.Queue, user uuid.UUID) *admission.Ticket {
	t.Helper()
	ticket := enter(t, q, user)
	require.NoError(t, ticket.Work(t.Context()))
	return ticket
}

func TestARequestAboveTheLimitOfItsUserWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := admission.New(small, ownWorkspace)
		first, second := enter(t, q, ada), enter(t, q, ada)
		enter(t, q, bo).Leave() // others do not wait

		entered := make(chan *admission.Ticket)
		go func() { entered <- enter(t, q, ada) }()
		synctest.Wait()
		_, err := q.Enter(t.Context(), admission.Caller{User: ada})
		require.ErrorIs(t, err, admission.ErrBusy, "one waits already")
		first.Leave()
		third := <-entered

		began := time.Now()
		_, err = q.Enter(t.Context(), admission.Caller{User: ada})
		require.ErrorIs(t, err, admission.ErrBusy)
		require.Equal(t, small.MaxWait, time.Since(began))

		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err = q.Enter(ctx, admission.Caller{User: ada})
		require.ErrorIs(t, err, context.DeadlineExceeded)

		second.Leave()
		third.Leave()
		enter(t, q, ada).Leave()
	})
}

func TestAWorkspaceHasNoMoreThanItsShare(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := admission.New(small, ownWorkspace)
		first, second := work(t, q, ada), enter(t, q, ada)
		require.ErrorIs(t, second.Work(t.Context()), admission.ErrBusy, "although a slot is free")
		other := work(t, q, bo)
		other.Leave()
		first.Done()
		require.NoError(t, second.Work(t.Context()), "the first request goes on without a slot")
		first.Leave()
		second.Leave()
	})
}

func TestWorkspacesTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := admission.Config{Slots: 1, WorkspaceSlots: 1, UserRequests: 100, MaxWait: time.Hour}
		q := admission.New(cfg, ownWorkspace)
		busy := work(t, q, eve)
		order := make(chan uuid.UUID, 10)
		wait := func(user uuid.UUID) {
			go func() {
				ticket := work(t, q, user)
				order <- user
				ticket.Leave()
			}()
			synctest.Wait()
		}
		for range 4 {
			wait(eve)
		}
		wait(ada)
		wait(bo)
		wait(ada)
		busy.Leave()
		synctest.Wait()
		close(order)
		var got []uuid.UUID
		for user := range order {
			got = append(got, user)
		}
		require.Equal(t, []uuid.UUID{eve, ada, bo, eve, ada, eve, eve}, got)
	})
}

func TestThoseWhoGiveUpLoseTheirTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := admission.New(admission.Config{Slots: 1, WorkspaceSlots: 1, UserRequests: 9, MaxWait: time.Minute},
			ownWorkspace)
		busy := work(t, q, eve)
		ctx, cancel := context.WithCancel(t.Context())
		for range 3 {
			go func() { _ = enter(t, q, ada).Work(ctx) }()
		}
		synctest.Wait()
		cancel()
		synctest.Wait()
		done := make(chan struct{})
		go func() {
			work(t, q, bo).Leave()
			close(done)
		}()
		synctest.Wait()
		busy.Leave()
		<-done
		work(t, q, ada).Leave()
	})
}

func TestTrustedCallersHaveNoLimit(t *testing.T) {
	t.Parallel()
	q := admission.New(small, ownWorkspace)
	for range 2 {
		ticket, err := q.Enter(t.Context(), admission.Caller{Trusted: true})
		require.NoError(t, err)
		require.NoError(t, ticket.Work(t.Context()))
		defer ticket.Leave()
	}
	var none *admission.Queue
	ticket, err := none.Enter(t.Context(), admission.Caller{User: ada})
	require.NoError(t, err)
	require.NoError(t, ticket.Work(t.Context()))
	ticket.Leave()
}

func TestCallersWithoutAnAccountReleaseTheirSlots(t *testing.T) {
	t.Parallel()
	q := admission.New(small, ownWorkspace)
	for range small.Slots + 1 {
		work(t, q, uuid.Nil).Leave()
	}
}

func TestALookUpThatFailsTakesNoSlot(t *testing.T) {
	t.Parallel()
	errLookUp := errors.New("the database cannot be reached")
	q := admission.New(small, func(context.Context, uuid.UUID) (uuid.UUID, error) { return uuid.Nil, errLookUp })
	for range 5 {
		ticket := enter(t, q, ada)
		require.ErrorIs(t, ticket.Work(t.Context()), errLookUp)
		ticket.Leave()
	}
}

func TestAllUsersTogetherHaveALimit(t *testing.T) {
	t.Parallel()
	cfg := small
	cfg.Requests = 2
	q := admission.New(cfg, ownWorkspace)
	first := enter(t, q, ada)
	enter(t, q, bo)
	_, err := q.Enter(t.Context(), admission.Caller{User: eve})
	require.ErrorIs(t, err, admission.ErrBusy)
	first.Leave()
	first = enter(t, q, eve)
	trusted, err := q.Enter(t.Context(), admission.Caller{Trusted: true})
	require.NoError(t, err)
	trusted.Leave()
	_, err = q.Enter(t.Context(), admission.Caller{User: ada})
	require.ErrorIs(t, err, admission.ErrBusy)
	first.Leave()
	enter(t, q, ada).Leave()
}

func TestDoHoldsASlotWhileItWorks(t *testing.T) {
	t.Parallel()
	q := admission.New(admission.Config{Slots: 1, WorkspaceSlots: 1, UserRequests: 2}, ownWorkspace)
	errWork := errors.New("of the work")
	err := q.Do(t.Context(), admission.Caller{User: ada}, func() error {
		ticket := enter(t, q, bo)
		require.ErrorIs(t, ticket.Work(t.Context()), admission.ErrBusy)
		ticket.Leave()
		return errWork
	})
	require.ErrorIs(t, err, errWork)
	work(t, q, bo).Leave()
}

func TestSlotsAreKeptForWorkspacesThatUseLittleTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := admission.New(admission.Config{
			Slots: 3, WorkspaceSlots: 3, Reserved: 1, UserRequests: 10, UserWaiting: 10, MaxWait: time.Minute,
		}, ownWorkspace)
		long := work(t, q, ada)
		time.Sleep(5 * time.Second)
		long.Leave()
		first, second := work(t, q, ada), work(t, q, ada)
		third := make(chan *admission.Ticket)
		go func() { third <- work(t, q, ada) }()
		synctest.Wait()
		began := time.Now()
		for range 10 {
			work(t, q, bo).Leave()
		}
		require.Zero(t, time.Since(began), "a slot is free for others")
		synctest.Wait()
		require.Empty(t, third)
		first.Leave()
		(<-third).Leave()
		second.Leave()

		time.Sleep(time.Minute) // what was used is forgotten
		for range 3 {
			defer work(t, q, ada).Leave()
		}
		require.Equal(t, time.Minute, time.Since(began))
	})
}
