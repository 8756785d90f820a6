package transcript

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A turnHeader is the beginning of a turn in a text with timestamps.
type turnHeader struct {
	speaker    string
	start, end time.Duration
	ended      bool   // end is known
	rest       string // what follows on the line
	believed   bool   // the speaker has a place of its own, whatever the name looks like
	recurring  bool   // the speaker is believed if the name recurs
	doubtful   bool   // the line may be a header
}

// A headerFunc reads the turn header of one format from a trimmed line.
type headerFunc func(line string) (turnHeader, bool)

// A headerCount is what a headerFunc finds in a whole text.
type headerCount struct {
	count   int
	ordered int            // headers that do not go back in time
	names   map[string]int // how often each speaker is named
	first   int            // where the first header starts, or -1
}

func findHeaders(text string, header headerFunc) headerCount {
	c := headerCount{names: map[string]int{}, first: -1}
	lines := lineReader{text: text}
	last := time.Duration(-1)
	for {
		line, start, ok := lines.next()
		if !ok {
			return c
		}
		h, ok := header(strings.TrimSpace(line))
		if !ok {
			continue
		}
		if c.count++; c.first < 0 {
			c.first = start
		}
		if h.start >= last {
			c.ordered++
		}
		last = h.start
		if n := c.names[h.speaker]; n > 0 || len(c.names) < maxLabels {
			c.names[h.speaker] = n + 1
		}
	}
}

// fit reports whether a text has the headers' format: there are several, their times are in order, and they
// are not a few among many paragraphs. One header suffices at the very beginning of a short text.
func (c headerCount) fit(text string, paragraphs int) bool {
	if c.count == 1 {
		return isBlank(text[:c.first]) && paragraphs < 4
	}
	return c.count > 1 && c.ordered*10 >= c.count*8 && c.count*20 >= paragraphs
}

// recurring returns the number of headers whose name occurs again.
func (c headerCount) recurring() int { return sumRecurring(c.names) }

// sumRecurring returns how often all names occur that occur more than once.
func sumRecurring(names map[string]int) (total int) {
	for _, n := range names {
		if n > 1 {
			total += n
		}
	}
	return total
}

// recurringNames returns the number of headers whose name, if they have one, occurs again; or 0 if most do not.
func (c headerCount) recurringNames() int {
	n := c.recurring()
	if c.names[""] > 1 {
		n -= c.names[""]
	}
	if n*2 < c.count {
		return 0
	}
	return n
}

// isSpeaker reports whether the name of a header is taken for a speaker: it has its own place, looks like a
// name, or recurs.
func (c headerCount) isSpeaker(h turnHeader) bool {
	if h.believed || h.recurring && c.names[h.speaker] > 1 {
		return true
	}
	switch name := h.speaker; nameShapeOf(name) {
	case fullName:
		return !isNotSpeaker(name) || c.names[name] > 1
	case possibleName:
		return c.names[name] > 1
	}
	return false
}

// parseHeaders reads a text whose turns begin with headers and last until the next one.
func parseHeaders(text string, header headerFunc) turnList {
	var (
		list    turnList
		found   = findHeaders(text, header)
		lines   = lineReader{text: text}
		current turnHeader
		begun   bool
		from    int
	)
	endTurn := func(to int) {
		if !begun {
			list.addPreamble(text[from:to])
			return
		}
		list.add(turn{
			speaker: current.speaker,
			start:   current.start,
			end:     current.end,
			timed:   true,
			ended:   current.ended,
			text:    text[from:to],

			doubtful: current.doubtful,
		})
	}
	for {
		line, start, ok := lines.next()
		if !ok {
			break
		}
		trimmed := strings.TrimSpace(line)
		if isBoilerplate(trimmed) {
			endTurn(start)
			from = lines.pos
			continue
		}
		if h, ok := header(trimmed); ok && found.isSpeaker(h) {
			endTurn(start)
			current, begun = h, true
			from = start + strings.Index(line, trimmed) + len(trimmed) - len(h.rest)
		} else if shape := nameShapeOf(h.speaker); ok && begun && h.start >= current.start &&
			(shape == fullName || shape != notName && len(strings.Fields(h.speaker)) == 1) {
			endTurn(start)
			current, from = turnHeader{start: h.start, end: h.end, ended: h.ended, doubtful: true}, start
		}
	}
	endTurn(len(text))
	return list
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
func bracketedTimestamp(s string) (h turnHeader, ok bool) {
	if len(s) < 5 {
		return turnHeader{}, false
	}
	var closing string
	switch s[0] {
	case '[':
		closing = "]"
	case '(':
		closing = ")"
	default:
		return turnHeader{}, false
	}
	start, rest, ok := parseTimestamp(strings.TrimLeft(s[1:], " "))
	if !ok {
		return turnHeader{}, false
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
