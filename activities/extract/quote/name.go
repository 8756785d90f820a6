package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"research/internal/words"
)

// isCapitalized reports whether a word begins with a capital that is not its only letter.
func isCapitalized(word string) bool {
	first, size := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first) && size < len(word)
}

// isAllCapitals reports whether a text has no lower-case letters, so that capitals do not show names.
func isAllCapitals(text string) bool { return !strings.ContainsFunc(text, unicode.IsLower) }

// isName reports whether a word of the source is a name: it is always capitalized in this transcript, and is
// no common word at the beginning of a sentence. German capitalizes all nouns: there a name follows a title
// or a preposition, or belongs to a speaker.
func (a *Aligner) isName(content int) bool {
	at := a.token[content]
	tok := a.tokens[at]
	if !a.names[a.words.ids[at]] || words.IsCommon(tok.Norm) {
		return false
	}
	if isAllCapitals(a.transcript.Utterances[a.utterance[at]].Text) {
		return false
	}
	if !a.capitalizesNouns() {
		return true
	}
	return content > 0 && a.sameClause(content-1) && announcesName(a.contentWord(content-1)) ||
		a.isSpeaker(tok.Norm)
}

// quotedNames marks the words of a quote that are names, by the same signs.
func (a *Aligner) quotedNames(quote part) []bool {
	names := make([]bool, len(quote.tokens))
	if isAllCapitals(quote.text) {
		return names
	}
	for i, tok := range quote.tokens {
		switch {
		case !isCapitalized(quote.text[tok.Start:tok.End]) || words.IsCommon(tok.Norm):
		case a.isKnownWord(tok.Norm):
		case a.capitalizesNouns():
			names[i] = i > 0 && announcesName(quote.tokens[i-1].Norm) || a.isSpeaker(tok.Norm)
		default:
			names[i] = true
		}
	}
	return names
}

// isKnownWord reports whether the transcript has a word in lower case.
func (a *Aligner) isKnownWord(word string) bool {
	id, ok := a.ids[word]
	return ok && !a.names[id]
}

// capitalizesNouns reports whether the language of the transcript does.
func (a *Aligner) capitalizesNouns() bool {
	return a.transcript.Language == "de" || a.transcript.Language == "lb"
}

func (a *Aligner) isSpeaker(word string) bool { return a.speakerNames[word] }

// announcesName reports whether a name without an article may follow a word of German: a title, a
// preposition, or "wie".
func announcesName(word string) bool { return nameAnnouncers[word] }
