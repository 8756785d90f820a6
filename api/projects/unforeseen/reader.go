package unforeseen

import (
	"embed"
	"strings"
	"unicode"
	"unicode/utf8"

	"research/internal/lexicon"
	"research/internal/words"
)

//go:embed data/*.txt
var data embed.FS

var (
	spokenWords = loadSpokenWords()
	givenNames  = loadWords("given-names")
	titles      = loadWords("titles")
)

// loadSpokenWords reads the spellings of data/spoken-words.txt by language.
func loadSpokenWords() map[string][]string {
	spoken := map[string][]string{}
	for _, entry := range lexicon.Entries(data, "spoken-words") {
		language, list, _ := strings.Cut(entry, " ")
		for start, end := nextWord(list, 0); start < end; start, end = nextWord(list, end) {
			spoken[language] = append(spoken[language], list[start:end])
		}
	}
	return spoken
}

// loadWords reads a list whose lines have several words, as a set of folded ones.
func loadWords(name string) map[string]bool {
	set := map[string]bool{}
	for _, entry := range lexicon.Entries(data, name) {
		for _, word := range strings.Fields(entry) {
			set[words.Fold(word)] = true
		}
	}
	return set
}

// nextWord is words.NextSpelling, with a run of characters of a script without spaces as one word.
func nextWord(text string, from int) (start, end int) {
	start, end = words.NextSpelling(text, from)
	if start < end && words.IsUnspacedWord(text[start:end]) {
		end = runEnd(text, start)
	}
	return start, end
}

// A reader finds the words of a language.
type reader struct {
	language string
	stem     func(string) string
	forms    words.Forms
	stops    map[string]bool // keys that name no subject, or that a hypothesis has
	texts    []string        // of hypotheses, folded, for scripts without spaces
	known    map[string]knownSpelling
	chars    map[string]int // of scripts without spaces, how often each was said
	turns    int
	inside   int // words that are not at the beginning of a sentence
	capitals int // of these, those of terms with a capital letter
}

func newReader(language string, known []string) *reader {
	r := &reader{
		language: language, stem: stemmer(language), stops: map[string]bool{},
		known: map[string]knownSpelling{}, chars: map[string]int{},
	}
	lists := language
	if language == "" { // as stemmers
		lists = "en"
	}
	r.forms = words.NewForms(language, r.stem)
	for _, word := range spokenWords[lists] {
		r.stop(word)
	}
	for _, text := range known {
		r.texts = append(r.texts, strings.ToLower(text))
		for start, end := words.NextSpelling(text, 0); start < end; start, end = words.NextSpelling(text, end) {
			r.stop(text[start:end])
		}
	}
	return r
}

// stop leaves out the words of a spelling, in all forms.
func (r *reader) stop(text string) {
	if words.IsUnspacedWord(text) {
		r.stops[text] = true
		return
	}
	r.stops[r.root(r.withoutClitic(text))] = true
}

// The length of the shortest words that name a subject, in characters.
const (
	minLetters   = 3
	minSyllables = 2 // of Korean, and characters of scripts without spaces
)

// key returns what the spellings of one word share, or "" for one that names no subject.
func (r *reader) key(text string, unspaced bool) string {
	if unspaced {
		return r.unlessStopped(text)
	}
	text = r.withoutClitic(text)
	first, second := words.Of(text)
	if second != "" || words.HasDigit(first) || words.IsFrameWord(first) || r.isFunctionWord(first) ||
		utf8.RuneCountInString(first) < minLetters && !words.IsHangul(first) {
		return ""
	}
	return r.unlessStopped(r.root(text))
}

// root returns what the spellings of one word share, whatever it is.
func (r *reader) root(text string) string {
	if words.IsHangul(text) {
		return koreanNoun(lower(r.language, text))
	}
	return r.forms.Key(r.stem(text))
}

func (r *reader) isFunctionWord(word string) bool {
	return words.IsFunctionWord(r.language, word) || r.language == "" && words.IsFunctionWord("en", word)
}

func (r *reader) unlessStopped(key string) string {
	if r.stops[key] {
		return ""
	}
	return key
}

// A spelling is a word of a text, or what may be one in a script without spaces.
type spelling struct {
	start, end int
	unspaced   bool
	inside     bool // not at the beginning of a sentence
	titled     bool // after a title, such as "Mr."
}

// maxWord is the size of the longest word, in bytes. What is longer is no word of a person.
const maxWord = 100

// maxNote is the size of the longest note in brackets, such as "[laughs]".
const maxNote = 60

// noteSize returns the size of the note that a text begins with, without its brackets, or 0. The opening
// bracket ends what stands before it.
func noteSize(before, text string) int {
	for _, brackets := range []string{"[]", "{}", "<>"} {
		if strings.HasSuffix(before, brackets[:1]) {
			return max(0, strings.IndexByte(text[:min(len(text), maxNote)], brackets[1]))
		}
	}
	return 0
}

// spellings calls add for each spelling of a text.
func (r *reader) spellings(text string, add func(spelling)) {
	last, isTitled := 0, false
	for start, end := words.NextSpelling(text, 0); start < end; start, end = words.NextSpelling(text, end) {
		between := text[last:start]
		if size := noteSize(between, text[start:]); size > 0 {
			end = start + size
			last = end
			continue
		}
		if words.IsUnspacedWord(text[start:end]) {
			end = runEnd(text, start)
			r.run(text, start, end, add)
			last, isTitled = end, false
			continue
		}
		if end-start > maxWord {
			last, isTitled = end, false
			continue
		}
		inside := last > 0 && (isTitled || !strings.ContainsAny(between, ".?!:;…\"“”„«»¡¿-–—(\n"))
		add(spelling{start: start, end: end, inside: inside, titled: isTitled && inside})
		last, isTitled = end, end-start <= maxTitle && titles[words.Normalize(text[start:end])]
	}
}

// maxTitle is the size of the longest title.
const maxTitle = len("господин")

// isCapital reports whether a word begins with a capital letter.
func isCapital(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first)
}
