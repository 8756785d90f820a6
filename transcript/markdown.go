package transcript

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"research/transcript/internal/boilerplate"
	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
)

// strippedMarkdown is a text without its Markdown.
type strippedMarkdown struct {
	text string
	bold map[string]bool // the labels that were in bold

	doubtful map[string]bool // lines in bold, or headings, that may be names
}

// isMarkdown reports whether a text has headings, turns that begin in bold, or one label in bold.
func isMarkdown(text string) bool {
	boldTurns := 0
	for line := range strings.SplitSeq(text, "\n") {
		line = trimMarkdown(line)
		if _, ok := parseHeading(line); ok {
			return true
		}
		_, line = cutTimeBeforeBold(line)
		label, _, bold := cutBold(line)
		_, boldLine := cutBoldLine(line)
		name, _, opening := cutBoldOpening(line)
		isLabel := bold && plain.HasAnyPrefix(line, "**", "__") &&
			speaker.ShapeOf(strings.TrimRight(label, ": ")) == speaker.FullName
		if isLabel || opening && speaker.ShapeOf(name) == speaker.FullName {
			return true
		}
		if bold || boldLine || opening && speaker.ShapeOf(name) != speaker.NotName {
			if boldTurns++; boldTurns > 1 {
				return true
			}
		}
	}
	return false
}

// endingHeadings returns the numbers of the lines with headings below which somebody writes a note: with no
// label, in a file where most headings between the turns have a label below them, or nearly every paragraph
// has one.
func endingHeadings(text string) map[int]bool {
	notes, labelled, turns, continued := map[int]bool{}, 0, 0, 0
	heading, n, begun, inNote, afterBlank := -1, -1, false, false, true
	for line := range strings.SplitSeq(text, "\n") {
		n++
		if plain.IsBlank(line) {
			afterBlank = true
			continue
		}
		line = trimMarkdown(line)
		if _, ok := parseHeading(line); ok {
			heading = n
			continue
		}
		switch begins := beginsTurn(line); {
		case begins:
			begun, inNote = true, false
			turns++
			if heading >= 0 {
				labelled++
			}
		case begun && heading >= 0:
			notes[heading], inNote = true, true
		case begun && !inNote && afterBlank:
			continued++
		}
		heading, afterBlank = -1, false
	}
	if labelled < minLabelledHeadings || len(notes) > labelled && continued*10 > turns {
		return nil
	}
	return notes
}

// minLabelledHeadings is how many headings have a label below them, at least, in a file where no heading
// stands within a turn.
const minLabelledHeadings = 3

// beginsTurn reports whether a line of Markdown begins with a label, in bold or not, in a list or not.
func beginsTurn(line string) bool {
	if _, _, ok := cutBold(line); ok {
		return true
	}
	for _, bullet := range []string{"- ", "* ", "+ ", "> "} {
		line = strings.TrimPrefix(line, bullet)
	}
	_, _, ok := speaker.SplitLabel(removeBold(line))
	return ok
}

// stripMarkdown removes the Markdown of each line. A heading that names a speaker repeatedly becomes a label;
// other headings are kept if they have a timestamp, or if keepHeadings is set.
func stripMarkdown(text string, keepHeadings bool) strippedMarkdown {
	headings, labelled := namesAbove(text), labelledHeadings(text)
	m := strippedMarkdown{bold: map[string]bool{}, doubtful: headings.doubtful}
	var ending map[int]bool
	if !keepHeadings {
		ending = endingHeadings(text)
	}
	var out strings.Builder
	out.Grow(len(text))
	n := -1
	for line := range strings.SplitSeq(text, "\n") {
		n++
		line = trimMarkdown(line)
		stamp, words := cutTimeBeforeBold(line)
		if title, ok := parseHeading(line); ok {
			title = removeBold(title)
			timed := containsTimestamp(title)
			label, _, _ := speaker.SplitLabel(title)
			switch {
			case !timed && headings.names[title]:
				m.bold[title] = true
				out.WriteString(title + ":")
			case timed || keepHeadings || labelled[label]:
				out.WriteString(title)
			case ending[n]:
				out.WriteString(boilerplate.SectionBreak)
			}
		} else if name, ok := cutBoldLine(line); ok && headings.names[name] {
			m.bold[name] = true
			out.WriteString(name + ":")
		} else if ok && headings.doubtful[name] {
			out.WriteString(name + ":")
		} else if bold, rest, ok := cutBold(line); ok {
			unmarked := removeBold(bold + rest)
			if name, _, ok := speaker.SplitLabel(unmarked); ok && len(m.bold) < plain.MaxLabels {
				m.bold[name] = true
			}
			out.WriteString(unmarked)
		} else if name, rest, ok := cutBoldOpening(words); ok && headings.names[name] {
			m.bold[name] = true
			out.WriteString(stamp + name + ": " + removeBold(rest))
		} else if ok && headings.doubtful[name] && plain.StartsWithCapital(rest) {
			out.WriteString(stamp + name + ": " + removeBold(rest))
		} else {
			out.WriteString(removeBold(strings.TrimPrefix(line, "> ")))
		}
		out.WriteByte('\n')
	}
	m.text = out.String()
	return m
}

