package transcript

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// markedLabels are labels that the layout of a file marks as such.
type markedLabels struct {
	names    map[string]bool
	only     bool            // the file has no other labels
	doubtful map[string]bool // labels that occur once; what follows one has no speaker
}

// A textLine is a line with its neighbourhood. Its text is trimmed, and what a time before it takes is left
// out.
type textLine struct {
	text       string
	next       string // the line below
	afterBlank bool   // nothing, or a blank line, is above
	timed      bool   // a time is before the text
	inCue      bool   // the text is a cue, and not a whole file
}

// A labelStyle writes speakers in another way than "Name: text".
type labelStyle struct {
	split func(l textLine) (name, rest string, ok bool)
	alone bool // the name has its own place, so that one that occurs once is believed
	share int  // tenths of the paragraphs, or lines, that must have a label

	line  bool // the name is a paragraph
	any   bool // the name has brackets of its own, so that it may look like any word
	clear bool // hardly any sentence has it, so that a name that occurs once may be one
}

// labelStyles are tried together; the one with the most labels is used.
var labelStyles = []labelStyle{
	{split: splitAbove, share: 6, alone: true},
	{split: splitBracketsAbove, share: 2, clear: true},
	{split: splitParagraph, share: 3, line: true},
	{split: splitNumberedName, share: 2},
	{split: splitTab, share: 6, alone: true},
	{split: splitAngles, share: 8, alone: true, any: true, clear: true},
	{split: splitBrackets, share: 3, clear: true},
	{split: splitDash, share: 4},
	{split: splitLetter, share: 6},
	{split: splitArrow, share: 5, clear: true},
	{split: splitMarks, share: 5, clear: true},
	{split: splitTight, share: 6},
	{split: splitTightDash, share: 6},
	{split: splitFullStop, share: 5},
	{split: splitWide, share: 2, clear: true},
	{split: splitQuotes, share: 6, alone: true, clear: true},
}

var noises = loadWords("noises")

// splitAbove reads a name on a line of its own, in brackets or not, or behind "#" as MAXQDA has it in focus groups.
func splitAbove(l textLine) (name, rest string, ok bool) {
	if l.timed || !l.afterBlank || l.next == "" || len(l.text) > maxLabel || strings.HasSuffix(l.text, ":") {
		return "", "", false
	}
	if name, ok = strings.CutPrefix(l.text, "#"); ok {
		return name, "", true
	}
	name = trimBrackets(l.text)
	return name, "", name == l.text || !isNoise(name)
}

// splitBracketsAbove reads a name in brackets above the first of several captions.
func splitBracketsAbove(l textLine) (name, rest string, ok bool) {
	name, rest, ok = splitAbove(l)
	return name, rest, ok && name != l.text && l.text[0] != '#'
}

// splitParagraph reads a name in a paragraph of its own, as Word documents have it.
func splitParagraph(l textLine) (name, rest string, ok bool) {
	words := strings.Fields(l.text)
	isInitial := len(words) > 1 && len(words[len(words)-1]) == 2 // "Dana W."
	if l.timed || l.inCue || !l.afterBlank || l.next != "" || len(l.text) > maxLabel ||
		endsSentence(l.text) && !isInitial {
		return "", "", false
	}
	return strings.TrimSuffix(l.text, ":"), "", true
}

// splitNumberedName reads "Speaker 1" on a line of its own, above the words and directly below others, as Word's
// transcriptions have it.
func splitNumberedName(l textLine) (name, rest string, ok bool) {
	word, number, ok := strings.Cut(l.text, " ")
	_, size := parseDigits(number, 2)
	return l.text, "", ok && !l.timed && !l.inCue && l.next != "" && size > 0 && size == len(number) &&
		!numberedHeadings[strings.ToLower(word)]
}

// splitTab reads "Name⇥text".
func splitTab(l textLine) (name, rest string, ok bool) {
	name, rest, ok = strings.Cut(l.text, "\t")
	name = strings.TrimSuffix(strings.TrimSpace(name), ":")
	return name, rest, ok && len(name) <= maxLabel && !isBlank(rest)
}

