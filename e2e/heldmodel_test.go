package e2e

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"research/activities/extract/modeltest"
)

// A heldModel answers the first call about an interview, and holds the others until the interview is
// released. It recognizes an interview by a name in its text, such as case-terminated; see longInterview.
type heldModel struct {
	*modeltest.Server

	mu         sync.Mutex
	interviews map[string]*heldInterview
}

type heldInterview struct {
	released chan struct{}
	calls    int // so far
	held     int // at the moment
	badKey   bool
}

func newHeldModel(t testing.TB) *heldModel {
	t.Helper()
	m := &heldModel{Server: modeltest.New(t), interviews: map[string]*heldInterview{}}
	m.Always(m.answer)
	return m
}

// settings are those of a service that calls the model.
func (m *heldModel) settings() []string {
	return []string{"OPENAI_BASE_URL=" + m.URL, "OPENAI_API_KEY=key", "OPENAI_MODEL=test"}
}

var interviewName = regexp.MustCompile(`case-[a-z-]+`)

func (m *heldModel) answer(w http.ResponseWriter, x *modeltest.Exchange) {
	name := interviewName.FindString(x.User)
	answer := modeltest.Honest()
	var first bool
	var released chan struct{}
	m.update(name, func(i *heldInterview) {
		i.calls++
		first, released = i.calls == 1, i.released
		if i.badKey {
			answer = modeltest.BadKey()
		}
	})
	if !first {
		m.update(name, func(i *heldInterview) { i.held++ })
		defer m.update(name, func(i *heldInterview) { i.held-- })
		select {
		case <-released:
		case <-x.Gone:
			return
		}
	}
	answer(w, x)
}

func (m *heldModel) update(name string, change func(*heldInterview)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.interviews[name] == nil {
		m.interviews[name] = &heldInterview{released: make(chan struct{})}
	}
	change(m.interviews[name])
}

// release lets the calls about an interview pass from now on.
func (m *heldModel) release(name string) {
	m.update(name, func(i *heldInterview) { close(i.released) })
}

// rejectKey makes calls about an interview that come from now on fail for a bad key, or succeed again.
func (m *heldModel) rejectKey(name string, reject bool) {
	m.update(name, func(i *heldInterview) { i.badKey = reject })
}

// calls is how many calls about an interview were made.
func (m *heldModel) calls(name string) (n int) {
	m.update(name, func(i *heldInterview) { n = i.calls })
	return n
}

// held is how many calls about an interview wait for their answers.
func (m *heldModel) held(name string) (n int) {
	m.update(name, func(i *heldInterview) { n = i.held })
	return n
}

// longInterview has three chunks, with a sentence of evidence in each.
func longInterview(name string) []byte {
	var b strings.Builder
	for i := range 420 {
		fmt.Fprintf(&b, "%s: In week %d of %s we exported the card statement and pasted it in, and somebody "+
			"sorted one column.\n\n", []string{"Dana", "Omar"}[i%2], i, name)
		if i%100 == 50 {
			b.WriteString("Omar: Closing the books takes us five days because receipts are missing.\n\n")
		}
	}
	return []byte(b.String())
}
