package transcript

import (
	"strings"
	"unicode"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/running"
)

// Bounds on what recurs in lines as the names of speakers do.
const (
	maxNames      = 12 // different names
	minNamedLines = 8  // lines
)

// hasRecurringNames reports whether a few short lines, or cells or words at the starts of lines, recur among
// others as the names of speakers do.
func (s source) hasRecurringNames() bool {
	short, first := map[string]int{}, map[string]int{}
	lines := 0
	for line := range strings.SplitSeq(s.lines, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		lines++
		if h, ok := clock.ReadStamp(line); ok && h.Rest != "" {
			line = h.Rest
		}
		if cell, _, _ := strings.Cut(line, "\t"); len(cell) <= 40 && len(short) < plain.MaxLabels &&
			!plain.EndsSentence(cell) && (running.MayBeName(cell) || strings.HasPrefix(cell, "@")) {
			short[cell]++
		}
		if word := firstWord(line); word != "" && len(first) < plain.MaxLabels {
			first[word]++
		}
	}
	names, all, _ := recurringOf(short, 2)
	words, begun, most := recurringOf(first, 3)
	return names > 1 && names <= maxNames && all*6 >= lines || lines >= minNamedLines &&
		(words > 1 && words <= maxNames && begun*10 >= lines*8 || most*5 >= lines*2)
}

// firstWord returns the letters and digits with which a line begins, behind marks and numbers.
func firstWord(line string) string {
	isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	isNoLetter := func(r rune) bool { return !unicode.IsLetter(r) }
	line = strings.TrimLeftFunc(line[:min(len(line), plain.MaxLabel)], isNoLetter)
	if end := strings.IndexFunc(line, func(r rune) bool { return !isWord(r) }); end >= 0 {
		return line[:end]
	}
	return ""
}

// recurringOf returns how many texts occur at least so often, how often they do together, and how often the
// most frequent one does.
func recurringOf(counts map[string]int, least int) (texts, all, most int) {
	for _, n := range counts {
		if n >= least {
			texts++
			all += n
			most = max(most, n)
		}
	}
	return texts, all, most
}
