package craft

import "research/transcript/internal/language"

// Language returns the language with lists that most of the words of the texts are of, or "" if there is none.
func Language(texts []string) string {
	sizes := map[string]int{}
	total := 0
	for _, piece := range pieces(texts) {
		total += len(piece)
		sizes[language.Guess(piece)] += len(piece)
	}
	for guess, size := range sizes {
		if rulesOf[guess] != nil && size*2 > total {
			return guess
		}
	}
	return ""
}

// pieceBytes is the size of what a language is guessed from at once.
const pieceBytes = 32 << 10

// pieces joins texts to pieces of about the same size.
func pieces(texts []string) []string {
	var all []string
	var b []byte
	for _, text := range texts {
		b = append(append(b, text...), '\n')
		for len(b) >= pieceBytes {
			all = append(all, string(b[:pieceBytes]))
			b = b[pieceBytes:]
		}
	}
	if len(b) > 0 {
		all = append(all, string(b))
	}
	return all
}
