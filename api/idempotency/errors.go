package idempotency

import (
	"errors"
	"net/http"
	"time"

	"research/api/problem"
)

// ErrAnswered means that another request with the key is done or in progress. It is no response: find the
// response of the other request.
var ErrAnswered = errors.New("the key has been used")

// ErrForgotten means that the first request with a key was not carried out, so that a later one is the first.
var ErrForgotten = errors.New("the request was not carried out")

// Responses to requests whose key cannot be used.
var (
	// ErrReused means that the request differs from the first one with its key.
	ErrReused = &problem.Error{
		Status: http.StatusUnprocessableEntity, Code: "idempotency_key_reused",
		Message: "This Idempotency-Key was used with another body. Use a new key for another request.",
	}
	// ErrInUse means that the first request with the key takes longer than a later one waits.
	ErrInUse = &problem.Error{
		Status: http.StatusConflict, Code: "idempotency_key_in_use", RetryAfter: 5 * time.Second,
		Message: "A request with this Idempotency-Key is still being carried out. Try again in a moment.",
	}
	errTooMany = &problem.Error{
		Status: http.StatusTooManyRequests, Code: "too_many_idempotency_keys", RetryAfter: time.Hour,
		Message: "You have reached the limit of different keys within 24 hours. Nothing was changed.",
	}
)
