package transcript

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"research/transcript/internal/plain"
)

// A stamp is a time, or a range of two, that stands on a line.
type stamp struct {
	start, end time.Duration
	ended      bool   // end is known
	rest       string // what follows on the line
}

// hasTimeAtEnd reports whether a line ends with a time.
func hasTimeAtEnd(line string) bool {
	_, _, _, ok := cutTrailingTimestamp(line)
	return ok
}

// cutTrailingTimestamp divides "Dana Weber  0:03" before its timestamp. The gap is the white space between.
func cutTrailingTimestamp(line string) (before, gap string, at time.Duration, ok bool) {
	i := strings.LastIndexFunc(line, unicode.IsSpace)
	if i < 0 || len(line)-i > 16 {
		return "", "", 0, false
	}
	_, size := utf8.DecodeRuneInString(line[i:])
	at, rest, ok := parseTimestamp(line[i+size:])
	if !ok || rest != "" {
		return "", "", 0, false
	}
	before = strings.TrimRightFunc(line[:i], unicode.IsSpace)
	return before, line[len(before) : i+size], at, before != ""
}

// bracketedTimestamp reads "[0:03]" or "(0:03)", or a range of two times in brackets, at the start of s.
func bracketedTimestamp(s string) (h stamp, ok bool) {
	if len(s) < 5 {
		return stamp{}, false
	}
	var closing string
	switch s[0] {
	case '[':
		closing = "]"
	case '(':
		closing = ")"
	default:
		return stamp{}, false
	}
	start, rest, ok := parseTimestamp(strings.TrimLeft(s[1:], " "))
	if !ok {
		return stamp{}, false
	}
	h.start = start
	if end, after, ok := rangeEnd(rest); ok {
		h.end, h.ended, rest = end, true, after
	}
	h.rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " "), closing)
	return h, ok
}

// rangeEnd reads "- 0:07" or "--> 0:07".
func rangeEnd(s string) (end time.Duration, rest string, ok bool) {
	s = strings.TrimLeft(s, " ")
	for _, dash := range []string{"-->", "->", "-", "–", "—", "to "} {
		if after, found := strings.CutPrefix(s, dash); found {
			return parseTimestamp(strings.TrimLeft(after, " "))
		}
	}
	return 0, s, false
}

// A stampStyle is a way to write a time before what was said.
type stampStyle int

const (
	anyStamp       stampStyle = iota
	bracketedStamp            // "[0:03] Dana: …"
	bareStamp                 // "0:03 Dana: …"
	loneStamp                 // a line of its own
)

// read reads a time in one style. A time that stands alone belongs to all styles.
func (s stampStyle) read(line string) (stamp, bool) {
	h, ok := timestampHeader(line)
	if !ok || h.rest == "" || s == anyStamp {
		return h, ok
	}
	bracketed := line[0] == '[' || line[0] == '('
	return h, s != loneStamp && bracketed == (s == bracketedStamp)
}

// timestampHeader reads a time before what was said: "[00:01:23] Dana: …", "(1:23) …", "00:01:23 …", "[0:03 -
// 0:07] …" and whisper.cpp's "[00:00:00.000 --> 00:00:04.000]   …". The speaker's label is still in the rest.
func timestampHeader(line string) (stamp, bool) {
	h, ok := bracketedTimestamp(line)
	if !ok {
		if h, ok = bareTimestamp(line); !ok {
			return stamp{}, false
		}
	}
	rest := strings.TrimLeft(strings.TrimPrefix(h.rest, ":"), " \t")
	if again, ok := bracketedTimestamp(rest); ok && again.start == h.start {
		rest = strings.TrimLeft(again.rest, " \t") // a mark of the minute before the time of the turn
	}
	rest, _ = plain.CutDash(rest)
	h.rest = strings.TrimLeft(rest, " \t")
	return h, true
}

// bareTimestamp reads a time or a range of times without brackets.
func bareTimestamp(line string) (stamp, bool) {
	at, rest, ok := parseTimestamp(line)
	if !ok {
		return stamp{}, false
	}
	h := stamp{start: at, rest: rest}
	if end, after, ok := rangeEnd(rest); ok {
		h.end, h.ended, h.rest = end, true, after
	}
	next, _ := utf8.DecodeRuneInString(h.rest)
	if h.rest != "" && !unicode.IsSpace(next) && !strings.HasPrefix(h.rest, ":") {
		return stamp{}, false
	}
	return h, true
}

// isLoneStamp reports whether a line is a time, or a range of times, and nothing else.
func isLoneStamp(line string) bool {
	h, ok := timestampHeader(line)
	return ok && h.rest == ""
}
