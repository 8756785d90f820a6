package words

import (
	"unicode"
	"unicode/utf8"
)

// Count counts words. Two characters of a script without spaces count as one word.
func Count(s string) int {
	words, characters := 0, 0
	inWord := false
	for i := 0; i < len(s); {
		class, size := ClassAt(s, i)
		switch {
		case class == Unspaced:
			characters++
		case class != Space && !inWord:
			words++
		}
		inWord = class != Space && class != Unspaced
		i += size
	}
	return words + characters/2
}

// Cut returns the end of the piece of text[:end] that begins at start: after at most the given words and
// bytes, at white space if there is any. It is greater than start.
func Cut(text string, start, end, maxWords, maxBytes int) int {
	if size := end - start; size <= maxBytes && size < 2*maxWords { // a word takes two bytes, with its space
		return end
	}
	halfWords, lastSpace := 0, 0
	inWord := false
	for i, r := range text[start:end] {
		full := halfWords >= 2*maxWords || i+utf8.RuneLen(r) > maxBytes
		if i > 0 && full && !unicode.Is(unicode.M, r) {
			if lastSpace > 0 {
				return start + lastSpace
			}
			return start + i
		}
		space := unicode.IsSpace(r)
		switch {
		case IsUnspaced(r):
			halfWords++
		case space && inWord:
			lastSpace = i
		case !space && !inWord:
			halfWords += 2
		}
		inWord = !space && !IsUnspaced(r)
	}
	return end
}
