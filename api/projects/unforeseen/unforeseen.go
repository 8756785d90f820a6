// Package unforeseen finds the words that many people say and no hypothesis has. It is pure: the same turns
// have the same words.
//
// Words are compared by their stems. Function words, words that people say about anything, numbers and names
// of people are left out: what is left names a subject that nobody has written down.
package unforeseen

import (
	"math/bits"
	"strings"

	"research/internal/words"
)

// What is found at most.
const (
	Most       = 10 // words
	MostForms  = 5  // of a word
	MostPlaces = 3  // of a word, each of another person
)

// What counts as many people.
const (
	minPeople = 3
	minShare  = 30 // percent of the interviews
)

// These bound the memory of a Counter, to some 100 MB.
const (
	maxTerms     = 200_000 // above, those that occurred once are forgotten
	maxSpellings = 400_000 // of which the term is remembered
	maxVariants  = 12      // spellings of a term
)

// A Word is one that many people say.
type Word struct {
	Word       string   // the form to show
	Forms      []string // as people say it, the most frequent first
	People     int
	Interviews int
	Places     []Place
}

// A Place is where a word is said.
type Place struct {
	Interview int // as given to Begin
	Ordinal   int // as given to Add
	From, To  int // bytes of the text
}

// A Counter counts the words of turns, interview by interview. It is not safe for concurrent use.
type Counter struct {
	known      []string // texts of hypotheses and themes
	names      []string // of people
	nameWords  map[string]bool
	readers    map[string]*reader // by language
	terms      map[string]*term   // by language and key
	reading    *reader            // of the interview
	interview  int
	began      bool // the interview has a turn
	turns      int
	interviews int
	people     peopleSet
}

// New returns a counter of words that the known texts, of hypotheses and themes, do not have. Words of the
// names are taken for names of people.
func New(known, names []string) *Counter {
	c := &Counter{
		known: known, names: names, nameWords: map[string]bool{}, readers: map[string]*reader{},
		terms: map[string]*term{},
	}
	for _, name := range names {
		for _, token := range words.Tokenize(name) {
			c.nameWords[token.Norm] = true
		}
	}
	return c
}

// Begin begins an interview in a language, given by its BCP 47 tag. Its number must not have been used.
func (c *Counter) Begin(interview int, language string) {
	language, _, _ = strings.Cut(strings.ToLower(language), "-")
	if len(c.terms) > maxTerms {
		c.forget()
	}
	if c.readers[language] == nil {
		c.readers[language] = newReader(language, c.known)
	}
	c.reading, c.interview, c.began = c.readers[language], interview, false
}

// Add counts the words of a turn of a person, and returns how many it has. People are numbered from 0,
// whatever interview they speak in.
func (c *Counter) Add(person, ordinal int, text string) int {
	if !c.began {
		c.began = true
		c.interviews++
	}
	c.people.add(person)
	c.turns++
	c.reading.turns++
	count := 0
	c.reading.spellings(text, func(s spelling) {
		count++
		c.count(person, ordinal, text, s)
	})
	return count
}

// People returns how many people were counted.
func (c *Counter) People() int { return c.people.len() }

// Interviews returns how many interviews were counted: those with a turn.
func (c *Counter) Interviews() int { return c.interviews }

// Turns returns how many turns were counted.
func (c *Counter) Turns() int { return c.turns }

// forget drops the terms that occurred once. A word that many people say occurs again.
func (c *Counter) forget() {
	for key, t := range c.terms {
		if t.count == 1 {
			delete(c.terms, key)
		}
	}
	for _, r := range c.readers {
		clear(r.known)
	}
}

// A peopleSet is a set of people by their numbers.
type peopleSet []uint64

func (s *peopleSet) add(person int) {
	for len(*s) <= person/64 {
		*s = append(*s, 0)
	}
	(*s)[person/64] |= 1 << (person % 64)
}

func (s peopleSet) len() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}
