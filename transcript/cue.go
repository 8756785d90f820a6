package transcript

import (
	"strings"
	"time"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// A cue is a timed text of a subtitle file. The text still has markup and line breaks.
type cue struct {
	start, end time.Duration
	id         string // the line above the timing, "" if there is none
	text       string
}

// A timingFunc reads the line with the times of a cue.
type timingFunc func(line string) (start, end time.Duration, ok bool)

// arrowTiming reads "00:00:01.000 --> 00:00:02.000 settings", as WebVTT and SubRip have it. A line that was
// cut after the arrow has only a start.
func arrowTiming(line string) (start, end time.Duration, ok bool) {
	start, rest, ok := clock.ParseTimestamp(strings.TrimSpace(line))
	if !ok {
		return 0, 0, false
	}
	rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " \t"), "-->")
	if !ok {
		return 0, 0, false
	}
	rest = strings.TrimLeft(rest, " \t")
	if rest == "" {
		return start, start, true
	}
	end, rest, ok = clock.ParseTimestamp(rest)
	return start, end, ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

// hasTiming reports whether one of the first lines is a timing.
func hasTiming(text string, timing timingFunc, maxLines int) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if _, _, ok := timing(line); ok {
			return true
		}
		if plain.IsBlank(line) {
			continue
		}
		if maxLines--; maxLines == 0 {
			break
		}
	}
	return false
}

// parseCues reads the cues of a subtitle file. It tolerates missing identifiers, missing blank lines between
// cues, blank lines within cues, and arrows in the text. Blocks whose first line is a comment are skipped. It
// returns false if there are too many cues.
func parseCues(text string, timing timingFunc, isComment func(line string) bool) ([]cue, bool) {
	p := cueParser{text: text, lines: plain.Lines{Text: text}, textStart: -1, identifier: -1, atBlock: true}
	for {
		line, start, ok := p.lines.Next()
		if !ok {
			break
		}
		if from, to, ok := timing(line); ok {
			p.finishCue(start)
			p.begin(cue{start: from, end: to, id: p.lineAbove})
			p.lineAbove = ""
		} else if p.atBlock && isComment(line) {
			p.finishCue(-1)
			p.skipComment(line, timing)
		} else {
			p.addLine(line, start)
			p.lineAbove = strings.TrimSpace(line)
		}
		if len(p.cues) > turn.Max+1 {
			return nil, false
		}
	}
	p.finishCue(-1)
	return p.cues, true
}

// A cueParser is between two lines of a subtitle file.
type cueParser struct {
	text  string
	lines plain.Lines
	cues  []cue

	textStart, textEnd int  // text of the last cue; the start is -1 before the first
	lastLine           int  // where the last line of the text starts
	lastOpensBlock     bool // a blank line is before the last line
	atBlock            bool // the next line opens a block
	identifier         int  // of the last cue, if it is a number
	lineAbove          string
}

// begin starts a cue after its timing line.
func (p *cueParser) begin(c cue) {
	p.cues = append(p.cues, c)
	p.atBlock = false
	p.restartText()
	if p.identifier < 0 {
		p.identifier = 0
	}
}

func (p *cueParser) restartText() {
	p.textStart, p.textEnd, p.lastLine, p.lastOpensBlock = p.lines.Pos, p.lines.Pos, p.lines.Pos, false
}

// addLine adds a line to the last cue.
func (p *cueParser) addLine(line string, start int) {
	opensBlock := p.atBlock
	p.atBlock = plain.IsBlank(line)
	if p.textStart >= 0 {
		if !p.atBlock {
			p.lastLine, p.lastOpensBlock = start, opensBlock
		}
		p.textEnd = p.lines.Pos
	}
	if p.atBlock {
		p.lastLine, p.lastOpensBlock = p.lines.Pos, false
	}
}

// skipComment skips a block. What follows it without a timing of its own still belongs to the last cue.
func (p *cueParser) skipComment(line string, timing timingFunc) {
	if len(p.cues) > 0 {
		again := p.cues[len(p.cues)-1]
		again.text = ""
		p.cues = append(p.cues, again)
	}
	start, ok := 0, true
	for ok && !plain.IsBlank(line) {
		if _, _, isTiming := timing(line); isTiming {
			p.lines.Pos = start
			break
		}
		line, start, ok = p.lines.Next()
	}
	if p.textStart >= 0 {
		p.restartText()
	}
}

// finishCue sets the text of the last cue. The line directly above the timing line of the next cue is that
// cue's identifier, if it opens a block or continues the numbering; timingStart is -1 if no timing line
// follows.
func (p *cueParser) finishCue(timingStart int) {
	if p.textStart < 0 {
		return
	}
	if timingStart >= 0 && p.textEnd == timingStart && p.textEnd > p.lastLine {
		id := strings.TrimSpace(p.text[p.lastLine:p.textEnd])
		n, size := plain.ParseDigits(id, 9)
		isNumber := size > 0 && size == len(id)
		if id != "" && (p.lastOpensBlock || isNumber && n == p.identifier+1) {
			p.textEnd = p.lastLine
		}
		if isNumber {
			p.identifier = n
		}
	}
	p.cues[len(p.cues)-1].text = p.text[p.textStart:max(p.textStart, p.textEnd)]
}
