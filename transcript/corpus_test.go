package transcript_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// The corpus is every layout with every set of labels, in alternating languages. Its conversations have what
// misleads parsers: lists and remarks that look like labels, sentences that begin with a clock time, dashes
// and brackets.
//
// A reading is right if it has the speakers, words and times of the conversation. The worst reading is one
// that is wrong without a warning.

// A corpusLayout writes a conversation in one layout.
type corpusLayout struct {
	name    string
	times   corpusTimes
	render  func(turns []said) []byte
	speaker func(label string, index int) string // what the layout keeps of a label; nil if it keeps all
	before  string                               // words before the first turn, which have no speaker
}

// corpusTimes says which times a layout has.
type corpusTimes int

const (
	untimed     corpusTimes = iota
	timed                   // within a second
	clockTimed              // times of day, which count from the first one
	minuteTimed             // the same, with a minute in place of each second
	endTimed                // only the ends of turns
	dayTimed                // times of day, as they are
	chatTimed               // times of day in minutes, when people type
)

// corpusBase is the time of day at which the conversations of the corpus begin.
var corpusBase = time.Date(2024, 3, 5, 10, 2, 0, 0, time.UTC)

// corpusSets are the labels of the corpus. The third one of a set has two turns, the fourth one.
var corpusSets = [][]string{
	{"Dana Weber", "Jörg Müßig", "María López"},
	{"Dana Weber", "Sam Okafor", "Li Na", "Ben Ali"},
	{"A", "B"},
	{"A", "B", "C"},
	{"Q", "A"},
	{"I", "R"},
	{"M", "F"},
	{"P1", "I1"},
	{"S1", "S2"},
	{"NB", "PS"},
	{"RE", "CC"},
	{"Host", "Guest"},
	{"Interviewer", "Client"},
	{"Interviewer", "Interviewee"},
	{"Moderator", "Participants"},
	{"Organizer", "Author"},
	{"Company", "Customer"},
	{"Client", "Project Manager"},
	{"The Chair", "The Secretary"},
	{"The Moderator", "Anna"},
	{"Dr. med. Anna von der Heydt", "Sam Okafor"},
	{"Prof. Dr. Li", "M. de la Cruz"},
	{"Participant: P4", "Interviewer"},
	{"dana@example.org", "sam.okafor@example.org"},
	{"dana", "sam"},
	{"Dana's iPhone", "Conference Room 2"},
	{"iPad (2)", "Pixel 7"},
	{"Speaker 1", "Speaker 2", "Speaker 3"},
	{"SPEAKER_00", "SPEAKER_01"},
	{"spk_0", "spk_1"},
	{"+49 30 1234567", "Dana"},
	{"Frage", "Antwort"},
	{"Interviewerin", "Befragte"},
	{"Enquêteur", "Cliente"},
	{"面试官", "受访者"},
	{"田中", "佐藤さん"},
	{"Иван Петров", "Анна"},
	{"دانا", "سامي"},
	{"MR. SMITH", "MS. JONES", "THE COURT"},
	{"Weber, Dana", "Okafor, Sam"},
	{"Dana W.", "S. O."},
	{"Dana Weber (Lumen)", "Sam Okafor [Guest]"},
	{"Me", "Them"},
	{"Agent", "Caller"},
	{"Doctor", "Patient"},
	{"Jean-Luc O’Neill", "Zoë"},
	{"Will", "Mark"},
	{"Unknown Speaker", "Dana"},
	{"User_1234", "Bot"},
}

var corpusLanguages = []string{"en", "de", "fr", "es", "it", "pt", "nl", "ru", "ja", "ar"}

// corpusConversation returns the conversation of a language between speakers with the given labels.
func corpusConversation(t testing.TB, language string, labels []string) []said {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "conversations", "bakery", language+".txt"))
	require.NoError(t, err)
	var turns []said
	at := 3 * time.Second
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		speaker := i % 2
		switch {
		case len(labels) > 2 && (i == 8 || i == 14):
			speaker = 2
		case len(labels) > 3 && i == 16:
			speaker = 3
		}
		length := time.Duration(len(strings.Fields(line))+3) * 400 * ms
		text := strings.ReplaceAll(line, `\n`, "\n")
		turns = append(turns, said{labels[speaker], at.Truncate(100 * ms), (at + length).Truncate(100 * ms), text})
		at += length + 1300*ms
	}
	return turns
}

// corpusVariants change a conversation to what misleads in another way.
var corpusVariants = []struct {
	name   string
	change func(turns []said) []said
}{
	{"whole", func(turns []said) []said { return turns }},
	{"short", func(turns []said) []said { return turns[:6] }},
	{"remarks", func(turns []said) []said {
		for _, i := range []int{1, 5, 7} {
			turns[i].text += "\nNote: they all laugh.\nImportant: nobody is to blame."
		}
		turns[11].text += "\nfirst: open the door\nsecond: go in"
		return turns
	}},
	{"one side", func(turns []said) []said {
		// The interviewer says little, the guest tells stories of several lines.
		for i := range turns {
			if i%2 == 1 {
				turns[i].text += "\nAnd then we went on with it for years\nSo it goes"
			}
		}
		return turns
	}},
}

// A corpusReading is what became of one file of the corpus.
type corpusReading string

const (
	readRight    corpusReading = "right"
	readRefused  corpusReading = "refused"
	readWarned   corpusReading = "wrong with a warning"
	readSilently corpusReading = "silently wrong"
)

