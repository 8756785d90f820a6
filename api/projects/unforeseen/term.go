package unforeseen

import (
	"strings"
)

// A term is the words of one stem.
type term struct {
	key        string
	reader     *reader
	unspaced   bool // of a script without spaces
	people     peopleSet
	interviews int
	interview  int // the last one
	turns      int
	turn       int // the last one
	count      int
	inside     int // not at the beginning of a sentence
	capitals   int // of these, with a capital letter
	titled     int // after a title, such as "Mr."
	variants   []variant
	places     []Place
	placed     []int // the people of the places
}

// A variant is a spelling of a term.
type variant struct {
	text  string
	count int
}

// A knownSpelling is the term of a spelling. Without one, the spelling does not count.
type knownSpelling struct {
	term    *term
	variant int // of the term, or -1
	capital bool
}

// count counts a spelling of a turn.
func (c *Counter) count(person, ordinal int, text string, s spelling) {
	r := c.reading
	known, ok := r.known[text[s.start:s.end]]
	if !ok {
		known = c.know(strings.Clone(text[s.start:s.end]), s.unspaced)
	}
	if s.inside {
		r.inside++
	}
	t := known.term
	if t == nil {
		return
	}
	t.count++
	if s.titled {
		t.titled++
	}
	if s.inside {
		t.inside++
		if known.capital {
			t.capitals++
			r.capitals++
		}
	}
	if known.variant >= 0 {
		t.variants[known.variant].count++
	}
	if t.turn == c.turns {
		return
	}
	t.turn = c.turns
	t.turns++
	t.people.add(person)
	if t.interview != c.interview || t.interviews == 0 {
		t.interview = c.interview
		t.interviews++
	}
	t.place(person, Place{Interview: c.interview, Ordinal: ordinal, From: s.start, To: s.end})
}

// know finds the term of a spelling that was not met before.
func (c *Counter) know(spelled string, unspaced bool) knownSpelling {
	r, text := c.reading, spelled
	var known knownSpelling
	if key := r.key(text, unspaced); key != "" {
		t := c.terms[r.language+" "+key]
		if t == nil {
			t = &term{key: key, reader: r, unspaced: unspaced}
			c.terms[r.language+" "+key] = t
		}
		if !unspaced {
			text = r.withoutClitic(text)
		}
		known = knownSpelling{term: t, variant: t.variant(text), capital: isCapital(text)}
	}
	if len(r.known) < maxSpellings {
		r.known[spelled] = known
	}
	return known
}

// variant returns the number of a spelling, or -1 if there are too many.
func (t *term) variant(text string) int {
	for i, v := range t.variants {
		if v.text == text {
			return i
		}
	}
	if len(t.variants) == maxVariants {
		return -1
	}
	t.variants = append(t.variants, variant{text: text})
	return len(t.variants) - 1
}

// place keeps the first places of the first people.
func (t *term) place(person int, p Place) {
	if len(t.places) == MostPlaces {
		return
	}
	for _, other := range t.placed {
		if other == person {
			return
		}
	}
	t.places, t.placed = append(t.places, p), append(t.placed, person)
}
