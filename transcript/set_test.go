package transcript_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// A set is files whose turns are known. What it requires of their reading holds when files are added, too: a
// new case is a row of a table or a file, and nothing else.
type set struct {
	files  func(t testing.TB) []*file
	least  int // minimum number of files
	right  int // minimum number that are read right, or all
	silent int // maximum number that are read wrong without a warning
}

// all is the number of right files of a set in which each file must be read right.
const all = -1

// sets are the sets that are written by styles and templates. Their bounds are what is read today.
var sets = map[string]set{
	"bakery":   {bakeryFiles, 7910, 7898, 6},
	"stories":  {storyFiles, 1373, 1354, 6},
	"ward":     {ward.files, 600, 508, 5},
	"wardRare": {wardRare.files, 240, 146, 0},
	"clinic":   {clinic.files, 120, 107, 0},
	"desk":     {desk.files, 612, 554, 4},
	"talks":    {talkFiles, 462, 451, 0},
	"tools":    {toolFiles, 292, 287, 0},
	"layouts":  {layoutFiles, 361, 354, 2},
}

func TestFilesAreReadRightOrRefused(t *testing.T) {
	t.Parallel()
	for name, s := range sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.check(t)
		})
	}
}

// An outcome says how one file was read.
type outcome string

const (
	readRight    outcome = "right"
	readRefused  outcome = "refused"
	readWarned   outcome = "wrong with a warning"
	readSilently outcome = "silently wrong"
)

// check reads the files of a set, and reports those that are not read right. The worst reading is one that
// is wrong without a warning.
func (s set) check(t *testing.T) {
	t.Helper()
	report := t.Logf
	if s.right == all {
		report = t.Errorf
	}
	counts := map[outcome]int{}
	files := s.files(t)
	for _, f := range files {
		outcome, problem := f.read(t)
		counts[outcome]++
		if outcome != readRight {
			report("%s: %s: %s", outcome, f.name, problem)
		}
	}
	t.Logf("%d files: %v", len(files), counts)
	require.GreaterOrEqual(t, len(files), s.least, "files")
	require.LessOrEqual(t, counts[readSilently], s.silent, "silently wrong")
	require.GreaterOrEqual(t, counts[readRight], s.right, "right")
}

// read reads a file, and returns the first difference from what must be read.
func (f *file) read(t testing.TB) (outcome, string) {
	t.Helper()
	got, err := transcript.Parse(f.data)
	if err != nil {
		return readRefused, err.Error()
	}
	checkInvariants(t, got)
	problem := f.compare(got)
	switch {
	case problem == "":
		return readRight, ""
	case len(got.Warnings) > 0:
		return readWarned, problem
	}
	return readSilently, problem
}

// An example is a text whose turns are written beside it, as turnsOf returns them.
type example struct {
	name, text string
	turns      []string
}

// requireTurns requires that examples are read with exactly their turns.
func requireTurns(t *testing.T, examples []example) {
	t.Helper()
	set{right: all, least: 1, files: func(testing.TB) []*file {
		var files []*file
		for _, e := range examples {
			files = append(files, &file{name: e.name, data: []byte(e.text), exactly: e.turns})
		}
		return files
	}}.check(t)
}

// turnsOf returns the turns of a transcript as "Speaker (start): text".
func turnsOf(got *transcript.Transcript) []string {
	var turns []string
	for _, u := range got.Utterances {
		head := u.Speaker
		if u.Timed {
			head += " (" + u.Start.String() + ")"
		}
		turns = append(turns, head+": "+u.Text)
	}
	return turns
}

// spoken returns the turns of a text.
func spoken(t *testing.T, text string) []string {
	t.Helper()
	got, err := transcript.Parse([]byte(text))
	require.NoError(t, err)
	return turnsOf(got)
}

func warningCodes(t *testing.T, text string) []transcript.WarningCode {
	t.Helper()
	got, err := transcript.Parse([]byte(text))
	require.NoError(t, err)
	var codes []transcript.WarningCode
	for _, w := range got.Warnings {
		codes = append(codes, w.Code)
	}
	return codes
}
