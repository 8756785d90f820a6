package craft

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A sentence is text[start:end], without white space around it.
type sentence struct {
	start, end int
	asks       bool // ends in a question mark
}

// Marks that end a sentence, and what may stand behind them within it.
const (
	questionMarks = "?？؟⁇⁈⁉"
	fullStops     = ".!。！।\n"
	closingMarks  = `"'”’»)]」』）`
)

// sentences divides a text at full stops, question marks and line breaks.
func sentences(text string) iter.Seq[sentence] {
	return func(yield func(sentence) bool) {
		for start := 0; start < len(text); {
			end, asks := sentenceEnd(text, start)
			s := sentence{start, end, asks}
			for s.start < s.end {
				r, size := utf8.DecodeRuneInString(text[s.start:s.end])
				if !unicode.IsSpace(r) {
					break
				}
				s.start += size
			}
			s.end = s.start + len(strings.TrimRightFunc(text[s.start:s.end], unicode.IsSpace))
			if s.start < s.end && !yield(s) {
				return
			}
			start = end
		}
	}
}

// sentenceEnd returns the end of the sentence that begins at start, its marks included.
func sentenceEnd(text string, start int) (end int, asks bool) {
	for i := start; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		asks := strings.ContainsRune(questionMarks, r)
		if asks || strings.ContainsRune(fullStops, r) && endsAt(text, start, i, r) {
			end, more := skipMarks(text, i)
			return end, asks || more
		}
	}
	return len(text), false
}

// endsAt reports whether a full stop whose end is i ends a sentence: a point within a number, behind an
// initial and an ellipsis do not.
func endsAt(text string, start, i int, stop rune) bool {
	if stop != '.' {
		return true
	}
	before := text[start : i-1]
	after, _ := utf8.DecodeRuneInString(text[i:])
	if after == '.' || strings.HasSuffix(before, ".") { // an ellipsis is a pause
		return false
	}
	if i < len(text) && !unicode.IsSpace(after) && !strings.ContainsRune(closingMarks+questionMarks, after) {
		return false
	}
	last, size := utf8.DecodeLastRuneInString(before)
	if !unicode.IsLetter(last) {
		return true
	}
	previous, _ := utf8.DecodeLastRuneInString(before[:len(before)-size])
	return len(before) > size && (unicode.IsLetter(previous) || unicode.IsMark(previous))
}

// skipMarks returns the end of the marks that follow one at i, and whether one of them is a question mark.
func skipMarks(text string, i int) (end int, asks bool) {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case strings.ContainsRune(questionMarks, r):
			asks = true
		case r != '!' && r != '.' && r != '！' && !strings.ContainsRune(closingMarks, r):
			return i, asks
		}
		i += size
	}
	return i, asks
}
