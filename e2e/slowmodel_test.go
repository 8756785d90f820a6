package e2e

import (
	"net/http"
	"regexp"
	"sync"
	"testing"
	"time"

	"research/activities/extract/modeltest"
)

// A slowModel answers honestly after half a second to two seconds, and keeps a record of its calls.
type slowModel struct {
	*modeltest.Server

	mu    sync.Mutex
	calls []modelCall
}

type modelCall struct {
	chunk      string    // identifies the interview and the chunk: the first week in the prompt
	began      time.Time // when it arrived
	answeredAt time.Time // zero where the client closed the connection
}

// weekPattern matches a text that is in almost every sentence of a numberedInterview, and in no other
// interview.
var weekPattern = regexp.MustCompile(`In week \d+ of [0-9a-f-]+`)

func newSlowModel(t testing.TB) *slowModel {
	t.Helper()
	m := &slowModel{Server: modeltest.New(t)}
	m.Always(func(w http.ResponseWriter, x *modeltest.Exchange) {
		m.mu.Lock()
		n := len(m.calls)
		m.calls = append(m.calls, modelCall{chunk: weekPattern.FindString(x.User), began: time.Now()})
		m.mu.Unlock()
		select {
		case <-time.After(time.Duration(500+n%7*250) * time.Millisecond):
		case <-x.Gone:
			return
		}
		modeltest.Honest()(w, x)
		m.mu.Lock()
		defer m.mu.Unlock()
		m.calls[n].answeredAt = time.Now()
	})
	return m
}

// record returns the calls so far.
func (m *slowModel) record() []modelCall {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]modelCall(nil), m.calls...)
}