// splitBrackets reads "[Name] text", "(Name) text", "<Name> text", "{Name} text" and "«Name» text".
func splitBrackets(l textLine) (name, rest string, ok bool) {
	for _, pair := range [][2]string{{"{", "} "}, {"«", "» "}, {"【", "】"}, {"（", "）"}} {
		if after, found := strings.CutPrefix(l.text, pair[0]); found {
			name, rest, ok = strings.Cut(after, pair[1])
			return name, rest, ok && len(name) <= maxLabel && !isNoise(name)
		}
	}
	if l.text == "" || !strings.ContainsRune("[(<", rune(l.text[0])) {
		return "", "", false
	}
	depth := 0
	for i := range min(len(l.text), maxLabel) {
		switch l.text[i] {
		case '[', '(', '<':
			depth++
		case ']', ')', '>':
			depth--
		}
		if depth == 0 {
			name, rest = strings.TrimSpace(l.text[1:i]), l.text[i+1:]
			return name, rest, !isBlank(rest) && !isNoise(name) && rest[0] == ' '
		}
	}
	return "", "", false
}

// splitAngles reads "<Name> text", as chats have it, and "【Name】 text".
func splitAngles(l textLine) (name, rest string, ok bool) {
	if !hasAnyPrefix(l.text, "<", "【") {
		return "", "", false
	}
	return splitBrackets(l)
}

// splitQuotes reads "名前「…」", as Japanese writes what people say.
func splitQuotes(l textLine) (name, rest string, ok bool) {
	name, rest, ok = strings.Cut(l.text, "「")
	rest, closed := strings.CutSuffix(rest, "」")
	return strings.TrimRight(name, ":： "), rest, ok && closed && name != "" && len(name) <= maxLabel
}

// splitDash reads "Name - text".
func splitDash(l textLine) (name, rest string, ok bool) {
	head := l.text[:min(len(l.text), maxLabel)]
	if !strings.ContainsAny(head, "-–—") {
		return "", "", false
	}
	at := spacedDash.FindStringIndex(head)
	if at == nil || at[0] == 0 {
		return "", "", false
	}
	return l.text[:at[0]], l.text[at[1]:], true
}

// spacedDash is a dash between spaces, of which one or both may be no-break spaces.
var spacedDash = regexp.MustCompile(`[ \x{a0}](?:[-–—]|--)[ \x{a0}]`)

// splitLetter reads "Q. text", "A. text" and "B) text".
func splitLetter(l textLine) (name, rest string, ok bool) {
	if len(l.text) < 4 || l.text[0] < 'A' || l.text[0] > 'Z' || l.text[1] != '.' && l.text[1] != ')' ||
		l.text[2] != ' ' && l.text[2] != '\t' {
		return "", "", false
	}
	return l.text[:1], l.text[3:], true
}

// splitArrow reads "Name > text", "Name » text" and "Name | text".
func splitArrow(l textLine) (name, rest string, ok bool) {
	head := l.text[:min(len(l.text), maxLabel)]
	for _, arrow := range []string{" > ", " >> ", " » ", " → ", " -> ", " | "} {
		if i := strings.Index(head, arrow); i > 0 {
			return l.text[:i], l.text[i+len(arrow):], true
		}
	}
	return "", "", false
}

// labelMarks stand between names and words, beside those that have styles of their own.
var labelMarks = []string{
	"::", ":-", ":–", ":—", ".-", ".–", ".—", ";", " ~ ", " = ", " / ", " @ ", " # ",
}

// splitMarks reads "Name; text", "Name:: text", "Name.- text", "Name ~ text" and the like, and names behind a
// mark: "@name: text", "#Name: text", "*Name*: text".
func splitMarks(l textLine) (name, rest string, ok bool) {
	head := l.text[:min(len(l.text), maxLabel)]
	at, size := -1, 0
	for _, mark := range labelMarks {
		if i := strings.Index(head, mark); i > 0 && (at < 0 || i < at) {
			at, size = i, len(mark)
		}
	}
	if bare := strings.TrimLeft(head, "@#*_"); bare != head && (bare == "" || !isDigit(bare[0])) {
		if i := strings.Index(head, ": "); i > 0 && (at < 0 || i < at) {
			at, size = i, 1
		}
	}
	if at < 0 || at+size < len(l.text) && l.text[at+size] != ' ' && l.text[at+size-1] != ' ' {
		return "", "", false
	}
	name = strings.TrimPrefix(l.text[:at], "- ")
	return strings.Trim(name, "@#*_ "), l.text[at+size:], true
}

// splitTight reads "Name:text", without a space behind the colon.
func splitTight(l textLine) (name, rest string, ok bool) {
	name, rest, ok = strings.Cut(l.text, ":")
	if !ok || len(name) > maxLabel || rest == "" || strings.HasPrefix(rest, "//") || name == "" ||
		isDigit(name[len(name)-1]) && isDigit(rest[0]) {
		return "", "", false
	}
	return name, rest, true
}

// splitTightDash reads "Name- text", without a space before the dash.
func splitTightDash(l textLine) (name, rest string, ok bool) {
	name, rest, ok = strings.Cut(l.text, "- ")
	return name, rest, ok && len(name) <= maxLabel && name != "" && !strings.HasSuffix(name, " ")
}

