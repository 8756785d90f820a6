package transcript

import (
	"strings"

	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
	"research/transcript/internal/turn"
)

// Bounds on captions that have names on lines of their own.
const (
	minNamedCues = 4 // the least number of cues that have the same name
	maxNameLine  = 4 // words of a name
)

// cuesWithNamesAbove returns turns whose speakers are the first lines of the cues, or nil: each cue has a
// short first line with words below, and most of these lines recur, as lines of speech do not.
func cuesWithNamesAbove(cues []cue) []turn.Turn {
	counts, most, full := map[string]int{}, 0, 0
	turns := make([]turn.Turn, 0, len(cues))
	for _, c := range cues {
		name, said, ok := strings.Cut(strings.TrimSpace(c.text), "\n")
		name = strings.TrimSpace(name)
		if !ok || plain.IsBlank(said) || !speaker.IsPlausible(name) || len(strings.Fields(name)) > maxNameLine {
			return nil
		}
		if speaker.ShapeOf(name) == speaker.FullName {
			full++
		}
		counts[name]++
		most = max(most, counts[name])
		turns = append(turns, c.turn(segment{speaker: name, text: said}))
	}
	if most < minNamedCues || sumRecurring(counts)*10 < len(cues)*7 || full*2 < len(cues) {
		return nil
	}
	return turns
}
