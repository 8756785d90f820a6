package imports

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"research/api/problem"
	"research/db"
)

// countUpload counts a stored upload against the quotas. Its error rolls the upload back.
func countUpload(ctx context.Context, q *db.Queries, importID uuid.UUID) error {
	exceeded, err := q.CountUpload(ctx, importID)
	if err != nil {
		return err
	}
	return quotaError(exceeded)
}

// quotaError returns the response to an upload that exceeds a quota, and nil for none.
func quotaError(exceeded db.PrivateQuota) error {
	switch exceeded {
	case db.PrivateQuotaNone:
		return nil
	case db.PrivateQuotaWorkspaceStorage:
		return errWorkspaceStorage
	case db.PrivateQuotaAccountStorage:
		return errAccountStorage
	case db.PrivateQuotaWorkspaceUploads:
		return tooManyUploadsToday("This workspace has reached its limit of uploads a day.")
	case db.PrivateQuotaAccountUploads:
		return tooManyUploadsToday(
			"The workspaces of the account that created this one have reached their limit of uploads a day.")
	}
	return fmt.Errorf("unknown quota %q", exceeded)
}

var (
	errWorkspaceStorage = storageFull("The interviews of this workspace fill its storage.")
	errAccountStorage   = storageFull(
		"The interviews in all workspaces of the account that created this one fill its storage.")
)

// storageFull is no 422, whose response an Idempotency-Key would keep: the same upload may succeed later.
func storageFull(what string) *problem.Error {
	return &problem.Error{
		Status: http.StatusRequestEntityTooLarge, Code: "storage_quota_exceeded",
		Message: what + " Nothing was stored. Delete interviews or projects that are no longer needed, for " +
			"good: what can be restored still counts. Or ask the operator of the service for more storage.",
	}
}

func tooManyUploadsToday(what string) *problem.Error {
	e := tooManyUploads(what + " Nothing was stored; uploads continue at 00:00 UTC.")
	e.RetryAfter = untilTomorrow(time.Now())
	return e
}

// untilTomorrow returns the time until the next day begins in UTC, when quotas renew.
func untilTomorrow(now time.Time) time.Duration {
	const day = 24 * time.Hour
	return now.UTC().Truncate(day).Add(day).Sub(now)
}
