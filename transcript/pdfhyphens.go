package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"research/transcript/pdf"
)

// hyphenCount is what a PDF says about the hyphens at the ends of its lines: those of words that have one,
// and those of words that are divided there.
type hyphenCount struct {
	words     map[string]bool // in lower case
	isDivided bool            // words are divided: lines end with hyphens more often than people write them
}

// dividedLines is how many full lines there are, at most, for each that ends with a hyphen where words are
// divided.
const dividedLines = 25

// maxHyphenWords bounds how many words are remembered.
const maxHyphenWords = 200_000

func countHyphens(pages [][]pdf.Line) hyphenCount {
	count := hyphenCount{words: map[string]bool{}}
	lines, divided := 0, 0
	for _, page := range pages {
		for i, line := range page {
			lines++
			if i+1 < len(page) && endsInWord(line.Text, page[i+1].Text) {
				divided++
			}
			for word := range strings.FieldsSeq(line.Text) {
				if len(count.words) < maxHyphenWords {
					count.words[wordOf(word)] = true
				}
			}
		}
	}
	count.isDivided = divided*dividedLines > lines
	return count
}

// divides reports whether the hyphen at the end of a line divides a word that has none.
func (c hyphenCount) divides(line, next string) bool {
	if !endsInWord(line, next) {
		return false
	}
	start := line[strings.LastIndexAny(line, " \t")+1:]
	end, _, _ := strings.Cut(next, " ")
	whole := wordOf(strings.TrimSuffix(start, "-") + end)
	switch {
	case c.words[whole]:
		return true
	case c.words[wordOf(start+end)]:
		return false
	}
	return c.isDivided
}

// joined returns a line as it is before the next one of the same paragraph: with a space, or without the
// hyphen that divides a word.
func (c hyphenCount) joined(line, next string) string {
	switch {
	case c.divides(line, next):
		return strings.TrimSuffix(line, "-")
	case endsInWord(line, next) || breaksAnywhere(line, next):
		return line
	}
	return line + " "
}

func wordOf(word string) string {
	isMark := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return strings.ToLower(strings.TrimFunc(word, isMark))
}

// endsInWord reports whether a line ends with a letter and a hyphen, and the next one goes on with a small
// letter.
func endsInWord(line, next string) bool {
	rest, ok := strings.CutSuffix(line, "-")
	last, _ := utf8.DecodeLastRuneInString(rest)
	first, _ := utf8.DecodeRuneInString(next)
	return ok && unicode.IsLetter(last) && unicode.IsLower(first)
}

// breaksAnywhere reports whether a line ends, and the next one begins, in a script without spaces.
func breaksAnywhere(line, next string) bool {
	last, _ := utf8.DecodeLastRuneInString(line)
	first, _ := utf8.DecodeRuneInString(next)
	return isSpaceless(last) && isSpaceless(first)
}

func isSpaceless(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x303F ||
		r >= 0xFF00 && r <= 0xFF60
}
