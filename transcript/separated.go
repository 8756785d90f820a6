package transcript

import (
	"slices"
	"strings"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
)

// fieldMarks separate the name, the time and the words of a line.
const fieldMarks = ";,@/|—–-·•"

// canonicalFields rewrites lines such as "Dana; 00:03; text", "Dana @ 00:03: text" and "00:03 | Dana | text"
// as "[00:03] Dana: text", if most lines or paragraphs of the text are so, and the names recur.
func canonicalFields(text string) string {
	names, count := newTally(), 0
	for line := range strings.SplitSeq(text, "\n") {
		if f, ok := splitFields(line); ok {
			names.add(f.name)
			count++
		}
	}
	blocks, lines := plain.CountBlocks(text)
	if blocks < 2 {
		blocks = lines
	}
	if distinct, labels := names.recurring(); distinct < 2 || labels*10 < count*8 || count*10 < blocks*6 {
		return text
	}
	rewritten := plain.RewriteLines(text, func(line string) string {
		if f, ok := splitFields(line); ok {
			return "[" + f.stamp + "] " + f.name + ": " + f.rest
		}
		return line
	})
	return strings.TrimSuffix(rewritten, "\n")
}

// A fieldLine is a line with a name, a time and words.
type fieldLine struct{ name, stamp, rest string }

// splitFields reads a line whose fields have marks between them. The name or the time comes first.
func splitFields(line string) (fieldLine, bool) {
	line = strings.TrimSpace(line)
	if _, rest, ok := clock.ParseTimestamp(line); ok {
		stamp := line[:len(line)-len(rest)]
		rest, ok = cutMark(rest, "|;,")
		if !ok {
			return fieldLine{}, false
		}
		head := rest[:min(len(rest), plain.MaxLabel)]
		i := strings.IndexAny(head, "|;:")
		if i <= 0 || i+1 >= len(rest) || rest[i+1] != ' ' {
			return fieldLine{}, false
		}
		name := strings.TrimSpace(rest[:i])
		return fieldLine{name, stamp, strings.TrimSpace(rest[i+1:])}, speaker.ShapeOf(name) != speaker.NotName
	}
	head := line[:min(len(line), plain.MaxLabel)]
	for i := 1; i < len(head); i++ {
		if !strings.ContainsRune(fieldMarks, rune(head[i])) && head[i] < 0x80 {
			continue
		}
		rest, ok := cutMark(line[i:], fieldMarks)
		if !ok {
			continue
		}
		_, after, ok := clock.ParseTimestamp(rest)
		if !ok {
			continue
		}
		words, ok := cutMark(after, fieldMarks+":")
		name := strings.TrimSpace(line[:i])
		if !ok || words == "" || speaker.ShapeOf(name) == speaker.NotName {
			return fieldLine{}, false
		}
		return fieldLine{name, rest[:len(rest)-len(after)], words}, true
	}
	return fieldLine{}, false
}

// cutMark cuts one of the marks, and a space behind it.
func cutMark(s, marks string) (rest string, ok bool) {
	s = strings.TrimLeft(s, " \t")
	for _, mark := range marks {
		if rest, ok := strings.CutPrefix(s, string(mark)); ok {
			return strings.TrimLeft(rest, " \t"), strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, "\t")
		}
	}
	return s, false
}

// stripCounters removes the numbers that stand above times, or above names with times, as those of captions
// do. They count up by one.
func stripCounters(text string) string {
	lines := strings.Split(text, "\n")
	var counters []int
	last, stamps := 0, 0
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if _, ok := clock.ReadStamp(line); ok {
			stamps++
		}
		line = speaker.TrimBrackets(line)
		n, size := plain.ParseDigits(line, 6)
		if size == 0 || size != len(line) || i+1 == len(lines) || len(counters) > 0 && n != last+1 {
			continue
		}
		next := strings.TrimSpace(lines[i+1])
		_, isStamp := clock.ReadStamp(next)
		_, _, isTabbed := splitTab(textLine{text: next})
		if isStamp || isTabbed {
			counters, last = append(counters, i), n
		}
	}
	if len(counters) < 3 || len(counters)*10 < stamps*8 {
		return text
	}
	for _, i := range counters {
		lines[i] = ""
	}
	return strings.Join(lines, "\n")
}

