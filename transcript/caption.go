package transcript

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/refine"
	"research/transcript/internal/speaker"
	"research/transcript/internal/turn"
)

// captionTurns turns cues into turns. Speakers are named by <v> tags if the file has any, else by labels
// ("Dana: …").
func captionTurns(cues []cue) turn.List {
	list := turnsOfCues(cues)
	refine.Chevrons(&list)
	return list
}

func turnsOfCues(cues []cue) turn.List {
	for _, c := range cues {
		if hasVoice(c.text) {
			return voiceTurns(cues)
		}
	}
	wordTimes := false
	for i, c := range cues {
		wordTimes = wordTimes || hasTimestampTag(c.text)
		var plain string
		for _, s := range splitVoices(c.text) {
			plain += s.text // without voices there is at most one segment
		}
		cues[i].text = plain
	}
	named := cuesWithNames(cues)
	if named == nil {
		named = cuesWithNamesAbove(cues)
	}
	if named != nil {
		list := turn.List{}
		for _, t := range named {
			list.Add(t)
		}
		return list
	}
	return labelledTurns(unroll(cues, wordTimes))
}

// voiceTurns takes the speakers from <v> tags.
func voiceTurns(cues []cue) turn.List {
	var list turn.List
	segments, names := make([][]segment, len(cues)), make([]string, len(cues))
	for i, c := range cues {
		segments[i] = splitVoices(c.text)
		if len(segments[i]) > 0 {
			names[i] = segments[i][0].speaker
		}
	}
	readVoiceLabels(segments)
	hold, current := holdsSpeakers(cues, names), ""
	for i, c := range cues {
		for _, s := range segments[i] {
			if s.text == "" {
				continue
			}
			if s.speaker != "" {
				current = s.speaker
			} else if hold {
				s.speaker = current
			}
			list.Add(c.turn(s))
		}
	}
	return list
}

// minVoiceLabels is how many cues are a label and nothing else, at least, where labels have cues of their
// own.
const minVoiceLabels = 2

// readVoiceLabels takes the names from the cues that are a label, and leaves out the times with cues of their
// own. The editor of noScribe writes both, below voices that it numbers.
func readVoiceLabels(cues [][]segment) {
	label := func(text string) string {
		name, rest, ok := speaker.SplitLabel(strings.TrimSpace(text))
		if !ok || !plain.IsBlank(rest) {
			return ""
		}
		return name
	}
	labels := 0
	for _, segments := range cues {
		for _, s := range segments {
			if s.speaker != "" && label(s.text) != "" {
				labels++
			}
		}
	}
	if labels < minVoiceLabels {
		return
	}
	name, voice := "", ""
	for _, segments := range cues {
		for i := range segments {
			s := &segments[i]
			switch named := label(s.text); {
			case s.speaker == "":
			case named != "":
				name, voice, s.text = named, s.speaker, ""
			case clock.IsStamp(strings.TrimSpace(s.text)):
				s.text = ""
			case s.speaker == voice:
				s.speaker = name
			}
		}
	}
}

// maxCueGap is the longest pause between two cues that divide what one speaker says without one.
const maxCueGap = 100 * time.Millisecond

// holdsSpeakers reports whether the name of a cue holds until the next name: neighbouring names differ, and
// nearly all cues without a name follow the cue before them without a pause.
func holdsSpeakers(cues []cue, names []string) bool {
	pairs, same, unnamed, joined := 0, 0, 0, 0
	for i := 1; i < len(cues); i++ {
		switch {
		case names[i] == "":
			unnamed++
			if follows(cues[i-1], cues[i]) {
				joined++
			}
		case names[i-1] != "":
			pairs++
			if names[i] == names[i-1] {
				same++
			}
		}
	}
	return unnamed > 2 && joined*10 >= unnamed*9 && same*3 <= pairs
}

// follows reports whether a cue begins where the one before it ends.
func follows(before, c cue) bool { return (c.start - before.end).Abs() <= maxCueGap }

// labelledTurns takes the speakers from labels.
func labelledTurns(cues []cue) turn.List {
	texts := make([]string, len(cues))
	for i, c := range cues {
		texts[i] = c.text
	}
	texts, marked := canonicalLabels(texts)
	captions := make([]captionText, len(cues))
	for i := range cues {
		cues[i].text = texts[i]
		captions[i] = captionText{text: texts[i], follows: i > 0 && follows(cues[i-1], cues[i])}
	}
	speakers := countCaptionLabels(captions, marked).speakers()
	for name := range capitalLabels(cues) {
		speakers.names[name] = true
	}
	names := make([]string, len(cues))
	for i, c := range cues {
		if name, _, ok := speaker.SplitLabel(c.text[plain.DialogueMark(c.text):]); ok && speakers.has(name) {
			names[i] = name
		}
	}
	hold := speakers.hold() || holdsSpeakers(cues, names)
	var list turn.List
	current, last, punctuated := "", "", isPunctuated(cues, speakers)
	for _, c := range cues {
		if !hold && !(punctuated && continuesSentence(last, c.text)) {
			current = ""
		}
		last = c.text
		for _, s := range splitCue(c.text, speakers, current) {
			current = s.speaker
			list.Add(c.turn(s))
		}
	}
	return list
}

