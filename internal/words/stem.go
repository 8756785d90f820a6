package words

import (
	"maps"
	"slices"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
)

// stemmers are Snowball's stemmers by ISO 639-1 code. A transcript of unknown language is taken for English.
var stemmers = map[string]func(*snowballstem.Env) bool{
	"":   english.Stem,
	"da": danish.Stem,
	"de": german.Stem,
	"en": english.Stem,
	"es": spanish.Stem,
	"fr": french.Stem,
	"hu": hungarian.Stem,
	"it": italian.Stem,
	"nl": dutch.Stem,
	"no": norwegian.Stem,
	"pt": portuguese.Stem,
	"ru": russian.Stem,
	"sv": swedish.Stem,
}

// StemLanguages returns the languages that have a stemmer, in order.
func StemLanguages() []string {
	isUnknown := func(language string) bool { return language == "" }
	return slices.DeleteFunc(slices.Sorted(maps.Keys(stemmers)), isUnknown)
}

// HasStems reports whether there is a stemmer for a language.
func HasStems(language string) bool { return stemmers[language] != nil }

// Stem returns the stem of a word in a language. In a language without a stemmer a word is its own stem.
func Stem(language, word string) string {
	stem, ok := stemmers[language]
	if !ok {
		return word
	}
	env := snowballstem.NewEnv(word)
	stem(env)
	return env.Current()
}

// Stemmer returns Stem in one language, for many words: it computes each stem once. The function that it
// returns is not safe for concurrent use.
func Stemmer(language string) func(string) string {
	cache := map[string]string{}
	return func(word string) string {
		stem, known := cache[word]
		if !known {
			stem = Stem(language, word)
			cache[word] = stem
		}
		return stem
	}
}
