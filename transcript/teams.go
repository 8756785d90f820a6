package transcript

import "strings"

// Teams writes Word documents of two shapes. The newer has Otter's heads ("Dana Weber   0:03", the words in the next line of the
// same paragraph). The older has a cue in each paragraph: its times, its speaker, its words.

// isTeamsDocx holds for the older shape.
func isTeamsDocx(text string) bool { return startsWithTiming(text, arrow, 12) }

func parseTeamsDocx(text string) turns {
	var (
		ts    turns
		lines = reader{text: text}
		now   turn
		from  = -1
		named = true // the speaker's line was read
	)
	flush := func(to int) {
		if from >= 0 {
			now.text = text[from:max(from, to)]
			ts.add(now)
		}
	}
	for {
		line, start, ok := lines.next()
		if !ok {
			break
		}
		if s, e, ok := arrow(line); ok {
			flush(start)
			now, from, named = turn{start: s, end: e, timed: true, ended: e > s}, lines.pos, false
			continue
		}
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case boilerplate(line):
			flush(start)
			from = -1
		case !named:
			named = true
			// The line below in the same paragraph is what the speaker said; a line alone is said by nobody known, unless
			// it is a name with words further below.
			within := !strings.HasPrefix(text[lines.pos:], "\n") && len(line) <= maxLabel
			if (within || shapeOf(line) != noName) && !nextIsTiming(text[lines.pos:]) {
				now.speaker, from = line, lines.pos
			}
		}
	}
	flush(len(text))
	return ts
}

// nextIsTiming says whether the next words are a timing, or there are none.
func nextIsTiming(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if !blank(line) {
			_, _, ok := arrow(line)
			return ok
		}
	}
	return true
}
