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
func (b *builder) addSources(
	ctx context.Context, read func(uuid.UUID) (knownTranscript, error),
) error {
	sources := b.texts()
	b.plan.sources = len(sources) + len(b.project.Pictures)
	if b.plan.sources > maxSources {
		return tooLarge("It has more than %d sources.", maxSources)
	}
	for n, s := range sources {
		if err := b.addSource(ctx, s, n+1, read); err != nil {
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
	ctx context.Context, s *qdpx.Source, n int, read func(uuid.UUID) (knownTranscript, error),
) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	text, err := b.file.Text(s, min(b.unread, transcript.MaxBytes))
	data, filename := text.Data, text.Name
	title := cmp.Or(strings.Join(strings.Fields(s.Name), " "), strings.TrimSuffix(filename, path.Ext(filename)),
		fmt.Sprintf("Interview %d", n))
	if errors.Is(err, qdpx.ErrTooLarge) && b.unread < transcript.MaxBytes {
		return tooLarge("Its texts have more than %d MB.", maxTexts>>20)
	}
	if err != nil {
		b.skipSource(s, title, "Its text cannot be read: "+err.Error()+".")
		return nil
	}
	b.unread -= int64(len(data))
	if text.IsGuessed {
		b.warn("The text of %s is not Unicode and was read as Windows-1252. Check its letters.", quoteName(title))
	}
	if strings.TrimSpace(s.Description) != "" {
		b.skip("note", title, "It is the description of an interview, which has none here.")
	}
	i := &interview{
		title: cut(title, maxTitle), filename: filenameOf(title, filename), data: data, on: b.dateOf(s),
		text:   string(data),
		bySpan: map[qdpx.Span]*quote{},
	}
	var spans []qdpx.Span
	if !text.IsRich {
		if spans, err = b.spansOf(i, s); err != nil {
			return err
		}
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
			i.bySpan[span] = knownQuote(row, span)
		}
		if !text.IsRich {
			place = qdpx.Align(i.text, k.turns)
		}
	} else if place, err = b.readSource(ctx, i, s, spans); err != nil || place == nil {
		return err
	}
	b.interviews = append(b.interviews, i)
	return b.addQuotes(ctx, i, s, spans, place, text.IsRich)
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
	if row, ok := b.has.imports.byGUID[s.GUID]; ok && !b.used[row.ID] {
		return row.ID
	}
	for _, id := range b.has.importsOfContent[hashOf(data)] {
		if !b.used[id] {
			return id
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
func (b *builder) readSource(
	ctx context.Context, i *interview, s *qdpx.Source, spans []qdpx.Span,
) (*qdpx.Alignment, error) {
	lost := max(1, len(spans)/10) // who speaks is worth a few codings of names or headings
	var best *reading
	var first error
	for n, way := range b.waysOf(s, i.text) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		read, err := way.apply(i.data)
		if err != nil {
			if n == 0 {
				first = err
			}
			continue
		}
		r := &reading{layout: way.layout, decided: way.decided, read: read}
		// In a formatted document, there are no spans.
		r.place = &qdpx.Alignment{}
		if len(spans) > 0 {
			r.place = qdpx.Align(i.text, turnsOf(read))
		}
		for _, span := range spans {
			if span.Start < 0 || isTooLong(span) {
				continue
			}
			if p := r.place.Place(span); p.Exact && p.End > p.Start {
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
		return nil, nil
	}
	i.layout, i.reading, i.read, i.body = best.layout, best.decided, best.read, best.read.Text
	return best.place, nil
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
func (b *builder) waysOf(s *qdpx.Source, text string) []way {
	ways := []way{{}}
	var labels []string
	if people := b.people[s.GUID]; len(people) > 0 {
		lines := labelsOf(text)
		for _, name := range people {
			if lines[name] && len(labels) < 20 {
				lines[name] = false
				labels = append(labels, name)
			}
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

// labelsOf returns what stands before the first colon of the lines of a text.
func labelsOf(text string) map[string]bool {
	const longest = 400 // bytes
	labels := map[string]bool{}
	for line := range strings.Lines(text) {
		if label, _, ok := strings.Cut(line[:min(len(line), longest)], ":"); ok && label != "" {
			labels[label] = true
		}
	}
	return labels
}

// reasonOf returns why a text cannot be read, as a sentence.
func reasonOf(err error) string {
	if known, ok := errors.AsType[*transcript.FormatError](err); ok {
		return known.Reason
	}
	return "Its text cannot be read as a transcript."
}
