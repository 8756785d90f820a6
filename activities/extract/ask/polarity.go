package ask

import "slices"

// negates reports whether a quote negates anything.
func (p *proof) negates() bool {
	return slices.ContainsFunc(p.quotes, func(r *reading) bool {
		return slices.ContainsFunc(r.clauses, func(c clause) bool { return c.polarity != affirms })
	})
}

// occurrences are the polarities of the clauses of the quotes that have a stem.
func (p *proof) occurrences(stem string) (affirmed, denied, other bool) {
	for _, r := range p.quotes {
		for _, w := range r.words {
			if w.stem != stem {
				continue
			}
			switch r.clauses[w.clause].polarity {
			case affirms:
				affirmed = true
			case denies:
				denied = true
			default:
				other = true
			}
		}
	}
	return affirmed, denied, other
}

// carriesNegations reports whether the quotes deny what a sentence denies: they negate something, and do not
// only affirm what it denies first.
func (p *proof) carriesNegations(sentence *reading) bool {
	for _, c := range sentence.clauses {
		if c.polarity != denies {
			continue
		}
		if !p.negates() {
			return false
		}
		for _, stem := range c.focus {
			if affirmed, denied, other := p.occurrences(stem); affirmed && !denied && !other {
				return false
			}
		}
	}
	return true
}

// affirmsDenied reports whether a sentence affirms what the quotes only deny: most of the words that a clause
// shares with them, or half of these with one that they deny first, or anything, if they do nothing but deny.
func (p *proof) affirmsDenied(sentence *reading) bool {
	affirming := 0
	for i, c := range sentence.clauses {
		if !p.isAffirming(c) {
			continue
		}
		affirming++
		shared, deniedOnly, hasFocus := 0, 0, false
		for _, w := range sentence.words {
			if w.clause != i || w.stem == "" {
				continue
			}
			affirmed, denied, other := p.occurrences(w.stem)
			if affirmed || denied || other {
				shared++
			}
			if denied && !affirmed && !other {
				hasFocus = hasFocus || p.isFocus(w.stem)
				deniedOnly++
			}
		}
		if 2*deniedOnly > shared || hasFocus && 2*deniedOnly == shared {
			return true
		}
	}
	return affirming == len(sentence.clauses) && p.onlyDenies()
}

// isAffirming reports whether a clause of a sentence says what it says of its own. "Slow" may stand for a
// negation of the quotes, but not if it is their word.
func (p *proof) isAffirming(c clause) bool {
	if len(c.doubts) == 0 {
		return c.polarity == affirms
	}
	return !slices.ContainsFunc(c.doubts, func(stem string) bool {
		affirmed, denied, other := p.occurrences(stem)
		return !affirmed && !denied && !other
	})
}

// isFocus reports whether a quote denies a stem first.
func (p *proof) isFocus(stem string) bool {
	return slices.ContainsFunc(p.quotes, func(r *reading) bool {
		return slices.ContainsFunc(r.clauses, func(c clause) bool { return slices.Contains(c.focus, stem) })
	})
}

// onlyDenies reports whether all clauses of the quotes that say something deny it.
func (p *proof) onlyDenies() bool {
	for _, r := range p.quotes {
		for _, c := range r.clauses {
			if c.words > 0 && c.polarity != denies {
				return false
			}
		}
	}
	return true
}
