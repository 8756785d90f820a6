package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Streamed answers honestly with a stream of events, whether the call requests one or not.
func Streamed() Behavior {
	return func(w http.ResponseWriter, x *Exchange) {
		w.Header().Set("Content-Type", "text/event-stream")
		text := Answer(x.Call).JSON()
		const size = 100
		for i := 0; i < len(text); i += size {
			delta := map[string]any{"content": text[i:min(i+size, len(text))]}
			writeEvent(w, map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta}}})
		}
		end := map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": "stop"}
		writeEvent(w, map[string]any{"choices": []any{end}})
		writeEvent(w, map[string]any{"choices": []any{}, "usage": map[string]any{
			"prompt_tokens": Tokens(x.System + x.User), "completion_tokens": Tokens(text),
		}})
		_, _ = fmt.Fprint(w, "data: [DONE]\n\n") // the client may have disconnected
	}
}

func writeEvent(w http.ResponseWriter, event any) {
	raw, err := json.Marshal(event)
	if err != nil {
		panic(err) // maps and strings always marshal
	}
	_, _ = fmt.Fprintf(w, "data: %s\n\n", raw) // the client may have disconnected
}
