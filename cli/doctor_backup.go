package cli

import (
	"context"
	"time"

	"research/db"
)

// maxBackupAge allows for a backup every night that takes some hours.
const maxBackupAge = 36 * time.Hour

// checkBackup checks the age of the last backup.
func (d *doctor) checkBackup(ctx context.Context, store *db.Store) {
	began, err := db.AsService(ctx, store, func(q *db.Queries) (time.Time, error) {
		return q.GetLastBackup(ctx)
	})
	if err != nil {
		d.fail("backup", "its age cannot be read", "check what the programs may do in the database")
		return
	}
	const advice = "run every night: research backup FOLDER. If you make backups in another way, ignore this"
	switch age := time.Since(began).Round(time.Minute); {
	case began.Unix() == 0:
		d.warn("backup", "none is known", advice)
	case age > maxBackupAge:
		d.warn("backup", "the last one is "+age.String()+" old", advice)
	default:
		d.ok("backup", "the last one is %s old", age)
	}
}
