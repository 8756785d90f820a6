package annotation

import (
	"strconv"
	"strings"
	"time"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
)

// clanBullet stands around the times of a line.
const clanBullet = '\x15'

// RewriteCHAT rewrites the lines of a CHAT file of CLAN as "DAN: [0:03 - 0:07] text". "*DAN:⇥text" is what a
// speaker said, with a mark of its times in milliseconds at the end; "@Languages:" is a header, and "%mor:"
// is a comment on the line above.
func RewriteCHAT(text string) string {
	if !strings.Contains(text[:min(len(text), plain.MaxPreamble)], "@Begin") {
		return text
	}
	var out, tier strings.Builder
	out.Grow(len(text))
	inHeader := false
	endTier := func() {
		if tier.Len() > 0 {
			out.WriteString(moveBullet(tier.String()) + "\n")
		}
		tier.Reset()
	}
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(line, "\t") {
			endTier()
			inHeader = strings.HasPrefix(line, "@") || strings.HasPrefix(line, "%")
		}
		switch {
		case inHeader:
		case strings.HasPrefix(line, "\t"):
			tier.WriteString(" " + strings.TrimSpace(line))
		default:
			tier.WriteString(strings.Replace(strings.TrimPrefix(line, "*"), ":\t", ": ", 1))
		}
	}
	endTier()
	return out.String()
}

// moveBullet puts the times of a line, "\x15430_3650\x15", behind the name, and removes further ones.
func moveBullet(line string) string {
	parts := strings.Split(line, string(clanBullet))
	name, said, ok := speaker.SplitLabel(parts[0])
	if len(parts) < 2 || !ok {
		return strings.Join(parts, "")
	}
	first, last := time.Duration(-1), time.Duration(0)
	words := strings.TrimSpace(said)
	for _, part := range parts[1:] {
		from, to, isRange := strings.Cut(strings.TrimSpace(part), "_")
		start, startErr := strconv.Atoi(from)
		end, endErr := strconv.Atoi(to)
		if !isRange || startErr != nil || endErr != nil || end < start || end >= int(clock.Max.Milliseconds()) {
			words += " " + strings.TrimSpace(part)
			continue
		}
		if first < 0 {
			first = time.Duration(start) * time.Millisecond
		}
		last = time.Duration(end) * time.Millisecond
	}
	if first < 0 {
		return name + ": " + strings.TrimSpace(words)
	}
	return name + ": [" + clock.Format(first) + " - " + clock.Format(last) + "] " + strings.TrimSpace(words)
}
