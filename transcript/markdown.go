package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// strippedMarkdown is a text without its Markdown.
type strippedMarkdown struct {
	text string
	bold map[string]bool // the labels that were in bold
}

// isMarkdown reports whether a text has headings, or turns that begin in bold.
func isMarkdown(text string) bool {
	boldTurns := 0
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if _, ok := parseHeading(line); ok {
			return true
		}
		if _, _, ok := cutBold(line); ok {
			if boldTurns++; boldTurns > 1 {
				return true
			}
		}
	}
	return false
}

// stripMarkdown removes the Markdown of each line. A heading that names a speaker repeatedly becomes a label;
// other headings are kept if they have a timestamp, or if keepHeadings is set.
func stripMarkdown(text string, keepHeadings bool) strippedMarkdown {
	headings := countHeadings(text)
	m := strippedMarkdown{bold: map[string]bool{}}
	var out strings.Builder
	out.Grow(len(text))
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if title, ok := parseHeading(line); ok {
			title = removeBold(title)
			timed := containsTimestamp(title)
			switch {
			case !timed && headings[title] > 1 && nameShapeOf(title) == fullName && !isNotSpeaker(title):
				m.bold[title] = true
				out.WriteString(title + ":")
			case timed || keepHeadings:
				out.WriteString(title)
			}
		} else if bold, rest, ok := cutBold(line); ok {
			plain := removeBold(bold + rest)
			if name, _, ok := splitLabel(plain); ok && len(m.bold) < maxLabels {
				m.bold[name] = true
			}
			out.WriteString(plain)
		} else {
			out.WriteString(removeBold(strings.TrimPrefix(line, "> ")))
		}
		out.WriteByte('\n')
	}
	m.text = out.String()
	return m
}

func countHeadings(text string) map[string]int {
	counts := map[string]int{}
	for line := range strings.SplitSeq(text, "\n") {
		if title, ok := parseHeading(strings.TrimSpace(line)); ok {
			if n := counts[title]; n > 0 || len(counts) < maxLabels {
				counts[title] = n + 1
			}
		}
	}
	return counts
}

// removeBold removes the marks of bold text and the escapes.
func removeBold(s string) string { return unescapeMarkdown(strings.ReplaceAll(s, "**", "")) }

// containsTimestamp reports whether a timestamp is anywhere in s.
func containsTimestamp(s string) bool {
	for i := range len(s) {
		if isDigit(s[i]) && (i == 0 || !isDigit(s[i-1])) {
			if _, _, ok := parseTimestamp(s[i:]); ok {
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
	return title, title != "" && len(title) <= maxLabel
}

// cutBold reads the bold beginning of a turn, in a list or quotation or not: "**Dana:** …", "**Dana**: …",
// "- **[00:03] Dana:** …", "**Dana** (00:03): …".
func cutBold(line string) (bold, rest string, ok bool) {
	line = strings.TrimPrefix(line, "> ")
	for _, bullet := range []string{"- ", "* ", "+ "} {
		line = strings.TrimPrefix(line, bullet)
	}
	for _, mark := range []string{"**", "__"} {
		after, found := strings.CutPrefix(line, mark)
		if !found {
			continue
		}
		end := strings.Index(after[:min(len(after), maxLabel)], mark)
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
