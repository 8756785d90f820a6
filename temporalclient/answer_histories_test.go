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

// questions are runs of AnswerQuestion.
func questions() []scene {
	asks := func(mode outcome.AnswerMode, timeout time.Duration) func(*testing.T, *stage) temporalclient.Run {
		return func(t *testing.T, s *stage) temporalclient.Run {
			run, err := s.client.StartAnswer(t.Context(), temporalclient.AnswerRequest{
				AnswerID: uuid.New(), ClaimID: uuid.New(), WorkspaceID: uuid.New(), ProjectID: uuid.New(),
				Mode: mode, Timeout: timeout,
			})
			require.NoError(t, err)
			return run
		}
	}
	var (
		quick    = does(activities.AnswerPlan{Compose: true})
		read     = does(activities.ReadChunkResult{Done: true})
		compose  = does(activities.Composition{Result: outcome.ResultAnswered, Sentences: 2})
		answered = does(activities.AnswerEnd{
			Status: outcome.AnswerAnswered, Result: outcome.ResultAnswered, Sentences: 2, Coverage: 1,
		})
	)
	end := func(status outcome.AnswerStatus, code outcome.Code) any {
		return does(activities.AnswerEnd{Status: status, ErrorCode: code})
	}
	all := scenesOf("AnswerQuestion", asks(outcome.ModeQuick, time.Hour), []scene{
		{name: "quick", ends: completed, script: script{
			"PlanAnswer": quick, "ComposeAnswer": compose, "FinishAnswer": answered,
		}},
		{name: "failed", ends: failed, script: script{
			"PlanAnswer": quick, "ComposeAnswer": fails(string(outcome.CodeModelNoCredit)),
			"FailAnswer": end(outcome.AnswerFailed, outcome.CodeModelNoCredit),
		}},
		{name: "superseded", ends: completed, script: script{"PlanAnswer": fails(activities.TypeSuperseded)}},
		// Who cancels an answer also ends it.
		{name: "canceled", ends: canceled, during: cancel, script: script{
			"PlanAnswer": quick, "ComposeAnswer": waits, "FailAnswer": fails(activities.TypeSuperseded),
		}},
		{name: "reset", ends: completed, during: reset, script: script{
			"PlanAnswer": quick, "FinishAnswer": answered,
			"ComposeAnswer": waitsOnce(activities.Composition{Result: outcome.ResultAnswered}),
		}},
	})
	all = append(all, scenesOf("AnswerQuestion", asks(outcome.ModePassages, time.Hour), []scene{
		{name: "passages", ends: completed, script: script{
			"PlanAnswer": does(activities.AnswerPlan{}), "FinishAnswer": answered,
		}},
	})...)
	// The activity does not end, as one that is paused or whose worker is gone.
	all = append(all, scenesOf("AnswerQuestion", asks(outcome.ModeQuick, time.Second), []scene{
		{name: "timed_out", ends: failed, script: script{
			"PlanAnswer": quick, "ComposeAnswer": neverEnds,
			"FailAnswer": end(outcome.AnswerTimedOut, outcome.CodeTimedOut),
		}},
	})...)
	return append(all, scenesOf("AnswerQuestion", asks(outcome.ModeThorough, time.Hour), []scene{
		{name: "thorough", ends: completed, script: script{
			"PlanAnswer": plansChunks(5), "ReadForAnswer": read, "ComposeAnswer": compose, "FinishAnswer": answered,
		}},
		{name: "unreadable", ends: failed, script: script{
			"PlanAnswer": plansChunks(1), "ReadForAnswer": read, "ComposeAnswer": compose,
			"FinishAnswer": end(outcome.AnswerFailed, outcome.CodeModelRefused),
		}},
		{name: "continued", ends: continued, script: script{
			"PlanAnswer": plansChunks(historyLimit / 3), "ReadForAnswer": read, "ComposeAnswer": compose,
			"FinishAnswer": answered,
		}},
	})...)
}

// plansChunks returns a PlanAnswer whose second call has few chunks left.
func plansChunks(chunks int) any {
	var again atomic.Bool
	return func(context.Context, any) (activities.AnswerPlan, error) {
		plan := activities.AnswerPlan{Total: chunks, Concurrency: 2, Compose: true}
		for i := range chunks {
			plan.Chunks = append(plan.Chunks, i)
		}
		if again.Swap(true) {
			plan.Chunks = plan.Chunks[max(chunks-2, 0):]
		}
		return plan, nil
	}
}
