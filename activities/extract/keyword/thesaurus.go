package keyword

import (
	"bytes"
	"compress/gzip"
	_ "embed" // for the thesaurus
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"research/internal/words"
)

// tools/thesaurus makes the file, and data/thesaurus-licence.txt has its licences.
//
//go:embed data/thesaurus.txt.gz
var compressedThesaurus []byte

// maxThesaurusSize is more than the file has, uncompressed.
const maxThesaurusSize = 4 << 20

// A meaning has the words of several languages that mean the same.
type meaning struct {
	count    float64 // how often it occurs in texts, plus one
	words    string  // "\tde=rechnung\ten=bill|invoice\t"
	narrower []int32 // meanings of which it is the next broader one
	derived  []int32 // a sale, of to sell
}

// meanings returns the thesaurus. It is read when it is first used.
var meanings = sync.OnceValue(loadMeanings)

func loadMeanings() []meaning {
	z, err := gzip.NewReader(bytes.NewReader(compressedThesaurus))
	if err != nil {
		panic(err)
	}
	raw, err := io.ReadAll(io.LimitReader(z, maxThesaurusSize))
	if err != nil || len(raw) == maxThesaurusSize {
		panic(fmt.Sprintf("data/thesaurus.txt.gz: %d bytes, %v", len(raw), err))
	}
	text := string(raw)
	list := make([]meaning, strings.Count(text, "\n"))
	number := int32(0)
	for line := range strings.Lines(text) {
		count, line, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		broader, line, _ := strings.Cut(line, "\t")
		derived, line, _ := strings.Cut(line, "\t")
		m := &list[number]
		m.count = float64(parseNumbers(count)[0] + 1)
		m.derived = parseNumbers(derived)
		m.words = "\t" + line + "\t"
		for _, b := range parseNumbers(broader) {
			list[b].narrower = append(list[b].narrower, number)
		}
		number++
	}
	return list
}

// parseNumbers reads numbers between commas. The file is ours, so that another word panics.
func parseNumbers(s string) (numbers []int32) {
	if s == "" {
		return nil
	}
	for field := range strings.SplitSeq(s, ",") {
		n, err := strconv.ParseInt(field, 10, 32)
		if err != nil {
			panic(err)
		}
		numbers = append(numbers, int32(n))
	}
	return numbers
}

// stems returns the distinct stems of the meaning's words of a language.
func (m *meaning) stems(language string, stem func(string) string) (stems []string) {
	_, rest, found := strings.Cut(m.words, "\t"+language+"=")
	if !found {
		return nil
	}
	list, _, _ := strings.Cut(rest, "\t")
	for word := range strings.SplitSeq(list, "|") {
		if first, second := words.Of(word); second == "" && first != "" {
			stems = append(stems, stem(first))
		}
	}
	return stems
}

// A vocabulary has the meanings of a language's words, by stem.
type vocabulary map[string][]int32

// vocabularies has a function for each language, which makes its vocabulary when it is first called.
var vocabularies = func() map[string]func() vocabulary {
	all := map[string]func() vocabulary{}
	for _, language := range append(words.StemLanguages(), "") {
		all[language] = sync.OnceValue(func() vocabulary { return newVocabulary(language) })
	}
	return all
}()

// vocabularyOf returns the vocabulary of a language. It is empty for one without a stemmer.
func vocabularyOf(language string) vocabulary {
	if load, ok := vocabularies[language]; ok {
		return load()
	}
	return nil
}

func newVocabulary(language string) vocabulary {
	v := vocabulary{}
	stem := words.Stemmer(language)
	for i, m := range meanings() {
		for _, s := range m.stems(language, stem) {
			if n := len(v[s]); n == 0 || v[s][n-1] != int32(i) {
				v[s] = append(v[s], int32(i))
			}
		}
	}
	return v
}

// Words that are related but not the same.
const (
	relatedShare = 0.7 // of a meaning, for each step to a derived or narrower one
	narrowerStep = 2   // levels of narrower meanings
	maxNarrower  = 60  // a meaning with more narrower ones is too general: "person"
)

// A shares has stems, and the share of a word's meanings that each has. Frequent meanings count most.
type shares map[string]float64

// lookUp returns the stems of a language that mean the same as a word of a language, and those of derived and
// of narrower meanings: "sale" for "sell", "flu" for "illness".
func lookUp(language, word, in string, stem func(string) string) (same, related shares) {
	same, related = shares{}, shares{}
	all := meanings()
	numbers := vocabularyOf(language)[word]
	total := 0.0
	for _, i := range numbers {
		total += all[i].count
	}
	for _, i := range numbers {
		m := &all[i]
		share := m.count / total
		same.add(m, share, in, stem)
		for _, d := range m.derived {
			related.add(&all[d], share*relatedShare, in, stem)
		}
		level, seen := m.narrower, 0
		for step := 0; step < narrowerStep && seen+len(level) <= maxNarrower; step++ {
			share *= relatedShare
			seen += len(level)
			var next []int32
			for _, n := range level {
				related.add(&all[n], share, in, stem)
				next = append(next, all[n].narrower...)
			}
			level = next
		}
	}
	return same, related
}

func (s shares) add(m *meaning, share float64, language string, stem func(string) string) {
	for _, word := range m.stems(language, stem) {
		s[word] += share
	}
}
