package transcript

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
)

// markedLabels are labels that the layout of a file marks as such.
type markedLabels struct {
	names    map[string]bool
	only     bool            // the file has no other labels
	doubtful map[string]bool // labels that occur once; what follows one has no speaker

	decided decidedLabels
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

// splitAbove reads a name on a line of its own, in brackets or not, behind "#" as MAXQDA has it in focus
// groups, or behind a mark of Japanese typists.
func splitAbove(l textLine) (name, rest string, ok bool) {
	if l.timed || !l.afterBlank || l.next == "" || len(l.text) > plain.MaxLabel ||
		strings.HasSuffix(l.text, ":") {
		return "", "", false
	}
	if name = strings.TrimLeft(l.text, "#●○◎■□◆◇"); name != l.text {
		return name, "", true
	}
	name = speaker.TrimBrackets(l.text)
	return name, "", name == l.text || !speaker.IsNoise(name)
}

// splitBracketsAbove reads a name in brackets above the first of several captions.
func splitBracketsAbove(l textLine) (name, rest string, ok bool) {
	name, rest, ok = splitAbove(l)
	return name, rest, ok && name == speaker.TrimBrackets(l.text) && name != l.text
}

// splitParagraph reads a name in a paragraph of its own, as Word documents have it.
func splitParagraph(l textLine) (name, rest string, ok bool) {
	words := strings.Fields(l.text)
	isInitial := len(words) > 1 && len(words[len(words)-1]) == 2 // "Dana W."
	if l.timed || l.inCue || !l.afterBlank || l.next != "" || len(l.text) > plain.MaxLabel ||
		plain.EndsSentence(l.text) && !isInitial {
		return "", "", false
	}
	return strings.TrimSuffix(l.text, ":"), "", true
}

// splitNumberedName reads "Speaker 1" on a line of its own, above the words and directly below others, as
// Word's transcriptions have it.
func splitNumberedName(l textLine) (name, rest string, ok bool) {
	word, number, ok := strings.Cut(l.text, " ")
	_, size := plain.ParseDigits(number, 2)
	return l.text, "", ok && !l.timed && !l.inCue && l.next != "" && size > 0 && size == len(number) &&
		!speaker.NumberedHeadings[strings.ToLower(word)]
}

// splitTab reads "Name⇥text", and "名前　text" with the wide space of Chinese and Japanese.
func splitTab(l textLine) (name, rest string, ok bool) {
	if name, rest, ok = strings.Cut(l.text, "\t"); !ok {
		name, rest, ok = strings.Cut(l.text, "\u3000")
	}
	name = strings.TrimSuffix(strings.TrimSpace(name), ":")
	return name, rest, ok && len(name) <= plain.MaxLabel && !plain.IsBlank(rest)
}

// splitBrackets reads "[Name] text", "(Name) text", "<Name> text", "{Name} text" and "«Name» text".
func splitBrackets(l textLine) (name, rest string, ok bool) {
	for _, pair := range [][2]string{{"{", "} "}, {"«", "» "}, {"【", "】"}, {"（", "）"}} {
		if after, found := strings.CutPrefix(l.text, pair[0]); found {
			name, rest, ok = strings.Cut(after, pair[1])
			return name, rest, ok && len(name) <= plain.MaxLabel && !speaker.IsNoise(name)
		}
	}
	if l.text == "" || !strings.ContainsRune("[(<", rune(l.text[0])) {
		return "", "", false
	}
	depth := 0
	for i := range min(len(l.text), plain.MaxLabel) {
		switch l.text[i] {
		case '[', '(', '<':
			depth++
		case ']', ')', '>':
			depth--
		}
		if depth == 0 {
			name, rest = strings.TrimSpace(l.text[1:i]), l.text[i+1:]
			return name, rest, !plain.IsBlank(rest) && !speaker.IsNoise(name) && rest[0] == ' '
		}
	}
	return "", "", false
}

// splitAngles reads "<Name> text", as chats have it, and "【Name】 text".
func splitAngles(l textLine) (name, rest string, ok bool) {
	if !plain.HasAnyPrefix(l.text, "<", "【") {
		return "", "", false
	}
	return splitBrackets(l)
}

// splitQuotes reads "名前「…」", as Japanese writes what people say.
func splitQuotes(l textLine) (name, rest string, ok bool) {
	name, rest, ok = strings.Cut(l.text, "「")
	rest, closed := strings.CutSuffix(rest, "」")
	return strings.TrimRight(name, ":： "), rest, ok && closed && name != "" && len(name) <= plain.MaxLabel
}

// splitDash reads "Name - text".
func splitDash(l textLine) (name, rest string, ok bool) {
	head := l.text[:min(len(l.text), plain.MaxLabel)]
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
	head := l.text[:min(len(l.text), plain.MaxLabel)]
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
	head := l.text[:min(len(l.text), plain.MaxLabel)]
	at, size := -1, 0
	for _, mark := range labelMarks {
		if i := strings.Index(head, mark); i > 0 && (at < 0 || i < at) {
			at, size = i, len(mark)
		}
	}
	if bare := strings.TrimLeft(head, "@#*_"); bare != head && (bare == "" || !plain.IsDigit(bare[0])) {
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
	if !ok || len(name) > plain.MaxLabel || rest == "" || strings.HasPrefix(rest, "//") || name == "" ||
		plain.IsDigit(name[len(name)-1]) && plain.IsDigit(rest[0]) {
		return "", "", false
	}
	return name, rest, true
}

// splitTightDash reads "Name- text", without a space before the dash.
func splitTightDash(l textLine) (name, rest string, ok bool) {
	name, rest, ok = strings.Cut(l.text, "- ")
	return name, rest, ok && len(name) <= plain.MaxLabel && name != "" && !strings.HasSuffix(name, " ")
}

// splitFullStop reads "Mme Dana Weber. Text" and "Dana Weber (PPE). – Text", as records of parliaments have
// it, and "DANA. Text", as plays do.
func splitFullStop(l textLine) (name, rest string, ok bool) {
	name, rest, ok = strings.Cut(l.text, ". ")
	if ok && len(name) < 4 { // a title, such as "M. le président."
		var after string
		after, rest, ok = strings.Cut(rest, ". ")
		name += ". " + after
	}
	rest, _ = plain.CutDash(rest)
	words := strings.Fields(name)
	isInitial := len(words) > 1 && len(words[len(words)-1]) == 1
	isCapitals := len(words) == 1 && plain.IsAllCaps(name) && utf8.RuneCountInString(name) > 2
	return name, rest, ok && len(name) <= plain.MaxLabel && (len(words) > 1 || isCapitals) && !isInitial
}

// splitWide reads "Name      text", with three spaces or more between.
func splitWide(l textLine) (name, rest string, ok bool) {
	name, rest, ok = strings.Cut(l.text, "   ")
	name = strings.TrimSuffix(strings.TrimSpace(name), ":")
	if len(name) == 2 {
		name = strings.TrimSuffix(name, ".") // "Q."
	}
	rest = strings.TrimLeft(rest, " ")
	return name, rest, ok && name != "" && len(name) <= plain.MaxLabel && rest != "" &&
		!strings.Contains(name, "  ")
}
