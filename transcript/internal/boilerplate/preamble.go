package boilerplate

import (
	"strings"
	"unicode"

	"research/transcript/internal/lexicon"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
	"research/transcript/internal/turn"
)

var (
	listHeadings       = lexicon.Words("list-headings")
	transcriptHeadings = lexicon.Words("transcript-headings")
)

// AddPreamble adds what is before the first header, without the export's own lines. The rest is speech
// without a speaker.
func AddPreamble(l *turn.List, text string) {
	if len(text) > plain.MaxPreamble {
		AddParagraphs(l, text)
		return
	}
	lines := strings.Split(text, "\n")
	own := make([]bool, len(lines))
	found, inList, first := false, false, -1
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
		line = lines[i]
		switch {
		case line == "":
			inList = inList && i > 0 && isListHeading(lines[i-1])
			continue
		case isListHeading(line):
			own[i], inList = true, true
		default:
			own[i] = inList || isExportLine(line)
		}
		found = found || own[i]
		if first < 0 {
			first = i
		}
	}
	if found && !plain.EndsSentence(lines[first]) && len(strings.Fields(lines[first])) <= 10 {
		own[first] = true // the title
	}
	for i, line := range lines {
		if own[i] {
			l.Drop(line)
			lines[i] = ""
		}
	}
	AddParagraphs(l, strings.Join(lines, "\n"))
}

// isListHeading reports whether a line heads the keywords or the attendees of a meeting.
func isListHeading(line string) bool {
	return listHeadings[strings.ToLower(strings.TrimSuffix(line, ":"))]
}

// isExportLine reports whether a line is a date, a duration, or a field that an export puts before the turns.
func isExportLine(line string) bool {
	lower := strings.ToLower(line)
	if transcriptHeadings[lower] ||
		plain.HasAnySuffix(lower, " - transcript", "-meeting recording", " transcript.") {
		return true
	}
	if name, _, ok := speaker.SplitLabel(line); ok && speaker.HeadsRemark(name) {
		return true
	}
	words := strings.Fields(line)
	return len(words) <= 10 && !plain.EndsSentence(line) && (hasYear(words) || isDuration(words))
}

// hasYear reports whether a word is a year of this century or the last, alone or in a date of numbers.
func hasYear(words []string) bool {
	for _, word := range words {
		for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return !unicode.IsDigit(r) }) {
			if len(part) == 4 && plain.HasAnyPrefix(part, "19", "20") {
				return true
			}
		}
	}
	return false
}

// isDuration reads "1h 2m 20s" and "32 min".
func isDuration(words []string) bool {
	numbers := 0
	for _, word := range words {
		unit := strings.TrimLeft(word, "0123456789")
		if len(unit) < len(word) {
			numbers++
		}
		switch strings.ToLower(strings.TrimSuffix(unit, ".")) {
		case "", "h", "hr", "hrs", "hour", "hours", "m", "min", "mins", "minute", "minutes", "s", "sec", "secs",
			"second", "seconds", "std", "stunden", "minuten", "sekunden":
		default:
			return false
		}
	}
	return numbers > 0
}
