package refine

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"research/transcript/internal/lexicon"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
	"research/transcript/internal/turn"
)

// Words that introduce what nobody said.
var (
	closingHeadings = lexicon.Words("closing-headings")
)

// splitAsides moves unspoken text out of the ends of turns: the summary after the last one, and the titles of
// sections and parts and the notes of observers before the next one. It becomes turns without a speaker.
func splitAsides(l *turn.List) {
	titles, rise := sectionTitles(l)
	if len(titles) == 0 {
		titles, rise = plainTitles(l), false
	}
	turns := make([]turn.Turn, 0, len(l.Turns))
	for i, t := range l.Turns {
		if t.Speaker == "" {
			turns = append(turns, t)
			continue
		}
		aside := turn.Turn{}
		if i == len(l.Turns)-1 {
			continues := i > 0 && l.Turns[i-1].Speaker == t.Speaker
			aside.Text, t.Text = cutClosingSection(t.Text, continues)
			if aside.Text == "" {
				aside.Text, t.Text = cutAppendix(t.Text, longestTurn(l, i))
				aside.Doubtful = aside.Text != ""
			}
		}
		var asides []turn.Turn
		if aside.Text != "" {
			asides = append(asides, aside)
		}
		for len(asides) < maxAsides {
			isLast := i == len(l.Turns)-1
			aside.Text, t.Text, aside.Doubtful = cutLastAside(t.Text, titles[i], isLast)
			if aside.Text == "" {
				break
			}
			aside.Doubtful = aside.Doubtful || !rise && strings.TrimSpace(aside.Text) == titles[i]
			asides = append(asides, aside)
		}
		slices.Reverse(asides)
		turns = append(append(turns, t), asides...)
	}
	l.Turns = turns
}

// maxAsides is how many titles and notes stand between two turns, at most.
const maxAsides = 4

// cutClosingSection returns the section of a note taker at the end of the last turn, and what is before it.
// The section may be all of a turn that continues the one before.
func cutClosingSection(text string, continues bool) (section, said string) {
	lines := plain.Lines{Text: text}
	before, begun := "", continues
	for {
		line, start, ok := lines.Next()
		if !ok {
			return "", text
		}
		title := strings.ToLower(strings.Trim(line, "#*_: \t"))
		if begun && plain.IsBlank(before) && closingHeadings[title] && !plain.IsBlank(text[lines.Pos:]) {
			return text[start:], text[:start]
		}
		begun = begun || !plain.IsBlank(line)
		before = line
	}
}

// longestTurn returns how many lines the longest of the first n turns has, or 0 if they are too few to tell.
func longestTurn(l *turn.List, n int) (longest int) {
	if n < minTurnsToCompare {
		return 0
	}
	for _, t := range l.Turns[:n] {
		if t.Speaker != "" {
			_, lines := plain.CountBlocks(t.Text)
			longest = max(longest, lines)
		}
	}
	return longest
}

// Bounds on what is taken for an appendix: notes, literature or a list of questions in the file of an
// interview.
const (
	minTurnsToCompare = 4
	appendixFactor    = 3  // times the lines of the longest turn
	maxAppendixTitle  = 10 // words
)

// cutAppendix returns what follows the last turn below a title, if it is far longer than any turn, and what
// is before it.
func cutAppendix(text string, longest int) (appendix, said string) {
	if _, all := plain.CountBlocks(text); longest == 0 || all <= appendixFactor*longest+2 {
		return "", text
	}
	lines := plain.Lines{Text: text}
	begun := false
	for {
		line, start, ok := lines.Next()
		if !ok {
			return "", text
		}
		if begun && isAppendixTitle(line) {
			if _, rest := plain.CountBlocks(text[start:]); rest > appendixFactor*longest+1 {
				return text[start:], text[:start]
			}
			return "", text
		}
		begun = begun || !plain.IsBlank(line)
	}
}

// isAppendixTitle reports whether a line is a few words that begin with a capital and end no sentence.
func isAppendixTitle(line string) bool {
	line = strings.TrimSpace(line)
	first, _ := utf8.DecodeRuneInString(line)
	words := len(strings.Fields(line))
	return unicode.IsUpper(first) && words > 1 && words <= maxAppendixTitle && !plain.EndsSentence(line)
}

// cutLastAside returns the last line of a turn if it is a title or a note, and what is before it. Doubtful
// means that the line may be speech. In the last turn, the heading "Note" suffices.
func cutLastAside(text, title string, isLast bool) (aside, said string, doubtful bool) {
	trimmed := strings.TrimRight(text, " \t\n")
	at := strings.LastIndexByte(trimmed, '\n') + 1
	line := strings.TrimSpace(trimmed[at:])
	if at == 0 || plain.IsBlank(trimmed[:at]) {
		return "", text, false
	}
	ownParagraph := strings.HasSuffix(strings.TrimRight(trimmed[:at], " \t"), "\n\n") ||
		plain.IsBlank(lastLine(trimmed[:at-1]))
	switch {
	case isSeparatorTitle(line), isBracketedNote(line),
		line == title && title != "" && (ownParagraph || isNamedTitle(line)):
		return trimmed[at:], trimmed[:at], false
	case ownParagraph && isNoteLine(line, isLast):
		return trimmed[at:], trimmed[:at], true
	}
	return "", text, false
}

func lastLine(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }

// isSeparatorTitle reads "--- Part 2 (audio.m4a) ---" and "=== Break ===".
func isSeparatorTitle(line string) bool {
	for _, rule := range []string{"--", "==", "**", "##", "~~", "——"} {
		inner := strings.TrimPrefix(line, rule)
		if len(inner) < len(line) && strings.HasSuffix(inner, rule) &&
			strings.ContainsFunc(inner, unicode.IsLetter) && strings.Contains(inner, " ") {
			return len(strings.Fields(line)) <= maxTitleWords
		}
	}
	return false
}

