package openai

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// eventStarts are how the lines of a stream of events begin.
var eventStarts = []string{"data:", "event:", "id:", "retry:", ": ", ":\n"}

// isEventStream reports whether a body is a stream of server-sent events.
func isEventStream(body []byte) bool {
	for _, start := range eventStarts {
		if bytes.HasPrefix(body, []byte(start)) {
			return true
		}
	}
	return false
}

// joinEvents returns the completion that a stream of server-sent events makes up, or the event that reports
// an error.
func joinEvents(raw []byte) any {
	var joined joinedEvents
	for line := range bytes.Lines(raw) {
		if joined.read(line); joined.failed != nil {
			break
		}
	}
	return joined.completion()
}

// joinedEvents are the parts of a streamed completion.
type joinedEvents struct {
	content, thoughts, arguments strings.Builder
	finish, usage                any
	count                        int
	failed                       any  // the event that reports an error, or nil
	ended                        bool // the server has written that there are no more events
}

// read adds a line of the stream, and returns the text in it.
func (j *joinedEvents) read(line []byte) string {
	data, isData := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:"))
	data = bytes.TrimSpace(data)
	if isData && string(data) == "[DONE]" {
		j.ended = true
	}
	event, isObject := decodeJSON(data).(map[string]any)
	if !isData || !isObject {
		return ""
	}
	if _, ok := event["choices"]; !ok && readFailure(event) != nil {
		j.failed = event
		return ""
	}
	return j.add(event)
}

func (j *joinedEvents) add(event map[string]any) (content string) {
	j.count++
	if usage := event["usage"]; !isEmpty(usage) {
		j.usage = usage
	}
	for _, choice := range listOf(event["choices"]) {
		if numberOf(member(choice, "index")) > 0 {
			continue // one is enough
		}
		a := readChoice(choice)
		content += a.content
		j.thoughts.WriteString(a.thoughts)
		j.arguments.WriteString(a.arguments)
		if finish := member(choice, "finish_reason"); !isEmpty(finish) {
			j.finish = finish
		}
	}
	j.content.WriteString(content)
	return content
}

// isWhole reports whether the stream has its end, or an error in its place.
func (j *joinedEvents) isWhole() bool { return j.ended || j.finish != nil || j.failed != nil }

func (j *joinedEvents) completion() any {
	switch {
	case j.failed != nil:
		return j.failed
	case j.count == 0:
		return nil
	}
	return map[string]any{
		"choices": []any{map[string]any{
			"finish_reason": j.finish,
			"message": map[string]any{
				"content": j.content.String(), "reasoning_content": j.thoughts.String(),
				"function_call": map[string]any{"arguments": j.arguments.String()},
			},
		}},
		"usage": j.usage,
	}
}

// maxEvent is the size of the longest line of a stream, in bytes. Servers that do not stream write the whole
// answer in one.
const maxEvent = 1 << 20

// readStream reads a body as it arrives, and gives each part of its text to lines. A body that is no stream
// is read as any other.
func (r *reply) readStream(body io.Reader) {
	limited := &io.LimitedReader{R: body, N: maxCompletionBody}
	buffered := bufio.NewReader(limited)
	if !startsEvents(buffered) {
		r.readWhole(buffered)
		return
	}
	var joined joinedEvents
	events := bufio.NewScanner(buffered)
	events.Buffer(nil, maxEvent)
	for r.err == nil && !joined.ended && joined.failed == nil && events.Scan() {
		if text := joined.read(events.Bytes()); text != "" {
			r.err = r.lines.add(text)
		}
	}
	r.body, r.written = joined.completion(), joined.content.String()+joined.thoughts.String()
	switch {
	case errors.Is(r.err, errEnough):
		r.err = nil
	case errors.Is(r.err, errCut), errors.Is(events.Err(), bufio.ErrTooLong), limited.N <= 0:
		r.err, r.endless = nil, true
	case r.err != nil:
	case events.Err() != nil:
		r.err = events.Err()
	case !joined.isWhole():
		r.err = io.ErrUnexpectedEOF
	}
}

// startsEvents skips white space, and reports whether a stream of events follows.
func startsEvents(body *bufio.Reader) bool {
	for {
		first, err := body.Peek(1)
		if err != nil || !strings.ContainsRune(" \t\r\n", rune(first[0])) {
			break
		}
		_, _ = body.Discard(1)
	}
	start, _ := body.Peek(len("event:")) // shorter if the body is
	return isEventStream(start)
}
