package transcript

import (
	"strings"

	"research/transcript/internal/clock"
	"research/transcript/internal/speaker"
	"research/transcript/internal/turn"
)

// isASS reports whether a text is a subtitle file of SubStation Alpha.
func isASS(text string) bool {
	head := strings.ToLower(text[:min(len(text), 4<<10)])
	return strings.HasPrefix(strings.TrimSpace(head), "[script info]") ||
		strings.Contains(text, "\nDialogue: ") && strings.Contains(head, "[events]")
}

// maxFields bounds how many fields the events of a file have.
const maxFields = 64

// parseASS reads the dialogue of SubStation Alpha: "Dialogue:
// 0,0:00:01.00,0:00:02.00,Default,Dana,0,0,0,,text". The order of the fields is declared by the line
// "Format:" before them; the text is the last one.
func parseASS(text string) turn.List {
	fields := []string{
		"layer", "start", "end", "style", "name", "marginl", "marginr", "marginv", "effect", "text",
	}
	var cues []cue
	var turns []turn.Turn
	named, inEvents := false, false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			inEvents = strings.EqualFold(line, "[events]")
			continue
		}
		if rest, ok := strings.CutPrefix(line, "Format:"); ok && inEvents {
			fields = strings.Split(strings.ToLower(strings.ReplaceAll(rest, " ", "")), ",")
			continue
		}
		rest, ok := strings.CutPrefix(line, "Dialogue:")
		if !ok || len(fields) > maxFields {
			continue
		}
		t := assTurn(fields, strings.SplitN(rest, ",", len(fields)))
		named = named || t.Speaker != ""
		turns = append(turns, t)
		cues = append(cues, cue{start: t.Start, end: t.End, text: t.Text})
		if len(turns) > turn.Max {
			return turn.List{Exceeded: true}
		}
	}
	if !named {
		return captionTurns(cues)
	}
	return turn.List{Turns: turns}
}

// assTurn reads one event.
func assTurn(fields, values []string) turn.Turn {
	var t turn.Turn
	for i, value := range values {
		value = strings.TrimSpace(value)
		switch fields[i] {
		case "start":
			t.Start, _, t.Timed = clock.ParseTimestamp(value)
		case "end":
			t.End, _, t.Ended = clock.ParseTimestamp(value)
		case "style":
			if speaker.IsNumbered(value) { // programs have a style for each speaker
				t.Speaker = value
			}
		case "name", "actor":
			if value != "" {
				t.Speaker = value
			}
		case "text":
			var plain strings.Builder
			for _, s := range splitVoices(value) {
				plain.WriteString(s.text)
			}
			t.Text = strings.NewReplacer(`\N`, "\n", `\n`, "\n", `\h`, " ").Replace(plain.String())
		}
	}
	return t
}
