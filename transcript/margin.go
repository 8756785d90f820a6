package transcript

import (
	"strings"

	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
)

// minNumberedLines is how many lines a text must have for the numbers before them to be those of lines.
const minNumberedLines = 10

// stripMargin removes the numbers of lines from a text that labels its speakers: those before each line,
// which begin again on each page or not, and those before each fifth or tenth one.
func stripMargin(text string) string {
	lines := strings.Split(text, "\n")
	step := marginStep(lines)
	if step == 0 {
		return text
	}
	stripped := make([]string, len(lines))
	names := newTally()
	for i, line := range lines {
		n, rest, ok := cutLineNumber(line)
		if ok && n%step == 0 {
			// What is below a number every few lines is as far to the right.
			line = rest
			if step > 1 {
				line = strings.Repeat(" ", len(lines[i])-len(rest)) + rest
			}
		}
		stripped[i] = line
		if name, ok := openingName(strings.TrimSpace(line)); ok {
			names.addAnyLabel(name)
		}
	}
	if distinct, _ := names.recurring(); distinct < 2 {
		return text
	}
	return strings.Join(stripped, "\n")
}

// marginStep returns the distance of the numbers before lines: 1, 5 or 10, or 0 if these are not the numbers
// of lines.
func marginStep(lines []string) int {
	filled, counting := 0, 0
	every := map[int]int{5: 0, 10: 0}
	last, lastAt := 0, map[int]int{}
	for _, line := range lines {
		if plain.IsBlank(line) {
			continue
		}
		filled++
		n, _, ok := cutLineNumber(line)
		if !ok {
			continue
		}
		if n == last+1 || n == 1 {
			counting++
		}
		last = n
		for step := range every {
			if n == (every[step]+1)*step && (every[step] == 0 || filled-lastAt[step] == step) {
				every[step]++
				lastAt[step] = filled
			}
		}
	}
	switch {
	case filled < minNumberedLines:
	case counting*10 >= filled*9:
		return 1
	case every[5] > 2 && every[5] >= filled/5-1:
		return 5
	case every[10] > 2 && every[10] >= filled/10-1:
		return 10
	}
	return 0
}

// openingName returns the name that a line begins with, in one of the styles that typists use.
func openingName(line string) (name string, ok bool) {
	if name, rest, ok := speaker.SplitLabel(line); ok && !plain.IsBlank(rest) {
		return name, true
	}
	l := textLine{text: line}
	for _, split := range []func(textLine) (string, string, bool){splitTab, splitWide, splitLetter} {
		if name, rest, ok := split(l); ok && !plain.IsBlank(rest) && speaker.ShapeOf(name) != speaker.NotName {
			return name, true
		}
	}
	return "", false
}

// hangingIndent is how far the lines below the first one of a turn are to the right of it, at least.
const hangingIndent = 3

// joinHanging joins the lines of turns with hanging indents: names stand at the left, and all other lines are
// further to the right. It returns other texts as they are.
func joinHanging(text string) string {
	if !strings.Contains(text, "\n   ") && !strings.Contains(text, "\n\t") {
		return text
	}
	lines := strings.Split(text, "\n")
	margin := -1
	for _, line := range lines {
		if in := indentOf(line); !plain.IsBlank(line) && (margin < 0 || in < margin) {
			margin = in
		}
	}
	outer, named, inner, below := 0, 0, 0, 0
	names := newTally()
	for i, line := range lines {
		switch {
		case plain.IsBlank(line):
		case indentOf(line) >= margin+hangingIndent:
			inner++
			if i > 0 && !plain.IsBlank(lines[i-1]) {
				below++
			}
		default:
			outer++
			if name, ok := openingName(strings.TrimSpace(line)); ok {
				named++
				names.addAnyLabel(name)
			}
		}
	}
	distinct, _ := names.recurring()
	if inner < 3 || distinct < 2 || named*10 < outer*8 || below*10 < inner*9 {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	for i, line := range lines {
		switch {
		case i == 0:
		case !plain.IsBlank(line) && !plain.IsBlank(lines[i-1]) && indentOf(line) >= margin+hangingIndent:
			out.WriteByte(' ')
			line = strings.TrimSpace(line)
		default:
			out.WriteByte('\n')
		}
		out.WriteString(strings.TrimRight(line, " \t"))
	}
	return out.String()
}

// indentOf returns the width of the white space at the start of a line. A tab is as wide as four spaces.
func indentOf(line string) int {
	width := 0
	for i := range len(line) {
		switch line[i] {
		case ' ':
			width++
		case '\t':
			width += 4
		default:
			return width
		}
	}
	return width
}
