package findings

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"research/api/address"
	"research/api/admission"
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

// workPerRequest is how much work of the database a request of the limit stands for. One that takes longer
// counts as several.
const workPerRequest = 100 * time.Millisecond

// maxBytes is the size of the largest findings that a link shows: some thousand quotes and names.
const maxBytes = 1 << 20

// statementTimeout ends the statement of a link. It takes milliseconds for a project of a hundred interviews.
const statementTimeout = 3 * time.Second

// writeTimeout is how long a client may take to receive the findings.
const writeTimeout = 15 * time.Second

// linkBudget is the share of the service that everybody without an account has: two statements at a time, one
// of each network, and 32 MB of answers.
var linkBudget = admission.Config{
	Requests: 32, UserRequests: 8, UserWaiting: 8, Slots: 2, WorkspaceSlots: 1, MaxWait: 5 * time.Second,
}

// readers is the user to whom the statements of links are charged, together.
var readers = uuid.NewSHA1(uuid.NameSpaceURL, []byte("/api/findings/shared"))

// caller returns the network of a request as a user of linkBudget.
func caller(network string) admission.Caller {
	return admission.Caller{User: uuid.NewSHA1(uuid.NameSpaceDNS, []byte(network))}
}

// ownNetwork charges a network for itself.
func ownNetwork(_ context.Context, network uuid.UUID) (uuid.UUID, error) { return network, nil }

// networkOf returns the network that counts as one client.
func (s *server) networkOf(r *http.Request) string {
	return cmp.Or(ratelimit.Network(address.Of(r, s.TrustedHops)), "unknown")
}

// charge uses up the limit of a network for work that took longer than that of one request.
func (s *server) charge(network string, took time.Duration) {
	for range took / workPerRequest {
		s.limit.Take(network)
	}
}

// checkLimit returns an error with the status 429 if the network has used up its limit.
func (s *server) checkLimit(network string) error {
	wait := s.limit.Take(network)
	if wait == 0 {
		return nil
	}
	return &problem.Error{
		Status: http.StatusTooManyRequests, Code: "too_many_requests", RetryAfter: wait,
		Message: "Too many links were opened from your network. Try again in a moment.",
	}
}
