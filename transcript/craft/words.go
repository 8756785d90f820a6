package craft

import "unicode"

// Words returns the number of words of a text. In scripts without spaces, two characters are one word.
func Words(text string) int {
	words, characters := 0, 0
	inWord := false
	for _, r := range text {
		switch {
		case isUnspaced(r):
			characters++
			inWord = false
		case unicode.IsSpace(r):
			inWord = false
		case isWordRune(r) && !inWord:
			words++
			inWord = true
		}
	}
	return words + (characters+1)/2
}