func readCorpusFile(layout corpusLayout, turns []said) (corpusReading, string) {
	got, err := transcript.Parse(layout.render(slices.Clone(turns)))
	if err != nil {
		return readRefused, err.Error()
	}
	problem := compareCorpusTurns(layout, turns, got)
	switch {
	case problem == "":
		return readRight, ""
	case len(got.Warnings) > 0:
		return readWarned, problem
	}
	return readSilently, problem
}

// compareCorpusTurns returns the first difference between a conversation and its reading. Neighbouring
// utterances of one speaker are one turn.
func compareCorpusTurns(layout corpusLayout, turns []said, got *transcript.Transcript) string {
	var merged []transcript.Utterance
	for _, u := range got.Utterances {
		if n := len(merged); n > 0 && merged[n-1].Speaker == u.Speaker {
			merged[n-1].Text += " " + u.Text
			merged[n-1].End = u.End
			continue
		}
		merged = append(merged, u)
	}
	if layout.before != "" {
		if len(merged) == 0 || merged[0].Speaker != "" || merged[0].Text != layout.before {
			return "the words before the first turn are missing"
		}
		merged = merged[1:]
	}
	indexes := map[string]int{}
	for i, want := range turns {
		if i >= len(merged) {
			return fmt.Sprintf("turn %d is missing", i)
		}
		if _, known := indexes[want.speaker]; !known {
			indexes[want.speaker] = len(indexes)
		}
		if layout.speaker != nil {
			want.speaker = layout.speaker(want.speaker, indexes[want.speaker])
		}
		if problem := compareCorpusTurn(layout, turns, want, merged[i]); problem != "" {
			return fmt.Sprintf("turn %d: %s", i, problem)
		}
	}
	if len(merged) > len(turns) {
		return "there are more turns than there should be"
	}
	return ""
}

func compareCorpusTurn(layout corpusLayout, turns []said, want said, u transcript.Utterance) string {
	if u.Speaker != want.speaker {
		return fmt.Sprintf("speaker %q instead of %q", u.Speaker, want.speaker)
	}
	if text := strings.Join(strings.Fields(u.Text), " "); text != strings.Join(strings.Fields(want.text), " ") {
		return fmt.Sprintf("text %q", text)
	}
	at, wantAt := u.Start, want.start
	switch layout.times {
	case untimed:
		return ""
	case clockTimed:
		wantAt -= turns[0].start
	case minuteTimed:
		wantAt = ((wantAt.Truncate(time.Second) - turns[0].start.Truncate(time.Second)) * 60).Truncate(time.Minute)
	case endTimed:
		at, wantAt = u.End, want.end
	case chatTimed:
		first := corpusBase.Add(turns[0].start * chatSlowness).Truncate(time.Minute)
		wantAt = corpusBase.Add(wantAt * chatSlowness).Truncate(time.Minute).Sub(first)
	case dayTimed:
		wantAt += corpusBase.Sub(corpusBase.Truncate(24 * time.Hour))
	}
	if !u.Timed || (at-wantAt).Abs() > time.Second {
		return fmt.Sprintf("time %s instead of %s", at, wantAt)
	}
	return ""
}

// At most one file in a hundred may be read wrong without a warning, and at least ninety in a hundred must be
// read right.
func TestCorpusIsReadRightOrRefused(t *testing.T) {
	t.Parallel()
	counts := map[corpusReading]int{}
	perLayout := map[string]map[corpusReading]int{}
	total := 0
	for i, layout := range corpusLayouts() {
		perLayout[layout.name] = map[corpusReading]int{}
		for j, labels := range corpusSets {
			language := corpusLanguages[(i+j)%len(corpusLanguages)]
			for v, variant := range corpusVariants {
				if v > 0 && (i+j)%8 != 0 {
					continue
				}
				turns := variant.change(corpusConversation(t, language, labels))
				reading, problem := readCorpusFile(layout, turns)
				counts[reading]++
				perLayout[layout.name][reading]++
				total++
				if reading != readRight {
					t.Logf("%s: %s, %s, %v, %s: %s", reading, layout.name, variant.name, labels, language, problem)
				}
			}
		}
	}
	for _, layout := range corpusLayouts() {
		t.Logf("%-34s %v", layout.name, perLayout[layout.name])
	}
	t.Logf("%d files: %d right, %d refused, %d wrong with a warning, %d silently wrong", total,
		counts[readRight], counts[readRefused], counts[readWarned], counts[readSilently])
	require.GreaterOrEqual(t, total, 250)
	require.LessOrEqual(t, counts[readSilently]*100, total, "silently wrong")
	require.GreaterOrEqual(t, counts[readRight]*100, total*90, "right")
}

// eachCorpusTurn writes the turns one after the other.
func eachCorpusTurn(before string, turn func(i int, s said) string) func([]said) []byte {
	return func(turns []said) []byte {
		var b bytes.Buffer
		b.WriteString(before)
		for i, s := range turns {
			b.WriteString(turn(i, s))
		}
		return b.Bytes()
	}
}

// corpusLayouts returns all layouts of the corpus.
func corpusLayouts() []corpusLayout {
	return slices.Concat(labelLayouts, clockLayouts, captionLayouts, chatLayouts,
		serviceLayouts, documentLayouts)
}
