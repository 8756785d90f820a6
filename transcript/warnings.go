package transcript

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"research/transcript/internal/boilerplate"
	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/running"
	"research/transcript/internal/turn"
)

// A WarningCode says what is doubtful about a reading. It is stored with an import, so that values must not
// change.
type WarningCode string

// The codes of warnings, and what they count.
const (
	WarnNoSpeakers     WarningCode = "no_speakers"           // utterances
	WarnOneSpeaker     WarningCode = "one_speaker"           // utterances
	WarnUnnamedTurns   WarningCode = "turns_without_speaker" // such utterances
	WarnUncertainNames WarningCode = "uncertain_names"       // utterances that may begin with a name
	WarnTimes          WarningCode = "implausible_times"     // utterances
	WarnHours          WarningCode = "hours_or_minutes"      // utterances
	WarnLostWords      WarningCode = "lost_words"            // words of the file that are not in the transcript
	WarnManySpeakers   WarningCode = "many_speakers"         // speakers
	WarnFewNames       WarningCode = "few_names"             // utterances
	WarnRepeatedLines  WarningCode = "repeated_lines"        // lines
	WarnReadingOrder   WarningCode = "reading_order"         // places of a PDF
)

// A Warning says what is doubtful about a reading, and in how many places.
type Warning struct {
	Code  WarningCode `json:"code"`
	Count int         `json:"count"`
}

// Message returns the warning as a sentence.
func (w Warning) Message() string {
	switch w.Code {
	case WarnNoSpeakers:
		return "No speakers were found, so that quotes have no names."
	case WarnOneSpeaker:
		return "Only one speaker was found."
	case WarnUnnamedTurns:
		return fmt.Sprintf("%d turns have no speaker.", w.Count)
	case WarnUncertainNames:
		return fmt.Sprintf("In %s it is not certain whether a line begins with a name; "+
			"the words after it have no speaker, or the one before.", plural(w.Count, "place"))
	case WarnTimes:
		return "The times look wrong."
	case WarnHours:
		return "The times may be hours and minutes rather than minutes and seconds."
	case WarnLostWords:
		return fmt.Sprintf("About %d words of the file are not in the transcript.", w.Count)
	case WarnManySpeakers:
		return fmt.Sprintf("%d speakers were found, most of whom speak once.", w.Count)
	case WarnRepeatedLines:
		return fmt.Sprintf("%d lines may be headers or footers of pages rather than words.", w.Count)
	case WarnReadingOrder:
		return fmt.Sprintf("In %s the PDF shows words above those that it draws before them, so that their order "+
			"may be wrong.", plural(w.Count, "place"))
	case WarnFewNames:
		return "Few paragraphs begin with a name, so that the names may be words."
	}
	return "Something about this file is doubtful."
}

// plural returns a number with what is counted.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// manySpeakers is more than an interview or a panel has.
const manySpeakers = 10

// warn adds what is doubtful about a reading of the source.
func (t *Transcript) warn(src source, list turn.List) {
	speakers, unnamed, doubtful := map[string]bool{}, 0, 0
	for _, u := range t.Utterances {
		if u.Speaker == "" {
			unnamed++
		} else {
			speakers[u.Speaker] = true
		}
	}
	for _, turn := range list.Turns {
		if turn.Doubtful {
			doubtful++
		}
	}
	hasLabels := src.lines != "" && !src.dated // rather than a place for names
	doubtful += t.namesInWords(speakers, hasLabels)
	if hasLabels {
		doubtful += recurringPrefixes(&list, speakers)
	}
	if doubtful == 0 {
		doubtful = t.unreadTimes(src.lines, src.canonical)
	}
	add := func(code WarningCode, count int) { t.Warnings = append(t.Warnings, Warning{code, count}) }
	all := len(t.Utterances)
	switch {
	case len(speakers) == 0:
		add(WarnNoSpeakers, all)
	case len(speakers) == 1 && unnamed == 0 && all > 3:
		add(WarnOneSpeaker, all)
	case unnamed > 2 && unnamed*10 >= all:
		add(WarnUnnamedTurns, unnamed)
	}
	if len(speakers) >= manySpeakers && all-unnamed < 2*len(speakers) {
		add(WarnManySpeakers, len(speakers))
	}
	if list.Sparse && len(speakers) > 0 {
		add(WarnFewNames, all)
	}
	if doubtful > 0 {
		add(WarnUncertainNames, doubtful)
	}
	if src.jumps > 0 {
		add(WarnReadingOrder, src.jumps)
	}
	if recurring := running.CountRecurring(src.text); recurring > 0 {
		add(WarnRepeatedLines, recurring)
	}
	unread := 0
	for _, turn := range list.Turns {
		if turn.Unread {
			unread++
		}
	}
	switch {
	case unread > 0 || !t.hasPlausibleTimes(src.dated || list.Dated) || src.lines != "" && t.startsLate():
		add(WarnTimes, all)
	case list.Hours || clock.AreAmbiguous(src.text):
		add(WarnHours, all)
	}
	if lost := t.lostWords(src, list); lost > 0 {
		add(WarnLostWords, lost)
	}
}

// maxNamesInWords is how many speakers a transcript has, at most, whose names are looked for in words.
const maxNamesInWords = 50