// stripTurnNumbers removes the numbers that turns have before or after their names, as in "Q12 Dana: text",
// "(12) Dana: text", "[T012] Dana: text" and "Dana [12]: text". They count up by one.
func stripTurnNumbers(text string) string {
	for _, cut := range []func(line string) (n int, rest string, ok bool){
		cutQuestionNumber, cutNumberInBrackets, cutNumberAfterName, cutNumberAtEnd,
	} {
		last, count, breaks := 0, 0, 0
		for line := range strings.SplitSeq(text, "\n") {
			if n, _, ok := cut(line); ok {
				if count > 0 && n != last+1 {
					breaks++
				}
				last = n
				count++
			}
		}
		if count < 3 || breaks*5 > count {
			continue
		}
		rewritten := plain.RewriteLines(text, func(line string) string {
			if _, rest, ok := cut(line); ok {
				return rest
			}
			return line
		})
		return strings.TrimSuffix(rewritten, "\n")
	}
	return text
}

// cutQuestionNumber reads "Q12 Dana: text", the questions of a committee.
func cutQuestionNumber(line string) (n int, rest string, ok bool) {
	line, ok = strings.CutPrefix(strings.TrimLeft(line, " \t"), "Q")
	if !ok {
		return 0, "", false
	}
	n, size := plain.ParseDigits(line, 4)
	rest, spaced := strings.CutPrefix(line[size:], " ")
	_, _, labelled := speaker.SplitLabel(rest)
	return n, rest, size > 0 && spaced && labelled
}

// cutNumberInBrackets reads "(12) Dana: text", "[12] Dana: text" and "[T012] Dana: text".
func cutNumberInBrackets(line string) (n int, rest string, ok bool) {
	line = strings.TrimLeft(line, " \t")
	if line == "" || line[0] != '(' && line[0] != '[' {
		return 0, "", false
	}
	line = strings.TrimPrefix(line[1:], "T")
	n, size := plain.ParseDigits(line, 5)
	rest = line[size:]
	if size == 0 || !plain.HasAnyPrefix(rest, ") ", "] ") {
		return 0, "", false
	}
	rest = strings.TrimLeft(rest[1:], " ")
	_, _, labelled := speaker.SplitLabel(rest)
	return n, rest, labelled
}

// cutNumberAfterName reads "Dana [12]: text" and "Dana (12): text".
func cutNumberAfterName(line string) (n int, rest string, ok bool) {
	head := line[:min(len(line), plain.MaxLabel)]
	i := strings.IndexAny(head, "[(")
	if i < 2 || head[i-1] != ' ' {
		return 0, "", false
	}
	n, size := plain.ParseDigits(line[i+1:], 5)
	rest = line[i+1+size:]
	if size == 0 || !plain.HasAnyPrefix(rest, "]: ", "): ") {
		return 0, "", false
	}
	return n, line[:i-1] + rest[1:], true
}

// cutNumberAtEnd reads "Dana: text (12)" and "Dana: text [12]".
func cutNumberAtEnd(line string) (n int, rest string, ok bool) {
	line = strings.TrimRight(line, " \t")
	i := max(strings.LastIndex(line, " ("), strings.LastIndex(line, " ["))
	if i < 0 || !plain.HasAnySuffix(line, ")", "]") {
		return 0, "", false
	}
	n, size := plain.ParseDigits(line[i+2:], 5)
	_, _, labelled := speaker.SplitLabel(line)
	return n, line[:i], labelled && size > 0 && i+2+size == len(line)-1
}

// canonicalQuestions removes the numbers of questions, as in "Question 12: …", where the answers have labels:
// "Answer: …", or "A12: …". They say which question it is, not who asks.
func canonicalQuestions(text string) string {
	questions, answers := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		name, _, numbered, ok := cutPairLabel(line)
		switch {
		case !ok:
		case name == 0 && numbered:
			questions++
		case name == 1:
			answers++
		}
	}
	if questions < 2 || answers < 2 {
		return text
	}
	return strings.TrimSuffix(plain.RewriteLines(text, func(line string) string {
		if _, unnumbered, numbered, ok := cutPairLabel(line); ok && numbered {
			return unnumbered
		}
		return line
	}), "\n")
}

// cutPairLabel reads a line whose label is one of a pair, such as "Question 3: …". It returns which one of
// the pair it is, and the line without the number.
func cutPairLabel(line string) (which int, unnumbered string, numbered, ok bool) {
	label, rest, found := strings.Cut(line, ":")
	if !found || len(label) > plain.MaxLabel || !plain.IsBlank(rest[:min(len(rest), 1)]) {
		return 0, "", false, false // also "Q 00:03"
	}
	word := strings.TrimRight(label, "0123456789")
	numbered = word != label
	word = strings.TrimSpace(word)
	for _, pair := range speaker.LabelPairs {
		if which = slices.Index(pair[:], strings.ToLower(word)); which >= 0 {
			return which, word + ":" + rest, numbered, true
		}
	}
	return 0, "", false, false
}
