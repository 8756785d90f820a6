package events

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"research/api/token"
	"research/db"
)

const (
	// batch is the number of events that a stream reads and writes at once.
	batch = 200
	// writeTimeout is how long a client may take to receive a batch.
	writeTimeout = 15 * time.Second
	// reconnectAfter is the delay before a client reconnects.
	reconnectAfter = 2 * time.Second
	// lastEvents is how long a stream of what has ended waits for its last events to be published.
	lastEvents = 6 * interval
	// spread is the period over which reconnects are distributed after a server stops or the database fails.
	spread = 5 * time.Second
)

// A follower is an open stream.
type follower struct {
	server  *server
	request *http.Request
	stream  *stream

	after   int64 // the number of the latest event that was sent
	resumed bool  // the client named that event
	reset   bool  // events were lost in between
	entity  found // what the stream follows, when it began
}

// begin authorizes the caller, and determines where the stream begins.
func (f *follower) begin(subject db.Subject) error {
	ctx, cancel := context.WithTimeout(f.request.Context(), queryTimeout)
	defer cancel()
	return f.server.store.AsUser(ctx, subject, func(q *db.Queries) error {
		if e := f.stream.entity; e != nil {
			var err error
			f.entity, err = e.find(ctx, q, e.id)
			if errors.Is(err, db.ErrNotFound) {
				return e.missing
			}
			if err != nil {
				return err
			}
		}
		bounds, err := q.GetEventBounds(ctx)
		if err != nil {
			return err
		}
		// A number above the head belongs to another database, such as one before a restore.
		f.reset = f.resumed && (f.after < bounds.Expired || f.after > bounds.Head)
		if !f.resumed || f.reset {
			f.after = bounds.Head
		}
		return nil
	})
}

// follow sends events until the client, the server, or the end of the caller's session ends the stream.
func (f *follower) follow(w http.ResponseWriter, expires time.Time) {
	out := newOutput(w)
	if !out.begin(f.after, f.reset) {
		return
	}
	heartbeat := time.NewTicker(f.server.heartbeat)
	defer heartbeat.Stop()
	var expired <-chan time.Time // nil for an API key
	if !expires.IsZero() {
		timer := time.NewTimer(time.Until(expires))
		defer timer.Stop()
		expired = timer.C
	}
	var over <-chan time.Time // nil while something may happen to the entity
	if f.entity.ended {
		over = time.After(lastEvents)
	}
	for {
		ended, err := f.deliver(out)
		if ended {
			return
		}
		var again <-chan time.Time
		if err != nil {
			again = time.After(time.Second + rand.N(spread)) //nolint:gosec // a delay needs no secrecy
		}
		for waiting := true; waiting; {
			select {
			case <-f.stream.wake:
				waiting = false
			case <-again:
				waiting = false
			case <-heartbeat.C:
				if _, err := f.server.authenticator.Admit(f.request); token.IsUnauthenticated(err) {
					return
				}
				if !out.comment() {
					return
				}
			case <-expired:
				return
			case <-over:
				return
			case <-f.server.stopping:
				out.reconnect(time.Second + rand.N(spread)) //nolint:gosec // a delay needs no secrecy
				return
			case <-f.request.Context().Done():
				return
			}
		}
	}
}

// deliver sends the pending events. It reports whether the stream has ended. An error means that the events
// could not be read, and that a retry may succeed.
func (f *follower) deliver(out *output) (ended bool, err error) {
	for {
		principal, err := f.server.authenticator.Admit(f.request)
		if err != nil {
			return token.IsUnauthenticated(err), err
		}
		rows, workspaces, err := f.read(principal.Subject)
		if err != nil {
			return false, err
		}
		f.server.hub.setWorkspaces(f.stream, workspaces)
		if len(rows) > 0 {
			if !out.events(rows) {
				return true, nil
			}
			f.after = rows[len(rows)-1].Seq
		}
		if f.stream.entity != nil {
			member := f.stream.user == uuid.Nil || slices.Contains(workspaces, f.entity.workspace)
			if !member || f.stream.entity.endsWith(rows) {
				return true, nil
			}
		}
		if len(rows) < batch {
			return false, nil
		}
	}
}

// read returns the next events, and the workspaces of the caller.
func (f *follower) read(subject db.Subject) (rows []db.ReadEventsRow, workspaces []uuid.UUID, err error) {
	ctx, cancel := context.WithTimeout(f.request.Context(), queryTimeout)
	defer cancel()
	select {
	case f.server.reads <- struct{}{}:
		defer func() { <-f.server.reads }()
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	err = f.server.store.AsUser(ctx, subject, func(q *db.Queries) error {
		if workspaces, err = q.ListMyWorkspaces(ctx); err != nil {
			return err
		}
		rows, err = q.ReadEvents(ctx, db.ReadEventsParams{
			After: f.after, Most: batch,
			ImportID: f.stream.entity.as("importId"), AnswerID: f.stream.entity.as("answerId"),
		})
		return err
	})
	return rows, workspaces, err
}

// An output writes server-sent events. Its methods return false when the client has disconnected.
type output struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func newOutput(w http.ResponseWriter) *output {
	control := http.NewResponseController(w)
	// The server's deadlines are meant for short requests. Connections without deadlines, such as a recorder's,
	// need no reset.
	_ = control.SetReadDeadline(time.Time{})
	return &output{w, control}
}

// begin sends the header, and an event with the number after which the stream begins, so that a client that
// is disconnected before the next one can resume. It has data, since some libraries pass on a block without
// data as an event whose data is empty. After a reset, the client must reload the state that it follows.
func (o *output) begin(after int64, reset bool) bool {
	header := o.w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store, no-transform")
	header.Set("X-Accel-Buffering", "no") // of nginx
	o.w.WriteHeader(http.StatusOK)
	name := "ready"
	if reset {
		name = "reset"
	}
	return o.send(fmt.Appendf(nil, "retry: %d\nid: %d\nevent: %s\ndata: {\"type\":%q}\n\n",
		reconnectAfter.Milliseconds(), after, name, name))
}

func (o *output) events(rows []db.ReadEventsRow) bool {
	var text bytes.Buffer
	for _, e := range rows {
		// JSON has no line breaks outside of strings, and escapes those inside.
		fmt.Fprintf(&text, "id: %d\nevent: %s\ndata: %s\n\n", e.Seq, e.Type, e.Body)
	}
	return o.send(text.Bytes())
}

// comment and reconnect send no blank line, for the reason given at begin. Nothing of theirs waits for one.
func (o *output) comment() bool { return o.send([]byte(":\n")) }

func (o *output) reconnect(after time.Duration) {
	o.send(fmt.Appendf(nil, "retry: %d\n", after.Milliseconds()))
}

func (o *output) send(text []byte) bool {
	_ = o.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	if _, err := o.w.Write(text); err != nil {
		return false
	}
	return o.control.Flush() == nil
}
