package events

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"research/db"
	"research/internal/outage"
)

const (
	// interval is how often the hub polls for new events, and so the longest delay of an event. A poll is one
	// transaction that reads two indexes.
	interval = 500 * time.Millisecond
	// hubBatch bounds the events of one transaction.
	hubBatch = 1000
	// queryTimeout bounds one transaction of the hub or of a stream.
	queryTimeout = 10 * time.Second
)

// A hub publishes events, and wakes the streams of its process that they concern.
type hub struct {
	store *db.Store
	log   *slog.Logger

	mu      sync.Mutex
	streams map[*stream]struct{}
}

// run polls for new events until ctx ends.
func (h *hub) run(ctx context.Context) {
	failures := outage.New(h.log, "events not read, streams are behind")
	head, err := int64(-1), error(nil)
	for {
		if head, err = h.advance(ctx, head); ctx.Err() == nil {
			failures.Report(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(interval):
		}
	}
}

// advance publishes committed events, and wakes the streams that events after head concern. It returns the
// new head. A negative head stands for the latest event.
func (h *hub) advance(ctx context.Context, head int64) (int64, error) {
	for {
		rows, err := h.publish(ctx, &head)
		if err != nil {
			return head, err
		}
		h.wake(rows)
		if len(rows) > 0 {
			head = rows[len(rows)-1].Seq
		}
		if len(rows) < hubBatch {
			return head, nil
		}
	}
}

// publish is one transaction of advance.
func (h *hub) publish(ctx context.Context, head *int64) ([]db.ListPublishedEventsRow, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	type rows = []db.ListPublishedEventsRow
	return db.AsServiceWithin(ctx, h.store, queryTimeout, func(q *db.Queries) (rows, error) {
		if *head < 0 {
			bounds, err := q.GetEventBounds(ctx)
			if err != nil {
				return nil, err
			}
			*head = bounds.Head
		}
		if _, err := q.PublishEvents(ctx, hubBatch); err != nil {
			return nil, err
		}
		return q.ListPublishedEvents(ctx, db.ListPublishedEventsParams{After: *head, Most: hubBatch})
	})
}

// wake wakes the streams that events concern: those of their import, answer or workspace, and those of a user
// whose membership changed.
func (h *hub) wake(events []db.ListPublishedEventsRow) {
	if len(events) == 0 {
		return
	}
	concerned := map[uuid.UUID]bool{}
	for _, e := range events {
		concerned[e.WorkspaceID] = true
		if e.ImportID != nil {
			concerned[*e.ImportID] = true
		}
		if strings.HasPrefix(e.Type, "member.") || strings.HasPrefix(e.Type, "answer.") {
			concerned[e.EntityID] = true
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.streams {
		if s.concernedBy(concerned) {
			s.wakeUp()
		}
	}
}

// add registers a stream. It returns false if there are most streams already.
func (h *hub) add(s *stream, most int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.streams) >= most {
		return false
	}
	h.streams[s] = struct{}{}
	return true
}

func (h *hub) remove(s *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.streams, s)
}

// setWorkspaces records the workspaces whose events the stream may see.
func (h *hub) setWorkspaces(s *stream, workspaces []uuid.UUID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.workspaces = workspaces
}

// A stream is an open request as the hub sees it.
type stream struct {
	user       uuid.UUID   // nil for the service
	entity     *entity     // nil for a stream of workspaces
	workspaces []uuid.UUID // guarded by the hub's mutex
	wake       chan struct{}
}

func (s *stream) concernedBy(ids map[uuid.UUID]bool) bool {
	switch {
	case s.user == uuid.Nil && s.entity == nil, ids[s.user]:
		return true
	case s.entity != nil:
		return ids[s.entity.id]
	}
	for _, workspace := range s.workspaces {
		if ids[workspace] {
			return true
		}
	}
	return false
}

// wakeUp does not block. Calls that the stream has not handled yet are coalesced.
func (s *stream) wakeUp() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
