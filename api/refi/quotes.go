package refi

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"research/api/refi/qdpx"
	"research/db"
	"research/outcome"
)

// Limits of quotes in the database.
const (
	maxQuote = 100_000 // bytes
	maxText  = 20_000  // characters of a summary or rationale
)

// addQuotes plans what becomes of the selections of a source.
func (b *builder) addQuotes(
	ctx context.Context, i *interview, s *qdpx.Source, spans []qdpx.Span, place *qdpx.Alignment, isRich bool,
) error {
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
		return nil
	}
	for n, span := range spans {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := b.addQuote(i, s.Selections[n], span, place); err != nil {
			return err
		}
	}
	slices.SortFunc(i.quotes, func(a, c *quote) int {
		return cmp.Or(cmp.Compare(a.span.Start, c.span.Start), cmp.Compare(a.span.End, c.span.End))
	})
	if i.kept > 0 {
		b.warn("In %s, %s here already, and what is said of them stays as it is here.", quoteName(i.title),
			counted(i.kept, "quote is", "quotes are"))
	}
	return nil
}

// spansOf returns where the selections of a source are in its text.
func (b *builder) spansOf(i *interview, s *qdpx.Source) ([]qdpx.Span, error) {
	if b.selections += len(s.Selections); b.selections > maxSelections {
		return nil, errWork
	}
	counting := qdpx.Counting{}
	if b.project.Origin != origin {
		counting = qdpx.GuessCounting(i.text, b.project.Origin, s.Selections)
		if counting != (qdpx.Counting{}) && len(s.Selections) > 0 {
			b.warn("Positions in %s are counted %s, not as REFI-QDA says. Check some of its quotes.",
				quoteName(i.title), describe(counting))
		}
	}
	spans := counting.Spans(i.text, s.Selections)
	for _, span := range spans {
		if span.Start >= 0 && !isTooLong(span) {
			b.unselected -= span.End - span.Start
		}
	}
	if b.unselected < 0 {
		return nil, errWork
	}
	return spans, nil
}

// isTooLong reports whether a part of a source is too long for a quote, also without its labels and times.
func isTooLong(s qdpx.Span) bool { return s.End-s.Start > 4*maxQuote }

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
func (b *builder) addQuote(i *interview, s qdpx.Selection, span qdpx.Span, place *qdpx.Alignment) error {
	if span.Start < 0 {
		b.skip("coding", cmp.Or(s.Name, i.title), "Its positions are not in the text of "+quoteName(i.title)+".")
		return nil
	}
	words := i.text[span.Start:span.End]
	if isTooLong(span) {
		b.skip("coding", words, reasonLong)
		return nil
	}
	at := place.Place(span)
	switch {
	case at.End == at.Start:
		b.skip("coding", words, "The transcript of "+quoteName(i.title)+" does not have these words: they are a "+
			"name, a time or a note.")
		return nil
	case !at.Exact:
		b.skip("coding", words, "The transcript of "+quoteName(i.title)+" has only a part of these words.")
		return nil
	case at.End-at.Start > maxQuote:
		b.skip("coding", words, reasonLong)
		return nil
	}
	q := b.quoteAt(i, qdpx.Span{Start: at.Start, End: at.End})
	if q.isRejected {
		for range max(1, len(s.Codings)) {
			b.skip("coding", words, "The quote was rejected here.")
		}
		return nil
	}
	b.describeQuote(i, q, s)
	notes := slices.Clone(s.NoteRefs)
	for _, c := range s.Codings {
		notes = append(notes, c.NoteRefs...)
		b.code(q, c, words)
	}
	if b.newQuotes > maxNewQuotes || b.links > maxLinks {
		return errQuotes
	}
	return b.takeNotes(notes, &q.memo, q.isKnown, "the quote "+quoteName(words))
}

const reasonLong = "It is longer than a quote can be."

// describeQuote takes the point of a quote and its reasons from a selection. A quote that the project has
// keeps its own.
func (b *builder) describeQuote(i *interview, q *quote, s qdpx.Selection) {
	summary, rationale := q.summary, q.rationale
	if b.isSummary(s.Name, i.body[q.span.Start:q.span.End]) {
		summary = cut(add(summary, s.Name), maxText)
	}
	rationale = cut(add(rationale, s.Description), maxText)
	if !q.isKnown {
		q.summary, q.rationale = summary, rationale
	} else if (summary != q.summary || rationale != q.rationale) && !q.isKept {
		q.isKept = true
		i.kept++
	}
}

// quoteAt returns the quote at a place.
func (b *builder) quoteAt(i *interview, span qdpx.Span) *quote {
	q := i.bySpan[span]
	if q == nil {
		q = &quote{id: uuid.New(), span: span, coded: map[uuid.UUID]outcome.Stance{}}
		i.bySpan[span] = q
		b.newQuotes++
	}
	if !q.isUsed {
		q.isUsed = true
		i.quotes = append(i.quotes, q)
	}
	return q
}

// knownQuote returns a quote that the project has.
func knownQuote(row db.ListRefiSpansRow, span qdpx.Span) *quote {
	q := &quote{
		id: row.ID, isKnown: true, span: span, summary: row.Summary, rationale: row.Rationale, memo: row.Memo,
		isRejected: row.Review == db.EvidenceReviewRejected, coded: map[uuid.UUID]outcome.Stance{},
		rejected: map[uuid.UUID]bool{},
	}
	for _, id := range row.Themes {
		q.coded[id] = ""
	}
	for _, id := range row.RejectedThemes {
		q.rejected[id] = true
	}
	for n, id := range row.Hypotheses {
		q.coded[id] = outcome.Stance(row.Stances[n])
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
	return name != "" && !qdpx.BeginsWith(words, name)
}

// code gives a quote to what a coding refers to.
func (b *builder) code(q *quote, c qdpx.Coding, words string) {
	t, ok := b.targets[c.Code.Target]
	switch {
	case !ok:
		b.skip("coding", words, "The file does not have its code. The quote comes without it.")
		return
	case t.reason != "":
		b.skip("coding", words, t.reason+" The quote comes without it.")
		return
	}
	id := t.hypothesis
	if t.theme != nil {
		id = t.theme.id
	}
	stance, isCoded := q.coded[id]
	switch {
	case q.rejected[id]:
		b.skip("coding", words, "The quote was taken from the theme "+quoteName(t.theme.name)+" here.")
	case isCoded && stance != t.stance && q.isKnown:
		b.skip("coding", words, "The quote has another side of the hypothesis here already, and keeps it.")
	case isCoded && stance != t.stance:
		b.skip("coding", words, "It has two sides of one hypothesis. The first one comes.")
	case isCoded:
	case t.theme != nil:
		q.themes = append(q.themes, id)
	default:
		q.stances = append(q.stances, stanceOf{id, t.stance})
	}
	if !isCoded && !q.rejected[id] {
		q.coded[id] = t.stance
		b.links++
	}
}
