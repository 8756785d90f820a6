package transcript

import (
	"strings"
	"time"

	"research/transcript/internal/boilerplate"
	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
	"research/transcript/internal/turn"
)

// A turnHeader is the beginning of a turn in a text with timestamps.
type turnHeader struct {
	clock.Stamp

	speaker   string
	believed  bool // the speaker has a place of its own, whatever the name looks like
	recurring bool // the speaker is believed if the name recurs
	doubtful  bool // the line may be a header
}

// A headerFunc reads the turn header of one format from a trimmed line.
type headerFunc func(line string) (turnHeader, bool)

// A headerCount is what a headerFunc finds in a whole text.
type headerCount struct {
	count   int
	ordered int            // headers that do not go back in time
	names   map[string]int // how often each speaker is named
	first   int            // where the first header starts, or -1
}

func findHeaders(text string, header headerFunc) headerCount {
	c := headerCount{names: map[string]int{}, first: -1}
	lines := plain.Lines{Text: text}
	last := time.Duration(-1)
	for {
		line, start, ok := lines.Next()
		if !ok {
			return c
		}
		h, ok := header(strings.TrimSpace(line))
		if !ok {
			continue
		}
		if c.count++; c.first < 0 {
			c.first = start
		}
		if h.Start >= last {
			c.ordered++
		}
		last = h.Start
		if n := c.names[h.speaker]; n > 0 || len(c.names) < plain.MaxLabels {
			c.names[h.speaker] = n + 1
		}
	}
}

// fit reports whether a text has the headers' format: there are several, their times are in order, and they
// are not a few among many paragraphs. One header suffices at the very beginning of a short text.
func (c headerCount) fit(text string, paragraphs int) bool {
	if c.count == 1 {
		return plain.IsBlank(text[:c.first]) && paragraphs < 4
	}
	return c.count > 1 && c.ordered*10 >= c.count*8 && c.count*20 >= paragraphs
}

// recurring returns the number of headers whose name occurs again.
func (c headerCount) recurring() int { return sumRecurring(c.names) }

// sumRecurring returns how often all names occur that occur more than once.
func sumRecurring(names map[string]int) (total int) {
	for _, n := range names {
		if n > 1 {
			total += n
		}
	}
	return total
}

// recurringNames returns the number of headers whose name, if they have one, occurs again; or 0 if most do
// not.
func (c headerCount) recurringNames() int {
	n := c.recurring()
	if c.names[""] > 1 {
		n -= c.names[""]
	}
	if n*2 < c.count {
		return 0
	}
	return n
}

// isSpeaker reports whether the name of a header is taken for a speaker: it has its own place, looks like a
// name, or recurs.
func (c headerCount) isSpeaker(h turnHeader) bool {
	if h.believed || h.recurring && c.names[h.speaker] > 1 {
		return true
	}
	switch name := h.speaker; speaker.ShapeOf(name) {
	case speaker.FullName:
		return !speaker.HeadsRemark(name) || c.names[name] > 1
	case speaker.PossibleName:
		return c.names[name] > 1
	}
	return false
}

// parseHeaders reads a text whose turns begin with headers and last until the next one.
func parseHeaders(text string, header headerFunc) turn.List {
	var (
		list    turn.List
		found   = findHeaders(text, header)
		lines   = plain.Lines{Text: text}
		current turnHeader
		begun   bool
		from    int
	)
	endTurn := func(to int) {
		if !begun {
			boilerplate.AddPreamble(&list, text[from:to])
			return
		}
		list.Add(turn.Turn{
			Speaker: current.speaker,
			Start:   current.Start,
			End:     current.End,
			Timed:   true,
			Ended:   current.Ended,
			Text:    text[from:to],

			Doubtful: current.doubtful,
		})
	}
	for {
		line, start, ok := lines.Next()
		if !ok {
			break
		}
		trimmed := strings.TrimSpace(line)
		if boilerplate.Is(trimmed) {
			endTurn(start)
			from = lines.Pos
			continue
		}
		if h, ok := header(trimmed); ok && found.isSpeaker(h) {
			endTurn(start)
			current, begun = h, true
			from = start + strings.Index(line, trimmed) + len(trimmed) - len(h.Rest)
		} else if shape := speaker.ShapeOf(h.speaker); ok && begun && h.Start >= current.Start &&
			(shape == speaker.FullName || shape != speaker.NotName && len(strings.Fields(h.speaker)) == 1) {
			endTurn(start)
			stamp := clock.Stamp{Start: h.Start, End: h.End, Ended: h.Ended}
			current, from = turnHeader{Stamp: stamp, doubtful: true}, start
		}
	}
	endTurn(len(text))
	return list
}
