package ask

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"research/activities/extract/keyword"
	"research/activities/extract/quote"
	"research/internal/words"
	"research/transcript"
)

const (
	// nearestBytes is the size of the longest turn that Nearest returns whole, about three sentences.
	nearestBytes = 400
	// nearestWords is the least number of words of a part of a longer turn.
	nearestWords = 40
	// maxNearestBytes bounds the text of which the nearest words are looked for.
	maxNearestBytes = 4000
)

// Silent returns the speakers whose words prove nothing: interviewers, and nobody, if other turns name
// somebody. A turn without a speaker is then a note, or something else that nobody says.
func Silent(t *transcript.Transcript, interviewers []string) []string {
	isNamed := func(u transcript.Utterance) bool { return u.Speaker != "" }
	if slices.ContainsFunc(t.Utterances, isNamed) {
		return append(slices.Clone(interviewers), "")
	}
	return interviewers
}

// Nearest returns words of a transcript that are nearest to a text which it does not say, the best first: of
// as many turns as most, and each at most a few sentences. None of the silent speakers says them.
func Nearest(t *transcript.Transcript, silent []string, text string, most int) []Quote {
	text = strings.ToValidUTF8(text[:min(len(text), maxNearestBytes)], "")
	wanted := tellingWords(t.Language, text)
	var found []Quote
	for _, i := range nearestTurns(t, text, wanted) {
		u := t.Utterances[i]
		if slices.Contains(silent, u.Speaker) {
			continue
		}
		from, to := nearestPart(u.Text, wanted)
		found = append(found, Quote{
			Text: u.Text[from:to], Speaker: u.Speaker, From: i, To: i + 1,
			ByteStart: u.ByteStart + from, ByteEnd: u.ByteStart + to, Match: quote.MatchVerbatim,
		})
		if len(found) == most {
			break
		}
	}
	return found
}

func wordsOf(text string) map[string]bool {
	found := map[string]bool{}
	for _, token := range words.Tokenize(text) {
		found[token.Norm] = true
	}
	return found
}

// tellingWords returns the words of a text, without those that any text has, if others are left.
func tellingWords(language, text string) map[string]bool {
	all := wordsOf(text)
	telling := maps.Clone(all)
	maps.DeleteFunc(telling, func(word string, _ bool) bool { return keyword.IsStop(language, word) })
	if len(telling) == 0 {
		return all
	}
	return telling
}

// nearestTurns ranks the turns as a question does, or else, where no word of the text says anything, by the
// number of words in common.
func nearestTurns(t *transcript.Transcript, text string, wanted map[string]bool) []int {
	var turns []int
	for _, place := range keyword.NewCollection([]*transcript.Transcript{t}).Rank(text) {
		turns = append(turns, place.Utterance)
	}
	if turns != nil {
		return turns
	}
	common := make([]int, len(t.Utterances))
	for i, u := range t.Utterances {
		for word := range wordsOf(u.Text) {
			if wanted[word] {
				common[i]++
			}
		}
		if common[i] > 0 {
			turns = append(turns, i)
		}
	}
	slices.SortStableFunc(turns, func(a, b int) int { return cmp.Compare(common[b], common[a]) })
	return turns
}

// nearestPart returns the part of a turn with most of the wanted words, or all of a short turn.
func nearestPart(text string, wanted map[string]bool) (from, to int) {
	if len(text) <= nearestBytes {
		return 0, len(text)
	}
	tokens := words.Tokenize(text)
	width := min(max(nearestWords, 2*len(wanted)), 2*nearestWords, len(tokens))
	if width == 0 {
		return 0, words.Cut(text, 0, len(text), nearestWords, nearestBytes)
	}
	part := densest(tokens, width, wanted)
	from, to = sentencesAround(text, part[0].Start, part[len(part)-1].End)
	return from, words.Cut(text, from, to, 3*nearestWords, 2*nearestBytes)
}

// densest returns the tokens, as many as width or fewer, that have most of the wanted words. It begins and
// ends with one of them, if there is any.
func densest(tokens []words.Token, width int, wanted map[string]bool) []words.Token {
	best, most, inside, distinct := 0, -1, map[string]int{}, 0
	for i, token := range tokens {
		if wanted[token.Norm] {
			if inside[token.Norm]++; inside[token.Norm] == 1 {
				distinct++
			}
		}
		if i >= width {
			if left := tokens[i-width].Norm; wanted[left] {
				if inside[left]--; inside[left] == 0 {
					distinct--
				}
			}
		}
		if first := i - width + 1; first >= 0 && distinct > most {
			best, most = first, distinct
		}
	}
	part := tokens[best : best+width]
	for most > 0 && !wanted[part[0].Norm] {
		part = part[1:]
	}
	for most > 0 && !wanted[part[len(part)-1].Norm] {
		part = part[:len(part)-1]
	}
	return part
}

// sentencesAround extends a part of a text to the sentences in which it begins and ends, if these are near.
func sentencesAround(text string, from, to int) (start, end int) {
	const far = nearestBytes / 4 // bytes
	stop := func(r rune) bool { return strings.ContainsRune(".?!。？！", r) }
	before := text[max(0, from-far):from]
	if i := strings.LastIndexFunc(before, stop); i >= 0 {
		_, size := utf8.DecodeRuneInString(before[i:])
		rest := before[i+size:]
		from -= len(strings.TrimLeftFunc(rest, unicode.IsSpace))
	} else if from <= far {
		from = 0
	}
	after := text[to:min(len(text), to+far)]
	if i := strings.IndexFunc(after, stop); i >= 0 {
		_, size := utf8.DecodeRuneInString(after[i:])
		to += i + size
	} else if len(text)-to <= far {
		to = len(text)
	}
	return from, to
}
