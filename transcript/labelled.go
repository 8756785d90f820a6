package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"research/transcript/internal/boilerplate"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
	"research/transcript/internal/turn"
)

// sparseLabels is the share of paragraphs with a label below which the labels may be words.
const sparseLabels = 0.15

// parseLabelled reads "Name: text". A turn lasts until the next label, over lines and paragraphs. A timestamp
// after the name is that of the turn.
func parseLabelled(text string, speakers speakerSet) turn.List {
	var (
		list    = turn.List{Sparse: speakers.units > 8 && speakers.share < sparseLabels}
		isHead  = sectionHeadings(text)
		asked   = listedQuestions(text)
		lines   = plain.Lines{Text: text}
		current turn.Turn
		begun   bool
		from    int
	)
	endTurn := func(to int) {
		if !begun {
			addLabelledPreamble(&list, text[from:to])
			return
		}
		current.Text = text[from:to]
		list.Add(current)
	}
	for {
		line, start, ok := lines.Next()
		if !ok {
			break
		}
		if trimmed := strings.TrimSpace(line); boilerplate.Is(trimmed) {
			endTurn(start)
			from = lines.Pos
			if trimmed == boilerplate.SectionBreak {
				current = turn.Turn{Doubtful: begun}
			}
			continue
		}
		t, rest, ok := timedLabel(line[plain.DialogueMark(line):])
		if !ok && len(speakers.doubtful) > 0 {
			t.Speaker, ok = splitPhrase(line)
		}
		switch {
		case ok && speakers.has(t.Speaker):
			endTurn(start)
			current, begun = t, true
			from = start + len(line) - len(rest)
		case ok && begun && speakers.doubtful[t.Speaker]:
			endTurn(start)
			current = turn.Turn{Doubtful: true}
			from = start
		case begun && (isHead[start] || asked[start]):
			endTurn(start)
			current = turn.Turn{Doubtful: true}
			from = start
		}
	}
	endTurn(len(text))
	return list
}

// maxSectionWords is how many words the heading of a section has, at most.
const maxSectionWords = 6

// sectionHeadings returns where the lines start that may be headings between the turns, such as "INTERVIEW
// 2": few words in capitals, or in the form of a title with a number at the beginning, in a paragraph of
// their own.
func sectionHeadings(text string) map[int]bool {
	found := map[int]bool{}
	lines := plain.Lines{Text: text}
	paragraphs := plain.CountParagraphs(text)
	title := numberedTitle(text)
	before := ""
	for {
		line, start, ok := lines.Next()
		if !ok {
			break
		}
		trimmed := strings.TrimSpace(line)
		next, _, _ := strings.Cut(text[lines.Pos:], "\n")
		isTitle := title != "" && trimmed != title && withoutDigits(trimmed) == withoutDigits(title)
		if plain.IsBlank(before) && plain.IsBlank(next) && (isTitle || plain.IsAllCaps(trimmed)) &&
			!plain.EndsSentence(trimmed) &&
			utf8.RuneCountInString(trimmed) > 4 && len(strings.Fields(trimmed)) <= maxSectionWords &&
			speaker.TrimBrackets(trimmed) == trimmed && !strings.HasSuffix(trimmed, ":") {
			found[start] = true
		}
		before = line
	}
	if len(found)*4 > paragraphs {
		return nil
	}
	return found
}

// minQuestions is how many questions without a label a text has, at least, to be an interview of several
// people by a list of questions.
const minQuestions = 3

// listedQuestions returns where the lines start that ask everybody, and have no label: items of a list, most
// of them with a question mark, each with an answer below that has a label.
func listedQuestions(text string) map[int]bool {
	found := map[int]bool{}
	lines := plain.Lines{Text: text}
	items, marked, asked := 0, 0, -1
	for {
		line, start, ok := lines.Next()
		if !ok {
			break
		}
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if asked >= 0 {
			if _, _, labelled := speaker.SplitLabel(line); labelled {
				found[asked] = true
			}
		}
		asked = -1
		if isListItem(line) {
			items++
			asked = start
			if strings.ContainsAny(line, "?？") {
				marked++
			}
		}
	}
	if len(found) < minQuestions || len(found)*10 < items*8 || marked*2 < items {
		return nil
	}
	return found
}

// isListItem reads "- text", "• text" and "1. text", without a label.
func isListItem(line string) bool {
	rest := strings.TrimLeft(line, "0123456789")
	if rest != line {
		return plain.HasAnyPrefix(rest, ". ", ") ")
	}
	if !plain.HasAnyPrefix(line, "- ", "– ", "• ", "* ") {
		return false
	}
	_, _, labelled := speaker.SplitLabel(line[plain.DialogueMark(line):])
	return !labelled
}

// numberedTitle returns the first line of a text if it is a title with a number, such as "Interview 1".
func numberedTitle(text string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(text, " \n"), "\n")
	line = strings.TrimSpace(line)
	if len(line) > plain.MaxLabel || withoutDigits(line) == line ||
		!strings.ContainsFunc(line, unicode.IsLetter) || len(strings.Fields(line)) > maxSectionWords {
		return ""
	}
	return line
}

func withoutDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, s)
}

// addLabelledPreamble adds what is before the first turn, except for the fields of a form ("Date: …").
func addLabelledPreamble(l *turn.List, text string) {
	lines := plain.Lines{Text: text}
	from := 0
	for {
		line, start, ok := lines.Next()
		if !ok {
			break
		}
		if name, _, ok := speaker.SplitLabel(strings.TrimSpace(line)); ok && speaker.HeadsRemark(name) {
			boilerplate.AddParagraphs(l, text[from:start])
			l.Drop(line)
			from = lines.Pos
		}
	}
	boilerplate.AddParagraphs(l, text[from:])
}

// parseProse reads text without speakers: each paragraph is a turn.
func parseProse(text string) turn.List {
	var list turn.List
	boilerplate.AddParagraphs(&list, text)
	return list
}
