package modeltest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Listing starts a server of models as Ollama is one: it lists the models, and answers their calls as s does.
// It has nothing at other addresses. It returns the URL without /v1.
func Listing(tb testing.TB, s *Server, models ...string) string {
	tb.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		rows := make([]string, len(models))
		for i, model := range models {
			rows[i] = fmt.Sprintf(`{"id":%q,"object":"model"}`, model)
		}
		_, _ = fmt.Fprintf(w, `{"object":"list","data":[%s]}`, strings.Join(rows, ","))
	})
	mux.Handle("POST /v1/chat/completions", s)
	server := httptest.NewServer(mux)
	tb.Cleanup(server.Close)
	return server.URL
}
