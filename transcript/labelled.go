package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sparseLabels is the share of paragraphs with a label below which the labels may be words.
const sparseLabels = 0.15

// parseLabelled reads "Name: text". A turn lasts until the next label, over lines and paragraphs. A timestamp
// after the name is that of the turn.
func parseLabelled(text string, speakers speakerSet) turnList {
	var (
		list    = turnList{sparse: speakers.units > 8 && speakers.share < sparseLabels}
		isHead  = sectionHeadings(text)
		asked   = listedQuestions(text)
		lines   = lineReader{text: text}
		current turn
		begun   bool
		from    int
	)
	endTurn := func(to int) {
		if !begun {
			list.addLabelledPreamble(text[from:to])
			return
		}
		current.text = text[from:to]
		list.add(current)
	}
	for {
		line, start, ok := lines.next()
		if !ok {
			break
		}
		if trimmed := strings.TrimSpace(line); isBoilerplate(trimmed) {
			endTurn(start)
			from = lines.pos
			if trimmed == sectionBreak {
				current = turn{doubtful: begun}
			}
			continue
		}
		t, rest, ok := timedLabel(line[dialogueMark(line):])
		if !ok && len(speakers.doubtful) > 0 {
			t.speaker, ok = splitPhrase(line)
		}
		switch {
		case ok && speakers.has(t.speaker):
			endTurn(start)
			current, begun = t, true
			from = start + len(line) - len(rest)
		case ok && begun && speakers.doubtful[t.speaker]:
			endTurn(start)
			current = turn{doubtful: true}
			from = start
		case begun && (isHead[start] || asked[start]):
			endTurn(start)
			current = turn{doubtful: true}
			from = start
		}
	}
	endTurn(len(text))
	return list
}

// maxSectionWords is how many words the heading of a section has, at most.
const maxSectionWords = 6

// sectionHeadings returns where the lines start that may be headings between the turns, such as "INTERVIEW 2": few
// words in capitals, or in the form of a title with a number at the beginning, in a paragraph of their own.
func sectionHeadings(text string) map[int]bool {
	found := map[int]bool{}
	lines := lineReader{text: text}
	paragraphs := countParagraphs(text)
	title := numberedTitle(text)
	before := ""
	for {
		line, start, ok := lines.next()
		if !ok {
			break
		}
		trimmed := strings.TrimSpace(line)
		next, _, _ := strings.Cut(text[lines.pos:], "\n")
		isTitle := title != "" && trimmed != title && withoutDigits(trimmed) == withoutDigits(title)
		if isBlank(before) && isBlank(next) && (isTitle || isAllCaps(trimmed)) && !endsSentence(trimmed) &&
			utf8.RuneCountInString(trimmed) > 4 && len(strings.Fields(trimmed)) <= maxSectionWords &&
			trimBrackets(trimmed) == trimmed && !strings.HasSuffix(trimmed, ":") {
			found[start] = true
		}
		before = line
	}
	if len(found)*4 > paragraphs {
		return nil
	}
	return found
}

// minQuestions is how many questions without a label a text has, at least, to be an interview of several people by
// a list of questions.
const minQuestions = 3

// listedQuestions returns where the lines start that ask everybody, and have no label: items of a list, most of them
// with a question mark, each with an answer below that has a label.
func listedQuestions(text string) map[int]bool {
	found := map[int]bool{}
	lines := lineReader{text: text}
	items, marked, asked := 0, 0, -1
	for {
		line, start, ok := lines.next()
		if !ok {
			break
		}
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if asked >= 0 {
			if _, _, labelled := splitLabel(line); labelled {
				found[asked] = true
			}
		}
		asked = -1
		if isListItem(line) {
			items++
			asked = start
			if strings.ContainsAny(line, "?？") {
				marked++
			}
		}
	}
	if len(found) < minQuestions || len(found)*10 < items*8 || marked*2 < items {
		return nil
	}
	return found
}

// isListItem reads "- text", "• text" and "1. text", without a label.
func isListItem(line string) bool {
	rest := strings.TrimLeft(line, "0123456789")
	if rest != line {
		return hasAnyPrefix(rest, ". ", ") ")
	}
	if !hasAnyPrefix(line, "- ", "– ", "• ", "* ") {
		return false
	}
	_, _, labelled := splitLabel(line[dialogueMark(line):])
	return !labelled
}

// numberedTitle returns the first line of a text if it is a title with a number, such as "Interview 1".
func numberedTitle(text string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(text, " \n"), "\n")
	line = strings.TrimSpace(line)
	if len(line) > maxLabel || withoutDigits(line) == line || !strings.ContainsFunc(line, unicode.IsLetter) ||
		len(strings.Fields(line)) > maxSectionWords {
		return ""
	}
	return line
}

func withoutDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, s)
}

