package findings

import (
	"cmp"
	"net/http"
	"time"

	"research/api/address"
	"research/api/problem"
	"research/internal/ratelimit"
)

// These limit the requests with links from one network: a burst, and a rate per period. They protect the
// database, as nobody can guess a token of 256 bits. They allow for a whole office behind one address that
// opens a link from the same mail.
const (
	maxRequests   = 60
	requestPeriod = 30 * time.Second
)

// checkLimit returns an error with the status 429 if the network of the request has used up its limit.
func (s *server) checkLimit(r *http.Request) error {
	network := cmp.Or(ratelimit.Network(address.Of(r, s.TrustedHops)), "unknown")
	wait := s.limit.Take(network)
	if wait == 0 {
		return nil
	}
	return &problem.Error{
		Status: http.StatusTooManyRequests, Code: "too_many_requests", RetryAfter: wait,
		Message: "Too many links were opened from your network. Try again in a moment.",
	}
}
