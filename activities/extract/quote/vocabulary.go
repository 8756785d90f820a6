package quote

import "research/internal/words"

// A vocabulary gives ids to the words of a transcript. It looks up each spelling once, because words recur.
type vocabulary struct {
	ids       map[string]int32 // of each word
	spellings map[string]spelling
	names     []bool       // by the id of a word: it is never written in lower case
	fillers   [][][]string // by the id of a word: the fillers that begin with it
}

// A spelling has one word, two if it is a contraction, or none.
type spelling [2]knownWord

// A knownWord is a normalized word and its id.
type knownWord struct {
	norm string // may be empty: there is no word
	id   int32
}

// of returns the words of a spelling.
func (v *vocabulary) of(text string) spelling {
	found, known := v.spellings[text]
	if !known {
		first, second := words.Of(text)
		found = spelling{v.add(first, text), v.add(second, text)}
		v.spellings[text] = found
	}
	return found
}

// add adds a word that is written so.
func (v *vocabulary) add(word, written string) knownWord {
	if word == "" {
		return knownWord{}
	}
	id, known := v.ids[word]
	if !known {
		id = int32(len(v.ids))
		v.ids[word] = id
		v.names = append(v.names, true)
		v.fillers = append(v.fillers, fillers[word])
	}
	v.names[id] = v.names[id] && isCapitalized(written)
	return knownWord{word, id}
}
