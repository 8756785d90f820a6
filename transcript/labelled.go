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
	blocks, _ := plain.CountBlocks(text)
	p := labelledParser{
		text: text, speakers: speakers, blocks: blocks,
		isHead: sectionHeadings(text), asked: listedQuestions(text),
		list: turn.List{Sparse: speakers.units > 8 && speakers.share < sparseLabels},
	}
	lines := plain.Lines{Text: text}
	for {
		line, start, ok := lines.Next()
		if !ok {
			break
		}
		if trimmed := strings.TrimSpace(line); boilerplate.Is(trimmed) {
			p.end(start)
			p.from = lines.Pos
			if trimmed == boilerplate.SectionBreak {
				p.current = turn.Turn{Doubtful: p.begun}
			}
			continue
		}
		p.addLine(line, start, lines.Pos)
	}
	p.end(len(text))
	return p.list
}

// A labelledParser is between two lines of a text with labels.
type labelledParser struct {
	text          string
	speakers      speakerSet
	blocks        int
	isHead, asked map[int]bool // where headings and questions start
	list          turn.List

	current turn.Turn
	begun   bool
	from    int        // where the current turn starts
	above   *turn.Turn // that a note of nobody interrupts
}

func (p *labelledParser) end(to int) {
	if !p.begun {
		addLabelledPreamble(&p.list, p.text[p.from:to])
		return
	}
	p.current.Text = p.text[p.from:to]
	p.list.Add(p.current)
}

// addLine reads a line that starts and ends at the given bytes.
func (p *labelledParser) addLine(line string, start, end int) {
	t, rest, ok := timedLabel(line[plain.DialogueMark(line):])
	if name, after, forced := p.speakers.decided.cutPerson(line); forced && !(ok && t.Speaker == name) {
		t, rest, ok = turn.Turn{Speaker: name}, after, true
	}
	if !ok && len(p.speakers.doubtful) > 0 {
		t.Speaker, ok = splitPhrase(line)
	}
	switch {
	case ok && p.speakers.has(t.Speaker):
		p.end(start)
		p.current, p.begun, p.above = t, true, nil
		p.from = start + len(line) - len(rest)
	case p.speakers.decided.isNobody(line):
		p.addNote(line, start, end)
	case ok && p.begun && p.speakers.doubtful[t.Speaker],
		p.begun && (p.isHead[start] || p.asked[start]):
		p.end(start)
		p.current, p.from, p.above = turn.Turn{Doubtful: true}, start, nil
	case p.above != nil && p.endsNote(line, start):
		p.end(start)
		p.current, p.from, p.above = turn.Turn{Speaker: p.above.Speaker}, start, nil
	}
}

// maxFieldWords is how many words the field of a form has, at most.
const maxFieldWords = 15

// addNote reads a line whose label is nobody. A field above the turns is left out; another line is a turn
// without a speaker.
func (p *labelledParser) addNote(line string, start, end int) {
	switch {
	case p.begun:
		p.end(start)
		if p.above == nil {
			above := p.current
			p.above = &above
		}
		p.current, p.from = turn.Turn{Doubtful: p.speakers.decided.isNote(line)}, start
	case len(strings.Fields(line)) <= maxFieldWords:
		p.end(start)
		p.list.Drop(line)
		p.from = end
	}
}

// endsNote reports whether the words of the speaker above go on at a line: behind the paragraph of the note,
// or its line in a text without paragraphs.
func (p *labelledParser) endsNote(line string, start int) bool {
	note := strings.TrimSpace(p.text[p.from:start])
	isWhole := note != "" && !plain.HasAnySuffix(note, ":", "：")
	return isWhole && (p.blocks < 2 || plain.IsBlank(line))
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
