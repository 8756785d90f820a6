package transcript_test

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const ms = time.Millisecond

// readLines returns the lines of a file of test data.
func readLines(t testing.TB, path ...string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", filepath.Join(path...)))
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// numberOf returns a number that depends on the name of a style alone, so that a new style changes nothing
// about the files of the others.
func numberOf(s style) int {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(s.name)) // a hash returns no error
	return int(hash.Sum32() % 1000)
}

// The conversation at the bakery is written in every layout with every set of labels, in alternating
// languages. It has what misleads parsers: lists and remarks that look like labels, sentences that begin with
// a clock time, dashes and brackets.

// bakeryLabels are the labels of the bakery, the interviewer first. The third one has two turns, the fourth
// one.
var bakeryLabels = [][]string{
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

var bakeryLanguages = []string{"en", "de", "fr", "es", "it", "pt", "nl", "ru", "ja", "ar"}

// bakeryTitles are the words before the first turn in the layouts that have some.
var bakeryTitles = map[string]string{
	"after a short line":       "Interview with a bakery",
	"Otter after a short line": "Hello there",
}

// bakeryVariants change the conversation to what misleads in another way.
var bakeryVariants = []struct {
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

func bakeryFiles(t testing.TB) []*file {
	t.Helper()
	var files []*file
	for _, s := range stylesOf(func(s styles) []style { return s.bakery }) {
		i := numberOf(s)
		for j, labels := range bakeryLabels {
			language := bakeryLanguages[(i+j)%len(bakeryLanguages)]
			for v, variant := range bakeryVariants {
				if v > 0 && (i+j)%7 != 0 {
					continue
				}
				turns := variant.change(bakery(t, language, labels))
				f := s.write(fmt.Sprintf("%s, %v, %s", variant.name, labels, language), turns)
				if title := bakeryTitles[s.name]; title != "" {
					f.want = append([]wanted{{speakers: []string{""}, at: anyTime, text: title}}, f.want...)
				}
				files = append(files, f)
			}
		}
	}
	return files
}

// bakery returns the conversation in a language between speakers with the given labels.
func bakery(t testing.TB, language string, labels []string) []said {
	t.Helper()
	var turns []said
	at := 3 * time.Second
	for i, line := range readLines(t, "conversations", "bakery", language+".txt") {
		speaker := i % 2
		switch {
		case len(labels) > 2 && (i == 8 || i == 14):
			speaker = 2
		case len(labels) > 3 && i == 16:
			speaker = 3
		}
		turn := sayAt(&at, labels[speaker], line, language)
		turn.text = strings.ReplaceAll(line, `\n`, "\n")
		turns = append(turns, turn)
	}
	return turns
}

// sayAt returns a turn that is as long as its words, and adds its length and a pause to the time.
func sayAt(at *time.Duration, speaker, text, language string) said {
	length := time.Duration(len(strings.Fields(text))+3) * 400 * ms
	turn := said{speaker, at.Truncate(100 * ms), (*at + length).Truncate(100 * ms), text, language}
	*at += length + 1300*ms
	return turn
}

// The stories are told at length, with one-word answers and recurring items of lists. Their styles are those
// of tools, chats, public records and typists, and have titles, page numbers, messages of the system and
// other lines that nobody said.

// stories are the files with the conversations.
var stories = []string{"stories-en", "panel-en", "leitfaden-de", "chat-en", "tour-fr", "visit-he"}

// storyLabels are the labels of the stories by their kind.
var storyLabels = map[string][][]string{
	"people": {
		{"Dana Weber", "Sam Okafor", "Li Na", "Kim O'Hara"},
		{"María José de la Cruz", "Jörg Müßig", "Zoë", "Will Young"},
	},
	"guests": {
		{"Dana Weber (Lumen)", "Sam Okafor (she/her)", "Li Na (guest)", "Kim O'Hara (LDN)"},
		{"Weber, Dana", "Okafor, Sam", "Na, Li", "O'Hara, Kim"},
	},
	"firsts":    {{"Dana", "Sam", "Alex", "Kim"}},
	"numbered":  {{"Speaker 1", "Speaker 2", "Speaker 3", "Speaker 4"}},
	"letters":   {{"I", "B", "C", "D"}, {"A", "B", "C", "D"}},
	"roles":     {{"Interviewer", "Participant", "Observer", "Note Taker"}, {"INT", "RESP", "OBS", "MOD"}},
	"questions": {{"Q", "A", "THE COURT", "THE WITNESS"}},
	"initials":  {{"DW", "SO", "LN", "KO"}},
	"capitals":  {{"DANA", "SAM", "ALEX", "KIM"}, {"MS. WEBER", "MR. OKAFOR", "DR. NA", "THE CHAIR"}},
	"accounts":  {{"dana.weber", "s_okafor", "li-na", "kim"}},
	"odd":       {{"Dana?", "Sam!", "Alex 🌻", "Kim & Jo"}},
	"titled":    {{"Frau Dr. Weber", "Herr Okafor", "Prof. Na", "Vorsitzende"}},
	"hebrew":    {{"דנה", "נועה", "רון", "מיכל"}},
}

func storyFiles(t testing.TB) []*file {
	t.Helper()
	var files []*file
	for _, s := range stylesOf(func(s styles) []style { return s.stories }) {
		for kind := range strings.FieldsSeq(s.kinds) {
			for j, labels := range storyLabels[kind] {
				for k, name := range stories {
					isHebrew := kind == "hebrew"
					if isHebrew != (name == "visit-he") || !isHebrew && (numberOf(s)+j+k)%5 > 2 {
						continue // a style has three of the five other stories
					}
					f := s.write(fmt.Sprintf("%v, %s", labels[:2], name), story(t, name, labels, s.shape))
					files = append(files, f.titled())
				}
			}
		}
	}
	return files
}

// story returns a conversation between speakers with the given labels.
func story(t testing.TB, name string, labels []string, shape turnShape) []said {
	t.Helper()
	var turns []said
	at := 3 * time.Second
	for _, line := range readLines(t, "conversations", "stories", name+".txt") {
		index, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		speaker, err := strconv.Atoi(index)
		require.NoError(t, err)
		text = strings.ReplaceAll(text, `\n`, "\n")
		switch shape {
		case oneLiners:
			text = oneLine(text)
		case lines:
			text = strings.ReplaceAll(text, "\n\n", "\n")
		case capitals:
			text = strings.ToUpper(strings.ReplaceAll(text, "\n\n", "\n"))
		case paragraphs:
		}
		turns = append(turns, sayAt(&at, labels[speaker], text, name[len(name)-2:]))
	}
	return turns
}
