package mail

import (
	"net/http"

	"research/api/problem"
)

var (
	errUnauthorized = &problem.Error{
		Status: http.StatusUnauthorized, Code: "unauthorized",
		// Amazon SNS sends the credentials of its URL only when it is asked for them.
		Header: http.Header{"Www-Authenticate": {`Bearer`, `Basic realm="mail events"`}},
		Message: "This endpoint requires the MAIL_EVENTS_SECRET of the deployment, as Authorization: Bearer or " +
			"as the password of basic authentication.",
	}
	errMediaType = &problem.Error{
		Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type",
		Message: "The Content-Type must be application/json, text/plain with JSON, message/delivery-status, " +
			"multipart/report or message/rfc822.",
	}
	errTooLarge = &problem.Error{
		Status: http.StatusRequestEntityTooLarge, Code: "too_large", Message: "The body is larger than 2 MiB.",
	}
	errTooMany = &problem.Error{
		Status: http.StatusRequestEntityTooLarge, Code: "too_large",
		Message: "The body has more than 1,000 events.",
	}
	errNotConfirmed = &problem.Error{
		Status: http.StatusBadGateway, Code: "subscription_not_confirmed",
		Message: "Amazon SNS did not accept the confirmation of the subscription.",
	}
)

// errUnreadable returns the error of a body that is not in a known form.
func errUnreadable(message string) *problem.Error {
	return &problem.Error{Status: http.StatusBadRequest, Code: "invalid_request", Message: message}
}