// minCapitalLabels is how many lines of captions begin with a label in capitals, at least, before words that
// are not, where such labels are speakers.
const minCapitalLabels = 3

// capitalLabels returns the labels in capitals of subtitles for the deaf, which occur once or on any line of
// a cue, or nil: "MAN 2: Yeah."
func capitalLabels(cues []cue) map[string]bool {
	labels, all := map[string]bool{}, 0
	for _, c := range cues {
		for line := range strings.SplitSeq(c.text, "\n") {
			name, said, ok := speaker.SplitLabel(line[plain.DialogueMark(line):])
			if !ok || !plain.IsAllCaps(name) || len(name) < 2 || plain.IsAllCaps(said) ||
				!plain.StartsWithCapital(strings.TrimSpace(said)) || speaker.HeadsRemark(name) {
				continue
			}
			if all++; len(labels) < plain.MaxLabels {
				labels[name] = true
			}
		}
	}
	if all < minCapitalLabels || len(labels) < 2 || len(labels) == all {
		return nil
	}
	return labels
}

// isPunctuated reports whether most cues before one with a label end a sentence.
func isPunctuated(cues []cue, speakers speakerSet) bool {
	before, ended := 0, 0
	for i := 1; i < len(cues); i++ {
		if name, _, ok := speaker.SplitLabel(cues[i].text); ok && speakers.has(name) {
			before++
			if plain.EndsSentence(strings.TrimSpace(cues[i-1].text)) {
				ended++
			}
		}
	}
	return ended*2 > before
}

// continuesSentence reports whether a cue goes on with the sentence of the cue before it.
func continuesSentence(last, next string) bool {
	last = strings.TrimSpace(last)
	if last == "" || plain.EndsSentence(last) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimSpace(next))
	return unicode.IsLower(first) || unicode.IsDigit(first) ||
		plain.IsAllCaps(last) && plain.IsAllCaps(next) && unicode.IsLetter(first)
}

// cuesWithNames returns turns whose speakers are the identifiers of the cues, or nil: identifiers that look
// like names, and recur. Older exports of Zoom have them in quotes, between two numbers, and Grain before
// one.
func cuesWithNames(cues []cue) []turn.Turn {
	names := make([]string, len(cues))
	counts, quoted := newTally(), 0
	for i, c := range cues {
		names[i] = c.id
		if _, rest, ok := strings.Cut(" "+c.id, ` "`); ok {
			if name, _, ok := strings.Cut(rest, `"`); ok {
				names[i] = name
				quoted++
			}
		}
		counts.add(names[i])
	}
	distinct, labels := counts.recurring()
	isOne := distinct == 1 && quoted*10 >= len(cues)*9 // Webex records who speaks, also if nobody else does
	if distinct < 2 && !isOne || labels*10 < len(cues)*6 {
		return nil
	}
	var turns []turn.Turn
	for i, c := range cues {
		if counts.labels[names[i]] == 0 {
			names[i] = ""
		}
		turns = append(turns, c.turn(segment{speaker: names[i], text: c.text}))
	}
	return turns
}

func (c cue) turn(s segment) turn.Turn {
	return turn.Turn{
		Speaker: s.speaker, Start: c.start, End: c.end, Timed: true, Ended: c.end > c.start, Text: s.text,
		Doubtful: s.doubtful,
	}
}

// splitCue divides a cue at lines that start with a speaker's label, with a dash if all lines do, or with the
// chevrons by which live captions mark a new speaker. Lines before the first mark belong to the current
// speaker.
func splitCue(text string, speakers speakerSet, current string) []segment {
	var segments []segment
	dashed, doubtful := isDialogue(text), false
	from, lines := 0, plain.Lines{Text: text}
	endSegment := func(to int) {
		if !plain.IsBlank(text[from:to]) {
			segments = append(segments, segment{current, text[from:to], doubtful})
		}
	}
	for {
		line, start, ok := lines.Next()
		if !ok {
			break
		}
		mark := plain.DialogueMark(line)
		chevrons := strings.HasPrefix(strings.TrimSpace(line), ">>")
		name, rest, labelled := speaker.SplitLabel(line[mark:])
		switch {
		case labelled && speakers.has(name):
			endSegment(start)
			current, from, doubtful = name, start+len(line)-len(rest), false
		case labelled && speakers.doubtful[name]:
			endSegment(start)
			current, from, doubtful = "", start, true
		case chevrons || dashed:
			endSegment(start)
			current, from = "", start+mark
		}
	}
	endSegment(len(text))
	return segments
}

// isDialogue reports whether a cue has several lines that all start with a dash: each has its own speaker.
func isDialogue(text string) bool {
	n, lines := 0, plain.Lines{Text: text}
	for {
		line, _, ok := lines.Next()
		if !ok {
			return n > 1
		}
		if plain.IsBlank(line) {
			continue
		}
		if _, ok := plain.CutDash(strings.TrimLeft(line, " \t")); !ok {
			return false
		}
		n++
	}
}
