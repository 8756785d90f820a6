package modeltest

import (
	"fmt"
	"net/http"
)

// Streamed answers honestly with a stream of events, whether the call requests one or not.
func Streamed() Behavior {
	return func(w http.ResponseWriter, x *Exchange) {
		text := honestText(x.Call)
		stream := startStream(w)
		stream.write(text)
		stream.end(x, text)
	}
}

// A stream is a response as a stream of events.
type stream struct{ w http.ResponseWriter }

func startStream(w http.ResponseWriter) stream {
	w.Header().Set("Content-Type", "text/event-stream")
	return stream{w}
}

// pieceBytes is the size of the text of an event.
const pieceBytes = 10

// write writes a text in pieces, and reports whether the client took it.
func (s stream) write(text string) bool {
	for text != "" {
		size := min(pieceBytes, len(text))
		for size < len(text) && text[size]&0xC0 == 0x80 { // within a character
			size++
		}
		s.event(map[string]any{"choices": []any{
			map[string]any{"index": 0, "delta": map[string]any{"content": text[:size]}},
		}})
		text = text[size:]
	}
	return http.NewResponseController(s.w).Flush() == nil
}

// end ends the response to a call with its usage.
func (s stream) end(x *Exchange, text string) {
	end := map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": "stop"}
	s.event(map[string]any{"choices": []any{end}})
	s.event(map[string]any{"choices": []any{}, "usage": map[string]any{
		"prompt_tokens": Tokens(x.System + x.User), "completion_tokens": Tokens(text),
	}})
	_, _ = fmt.Fprint(s.w, "data: [DONE]\n\n") // the client may have disconnected
}

func (s stream) event(event any) {
	_, _ = fmt.Fprintf(s.w, "data: %s\n\n", mustJSON(event)) // the client may have disconnected
}
