// Package modeltest is a model server for tests. It implements OpenAI's Chat Completions API over HTTP, and
// misbehaves on request.
//
// A server serves honestly, with quotes from the prompt, unless it is configured otherwise: Then queues
// behaviours for the next calls, and Always sets that of all others. Each Behavior is a fault that was
// observed in real servers. The package imports none of ours, so that it sees a prompt as a model does.
package modeltest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// A Server is a model server on this machine. It is safe for concurrent use.
type Server struct {
	URL string // base URL, with /v1

	closing chan struct{}

	mu       sync.Mutex
	queue    []Behavior
	always   Behavior
	calls    []Call
	inFlight int
	most     int
}

// A Call is one request.
type Call struct {
	Path   string
	Header http.Header
	Model  string
	System string // text of the system messages
	User   string // text of the user messages
	Roles  []string
	Format string // type of response_format: json_schema, json_object or "" for none
	Schema json.RawMessage
	Body   []byte

	Stream              bool
	MaxTokens           int // 0: none
	MaxCompletionTokens int
}

// New starts a server that answers honestly. The server and calls that hang end with the test.
func New(tb testing.TB) *Server {
	tb.Helper()
	s := &Server{always: Honest(), closing: make(chan struct{})}
	server := httptest.NewServer(s)
	tb.Cleanup(func() {
		close(s.closing)
		server.CloseClientConnections()
		server.Close()
	})
	s.URL = server.URL + "/v1"
	return s
}

// Then queues behaviours for the next calls, one each.
func (s *Server) Then(next ...Behavior) *Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, next...)
	return s
}

// Always sets the behaviour for calls when none is queued.
func (s *Server) Always(b Behavior) *Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.always = b
	return s
}

// Calls returns the calls so far, in the order of their arrival.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Call(nil), s.calls...)
}

// Count returns the number of calls so far.
func (s *Server) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls)
}

// MostInFlight returns the largest number of calls that were open at the same time.
func (s *Server) MostInFlight() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

// ServeHTTP answers a call. Anything but POST /v1/chat/completions is 404.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "unreadable", http.StatusBadRequest)
		return
	}
	if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" {
		http.Error(w, `{"error":{"message":"no such path"}}`, http.StatusNotFound)
		return
	}
	call, err := readCall(r, body)
	if err != nil {
		http.Error(w, `{"error":{"message":"not a chat completion"}}`, http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.calls = append(s.calls, call)
	behave := s.always
	if len(s.queue) > 0 {
		behave, s.queue = s.queue[0], s.queue[1:]
	}
	s.inFlight++
	s.most = max(s.most, s.inFlight)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.inFlight--
		s.mu.Unlock()
	}()
	behave(w, &Exchange{Call: call, Gone: r.Context().Done(), closing: s.closing})
}

func readCall(r *http.Request, body []byte) (Call, error) {
	var request struct {
		Model    string `json:"model"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		ResponseFormat struct {
			Type       string `json:"type"`
			JSONSchema struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
		Stream              bool `json:"stream"`
		MaxTokens           int  `json:"max_tokens"`
		MaxCompletionTokens int  `json:"max_completion_tokens"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return Call{}, err
	}
	call := Call{
		Path:   r.URL.Path,
		Header: r.Header.Clone(),
		Model:  request.Model,
		Format: request.ResponseFormat.Type,
		Schema: request.ResponseFormat.JSONSchema.Schema,
		Body:   body,

		Stream:              request.Stream,
		MaxTokens:           request.MaxTokens,
		MaxCompletionTokens: request.MaxCompletionTokens,
	}
	for _, m := range request.Messages {
		text := contentText(m.Content)
		call.Roles = append(call.Roles, m.Role)
		if m.Role == "user" {
			call.User += text
		} else {
			call.System += text
		}
	}
	return call, nil
}

// contentText reads both forms of content: a text, or a list of parts.
func contentText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &parts) // neither form: no text
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}
