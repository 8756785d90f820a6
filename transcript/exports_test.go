package transcript_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// The exports are conversations as tools, chats, public records and typists write them. Their conversations
// have long stories, one-word answers and recurring items of lists; their layouts have titles, page numbers,
// system messages and other lines that nobody said.

// An exportStyle writes a conversation in one way.
type exportStyle struct {
	name    string
	kinds   string // of the labels, see exportLabels
	shape   turnShape
	times   corpusTimes
	render  func(turns []said) []byte
	speaker func(label string, index int) string // what the style keeps of a label; nil if it keeps all
}

// A turnShape says how many lines the turns of a style have.
type turnShape int

const (
	oneLiners  turnShape = iota // each turn is one line
	lines                       // turns have lines
	paragraphs                  // turns have paragraphs with blank lines between them
	capitals                    // turns have lines in capitals
)

// exportLabels are the labels of the exports by their kind.
var exportLabels = map[string][][]string{
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

// exportConversations are the files with conversations.
var exportConversations = []string{"stories-en", "panel-en", "leitfaden-de", "chat-en", "tour-fr", "visit-he"}

// readExportConversation returns a conversation between speakers with the given labels.
func readExportConversation(t testing.TB, name string, labels []string, shape turnShape) []said {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "conversations", "stories", name+".txt"))
	require.NoError(t, err)
	var turns []said
	at := 3 * time.Second
	for line := range strings.Lines(string(data)) {
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
		length := time.Duration(len(strings.Fields(text))+3) * 400 * ms
		turns = append(turns, said{labels[speaker], at.Truncate(100 * ms), (at + length).Truncate(100 * ms), text})
		at += length + 1300*ms
	}
	return turns
}

// readExport reads one file, and returns how it was read and the first difference.
func readExport(style exportStyle, turns []said) (corpusReading, string) {
	got, err := transcript.Parse(style.render(turns))
	if err != nil {
		return readRefused, err.Error()
	}
	problem := compareExport(style, turns, got)
	switch {
	case problem == "":
		return readRight, ""
	case len(got.Warnings) > 0:
		return readWarned, problem
	}
	return readSilently, problem
}

// compareExport returns the first difference between a conversation and its reading. Words without a speaker
// before the first turn are those of a title.
func compareExport(style exportStyle, turns []said, got *transcript.Transcript) string {
	var want []said
	indexes := map[string]int{}
	for _, s := range turns {
		if _, known := indexes[s.speaker]; !known {
			indexes[s.speaker] = len(indexes)
		}
		if style.speaker != nil {
			s.speaker = style.speaker(s.speaker, indexes[s.speaker])
		}
		if n := len(want); n > 0 && want[n-1].speaker == s.speaker {
			want[n-1].text += " " + s.text
			want[n-1].end = s.end
			continue
		}
		want = append(want, s)
	}
	utterances := got.Utterances
	for len(utterances) > 0 && utterances[0].Speaker == "" && want[0].speaker != "" {
		utterances = utterances[1:]
	}
	layout := corpusLayout{times: style.times}
	rest := &transcript.Transcript{Utterances: utterances}
	return compareCorpusTurns(layout, want, rest)
}

// The same bounds as those of the corpus hold for the exports.
func TestExportsAreReadRightOrRefused(t *testing.T) {
	t.Parallel()
	counts := map[corpusReading]int{}
	total := 0
	for i, style := range exportStyles() {
		for _, kind := range strings.Fields(style.kinds) {
			for j, labels := range exportLabels[kind] {
				for k, name := range exportConversations {
					isHebrew := kind == "hebrew"
					if isHebrew != (name == "visit-he") || (i+j+k)%2 == 0 && !isHebrew {
						continue
					}
					turns := readExportConversation(t, name, labels, style.shape)
					reading, problem := readExport(style, turns)
					counts[reading]++
					total++
					if reading != readRight {
						t.Logf("%s: %s, %v, %s: %s", reading, style.name, labels[:2], name, problem)
					}
				}
			}
		}
	}
	t.Logf("%d files in %d styles: %d right, %d refused, %d wrong with a warning, %d silently wrong", total,
		len(exportStyles()), counts[readRight], counts[readRefused], counts[readWarned], counts[readSilently])
	require.GreaterOrEqual(t, total, 120)
	require.LessOrEqual(t, counts[readSilently]*100, total, "silently wrong")
	require.GreaterOrEqual(t, counts[readRight]*100, total*90, "right")
}

// eachExportTurn writes the turns one after the other, between a head and a foot.
func eachExportTurn(head, foot string, turn func(i int, s said) string) func([]said) []byte {
	return func(turns []said) []byte {
		var b bytes.Buffer
		b.WriteString(head)
		for i, s := range turns {
			b.WriteString(turn(i, s))
		}
		b.WriteString(foot)
		return b.Bytes()
	}
}

// mmss formats 01:02, or 01:02:03 from an hour on.
func mmss(d time.Duration) string {
	if d >= time.Hour {
		return clockS(d)
	}
	return fmt.Sprintf("%02d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

func crlf(render func([]said) []byte) func([]said) []byte {
	return func(turns []said) []byte { return bytes.ReplaceAll(render(turns), []byte("\n"), []byte("\r\n")) }
}

// exportStyles returns all styles.
func exportStyles() []exportStyle {
	var styles []exportStyle
	for _, group := range [][]exportStyle{
		meetingExports, transcriberExports, captionExports, chatExports, recordExports, typedExports, otherExports,
	} {
		styles = append(styles, group...)
	}
	return styles
}
