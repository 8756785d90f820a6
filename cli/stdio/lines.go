package stdio

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

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

// refuse answers a message that is not passed on. The id is zero if the message has none that can be read.
func (o *output) refuse(id jsonrpc.ID, code int64, sentence string) {
	o.write(&jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: code, Message: sentence}})
}

// Notes are sentences for people. A sentence that repeats the last one is left out.
type notes struct {
	w io.Writer

	mu   sync.Mutex
	last string
}

func (n *notes) add(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if sentence := err.Error(); sentence != n.last {
		n.last = sentence
		_, _ = fmt.Fprintln(n.w, "research mcp:", sentence)
	}
}
