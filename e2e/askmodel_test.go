package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"research/activities/extract/modeltest"
)

// An askModel answers each question in its own way, and honestly unless it is told otherwise.
type askModel struct {
	*modeltest.Server

	mu   sync.Mutex
	ways map[string]modeltest.Behavior // by question
}

func newAskModel(t testing.TB) *askModel {
	t.Helper()
	m := &askModel{Server: modeltest.New(t), ways: map[string]modeltest.Behavior{}}
	m.Always(func(w http.ResponseWriter, x *modeltest.Exchange) {
		m.mu.Lock()
		way := m.ways[modeltest.QuestionOf(x.Call)]
		m.mu.Unlock()
		if way == nil {
			way = modeltest.Honest()
		}
		way(w, x)
	})
	return m
}

func (m *askModel) settings() []string {
	return []string{
		"OPENAI_BASE_URL=" + m.URL, "OPENAI_API_KEY=key", "OPENAI_MODEL=test", "RECONCILE_INTERVAL=1s",
	}
}

// when sets how a question is answered.
func (m *askModel) when(question string, way modeltest.Behavior) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ways[question] = way
}

// callsAbout returns the calls whose prompts have a text.
func (m *askModel) callsAbout(text string) (calls []modeltest.Call) {
	for _, call := range m.Calls() {
		if strings.Contains(call.User, text) {
			calls = append(calls, call)
		}
	}
	return calls
}

// talks are what people say, about receipts and about something that nobody else mentions.
var talks = [][]string{
	{
		"We lose many receipts in the office of %s, mostly on train rides.",
		"Whoever loses one pays for the dinner himself.",
		"Our bookkeeper scans everything at night, which surprised me.",
	},
	{
		"Missing receipts cost me a whole afternoon every quarter at %s.",
		"I keep paper copies in a drawer next to the coffee machine.",
		"The printer broke in spring, and so far no engineer came.",
	},
	{
		"Finance refuses to reimburse a taxi without receipts, and drivers of %s sign a napkin.",
		"Some colleagues photograph every bill before they leave the table.",
		"Once a month a student sorts the shoe boxes by colour.",
	},
}

// interviewOf has one speaker.
func interviewOf(n int, name, topic string) []byte {
	var b strings.Builder
	for _, line := range talks[n%len(talks)] {
		fmt.Fprintf(&b, "%s: %s\n\n", name, strings.ReplaceAll(line, "%s", topic))
	}
	return []byte(b.String())
}