// splitFullStop reads "Mme Dana Weber. Text" and "Dana Weber (PPE). – Text", as records of parliaments have
// it.
func splitFullStop(l textLine) (name, rest string, ok bool) {
	name, rest, ok = strings.Cut(l.text, ". ")
	if ok && len(name) < 4 { // a title, such as "M. le président."
		var after string
		after, rest, ok = strings.Cut(rest, ". ")
		name += ". " + after
	}
	rest, _ = cutDash(rest)
	words := strings.Fields(name)
	isInitial := len(words) > 1 && len(words[len(words)-1]) == 1
	return name, rest, ok && len(name) <= maxLabel && len(words) > 1 && !isInitial
}

func isNoise(name string) bool {
	return noises[strings.ToLower(strings.Trim(name, " .♪"))]
}

// canonicalLabels rewrites the labels of texts to "Name: text", where they are written in another style. The
// texts are cues, or one whole file.
func canonicalLabels(texts []string) (rewritten []string, marked markedLabels) {
	counts := countStyles(texts)
	best, bestLabels := -1, 0
	for i, c := range counts.styles {
		names, labels := c.recurring()
		if names > 1 && labels*10 >= counts.units*labelStyles[i].share && labels > bestLabels {
			best, bestLabels = i, labels
		}
	}
	if best < 0 || counts.colons >= bestLabels {
		return texts, markedLabels{}
	}
	style := labelStyles[best]
	marked = markedLabels{
		names: counts.styles[best].accepted(style), only: true,
		doubtful: counts.styles[best].doubtful(style, style.line || bestLabels*10 >= counts.units*5,
			counts.blocks > 1 || bestLabels*10 >= counts.units*9),
	}
	marked.dropTitles(texts, style, counts.styles[best])
	for _, text := range texts {
		var out strings.Builder
		out.Grow(len(text) + len(text)/16)
		mayBegin := func(l textLine, rest string) bool {
			return (rest != "" || style.alone || style.line) && (counts.blocks < 2 || l.afterBlank)
		}
		waiting := false // for the words of a name that stands alone
		eachTextLine(text, len(texts) > 1, func(raw string, l textLine) {
			name, rest, ok := style.split(l)
			switch {
			case ok && !waiting && (marked.names[name] || marked.doubtful[name] && mayBegin(l, rest)):
				raw = raw[:strings.LastIndex(raw, l.text)] + name + ": " + rest
				waiting = rest == "" && marked.names[name]
			case l.text != "":
				waiting = false
			}
			out.WriteString(raw)
			out.WriteByte('\n')
		})
		rewritten = append(rewritten, strings.TrimSuffix(out.String(), "\n"))
	}
	return rewritten, marked
}

// dropTitles removes the names that occur once, directly above a name that recurs: titles of documents and sections.
func (m markedLabels) dropTitles(texts []string, style labelStyle, counts styleCount) {
	for _, text := range texts {
		title := ""
		eachTextLine(text, len(texts) > 1, func(_ string, l textLine) {
			if l.text == "" {
				return
			}
			name, rest, ok := style.split(l)
			if ok && title != "" && counts.labels[name] > 1 {
				delete(m.names, title)
			}
			title = ""
			if ok && rest == "" && counts.labels[name] == 1 {
				title = name
			}
		})
	}
}

// styleCounts counts the labels of each style.
type styleCounts struct {
	styles []styleCount
	units  int // texts, or the paragraphs or lines of one
	blocks int // paragraphs, of one text
	colons int // lines with a label and a colon whose names recur
}

// A styleCount counts the labels of one style.
type styleCount struct{ labels map[string]int }

func countStyles(texts []string) styleCounts {
	counts := styleCounts{units: len(texts)}
	for range labelStyles {
		counts.styles = append(counts.styles, styleCount{map[string]int{}})
	}
	colons := styleCount{map[string]int{}}
	for _, text := range texts {
		eachTextLine(text, len(texts) > 1, func(_ string, l textLine) {
			for i, style := range labelStyles {
				if name, rest, ok := style.split(l); ok && !isLoneStamp(strings.TrimSpace(rest)) {
					counts.styles[i].add(name)
				}
			}
			if name, _, ok := splitLabel(l.text[dialogueMark(l.text):]); ok {
				colons.add(name)
			}
		})
		if len(texts) == 1 {
			blocks, lines := countBlocks(text)
			counts.units, counts.blocks = lines, blocks
			if blocks > 1 {
				counts.units = max(blocks, lines/10)
			}
		}
	}
	_, counts.colons = colons.recurring()
	return counts
}

