// Package stdio connects an assistant on this machine, which speaks MCP over standard input and output, to
// the MCP server of a deployment. It passes messages on, and knows none of the tools.
package stdio

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	// maxMessage bounds a message in either direction, in bytes. It is the default of the SDK.
	maxMessage = 16 << 20
	// maxOpen bounds the messages that wait for the service at the same time.
	maxOpen = 64
	// maxWait bounds one exchange. The service answers a tool call within a minute.
	maxWait = 5 * time.Minute
	// defaultDrain is how long open requests may take after the end of the input: as long as a tool call.
	defaultDrain = 70 * time.Second
)

// A Bridge passes the messages of one assistant on to one service.
type Bridge struct {
	Endpoint string // the URL of the MCP server
	Token    string // a personal access token

	Stdin  io.Reader // JSON-RPC, one message a line
	Stdout io.Writer // the same; nothing else may be written to it
	Stderr io.Writer // sentences for people

	Drain time.Duration // how long open requests may take after the end of Stdin; 0 means 70 seconds
}

// Run passes messages on until the input ends, then waits a while for open requests. What goes wrong with a
// message is its answer, and a sentence on Stderr. Run returns an error if the assistant cannot be read or
// written any more; the end of ctx is none, and leaves requests without an answer.
func (b Bridge) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &session{
		client: newClient(b.Endpoint, b.Token),
		out:    output{w: b.Stdout, failed: cancel},
		notes:  newNotes(b.Stderr),
		open:   map[any]context.CancelCauseFunc{},
	}
	defer s.client.close()
	defer s.notes.close()
	for line, err := range lines(ctx, b.Stdin, maxMessage) {
		switch {
		case errors.Is(err, errLong):
			s.out.refuse(nil, jsonrpc.CodeInvalidRequest, err.Error())
		case err != nil:
			cancel(fmt.Errorf("read messages: %w", err))
		default:
			s.receive(ctx, line)
		}
	}
	s.finish(ctx, cmp.Or(b.Drain, defaultDrain))
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// A session is the state between the assistant and the service. The service itself keeps none.
type session struct {
	client *client
	out    output
	notes  *notes
	work   sync.WaitGroup

	mu    sync.Mutex
	open  map[any]context.CancelCauseFunc // requests without an answer, by id
	count int                             // of messages on their way, with notifications
}

// receive begins to pass one message on.
func (s *session) receive(ctx context.Context, line []byte) {
	msg, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		code, sentence := int64(jsonrpc.CodeInvalidRequest), "This is not a JSON-RPC message: send one a line."
		if !json.Valid(line) {
			code, sentence = jsonrpc.CodeParseError, "This is not JSON: send one JSON-RPC message a line."
		}
		s.out.refuse(idOf(line), code, sentence)
		return
	}
	request, ok := msg.(*jsonrpc.Request)
	if !ok || !request.IsCall() {
		if ok && request.Method == "notifications/cancelled" {
			s.cancel(request.Params)
		}
		s.notify(ctx, msg)
		return
	}
	s.call(ctx, request)
}

// call sends a request, and writes what the service answers.
func (s *session) call(ctx context.Context, request *jsonrpc.Request) {
	ctx, cancel := context.WithCancelCause(ctx)
	if err := s.begin(request.ID, cancel); err != nil {
		cancel(nil)
		s.out.write(&jsonrpc.Response{ID: request.ID, Error: &jsonrpc.Error{
			Code: jsonrpc.CodeInvalidRequest, Message: err.Error(),
		}})
		return
	}
	s.work.Go(func() {
		defer cancel(nil)
		ctx, stop := context.WithTimeoutCause(ctx, maxWait, errLate)
		defer stop()
		err := s.client.exchange(ctx, request, s.out.write)
		// An assistant that has cancelled a request gets no answer to it.
		if wanted := s.end(request.ID); err == nil || !wanted {
			return
		}
		s.out.write(answer(request.ID, err))
		s.notes.add(err)
	})
}

// notify sends a message that has no answer.
func (s *session) notify(ctx context.Context, msg jsonrpc.Message) {
	if err := s.begin(jsonrpc.ID{}, nil); err != nil {
		s.notes.add(err)
		return
	}
	s.work.Go(func() {
		ctx, stop := context.WithTimeoutCause(ctx, maxWait, errLate)
		defer stop()
		if err := s.client.exchange(ctx, msg, s.out.write); err != nil {
			s.notes.add(err)
		}
		s.end(jsonrpc.ID{})
	})
}

// begin counts a message, and keeps how its request is cancelled.
func (s *session) begin(id jsonrpc.ID, cancel context.CancelCauseFunc) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count >= maxOpen {
		return errFull
	}
	if cancel != nil {
		if s.open[id.Raw()] != nil {
			return errBusy
		}
		s.open[id.Raw()] = cancel
	}
	s.count++
	return nil
}

// end reports whether the assistant still waits for the answer.
func (s *session) end(id jsonrpc.ID) (wanted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count--
	_, wanted = s.open[id.Raw()]
	delete(s.open, id.Raw())
	return wanted
}

// cancel ends the connection of a request: this is how a service without sessions learns that an answer is
// not wanted any more.
func (s *session) cancel(params json.RawMessage) {
	var cancelled struct {
		RequestID any `json:"requestId"`
	}
	if json.Unmarshal(params, &cancelled) != nil {
		return
	}
	id, err := jsonrpc.MakeID(cancelled.RequestID)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if stop := s.open[id.Raw()]; stop != nil {
		stop(nil)
		delete(s.open, id.Raw())
	}
}

// finish waits for open requests. Those that take longer than drain are answered here. If ctx ends, nobody
// waits for answers.
func (s *session) finish(ctx context.Context, drain time.Duration) {
	done := make(chan struct{})
	go func() {
		s.work.Wait()
		close(done)
	}()
	wait := func(most time.Duration) {
		timer := time.NewTimer(most)
		defer timer.Stop()
		select {
		case <-done:
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	wait(drain)
	s.mu.Lock()
	for id, cancel := range s.open {
		cancel(errEnded)
		if ctx.Err() != nil {
			delete(s.open, id)
		}
	}
	s.mu.Unlock()
	wait(time.Second) // for writing
}
