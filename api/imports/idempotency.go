package imports

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/outcome"
)

const (
	// maxKeyLength is the longest Idempotency-Key.
	maxKeyLength = 255
	// maxKeys is the number of keys that are stored for one user. It is twice the number of uploads that the
	// default of UPLOAD_LIMIT allows within 24 hours.
	maxKeys = 50_000
	// responseWait is how long a request waits for the response to an earlier one that is in progress.
	responseWait = 5 * time.Second
	// responsePoll is the polling interval.
	responsePoll = 100 * time.Millisecond
)

// replayedHeader marks a response that was sent before.
const replayedHeader = "Idempotent-Replayed"

// errAnswered means that another request with the key is done or in progress. It does not leave the package.
var errAnswered = errors.New("the key has been used")

var (
	errKeyReused = unprocessable("idempotency_key_reused",
		"This Idempotency-Key was used with another body. Use a new key for another request.")
	errKeyInUse = &problem.Error{
		Status: http.StatusConflict, Code: "idempotency_key_in_use", RetryAfter: 5 * time.Second,
		Message: "A request with this Idempotency-Key is still being carried out. Try again in a moment.",
	}
	errTooManyKeys = &problem.Error{
		Status: http.StatusTooManyRequests, Code: "too_many_idempotency_keys", RetryAfter: time.Hour,
		Message: "You have reached the limit of different keys within 24 hours. Nothing was changed.",
	}
)

// An idempotencyKey identifies a request that a client may repeat. The zero value is that of a request
// without the header; no response is stored for it.
//
// It follows draft-ietf-httpapi-idempotency-key-header-07. A key belongs to its user, method and path.
type idempotencyKey struct {
	user        uuid.UUID
	hash        []byte
	fingerprint []byte // of the content of the body; nil until it is read
}

// readKey reads the header Idempotency-Key: a string of a structured field (RFC 9651), or the same without
// the quotes.
func readKey(r *http.Request) (idempotencyKey, error) {
	values := r.Header.Values("Idempotency-Key")
	if len(values) == 0 {
		return idempotencyKey{}, nil
	}
	value := values[0]
	if len(value) >= 2 && strings.HasPrefix(value, `"`) && strings.HasSuffix(value, `"`) {
		value = value[1 : len(value)-1]
	}
	printable := !strings.ContainsFunc(value, func(c rune) bool { return c < ' ' || c > '~' })
	if len(values) > 1 || value == "" || len(value) > maxKeyLength || !printable {
		return idempotencyKey{}, problem.Invalid("Idempotency-Key",
			"Idempotency-Key must be given once, with 1 to 255 printable ASCII characters.")
	}
	hash := sha256.Sum256([]byte(r.Method + " " + r.URL.Path + "\n" + value))
	return idempotencyKey{user: token.From(r.Context()).UserID, hash: hash[:]}, nil
}

func (k idempotencyKey) isZero() bool { return k.hash == nil }

// remember stores the response for a key, in the transaction of the request's changes. Its errors are
// errAnswered and errTooManyKeys.
func (k idempotencyKey) remember(
	ctx context.Context, q *db.Queries, response db.RememberResponseParams,
) error {
	if k.isZero() {
		return nil
	}
	response.Key, response.Fingerprint, response.Most = k.hash, k.fingerprint, maxKeys
	result, err := q.RememberResponse(ctx, response)
	switch {
	case err != nil:
		return err
	case result == db.PrivateRememberResultKnown:
		return errAnswered
	case result == db.PrivateRememberResultTooMany:
		return errTooManyKeys
	}
	return nil
}

// rememberRejection stores a 422, which is as final as a success, and returns it. After other errors, a
// repeated request is processed again. It returns errAnswered if an earlier response is stored.
func (s *server) rememberRejection(ctx context.Context, key idempotencyKey, err error) error {
	var rejected *problem.Error
	if key.isZero() || !errors.As(err, &rejected) || rejected.Status != http.StatusUnprocessableEntity {
		return err
	}
	body, encodeErr := problem.Encode(problem.FormatAPI(nil, nil, rejected))
	if encodeErr != nil {
		return encodeErr
	}
	status := int32(rejected.Status)
	storeErr := s.store.AsUser(ctx, token.From(ctx), func(q *db.Queries) error {
		return key.remember(ctx, q, db.RememberResponseParams{Status: &status, Body: body})
	})
	if storeErr != nil {
		return storeErr
	}
	return err
}

// A rememberedResponse is the response to the first request with a key.
type rememberedResponse struct {
	fingerprint []byte
	status      int
	body        []byte
}

// findResponse returns the response to the first request with the key, or nil if there was none. It waits
// while that request is in progress. Its error is errKeyInUse if that takes too long.
func (s *server) findResponse(ctx context.Context, key idempotencyKey) (*rememberedResponse, error) {
	if key.isZero() {
		return nil, nil
	}
	poll := time.NewTicker(responsePoll)
	defer poll.Stop()
	for deadline := time.Now().Add(responseWait); ; {
		row, err := db.AsService(ctx, s.store, func(q *db.Queries) (db.GetRememberedResponseRow, error) {
			return q.GetRememberedResponse(ctx, db.GetRememberedResponseParams{UserID: key.user, Key: key.hash})
		})
		switch {
		case errors.Is(err, db.ErrNotFound):
			return nil, nil
		case err != nil:
			return nil, err
		case row.Status != 0:
			return &rememberedResponse{row.Fingerprint, int(row.Status), row.Body}, nil
		case !row.IsClaimed:
			// The parse was not started, or was cancelled before it began and without an answer.
			return nil, s.forgetClaim(ctx, key, *row.ClaimID)
		case row.RunID != nil:
			return s.completeParse(ctx, key, row)
		case time.Now().After(deadline):
			return nil, errKeyInUse
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-poll.C:
		}
	}
}

// replay repeats the response to the first request, unless the body of this request differs.
func (s *server) replay(w http.ResponseWriter, key idempotencyKey, a *rememberedResponse) error {
	if string(key.fingerprint) != string(a.fingerprint) {
		return errKeyReused
	}
	w.Header().Set(replayedHeader, "true")
	s.edge.WriteEncoded(w, a.status, a.body)
	return nil
}

// completeParse creates the response to a parse whose request ended before its response was stored.
func (s *server) completeParse(
	ctx context.Context, key idempotencyKey, row db.GetRememberedResponseRow,
) (*rememberedResponse, error) {
	body, err := problem.Encode(parseResponse{
		ImportID: *row.ImportID, Status: outcome.StatusQueued, WorkflowID: *row.WorkflowID, RunID: *row.RunID,
	})
	if err != nil {
		return nil, err
	}
	if err := s.completeResponse(ctx, key, *row.ClaimID, body); err != nil {
		return nil, err
	}
	return &rememberedResponse{row.Fingerprint, http.StatusOK, body}, nil
}

// completeResponse stores the response to a parse that has started.
func (s *server) completeResponse(
	ctx context.Context, key idempotencyKey, claim uuid.UUID, body []byte,
) error {
	return s.store.AsService(ctx, func(q *db.Queries) error {
		return q.CompleteResponse(ctx, db.CompleteResponseParams{
			UserID: key.user, Key: key.hash, ClaimID: claim, Status: http.StatusOK, Body: body,
		})
	})
}

func (s *server) forgetClaim(ctx context.Context, key idempotencyKey, claim uuid.UUID) error {
	return s.store.AsService(ctx, func(q *db.Queries) error {
		return q.ForgetClaim(ctx, db.ForgetClaimParams{UserID: key.user, Key: key.hash, ClaimID: claim})
	})
}
