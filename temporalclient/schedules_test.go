package temporalclient_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"research/temporalclient"
	"research/workflows"
)

// dial connects to the Temporal of the tests.
func dial(t *testing.T, address string) client.Client {
	t.Helper()
	c, err := temporalclient.Dial(temporalclient.Settings{
		Address: address, Namespace: "default", Identity: t.Name(), Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func temporalAddress(t *testing.T) string {
	t.Helper()
	address := os.Getenv("TEST_TEMPORAL_ADDRESS")
	if address == "" {
		t.Fatal("this test needs Temporal, and TEST_TEMPORAL_ADDRESS is not set: " +
			"run it by `make test`, or by `go run . dev -- go test ./...`")
	}
	return address
}

func TestEnsureSchedules(t *testing.T) {
	t.Parallel()
	temporal := dial(t, temporalAddress(t))
	c := temporalclient.New(temporal, time.Minute)
	want := func(t *testing.T) temporalclient.Schedule {
		s := temporalclient.Schedule{
			ID:       "test-" + uuid.NewString(),
			Every:    30 * 24 * time.Hour,
			Workflow: workflows.SendAccountMail,
			Input:    workflows.SendAccountMailInput{RequestID: uuid.New()},
			Timeout:  time.Minute,
			Overlap:  enumspb.SCHEDULE_OVERLAP_POLICY_SKIP,
			CatchUp:  time.Hour,
			Summary:  "A test",
		}
		t.Cleanup(func() {
			_ = temporal.ScheduleClient().GetHandle(context.Background(), s.ID).Delete(context.Background())
		})
		return s
	}
	// retried repeats what times out while Temporal still works on an earlier change.
	retried := func(t *testing.T, schedules ...temporalclient.Schedule) (err error) {
		for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); {
			if err = c.EnsureSchedules(t.Context(), schedules...); err == nil {
				break
			}
		}
		return err
	}
	ensure := func(t *testing.T, schedules ...temporalclient.Schedule) {
		t.Helper()
		require.NoError(t, retried(t, schedules...))
	}
	describe := func(t *testing.T, id string) *client.ScheduleDescription {
		t.Helper()
		var is *client.ScheduleDescription
		require.Eventually(t, func() (ok bool) {
			var err error
			is, err = temporal.ScheduleClient().GetHandle(t.Context(), id).Describe(t.Context())
			return err == nil
		}, 5*time.Minute, 50*time.Millisecond)
		return is
	}

	// change changes a schedule by the SDK, and repeats what times out as well.
	change := func(t *testing.T, id string, do func(client.ScheduleHandle) error) {
		t.Helper()
		require.Eventually(t, func() bool {
			return do(temporal.ScheduleClient().GetHandle(t.Context(), id)) == nil
		}, 5*time.Minute, 50*time.Millisecond)
	}

	t.Run("concurrent programs create one, and do not change it afterwards", func(t *testing.T) {
		t.Parallel()
		s := want(t)
		var starting sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			starting.Go(func() { errs[i] = retried(t, s) })
		}
		starting.Wait()
		for _, err := range errs {
			require.NoError(t, err)
		}
		is := describe(t, s.ID)
		require.Equal(t, []client.ScheduleIntervalSpec{{Every: s.Every}}, is.Schedule.Spec.Intervals)
		require.Equal(t, client.SchedulePolicies{Overlap: s.Overlap, CatchupWindow: s.CatchUp}, *is.Schedule.Policy)
		require.Zero(t, is.Info.LastUpdateAt.UnixNano(), "none of them saw a difference")
		ensure(t, s)
		require.Zero(t, describe(t, s.ID).Info.LastUpdateAt.UnixNano())
	})

	for name, differ := range map[string]func(*temporalclient.Schedule){
		"period": func(s *temporalclient.Schedule) { s.Every = 60 * 24 * time.Hour },
		"input": func(s *temporalclient.Schedule) {
			s.Input = workflows.SendAccountMailInput{RequestID: uuid.New()}
		},
		"workflow": func(s *temporalclient.Schedule) {
			s.Workflow, s.Input = workflows.ParseTranscript, workflows.ParseTranscriptInput{}
		},
		"timeout": func(s *temporalclient.Schedule) { s.Timeout = 2 * time.Minute },
		"overlap": func(s *temporalclient.Schedule) {
			s.Overlap = enumspb.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE
		},
		"catch-up": func(s *temporalclient.Schedule) { s.CatchUp = 2 * time.Hour },
		"summary":  func(s *temporalclient.Schedule) { s.Summary = "Another" },
	} {
		t.Run("a different "+name+" is corrected, and a pause stays", func(t *testing.T) {
			t.Parallel()
			s := want(t)
			other := s
			differ(&other)
			ensure(t, other)
			change(t, s.ID, func(h client.ScheduleHandle) error {
				return h.Pause(t.Context(), client.SchedulePauseOptions{Note: "by an operator"})
			})
			before := describe(t, s.ID)
			ensure(t, s)
			corrected := describe(t, s.ID)
			require.NotEqual(t, before.Schedule, corrected.Schedule)
			require.True(t, corrected.Schedule.State.Paused)
			require.Equal(t, "by an operator", corrected.Schedule.State.Note)
			ensure(t, s)
			require.Equal(t, corrected.Info.LastUpdateAt, describe(t, s.ID).Info.LastUpdateAt,
				"a correct schedule is not written again")
		})
	}

	t.Run("a deleted one is created again, beside one that exists", func(t *testing.T) {
		t.Parallel()
		s, existing := want(t), want(t)
		ensure(t, s, existing)
		change(t, s.ID, func(h client.ScheduleHandle) error {
			err := h.Delete(t.Context())
			var gone *serviceerror.NotFound // an answer was lost
			if errors.As(err, &gone) {
				return nil
			}
			return err
		})
		ensure(t, s, existing)
		describe(t, s.ID)
	})

	t.Run("without Temporal it fails", func(t *testing.T) {
		t.Parallel()
		away := temporalclient.New(dial(t, "127.0.0.1:1"), time.Minute)
		require.Error(t, away.EnsureSchedules(t.Context(), want(t)))
	})
}

func TestDigestSchedules(t *testing.T) {
	t.Parallel()
	all := temporalclient.DigestSchedules()
	require.Len(t, all, 2)
	for i, frequency := range []string{"daily", "weekly"} {
		require.Equal(t, "digest-"+frequency, all[i].ID)
		require.Equal(t, workflows.PlanDigestsInput{Frequency: frequency}, all[i].Input, "by each member's hour")
		require.Equal(t, time.Hour, all[i].Every)
		require.Equal(t, enumspb.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE, all[i].Overlap)
		require.Equal(t, 6*time.Hour, all[i].CatchUp)
	}
}
