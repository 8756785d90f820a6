package transcript_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"research/transcript"
)

// The ninth set of files that nobody had seen: interviews in eleven languages as the programs write them that
// people use most, and as they type them. It was written without knowledge of the parsers. testdata/templates has
// the interviews and the styles, with a weight that says how often files of a style are uploaded.
//
// Text that nobody says may be a turn without a speaker, or be left out. Notes in brackets ("[laughs]",
// "(pause)") may stay or go. Consecutive turns of a speaker may be one. A start may be off by a second, since
// many files have no more. Where a service numbers its speakers, any names will do.
func TestNinthSetStaysAsGoodAsItWas(t *testing.T) {
	t.Parallel()
	const mostSilent, leastRight = 0, 287
	files := ninthFiles(t)
	filesOf := map[string]int{}
	for _, f := range files {
		filesOf[f.style.name]++
	}
	count, weight, total := map[string]int{}, map[string]float64{}, 0.0
	for _, f := range files {
		outcome, why := f.score()
		if why != "" {
			t.Logf("%s: %s (%s): %s", outcome, f.style.name, f.talk.title, why)
		}
		share := float64(f.style.weight) / float64(filesOf[f.style.name])
		count[outcome]++
		weight[outcome] += share
		total += share
	}
	t.Logf("%d files in %d styles:", len(files), len(filesOf))
	for outcome, n := range count {
		t.Logf("%4d %s, weighted %.1f %%", n, outcome, 100*weight[outcome]/total)
	}
	requireAsGood(t, count, mostSilent, leastRight)
}

// requireAsGood compares the numbers of files by their outcomes with those of before.
func requireAsGood(t *testing.T, count map[string]int, mostSilent, leastRight int) {
	t.Helper()
	if n := count["silently wrong"]; n > mostSilent {
		t.Errorf("%d files are silently wrong, at most %d were", n, mostSilent)
	}
	if n := count["right"] + count["right with a warning"]; n < leastRight {
		t.Errorf("%d files are right, at least %d were", n, leastRight)
	}
}

// score compares a reading with what a careful person would enter.
func (f ninthFile) score() (outcome, why string) {
	parsed, err := transcript.Parse(f.data)
	if err != nil {
		return "refused", err.Error()
	}
	why = f.difference(parsed.Utterances)
	switch warned := len(parsed.Warnings) > 0; {
	case why == "" && warned:
		return "right with a warning", ""
	case why == "":
		return "right", ""
	case warned:
		return "told", fmt.Sprint(why, " ", parsed.Warnings)
	}
	return "silently wrong", why
}

var (
	ninthNotes = regexp.MustCompile(`[\[(（][^\d\[\](),（）]{1,18}[\])）]`)
	ninthBrace = regexp.MustCompile(` ?[(|].*$`)
)

// ninthWords returns the words of a text without punctuation. A sign of Japanese is a word.
func ninthWords(text string) []string {
	text = ninthNotes.ReplaceAllString(text, " ")
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			b.WriteString(" " + string(r) + " ")
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(unicode.ToLower(r))
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case strings.ContainsRune("-–—", r):
			b.WriteByte(' ')
		}
	}
	return strings.Fields(b.String())
}

// A ninthWord is a word of a reading.
type ninthWord struct {
	text, speaker string
	opens         bool // an utterance
	at            time.Duration
	timed         bool
}

// wordsOf returns the words of a reading without turns that repeat what nobody says.
func (f ninthFile) wordsOf(got []transcript.Utterance) []ninthWord {
	unsaid := " " + strings.Join(ninthWords(f.unsaid), " ") + " "
	var words []ninthWord
	for _, u := range got {
		list := ninthWords(u.Text)
		if u.Speaker == "" && strings.Contains(unsaid, " "+strings.Join(list, " ")+" ") {
			continue
		}
		for i, w := range list {
			words = append(words, ninthWord{w, u.Speaker, i == 0, u.Start, u.Timed})
		}
	}
	return words
}

// difference returns the first difference, or "".
func (f ninthFile) difference(got []transcript.Utterance) string {
	words := f.wordsOf(got)
	names := map[string]string{}
	var before string
	var day time.Duration
	for n, turn := range f.want {
		list := ninthWords(turn.text)
		if len(list) > len(words) {
			return fmt.Sprintf("the words end in %q", turn.text)
		}
		for i, want := range list {
			switch w := words[i]; {
			case w.text != want:
				return fmt.Sprintf("%s: %q instead of %q in %q", w.speaker, w.text, want, turn.text)
			case !f.sameName(names, w.speaker, turn.speaker):
				return fmt.Sprintf("%q says %q of %q", w.speaker, turn.text, turn.speaker)
			}
		}
		if len(list) == 0 {
			continue
		}
		opening := words[0]
		words = words[len(list):]
		switch {
		case n == 0 && f.style.times == "wall":
			day = opening.at - turn.start
		case n == 0 && f.style.times == "f4":
			opening.at = turn.start
		case n > 0 && turn.speaker == before && !opening.opens:
			continue // cues of a speaker may be one turn
		}
		before = turn.speaker
		if why := f.wrongTime(opening, turn, day); why != "" {
			return why
		}
	}
	if len(words) > 0 {
		return fmt.Sprintf("%s: %q is too much", words[0].speaker, words[0].text)
	}
	return ""
}

// wrongTime says what is wrong with the time of a turn's first word, or "".
func (f ninthFile) wrongTime(opening ninthWord, turn ninthTurn, day time.Duration) string {
	switch {
	case f.style.times == "first":
		return ""
	case f.style.times == "none" && opening.timed:
		return fmt.Sprintf("%v is no time of %q", opening.at, turn.text)
	case f.style.times == "none":
		return ""
	case !opening.opens || !opening.timed:
		return fmt.Sprintf("no time for %q", turn.text)
	case (opening.at - day - turn.start).Abs() > time.Second:
		return fmt.Sprintf("%v instead of %v for %q", opening.at, turn.start, turn.text)
	}
	return ""
}

// sameName reports whether a name is that of the file, or one that a person may enter instead.
func (f ninthFile) sameName(names map[string]string, got, want string) bool {
	if f.style.flags["other-names"] {
		for g, w := range names {
			if (g == got) != (w == want) {
				return false
			}
		}
		names[got] = want
		return got != ""
	}
	if strings.EqualFold(got, want) {
		return true
	}
	switch f.style.label {
	case "pronouns", "firm", "described":
		return got == ninthBrace.ReplaceAllString(want, "")
	case "surname":
		last, first, _ := strings.Cut(want, ", ")
		return got == first+" "+last
	case "num0", "s0", "zero":
		return got != "" && got[len(got)-1] == want[len(want)-1] && len(got) <= len("Speaker 00")
	}
	return false
}
