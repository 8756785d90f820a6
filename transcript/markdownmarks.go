package transcript

import (
	"regexp"
	"strings"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
)

var (
	// underlinedSpan is words with attributes, as pandoc writes those that are underlined or highlighted.
	underlinedSpan = regexp.MustCompile(`\[([^\[\]]*)\]\{[.#][^{}]*\}`)

	// lineAttributes are those that kramdown reads behind words, or on a line of their own.
	lineAttributes = regexp.MustCompile(`\{: ?[.#][^{}]*\}`)

	// headingAttributes are those at the end of a heading.
	headingAttributes = regexp.MustCompile(`^(#{1,6} .*?)\s*\{[.#][^{}]*\}$`)

	escapedMark = regexp.MustCompile(`\\[\[\]'"*#_.()>|~^$@-]`)
)

// stripPandoc removes what pandoc writes in Markdown beside the marks that others use: backslashes before
// punctuation and at the ends of lines, attributes, the frames of tables, and quotations that are whole
// files.
func stripPandoc(text string) string {
	text = joinGridTable(text)
	if quotes, lines := countQuotations(text); quotes > 1 && quotes*4 >= lines {
		text = stripQuotations(text)
	}
	if !hasPandocMarks(text) {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.TrimSuffix(line, `\`)
		line = underlinedSpan.ReplaceAllString(line, "$1")
		line = lineAttributes.ReplaceAllString(headingAttributes.ReplaceAllString(line, "$1"), "")
		if !strings.HasPrefix(line, `\#`) || isF4Mark(line[1:]) {
			line = unescapeMarkdown(line)
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}

// hasPandocMarks reports whether several lines of a text have marks that pandoc writes.
func hasPandocMarks(text string) bool {
	if !strings.ContainsAny(text, `\{`) {
		return false
	}
	found := 0
	for line := range strings.SplitSeq(text, "\n") {
		if strings.Contains(line, `\`) && (strings.HasSuffix(line, `\`) || escapedMark.MatchString(line)) ||
			strings.Contains(line, "}") && (underlinedSpan.MatchString(line) || headingAttributes.MatchString(line) ||
				lineAttributes.MatchString(line)) {
			if found++; found > 1 {
				return true
			}
		}
	}
	return false
}

var (
	// inlineTags are tags of HTML that Markdown may have within a line, where it has no marks of its own.
	inlineTags = regexp.MustCompile(`(?i)</?(?:ins|mark|small|span|font)(?: [^<>]*)?>`)
	tableBreak = regexp.MustCompile(`(?m)^[ \t]*\|.*<br.*\|[ \t]*$`)
	breakTags  = regexp.MustCompile(`(?i)<br ?/?>`)
	boldTags   = regexp.MustCompile(`(?i)(?:\*\*)?</?(?:b|strong|u)>(?:</?(?:b|strong|u)>)*(?:\*\*)?`)
)

// stripInlineTags removes the tags of HTML from a text that has some within its lines, such as "<u>Dana:</u>
// text". Bold and underlined text gets the marks of bold text in Markdown. Breaks are those of lines, or
// spaces in the row of a table.
func stripInlineTags(text string) string {
	if strings.Contains(text, "<br") {
		text = breakTags.ReplaceAllString(tableBreak.ReplaceAllStringFunc(text, joinTableBreaks), "\n")
	}
	text = stripLinks(text)
	if !strings.Contains(text, "</") {
		return text
	}
	text = stripAnnotations(text)
	return boldTags.ReplaceAllString(inlineTags.ReplaceAllString(text, ""), "**")
}

// wordLink is a link of Markdown whose text begins with a letter.
var wordLink = regexp.MustCompile(
	`!?\[(\pL[^\[\]\n]{0,300})\]\((?:https?://|mailto:|#|/|\./)[^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)`)

// stripLinks removes the addresses of links in words: nobody said them.
func stripLinks(text string) string {
	if !strings.Contains(text, "](") {
		return text
	}
	return wordLink.ReplaceAllString(text, "$1")
}

// minAnnotations is how many words or passages are marked with tags, at least, in a text that somebody has
// annotated.
const minAnnotations = 4

var (
	annotationTag = regexp.MustCompile(`<(/?)(\pL[\pL\pN_-]{0,30})(?: [^<>\n]{0,200})?>`)
	// blockTags are those of HTML, which are read elsewhere.
	blockTags = map[string]bool{
		"p": true, "div": true, "td": true, "tr": true, "table": true, "li": true, "ul": true, "ol": true,
		"b": true, "strong": true, "u": true, "i": true, "em": true, "h1": true, "h2": true, "h3": true, "h4": true,
		"v": true, "details": true, "summary": true, "blockquote": true, "body": true, "html": true,
	}
)

// stripAnnotations removes the tags by which researchers mark words and passages, such as
// "<place>Leeds</place>". Lines that begin with a tag are those of code that people paste.
func stripAnnotations(text string) string {
	closed := map[string]bool{}
	marks, code := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.Contains(line, "</") {
			continue
		}
		for _, m := range annotationTag.FindAllStringSubmatch(line, -1) {
			if m[1] == "" || blockTags[strings.ToLower(m[2])] || len(closed) > plain.MaxLabels {
				continue
			}
			closed[m[2]] = true
			if marks++; plain.HasAnyPrefix(strings.TrimSpace(line), "<"+m[2], "</") {
				code++
			}
		}
	}
	if marks < minAnnotations || code*5 > marks {
		return text
	}
	return annotationTag.ReplaceAllStringFunc(text, func(tag string) string {
		if closed[annotationTag.FindStringSubmatch(tag)[2]] {
			return ""
		}
		return tag
	})
}

func joinTableBreaks(row string) string { return breakTags.ReplaceAllString(row, " ") }

func isF4Mark(s string) bool {
	_, _, ok := clock.ParseF4(s)
	return ok
}

// countQuotations counts the lines that are quotations, and those that are not blank.
func countQuotations(text string) (quotes, lines int) {
	for line := range strings.SplitSeq(text, "\n") {
		if plain.IsBlank(line) {
			continue
		}
		lines++
		if _, ok := cutQuotation(line); ok {
			quotes++
		}
	}
	return quotes, lines
}

// cutQuotation removes the mark of a quotation, which is not that of captions (">>").
func cutQuotation(line string) (quoted string, ok bool) {
	if line == ">" {
		return "", true
	}
	return strings.CutPrefix(line, "> ")
}

func stripQuotations(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i], _ = cutQuotation(line)
	}
	return strings.Join(lines, "\n")
}

// gridBorder is a line between two rows of a table in Markdown.
var gridBorder = regexp.MustCompile(`^\+(?:[-=:]+\+){2,}$`)

// joinGridTable puts each row of a table with borders on one line, between "|". Its cells have several lines.
func joinGridTable(text string) string {
	if !strings.Contains(text, "\n+") && !strings.HasPrefix(text, "+") {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	var cells []string
	for line := range strings.SplitSeq(text, "\n") {
		row := strings.TrimSpace(line)
		switch {
		case gridBorder.MatchString(row):
			writeGridRow(&out, cells)
			cells = make([]string, strings.Count(row, "+")-1)
		case cells != nil && len(row) > 1 && row[0] == '|' && row[len(row)-1] == '|':
			parts := strings.Split(row[1:len(row)-1], "|")
			if len(parts) != len(cells) {
				return text // cells that are merged, or that have the mark in their words
			}
			for i, part := range parts {
				cells[i] += " " + strings.TrimSuffix(strings.TrimSpace(part), `\`)
			}
		default:
			writeGridRow(&out, cells)
			cells = nil
			out.WriteString(line + "\n")
		}
	}
	writeGridRow(&out, cells)
	return out.String()
}

func writeGridRow(out *strings.Builder, cells []string) {
	if plain.IsBlank(strings.Join(cells, "")) {
		return
	}
	for i, cell := range cells {
		cells[i] = strings.Join(strings.Fields(cell), " ")
	}
	out.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}
