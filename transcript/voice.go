package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// A voiceRule says which lines without a label are another voice than the speaker above.
type voiceRule int

// The rules, each of which finds more lines than the one before.
const (
	voiceNone      voiceRule = iota // all lines go on with the speaker above
	voiceQuestions                  // those that ask
	voiceLast                       // those that ask, and the last ones between two turns of the same speaker
	voiceAll                        // all paragraphs behind the first one of a turn
	voiceDecided                    // the most likely of the rules, as there is another voice
)

// voiceRules are tried in this order.
var voiceRules = []voiceRule{voiceQuestions, voiceLast, voiceAll}

// A voice is another voice than the labels, in the turns of one speaker or, with in == "", of all.
type voice struct {
	rule    voiceRule
	in      string
	speaker string
	blocks  bool // lines are broken at one width, so that only blank lines divide paragraphs
}

// give divides turns at the lines of the voice, which get its speaker. Lines above the first label that ask
// are its own too.
func (v voice) give(l *turn.List) (found int) {
	if v.rule == voiceNone {
		return 0
	}
	turns := make([]turn.Turn, 0, len(l.Turns))
	for i, t := range l.Turns {
		switch {
		case t.Speaker == "" && asks(t.Text):
			t.Speaker, t.Doubtful = v.speaker, false
			found++
			turns = append(turns, t)
		case t.Speaker == "" || v.in != "" && t.Speaker != v.in:
			turns = append(turns, t)
		default:
			parts := v.split(t, nextSpeaker(l, i) == t.Speaker)
			for _, part := range parts[1:] {
				if part.Speaker == v.speaker {
					found++
				}
			}
			turns = append(turns, parts...)
		}
	}
	l.Turns = turns
	return found
}

// nextSpeaker returns the speaker of the turn below one, or "".
func nextSpeaker(l *turn.List, i int) string {
	if i+1 < len(l.Turns) {
		return l.Turns[i+1].Speaker
	}
	return ""
}

// split divides a turn at the paragraphs of the voice. It has at least one part.
func (v voice) split(t turn.Turn, repeats bool) []turn.Turn {
	starts := paragraphStarts(t.Text)
	if len(starts) < 2 || v.blocks && !strings.Contains(strings.TrimSpace(t.Text), "\n\n") {
		return []turn.Turn{t}
	}
	starts = append(starts, len(t.Text))
	var parts []turn.Turn
	for i := range len(starts) - 1 {
		text := t.Text[starts[i]:starts[i+1]]
		isOther := false
		switch v.rule {
		case voiceQuestions:
			isOther = i > 0 && asks(text)
		case voiceLast:
			isOther = i > 0 && (asks(text) || repeats && i == len(starts)-2)
		case voiceAll:
			isOther = i > 0
		}
		part := t
		if isOther {
			part = partOf(t, v.speaker)
		}
		if n := len(parts); n > 0 && parts[n-1].Speaker == part.Speaker {
			parts[n-1].Text += text
			continue
		}
		if i > 0 {
			part = partOf(t, part.Speaker)
			part.Timed = false
		}
		part.Text = text
		parts = append(parts, part)
	}
	return parts
}

// paragraphStarts returns where the paragraphs of a turn start, or its lines if no blank line divides it.
func paragraphStarts(text string) []int {
	var blocks, all []int
	lines := plain.Lines{Text: text}
	afterBlank := false
	for {
		line, start, ok := lines.Next()
		if !ok {
			break
		}
		if plain.IsBlank(line) {
			afterBlank = len(all) > 0
			continue
		}
		all = append(all, start)
		if afterBlank || len(blocks) == 0 {
			blocks = append(blocks, start)
		}
		afterBlank = false
	}
	if len(blocks) > 1 {
		return blocks
	}
	return all
}

// asks reports whether a paragraph is a question: its last sentence ends with a question mark.
func asks(text string) bool {
	text = strings.TrimRight(strings.TrimSpace(text), "\"”“»)’*_ ")
	r, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune("?？؟;", r) && (r != ';' || isGreek(text))
}

// isGreek reports whether a text has Greek letters, whose question mark is a semicolon.
func isGreek(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Greek, r) })
}
