package mcp

import (
	"strings"
	"unicode/utf8"
)

// lineLength is how long a line of a document is at most, in characters. A longer one becomes several.
const lineLength = 2000

// A document is what fetch reads, line by line. A page of it begins at a line.
type document struct{ lines []string }

// add adds a text that a member wrote, or one of ours.
func (d *document) add(text string) {
	for line, rest, more := cutLine(text); ; line, rest, more = cutLine(rest) {
		d.lines = append(d.lines, broken(line, "")...)
		if !more {
			return
		}
	}
}

// quote adds what was said in an interview, or what a model wrote that had read it.
func (d *document) quote(text string) {
	for line := range strings.SplitSeq(quoted(text), "\n") {
		d.lines = append(d.lines, broken(strings.TrimPrefix(line, mark), mark)...)
	}
}

// broken returns a line as lines of at most lineLength characters, each after the mark.
func broken(line, mark string) (lines []string) {
	for utf8.RuneCountInString(line) > lineLength {
		at, n := 0, 0
		for at = range line {
			if n == lineLength {
				break
			}
			n++
		}
		lines, line = append(lines, mark+line[:at]), line[at:]
	}
	return append(lines, mark+line)
}

// page returns the lines from one on that a result has room for, and which one is next.
func (d *document) page(from int) (text string, next int) {
	var b strings.Builder
	b.WriteString(notice)
	room := maxLength - envelope - lengthOf(notice)
	for next = min(from, len(d.lines)); next < len(d.lines); next++ {
		if room -= lengthOf(d.lines[next]); room < 0 && next > from {
			break
		}
		b.WriteString("\n" + d.lines[next])
	}
	return b.String(), next
}
