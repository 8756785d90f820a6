package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"research/internal/words"
)

// amountSigns lists the currencies, percent signs and minus signs of a text in their order, each by one name:
// "$5", "5 dollars" and "USD 5" have the same. Tokens lack the signs.
func (f *forms) amountSigns(text string) []string {
	var signs []string
	before := ' '
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		end := i + size
		switch {
		case words.IsUnspaced(r):
			end = i + currencySize(text[i:])
			if name, ok := currencies[words.Fold(text[i:end])]; ok {
				signs = append(signs, name)
			}
		case words.IsWordRune(r) && !unicode.IsDigit(r):
			end = words.End(text, i)
			if name := f.of(words.Normalize(text[i:end])).currency; name != "" {
				signs = append(signs, name)
			}
		case r == '-' || r == '−':
			next, _ := utf8.DecodeRuneInString(text[end:])
			if unicode.IsDigit(next) && (unicode.IsSpace(before) || strings.ContainsRune(quoteMarks, before)) {
				signs = append(signs, "minus")
			}
		default:
			if name, ok := currencies[text[i:end]]; ok {
				signs = append(signs, name)
			}
		}
		before, _ = utf8.DecodeLastRuneInString(text[:end])
		i = end
	}
	return signs
}

// maxCurrencyRunes is the length of the longest name of a currency in a script without spaces.
const maxCurrencyRunes = 6

// currencySize returns the size of the longest currency at the beginning of a text in a script without
// spaces, or of its first character.
func currencySize(text string) int {
	longest, end := 0, 0
	for range maxCurrencyRunes {
		r, size := utf8.DecodeRuneInString(text[end:])
		if size == 0 || !words.IsUnspaced(r) && r != 'ー' {
			break
		}
		end += size
		if longest == 0 || currencies[words.Fold(text[:end])] != "" {
			longest = end
		}
	}
	return longest
}

// changesAmounts reports whether the quote has a currency, a percent sign or a minus sign that the tokens
// from start to end, with the signs beside them, do not have in this order.
func (a *Aligner) changesAmounts(quote string, start, end int) bool {
	signs := a.forms.amountSigns(quote)
	if len(signs) == 0 {
		return false
	}
	u := a.transcript.Utterances
	first, last := u[a.utterance[start]], u[a.utterance[end-1]]
	from, to := first.ByteStart, last.ByteEnd
	if start > 0 {
		from = max(from, a.tokens[start-1].End)
	}
	if end < len(a.tokens) {
		to = min(to, a.tokens[end].End) // "5" is followed by "euros"
	}
	for _, sign := range a.forms.amountSigns(a.transcript.Text[from:to]) {
		if len(signs) > 0 && sign == signs[0] {
			signs = signs[1:]
		}
	}
	return len(signs) > 0
}
