package transcript

import (
	"regexp"
	"strings"

	"research/transcript/internal/boilerplate"
	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
)

// Headings are told by the markup of a document: those of its sections, or the names above what people say.

// maxHeadings bounds how many headings of a document are remembered.
const maxHeadings = 10_000

// beginHeading says that the text of a heading begins.
func (d *richText) beginHeading() { d.heading = d.out.Len() + 1 }

// endHeading remembers the heading that has begun.
func (d *richText) endHeading() {
	if d.heading == 0 || d.heading > d.out.Len() {
		d.heading = 0
		return
	}
	title := strings.TrimSpace(withoutSoftHyphens(d.out.String()[d.heading-1:]))
	d.heading = 0
	if title == "" || strings.Contains(title, "\n") || len(title) > plain.MaxLabel ||
		len(d.headings) >= maxHeadings {
		return
	}
	if d.headings == nil {
		d.headings = map[string]int{}
	}
	d.headings[title]++
}

// dropTitles removes the headings between the turns of a text, which nobody says: a turn is before them, and
// another begins below. Headings that recur may be names, and those with a label or a time may be turns.
func dropTitles(text string, headings map[string]int) string {
	if len(headings) == 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	labels, same := newTally(), map[string]int{}
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if name, _, ok := speaker.SplitLabel(line); ok {
			labels.addAnyLabel(name)
		}
		if len(line) <= plain.MaxLabel && (same[line] > 0 || len(same) < plain.MaxLabels) {
			same[line]++
		}
	}
	begins := func(line string) bool {
		name, _, labelled := speaker.SplitLabel(line)
		isName := same[line] > 1 && speaker.ShapeOf(line) != speaker.NotName
		return labelled && labels.labels[name] > 1 && !speaker.HeadsRemark(name) || isName ||
			clock.HasTrailing(line) || clock.IsStamp(line)
	}
	isTitle := func(line string) bool {
		name, _, labelled := speaker.SplitLabel(line)
		isTurn := labelled && labels.labels[name] > 1 && !speaker.HeadsRemark(name)
		return headings[line] == 1 && same[line] == 1 && !isTurn && !containsTimestamp(line)
	}
	first := len(lines)
	for i, line := range lines {
		if line = strings.TrimSpace(line); line != "" && !isTitle(line) && begins(line) {
			first = i
			break
		}
	}
	above := false // the turn below begins at once
	for i := len(lines) - 1; i > first; i-- {
		line := strings.TrimSpace(lines[i])
		switch {
		case line == "":
		case above && isTitle(line):
			lines[i] = ""
		default:
			above = begins(line)
		}
	}
	return strings.Join(lines, "\n")
}

// headingStyle is the style of a heading in a Word document, in the languages in which Word names it.
var headingStyle = regexp.MustCompile(`(?i)^(?:heading|berschrift|überschrift|titre|ttulo|título|titolo|` +
	`kop|rubrik|overskrift|nagwek|nagłówek|nadpis|otsikko|балк|заголовок) ?[1-6]$`)

// decisionLine is a line of minutes that nobody says, beside turns with labels.
var decisionLine = regexp.MustCompile(`(?m)^(?:PROPOSED|PROPOSAL|RESOLVED|RESOLUTION|ACTION|AGREED|` +
	`CONSENSUS|STRAWPOLL)(?:[ -][^\n:]{1,40})?:`)

// endAtDecisions ends the turns before such lines.
func endAtDecisions(text string) string {
	return decisionLine.ReplaceAllString(text, boilerplate.SectionBreak+"\n$0")
}

// bracketedLine is a line of IRC among the turns of minutes: "<dana> words".
var bracketedLine = regexp.MustCompile(`(?m)^<([^<>\n:]{1,40})>[ \t\x{a0}]+`)

// unifyBracketedNames rewrites such lines as "dana: words", if others have labels.
func unifyBracketedNames(text string) string {
	if !bracketedLine.MatchString(text) {
		return text
	}
	labels := newTally()
	for line := range strings.SplitSeq(text, "\n") {
		if name, _, ok := speaker.SplitLabel(strings.TrimSpace(line)); ok {
			labels.addAnyLabel(name)
		}
	}
	if sumRecurring(labels.labels) < 2 {
		return text
	}
	return bracketedLine.ReplaceAllString(text, "$1: ")
}