// minNoteWords is how many words a line in brackets has, at least, that is a note of the transcriber. Shorter
// ones, such as "[laughs]", are what a speaker does.
const minNoteWords = 4

// isBracketedNote reads "[The phone rings, the recording is paused]".
func isBracketedNote(line string) bool {
	inner, ok := strings.CutPrefix(line, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	return ok && closed && !strings.ContainsAny(inner, "[]") && len(strings.Fields(inner)) >= minNoteWords
}

// isNoteLine reports whether a paragraph is labelled as a note of an observer, such as "Observer note: …".
// What comes after "Note:" alone may be said, unless it is the last paragraph.
func isNoteLine(line string, isLast bool) bool {
	name, rest, ok := strings.Cut(line, ":")
	words := strings.Fields(strings.ToLower(name))
	if !ok || plain.IsBlank(rest) || len(words) == 0 || len(words) == 1 && !isLast || len(words) > 3 {
		return false
	}
	return speaker.NoteLabels[words[len(words)-1]] || speaker.NoteLabels[words[0]]
}

// maxTitleWords is how many words the title of a section has, at most.
const maxTitleWords = 8

// sectionTitles returns the titles of numbered sections at the ends of turns, by the numbers of the turns:
// lines such as "2. Tools" and "TASK 1: Find the portal", in paragraphs of their own, and "Topic 2: Tools"
// also directly below speech, whose numbers rise over the file. Titles before the first turn are counted too.
// A title whose number nothing confirms must be behind a sentence.
func sectionTitles(l *turn.List) (titles map[int]string, rise bool) {
	titles = map[int]string{}
	last, n := 0, 0
	for i, t := range l.Turns {
		text := strings.TrimSpace(t.Text)
		line := strings.TrimSpace(lastLine(text))
		number, ok := sectionNumber(line)
		before := strings.TrimSuffix(text, line)
		if !ok || before != "" && !endsParagraph(before) && !isNamedTitle(line) {
			continue
		}
		if _, listed := sectionNumber(strings.TrimSpace(lastLine(strings.TrimSpace(before)))); listed {
			continue // items of a list that someone speaks
		}
		switch {
		case t.Speaker != "" && before == "":
		case number <= last && (number > 2 || last <= 2): // another interview in the file may begin again
			return nil, false
		default:
			last = number
			n++
			if t.Speaker != "" {
				titles[i] = line
			}
		}
	}
	if n > 1 {
		return titles, true
	}
	for i, title := range titles {
		before := strings.TrimSuffix(strings.TrimSpace(l.Turns[i].Text), title)
		if i == len(l.Turns)-1 || !plain.EndsSentence(strings.TrimSpace(before)) {
			delete(titles, i)
		}
	}
	return titles, false
}

// minSentences is how many of a hundred turns end with a sentence, at least, in a file where lines that end
// none may be titles.
const minSentences = 75

// plainTitles returns lines at the ends of turns, by the numbers of the turns, that may be titles of
// sections: short paragraphs of their own that end no sentence, behind one that does, in a file where nearly
// all turns end with one.
func plainTitles(l *turn.List) map[int]string {
	titles := map[int]string{}
	ended := 0
	for i, t := range l.Turns {
		text := strings.TrimSpace(t.Text)
		line := strings.TrimSpace(lastLine(text))
		if plain.EndsSentence(line) {
			ended++
			continue
		}
		before := strings.TrimSuffix(text, line)
		isBehind := endsParagraph(before) && plain.EndsSentence(strings.TrimSpace(before))
		if i < len(l.Turns)-1 && isBehind && isAppendixTitle(line) {
			titles[i] = line
		}
	}
	if len(titles) < 2 || (ended+len(titles))*100 < len(l.Turns)*95 || ended*100 < len(l.Turns)*minSentences {
		return nil
	}
	return titles
}

// endsParagraph reports whether a blank line is at the end of a text.
func endsParagraph(text string) bool {
	return strings.HasSuffix(strings.ReplaceAll(text, " ", ""), "\n\n")
}

// sectionNumber reads the number of a title: "2. Tools", "TASK 1: Find the portal", "Part 3".
func sectionNumber(line string) (number int, ok bool) {
	words := strings.Fields(line)
	if len(words) < 2 || len(words) > maxTitleWords || plain.EndsSentence(line) {
		return 0, false
	}
	first := strings.TrimRight(words[0], ".)")
	if n, size := plain.ParseDigits(first, 2); size > 0 && size == len(first) && first != words[0] {
		return n, true
	}
	if !plain.IsAllCaps(words[0]) && !speaker.NumberedHeadings[strings.ToLower(words[0])] {
		return 0, false
	}
	second := strings.TrimRight(words[1], ":.")
	n, size := plain.ParseDigits(second, 2)
	return n, size > 0 && size == len(second)
}

// isNamedTitle reports whether a line is a word for a section, a number, a mark and a title: "Topic 2:
// Tools".
func isNamedTitle(line string) bool {
	words := strings.Fields(line)
	if len(words) < 3 || !speaker.NumberedHeadings[strings.ToLower(words[0])] || plain.EndsSentence(line) {
		return false
	}
	number := strings.TrimRight(words[1], ":.–—-")
	_, size := plain.ParseDigits(number, 2)
	isMarked := number != words[1] || strings.Trim(words[2], "–—-") == ""
	return size > 0 && size == len(number) && isMarked && len(words) <= maxTitleWords
}
