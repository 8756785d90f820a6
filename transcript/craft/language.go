package craft

import "research/transcript/internal/language"

// Language returns the language with lists that most of the words of the texts are of, or "" if there is
// none.
func Language(texts []string) string {
	sizes := map[string]int{}
	total := 0
	for _, piece := range pieces(texts) {
		total += len(piece)
		if guess := language.Guess(piece); rulesOf[guess].isOf(piece) {
			sizes[guess] += len(piece)
		}
	}
	for guess, size := range sizes {
		if size*2 > total {
			return guess
		}
	}
	return ""
}

// Of the words of a language, less than maxForeign in a thousand are those of a relative without lists.
const (
	maxForeign  = 30
	sampleBytes = 4 << 10
)

// isOf reports whether a text is of the language of the rules, and not of a relative.
func (r *rules) isOf(text string) bool {
	if r == nil {
		return false
	}
	foreign, all := 0, 0
	words := tokenize(cut(text, sampleBytes), r.elides)
	for i := range words {
		all++
		if r.at(kindForeign, words, i) {
			foreign++
		}
	}
	return foreign*1000 <= all*maxForeign
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
