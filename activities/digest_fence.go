package activities

import (
	"context"
	"time"

	"github.com/google/uuid"

	"research/db"
)

// A DigestMark is Temporal's record of the database: its installation, and when it last worked on digests. If
// a database of the same installation has an earlier time, it was restored from a backup. The zero value is
// no record.
type DigestMark struct {
	Installation uuid.UUID
	SeenAt       time.Time
}

// passFence records that digests are worked on, and returns the new mark. It reports whether digests are held
// instead, because the database was restored and `research restore-fence` was not run since. While they are
// held, the mark is the given one: what Temporal has recorded must not get older.
func (d *Digests) passFence(ctx context.Context, known DigestMark) (mark DigestMark, held bool, err error) {
	row, err := db.AsService(ctx, d.store, func(q *db.Queries) (db.PassDigestFenceRow, error) {
		return q.PassDigestFence(ctx, db.PassDigestFenceParams{
			KnownInstallation: known.Installation, KnownSeenAt: known.SeenAt,
		})
	})
	if err != nil {
		return known, false, err
	}
	if row.Held {
		d.log.ErrorContext(ctx, "digests are held: the database was restored; run research restore-fence",
			"database_time", row.SeenAt)
		return known, true, nil
	}
	return DigestMark{Installation: row.Installation, SeenAt: row.SeenAt}, false, nil
}
