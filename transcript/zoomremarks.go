package transcript

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// Zoom writes into its chat who reacted to a message, and the message that a reply answers, both with its
// first words in quotes. Nobody types these.
var (
	zoomReaction = regexp.MustCompile(`(?s)^Reacted to (?:["“].+["”] with \S.{0,40}|.+ with ` +
		`["“]?[^\p{L}\s]{1,40})$|` +
		`^Removed an? .{1,40} reaction from \S.*$`)
	zoomReply = regexp.MustCompile(`^Replying to ["“]`)
)

// Bounds on what Zoom writes in other languages, in runes.
const (
	maxZoomQuote  = 300
	maxZoomRemark = 60 // around the quotation
)

const (
	openingQuotes = "\"“„«「『‹"
	closingQuotes = "\"”“»」』›"
)

// dropZoomRemarks removes the turns of people who only react, and the quotations before replies.
func dropZoomRemarks(l *turn.List) {
	known := newZoomMessages(l)
	kept := l.Turns[:0]
	for _, t := range l.Turns {
		text := strings.TrimSpace(t.Text)
		if isZoomReaction(text, known) {
			l.Drop(text)
			continue
		}
		quoted, said := cutZoomQuote(text, known)
		if quoted != "" {
			l.Drop(quoted)
			t.Text = said
		}
		if quoted == "" || !plain.IsBlank(said) {
			kept = append(kept, t)
		}
	}
	l.Turns = kept
}

// isZoomReaction reports whether a message is a reaction. In other languages than English it is a few words
// and an emoji around the quotation of a message.
func isZoomReaction(text string, known zoomMessages) bool {
	if zoomReaction.MatchString(text) {
		return true
	}
	from := strings.IndexAny(text, openingQuotes)
	to := strings.LastIndexAny(text, closingQuotes)
	if from < 0 || to <= from || len(text) > 4*(maxZoomQuote+maxZoomRemark) {
		return false
	}
	quote := strings.TrimRight(strings.TrimLeft(text[from:to], openingQuotes), closingQuotes)
	around := text[:from] + strings.TrimLeft(text[to:], closingQuotes)
	return len([]rune(around)) <= maxZoomRemark && strings.ContainsFunc(around, isEmoji) &&
		strings.ContainsFunc(around, unicode.IsLetter) && known.has(quote)
}

// isEmoji reports whether a character is a picture, or a part of one.
func isEmoji(r rune) bool { return r > 0x2000 && unicode.In(r, unicode.So, unicode.Sk) }

// cutZoomQuote divides a reply behind the message that it answers. It returns "" for the quotation of a
// message that is no reply.
func cutZoomQuote(text string, known zoomMessages) (quoted, said string) {
	from := strings.IndexAny(text, openingQuotes)
	if from <= 0 || len([]rune(text[:from])) > maxZoomRemark || strings.ContainsAny(text[:from], "\n.?!") {
		return "", text
	}
	inEnglish, fallback := zoomReply.MatchString(text), 0
	opening := len(text[from:]) - len(strings.TrimLeft(text[from:], openingQuotes))
	for at := from + opening; at < min(len(text), from+4*maxZoomQuote); {
		i := strings.IndexAny(text[at:], closingQuotes)
		if i < 0 {
			break
		}
		quote := text[from+opening : at+i]
		at += i
		at += len(text[at:]) - len(strings.TrimLeft(text[at:], closingQuotes))
		rest := strings.TrimLeft(text[at:], " \t:")
		endsLine := rest == "" || rest[0] == '\n'
		if known.has(quote) && (inEnglish || endsLine) {
			return text[:at], rest
		}
		if fallback == 0 && endsLine {
			fallback = at
		}
	}
	if inEnglish && fallback > 0 {
		return text[:fallback], strings.TrimLeft(text[fallback:], " \t:")
	}
	return "", text
}

// zoomMessages are the messages of a chat in alphabetical order.
type zoomMessages []string

func newZoomMessages(l *turn.List) zoomMessages {
	var known zoomMessages
	for _, t := range l.Turns {
		text := strings.TrimSpace(t.Text)
		known = append(known, comparable(text))
		if _, said, ok := strings.Cut(text, "\n"); ok {
			known = append(known, comparable(said)) // without the quotation above a reply
		}
	}
	slices.Sort(known)
	return slices.Compact(known)
}

// comparable returns the words of a message in the form in which quotations have them.
func comparable(text string) string {
	text = text[:min(len(text), 4*maxZoomQuote)]
	return strings.Join(strings.Fields(text), " ")
}

// has reports whether a quotation is a message, or how one begins.
func (m zoomMessages) has(quote string) bool {
	quote = comparable(quote)
	short, isCut := strings.CutSuffix(strings.TrimSuffix(quote, "…"), "...")
	isCut = isCut || strings.HasSuffix(quote, "…")
	if short = strings.TrimSpace(short); short == "" {
		return false
	}
	i, found := slices.BinarySearch(m, short)
	return found || isCut && i < len(m) && strings.HasPrefix(m[i], short)
}
