package transcript

import "strings"

// captionTurns turns cues into turns. Speakers are named by <v> tags if the file has any, else by labels
// ("Dana: …").
func captionTurns(cues []cue) turnList {
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
	return labelledTurns(unroll(cues, wordTimes))
}

// voiceTurns takes the speakers from <v> tags.
func voiceTurns(cues []cue) turnList {
	var list turnList
	for _, c := range cues {
		for _, s := range splitVoices(c.text) {
			list.add(c.turn(s))
		}
	}
	return list
}

// carryShare is the share of cues with a label below which a label holds until the next one. In a file that
// labels nearly every cue, a missing label means that the speaker is unknown.
const carryShare = 0.7

// labelledTurns takes the speakers from labels.
func labelledTurns(cues []cue) turnList {
	counts := newLabelCounts()
	for _, c := range cues {
		counts.addUnit(c.text)
	}
	speakers := counts.speakers()
	var list turnList
	current := ""
	for _, c := range cues {
		if speakers.share >= carryShare {
			current = ""
		}
		for _, s := range splitCue(c.text, speakers, current) {
			current = s.speaker
			list.add(c.turn(s))
		}
	}
	return list
}

func (c cue) turn(s segment) turn {
	return turn{
		speaker: s.speaker, start: c.start, end: c.end, timed: true, ended: c.end > c.start, text: s.text,
	}
}

// splitCue divides a cue at lines that start with a speaker's label, with a dash if all lines do, or with the
// chevrons by which live captions mark a new speaker. Lines before the first mark belong to the current
// speaker.
func splitCue(text string, speakers speakerSet, current string) []segment {
	var segments []segment
	dashed := isDialogue(text)
	from, lines := 0, lineReader{text: text}
	endSegment := func(to int) {
		if !isBlank(text[from:to]) {
			segments = append(segments, segment{current, text[from:to]})
		}
	}
	for {
		line, start, ok := lines.next()
		if !ok {
			break
		}
		mark := dialogueMark(line)
		chevrons := strings.HasPrefix(strings.TrimSpace(line), ">>")
		name, rest, labelled := splitLabel(line[mark:])
		switch {
		case labelled && speakers.has(name):
			endSegment(start)
			current, from = name, start+len(line)-len(rest)
		case chevrons || dashed:
			endSegment(start)
			current, from = "", start+mark
		}
	}
	endSegment(len(text))
	return segments
}

// dialogueMark returns the size of the dash or chevrons at the start of a line, with white space.
func dialogueMark(line string) int {
	rest := strings.TrimLeft(line, " \t")
	if strings.HasPrefix(rest, ">>") {
		rest = strings.TrimLeft(rest, ">")
	} else {
		rest, _ = cutDash(rest)
	}
	return len(line) - len(strings.TrimLeft(rest, " \t"))
}

func cutDash(s string) (string, bool) {
	for _, dash := range []string{"- ", "– ", "— "} {
		if rest, ok := strings.CutPrefix(s, dash); ok {
			return rest, true
		}
	}
	return s, false
}

// isDialogue reports whether a cue has several lines that all start with a dash: each has its own speaker.
func isDialogue(text string) bool {
	n, lines := 0, lineReader{text: text}
	for {
		line, _, ok := lines.next()
		if !ok {
			return n > 1
		}
		if isBlank(line) {
			continue
		}
		if _, ok := cutDash(strings.TrimLeft(line, " \t")); !ok {
			return false
		}
		n++
	}
}
