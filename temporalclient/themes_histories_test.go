package temporalclient_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/activities"
	"research/outcome"
	"research/temporalclient"
)

// proposals are runs of ProposeThemes.
func proposals() []scene {
	proposes := func(timeout time.Duration) func(*testing.T, *stage) temporalclient.Run {
		return func(t *testing.T, s *stage) temporalclient.Run {
			run, err := s.client.StartThemes(t.Context(), temporalclient.ThemesRequest{
				ThemeRunID: uuid.New(), ClaimID: uuid.New(), WorkspaceID: uuid.New(), ProjectID: uuid.New(),
				Timeout: timeout,
			})
			require.NoError(t, err)
			return run
		}
	}
	var (
		read  = does(activities.ReadChunkResult{Done: true})
		group = does(activities.LabelGroups{Done: true, Labels: 12, Groups: 3})
		done  = does(activities.ThemesEnd{
			Status: outcome.ThemesDone, Proposed: 3, Quotes: 12, Unused: 2, Coverage: 1,
		})
	)
	end := func(status outcome.ThemeRunStatus, code outcome.Code) any {
		return does(activities.ThemesEnd{Status: status, ErrorCode: code})
	}
	all := scenesOf("ProposeThemes", proposes(time.Hour), []scene{
		{name: "proposed", ends: completed, script: script{
			"PlanThemes": plansThemes(3), "ReadForThemes": read, "GroupLabels": groupsIn(3), "FinishThemes": done,
		}},
		{name: "failed", ends: failed, script: script{
			"PlanThemes": plansThemes(3), "ReadForThemes": read,
			"GroupLabels": fails(string(outcome.CodeModelNoCredit)),
			"FailThemes":  end(outcome.ThemesFailed, outcome.CodeModelNoCredit),
		}},
		{name: "unreadable", ends: failed, script: script{
			"PlanThemes": plansThemes(3), "ReadForThemes": read, "GroupLabels": group,
			"FinishThemes": end(outcome.ThemesFailed, outcome.CodeModelRefused),
		}},
		{name: "superseded", ends: completed, script: script{"PlanThemes": fails(activities.TypeSuperseded)}},
		// Who cancels a run also ends it.
		{name: "canceled", ends: canceled, during: cancel, script: script{
			"PlanThemes": plansThemes(3), "ReadForThemes": waits, "FailThemes": fails(activities.TypeSuperseded),
		}},
		{name: "reset", ends: completed, during: reset, script: script{
			"PlanThemes": plansThemes(3), "ReadForThemes": read, "FinishThemes": done,
			"GroupLabels": waitsOnce(activities.LabelGroups{Done: true}),
		}},
		{name: "continued", ends: continued, script: script{
			"PlanThemes": plansThemes(historyLimit / 3), "ReadForThemes": read, "GroupLabels": group,
			"FinishThemes": done,
		}},
	})
	// The activity does not end, as one that is paused or whose worker is gone.
	return append(all, scenesOf("ProposeThemes", proposes(time.Second), []scene{
		{name: "timed_out", ends: failed, script: script{
			"PlanThemes": plansThemes(3), "ReadForThemes": read, "GroupLabels": neverEnds,
			"FailThemes": end(outcome.ThemesTimedOut, outcome.CodeTimedOut),
		}},
	})...)
}

// plansThemes returns a PlanThemes whose second call has few chunks left.
func plansThemes(chunks int) any {
	var again atomic.Bool
	return func(context.Context, any) (activities.ThemePlan, error) {
		plan := activities.ThemePlan{Total: chunks, Concurrency: 2}
		for i := range chunks {
			plan.Chunks = append(plan.Chunks, i)
		}
		if again.Swap(true) {
			plan.Chunks = plan.Chunks[max(chunks-2, 0):]
		}
		return plan, nil
	}
}

// groupsIn returns a GroupLabels that takes so many calls.
func groupsIn(calls int64) any {
	var made atomic.Int64
	return func(context.Context, any) (activities.LabelGroups, error) {
		return activities.LabelGroups{Done: made.Add(1) >= calls, Labels: 900}, nil
	}
}
