package transcript

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"research/transcript/internal/boilerplate"
	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
)

// countLabels counts the labels of a text, whose units are its paragraphs if it has any, else its lines.
func countLabels(text string, marked markedLabels) *labelCounts {
	counts := newLabelCounts()
	counts.marked, counts.form, counts.legend = marked, formFields(text), legendOf(text)
	width, before, unlabelled := plain.WrapWidth(text), "", 0
	wrapped := map[string]int{}
	for line := range strings.SplitSeq(text, "\n") {
		if !plain.IsBlank(line) {
			counts.addLine(line)
			t, _, ok := timedLabel(line[plain.DialogueMark(line):])
			switch {
			case !ok:
				unlabelled++
				phrase, ok := splitPhrase(line)
				if ok && !continuesLine(before, line, width) && len(counts.phrases) < plain.MaxLabels {
					counts.phrases[phrase]++
				}
			case continuesLine(before, line, width) && len(wrapped) < plain.MaxLabels:
				wrapped[t.Speaker]++
			}
		}
		before = line
	}
	blocks, lines := plain.CountBlocks(text)
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

// formFields returns the labels of a form at the beginning of a text: a paragraph whose lines, but for a
// title, all have labels, at least two of which are not those of speakers.
func formFields(text string) map[string]bool {
	block, _, more := strings.Cut(strings.TrimLeft(text, "\n"), "\n\n")
	lines := strings.SplitN(block, "\n", maxForm+2)
	if !more || len(lines) > maxForm {
		return nil
	}
	fields, remarks := map[string]bool{}, 0
	for i, line := range lines {
		name, _, ok := speaker.SplitLabel(strings.TrimSpace(line))
		switch {
		case !ok && i > 0:
			return nil
		case ok && speaker.HeadsRemark(name):
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

// continuesLine reports whether the first word of a line had no room on the line before it.
func continuesLine(before, line string, width int) bool {
	if width == 0 || plain.IsBlank(before) {
		return false
	}
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return utf8.RuneCountInString(before)+1+utf8.RuneCountInString(word) > width
}

// maxLegendLines is how many lines at the beginning of a file may explain its labels.
const maxLegendLines = 20

// legendEntry explains a label: "I = interviewer", "P. – patient".
var legendEntry = regexp.MustCompile(`(?:^|[,;(:] ?)(\pL[\pL\pN]{0,9})\.? ?(=|—|–) ?\pL`)

// legendOf returns the labels that a file explains at its beginning, at least two of them: "N = nurse, P =
// patient". A dash instead of the equals sign is also what dialogues have, so that it must be there twice on
// a line.
func legendOf(text string) map[string]bool {
	legend := map[string]bool{}
	lines := 0
	for line := range strings.SplitSeq(text, "\n") {
		if plain.IsBlank(line) {
			continue
		}
		if lines++; lines > maxLegendLines {
			break
		}
		if len(line) > plain.MaxPreamble {
			continue
		}
		entries := legendEntry.FindAllStringSubmatch(strings.TrimSpace(line), -1)
		for _, m := range entries {
			if m[2] == "=" || len(entries) > 1 {
				legend[m[1]] = true
			}
		}
	}
	if len(legend) < 2 {
		return nil
	}
	return legend
}

// countTimestampedLabels counts the labels after timestamps, or those below timestamps that stand alone. Then
// those that recur before the first timestamp count as well.
func countTimestampedLabels(
	text string, style clock.Style, marked markedLabels,
) (counts *labelCounts, areBelow bool) {
	after, below, first := newLabelCounts(), newLabelCounts(), newLabelCounts()
	begun := false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		switch h, ok := style.Read(line); {
		case ok && h.Rest != "":
			after.addUnit(h.Rest)
		case ok:
			begun = true
		case boilerplate.Is(line):
		case begun:
			below.addUnit(line)
		default:
			first.addUnit(line)
		}
	}
	counts = after
	if after.units < below.units {
		below.merge(after)
		for name, n := range first.labels {
			if n > 1 { // one that occurs once may be the field of a form
				below.labels[name] += n
			}
		}
		counts, areBelow = below, true
	}
	counts.marked = marked
	return counts, areBelow
}
