package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"research/internal/words"
)

// foldTypography removes differences that are not heard: compatibility forms, case, the forms of quotation
// marks, apostrophes and dashes, white space, invisible characters, and punctuation at both ends. Unlike the
// words of tokens, it keeps accents, digits, and signs such as $ and %.
func foldTypography(s string) string {
	var b strings.Builder
	space, last := false, rune(0)
	for _, r := range cases.Fold().String(norm.NFKC.String(s)) {
		switch {
		case unicode.IsSpace(r):
			space = true
			continue
		case words.IsInvisible(r), r == words.Tatweel:
			continue
		case words.IsApostrophe(r), strings.ContainsRune(quoteMarks, r):
			r = '\''
		case unicode.Is(unicode.Pd, r), r == '−':
			r = '-'
		}
		if space && b.Len() > 0 && needsSpace(last) && needsSpace(r) {
			b.WriteByte(' ')
		}
		space, last = false, r
		b.WriteRune(r)
	}
	return strings.TrimFunc(b.String(), isEdge)
}

// needsSpace reports whether a space beside r divides words: beside a dash, a quotation mark or a character
// of a script without spaces it does not.
func needsSpace(r rune) bool { return r != '-' && r != '\'' && !words.IsUnspaced(r) }

// isEdge reports whether r does not count at the beginning or the end of a quote.
func isEdge(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) && r != '%' }

const (
	quoteMarks   = "\"“”„«»‘’'「」『』‹›‚‟"
	closingMarks = ".!?…。！？؟%€$£"
	openingMarks = "$€£¿¡"
)

// trimQuotes removes quotation marks and white space around a quote.
func trimQuotes(quote string) string {
	return strings.TrimFunc(quote, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(quoteMarks, r)
	})
}

// toBytes turns the tokens of a span into bytes. It includes the adjacent punctuation that the quote has.
func (a *Aligner) toBytes(s *Span, quote string) {
	text := a.transcript.Text
	s.ByteStart, s.ByteEnd = a.tokens[s.tokenStart].Start, a.tokens[s.tokenEnd-1].End
	s.Words = s.tokenEnd - s.tokenStart
	s.UtteranceFrom, s.UtteranceTo = int(a.utterance[s.tokenStart]), int(a.utterance[s.tokenEnd-1])
	quote = trimQuotes(quote)
	if last, _ := utf8.DecodeLastRuneInString(quote); strings.ContainsRune(closingMarks, last) {
		after := text[s.ByteEnd:a.transcript.Utterances[s.UtteranceTo].ByteEnd]
		spaced := strings.TrimLeftFunc(after, unicode.IsSpace) // French puts a space before its marks
		marks := strings.TrimLeft(spaced, closingMarks)
		if len(marks) < len(spaced) {
			s.ByteEnd += len(after) - len(marks)
		}
	}
	for s.ByteStart > a.transcript.Utterances[s.UtteranceFrom].ByteStart { // $5
		r, size := utf8.DecodeLastRuneInString(text[:s.ByteStart])
		if !strings.ContainsRune(openingMarks, r) || !strings.HasPrefix(quote, string(r)) {
			break
		}
		s.ByteStart -= size
	}
	s.Match = MatchRepaired
	if foldTypography(text[s.ByteStart:s.ByteEnd]) == foldTypography(quote) {
		s.Match = MatchVerbatim
	}
}
