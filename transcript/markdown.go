package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// markdown is a text whose Markdown is taken off, with what it said.
type markdown struct {
	plain string
	bold  map[string]bool // labels that were in bold
}

// isMarkdown holds for a text with headings, or with turns that begin in bold.
func isMarkdown(text string) bool {
	leads := 0
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if _, ok := heading(line); ok {
			return true
		}
		if _, _, ok := boldLead(line); ok {
			if leads++; leads > 1 {
				return true
			}
		}
	}
	return false
}

// unmark makes plain text of Markdown, line by line. A heading that names a speaker again and again becomes a label; others
// are kept only if asked for.
func unmark(text string, headings bool) markdown {
	titles := map[string]int{}
	for line := range strings.SplitSeq(text, "\n") {
		if title, ok := heading(strings.TrimSpace(line)); ok {
			if n := titles[title]; n > 0 || len(titles) < maxCandidates {
				titles[title] = n + 1
			}
		}
	}
	m := markdown{bold: map[string]bool{}}
	var out strings.Builder
	out.Grow(len(text))
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if title, ok := heading(trimmed); ok {
			title = unescapeMarkdown(strings.ReplaceAll(title, "**", ""))
			_, timed := clockWithin(title)
			switch {
			case !timed && titles[title] > 1 && shapeOf(title) == fullName && !isNonName(title):
				m.bold[title] = true
				out.WriteString(title + ":")
			case timed || headings:
				out.WriteString(title)
			}
			out.WriteByte('\n')
			continue
		}
		if inner, rest, ok := boldLead(trimmed); ok {
			plain := unescapeMarkdown(strings.ReplaceAll(inner+rest, "**", ""))
			if name, _, ok := label(plain); ok && len(m.bold) < maxCandidates {
				m.bold[name] = true
			}
			out.WriteString(plain)
		} else {
			out.WriteString(unescapeMarkdown(strings.ReplaceAll(strings.TrimPrefix(trimmed, "> "), "**", "")))
		}
		out.WriteByte('\n')
	}
	m.plain = out.String()
	return m
}

// clockWithin finds a time in a heading.
func clockWithin(s string) (string, bool) {
	for i := range len(s) {
		if isDigit(s[i]) && (i == 0 || !isDigit(s[i-1])) {
			if _, _, ok := clock(s[i:]); ok {
				return s[i:], true
			}
		}
	}
	return "", false
}

// heading reads "## Title".
func heading(line string) (title string, ok bool) {
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

// boldLead reads the bold beginning of a turn, perhaps in a list or a quotation: "**Dana:** …", "**Dana**: …",
// "- **[00:03] Dana:** …", "**Dana** (00:03): …".
func boldLead(line string) (inner, rest string, ok bool) {
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
		inner, rest = after[:end], after[end+len(mark):]
		_, timed := clockWithin(inner + rest[:min(len(rest), 16)])
		colon := strings.HasSuffix(strings.TrimSpace(inner), ":") || strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, " :")
		if !colon && !timed {
			return "", "", false
		}
		if r, _ := utf8.DecodeRuneInString(rest); rest != "" && colon && strings.HasSuffix(inner, ":") && !unicode.IsSpace(r) {
			rest = " " + rest
		}
		return inner, rest, true
	}
	return "", "", false
}

// unescapeMarkdown takes the backslash off punctuation, as in "\[01:44\]".
func unescapeMarkdown(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && s[i+1] < utf8.RuneSelf && (unicode.IsPunct(rune(s[i+1])) || unicode.IsSymbol(rune(s[i+1]))) {
			i++
		}
		out.WriteByte(s[i])
	}
	return out.String()
}
