// Package modeltest is a model's server for tests: it speaks OpenAI's Chat Completions over HTTP and misbehaves as told.
//
// New starts one; it answers honestly, with quotes that stand in the prompt, until it is told otherwise: Then queues what the next calls meet,
// Always says what all others meet. Each Behavior is one fault that real servers were seen with. The package is for tests only and imports nothing
// of ours: it sees a prompt as a model does.
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

// A Server is a model's server on this machine. It is safe for concurrent use.
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

// A Call is what one request asked.
type Call struct {
	Path   string
	Header http.Header
	Model  string
	System string // text of the system messages
	User   string // text of the user messages
	Format string // type of response_format: json_schema, json_object or "" for none
	Schema json.RawMessage
	Body   []byte
}

// New starts a server that answers honestly. It ends with the test; calls that hang end then too.
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

// Then queues behaviours: the next calls meet them, one each.
func (s *Server) Then(next ...Behavior) *Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, next...)
	return s
}

// Always says what calls meet when nothing is queued.
func (s *Server) Always(b Behavior) *Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.always = b
	return s
}

// Calls lists the calls so far, in the order in which they arrived.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Call(nil), s.calls...)
}

// Count is the number of calls so far.
func (s *Server) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls)
}

// MostInFlight is the largest number of calls that were open at once.
func (s *Server) MostInFlight() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

// ServeHTTP takes a call. Anything but POST /v1/chat/completions is 404.
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
	var said struct {
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
	}
	if err := json.Unmarshal(body, &said); err != nil {
		return Call{}, err
	}
	call := Call{Path: r.URL.Path, Header: r.Header.Clone(), Model: said.Model, Format: said.ResponseFormat.Type, Schema: said.ResponseFormat.JSONSchema.Schema, Body: body}
	for _, m := range said.Messages {
		text := contentText(m.Content)
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
