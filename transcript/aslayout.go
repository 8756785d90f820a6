package transcript

import (
	"research/transcript/internal/clock"
	"research/transcript/internal/turn"
)

// asLabels returns the source with each label that may be a name as a speaker. It returns false without
// labels.
func (s source) asLabels() (source, bool) {
	text, marked := canonicalLines(s.lines, false), s.marked
	texts, canonical := canonicalLabels([]string{text})
	if len(marked.names) == 0 {
		text, marked = texts[0], canonical
	}
	speakers := countLabels(text, marked).speakers()
	for name := range speakers.doubtful {
		speakers.names[name] = true
	}
	return s.with(func() turn.List { return parseLabelled(text, speakers) }), len(speakers.names) > 0
}

// asHeads returns the source with names beside times as the heads of turns. It returns false if fewer than
// two lines have the same kind of head.
func (s source) asHeads() (source, bool) {
	text := canonicalLines(s.lines, false)
	header, ok := mostHeads(text)
	return s.with(func() turn.List { return parseHeaders(text, header) }), ok
}

// asTimes returns the source with times before the words. It returns false if fewer than two lines begin with
// one.
func (s source) asTimes() (source, bool) {
	text := canonicalLines(s.lines, false)
	ok := findHeaders(text, stampHeader(clock.AnyStamp)).count > 1
	return s.with(func() turn.List { return parseTimestamped(text, clock.AnyStamp, s.marked) }), ok
}

// asHours returns the source in the layout that was chosen, but with "10:02" as a time of day. It returns
// false if no time can be one.
func (s source) asHours() (source, bool) {
	if !clock.HaveDays(s.lines) {
		return source{}, false
	}
	chosen, _ := chooseTurns(s.lines, s.marked, true)
	s.parse, s.canonical = chosen.parse, chosen.canonical
	return s, true
}

// asParagraphs returns the source without speakers and times.
func (s source) asParagraphs() (source, bool) {
	return s.with(func() turn.List { return parseProse(s.lines) }), true
}

// with returns the source with another parser, for which no times were rewritten.
func (s source) with(parse func() turn.List) source {
	s.parse, s.canonical = parse, ""
	return s
}

// mostHeads returns the header that occurs most often in a text, if it does so twice.
func mostHeads(text string) (most headerFunc, ok bool) {
	count := 1
	headers := []headerFunc{otterHeader, revHeader, firefliesHeader, timestampNameHeader, inlineHeader}
	for _, header := range headers {
		if n := findHeaders(text, header).count; n > count {
			most, count, ok = header, n, true
		}
	}
	return most, ok
}
