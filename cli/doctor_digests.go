package cli

import (
	"context"
	"fmt"

	"research/db"
)

// checkDigests checks that digests are not held, and that MAIL_RATE can serve the members.
func (d *doctor) checkDigests(ctx context.Context, store *db.Store) {
	var fence db.GetDigestFenceRow
	load, err := db.AsService(ctx, store, func(q *db.Queries) (_ db.MeasureDigestLoadRow, err error) {
		if fence, err = q.GetDigestFence(ctx); err != nil {
			return db.MeasureDigestLoadRow{}, err
		}
		return q.MeasureDigestLoad(ctx)
	})
	switch {
	case err != nil:
		d.fail("digests", "their load cannot be read", "check what the programs may do in the database")
	case fence.Held:
		d.fail("digests", "held: the database was restored from a backup",
			"run: research restore-fence --since TIME, with the time of the backup")
	default:
		d.checkMailRate(load)
	}
}

const (
	hourSeconds = 60 * 60
	daySeconds  = 24 * hourSeconds
)

// checkMailRate compares MAIL_RATE with the digests that have to be sent if every member has news.
func (d *doctor) checkMailRate(load db.MeasureDigestLoadRow) {
	rate := int64(d.cfg.Mail.Rate)
	daily := load.Daily + load.Weekly/7
	advice := fmt.Sprintf("set MAIL_RATE to at least %d, if the mail server permits it",
		perSecond(load.BusiestHour, daily))
	switch {
	case rate == 0:
		d.ok("digests", "up to %d a day, and MAIL_RATE has no limit", daily)
	case daily > rate*daySeconds:
		d.fail("digests", fmt.Sprintf("up to %d a day, of which MAIL_RATE sends %d: the others expire",
			daily, rate*daySeconds), advice)
	case load.BusiestHour > rate*hourSeconds:
		d.warn("digests", fmt.Sprintf("up to %d in the busiest hour, of which MAIL_RATE sends %d: the last ones "+
			"are late", load.BusiestHour, rate*hourSeconds), advice)
	default:
		d.ok("digests", "up to %d a day and %d in the busiest hour, which MAIL_RATE can send",
			daily, load.BusiestHour)
	}
}

// perSecond returns the rate that sends the digests of the busiest hour within an hour, and those of a day
// within a day.
func perSecond(busiestHour, day int64) int64 {
	return max((busiestHour+hourSeconds-1)/hourSeconds, (day+daySeconds-1)/daySeconds)
}
