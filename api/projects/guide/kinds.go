package guide

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"research/transcript/craft"
)

// Kinds are what can be said of how a text asks.
type Kinds struct {
	Language     string `json:"language"` // empty if its questions are not recognised
	Leading      bool   `json:"leading"`
	Hypothetical bool   `json:"hypothetical"`
	Past         bool   `json:"past"`
	Open         bool   `json:"open"`
	Closed       bool   `json:"closed"`
	Advice       string `json:"advice"` // empty if nothing is wrong with it
}

// KindsOf says how a text asks. Its language is its own or, if it has too few words to tell, the given one. A
// text is read in both, because a short one is easily taken for another language. Without any, it is read in
// English, and nothing is said of it unless its words say something there.
//
// Whether yes or no answers it is said only where the language is its own: in another, a question without a
// word that the lists know looks as if it were so.
func KindsOf(text, language string) Kinds {
	kinds := Kinds{Language: craft.Language([]string{text})}
	own := kinds.Language != ""
	if !own {
		kinds.Language = language
	}
	switch {
	case kinds.Language == "":
		if kinds.add(text, fallback); !kinds.known() {
			return Kinds{}
		}
		kinds.Language = fallback
	case language != "" && language != kinds.Language:
		other := Kinds{}
		other.add(text, language)
		kinds.Leading = other.Leading
		fallthrough
	default:
		kinds.add(text, kinds.Language)
	}
	kinds.Closed = kinds.Closed && own
	kinds.Advice = kinds.advice()
	return kinds
}

func (k *Kinds) known() bool { return k.Leading || k.Hypothetical || k.Past }

func (k *Kinds) add(text, language string) {
	questions := craft.Questions(text, language)
	marked := len(questions) > 0
	if !marked { // it was written down as a question all the same, but may be a note
		questions = craft.Questions(strings.TrimRightFunc(text, notLetter)+"?", language)
	}
	for _, q := range questions {
		k.Leading = k.Leading || q.Leading
		k.Hypothetical = k.Hypothetical || q.Hypothetical
		k.Past = k.Past || q.Past
		k.Open = k.Open || q.Open
		k.Closed = k.Closed || q.Closed && marked
	}
	k.Closed = k.Closed && !k.Open
	k.Past = k.Past && !k.Hypothetical
}

func notLetter(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) }

// advice says what would be better than what weighs most.
func (k *Kinds) advice() string {
	switch {
	case k.Leading:
		return "This suggests the answer. Ask what happened, and leave out what you expect to hear."
	case k.Hypothetical:
		return "This asks what somebody would do. Ask when they last did it, and what happened."
	case k.Closed && !k.Past:
		return "Yes or no answers this. Ask how, or for the last time that it happened."
	default:
		return ""
	}
}

// sameness is equal for questions that differ only in case, spaces and punctuation.
func sameness(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFKC.String(text))
}