// timedLabel reads "Name: text", "Name: [0:03] text", "0:03 Name: text" and "Name (0:03): text". The turn has no text
// yet.
func timedLabel(line string) (t turn, rest string, ok bool) {
	if name, rest, ok := splitLabel(line); ok {
		if h, timed := bracketedTimestamp(strings.TrimLeft(rest, " \t")); timed {
			return turn{speaker: name, start: h.start, end: h.end, timed: true, ended: h.ended}, h.rest, true
		}
		return turn{speaker: name}, rest, true
	}
	if strings.IndexByte(line[:min(len(line), maxLabel)], ':') < 0 {
		return turn{}, line, false
	}
	if h, ok := timestampHeader(line); ok {
		if name, rest, ok := splitLabel(h.rest); ok {
			return turn{speaker: name, start: h.start, end: h.end, timed: true, ended: h.ended}, rest, true
		}
	}
	h, ok := revHeader(line)
	return turn{speaker: h.speaker, start: h.start, end: h.end, timed: true, ended: h.ended}, h.rest, ok
}

// addLabelledPreamble adds what is before the first turn, except for the fields of a form ("Date: …").
func (l *turnList) addLabelledPreamble(text string) {
	lines := lineReader{text: text}
	from := 0
	for {
		line, start, ok := lines.next()
		if !ok {
			break
		}
		if name, _, ok := splitLabel(strings.TrimSpace(line)); ok && isNotSpeaker(name) {
			l.addParagraphs(text[from:start])
			l.drop(line)
			from = lines.pos
		}
	}
	l.addParagraphs(text[from:])
}

// countLabels counts the labels of a text, whose units are its paragraphs if it has any, else its lines.
func countLabels(text string, marked markedLabels) *labelCounts {
	counts := newLabelCounts()
	counts.marked, counts.form, counts.legend = marked, formFields(text), legendOf(text)
	width, before, unlabelled := wrapWidth(text), "", 0
	wrapped := map[string]int{}
	for line := range strings.SplitSeq(text, "\n") {
		if !isBlank(line) {
			counts.addLine(line)
			t, _, ok := timedLabel(line[dialogueMark(line):])
			switch {
			case !ok:
				unlabelled++
				phrase, ok := splitPhrase(line)
				if ok && !continuesLine(before, line, width) && len(counts.phrases) < maxLabels {
					counts.phrases[phrase]++
				}
			case continuesLine(before, line, width) && len(wrapped) < maxLabels:
				wrapped[t.speaker]++
			}
		}
		before = line
	}
	blocks, lines := countBlocks(text)
	if unlabelled*4 >= lines {
		counts.wrapped = wrapped
	}
	counts.units = lines
	if blocks > 1 {
		counts.units = max(blocks, lines/10)
	}
	return counts
}

// maxForm is how many lines a form at the beginning has, at most.
const maxForm = 12

// formFields returns the labels of a form at the beginning of a text: a paragraph whose lines, but for a title, all
// have labels, at least two of which are not those of speakers.
func formFields(text string) map[string]bool {
	block, _, more := strings.Cut(strings.TrimLeft(text, "\n"), "\n\n")
	lines := strings.SplitN(block, "\n", maxForm+2)
	if !more || len(lines) > maxForm {
		return nil
	}
	fields, remarks := map[string]bool{}, 0
	for i, line := range lines {
		name, _, ok := splitLabel(strings.TrimSpace(line))
		switch {
		case !ok && i > 0:
			return nil
		case ok && isNotSpeaker(name):
			remarks++
		case ok:
			fields[name] = true
		}
	}
	if remarks < 2 {
		return nil
	}
	return fields
}

// Bounds on the length of lines, in characters, that are taken for parts of paragraphs.
const (
	minWrapWidth = 30
	maxWrapWidth = 120
)

// wrapWidth returns the width at which the paragraphs of a text are broken into lines, or 0.
func wrapWidth(text string) int {
	lengths := make([]int, maxWrapWidth+1)
	lines := 0
	for line := range strings.SplitSeq(text, "\n") {
		if isBlank(line) {
			continue
		}
		length := utf8.RuneCountInString(line)
		if length > maxWrapWidth {
			return 0
		}
		lines++
		lengths[length]++
	}
	width, full := 0, 0
	for length, n := range lengths {
		if n > 0 {
			width = length
		}
	}
	for _, n := range lengths[width*4/5:] {
		full += n
	}
	if width < minWrapWidth || full < 5 || full*4 < lines {
		return 0
	}
	return width
}

// continuesLine reports whether the first word of a line had no room on the line before it.
func continuesLine(before, line string, width int) bool {
	if width == 0 || isBlank(before) {
		return false
	}
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return utf8.RuneCountInString(before)+1+utf8.RuneCountInString(word) > width
}