// openingLevel is the level of names in bold before words, beside those of headings and of bold lines.
const openingLevel = "opening"

// namesAbove returns the names that are headings, or bold lines, above the words of their speakers: those
// that recur, and among these, full names that occur once on the same level.
func namesAbove(text string) markedLabels {
	counts := map[string]tally{} // by the marks before the title
	phrases := map[string]int{}  // lines in bold
	for line := range strings.SplitSeq(text, "\n") {
		line = trimMarkdown(line)
		title, ok := parseHeading(line)
		level := line[:len(line)-len(strings.TrimLeft(line, "#"))]
		if ok {
			title = removeBold(title)
		} else if title, ok = cutBoldLine(line); !ok {
			_, words := cutTimeBeforeBold(line)
			if title, _, ok = cutBoldOpening(words); !ok {
				continue
			}
			level = openingLevel
		}
		if _, known := counts[level]; !known {
			counts[level] = newTally()
		}
		counts[level].add(title)
		if level == "" && isPhrase(title) && len(phrases) < plain.MaxLabels {
			phrases[title]++
		}
	}
	marked := markedLabels{names: map[string]bool{}, doubtful: map[string]bool{}}
	for level, c := range counts {
		if names, _ := c.recurring(); names < 2 {
			continue
		}
		for phrase, n := range phrases {
			if level == "" && n == 1 && c.labels[phrase] == 0 {
				marked.doubtful[phrase] = true
			}
		}
		accepted := c.accepted(labelStyle{})
		for name := range c.labels {
			switch {
			case accepted[name], level == "" && speaker.PeopleWords[strings.ToLower(name)]:
				marked.names[name] = true
			case (level == "" || level == openingLevel) && speaker.ShapeOf(name) == speaker.FullName:
				marked.doubtful[name] = true
			}
		}
	}
	return marked
}

// labelledHeadings returns the labels that recur in headings with the words of a speaker, such as "### Q:
// Why?".
func labelledHeadings(text string) map[string]bool {
	counts := newTally()
	for line := range strings.SplitSeq(text, "\n") {
		title, ok := parseHeading(trimMarkdown(line))
		if !ok {
			continue
		}
		name, rest, ok := speaker.SplitLabel(removeBold(title))
		if ok && !plain.IsBlank(rest) && (!speaker.HeadsRemark(name) || speaker.IsOfPair(name)) {
			counts.addAnyLabel(name)
		}
	}
	labels := map[string]bool{}
	for name, n := range counts.labels {
		labels[name] = n > 1
	}
	return labels
}

// trimMarkdown removes white space around a line, and the backticks around a time at its beginning. The time
// comes after a name that is the rest of the line, where other formats have it: "`00:02` **Dana Weber**".
func trimMarkdown(line string) string {
	line = unlinkTime(strings.TrimSpace(line))
	if rest, ok := strings.CutPrefix(line, "- "); ok {
		if h, ok := clock.ReadBracketed(rest); ok && strings.HasPrefix(h.Rest, " **") {
			return rest // an item of an outline
		}
		if _, ok := cutBoldLine(rest); ok && strings.HasPrefix(rest, "**") {
			return rest // a toggle of Notion
		}
	}
	if inner := strings.Trim(line, "*_"); clock.IsTimestamp(inner) {
		return inner // in italics, below a name
	}
	after, ok := strings.CutPrefix(line, "`")
	if !ok {
		return line
	}
	at, rest, ok := strings.Cut(after, "`")
	if !ok || !clock.IsTimestamp(at) {
		return line
	}
	rest = strings.TrimSpace(rest)
	if _, ok := cutBoldLine(rest); ok {
		return rest + " " + at
	}
	return at + " " + rest
}

// linkedTime is a time that is a link: to the recording, or to a place in the page.
var linkedTime = regexp.MustCompile(`\[(\d{1,3}:\d\d(?::\d\d)?)\]\((?:https?://|#)[^()\s]*\)`)

// unlinkTime removes the addresses of times: "[0:03](https://…) **Dana**: text".
func unlinkTime(line string) string {
	if !strings.Contains(line, "](") {
		return line
	}
	return linkedTime.ReplaceAllString(line, "[$1]")
}

