package transcript

import (
	"strings"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/service"
	"research/transcript/internal/turn"
)

// timedTextEvents returns the turns of YouTube's captions as JSON (json3), or false if a document has none.
// An event that appends has the break of a line.
func timedTextEvents(doc service.Document) (list turn.List, ok bool) {
	var cues []cue
	ok = service.Each(doc.Member("events"), func(event struct {
		Start    *float64 `json:"tStartMs"`
		Length   float64  `json:"dDurationMs"`
		Segments []struct {
			Text string `json:"utf8"`
		} `json:"segs"`
	}) bool {
		if event.Start == nil {
			return false
		}
		start, startOK := clock.FromSeconds(*event.Start / 1000)
		length, lengthOK := clock.FromSeconds(event.Length / 1000)
		var text strings.Builder
		for _, s := range event.Segments {
			text.WriteString(s.Text)
		}
		if startOK && lengthOK && !plain.IsBlank(text.String()) {
			cues = append(cues, cue{start: start, end: start + length, text: strings.TrimSpace(text.String())})
		}
		return len(cues) <= turn.Max
	})
	switch {
	case len(cues) > turn.Max:
		return turn.List{Exceeded: true}, true
	case !ok || len(cues) == 0:
		return turn.List{}, false
	}
	return captionTurns(cues), true
}