// namesInWords counts the utterances that begin with the full name of a speaker and then a capital, as in
// "Dana Weber Thanks."; in a file with labels also those that have a speaker's name and a colon behind a
// sentence. The name may be a label that was not read.
func (t *Transcript) namesInWords(speakers map[string]bool, hasLabels bool) (n int) {
	if len(speakers) > maxNamesInWords {
		return 0
	}
	var full, labels []string
	for name := range speakers {
		if strings.Contains(name, " ") {
			full = append(full, name+" ")
		}
		if hasLabels {
			labels = append(labels, name+":")
		}
	}
	for _, u := range t.Utterances {
		isDoubtful := slices.ContainsFunc(full, func(name string) bool {
			rest, ok := strings.CutPrefix(u.Text, name)
			return ok && plain.StartsWithCapital(rest)
		})
		within := func(label string) bool { return hasLabelWithin(u.Text, label) }
		if isDoubtful || slices.ContainsFunc(labels, within) {
			n++
		}
	}
	return n
}

// hasLabelWithin reports whether a text has a label behind the end of a sentence: "On paper. Dana: Why?"
func hasLabelWithin(text, label string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], label)
		if i < 0 {
			return false
		}
		at := from + i
		before := strings.TrimRight(text[:at], " ")
		from = at + len(label)
		isEnd := before != "" && len(before) < at &&
			plain.HasAnySuffix(before, ".", "?", "!", "…", "]", ")", "\"", "”")
		if isEnd && strings.HasPrefix(text[from:], " ") {
			return true
		}
	}
}

// Bounds on what stands before colons.
const (
	minPrefixes = 4  // of one text, for it to be more than chance
	maxPrefix   = 60 // bytes
)

// recurringPrefixes returns how many lines of a transcript with speakers begin with a text before a colon
// that recurs: a label that was not read.
func recurringPrefixes(l *turn.List, speakers map[string]bool) (total int) {
	if len(speakers) == 0 {
		return 0
	}
	counts := map[string]int{}
	for _, t := range l.Turns {
		for line := range strings.SplitSeq(t.Text, "\n") {
			prefix, rest, ok := strings.Cut(line[:min(len(line), maxPrefix)], ":")
			prefix = strings.TrimSpace(prefix)
			isLabel := plain.StartsWithCapital(prefix) || plain.IsUncased(prefix)
			if !ok || !isLabel || rest != "" && rest[0] != ' ' && rest[0] != '\t' || speakers[prefix] {
				continue
			}
			if counts[prefix] > 0 || len(counts) < plain.MaxLabels {
				counts[prefix]++
			}
		}
	}
	for _, n := range counts {
		if n >= minPrefixes {
			total += n
		}
	}
	return total
}

// hasPlausibleTimes reports whether the times go forward, and people can have said so many words in them. A
// chat may last for weeks.
func (t *Transcript) hasPlausibleTimes(dated bool) bool {
	timed, back, words := 0, 0, 0.0
	last, end := time.Duration(0), time.Duration(0)
	first := time.Duration(-1)
	for _, u := range t.Utterances {
		if !u.Timed {
			continue
		}
		timed++
		words += plain.CountWords(u.Text)
		if u.Start < last {
			back++
		}
		if first < 0 {
			first = u.Start
		}
		last = u.Start
		end = max(end, u.End)
	}
	if timed < 4 {
		return true
	}
	length := (end - first).Seconds()
	if back*4 > timed || length <= 0 {
		return false
	}
	pace := words / length
	return pace <= clock.FastestPace && (dated || pace >= clock.SlowestPace || length < time.Hour.Seconds())
}

// startsLate reports whether the first time of a text is that of a day rather than of a recording.
func (t *Transcript) startsLate() bool {
	const latestStart = 5 * time.Hour
	i := slices.IndexFunc(t.Utterances, func(u Utterance) bool { return u.Timed })
	return i >= 0 && t.Utterances[i].Start >= latestStart
}

// Words are counted by their hashes, so that a hostile file takes no more memory than another.
const wordBuckets = 1 << 16

// A file may have this many words that are not speech, such as titles and comments, without a warning.
const (
	unreadWords = 20
	unreadShare = 20 // one word of twenty
)

// lostWords returns how many words of a text are neither in the utterances nor in the names of speakers, or 0
// if they are few. It returns 0 for a file whose text is not known: captions and JSON have words in many
// places.
func (t *Transcript) lostWords(src source, list turn.List) int {
	if src.text == "" {
		return 0
	}
	counts := make([]int32, wordBuckets)
	all := 0
	for line := range strings.SplitSeq(src.text, "\n") {
		if src.dated {
			if c, ok := readChatLine(line); ok {
				line = c.whole // without its date, whose words nobody said
			}
		}
		if !boilerplate.Is(strings.TrimSpace(line)) && !strings.HasPrefix(line, "#") {
			all += countHashes(counts, line, 1)
		}
	}
	countHashes(counts, list.Dropped, -1)
	countHashes(counts, t.Text, -1)
	for _, u := range t.Utterances {
		countHashes(counts, u.Speaker, -1)
	}
	lost := 0
	for _, n := range counts {
		lost += int(max(0, n))
	}
	if lost <= unreadWords || lost*unreadShare <= all {
		return 0
	}
	return lost
}

// countHashes adds the words of a text, by their hashes (FNV-1a), and returns how many there are. What begins
// with a digit is no word: "2.50s" and "2024-03-05T10:02:15Z" are times.
func countHashes(counts []int32, text string, sign int32) (words int) {
	isBreak := func(r rune) bool { return plain.IsNotLetter(r) && !unicode.IsDigit(r) }
	for word := range strings.FieldsFuncSeq(text, isBreak) {
		if first, _ := utf8.DecodeRuneInString(word); unicode.IsDigit(first) {
			continue
		}
		hash := uint32(2166136261)
		for i := range len(word) {
			hash = (hash ^ uint32(word[i])) * 16777619
		}
		counts[hash%wordBuckets] += sign
		words++
	}
	return words
}
