package transcript

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
)

// joinNamesAbove puts names that stand above the lines of their words into these lines, behind the time:
// "Dana:" and "[0:03] text" become "[0:03] Dana: text". It returns the text as it is unless this is so for
// most times.
func joinNamesAbove(text string) string {
	lines := strings.Split(text, "\n")
	stamped := 0
	counts := newTally()
	for i, line := range lines {
		if h, ok := clock.ReadStamp(strings.TrimSpace(line)); !ok || h.Rest == "" {
			continue
		}
		stamped++
		if name, ok := nameAbove(lines, i); ok {
			counts.add(name)
		}
	}
	names, labels := counts.recurring()
	if names < 2 || labels*10 < stamped*6 {
		return text
	}
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		h, ok := clock.ReadStamp(trimmed)
		if !ok || h.Rest == "" {
			continue
		}
		if name, ok := nameAbove(lines, i); ok && counts.labels[name] > 0 {
			lines[i-1] = ""
			lines[i] = trimmed[:len(trimmed)-len(h.Rest)] + name + ": " + h.Rest
		}
	}
	return strings.Join(lines, "\n")
}

// nameAbove returns the name on the line above a line.
func nameAbove(lines []string, i int) (name string, ok bool) {
	if i == 0 || i > 1 && !plain.IsBlank(lines[i-2]) {
		return "", false
	}
	name = strings.TrimSuffix(strings.TrimSpace(lines[i-1]), ":")
	return name, name != "" && len(name) <= plain.MaxLabel && speaker.ShapeOf(name) != speaker.NotName
}

// Bounds on a text that has names on lines of their own.
const (
	minNameLines     = 3   // tenths of the lines that are names, at least
	maxNamelessLines = 100 // before the first name
)

// joinNameLines puts names that stand on lines of their own before the lines below them, in a text without
// blank lines: captions that people copy. All other lines must end with a sentence, so that no words are
// taken for names.
func joinNameLines(text string) string {
	if blocks, _ := plain.CountBlocks(text); blocks > 1 {
		return text
	}
	names, lines, ended := newTally(), 0, 0
	above, isAbove := "", false
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if lines++; lines > maxNamelessLines && len(names.labels) == 0 {
			return text
		}
		isName := isNameLine(line)
		switch {
		case isAbove && isName:
			return text // a list
		case isAbove:
			names.add(above)
		}
		if !isName && plain.EndsSentence(strings.TrimSpace(line)) {
			ended++
		}
		above, isAbove = strings.TrimSpace(line), isName
	}
	distinct, labels := names.recurring()
	if distinct < 2 || labels*10 < lines*minNameLines || ended*10 < (lines-labels)*9 {
		return text
	}
	return plain.RewriteLines(text, func(line string) string {
		if name := strings.TrimSpace(line); names.labels[name] > 0 && isNameLine(line) {
			return name + ":"
		}
		return line
	})
}

// isNameLine reports whether a line may be a name and nothing else.
func isNameLine(line string) bool {
	line = strings.TrimSpace(line)
	return line != "" && len(line) <= plain.MaxLabel && !plain.EndsSentence(line) &&
		speaker.ShapeOf(line) == speaker.FullName &&
		!clock.HasTrailing(line)
}

// Bounds on labels within paragraphs.
const (
	minRunningLabels = 6 // of all speakers
	maxRunningNames  = 6
)

// runningLabels passes the labels behind the ends of sentences to a function: "… on paper. Dana: Why?"
func runningLabels(line string, visit func(name string)) {
	for from := 0; ; {
		i := strings.IndexByte(line[from:], ':')
		if i < 0 {
			return
		}
		head := line[max(from, from+i-plain.MaxWord) : from+i]
		from += i + 1
		end := strings.LastIndexAny(head, ".?!…")
		if end < 0 || !plain.HasAnyPrefix(line[from:], " ", "\u00a0") {
			continue
		}
		_, size := utf8.DecodeRuneInString(head[end:])
		visit(strings.Trim(head[end+size:], "\"”»)] \u00a0"))
	}
}

// breakBeforeLabels begins a new line before the labels within lines, if few names recur there, the first of
// these lines begins with one, and hardly any others do: a conversation in one paragraph.
func breakBeforeLabels(text string) string {
	counts, atStart := newTally(), 0
	first, begun := "", false // the label of the first line that has others within
	for line := range strings.SplitSeq(text, "\n") {
		name, _, ok := speaker.SplitLabel(strings.TrimSpace(line))
		if ok && !speaker.HeadsRemark(name) {
			atStart++
		}
		runningLabels(line, func(within string) {
			counts.add(within)
			if !begun {
				first, begun = name, true
			}
		})
	}
	names, labels := counts.recurring()
	if names < 2 || names > maxRunningNames || labels < minRunningLabels || atStart*2 > labels ||
		counts.labels[first] == 0 {
		return text
	}
	var found []string
	for name := range counts.labels {
		if counts.recurs(name) {
			found = append(found, regexp.QuoteMeta(name))
		}
	}
	anyOf := strings.Join(found, "|")
	label := regexp.MustCompile(`(?m)([^\pL\pN\n])[ \x{a0}]*((?:` + anyOf + `) ?:(?:[ \x{a0}]|$))`)
	return label.ReplaceAllString(text, "$1\n$2")
}

// innerHead is a time in brackets and a label, perhaps within a line.
var innerHead = regexp.MustCompile(`\[\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?\] ?([^\n:\[\]]{1,40}): `)

// breakBeforeHeads begins a new line before heads such as "[0:03] Dana: " within lines, if their names are
// those of heads at the starts of lines.
func breakBeforeHeads(text string) string {
	if !strings.ContainsRune(text, '[') {
		return text
	}
	first, within := newTally(), 0
	heads := innerHead.FindAllStringSubmatchIndex(text, -1)
	for _, at := range heads {
		if at[0] == 0 || text[at[0]-1] == '\n' {
			first.add(text[at[2]:at[3]])
		} else {
			within++
		}
	}
	if distinct, _ := first.recurring(); within == 0 || distinct < 2 {
		return text
	}
	var out strings.Builder
	from := 0
	for _, at := range heads {
		if at[0] > 0 && text[at[0]-1] == ' ' && first.labels[text[at[2]:at[3]]] > 1 {
			out.WriteString(text[from:at[0]] + "\n")
			from = at[0]
		}
	}
	return out.String() + text[from:]
}
