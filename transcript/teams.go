package transcript

import (
	"strings"

	"research/transcript/internal/boilerplate"
	"research/transcript/internal/format"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
	"research/transcript/internal/turn"
)

// Word documents of Teams have two forms. The newer has Otter's headers ("Dana Weber   0:03", with the words
// on the next line of the paragraph). The older has a cue in each paragraph: its times, its speaker, its
// words.

// isTeamsCues reports whether a document has the older form.
func isTeamsCues(text string) bool { return hasTiming(text, arrowTiming, 12) }

// isTeamsText reports whether a document has the newer form: Otter's headers, without Otter's name.
func isTeamsText(text string) bool {
	found := findHeaders(text, otterHeader)
	return found.count > 0 && found.fit(text, plain.CountParagraphs(text)) &&
		!strings.Contains(text, "otter.ai") && detectText(text).format == format.Otter
}

func parseTeamsCues(text string) turn.List {
	var (
		list        turn.List
		lines       = plain.Lines{Text: text}
		current     turn.Turn
		from        = -1   // -1 outside of turns
		hasNameLine = true // the line of the speaker was read
	)
	endTurn := func(to int) {
		if from >= 0 {
			current.Text = text[from:max(from, to)]
			list.Add(current)
		}
	}
	for {
		line, start, ok := lines.Next()
		if !ok {
			break
		}
		if s, e, ok := arrowTiming(line); ok {
			endTurn(start)
			current = turn.Turn{Start: s, End: e, Timed: true, Ended: e > s}
			from, hasNameLine = lines.Pos, false
			continue
		}
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case boilerplate.Is(line):
			endTurn(start)
			from = -1
		case !hasNameLine:
			hasNameLine = true
			if rest := text[lines.Pos:]; isTeamsSpeaker(line, rest) {
				current.Speaker, from = line, lines.Pos
			}
		}
	}
	endTurn(len(text))
	return list
}

// isTeamsSpeaker reports whether the line after a timing names the speaker: the words follow in the same
// paragraph, or the line is a name and the words are further below. Otherwise the line is what an unknown
// speaker said.
func isTeamsSpeaker(line, rest string) bool {
	inParagraph := !strings.HasPrefix(rest, "\n") && len(line) <= plain.MaxLabel
	return (inParagraph || speaker.ShapeOf(line) != speaker.NotName) && !timingFollows(rest)
}

// timingFollows reports whether the next line with text is a timing, or there is none.
func timingFollows(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if !plain.IsBlank(line) {
			_, _, ok := arrowTiming(line)
			return ok
		}
	}
	return true
}
