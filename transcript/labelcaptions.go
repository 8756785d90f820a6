package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
)

// A captionText is a caption, as far as its labels go.
type captionText struct {
	text    string
	follows bool // it begins where the one before it ends
}

// countCaptionLabels counts the labels of captions. Each is a unit.
func countCaptionLabels(captions []captionText, marked markedLabels) *labelCounts {
	counts := newLabelCounts()
	counts.marked = marked
	for _, c := range captions {
		counts.addUnit(c.text)
	}
	counts.countJoined(captions)
	counts.countLaterLines(captions)
	counts.findFresh(captions)
	counts.findChanges(captions)
	return counts
}

// countJoined counts the labels of cues that begin where the cue before them ends, if most labels do not:
// they are words of one speaker.
func (c *labelCounts) countJoined(captions []captionText) {
	joined, labels := map[string]int{}, 0
	all := 0
	for i := 1; i < len(captions); i++ {
		name, _, ok := speaker.SplitLabel(captions[i].text[plain.DialogueMark(captions[i].text):])
		if !ok {
			continue
		}
		labels++
		if captions[i].follows && (joined[name] > 0 || len(joined) < plain.MaxLabels) {
			joined[name]++
			all++
		}
	}
	if all*2 < labels {
		c.wrapped = joined
	}
}

// countLaterLines counts the labels that only begin lines of cues after the first, if nearly all labels begin
// cues: they are words that had no room on the line above, such as "Room 310: leaking tap".
func (c *labelCounts) countLaterLines(captions []captionText) {
	later, first, all := map[string]int{}, 0, 0
	for _, caption := range captions {
		for i, line := range strings.Split(caption.text, "\n") {
			name, _, ok := speaker.SplitLabel(line[plain.DialogueMark(line):])
			switch {
			case !ok:
			case i == 0:
				first++
			case later[name] > 0 || len(later) < plain.MaxLabels:
				later[name]++
				all++
			}
		}
	}
	if all*4 > first {
		return
	}
	for name, n := range later {
		if n == c.labels[name] {
			c.later[name] = true
		}
	}
}

// minChanges is how many labels that recur a file must have, at least, to say where labels stand.
const minChanges = 6

// findFresh finds the labels of captions that occur once and stand like those that recur: after the end of a
// sentence and a pause, before the start of a sentence. Where captions name speakers only when they change, a
// guest who speaks once may speak for minutes.
func (c *labelCounts) findFresh(captions []captionText) {
	recurring, like := 0, 0
	single := map[string]bool{}
	for i, q := range captions {
		name, said, ok := speaker.SplitLabel(q.text[plain.DialogueMark(q.text):])
		if !ok {
			continue
		}
		begins := i > 0 && beginsSpeech(captions[i-1], q, said)
		switch {
		case c.labels[name] == 1 && (begins || i == 0 && c.hasShortForm(name)):
			single[name] = true
		case c.labels[name] > 1 && speaker.LabelShapeOf(name) == speaker.FullName:
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

// findChanges sees whether captions name a speaker only when another one begins: the labels that recur stand
// at the beginnings of sentences, and never does the same one follow.
func (c *labelCounts) findChanges(captions []captionText) {
	labels, changes, begin := 0, 0, 0
	last := ""
	for i, q := range captions {
		name, _, ok := speaker.SplitLabel(q.text[plain.DialogueMark(q.text):])
		if !ok || c.labels[name] < 2 {
			continue
		}
		labels++
		if name != last {
			changes++
		}
		if i == 0 || plain.EndsSentence(strings.TrimSpace(captions[i-1].text)) {
			begin++
		}
		last = name
	}
	c.changes = labels > minChanges && changes == labels && begin*4 >= labels*3
}

// beginsSpeech reports whether a cue begins after a pause and a sentence, and with the start of one.
func beginsSpeech(before, c captionText, said string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(said, " \t\n\"“'‘-"))
	return !c.follows && plain.EndsSentence(strings.TrimSpace(before.text)) &&
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
		if lower := strings.ToLower(word); c.lowerCase[lower] && !speaker.WordsWithinNames[lower] {
			return true
		}
	}
	return false
}
