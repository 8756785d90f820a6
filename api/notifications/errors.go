package notifications

import (
	"errors"
	"net/http"
	"time"

	"research/api/problem"
	"research/temporalclient"
)

var (
	errUnauthorized = &problem.Error{
		Status: http.StatusUnauthorized, Code: "unauthorized", Header: http.Header{"Www-Authenticate": {"Bearer"}},
		Message: "This endpoint requires Authorization: Bearer with the CRON_SECRET of the deployment.",
	}
	errFrequency = &problem.Error{
		Status: http.StatusBadRequest, Code: "invalid_request",
		Message: "The query parameter frequency must be given once, as daily or weekly.",
		Details: problem.Fields{"frequency": "must be daily or weekly"},
	}
	errDigests = &problem.Error{
		Status: http.StatusServiceUnavailable, Code: "digests_failed", RetryAfter: time.Minute,
		Message: "The run ended before all digests were sent. The next run sends the rest; " +
			"nobody receives a digest twice.",
	}
)

func translate(err error) *problem.Error {
	if errors.Is(err, temporalclient.ErrDigests) {
		return errDigests
	}
	return nil
}
