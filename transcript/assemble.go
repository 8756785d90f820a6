package transcript

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxUtterances bounds what a hostile file can make of ten megabytes. A day of speech in cues of two seconds stays below it.
const maxUtterances = 200_000

// A turn is an utterance as a format's parser sees it: its text may still hold line breaks.
type turn struct {
	speaker    string
	start, end time.Duration
	timed      bool // start is known
	ended      bool // end is known
	text       string
}

// turns collects what a parser finds, up to the bound; assemble refuses what went over it.
type turns struct {
	list []turn
	full bool
}

func (ts *turns) add(t turn) {
	if len(ts.list) > maxUtterances {
		ts.full = true
		return
	}
	ts.list = append(ts.list, t)
}

// assemble makes the transcript of the turns: cleans texts and names, drops what is empty, lays out Text and fills in ends.
func assemble(format Format, ts turns) (*Transcript, error) {
	if ts.full {
		return nil, refuse("It has more than 200,000 cues or lines, which is more than any interview. Please upload one conversation at a time.")
	}
	size := 0
	for i := range ts.list {
		size += len(ts.list[i].text) + 1
	}
	var text strings.Builder
	text.Grow(size)
	t := &Transcript{Format: format, Utterances: make([]Utterance, 0, len(ts.list))}
	ended := make([]bool, 0, len(ts.list))
	names := map[string]string{}
	for _, in := range ts.list {
		said := clean(in.text)
		if said == "" {
			continue
		}
		speaker, ok := names[in.speaker]
		if !ok {
			speaker = cleanName(in.speaker)
			names[in.speaker] = speaker
		}
		if text.Len() > 0 {
			text.WriteByte('\n')
		}
		u := Utterance{Speaker: speaker, ByteStart: text.Len(), ByteEnd: text.Len() + len(said)}
		text.WriteString(said)
		if in.timed {
			u.Timed, u.Start, u.End = true, in.start, in.start
			if in.ended && in.end > in.start {
				u.End = in.end
			}
		}
		t.Utterances = append(t.Utterances, u)
		ended = append(ended, in.ended && in.end >= in.start)
	}
	if len(t.Utterances) == 0 {
		return nil, refuse("It has no words in it. Please upload the transcript of a conversation.")
	}
	t.Text = text.String()
	next, known := time.Duration(0), false
	for i := len(t.Utterances) - 1; i >= 0; i-- {
		u := &t.Utterances[i]
		u.Text = t.Text[u.ByteStart:u.ByteEnd]
		if !u.Timed {
			continue
		}
		if !ended[i] && known && next > u.Start {
			u.End = next
		}
		next, known = u.Start, true
	}
	return t, nil
}

// clean trims s, turns each run of white space that holds a line break into one space, and drops NUL, which PostgreSQL's
// text cannot hold. All else stays as it is.
func clean(s string) string {
	s = strings.TrimSpace(s)
	if !strings.ContainsFunc(s, func(r rune) bool { return r == 0 || isBreak(r) }) {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == 0 {
			i += size
			continue
		}
		if !unicode.IsSpace(r) {
			out.WriteString(s[i : i+size])
			i += size
			continue
		}
		end, broken := i, false
		for end < len(s) {
			r, size := utf8.DecodeRuneInString(s[end:])
			if r != 0 && !unicode.IsSpace(r) {
				break
			}
			broken = broken || isBreak(r)
			end += size
		}
		if broken {
			out.WriteByte(' ')
		} else {
			out.WriteString(strings.ReplaceAll(s[i:end], "\x00", ""))
		}
		i = end
	}
	return strings.TrimSpace(out.String())
}

// isBreak holds for the characters that Unicode calls mandatory line breaks.
func isBreak(r rune) bool {
	switch r {
	case '\n', '\v', '\f', '\r', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// maxName bounds a speaker's name, in bytes.
const maxName = 200

// cleanName makes one line with single spaces of a name.
func cleanName(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if len(s) > maxName {
		cut := maxName
		for !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = strings.TrimSpace(s[:cut])
	}
	return s
}

// A reader walks over the lines of a text whose line breaks are all "\n".
type reader struct {
	text string
	pos  int // where the next line starts
}

// next gives a line without its break, and where it starts.
func (r *reader) next() (line string, start int, ok bool) {
	if r.pos >= len(r.text) {
		return "", r.pos, false
	}
	start = r.pos
	if i := strings.IndexByte(r.text[start:], '\n'); i >= 0 {
		r.pos = start + i + 1
		return r.text[start : start+i], start, true
	}
	r.pos = len(r.text)
	return r.text[start:], start, true
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
