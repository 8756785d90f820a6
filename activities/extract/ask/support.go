package ask

import (
	"slices"
)

// carriers are the classes of quantities that quotes may have for one of a sentence, beside the same class.
var carriers = map[string][]string{
	"all":      {"always", "recurring"},
	"always":   {"all"},
	"minority": {"few"},
	"many":     {"majority", "often"},
	"often":    {"always", "many", "majority", "recurring"},
	"few":      {"minority", "rarely", "some"},
	"rarely":   {"few", "never"},
	"only":     {"just", "nobody"},
}

// freeClasses are quantities that a sentence may have without its quotes, if they count no people.
var freeClasses = []string{"some", "just", "recurring"}

// A proof is what the quotes of a sentence say together, and the question that it answers.
type proof struct {
	quotes   []*reading
	question *reading
	speakers int // who are quoted
}

// supports reports whether the quotes carry the numbers, quantities and negations of a sentence.
func (p *proof) supports(sentence *reading) bool {
	for i := range sentence.numbers {
		if !p.carriesNumber(sentence, i) {
			return false
		}
	}
	for _, q := range sentence.quantities {
		if !p.carriesQuantity(sentence, q) {
			return false
		}
	}
	return p.carriesNegations(sentence) && !p.affirmsDenied(sentence)
}

// carriesNumber reports whether a quote has a number of a sentence, or the question has it. Numbers of people
// must be in a quote as numbers of people, and those of people who were asked are never the model's.
func (p *proof) carriesNumber(sentence *reading, i int) bool {
	n := sentence.numbers[i]
	of := sentence.peopleOf(n)
	switch {
	case of == "asked", of == "says" && n.value != "1":
		return false
	case n.isIncidental(), n.isWord && n.value == "2" && of == "" && p.speakers == 2: // "both"
		return true
	case of != "" && n.value != "1":
		return p.hasNumber(n, func(r *reading, other number) bool { return r.peopleOf(other) == of })
	case sentence.isShare(i):
		return p.hasShare(n, sentence.numbers[i+1])
	}
	same := func(*reading, number) bool { return true }
	return p.hasNumber(n, same) || p.question.hasNumber(n, same)
}

// peopleOf returns the class of the people that a number counts, or "".
func (r *reading) peopleOf(n number) string { return r.people[n.from] }

// hasNumber reports whether a quote has a number for which accepts is true.
func (p *proof) hasNumber(n number, accepts func(*reading, number) bool) bool {
	return slices.ContainsFunc(p.quotes, func(r *reading) bool { return r.hasNumber(n, accepts) })
}

func (r *reading) hasNumber(n number, accepts func(*reading, number) bool) bool {
	return slices.ContainsFunc(r.numbers, func(other number) bool {
		isUnit := n.unit == "" || other.unit == "" || n.unit == other.unit
		return other.value == n.value && isUnit && accepts(r, other)
	})
}

// shareWords stand between the numbers of "7 of 9".
var shareWords = []string{
	"of", "out", "von", "sur", "de", "su", "di", "van", "из", "z", "the", "den", "der", "中", "lo", "dos",
}

// isShare reports whether a number and the next one say "7 of 9".
func (r *reading) isShare(i int) bool {
	if i+1 >= len(r.numbers) {
		return false
	}
	from, to := r.numbers[i].to, r.numbers[i+1].from
	if from == to || to-from > 3 {
		return false
	}
	for _, w := range r.words[from:to] {
		if !slices.Contains(shareWords, w.norm) {
			return false
		}
	}
	return true
}

// hasShare reports whether a quote says "7 of 9".
func (p *proof) hasShare(part, whole number) bool {
	return slices.ContainsFunc(p.quotes, func(r *reading) bool {
		for i, n := range r.numbers {
			if n.value == part.value && r.isShare(i) && r.numbers[i+1].value == whole.value {
				return true
			}
		}
		return false
	})
}

// carriesQuantity reports whether a quote has a quantity of a sentence.
func (p *proof) carriesQuantity(sentence *reading, q quantity) bool {
	if q.of == "asked" {
		return isFrequency(q.class)
	}
	isPeople := q.of != "" && !isFrequency(q.class)
	switch {
	case !isPeople && slices.Contains(freeClasses, q.class):
		return true
	case q.class == "both" && q.of == "" && p.speakers == 2:
		return true
	case q.class == "never" && p.hasQuantity(func(other quantity) bool { return other.class == "nobody" }):
		return true
	case q.class == "only" && p.negates():
		return true
	}
	return p.hasQuantity(func(other quantity) bool {
		isClass := other.class == q.class || slices.Contains(carriers[q.class], other.class)
		switch {
		case isPeople:
			return isClass && (other.of == q.of || isOfPeople(other.class)) ||
				q.class == "some" && other.of == q.of
		case isOfPeople(q.class):
			return isClass || other.of == "people" && (q.class == "everyone") == (other.class == "all")
		}
		return isClass
	})
}

// isFrequency reports whether a class says how often something is.
func isFrequency(class string) bool {
	return slices.Contains([]string{"always", "never", "often", "rarely", "recurring", "only", "just"}, class)
}

// isOfPeople reports whether a class is one of people without a word for them.
func isOfPeople(class string) bool { return class == "everyone" || class == "nobody" }

func (p *proof) hasQuantity(accepts func(quantity) bool) bool {
	return slices.ContainsFunc(p.quotes, func(r *reading) bool {
		return slices.ContainsFunc(r.quantities, accepts)
	})
}

// minWords is the size of the shortest quotes that prove a sentence without a number, a quantity or a
// negation: "Yes." proves nothing, and "Never." does.
const minWords = 3

// saysEnough reports whether the quotes say anything by themselves.
func (p *proof) saysEnough() bool {
	return slices.ContainsFunc(p.quotes, func(r *reading) bool {
		negates := slices.ContainsFunc(r.words, func(w readWord) bool { return w.negates })
		return len(r.words) >= minWords || negates || len(r.numbers) > 0 || len(r.quantities) > 0
	})
}
