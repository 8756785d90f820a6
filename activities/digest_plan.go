package activities

import (
	"context"
	"time"

	"github.com/google/uuid"

	"research/activities/digest"
	"research/db"
)

// planPage is how many members one activity plans: two statements of about a tenth of a second each.
const planPage = 2000

// PlanDigestsInput names a page of members.
type PlanDigestsInput struct {
	Frequency string
	At        time.Time // digests that are due at this time are planned: the time of the tick
	Now       time.Time // digests that have expired at this time are not
	Everyone  bool      // plan the period that closed last, even if the member's hour is still to come
	After     uuid.UUID // the last member of the page before
}

// PlanDigestsResult is the result for one page.
type PlanDigestsResult struct {
	Members int
	Planned int
	Next    uuid.UUID // After of the next page
	Done    bool      // this was the last page
}

// PlanDigests plans the digests that are due for one page of members, one row each. Its idempotency key is
// the member and the period.
func (d *Digests) PlanDigests(ctx context.Context, in PlanDigestsInput) (PlanDigestsResult, error) {
	result, err := db.AsService(ctx, d.store, func(q *db.Queries) (PlanDigestsResult, error) {
		members, err := q.ListDigestCandidates(ctx, db.ListDigestCandidatesParams{
			Wanted: db.DigestFrequency(in.Frequency), After: in.After, Size: planPage,
		})
		if err != nil || len(members) == 0 {
			return PlanDigestsResult{Done: true}, err
		}
		planned, err := q.PlanDigests(ctx, duePeriods(in, members))
		return PlanDigestsResult{
			Members: len(members),
			Planned: int(planned),
			Next:    members[len(members)-1].UserID,
			Done:    len(members) < planPage,
		}, err
	})
	return result, failed(ctx, d.log, "plan digests", err)
}

// duePeriods chooses the period of each member whose digest is due.
func duePeriods(in PlanDigestsInput, members []db.ListDigestCandidatesRow) db.PlanDigestsParams {
	weekly := db.DigestFrequency(in.Frequency) == db.DigestFrequencyWeekly
	calendar := digest.DueBy(in.At, weekly)
	if in.Everyone {
		calendar = digest.ClosedBy(in.At, weekly)
	}
	due := db.PlanDigestsParams{Frequency: db.DigestFrequency(in.Frequency)}
	for _, m := range members {
		p := calendar.Period(m.Timezone, m.Hour, m.Weekday)
		if !p.Expires.After(in.Now) {
			continue
		}
		// A member who joined, or whose pause ended, after the due time gets the next digest.
		if m.Since.After(p.Due) && !in.Everyone {
			continue
		}
		due.UserIds = append(due.UserIds, m.UserID)
		due.Periods = append(due.Periods, p.Name)
		due.WindowStarts = append(due.WindowStarts, p.Start)
		due.WindowEnds = append(due.WindowEnds, p.End)
		due.Expiries = append(due.Expiries, p.Expires)
	}
	return due
}
