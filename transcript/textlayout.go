package transcript

import (
	"strings"

	"research/transcript/internal/boilerplate"
	"research/transcript/internal/clock"
	"research/transcript/internal/format"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// A source is a file whose format is known.
type source struct {
	format   format.Format
	language string // as declared by the file
	parse    func() turn.List
	text     string // whose words must be in the transcript, or ""

	lines  string // lines whose layout was chosen among several, or ""
	marked markedLabels

	dated     bool   // its times are those of a calendar
	canonical string // these lines with their times as timestamps, or ""
	jumps     int    // how often the next line of a PDF is above
}

// detectText distinguishes the text formats. The line breaks of the text are "\n".
func detectText(text string) source {
	if c, ok := detectCaptions(text); ok {
		return source{format: c.format, language: c.language, parse: c.parse}
	}
	if isMarkdown(text) {
		return detectMarkdown(text)
	}
	src, _ := detectTurns(text, markedLabels{})
	return src
}

// detectMarkdown detects the text format in a Markdown file. Its headings are dropped if the file has turns.
func detectMarkdown(text string) source {
	m := stripMarkdown(text, false)
	src, hasTurns := detectTurns(m.text, markedLabels{names: m.bold, doubtful: m.doubtful})
	if !hasTurns {
		m = stripMarkdown(text, true)
		src, _ = detectTurns(m.text, markedLabels{})
	}
	src.format = format.Markdown
	return src
}

// detectTurns distinguishes the formats that are lines of words, and reports whether it found turns.
func detectTurns(text string, marked markedLabels) (src source, hasTurns bool) {
	text = joinHanging(stripMargin(boilerplate.TrimClosingNoise(text)))
	form, body, doubtful := cutForm(text)
	if marked.decided.hasPersonIn(form) {
		form, body, doubtful = "", text, false
	}
	src, hasTurns = chooseTurns(body, marked, false)
	switch {
	case form == "":
	case hasTurns:
		parse := src.parse
		src.parse = func() turn.List { return parseWithForm(form, doubtful, parse) }
	default:
		src, hasTurns = chooseTurns(text, marked, false)
	}
	src.lines, src.marked = text, marked
	return src, hasTurns
}

// chooseTurns returns the reader of the layout that a text has, or false for paragraphs. With hours, times
// such as "10:02" are hours and minutes.
func chooseTurns(text string, marked markedLabels, hours bool) (src source, hasTurns bool) {
	if parse, ok := detectZoomChat(text); ok {
		return source{format: format.ZoomChat, parse: parse}, true
	}
	if parse, ok := detectDatedChat(text); ok && len(marked.names) == 0 {
		return source{format: format.Text, dated: true, parse: parse}, true
	}
	text = canonicalLines(text, hours)
	defer func() { src.canonical = text }()
	if len(marked.names) < 2 { // one name in bold says nothing about the others
		texts, found := canonicalLabels([]string{text})
		if len(found.names) > 0 && !hasHeads(text) {
			found.decided = marked.decided
			text, marked = texts[0], found
		}
	}
	src, count := detectHeaders(text, marked)
	if src.format == format.Text {
		if joined, ok := joinTimestamps(text); ok {
			return source{format: format.Text, parse: func() turn.List { return parseOtter(joined) }}, true
		}
		if isStampedNames(text, count) {
			parse := func() turn.List { return parseHeaders(text, stampedHeader) }
			return source{format: format.Text, parse: parse}, true
		}
	}
	if count > 0 && src.format != format.Rev && src.format != format.Text {
		return src, true
	}
	labels := countLabels(text, marked)
	speakers := labels.speakers()
	switch {
	case src.format == format.Text && !hasMarksAmongLabels(text, marked, count, labels, speakers):
		return src, true
	// Rev's header is a label with a timestamp: if most labels have none, the file is a text with labels.
	case src.format == format.Rev && speakers.labels*10 <= count*12:
		return src, true
	case len(speakers.names) > 0:
		return source{format: format.Text, parse: func() turn.List { return parseLabelled(text, speakers) }}, true
	}
	return source{format: format.Text, parse: func() turn.List { return parseProse(text) }}, false
}

// hasMarksAmongLabels reports whether the times at the starts of a few lines are marks that a transcriber
// left every few minutes: each stands before a label, or nobody is named beside them, and many more lines
// have a label.
func hasMarksAmongLabels(
	text string, marked markedLabels, times int, labels *labelCounts, speakers speakerSet,
) bool {
	if len(speakers.names) < 2 || speakers.labels < times*maxMarksPerHeader || speakers.share < sparseLabels {
		return false
	}
	timed := 0
	for name := range speakers.names {
		timed += labels.flagged[name]
	}
	if timed == times {
		return true
	}
	stamped, _ := countTimestampedLabels(text, clock.AnyStamp, marked)
	return len(stamped.speakers().names) == 0
}

// hasHeads reports whether a text has names beside times, so that its other lines have no labels.
func hasHeads(text string) bool {
	src, count := detectHeaders(text, markedLabels{})
	return count > 0 && (src.format != format.Text || isStampedNames(text, count))
}

// maxMarksPerHeader is how many times without a name a turn has, at most, as Rev's long turns do.
const maxMarksPerHeader = 4

// detectHeaders returns the format with the most turn headers in the text, and how many there are.
func detectHeaders(text string, marked markedLabels) (src source, count int) {
	paragraphs := plain.CountParagraphs(text)
	stamps := func(style clock.Style) func() turn.List {
		return func() turn.List { return parseTimestamped(text, style, marked) }
	}
	named := 0 // headers whose names recur
	for _, f := range []struct {
		format format.Format
		header headerFunc
		parse  func() turn.List
		often  bool // the header also occurs in speech, so that it must be frequent
	}{
		{format.Text, inlineHeader, func() turn.List { return parseHeaders(text, inlineHeader) }, true},
		{format.Otter, otterHeader, func() turn.List { return parseOtter(text) }, false},
		{format.Rev, revHeader, func() turn.List { return parseRev(text) }, false},
		{format.Fireflies, firefliesHeader, func() turn.List { return parseFireflies(text) }, false},
		{format.Text, stampHeader(clock.BracketedStamp), stamps(clock.BracketedStamp), false},
		{format.Text, stampHeader(clock.LoneStamp), stamps(clock.LoneStamp), false},
		{format.Text, stampHeader(clock.BareStamp), stamps(clock.BareStamp), true},
	} {
		found := findHeaders(text, f.header)
		enough := 2 // one paragraph of two
		if found.first >= 0 && isShortTitle(text[:found.first]) {
			enough = 4
		}
		// Where times have names beside them, a few more times are those in speech.
		if f.often && (found.count*enough < paragraphs || found.count*2 < count*3) {
			continue
		}
		if named > 0 && found.recurringNames() == 0 && found.count <= named*maxMarksPerHeader {
			continue
		}
		if found.count > count && found.fit(text, paragraphs) {
			src, count = source{format: f.format, parse: f.parse}, found.count
			named = found.recurringNames()
		}
	}
	return src, count
}

// maxTitleLines is how many lines are above the first turn, at most, where nothing else says that it is one.
const maxTitleLines = 3

// isShortTitle reports whether nothing, or a title, is above the first turn.
func isShortTitle(text string) bool {
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		if plain.IsBlank(line) {
			continue
		}
		if n++; n > maxTitleLines || len(line) > plain.MaxLabel || plain.EndsSentence(strings.TrimSpace(line)) {
			return false
		}
	}
	return true
}

// isStampedNames reports whether the text has a name after each timestamp and the words below, where stamps
// is the number of lines with a timestamp.
func isStampedNames(text string, stamps int) bool {
	named := findHeaders(text, timestampNameHeader)
	dashed := findHeaders(text, dashedNameHeader)
	believed := dashed.count > 1 && dashed.count*10 >= named.count*9
	return (believed || named.recurring()*2 >= named.count) && countNamesAboveWords(text)*10 >= stamps*8
}
