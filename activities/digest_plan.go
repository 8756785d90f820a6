package activities

import (
	"context"
	"time"

	"github.com/google/uuid"

	"research/activities/digest"
	"research/db"
)

const (
	// planPage is how many members one transaction plans. The queries have the same number.
	planPage = 2000
	// planFor is how long one activity plans before it returns, so that the history shows progress.
	planFor = 10 * time.Second
)

// PlanDigestsInput selects the digests to plan.
type PlanDigestsInput struct {
	Frequency string
	At        time.Time // digests that are due at this time are planned: the time of the tick
	Now       time.Time // digests that have expired at this time are not
	// Everyone plans the period that closed last for all members, even if their hour is still to come. Otherwise
	// only members with a due digest are read.
	Everyone bool
	// RunID is that of the request to send digests at once. With Everyone, the deliveries carry it.
	RunID string
	After uuid.UUID // with Everyone, the last member whom the previous call planned
}

// PlanDigestsResult is the progress of a call.
type PlanDigestsResult struct {
	Members int
	Planned int
	Next    uuid.UUID // After of the next call
	Done    bool      // no member is left
}

// PlanDigests plans the digests that are due, one row each, for about ten seconds. Its idempotency key is the
// member and the period.
func (d *Digests) PlanDigests(ctx context.Context, in PlanDigestsInput) (PlanDigestsResult, error) {
	defer heartbeat(ctx, nil)()
	planner := newPlanner(in)
	result := PlanDigestsResult{Next: in.After}
	for until := time.Now().Add(planFor); !result.Done && time.Now().Before(until) && !stopping(ctx); {
		page, err := planner.planPage(ctx, d.store, result.Next)
		if err != nil {
			return result, failed(ctx, d.log, "plan digests", err)
		}
		result.Members += page.Members
		result.Planned += page.Planned
		result.Next, result.Done = page.Next, page.Done
	}
	return result, nil
}

// A planner plans the digests of one frequency, page by page of members.
type planner struct {
	frequency db.DigestFrequency
	calendar  *digest.Calendar
	at, now   time.Time
	everyone  bool
	runID     *string

	// What the deliveries begin as.
	status db.DeliveryStatus
	reason *string
}

func newPlanner(in PlanDigestsInput) *planner {
	p := &planner{
		frequency: db.DigestFrequency(in.Frequency),
		at:        in.At,
		now:       in.Now,
		everyone:  in.Everyone,
		status:    db.DeliveryStatusPlanned,
	}
	weekly := p.frequency == db.DigestFrequencyWeekly
	p.calendar = digest.DueBy(in.At, weekly)
	if in.Everyone {
		p.calendar = digest.ClosedBy(in.At, weekly)
		if in.RunID != "" {
			p.runID = &in.RunID
		}
	}
	return p
}

// planPage plans one page of members in one transaction.
func (p *planner) planPage(ctx context.Context, store *db.Store, after uuid.UUID) (PlanDigestsResult, error) {
	return db.AsService(ctx, store, func(q *db.Queries) (PlanDigestsResult, error) {
		if err := q.ReadByIndexOnly(ctx); err != nil {
			return PlanDigestsResult{}, err
		}
		ids, err := p.members(ctx, q, after)
		if err != nil || len(ids) == 0 {
			return PlanDigestsResult{Next: after, Done: true}, err
		}
		schedules, err := q.ListDigestSchedules(ctx, ids)
		if err != nil {
			return PlanDigestsResult{}, err
		}
		due, next := p.periods(schedules)
		plan, busy, err := p.openWindows(ctx, q, due)
		if err != nil {
			return PlanDigestsResult{}, err
		}
		planned, err := q.PlanDigests(ctx, plan)
		if err != nil {
			return PlanDigestsResult{}, err
		}
		if _, err := q.SupersedeDigests(ctx, plan.UserIds); err != nil {
			return PlanDigestsResult{}, err
		}
		result := PlanDigestsResult{
			Members: len(ids),
			Planned: int(planned),
			Next:    ids[len(ids)-1],
			Done:    len(ids) < planPage,
		}
		if p.everyone {
			return result, p.claimPlanned(ctx, q, plan)
		}
		return result, q.SetNextDigests(ctx, leaveOut(next, busy))
	})
}

