package transcript

import (
	"regexp"
	"strings"

	"research/transcript/internal/plain"
)

// legendLabel is a line that begins with a short label, in any style.
var legendLabel = regexp.MustCompile(`^[ \t]*(\pL[\pL\pN]{0,9})(?:\.? (?:—|–|-) |\.?:[ \t]*|\.[ \t]+|\t)`)

// canonicalLegend rewrites the labels that a file explains as "N: text", if they are at the starts of many
// lines, and two of them recur.
func canonicalLegend(text string) string {
	legend := legendOf(text)
	if legend == nil {
		return text
	}
	counts, labels := map[string]int{}, 0
	for line := range strings.SplitSeq(text, "\n") {
		if label, _, ok := cutLegendLabel(line, legend); ok {
			counts[label]++
			labels++
		}
	}
	recurring := 0
	for _, n := range counts {
		if n > 2 {
			recurring++
		}
	}
	if _, lines := plain.CountBlocks(text); recurring < 2 || labels*4 < lines {
		return text
	}
	return plain.RewriteLines(text, func(line string) string {
		if label, rest, ok := cutLegendLabel(line, legend); ok {
			return label + ": " + rest
		}
		return line
	})
}

// cutLegendLabel cuts a label of the legend from a line, which is not one of the legend itself.
func cutLegendLabel(line string, legend map[string]bool) (label, rest string, ok bool) {
	m := legendLabel.FindStringSubmatch(line)
	if m == nil || !legend[m[1]] {
		return "", "", false
	}
	rest = line[len(m[0]):]
	return m[1], rest, !strings.HasPrefix(rest, "=") && len(legendEntry.FindAllStringIndex(line, 2)) < 2
}