func (c styleCount) add(name string) {
	if c.labels[name] > 0 || nameShapeOf(name) != notName && (!isNotSpeaker(name) || isRole(name) ||
		mayEndWithSurname(name)) {
		c.addAnyLabel(name)
	}
}

// addAnyLabel counts a label that may also head a remark, such as Q.
func (c styleCount) addAnyLabel(name string) {
	if n := c.labels[name]; n > 0 || len(c.labels) < maxLabels {
		c.labels[name] = n + 1
	}
}

// recurring returns how many names recur, and how often they occur together.
func (c styleCount) recurring() (names, labels int) {
	for name, n := range c.labels {
		if n > 2 || n == 2 && nameShapeOf(name) == fullName {
			names++
			labels += n
		}
	}
	return names, labels
}

// accepted returns the names that are speakers: those that recur, and guests.
func (c styleCount) accepted(style labelStyle) map[string]bool {
	names := map[string]bool{}
	for name, n := range c.labels {
		isFull := nameShapeOf(name) == fullName
		isOwn := style.any || style.alone && isPhone(name) || // in a place where no word stands
			style.clear && peopleWords[strings.ToLower(name)]
		if n > 2 || isOwn || isFull && (n > 1 || style.alone || strings.Contains(name, " ")) {
			names[name] = true
		}
	}
	return names
}

// doubtful returns the names that occur once and may be speakers, in a file that labels most of its turns. A
// style that sentences have too must begin a paragraph.
func (c styleCount) doubtful(style labelStyle, mostly, paragraphs bool) map[string]bool {
	if !mostly || !style.alone && !style.clear && !paragraphs {
		return nil
	}
	names, accepted := map[string]bool{}, c.accepted(style)
	for name := range c.labels {
		words := len(strings.Fields(name))
		isPhrase := (style.alone || style.line) && words <= maxPhrase && startsWithCapital(name)
		if !accepted[name] && (nameShapeOf(name) == fullName || style.clear && words == 1 || isPhrase) {
			names[name] = true
		}
	}
	return names
}

// maxPhrase is how many words a label has, at most, that is no name, such as "Voice from the office".
const maxPhrase = 5

// eachTextLine visits the lines of a text. A line is trimmed, and follows the time at its start.
func eachTextLine(text string, inCue bool, visit func(raw string, l textLine)) {
	afterBlank := true
	raw, rest, more := strings.Cut(text, "\n")
	for {
		var next string
		var nextMore bool
		after := rest
		if more {
			next, after, nextMore = strings.Cut(rest, "\n")
		}
		l := textLine{
			text: strings.TrimSpace(raw), next: strings.TrimSpace(next), afterBlank: afterBlank, inCue: inCue,
		}
		if h, ok := timestampHeader(l.text); ok {
			afterBlank = h.rest == "" // a name may be below a time that stands alone
			l.text, l.timed = strings.TrimSpace(h.rest), true
		} else {
			afterBlank = l.text == ""
		}
		visit(raw, l)
		if !more {
			return
		}
		raw, rest, more = next, after, nextMore
	}
}

// stripLineNumbers removes the numbers before the lines of a text, if nearly all have one and labels follow.
func stripLineNumbers(text string) string {
	numbered, lines, last := 0, 0, 0
	labels := styleCount{map[string]int{}}
	for line := range strings.SplitSeq(text, "\n") {
		if isBlank(line) {
			continue
		}
		lines++
		n, rest, ok := cutLineNumber(line)
		if !ok || n != last+1 && last > 0 {
			continue
		}
		last = n
		numbered++
		if name, _, ok := splitLabel(rest); ok {
			labels.add(name)
		}
	}
	_, labelled := labels.recurring()
	if numbered < 4 || numbered*10 < lines*7 || labelled*2 < numbered {
		return text
	}
	return rewriteLines(text, func(line string) string {
		if _, rest, ok := cutLineNumber(line); ok {
			return rest
		}
		return line
	})
}

// cutLineNumber reads "12. text", "12) text", "012  text".
func cutLineNumber(line string) (n int, rest string, ok bool) {
	line = strings.TrimLeft(line, " \t")
	n, size := parseDigits(line, 6)
	if size == 0 {
		return 0, "", false
	}
	rest = line[size:]
	if rest != "" && strings.ContainsRune(".)|:", rune(rest[0])) {
		rest = rest[1:]
	}
	if next, _ := utf8.DecodeRuneInString(rest); next != ' ' && next != '\t' {
		return 0, "", false
	}
	return n, strings.TrimLeft(rest, " \t"), true
}
