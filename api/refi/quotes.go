package refi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"research/api/refi/qdpx"
)

// Limits of quotes in the database.
const (
	maxQuote = 100_000 // bytes
	maxText  = 20_000  // characters of a summary or rationale
)

// addQuotes plans what becomes of the selections of a source.
func (b *builder) addQuotes(
	i *interview, s *qdpx.Source, spans []qdpx.Span, place *qdpx.Alignment, isRich bool,
) {
	for range s.Codings {
		b.skip("coding", i.title, reasonWhole)
	}
	for _, ref := range s.NoteRefs {
		b.skipNote(ref.Target, "It is about a whole interview, which has no memo.")
	}
	if isRich {
		for _, selection := range s.Selections {
			b.skip("coding", cmp.Or(selection.Name, i.title),
				"Its source has only a formatted document, in which positions are not certain.")
		}
		return
	}
	for n, span := range spans {
		b.addQuote(i, s.Selections[n], span, place)
	}
	slices.SortFunc(i.quotes, func(a, c *quote) int {
		return cmp.Or(cmp.Compare(a.span.Start, c.span.Start), cmp.Compare(a.span.End, c.span.End))
	})
}

// spansOf returns where the selections of a source are in its text.
func (b *builder) spansOf(i *interview, s *qdpx.Source) []qdpx.Span {
	text := string(i.data)
	if b.project.Origin == origin {
		return qdpx.Counting{}.Spans(text, s.Selections)
	}
	counting := qdpx.GuessCounting(text, b.project.Origin, s.Selections)
	if counting != (qdpx.Counting{}) && len(s.Selections) > 0 {
		b.warn("Positions in %s are counted %s, not as REFI-QDA says. Check some of its quotes.",
			quoteName(i.title), describe(counting))
	}
	return counting.Spans(text, s.Selections)
}

// describe says how a program counts characters.
func describe(c qdpx.Counting) string {
	var ways []string
	if c.UTF16 {
		ways = append(ways, "with two for an emoji")
	}
	switch c.Break {
	case qdpx.BreaksAsOne:
		ways = append(ways, "with one for the two characters of a line break")
	case qdpx.BreaksAsTwo:
		ways = append(ways, "with two for a line break of one character")
	}
	return strings.Join(ways, " and ")
}

// addQuote plans what becomes of a selection.
func (b *builder) addQuote(i *interview, s qdpx.Selection, span qdpx.Span, place *qdpx.Alignment) {
	name := cmp.Or(s.Name, i.title)
	if span.Start < 0 {
		b.skip("coding", name, "Its positions are not in the text of "+quoteName(i.title)+".")
		return
	}
	words := string(i.data)[span.Start:span.End]
	at := place.Place(span)
	switch {
	case at.End == at.Start:
		b.skip("coding", words, "The transcript of "+quoteName(i.title)+" does not have these words: they are a "+
			"name, a time or a note.")
		return
	case !at.Exact:
		b.skip("coding", words, "The transcript of "+quoteName(i.title)+" has only a part of these words.")
		return
	case at.End-at.Start > maxQuote:
		b.skip("coding", words, "It is longer than a quote can be.")
		return
	}
	q := i.quoteAt(qdpx.Span{Start: at.Start, End: at.End})
	if !q.isKnown {
		if b.isSummary(s.Name, i.body[at.Start:at.End]) {
			q.summary = cut(add(q.summary, s.Name), maxText)
		}
		q.rationale = cut(add(q.rationale, s.Description), maxText)
	}
	notes := s.NoteRefs
	for _, c := range s.Codings {
		notes = append(notes, c.NoteRefs...)
		b.code(q, c, words)
	}
	b.takeNotes(notes, &q.memo, q.isKnown, "the quote "+quoteName(words))
}

// quoteAt returns the quote at a place.
func (i *interview) quoteAt(span qdpx.Span) *quote {
	q := i.bySpan[span]
	if q == nil {
		q = &quote{id: uuid.New(), span: span}
		i.bySpan[span] = q
	}
	if !slices.Contains(i.quotes, q) {
		i.quotes = append(i.quotes, q)
	}
	return q
}

// isSummary reports whether the name of a selection says something else than its first words. In one of our
// own files, the name is the summary unless it is made of the words.
func (b *builder) isSummary(name, words string) bool {
	if b.project.Origin == origin {
		return name != "" && name != firstWords(words)
	}
	name = strings.TrimRight(strings.Join(strings.Fields(name), " "), ".…")
	return name != "" && !strings.HasPrefix(strings.Join(strings.Fields(words), " "), name)
}

// code gives a quote to what a coding refers to.
func (b *builder) code(q *quote, c qdpx.Coding, words string) {
	t, ok := b.targets[c.Code.Target]
	switch {
	case !ok:
		b.skip("coding", words, "The file does not have its code. The quote comes without it.")
	case t.reason != "":
		b.skip("coding", words, t.reason+" The quote comes without it.")
	case t.theme != nil:
		if !slices.Contains(q.themes, t.theme.id) {
			q.themes = append(q.themes, t.theme.id)
		}
	case !slices.ContainsFunc(q.stances, func(s stanceOf) bool { return s.hypothesis == t.hypothesis }):
		q.stances = append(q.stances, stanceOf{t.hypothesis, t.stance})
	case !slices.Contains(q.stances, stanceOf{t.hypothesis, t.stance}):
		b.skip("coding", words, "It has two sides of one hypothesis. The first one comes.")
	}
}
