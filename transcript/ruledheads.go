package transcript

import (
	"strings"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
)

// joinRuledHeads puts the names of heads such as "--- Speaker 1 ---" before the lines below them, as scripts
// for diarization print them: "[00:00 - 00:01] text". The names must recur, and stand above such lines.
func joinRuledHeads(text string) string {
	names, heads, above := newTally(), 0, 0
	isHead := false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if h, ok := clock.ReadBracketed(line); ok && isHead && !plain.IsBlank(h.Rest) {
			above++
		}
		var name string
		if name, isHead = cutRules(line); isHead {
			names.add(name)
			heads++
		}
	}
	if distinct, labels := names.recurring(); distinct < 2 || labels*10 < heads*8 || above*10 < heads*8 {
		return text
	}
	speaker := ""
	return strings.TrimSuffix(plain.RewriteLines(text, func(line string) string {
		trimmed := strings.TrimSpace(line)
		if name, ok := cutRules(trimmed); ok {
			speaker = name
			return ""
		}
		if h, ok := clock.ReadBracketed(trimmed); ok && speaker != "" {
			return trimmed[:len(trimmed)-len(h.Rest)] + " " + speaker + ": " + strings.TrimSpace(h.Rest)
		}
		return line
	}), "\n")
}

// cutRules reads "--- Speaker 1 ---" and "=== Dana ===".
func cutRules(line string) (name string, ok bool) {
	name = strings.Trim(line, "-=")
	if len(line)-len(name) < 4 || len(line) > plain.MaxLabel {
		return "", false
	}
	name = strings.TrimSpace(name)
	return name, plain.HasAnyPrefix(line, "--", "==") && plain.HasAnySuffix(line, "--", "==") &&
		speaker.ShapeOf(name) != speaker.NotName
}
