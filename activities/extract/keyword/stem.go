package keyword

import (
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

// stemmer returns the stemmer of a language. In other languages a word is its own stem. The function that it
// returns is not safe for concurrent use.
func stemmer(language string) func(string) string {
	stem, ok := stemmers[language]
	if !ok {
		return func(word string) string { return word }
	}
	cache := map[string]string{}
	env := snowballstem.NewEnv("")
	return func(word string) string {
		if s, known := cache[word]; known {
			return s
		}
		env.SetCurrent(word)
		stem(env)
		cache[word] = env.Current()
		return cache[word]
	}
}
