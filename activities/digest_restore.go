package activities

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"research/activities/digest"
	"research/db"
)

// A Restore describes how a database was restored from a backup.
type Restore struct {
	Since time.Time // when the backup was made; what happened since then is lost
	Now   time.Time
	// Unsubscribed are the members who are known to have unsubscribed since then. Nil means that they are not
	// known.
	Unsubscribed []uuid.UUID
}

// A RestoreResult counts what FenceRestore changed.
type RestoreResult struct {
	Uncertain    int64 // deliveries that may have been sent
	Unsubscribed int64 // members whose digests were turned off
	Paused       int64 // members whose digests are paused, because they may have unsubscribed
	Resumed      int64 // members whose pause by an earlier call has ended
}

// restoreTimeout ends a statement after a restore, which may concern every member and every digest.
const restoreTimeout = time.Hour

// restoredReason is the reason of deliveries that may have been sent in the interval that a restore lost.
const restoredReason = "restored"

// FenceRestore makes digests safe after a restore, and ends their hold. Every digest that may have been sent
// in the lost interval becomes uncertain, so that it is not sent again. If the members who unsubscribed are
// known, their digests are turned off; otherwise the digests of all members are paused until each member
// resumes them. Digests are held until it succeeds. For a restore that was fenced already, it only does what
// concerns members.
func FenceRestore(ctx context.Context, store *db.Store, r Restore) (result RestoreResult, err error) {
	r.Since = r.Since.Truncate(time.Microsecond) // as the database stores it
	fence, err := db.AsService(ctx, store, func(q *db.Queries) (db.GetDigestFenceRow, error) {
		return q.GetDigestFence(ctx)
	})
	if err != nil {
		return result, fmt.Errorf("read the fence of digests: %w", err)
	}
	fenced := !fence.Held && fence.FencedSince != nil && fence.FencedSince.Equal(r.Since)
	if !fenced {
		if result.Uncertain, err = holdDigests(ctx, store, r.Now); err != nil {
			return result, err
		}
	}
	err = store.AsServiceWithin(ctx, restoreTimeout, func(q *db.Queries) error {
		if err := applyUnsubscribes(ctx, q, r, &result); err != nil || fenced {
			return err
		}
		return q.LiftDigestFence(ctx, &r.Since)
	})
	if err != nil {
		return result, fmt.Errorf("end the hold of digests: %w", err)
	}
	return result, nil
}

// holdDigests holds digests, and marks those as uncertain that may have been sent. It returns their number.
func holdDigests(ctx context.Context, store *db.Store, now time.Time) (uncertain int64, err error) {
	err = store.AsServiceWithin(ctx, restoreTimeout, func(q *db.Queries) (err error) {
		if err = q.HoldDigests(ctx); err != nil {
			return err
		}
		uncertain, err = q.MarkOpenDigestsRestored(ctx)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("hold digests: %w", err)
	}
	for _, frequency := range []db.DigestFrequency{db.DigestFrequencyDaily, db.DigestFrequencyWeekly} {
		weekly := frequency == db.DigestFrequencyWeekly
		// A tick sends what is due; the endpoint sends what is closed, which includes it.
		marked, err := markRestored(ctx, store, frequency, digest.ClosedBy(now, weekly), now)
		if err != nil {
			return uncertain, fmt.Errorf("mark %s digests as uncertain: %w", frequency, err)
		}
		uncertain += marked
	}
	return uncertain, nil
}

// markRestored records the digests of the calendar's periods as uncertain, where the backup has no delivery.
// Each begins where the last one of the backup ended, so that nothing is sent that a lost one may have had.
func markRestored(
	ctx context.Context, store *db.Store, frequency db.DigestFrequency, calendar *digest.Calendar, now time.Time,
) (marked int64, err error) {
	reason := restoredReason
	p := &planner{
		frequency: frequency,
		calendar:  calendar,
		at:        now,
		now:       now,
		everyone:  true,
		status:    db.DeliveryStatusUncertain,
		reason:    &reason,
	}
	for page := (PlanDigestsResult{}); !page.Done; {
		if page, err = p.planPage(ctx, store, page.Next); err != nil {
			return marked, err
		}
		marked += int64(page.Planned)
	}
	return marked, nil
}

func applyUnsubscribes(ctx context.Context, q *db.Queries, r Restore, result *RestoreResult) (err error) {
	if r.Unsubscribed == nil {
		result.Paused, err = q.PauseDigestsAfterRestore(ctx, r.Since)
		return err
	}
	if result.Unsubscribed, err = q.TurnOffDigestsOf(ctx, r.Unsubscribed); err != nil {
		return err
	}
	result.Resumed, err = q.ResumeDigestsAfterRestore(ctx)
	return err
}
