package mail

import (
	"context"
	"regexp"

	"github.com/google/uuid"

	"research/db"
	"research/internal/redact"
)

// toleratedBounces is the number of permanent bounces after which an address that may be correct is
// suppressed.
const toleratedBounces = 3

// The causes of a suppression, as stored in private.mail_refusals.
const (
	causeHardBounce = "hard_bounce"
	causeComplaint  = "complaint"
)

// record applies events to addresses and digests, and returns the number of events that changed something. It
// ignores addresses of no user.
func (s *server) record(ctx context.Context, events []event) (recorded int, err error) {
	return db.AsService(ctx, s.Store, func(q *db.Queries) (recorded int, err error) {
		for _, e := range events {
			address, err := recordAddress(ctx, q, e)
			if err != nil {
				return 0, err
			}
			digest, err := recordDigest(ctx, q, e)
			if err != nil {
				return 0, err
			}
			if address+digest > 0 {
				recorded++
			}
		}
		return recorded, nil
	})
}

func recordAddress(ctx context.Context, q *db.Queries, e event) (rows int64, err error) {
	switch e.kind {
	case bounced:
		return q.CountBounce(ctx, db.CountBounceParams{
			Address: e.recipient, Code: e.replyCode(), Tolerated: toleratedBounces,
		})
	case hardBounce:
		return q.SuppressAddress(ctx, db.SuppressAddressParams{
			Address: e.recipient, Code: e.replyCode(), SuppressedBy: causeHardBounce,
		})
	case complaint:
		return q.SuppressAddress(ctx, db.SuppressAddressParams{
			Address: e.recipient, Code: e.replyCode(), SuppressedBy: causeComplaint,
		})
	default:
		return q.ClearBounces(ctx, e.recipient)
	}
}

// digestPattern matches the Message-ID of a digest, which contains the delivery's id.
var digestPattern = regexp.MustCompile(`^digest\.([0-9a-f-]{36})@`)

// recordDigest records the outcome of a digest. Without a Message-ID from the relay, there is no digest to
// record.
func recordDigest(ctx context.Context, q *db.Queries, e event) (rows int64, err error) {
	match := digestPattern.FindStringSubmatch(e.messageID)
	if match == nil {
		return 0, nil
	}
	id, _ := uuid.Parse(match[1]) // no delivery has the zero ID
	switch e.kind {
	case bounced, hardBounce:
		return q.MarkDigestBounced(ctx, db.MarkDigestBouncedParams{
			ID: id, MessageID: e.messageID, Reason: e.reason(),
		})
	case complaint:
		return q.MarkDigestComplaint(ctx, db.MarkDigestComplaintParams{ID: id, MessageID: e.messageID})
	default:
		return 0, nil
	}
}

// reason returns the reason of a delivery that bounced: a code for programs, and the server's words without
// addresses.
func (e event) reason() string {
	reason := "bounced"
	if e.status != "" {
		reason += "_" + e.status
	}
	if words := redact.Reply(e.reply, e.recipient); words != "" {
		reason += ": " + words
	}
	return reason
}