// cutBoldLine reads a line that is bold or italic from end to end, such as "**Dana Weber**".
func cutBoldLine(line string) (title string, ok bool) {
	for _, mark := range []string{"**", "__", "*", "_"} {
		if after, found := strings.CutPrefix(line, mark); found {
			title, ok = strings.CutSuffix(after, mark)
			title = strings.TrimSpace(strings.TrimRight(title, ":."))
			return title, ok && title != "" && len(title) <= plain.MaxLabel && !strings.Contains(title, mark)
		}
	}
	return "", false
}

// cutBoldOpening reads a name in bold before the words of its speaker, without a colon: "**Dana** – text".
// Behind a name in italics there must be a dash.
func cutBoldOpening(line string) (name, rest string, ok bool) {
	mark := "**"
	if !strings.HasPrefix(line, mark) {
		mark = line[:min(len(line), 1)]
		if mark != "_" && mark != "*" {
			return "", "", false
		}
	}
	name, rest, ok = strings.Cut(line[len(mark):], mark)
	if !ok || rest == "" || rest[0] != ' ' || len(name) > plain.MaxLabel {
		return "", "", false
	}
	rest, isDash := plain.CutDash(strings.TrimLeft(rest, " "))
	return strings.TrimSpace(name), rest, isDash || mark == "**"
}

// cutTimeBeforeBold cuts the time before words in bold: "0:03 **Dana** text".
func cutTimeBeforeBold(line string) (stamp, words string) {
	if h, ok := clock.ReadStamp(line); ok && strings.HasPrefix(h.Rest, "**") {
		return line[:len(line)-len(h.Rest)], h.Rest
	}
	return "", line
}

// struck is text that is struck through.
var struck = regexp.MustCompile(` ?~~[^~\s](?:[^~]*[^~\s])?~~`)

// removeBold removes the marks of bold text, those around a time at the end, the escapes, and what is struck
// through.
func removeBold(s string) string {
	if strings.Contains(s, "~~") {
		s = struck.ReplaceAllString(s, "")
	}
	s = unescapeMarkdown(strings.ReplaceAll(s, "**", ""))
	if i := strings.LastIndexByte(s, ' '); i >= 0 {
		if inner := strings.Trim(s[i+1:], "_*`"); len(inner) == len(s)-i-3 &&
			clock.IsTimestamp(speaker.TrimBrackets(inner)) {
			s = s[:i+1] + inner
		}
	}
	return s
}

// containsTimestamp reports whether a timestamp is anywhere in s.
func containsTimestamp(s string) bool {
	for i := range len(s) {
		if plain.IsDigit(s[i]) && (i == 0 || !plain.IsDigit(s[i-1])) {
			if _, _, ok := clock.ParseTimestamp(s[i:]); ok {
				return true
			}
		}
	}
	return false
}

// parseHeading reads "## Title".
func parseHeading(line string) (title string, ok bool) {
	if line == "" || line[0] != '#' {
		return "", false
	}
	rest := strings.TrimLeft(line, "#")
	if len(line)-len(rest) > 6 || rest == "" || rest[0] != ' ' {
		return "", false
	}
	title = strings.TrimSpace(strings.TrimRight(rest, "# "))
	return title, title != "" && len(title) <= plain.MaxLabel
}

// cutBold reads the bold beginning of a turn, in a list or quotation or not: "**Dana:** …", "**Dana**: …",
// "- **[00:03] Dana:** …", "**Dana** (00:03): …".
func cutBold(line string) (bold, rest string, ok bool) {
	line = strings.TrimPrefix(line, "> ")
	for _, bullet := range []string{"- ", "* ", "+ "} {
		line = strings.TrimPrefix(line, bullet)
	}
	for _, mark := range []string{"**", "__", "*", "_"} {
		after, found := strings.CutPrefix(line, mark)
		if !found {
			continue
		}
		if len(mark) == 1 && !strings.Contains(after[:min(len(after), plain.MaxLabel)], ":"+mark) {
			return "", "", false
		}
		end := strings.Index(after[:min(len(after), plain.MaxLabel)], mark)
		if end <= 0 {
			return "", "", false
		}
		bold, rest = after[:end], after[end+len(mark):]
		innerColon := strings.HasSuffix(strings.TrimSpace(bold), ":")
		colon := innerColon || strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, " :")
		if !colon && !containsTimestamp(bold+rest[:min(len(rest), 16)]) {
			return "", "", false
		}
		next, _ := utf8.DecodeRuneInString(rest)
		if rest != "" && strings.HasSuffix(bold, ":") && !unicode.IsSpace(next) {
			rest = " " + rest
		}
		return bold, rest, true
	}
	return "", "", false
}

// unescapeMarkdown removes the backslash before punctuation, as in "\[01:44\]".
func unescapeMarkdown(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && isEscapable(s[i+1]) {
			i++
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

func isEscapable(c byte) bool {
	return c < utf8.RuneSelf && (unicode.IsPunct(rune(c)) || unicode.IsSymbol(rune(c)))
}
