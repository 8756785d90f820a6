package transcript

import (
	"strings"
	"unicode/utf8"

	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
)

// stripLineNumbers removes the numbers before the lines of a text, if nearly all have one and labels follow.
func stripLineNumbers(text string) string {
	numbered, lines, last := 0, 0, 0
	labels := newTally()
	for line := range strings.SplitSeq(text, "\n") {
		if plain.IsBlank(line) {
			continue
		}
		lines++
		n, rest, ok := cutLineNumber(line)
		if !ok || n != last+1 && last > 0 {
			continue
		}
		last = n
		numbered++
		if name, _, ok := speaker.SplitLabel(rest); ok {
			labels.add(name)
		}
	}
	_, labelled := labels.recurring()
	if numbered < 4 || numbered*10 < lines*7 || labelled*2 < numbered {
		return text
	}
	return plain.RewriteLines(text, func(line string) string {
		if _, rest, ok := cutLineNumber(line); ok {
			return rest
		}
		return line
	})
}

// cutLineNumber reads "12. text", "12) text", "012  text".
func cutLineNumber(line string) (n int, rest string, ok bool) {
	line = strings.TrimLeft(line, " \t")
	n, size := plain.ParseDigits(line, 6)
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
