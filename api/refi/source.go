package refi

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"research/api/refi/qdpx"
	"research/db"
)

// source returns an interview with its quotes as selections, and its text: a turn a line, each with the name
// of who speaks. It adds the notes about quotes to the description.
func (p *project) source(
	i db.ListRefiImportsRow, row db.GetRefiTurnsRow, read quoted, d *qdpx.Project,
) (qdpx.Source, string) {
	s := qdpx.Source{
		GUID: guidOf("import", i.ID), Name: i.Title, CreatingUser: p.knownUser(i.CreatedBy),
		Created: qdpx.TimeOf(i.CreatedAt),
	}
	if i.InterviewedOn != "" {
		s.Values = []qdpx.Value{{Variable: qdpx.Ref{Target: dateVariable}, Date: i.InterviewedOn}}
	}
	labelled := newLabelled(row, p.labels(i.ID))
	positions := labelled.positions(read.quotes)
	for _, q := range read.quotes {
		if !labelled.has(q) {
			s.NoteRefs = append(s.NoteRefs, p.noteUnplaced(d, q)...)
			continue
		}
		selection := qdpx.Selection{
			GUID: guidOf("evidence", q.ID), Name: nameOf(q), Description: q.Rationale,
			Start: qdpx.Position(positions[labelled.place(int(*q.ByteStart))]),
			End:   qdpx.Position(positions[labelled.placeOfEnd(int(*q.ByteEnd))]),

			CreatingUser: p.knownUser(q.CreatedBy), Created: qdpx.TimeOf(q.CreatedAt),
			Codings: p.codings(q, read), NoteRefs: p.noteRefsAbout(q.ID, q.Memo),
		}
		p.noteAbout(d, q.ID, q.Memo)
		s.Selections = append(s.Selections, selection)
		for _, one := range p.speakers[i.ID] {
			if one.ParticipantID != nil && one.Speaker == q.Speaker {
				p.selections[*one.ParticipantID] = append(p.selections[*one.ParticipantID], selection.GUID)
			}
		}
	}
	return s, labelled.text
}

// labels returns the labels of the speakers of an import, by their names in the transcript.
func (p *project) labels(importID uuid.UUID) map[string]string {
	labels := map[string]string{}
	for _, s := range p.speakers[importID] {
		// A colon would end the label where it is read again.
		name := strings.ReplaceAll(strings.ReplaceAll(s.DisplayName, ":", " "), "：", " ")
		labels[s.Speaker] = strings.Join(strings.Fields(name), " ")
	}
	return labels
}

// codings returns what a quote is coded as.
func (p *project) codings(q db.ListRefiQuotesRow, read quoted) []qdpx.Coding {
	var all []qdpx.Coding
	for _, l := range read.themes[q.ID] {
		if !p.known[l.ThemeID] {
			continue // it was added meanwhile
		}
		all = append(all, qdpx.Coding{
			GUID: qdpx.NewGUID("coding", q.ID.String(), l.ThemeID.String()), CreatingUser: p.knownUser(l.CreatedBy),
			Created: qdpx.TimeOf(l.CreatedAt), Code: qdpx.Ref{Target: guidOf("theme", l.ThemeID)},
		})
	}
	for _, l := range read.stances[q.ID] {
		if !p.known[l.HypothesisID] {
			continue // it was added meanwhile
		}
		all = append(all, qdpx.Coding{
			GUID:         qdpx.NewGUID("coding", q.ID.String(), l.HypothesisID.String()),
			CreatingUser: p.knownUser(q.CreatedBy), Created: qdpx.TimeOf(l.CreatedAt),
			Code: qdpx.Ref{Target: guidOfStance(l.HypothesisID, l.Stance)},
		})
	}
	return all
}

// nameOf returns the name of the selection of a quote: its point, or else its first words.
func nameOf(q db.ListRefiQuotesRow) string {
	if q.Summary != "" {
		return q.Summary
	}
	return firstWords(q.Quote)
}

// noteUnplaced adds a note for a quote that is at no place of a transcript, and so can be no selection.
func (p *project) noteUnplaced(d *qdpx.Project, q db.ListRefiQuotesRow) []qdpx.Ref {
	text := q.Quote
	if q.Rationale != "" {
		text += "\n\n" + q.Rationale
	}
	note := addNote(d, qdpx.Source{
		GUID: guidOf("evidence", q.ID), Name: "Quote without a place in a transcript", Content: &text,
		CreatingUser: p.knownUser(q.CreatedBy), Created: qdpx.TimeOf(q.CreatedAt),
	})
	p.noteAbout(d, q.ID, q.Memo)
	return append([]qdpx.Ref{note}, p.noteRefsAbout(q.ID, q.Memo)...)
}

// A labelled text is a transcript with the names of those who speak, and where its turns are in both.
type labelled struct {
	text string
	body string
	from []int // of each turn, in the transcript
	to   []int // of each turn, in the text, behind its label
}

func newLabelled(row db.GetRefiTurnsRow, labels map[string]string) labelled {
	l := labelled{body: strings.Join(row.Texts, "\n")}
	var text strings.Builder
	from := 0
	for i, speaker := range row.Speakers {
		if i > 0 {
			text.WriteByte('\n')
		}
		if label := labels[speaker]; label != "" {
			text.WriteString(label + ": ")
		}
		l.from, l.to = append(l.from, from), append(l.to, text.Len())
		text.WriteString(row.Texts[i])
		from += len(row.Texts[i]) + 1
	}
	l.text = text.String()
	return l
}

// has reports whether a quote is in the transcript, as it is now.
func (l labelled) has(q db.ListRefiQuotesRow) bool {
	return q.ByteStart != nil && q.ByteEnd != nil && int(*q.ByteEnd) <= len(l.body) && len(l.from) > 0 &&
		l.body[*q.ByteStart:*q.ByteEnd] == q.Quote
}

// place returns where a byte of the transcript is in the text.
func (l labelled) place(at int) int {
	turn, found := slices.BinarySearch(l.from, at)
	if !found {
		turn--
	}
	return l.to[turn] + at - l.from[turn]
}

// placeOfEnd returns the place behind the last byte before at.
func (l labelled) placeOfEnd(at int) int { return l.place(at-1) + 1 }

// positions returns the code points before the places of quotes.
func (l labelled) positions(quotes []db.ListRefiQuotesRow) map[int]int {
	var places []int
	for _, q := range quotes {
		if l.has(q) {
			places = append(places, l.place(int(*q.ByteStart)), l.placeOfEnd(int(*q.ByteEnd)))
		}
	}
	slices.Sort(places)
	positions := map[int]int{}
	at, points := 0, 0
	for _, place := range places {
		points += utf8.RuneCountInString(l.text[at:place])
		positions[place], at = points, place
	}
	return positions
}
