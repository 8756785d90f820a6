package transcript_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The talks are interviews in many languages, as tools export them and people type them, with lines between
// the turns that nobody said. So are the files that were typed by hand, each with what must be read.

// A talkStyle is one way to write talks, which says itself what must be read.
type talkStyle struct {
	name  string
	of    string        // the talks, separated by spaces
	as    []string      // the names of the speakers, instead of those of the talk
	grain time.Duration // how exact the times of the file are; 0 if it has none
	write func(f *file)
}

func talkFiles(t testing.TB) []*file {
	t.Helper()
	talks, files := readTalks(t), readTyped(t)
	for _, style := range slices.Concat(notetakerTalks(), transcriberTalks(), speechTalks(), annotationTalks(),
		captionTalks(), chatTalks(), serviceTalks(), tableTalks(), labelTalks()) {
		for name := range strings.FieldsSeq(style.of) {
			turns := slices.Clone(talks[name])
			require.NotEmpty(t, turns, "%s: no talk %s", style.name, name)
			for i, s := range turns {
				if style.as != nil {
					turns[i].speaker = style.as[indexOf(talks[name], s.speaker)]
				}
			}
			// Times that differ by the grain are wrong.
			f := &file{name: style.name + ", " + name, turns: turns, grain: style.grain, within: style.grain - 1}
			style.write(f)
			if f.data == nil {
				f.data = []byte(f.text.String())
			}
			files = append(files, f)
		}
	}
	return files
}

// readTalks reads the talks by their names. Times are as fast as people talk.
func readTalks(t testing.TB) map[string][]said {
	t.Helper()
	talks := map[string][]said{}
	var head []string
	var at time.Duration
	for _, line := range readLines(t, "conversations", "talks.txt") {
		if name, ok := strings.CutPrefix(line, "= "); ok {
			head, at = strings.Split(name, " | "), 0
			continue
		}
		label, text, ok := strings.Cut(line, ": ")
		if !ok {
			continue
		}
		words, i := max(len(strings.Fields(text)), len([]rune(text))/5), len(talks[head[0]])
		lasts := time.Duration(words)*390*ms + time.Duration(700+i*137%600)*ms
		talks[head[0]] = append(talks[head[0]], said{head[1+int(label[0]-'A')], at, at + lasts, text, head[0][:2]})
		at += lasts + 180*ms
	}
	return talks
}

// readTyped reads the files that were typed by hand.
func readTyped(t testing.TB) []*file {
	t.Helper()
	data, err := os.ReadFile("testdata/typed/files.txt")
	require.NoError(t, err)
	var files []*file
	for block := range strings.SplitSeq("\n"+string(data), "\n=== ") {
		name, rest, ok := strings.Cut(block, "\n")
		if !ok || name == "" {
			continue
		}
		text, want, _ := strings.Cut(rest, "--- want\n")
		f := &file{name: "typed, " + name, data: []byte(text), grain: time.Second, within: time.Second - 1}
		for line := range strings.Lines(want) {
			f.want = append(f.want, readWanted(t, strings.TrimRight(line, "\n")))
		}
		files = append(files, f)
	}
	return files
}

// readWanted reads "speaker⇥seconds⇥words", "~ an aside" or "~~ a loose aside". The seconds are - without a
// time, and ? if any time is right; several speakers, separated by "|", are all right.
func readWanted(t testing.TB, line string) wanted {
	t.Helper()
	if text, ok := strings.CutPrefix(line, "~~ "); ok {
		return wanted{text: text, aside: true, loose: true}
	}
	if text, ok := strings.CutPrefix(line, "~ "); ok {
		return wanted{text: text, aside: true}
	}
	parts := strings.SplitN(line, "\t", 3)
	want := wanted{speakers: strings.Split(parts[0], "|"), text: parts[2]}
	switch parts[1] {
	case "-":
		want.at = noTime
	case "?":
		want.at = anyTime
	default:
		seconds, err := strconv.Atoi(parts[1])
		require.NoError(t, err)
		want.at = time.Duration(seconds) * time.Second
	}
	return want
}

// amidAsides writes asides at the head and the foot, and a line for each turn between them.
func amidAsides(head, foot string, line func(i int, s said) string) func(*file) {
	return func(f *file) {
		f.aside(head)
		framed("", "", line)(f)
		f.aside(foot)
	}
}

// framed writes a head and a foot that must not be read as words.
func framed(head, foot string, line func(i int, s said) string) func(*file) {
	return func(f *file) {
		f.text.WriteString(head)
		for i, s := range f.turns {
			f.text.WriteString(line(i, s))
			f.said(s)
		}
		f.text.WriteString(foot)
	}
}

// rendered writes a file by its turns alone.
func rendered(render func([]said) []byte) func(*file) {
	return func(f *file) {
		f.data = render(f.turns)
		for _, s := range f.turns {
			f.said(s)
		}
	}
}

// unspoken returns a style's write for files without speakers.
func unspoken(write func(*file)) func(*file) {
	return func(f *file) {
		for i := range f.turns {
			f.turns[i].speaker = ""
		}
		write(f)
	}
}
