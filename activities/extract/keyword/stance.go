package keyword

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"research/internal/lexicon"
	"research/internal/words"
	"research/outcome"
)

// A cueKind is what a word or phrase contributes to the stance of its sentence. data/stance-cues.txt explains
// the kinds.
type cueKind string

const (
	cueDenial      cueKind = "denial"
	cueAffirmation cueKind = "affirmation"
	cueOpen        cueKind = "open"
	cueRelative    cueKind = "relative"
	cueConjunction cueKind = "conjunction"
	cueComplaint   cueKind = "complaint"
	cueEmphasis    cueKind = "emphasis"
)

// A cue is a word or phrase, as normalized tokens.
type cue struct {
	kind   cueKind
	words  []string
	suffix bool // the only word is the end of longer ones
}

// stanceCues are the cues by language, the longest first.
var stanceCues = loadCues()

func loadCues() map[string][]cue {
	kinds := []cueKind{
		cueDenial, cueAffirmation, cueOpen, cueRelative, cueConjunction, cueComplaint, cueEmphasis,
	}
	cues := map[string][]cue{}
	for _, entry := range lexicon.Entries(data, "stance-cues") {
		head, list, _ := strings.Cut(entry, ":")
		language, kind, _ := strings.Cut(head, " ")
		if !slices.Contains(kinds, cueKind(kind)) {
			panic(fmt.Sprintf("data/stance-cues.txt: %q is not a language and a kind", head))
		}
		for phrase := range strings.SplitSeq(list, ",") {
			c := cue{kind: cueKind(kind), suffix: strings.Contains(phrase, "*")}
			for _, tok := range words.Tokenize(phrase) {
				c.words = append(c.words, tok.Norm)
			}
			cues[language] = append(cues[language], c)
		}
	}
	for _, list := range cues {
		slices.SortStableFunc(list, func(a, b cue) int { return len(b.words) - len(a.words) })
	}
	cues[""] = cues["en"] // as stemmers
	return cues
}

// begins reports whether tokens begin with the cue.
func (c cue) begins(tokens []words.Token) bool {
	if c.suffix {
		return strings.HasSuffix(tokens[0].Norm, c.words[0])
	}
	return len(tokens) >= len(c.words) && slices.EqualFunc(c.words, tokens[:len(c.words)],
		func(word string, tok words.Token) bool { return word == tok.Norm })
}

// A stanceReader reads the stance of sentences towards one statement from their cues. It proposes none unless
// one clause has almost all of the statement's words and its cues leave no doubt: a wrong stance is worse
// than a neutral one.
type stanceReader struct {
	index     *utteranceIndex
	language  string
	statement clause
}

// minShareForStance is the part of the words of a statement that a clause must have before its cues count.
// With less, "we never copy receipts by hand" contradicts that invoices are copied by hand.
const minShareForStance = 0.85

// minTermsForStance is how many words a statement must have, and how many a clause must share with it.
const minTermsForStance = 2

func newStanceReader(index *utteranceIndex, language, statement string) *stanceReader {
	r := &stanceReader{index: index, language: language}
	r.statement = joinClauses(r.clauses(statement))
	return r
}

// stance returns the stance of a passage. It is neutral if its sentences contradict each other.
func (r *stanceReader) stance(passage string) outcome.Stance {
	stance := outcome.StanceNeutral
	for _, sentence := range splitSentences(passage) {
		if isQuestion(sentence) {
			continue
		}
		clauses := r.clauses(sentence)
		whole := joinClauses(clauses)
		for _, c := range clauses {
			found := r.clauseStance(c, whole)
			switch {
			case found == outcome.StanceNeutral || found == stance:
			case stance == outcome.StanceNeutral:
				stance = found
			default:
				return outcome.StanceNeutral
			}
		}
	}
	return stance
}

// clauseStance returns the stance of a clause of a sentence.
func (r *stanceReader) clauseStance(c, sentence clause) outcome.Stance {
	s := r.statement
	if !r.isAbout(c) || !maps.Equal(s.open, sentence.open) || !maps.Equal(s.amounts, c.amounts) ||
		sentence.deniesNoun || s.denials > 1 {
		return outcome.StanceNeutral
	}
	switch affirmed := sentence.affirms(s); {
	case c.denials > 1 && !deniesTwice[r.language]:
		return outcome.StanceNeutral
	case c.dangling && deniesAhead[r.language]:
		return outcome.StanceNeutral // "by hand not by scanner"
	case c.denials > 0 && c.affirms(s):
		return outcome.StanceNeutral // "every nurse does not"
	case c.denials > 0 && s.denials > 0:
		return outcome.StanceSupports
	case c.denials > 0:
		return outcome.StanceContradicts
	case !affirmed || sentence.denials > 0:
		return outcome.StanceNeutral
	case s.denials > 0:
		return outcome.StanceContradicts
	}
	return outcome.StanceSupports
}

