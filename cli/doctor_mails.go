package cli

import (
	"context"
	"fmt"
	"time"

	"research/db"
)

// lateMail is how long a mail about an account may wait: people look for it at once.
const lateMail = 5 * time.Minute

// checkMails reports mails about accounts that wait, or that the mail server refused.
func (d *doctor) checkMails(ctx context.Context, store *db.Store) {
	mails, err := db.AsService(ctx, store, func(q *db.Queries) (db.MeasureMailsRow, error) {
		return q.MeasureMails(ctx)
	})
	oldest := time.Duration(mails.OldestSeconds * float64(time.Second))
	switch {
	case err != nil:
		d.fail("mails", "those that wait cannot be read", "check what the programs may do in the database")
	case oldest > lateMail:
		d.warn("mails", fmt.Sprintf("%d about accounts (links, invitations, notices) wait, the oldest for %s",
			mails.Waiting, oldest.Round(time.Minute)),
			"see \"mail\" above, and that a worker runs; they are sent once the mail server accepts them")
	case mails.Refused > 0:
		d.warn("mails", fmt.Sprintf("the mail server refused %d about accounts for good in the last day",
			mails.Refused), "look for \"account mail not sent\" in the workers' logs: a code of many recipients "+
			"(550, 554) mostly means that the server does not relay for this user")
	default:
		d.ok("mails", "none about accounts is late")
	}
}
