package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"research/db"
)

// moreTurns is how many turns before and after those that an id names are read with them.
const moreTurns = 3

// fetchTurns reads an interview from its beginning, or some turns of it with those around them.
func (s *server) fetchTurns(
	ctx context.Context, q *db.Queries, wanted id, at place,
) (found fetched, err error) {
	i, err := q.GetInterview(ctx, wanted.of)
	if err != nil {
		return found, err
	}
	first, last := 0, int(i.Turns)-1
	found.URL = s.importURL(i.ID)
	if wanted.kind == kindUtterance {
		if wanted.from > last {
			return found, db.ErrNotFound
		}
		first = max(0, wanted.from-moreTurns)
		last = min(last, wanted.to+moreTurns)
		found.URL = s.turnURL(i.ID, wanted.from)
	}
	if at == (place{}) {
		at.part = first
	}
	rows, err := q.ListTurnsOfInterview(ctx, db.ListTurnsOfInterviewParams{
		ImportID: i.ID, First: int32(max(at.part, first)), Last: int32(last), Characters: maxLength, //nolint:gosec
	})
	if err != nil {
		return found, err
	}
	title := oneLine(i.Title, titleLength)
	found.workspace, found.project, found.Title = i.WorkspaceID, i.ProjectID, title
	found.Metadata = fetchMetadata{Interview: title, InterviewID: id{kind: kindImport, of: i.ID}.String()}
	if i.InterviewedOn.Valid {
		found.Metadata.InterviewedOn = i.InterviewedOn.Time.Format("2006-01-02")
	}
	found.fill(rows, at, last)
	if wanted.kind == kindUtterance {
		found.describe(rows, wanted)
	}
	return found, nil
}

// fill makes the page from the turns that were read, which begins at a line of the first one.
func (f *fetched) fill(rows []db.ListTurnsOfInterviewRow, at place, last int) {
	var b strings.Builder
	b.WriteString(notice)
	room := maxLength - envelope - lengthOf(notice)
	begun, ended := -1, -1
	f.next = at
	for _, row := range rows {
		turn := int(row.Ordinal)
		said := &document{}
		said.quote(turnText(row))
		skipped := 0
		if turn == at.part {
			skipped = min(at.offset, len(said.lines))
		}
		for n, line := range said.lines[skipped:] {
			if room -= lengthOf(line); room < 0 && begun >= 0 {
				f.next, f.More = place{turn, skipped + n}, true
				f.Text, f.Metadata.Turns = b.String(), fmt.Sprintf("%d-%d", begun, max(begun, ended))
				return
			}
			if begun < 0 {
				begun = turn
			}
			b.WriteString("\n" + line)
		}
		ended = turn
	}
	f.Text = b.String()
	if begun >= 0 {
		f.Metadata.Turns = fmt.Sprintf("%d-%d", begun, ended)
	}
	if ended >= 0 && ended < last {
		f.next, f.More = place{part: ended + 1}, true
	}
}

// turnText is a turn with its number, and who speaks.
func turnText(row db.ListTurnsOfInterviewRow) string {
	who := oneLine(row.Speaker, nameLength)
	if row.Role == "interviewer" {
		who = strings.TrimSpace(who + " (interviewer)")
	}
	if at := clock(row.StartMs); at != "" {
		who = strings.TrimSpace(who + " at " + at)
	}
	return fmt.Sprintf("[%d] %s: %s", row.Ordinal, who, row.Text)
}

// describe adds who speaks in the turns that an id names, and when the first of them begins.
func (f *fetched) describe(rows []db.ListTurnsOfInterviewRow, wanted id) {
	var speakers []string
	for _, row := range rows {
		turn := int(row.Ordinal)
		if turn < wanted.from || turn > wanted.to {
			continue
		}
		if turn == wanted.from {
			f.Metadata.Start = clock(row.StartMs)
		}
		if name := oneLine(row.Speaker, nameLength); name != "" && !slices.Contains(speakers, name) {
			speakers = append(speakers, name)
		}
	}
	f.Metadata.Speaker = cut(strings.Join(speakers, ", "), titleLength)
	if f.Metadata.Speaker != "" {
		f.Title = cut(f.Metadata.Speaker+", in "+f.Title, 2*titleLength)
	}
}
