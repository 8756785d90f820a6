package mcp

import (
	"strings"

	"github.com/google/uuid"

	"research/db"
)

// titleLength and nameLength bound titles of interviews and names of people in results, in characters.
const (
	titleLength = 120
	nameLength  = 80
)

// findings collect the results of a search. Turns of an interview that are close to each other
// are one result.
type findings struct {
	server  *server
	found   []*finding
	seen    map[string]bool
	windows map[uuid.UUID][]*finding // by import
}

// A finding is a result. Its id has the turns of a window.
type finding struct {
	searchHit

	id    id
	shown map[int]bool // turns that the excerpt has
}

func newFindings(s *server) *findings {
	return &findings{server: s, seen: map[string]bool{}, windows: map[uuid.UUID][]*finding{}}
}

// hits returns the results in their order.
func (f *findings) hits() []searchHit {
	hits := make([]searchHit, len(f.found))
	for i, one := range f.found {
		hits[i] = one.searchHit
		hits[i].ID = one.id.String()
	}
	return hits
}

func (f *findings) addHypothesis(row db.SearchHypothesesRow) {
	f.put(id{kind: kindHypothesis, of: row.ID}, "Hypothesis: "+oneLine(row.Statement, titleLength),
		f.server.hypothesisURL(row.ProjectID, row.ID), row.Statement)
}

func (f *findings) addAnswer(row db.SearchAnswersRow) {
	f.put(id{kind: kindAnswer, of: row.ID}, "Answer: "+oneLine(row.Question, titleLength),
		f.server.answerURL(row.ProjectID, row.ID), quoted(row.Text))
}

func (f *findings) addInterview(row db.FindInterviewsByNameRow) {
	f.put(id{kind: kindImport, of: row.ID}, oneLine(row.Title, titleLength), f.server.importURL(row.ID),
		quoted(oneLine(row.Title, titleLength)))
}

// put adds a result, unless it is there already.
func (f *findings) put(of id, title, url, excerpt string) *finding {
	if f.seen[of.String()] {
		return &finding{}
	}
	f.seen[of.String()] = true
	one := &finding{searchHit: searchHit{Title: title, URL: url, Excerpt: excerpt}, id: of}
	f.found = append(f.found, one)
	return one
}

// addTurn adds a turn with those around it, or makes a result larger that has some of these, and the quotes
// of the turn.
func (f *findings) addTurn(row db.SearchPassagesRow, quotes []db.ListEvidenceOfTurnsRow) {
	turn := int(row.Ordinal)
	title := described(oneLine(row.Title, titleLength), row.Speaker, row.StartMs)
	if !f.join(row.ImportID, turn, row.Text) {
		one := f.put(
			id{kind: kindUtterance, of: row.ImportID, from: max(0, turn-aroundTurn), to: turn + aroundTurn},
			title, f.server.turnURL(row.ImportID, turn), quoted(row.Text))
		one.shown = map[int]bool{turn: true}
		f.windows[row.ImportID] = append(f.windows[row.ImportID], one)
	}
	for _, quote := range quotes {
		f.put(id{kind: kindEvidence, of: quote.ID}, "Quote of "+title,
			f.server.evidenceURL(uuid.Nil, quote.ImportID, quote.ID), quoted(cut(quote.Quote, maxExcerpt)))
	}
}

// join adds a turn to a result whose turns are beside it, and reports whether there is one.
func (f *findings) join(imported uuid.UUID, turn int, text string) bool {
	from, to := max(0, turn-aroundTurn), turn+aroundTurn
	for _, w := range f.windows[imported] {
		first, last := min(w.id.from, from), max(w.id.to, to)
		if from > w.id.to+1 || to < w.id.from-1 || last-first >= maxWindow {
			continue
		}
		w.addTurn(turn, text)
		w.id.from, w.id.to = first, last
		return true
	}
	return false
}

// maxExcerpt is how much of several turns is shown, in bytes. fetch has all of it.
const maxExcerpt = 1200

// addTurn shows a turn of the window as well, unless there is too much.
func (f *finding) addTurn(turn int, text string) {
	if f.shown[turn] || len(f.Excerpt)+len(text) > maxExcerpt {
		return
	}
	f.shown[turn] = true
	f.Excerpt += "\n" + quoted(text)
}

// described is the title of words of an interview: who said them, and when.
func described(title, speaker string, startMS int64) string {
	said := oneLine(speaker, nameLength)
	if at := clock(startMS); at != "" {
		said = strings.TrimSpace(said + " at " + at)
	}
	switch {
	case title == "":
		return said
	case said == "":
		return title
	}
	return said + ", in " + title
}
