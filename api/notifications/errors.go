package notifications

import (
	"errors"
	"net/http"
	"time"

	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/temporalclient"
	"research/workflows"
)

var (
	errUnauthorized = problem.Unauthorized(errors.New(
		"this endpoint requires Authorization: Bearer with the CRON_SECRET of the deployment"))
	errFrequency = &problem.Error{
		Status: http.StatusBadRequest, Code: "invalid_request",
		Message: "The query parameter frequency must be given once, as daily or weekly.",
		Details: problem.Fields{"frequency": "must be daily or weekly"},
	}
	errDigests = &problem.Error{
		Status: http.StatusServiceUnavailable, Code: "digests_failed", RetryAfter: time.Minute,
		Message: "The run ended before all digests were planned. The next run plans the rest; " +
			"nobody receives a digest twice.",
	}
	errNoDigest = &problem.Error{
		Status: http.StatusNotFound, Code: problem.CodeNotFound, Message: "This account has no digests.",
	}
	errNothingNew = &problem.Error{
		Status: http.StatusUnprocessableEntity, Code: "nothing_new",
		Message: "Nothing worth a mail happened in the last period.",
	}
	errNotMailable = &problem.Error{
		Status: http.StatusUnprocessableEntity, Code: "not_mailable",
		Message: "Your address is not confirmed, or it has rejected mails.",
	}
	errPreviewSent = &problem.Error{
		Status: http.StatusTooManyRequests, Code: "preview_sent", RetryAfter: workflows.PreviewInterval,
		Message: "A preview was sent to you a few minutes ago.",
	}
	errHeld = &problem.Error{
		Status: http.StatusServiceUnavailable, Code: "digests_held",
		Message: "Digests are held because the database was restored from a backup. " +
			"An operator must run research restore-fence.",
	}
)

var translations = []problem.Translation{
	problem.When(token.IsUnauthenticated, problem.Unauthorized),
	problem.Is(db.ErrNotFound, errNoDigest),
	problem.Is(temporalclient.ErrPreviewSent, errPreviewSent),
	problem.Is(temporalclient.ErrDigests, errDigests),
	problem.Is(temporalclient.ErrDigestsHeld, errHeld),
}
