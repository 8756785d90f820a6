package query

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A scanner reads a parameter from left to right.
type scanner struct {
	parameter string // what is read, for errors
	text      string
	at        int
	embeds    int    // how many resources are embedded so far
	expected  string // what the grammar expects here, for errors; empty if there are many alternatives
}

func (s *scanner) done() bool { return s.at >= len(s.text) }

// peek returns the next byte, and 0 at the end.
func (s *scanner) peek() byte {
	if s.done() {
		return 0
	}
	return s.text[s.at]
}

// next reports whether the text is next.
func (s *scanner) next(text string) bool { return strings.HasPrefix(s.text[s.at:], text) }

// take moves past the text if it is next.
func (s *scanner) take(text string) bool {
	if !s.next(text) {
		return false
	}
	s.at += len(text)
	return true
}

// fail returns a syntax error at the current position.
func (s *scanner) fail(expecting string) error { return s.failAt(s.at, expecting) }

func (s *scanner) failAt(position int, expecting string) error {
	problem := "unexpected " + s.unexpected()
	if expecting != "" {
		problem += " expecting " + expecting
	}
	return syntaxError(s.parameter, s.text, position, problem)
}

// unexpected describes the next token, and what the grammar expects if that is known.
func (s *scanner) unexpected() string {
	next := "end of input"
	if !s.done() {
		r, _ := utf8.DecodeRuneInString(s.text[s.at:])
		next = `"` + string(r) + `"`
	}
	if s.expected != "" {
		next += " expecting " + s.expected
	}
	return next
}

// quoted reads "…", in which a backslash escapes the character after it.
func (s *scanner) quoted() (string, bool) {
	var b strings.Builder
	for i := s.at + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '\\' && i+1 < len(s.text):
			i++
			b.WriteByte(s.text[i])
		case c == '"':
			s.at = i + 1
			return b.String(), true
		default:
			b.WriteByte(c)
		}
	}
	s.at = len(s.text)
	return "", false
}

// until moves to the first of the bytes, or to the end, and returns what is before it.
func (s *scanner) until(bytes string) string {
	start := s.at
	for !s.done() && strings.IndexByte(bytes, s.peek()) < 0 {
		s.at++
	}
	return s.text[start:s.at]
}

// name reads an identifier: quoted, or made of letters, digits, "_", "$", spaces, and "-" where it begins no
// arrow.
func (s *scanner) name() (string, bool) {
	if s.peek() == '"' {
		return s.quoted()
	}
	start := s.at
	for !s.done() && !s.next("->") {
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		if !unicode.In(r, unicode.Letter, unicode.Digit, unicode.M) && !strings.ContainsRune("_$ -\t", r) {
			break
		}
		s.at += size
	}
	name := strings.TrimSpace(s.text[start:s.at])
	return name, name != ""
}

// jsonPath reads ->key->0->>key.
func (s *scanner) jsonPath() ([]Step, bool) {
	var path []Step
	for s.take("->") {
		step := Step{AsText: s.take(">")}
		s.expected = `"-", digit or any non reserved character different from: .,>()`
		if s.peek() == '"' {
			var ok bool
			if step.Key, ok = s.quoted(); !ok {
				return nil, false
			}
			path = append(path, step)
			continue
		}
		start := s.at
		for !s.done() && !strings.ContainsRune(",.():", rune(s.peek())) && !s.next("->") {
			s.at++
		}
		if step.Key = s.text[start:s.at]; step.Key == "" {
			return nil, false
		}
		digits, negative := strings.CutPrefix(step.Key, "-")
		_, err := strconv.ParseUint(digits, 10, 31)
		step.Index = err == nil
		if negative && !step.Index { // a key that begins with a minus sign must be quoted
			s.at, s.expected = start+1, "digit"
			return nil, false
		}
		path = append(path, step)
	}
	s.expected = ""
	return path, true
}
