package identity

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"research/db"
)

// An event is an entry of the audit log. It must not contain a password, a token, or an address that was
// merely typed.
type event struct {
	action  string // GoTrue's names
	actor   *User  // nil means none or unknown
	address string // the client's
	traits  map[string]any
}

func (e event) write(ctx context.Context, q *db.Queries, at time.Time) error {
	entry := map[string]any{"action": e.action, "timestamp": at.UTC(), "log_type": "account"}
	if e.actor != nil {
		entry["actor_id"], entry["actor_username"] = e.actor.ID, e.actor.email()
	}
	if len(e.traits) > 0 {
		entry["traits"] = e.traits
	}
	payload, err := json.Marshal(entry)
	if err != nil {
		return fmt.Errorf("write the audit log: %w", err)
	}
	return q.WriteAudit(ctx, db.WriteAuditParams{Payload: payload, IpAddress: e.address})
}

func (s *Service) audit(ctx context.Context, q *db.Queries, e event) error {
	return e.write(ctx, q, s.now())
}
