package stdio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// lines yields the lines of r that are not empty, until r or ctx ends. A line of more than limit bytes is
// errLong, and the next one follows.
func lines(ctx context.Context, r io.Reader, limit int) iter.Seq2[[]byte, error] {
	type line struct {
		text []byte
		err  error
	}
	read := make(chan line)
	go func() { // which stays behind if ctx ends while it reads
		defer close(read)
		buffered := bufio.NewReader(r)
		for {
			text, err := readLine(buffered, limit)
			if err == nil && len(text) == 0 {
				continue
			}
			if errors.Is(err, io.EOF) && len(text) == 0 {
				return
			}
			last := err != nil && !errors.Is(err, errLong)
			if errors.Is(err, io.EOF) {
				err = nil
			}
			select {
			case read <- line{text, err}:
			case <-ctx.Done():
				return
			}
			if last {
				return
			}
		}
	}()
	return func(yield func([]byte, error) bool) {
		for {
			select {
			case <-ctx.Done():
				return
			case l, ok := <-read:
				if !ok || !yield(l.text, l.err) {
					return
				}
			}
		}
	}
}

// readLine returns the next line without white space around it.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var text []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		long = long || len(text)+len(part) > limit
		if !long {
			text = append(text, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long && (err == nil || errors.Is(err, io.EOF)) {
			return nil, errLong
		}
		return bytes.TrimSpace(text), err
	}
}

// An output writes messages, one a line.
type output struct {
	w      io.Writer
	failed context.CancelCauseFunc // called if the assistant does not read any more

	mu sync.Mutex
}

func (o *output) write(msg jsonrpc.Message) {
	data, err := jsonrpc.EncodeMessage(msg)
	o.writeLine(data, err)
}

// refuse answers a message that is not passed on. The id is that of a request, or nil, which is sent as null
// (JSON-RPC 2.0, section 5).
func (o *output) refuse(id json.RawMessage, code int64, sentence string) {
	o.writeLine(json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{"2.0", id, &jsonrpc.Error{Code: code, Message: sentence}}))
}

func (o *output) writeLine(data []byte, err error) {
	if err != nil {
		o.failed(fmt.Errorf("encode a message: %w", err))
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, err := o.w.Write(append(data, '\n')); err != nil {
		o.failed(fmt.Errorf("write messages: %w", err))
	}
}

// idOf returns the id of a request that is not as it should be. It is nil if the message has none that is a
// string or a number, or no method: the id of a response is one of the service.
func idOf(line []byte) json.RawMessage {
	var request struct {
		ID     json.RawMessage `json:"id"`
		Method json.RawMessage `json:"method"`
	}
	if json.Unmarshal(line, &request) != nil || request.Method == nil || request.ID == nil {
		return nil
	}
	switch first := request.ID[0]; {
	case first == '"', first == '-', first >= '0' && first <= '9':
		return request.ID
	}
	return nil
}

// Notes are sentences for people. A sentence that repeats the last one is left out, and so are those for
// which there is no room while nobody reads: messages must not wait for them.
type notes struct {
	queue         chan string
	ending, ended chan struct{}
}

func newNotes(w io.Writer) *notes {
	n := &notes{make(chan string, maxOpen), make(chan struct{}), make(chan struct{})}
	go func() { // which stays behind if nobody reads
		defer close(n.ended)
		last := ""
		write := func(sentence string) {
			if sentence != last {
				last = sentence
				_, _ = fmt.Fprintln(w, "research mcp:", sentence)
			}
		}
		for {
			select {
			case sentence := <-n.queue:
				write(sentence)
				continue
			case <-n.ending:
			}
			for len(n.queue) > 0 {
				write(<-n.queue)
			}
			return
		}
	}()
	return n
}

func (n *notes) add(err error) {
	select {
	case n.queue <- err.Error():
	default:
	}
}

// close waits a moment until what was added is written.
func (n *notes) close() {
	close(n.ending)
	select {
	case <-n.ended:
	case <-time.After(time.Second):
	}
}
