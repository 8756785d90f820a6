package clock

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"research/transcript/internal/plain"
)

// A Stamp is a time, or a range of two, that stands on a line.
type Stamp struct {
	Start, End time.Duration
	Ended      bool   // end is known
	Rest       string // what follows on the line
}

// HasTrailing reports whether a line ends with a time.
func HasTrailing(line string) bool {
	_, _, _, ok := CutTrailing(line)
	return ok
}

// CutTrailing divides "Dana Weber  0:03" before its timestamp. The gap is the white space between.
func CutTrailing(line string) (before, gap string, at time.Duration, ok bool) {
	i := strings.LastIndexFunc(line, unicode.IsSpace)
	if i < 0 || len(line)-i > 16 {
		return "", "", 0, false
	}
	_, size := utf8.DecodeRuneInString(line[i:])
	at, rest, ok := ParseTimestamp(line[i+size:])
	if !ok || rest != "" {
		return "", "", 0, false
	}
	before = strings.TrimRightFunc(line[:i], unicode.IsSpace)
	return before, line[len(before) : i+size], at, before != ""
}

// ReadBracketed reads "[0:03]" or "(0:03)", or a range of two times in brackets, at the start of s.
func ReadBracketed(s string) (h Stamp, ok bool) {
	if len(s) < 5 {
		return Stamp{}, false
	}
	var closing string
	switch s[0] {
	case '[':
		closing = "]"
	case '(':
		closing = ")"
	default:
		return Stamp{}, false
	}
	start, rest, ok := ParseTimestamp(strings.TrimLeft(s[1:], " "))
	if !ok {
		return Stamp{}, false
	}
	h.Start = start
	if end, after, ok := rangeEnd(rest); ok {
		h.End, h.Ended, rest = end, true, after
	}
	h.Rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " "), closing)
	return h, ok
}

// rangeEnd reads "- 0:07" or "--> 0:07".
func rangeEnd(s string) (end time.Duration, rest string, ok bool) {
	s = strings.TrimLeft(s, " ")
	for _, dash := range []string{"-->", "->", "-", "–", "—", "to "} {
		if after, found := strings.CutPrefix(s, dash); found {
			return ParseTimestamp(strings.TrimLeft(after, " "))
		}
	}
	return 0, s, false
}

// A Style is a way to write a time before what was said.
type Style int

// The styles of a time.
const (
	AnyStamp       Style = iota
	BracketedStamp       // "[0:03] Dana: …"
	BareStamp            // "0:03 Dana: …"
	LoneStamp            // a line of its own
)

// Read reads a time in one style. A time that stands alone belongs to all styles.
func (s Style) Read(line string) (Stamp, bool) {
	h, ok := ReadStamp(line)
	if !ok || h.Rest == "" || s == AnyStamp {
		return h, ok
	}
	bracketed := line[0] == '[' || line[0] == '('
	return h, s != LoneStamp && bracketed == (s == BracketedStamp)
}

// ReadStamp reads a time before what was said: "[00:01:23] Dana: …", "(1:23) …", "00:01:23 …", "[0:03 -
// 0:07] …" and whisper.cpp's "[00:00:00.000 --> 00:00:04.000]   …". The speaker's label is still in the rest.
func ReadStamp(line string) (Stamp, bool) {
	h, ok := ReadBracketed(line)
	if !ok {
		if h, ok = ReadBare(line); !ok {
			return Stamp{}, false
		}
	}
	rest := strings.TrimLeft(strings.TrimPrefix(h.Rest, ":"), " \t")
	if again, ok := ReadBracketed(rest); ok && again.Start == h.Start {
		rest = strings.TrimLeft(again.Rest, " \t") // a mark of the minute before the time of the turn
	}
	rest, _ = plain.CutDash(rest)
	h.Rest = strings.TrimLeft(rest, " \t")
	return h, true
}

// ReadBare reads a time or a range of times without brackets.
func ReadBare(line string) (Stamp, bool) {
	at, rest, ok := ParseTimestamp(line)
	if !ok {
		return Stamp{}, false
	}
	h := Stamp{Start: at, Rest: rest}
	if end, after, ok := rangeEnd(rest); ok {
		h.End, h.Ended, h.Rest = end, true, after
	}
	next, _ := utf8.DecodeRuneInString(h.Rest)
	if h.Rest != "" && !unicode.IsSpace(next) && !strings.HasPrefix(h.Rest, ":") {
		return Stamp{}, false
	}
	return h, true
}

// IsStamp reports whether a line is a time, or a range of times, and nothing else.
func IsStamp(line string) bool {
	h, ok := ReadStamp(line)
	return ok && h.Rest == ""
}