// members returns a page of members, locked, so that a preference that changes now is scheduled after this
// transaction.
func (p *planner) members(ctx context.Context, q *db.Queries, after uuid.UUID) ([]uuid.UUID, error) {
	if p.everyone {
		return q.ListDigestMembers(ctx, db.ListDigestMembersParams{
			Frequency: p.frequency, After: after,
		})
	}
	return q.LockDueDigestMembers(ctx, db.LockDueDigestMembersParams{Frequency: p.frequency, DueBy: p.at})
}

// periods chooses the period of each member whose digest is due, and the time at which each member's next
// digest is.
func (p *planner) periods(
	members []db.ListDigestSchedulesRow,
) (due []dueDigest, next db.SetNextDigestsParams) {
	for _, m := range members {
		period := p.calendar.Period(m.Timezone, m.Hour, m.Weekday)
		next.UserIds = append(next.UserIds, m.UserID)
		next.NextDueAt = append(next.NextDueAt, period.Expires)
		if !period.Expires.After(p.now) {
			continue
		}
		dueAt := p.at
		if !p.everyone {
			dueAt = period.Due
			// A member who joined, or whose pause ended, after the due time gets the next digest.
			if m.Since.After(dueAt) {
				continue
			}
		}
		due = append(due, dueDigest{user: m.UserID, period: period, dueAt: dueAt})
	}
	return due, next
}

// A dueDigest is the digest of a member whose period is over. Its news begins with the period, until the
// member's window is known.
type dueDigest struct {
	user   uuid.UUID
	period digest.Period
	dueAt  time.Time
}

// openWindows returns the deliveries to plan: each begins where the last digest of the member ended, and none
// ends before. It leaves out the members to whom a digest is being sent, and returns them: what the next one
// has to tell depends on how that ends. The open deliveries of the others stay locked.
func (p *planner) openWindows(
	ctx context.Context, q *db.Queries, due []dueDigest,
) (plan db.PlanDigestsParams, busy map[uuid.UUID]bool, err error) {
	plan = db.PlanDigestsParams{
		Frequency: p.frequency, RequestedBy: p.runID, Status: p.status, Reason: p.reason,
	}
	var of db.ListDigestWindowsParams
	for _, d := range due {
		of.UserIds = append(of.UserIds, d.user)
		of.PeriodStarts = append(of.PeriodStarts, d.period.Start)
		of.Earliest = append(of.Earliest, d.period.Earliest)
	}
	if err := q.LockOpenDigests(ctx, of.UserIds); err != nil {
		return plan, nil, err
	}
	rows, err := q.ListDigestWindows(ctx, of)
	if err != nil {
		return plan, nil, err
	}
	busy = map[uuid.UUID]bool{}
	starts := make(map[uuid.UUID]time.Time, len(rows))
	for _, row := range rows {
		starts[row.UserID] = row.WindowStart
		if row.Sending {
			busy[row.UserID] = true
		}
	}
	for _, d := range due {
		start, found := starts[d.user]
		if !found || busy[d.user] || !start.Before(d.period.End) {
			continue
		}
		plan.UserIds = append(plan.UserIds, d.user)
		plan.Periods = append(plan.Periods, d.period.Name)
		plan.WindowStarts = append(plan.WindowStarts, start)
		plan.WindowEnds = append(plan.WindowEnds, d.period.End)
		plan.DueAt = append(plan.DueAt, d.dueAt)
		plan.Expiries = append(plan.Expiries, d.period.Expires)
	}
	return plan, busy, nil
}

// leaveOut returns the schedules without those of some members, whom the next tick reads again.
func leaveOut(next db.SetNextDigestsParams, busy map[uuid.UUID]bool) (kept db.SetNextDigestsParams) {
	for i, user := range next.UserIds {
		if !busy[user] {
			kept.UserIds = append(kept.UserIds, user)
			kept.NextDueAt = append(kept.NextDueAt, next.NextDueAt[i])
		}
	}
	return kept
}

// claimPlanned assigns deliveries that were planned before to this request, so that its result counts them.
func (p *planner) claimPlanned(ctx context.Context, q *db.Queries, due db.PlanDigestsParams) error {
	if p.runID == nil {
		return nil
	}
	_, err := q.RequestPlannedDigests(ctx, db.RequestPlannedDigestsParams{
		RunID: *p.runID, Frequency: p.frequency, UserIds: due.UserIds, Periods: due.Periods,
	})
	return err
}
