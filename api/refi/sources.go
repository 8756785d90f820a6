package refi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/google/uuid"

	"research/api/refi/qdpx"
	"research/db"
	"research/transcript"
)

const (
	maxTitle    = 300
	maxFilename = 255
)

// A knownTranscript is that of an interview which the project has, with the places of its quotes.
type knownTranscript struct {
	body  string
	turns []qdpx.Turn
	spans []db.ListRefiSpansRow
}

// readTranscript reads the transcript of an import.
func readTranscript(ctx context.Context, q *db.Queries, importID uuid.UUID) (k knownTranscript, err error) {
	row, err := q.GetRefiTurns(ctx, importID)
	if err != nil {
		return k, err
	}
	k.body = strings.Join(row.Texts, "\n")
	for i, speaker := range row.Speakers {
		k.turns = append(k.turns, qdpx.Turn{Speaker: speaker, Text: row.Texts[i]})
	}
	k.spans, err = q.ListRefiSpans(ctx, importID)
	return k, err
}

// addSources plans what becomes of the sources. read reads a transcript of the project.
func (b *builder) addSources(read func(uuid.UUID) (knownTranscript, error)) error {
	sources := b.texts()
	b.plan.sources = len(sources) + len(b.project.Pictures)
	if b.plan.sources > maxSources {
		return &qdpx.Error{Reason: fmt.Sprintf("It has more than %d sources.", maxSources), TooLarge: true}
	}
	for n, s := range sources {
		if err := b.addSource(s, n+1, read); err != nil {
			return err
		}
	}
	return nil
}

// texts returns the sources that have a text: also those of PDFs and of recordings.
func (b *builder) texts() []*qdpx.Source {
	var all []*qdpx.Source
	for i := range b.project.Texts {
		all = append(all, &b.project.Texts[i])
	}
	for _, media := range b.project.PDFs {
		if media.Representation == nil {
			b.skip("source", media.Name, "It is a PDF without its text. Upload it like a transcript.")
		} else {
			media.Representation.Name = cmp.Or(media.Name, media.Representation.Name)
			all = append(all, media.Representation)
		}
		b.skipAreas(media, media.Areas, "It is an area of a page, not words.")
	}
	for _, media := range append(b.project.Audios, b.project.Videos...) {
		if len(media.Transcripts) == 0 {
			b.skip("source", media.Name, "It is a recording without a transcript.")
		}
		for i := range media.Transcripts {
			t := &media.Transcripts[i]
			t.Name = cmp.Or(t.Name, media.Name)
			b.selectByTime(t)
			all = append(all, t)
		}
		b.skipAreas(media, append(media.AudioParts, media.VideoParts...), "It is a part of a recording, not words.")
	}
	return all
}

// skipAreas lists the codings of parts that have no words.
func (b *builder) skipAreas(media qdpx.Media, areas []qdpx.Area, reason string) {
	for _, area := range areas {
		for range max(1, len(area.Codings)) {
			b.skip("coding", cmp.Or(area.Name, media.Name), reason)
		}
	}
	for range media.Codings {
		b.skip("coding", media.Name, reasonWhole)
	}
}

const reasonWhole = "It is on the whole source, not on words."

// selectByTime turns the selections of a transcript from one moment to another into ones by position.
func (b *builder) selectByTime(t *qdpx.Source) {
	at := map[qdpx.GUID]qdpx.Position{}
	for _, point := range t.SyncPoints {
		at[point.GUID] = point.Position
	}
	for _, s := range t.Transcribed {
		start, isStart := at[s.From]
		end, isEnd := at[s.To]
		if !isStart || !isEnd {
			start, end = -1, -1
		}
		t.Selections = append(t.Selections, qdpx.Selection{
			GUID: s.GUID, Name: s.Name, Start: start, End: end, Description: s.Description, Codings: s.Codings,
			NoteRefs: s.NoteRefs,
		})
	}
}

// addSource plans what becomes of a source, the nth of the file.
func (b *builder) addSource(
	s *qdpx.Source, n int, read func(uuid.UUID) (knownTranscript, error),
) error {
	data, filename, isRich, err := b.file.Text(s, min(b.unread, transcript.MaxBytes))
	title := cmp.Or(strings.Join(strings.Fields(s.Name), " "), strings.TrimSuffix(filename, path.Ext(filename)),
		fmt.Sprintf("Interview %d", n))
	if errors.Is(err, qdpx.ErrTooLarge) && b.unread < transcript.MaxBytes {
		return &qdpx.Error{Reason: fmt.Sprintf("Its texts have more than %d MB.", maxTexts>>20), TooLarge: true}
	}
	if err != nil {
		b.skipSource(s, title, "Its text cannot be read: "+err.Error()+".")
		return nil
	}
	b.unread -= int64(len(data))
	i := &interview{
		title: cut(title, maxTitle), filename: filenameOf(title, filename), data: data, on: b.dateOf(s),
		bySpan: map[qdpx.Span]*quote{},
	}
	var spans []qdpx.Span
	if !isRich {
		spans = b.spansOf(i, s)
	}
	var place *qdpx.Alignment
	if known := b.importOf(s, data); known != uuid.Nil {
		k, err := read(known)
		if err != nil {
			return err
		}
		i.id, i.isKnown, i.body = known, true, k.body
		b.used[known] = true
		for _, row := range k.spans {
			span := qdpx.Span{Start: int(row.ByteStart), End: int(row.ByteEnd)}
			i.bySpan[span] = &quote{id: row.ID, isKnown: true, span: span, memo: row.Memo}
		}
		place = qdpx.Align(string(data), k.turns)
	} else if place = b.readSource(i, s, spans); place == nil {
		return nil
	}
	b.interviews = append(b.interviews, i)
	b.addQuotes(i, s, spans, place, isRich)
	return nil
}

