package transcript

import (
	"strings"
)

// parseSRT reads SubRip: blocks of a number, a timing line and text. A missing number, a point for the comma and missing
// blank lines are put up with.
func parseSRT(text string) ([]turn, error) {
	cues := undouble(srtCues(text))
	named := labelNames(cues)
	var turns []turn
	for _, c := range cues {
		speaker := ""
		var said []string
		flush := func() {
			if len(said) > 0 {
				turns = append(turns, turn{speaker: speaker, start: c.start, end: c.end, timed: true, ended: true, text: strings.Join(said, "\n")})
				said = nil
			}
		}
		for _, line := range c.lines {
			if name, rest, ok := label(line); ok && named[name] {
				flush()
				speaker, line = name, rest
			}
			said = append(said, line)
		}
		flush()
	}
	return turns, nil
}

func srtCues(text string) []cue {
	var cues []cue
	all := lines(text)
	for i := 0; i < len(all); i++ {
		start, end, ok := cueTimes(all[i])
		if !ok {
			continue
		}
		c := cue{start: start, end: end}
		for i+1 < len(all) {
			next := strings.TrimSpace(all[i+1])
			if next == "" || startsCue(all, i+1) {
				break
			}
			i++
			if line := strings.TrimSpace(stripTags(next)); line != "" {
				c.lines = append(c.lines, line)
			}
		}
		cues = append(cues, c)
	}
	return cues
}

// startsCue tells whether a cue begins at line i, with its number or identifier or without: files with no blank line between
// cues are read as well.
func startsCue(all []string, i int) bool {
	if _, _, ok := cueTimes(all[i]); ok {
		return true
	}
	if i+1 >= len(all) || !isIdentifier(strings.TrimSpace(all[i])) {
		return false
	}
	_, _, ok := cueTimes(all[i+1])
	return ok
}

// isIdentifier accepts what tools write before a timing line: a number, or one word with a digit in it.
func isIdentifier(line string) bool {
	return line != "" && len(line) <= 100 && !strings.ContainsAny(line, " \t") && strings.ContainsAny(line, "0123456789")
}
