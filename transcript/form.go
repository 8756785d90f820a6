package transcript

import (
	"strings"
	"unicode"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
	"research/transcript/internal/turn"
)

// A formLine is a line of a form at the beginning of a text: "Date: 3 May", "Moderator: Dana Weber".
type formLine struct {
	label, value string
	start, end   int  // bytes of the text
	afterBlank   bool // a blank line is above
	beforeBlank  bool // a blank line is below
}

// A formVerdict says whether a line belongs to the form.
type formVerdict int

const (
	isSpeech formVerdict = iota
	doubtfulField
	certainField
)

// cutForm cuts the form off the beginning of a text, if it names people behind the labels of speakers, as in
// "Moderator: Dana Weber". It is doubtful if its last such line may be a turn. Forms of other fields need not
// be cut: these are known not to be speakers.
func cutForm(text string) (form, body string, doubtful bool) {
	lines := formLines(text)
	if len(lines) == 0 {
		return "", text, false
	}
	labels := countBodyLabels(text[lines[len(lines)-1].end:], lines)
	for len(lines) > 0 {
		last := lines[len(lines)-1]
		people := false
		verdict := certainField
		for i, line := range lines {
			people = people || !isFormField(line.label, labels)
			verdict = min(verdict, judgeFormLine(lines, i, labels, text[last.end:]))
		}
		switch {
		case verdict == isSpeech:
			lines = lines[:len(lines)-1]
			labels[last.label]++
		case !people:
			return "", text, false
		default:
			return text[:last.end], text[last.end:], verdict == doubtfulField
		}
	}
	return "", text, false
}

// formLines returns the lines at the beginning of a text that may be a form, up to the first words of a
// speaker. Titles between them are left out.
func formLines(text string) []formLine {
	var found []formLine
	lines := plain.Lines{Text: text}
	fields := formFields(text)
	blank := true
	for range 2 * maxForm {
		line, start, ok := lines.Next()
		line = strings.TrimSpace(line)
		if !ok || len(line) > plain.MaxLabel {
			break
		}
		if line == "" {
			blank = true
			if len(found) > 0 {
				found[len(found)-1].beforeBlank = true
			}
			continue
		}
		label, value, ok := speaker.SplitLabel(line)
		value = strings.TrimSpace(value)
		isKnown := speaker.HeadsRemark(label) && !speaker.IsOfPair(label) && !speaker.IsRole(label)
		switch {
		case ok && len(found) == 0 && speaker.IsMeetingTitle(label):
		case ok && (isKnown || fields[label] || isFormValue(value)):
			found = append(found, formLine{label, value, start, lines.Pos, blank, false})
		case !ok && !blank && len(found) > 0:
			return found[:len(found)-1] // the words of a turn go on
		case ok || plain.EndsSentence(line):
			return found
		}
		blank = false
	}
	return found
}

// maxFormValue is how many words a value of a form has, at most.
const maxFormValue = 8

// isFormValue reports whether a text behind a label may be the name of a person, a code, or other data,
// rather than what somebody says.
func isFormValue(value string) bool {
	name, data, _ := strings.Cut(value, ", ")
	return speaker.ShapeOf(name) == speaker.FullName && len(strings.Fields(value)) <= maxFormValue &&
		!strings.ContainsAny(value, "?!…") && !strings.Contains(data, ". ") &&
		(!plain.EndsSentence(value) || isInitial(value))
}

// isInitial reports whether a name ends with an initial, as in "Dana W.".
func isInitial(name string) bool {
	words := strings.Fields(name)
	last := words[len(words)-1]
	return len(words) > 1 && len(last) == len("W.") && unicode.IsUpper(rune(last[0]))
}

// isCertainValue reports whether a value is a name of several words, or has a number, as in "P07" and "Anna,
// 34", so that it is hardly ever speech.
func isCertainValue(value string) bool {
	name, _, _ := strings.Cut(value, ", ")
	return strings.Contains(name, " ") || strings.ContainsFunc(value, unicode.IsDigit)
}

// countBodyLabels counts the labels behind a form that are those of the form, or the names in it.
func countBodyLabels(body string, form []formLine) map[string]int {
	wanted := map[string]bool{}
	for _, line := range form {
		name, _, _ := strings.Cut(line.value, ", ")
		wanted[line.label], wanted[name], wanted[speaker.Core(name)] = true, true, true
		if _, short, ok := strings.Cut(line.value, " ("); ok {
			wanted[strings.TrimSuffix(short, ")")] = true // "Dana Weber (DW)"
		}
	}
	labels := map[string]int{}
	for line := range strings.SplitSeq(body, "\n") {
		line = strings.TrimSpace(line)
		if h, ok := clock.ReadStamp(line); ok {
			line = h.Rest
		}
		if t, _, ok := timedLabel(line); ok && wanted[t.Speaker] {
			labels[t.Speaker]++
		}
	}
	return labels
}

// isFormField reports whether a label is a field of forms that no turn has.
func isFormField(label string, labels map[string]int) bool {
	return speaker.HeadsRemark(label) && labels[label] == 0 && !speaker.IsOfPair(label) && !speaker.IsRole(label)
}

// names reports whether the value of a line is a label in the body.
func (l formLine) names(labels map[string]int) bool {
	name, _, _ := strings.Cut(l.value, ", ")
	_, short, _ := strings.Cut(strings.TrimSuffix(l.value, ")"), " (")
	for _, other := range []string{name, speaker.Core(name), short} {
		if other != l.label && labels[other] > 0 {
			return true
		}
	}
	return false
}

// judgeFormLine decides about one of the lines that may be a form.
func judgeFormLine(lines []formLine, i int, labels map[string]int, body string) formVerdict {
	line := lines[i]
	if isFormField(line.label, labels) || line.names(labels) {
		return certainField
	}
	fieldBefore, fieldAfter, people := false, false, 0
	for j, other := range lines {
		switch {
		case isFormField(other.label, labels) || other.names(labels):
			fieldBefore, fieldAfter = fieldBefore || j < i, fieldAfter || j > i
		case speaker.IsRole(other.label) && isCertainValue(other.value):
			people++
		}
	}
	inOneBlock := lines[len(lines)-1].beforeBlank
	for _, other := range lines[1:] {
		inOneBlock = inOneBlock && !other.afterBlank
	}
	switch {
	case fieldAfter, fieldBefore && (labels[line.label] == 0 || inOneBlock):
		return certainField
	case !speaker.IsRole(line.label) || !isCertainValue(line.value):
		return isSpeech
	case people > 1 && inOneBlock, labels[line.label] == 0:
		return certainField
	}
	next, _, _ := strings.Cut(strings.TrimLeft(body, " \n"), "\n")
	switch label, _, _ := speaker.SplitLabel(next); {
	case label == line.label && i == len(lines)-1:
		return certainField
	case plain.EndsSentence(next):
		return doubtfulField
	}
	return isSpeech // as nothing in the file has punctuation
}

// parseWithForm reads the form before the turns that the function reads, as speech without a speaker.
func parseWithForm(form string, doubtful bool, parse func() turn.List) turn.List {
	var head turn.List
	addLabelledPreamble(&head, form)
	if n := len(head.Turns); n > 0 {
		head.Turns[n-1].Doubtful = doubtful
	}
	list := parse()
	list.Turns = append(head.Turns, list.Turns...)
	list.Dropped = head.Dropped + list.Dropped
	return list
}