// skipSource lists a source that does not come, with its codings.
func (b *builder) skipSource(s *qdpx.Source, title, reason string) {
	b.skip("source", title, reason)
	for _, selection := range s.Selections {
		b.skip("coding", cmp.Or(selection.Name, title), "Its source does not come.")
	}
}

// filenameOf returns the name under which the file of an interview is stored.
func filenameOf(title, filename string) string {
	name := strings.ReplaceAll(strings.ReplaceAll(title, "/", "-"), `\`, "-")
	extension := cmp.Or(path.Ext(filename), ".txt")
	if strings.EqualFold(path.Ext(name), extension) {
		return cut(name, maxFilename)
	}
	return cut(name, maxFilename-len(extension)) + extension
}

// dateOf returns the day of an interview that one of our own files has.
func (b *builder) dateOf(s *qdpx.Source) time.Time {
	for _, v := range s.Values {
		if v.Variable.Target == dateVariable {
			if day, err := time.Parse(time.DateOnly, strings.TrimSpace(v.Date)); err == nil && day.Year() > 0 {
				return day
			}
		}
	}
	return time.Time{}
}

// importOf returns the import of the project, or the interview of this file, that a source is: one that was
// exported, or one of the same text.
func (b *builder) importOf(s *qdpx.Source, data []byte) uuid.UUID {
	if place, ok := b.importGUIDs[s.GUID]; ok && !b.used[b.importsOf[place].ID] {
		return b.importsOf[place].ID
	}
	hash := hashOf(data)
	for _, row := range b.importsOf {
		if row.Sha256 == hash && !b.used[row.ID] {
			return row.ID
		}
	}
	return uuid.Nil
}

// hashOf identifies a file, as imports have it.
func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// A reading is a way in which a source can be read.
type reading struct {
	layout  transcript.Layout
	decided transcript.Reading
	read    *transcript.Transcript
	place   *qdpx.Alignment
	exact   int // selections whose words are all in the transcript
}

// readSource reads the text of a source as an upload would be read. If that leaves out words that are coded,
// it is read with the cases as its speakers, or without speakers. It returns nil if the source is skipped.
func (b *builder) readSource(i *interview, s *qdpx.Source, spans []qdpx.Span) *qdpx.Alignment {
	lost := max(1, len(spans)/10) // who speaks is worth a few codings of names or headings
	var best *reading
	var first error
	for n, way := range b.waysOf(s, i.data) {
		read, err := way.apply(i.data)
		if err != nil {
			if n == 0 {
				first = err
			}
			continue
		}
		r := &reading{layout: way.layout, decided: way.decided, read: read}
		r.place = qdpx.Align(string(i.data), turnsOf(read))
		for _, span := range spans {
			if p := r.place.Place(span); span.Start >= 0 && p.Exact && p.End > p.Start {
				r.exact++
			}
		}
		if best == nil || r.exact > best.exact+lost {
			best = r
		}
		if r.exact+lost >= len(spans) {
			break
		}
	}
	if best == nil {
		b.skipSource(s, i.title, reasonOf(first))
		return nil
	}
	i.layout, i.reading, i.read, i.body = best.layout, best.decided, best.read, best.read.Text
	return best.place
}

func turnsOf(t *transcript.Transcript) []qdpx.Turn {
	turns := make([]qdpx.Turn, len(t.Utterances))
	for i, u := range t.Utterances {
		turns[i] = qdpx.Turn{Speaker: u.Speaker, Text: u.Text}
	}
	return turns
}

// A way is how a source may be read.
type way struct {
	layout  transcript.Layout
	decided transcript.Reading
}

func (w way) apply(data []byte) (*transcript.Transcript, error) {
	if w.layout != "" {
		return transcript.ParseLayout(data, w.layout)
	}
	return transcript.Read(data, w.decided)
}

// waysOf returns the ways in which a source may be read, the best first. In one of our own files, the cases
// of a source are its speakers for certain.
func (b *builder) waysOf(s *qdpx.Source, data []byte) []way {
	ways := []way{{}}
	var labels []string
	for _, name := range b.people[s.GUID] {
		if name != "" && len(labels) < 20 && (strings.HasPrefix(string(data), name+":") ||
			strings.Contains(string(data), "\n"+name+":")) {
			labels = append(labels, name)
		}
	}
	if len(labels) > 0 {
		with := way{decided: transcript.Reading{People: labels}}
		ways = append(ways, with)
		if b.project.Origin == origin {
			ways = []way{with, {}}
		}
	}
	return append(ways, way{layout: transcript.LayoutParagraphs})
}

// reasonOf returns why a text cannot be read, as a sentence.
func reasonOf(err error) string {
	if known, ok := errors.AsType[*transcript.FormatError](err); ok {
		return known.Reason
	}
	return "Its text cannot be read as a transcript."
}
