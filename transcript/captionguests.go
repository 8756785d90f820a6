package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// minChanges is how many labels that recur a file must have, at least, to say where labels stand.
const minChanges = 6

// findFresh finds the labels of captions that occur once and stand like those that recur: after the end of a
// sentence and a pause, before the start of a sentence. Where captions name speakers only when they change, a
// guest who speaks once may speak for minutes.
func (c *labelCounts) findFresh(cues []cue) {
	recurring, like := 0, 0
	single := map[string]bool{}
	for i, q := range cues {
		name, said, ok := splitLabel(q.text[dialogueMark(q.text):])
		if !ok {
			continue
		}
		begins := i > 0 && beginsSpeech(cues[i-1], q, said)
		switch {
		case c.labels[name] == 1 && (begins || i == 0 && c.hasShortForm(name)):
			single[name] = true
		case c.labels[name] > 1 && labelShapeOf(name) == fullName:
			recurring++
			if begins || i == 0 {
				like++
			}
		}
	}
	if recurring >= minChanges && like*10 >= recurring*8 {
		c.fresh = single
	}
}

// findChanges sees whether captions name a speaker only when another one begins: the labels that recur stand at the
// beginnings of sentences, and never does the same one follow.
func (c *labelCounts) findChanges(cues []cue) {
	labels, changes, begin := 0, 0, 0
	last := ""
	for i, q := range cues {
		name, _, ok := splitLabel(q.text[dialogueMark(q.text):])
		if !ok || c.labels[name] < 2 {
			continue
		}
		labels++
		if name != last {
			changes++
		}
		if i == 0 || endsSentence(strings.TrimSpace(cues[i-1].text)) {
			begin++
		}
		last = name
	}
	c.changes = labels > minChanges && changes == labels && begin*4 >= labels*3
}

// beginsSpeech reports whether a cue begins after a pause and a sentence, and with the start of one.
func beginsSpeech(before, c cue, said string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(said, " \t\n\"“'‘-"))
	return !follows(before, c) && endsSentence(strings.TrimSpace(before.text)) &&
		(unicode.IsUpper(first) || unicode.IsDigit(first) || unicode.Is(unicode.Lo, first))
}

// hasShortForm reports whether a word of a name is a label that recurs: "Dana" for "Dana Weber".
func (c *labelCounts) hasShortForm(name string) bool {
	for word := range strings.FieldsSeq(name) {
		if c.labels[word] > 1 {
			return true
		}
	}
	return false
}

// hasLowerCase reports whether one of the words of a name occurs in lower case, as those of titles do.
func (c *labelCounts) hasLowerCase(words []string) bool {
	for _, word := range words {
		if lower := strings.ToLower(word); c.lowerCase[lower] && !nameParticles[lower] {
			return true
		}
	}
	return false
}