// deniesTwice has the languages in which two denials in a clause are one: "nessuno … mai".
var deniesTwice = map[string]bool{
	"fr": true, "es": true, "it": true, "pt": true, "ru": true, "pl": true, "tr": true, "ko": true, "ar": true,
}

// deniesAhead has the languages in which a denial stands before what it denies.
var deniesAhead = map[string]bool{"": true, "en": true, "es": true, "it": true, "pt": true}

// isAbout reports whether a clause has almost all words of the statement. Two complaints count as the same
// word.
func (r *stanceReader) isAbout(c clause) bool {
	terms := r.statement.terms
	if len(terms) < minTermsForStance || r.statement.complains && !c.complains {
		return false
	}
	shared := 0
	for term := range terms {
		if c.terms[term] {
			shared++
		}
	}
	return shared >= minTermsForStance && float64(shared) >= minShareForStance*float64(len(terms))
}

// A clause is what a part of a sentence says for a stance.
type clause struct {
	terms        map[string]bool // stems, without those of cues
	amounts      map[string]bool // numbers, and quantifiers that are not affirmations
	affirmations map[string]bool
	open         map[string]bool
	denials      int
	complains    bool
	deniesNoun   bool // a denial in a relative clause
	dangling     bool // no word of the statement follows the last denial
}

func newClause() clause {
	return clause{
		terms:        map[string]bool{},
		amounts:      map[string]bool{},
		affirmations: map[string]bool{},
		open:         map[string]bool{},
	}
}

// joinClauses returns what clauses say together.
func joinClauses(clauses []clause) clause {
	all := newClause()
	for _, c := range clauses {
		maps.Copy(all.terms, c.terms)
		maps.Copy(all.amounts, c.amounts)
		maps.Copy(all.affirmations, c.affirmations)
		maps.Copy(all.open, c.open)
		all.denials += c.denials
		all.complains = all.complains || c.complains
		all.deniesNoun = all.deniesNoun || c.deniesNoun
	}
	return all
}

// affirms reports whether a clause has an affirmation that the statement lacks.
func (c clause) affirms(statement clause) bool {
	for word := range c.affirmations {
		if !statement.affirmations[word] {
			return true
		}
	}
	return false
}

// clauses divides a sentence at its marks and conjunctions, and reads each part.
func (r *stanceReader) clauses(sentence string) []clause {
	tokens := words.Tokenize(sentence)
	clauses := []clause{newClause()}
	last, relative := 0, false
	for i := 0; i < len(tokens); {
		tok := tokens[i]
		kind, size := r.cueAt(tokens[i:])
		// A contraction is two tokens over the same bytes.
		ended := tok.Start > last && strings.ContainsAny(sentence[last:tok.Start], words.ClauseMarks+"()")
		if kind == cueConjunction || words.BeginsClause(tok.Norm) || ended && !words.CompletesClause(tok.Norm) {
			clauses = append(clauses, newClause())
		}
		// German relative pronouns are articles too, but for the comma before them.
		relative = relative || kind == cueRelative && (ended || r.language != "de")
		c := &clauses[len(clauses)-1]
		if kind == cueDenial && relative {
			c.deniesNoun = true
		}
		c.add(r.index, kind, tokens[i:i+size])
		switch {
		case kind == cueDenial:
			c.dangling = true
		case kind == cueComplaint, r.statement.terms[r.index.stem(tok.Norm)]:
			c.dangling = false
		}
		i += size
		last = tokens[i-1].End
	}
	return clauses
}

// cueAt returns the kind of the cue with which tokens begin, and its size. Other words have the size 1.
func (r *stanceReader) cueAt(tokens []words.Token) (cueKind, int) {
	for _, c := range stanceCues[r.language] {
		if c.begins(tokens) {
			return c.kind, len(c.words)
		}
	}
	word := tokens[0].Norm
	isPart := words.IsUnspacedWord(word) && slices.Contains(words.NegationParts, word)
	if (words.IsNegation(word) || isPart) && !words.HasOtherMeaning(r.language, word) {
		return cueOpen, 1 // hardly, without
	}
	return "", 1
}

// add adds a cue or a word.
func (c *clause) add(index *utteranceIndex, kind cueKind, tokens []words.Token) {
	text := ""
	for _, tok := range tokens {
		text += tok.Norm + " "
	}
	word := tokens[0].Norm
	switch {
	case kind == cueDenial:
		c.denials++
	case kind == cueAffirmation:
		c.affirmations[text] = true
	case kind == cueOpen:
		c.open[text] = true
	case kind == cueComplaint:
		c.complains = true
	case kind != "":
	case words.IsQuantifier(word), words.HasDigit(word) && word != "1": // "one" is also an article
		c.amounts[word] = true
	case !words.IsFrameWord(word):
		if stem := index.stem(word); !index.talk[stem] {
			c.terms[stem] = true
		}
	}
}
