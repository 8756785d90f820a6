package transcript

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The formats that Detect tells apart.
const (
	WebVTT   Format = "vtt"
	SubRip   Format = "srt"
	Text     Format = "text"     // paragraphs, with or without `Name:` before them
	Markdown Format = "markdown" // the same with `**Name:**`
)

// maxUtterances bounds what a hostile file makes us store: an hour of speech has about a thousand turns.
const maxUtterances = 200_000

// maxSpeakerRunes is longer than any name that people give themselves in a meeting.
const maxSpeakerRunes = 100

// Parse reads a file. Its error is a *FormatError.
func Parse(data []byte) (*Transcript, error) {
	text, err := decode(data)
	if err != nil {
		return nil, err
	}
	format, err := detect(text)
	if err != nil {
		return nil, err
	}
	var turns []turn
	switch format {
	case WebVTT:
		turns, err = parseVTT(text)
	case SubRip:
		turns, err = parseSRT(text)
	default:
		turns = parseText(text)
	}
	if err != nil {
		return nil, err
	}
	t, err := assemble(format, turns)
	if err != nil {
		return nil, err
	}
	t.Language = guessLanguage(t.Text)
	return t, nil
}

// Detect tells the format of a file by its content. Its error is a *FormatError.
func Detect(data []byte) (Format, error) {
	text, err := decode(data)
	if err != nil {
		return "", err
	}
	return detect(text)
}

func refuse(format string, args ...any) error {
	return &FormatError{Reason: fmt.Sprintf(format, args...)}
}

// A turn is what a format's parser finds, before white space is put in order and offsets are counted.
type turn struct {
	speaker    string
	start, end time.Duration
	timed      bool // start is known
	ended      bool // end is known
	text       string
}

// assemble puts the turns into the normal form that Transcript promises.
func assemble(format Format, turns []turn) (*Transcript, error) {
	t := &Transcript{Format: format}
	var body strings.Builder
	for _, one := range turns {
		text := foldSpace(one.text)
		if text == "" {
			continue
		}
		if len(t.Utterances) == maxUtterances {
			return nil, refuse("it has more than %d utterances; split it into several files", maxUtterances)
		}
		if body.Len() > 0 {
			body.WriteByte('\n')
		}
		u := Utterance{Speaker: cleanSpeaker(one.speaker), Text: text, ByteStart: body.Len()}
		if one.timed {
			u.Timed, u.Start, u.End = true, max(one.start, 0), max(one.start, 0)
			if one.ended && one.end > one.start {
				u.End = one.end
			}
		}
		body.WriteString(text)
		u.ByteEnd = body.Len()
		t.Utterances = append(t.Utterances, u)
		if !one.ended && one.timed {
			t.Utterances[len(t.Utterances)-1].End = -1 // filled from the next start below
		}
	}
	if len(t.Utterances) == 0 {
		return nil, refuse("there is no speech in it; upload a transcript, as WebVTT, SRT or text with a speaker before each turn")
	}
	for i := len(t.Utterances) - 1; i >= 0; i-- {
		u := &t.Utterances[i]
		if u.End >= 0 {
			continue
		}
		u.End = u.Start
		if i+1 < len(t.Utterances) && t.Utterances[i+1].Timed && t.Utterances[i+1].Start > u.Start {
			u.End = t.Utterances[i+1].Start
		}
	}
	t.Text = body.String()
	for i := range t.Utterances { // one string holds all text
		u := &t.Utterances[i]
		u.Text = t.Text[u.ByteStart:u.ByteEnd]
	}
	return t, nil
}

// foldSpace turns each run of white space that holds a line break, or a control character, into one space and trims the ends.
func foldSpace(s string) string {
	s = strings.TrimFunc(s, blank)
	if strings.IndexFunc(s, lineBreak) < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if !blank(r) {
			b.WriteString(s[:size])
			s = s[size:]
			continue
		}
		run := s
		if end := strings.IndexFunc(s, func(r rune) bool { return !blank(r) }); end >= 0 {
			run = s[:end]
		}
		if strings.IndexFunc(run, lineBreak) >= 0 {
			b.WriteByte(' ')
		} else {
			b.WriteString(run)
		}
		s = s[len(run):]
	}
	return b.String()
}

func blank(r rune) bool { return unicode.IsSpace(r) || lineBreak(r) }
func lineBreak(r rune) bool {
	return r != '\t' && unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
}

// cleanSpeaker trims a name and bounds its length.
func cleanSpeaker(name string) string {
	name = strings.Join(strings.Fields(foldSpace(name)), " ")
	if utf8.RuneCountInString(name) > maxSpeakerRunes {
		name = string([]rune(name)[:maxSpeakerRunes])
	}
	return name
}

// lines splits at LF, CR and CRLF without copying.
func lines(s string) []string {
	out := make([]string, 0, strings.Count(s, "\n")+1)
	for {
		i := strings.IndexAny(s, "\r\n")
		if i < 0 {
			return append(out, s)
		}
		out = append(out, s[:i])
		if s[i] == '\r' && i+1 < len(s) && s[i+1] == '\n' {
			i++
		}
		s = s[i+1:]
	}
}
