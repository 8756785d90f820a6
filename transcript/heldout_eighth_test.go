package transcript_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// The eighth set has the files of 176 styles, most in three languages, and 23 files typed by hand: what
// founders and researchers export from their tools, or type. It was written by someone who had not read the
// parsers.

// An eighthTime is a time in a file of the set.
type eighthTime time.Duration

const (
	// noTime means that the file has no time for a turn.
	noTime eighthTime = -1
	// anyTime means that the file has times of its own, which are not those of the turns.
	anyTime eighthTime = -2
)

// ms returns the time as 00:01:06.120, with point as the decimal point.
func (t eighthTime) ms(point string) string {
	return t.hms() + fmt.Sprintf("%s%03d", point, time.Duration(t).Milliseconds()%1000)
}

// hms returns the time as 00:01:06.
func (t eighthTime) hms() string {
	s := int(time.Duration(t).Seconds())
	return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
}

// mmss returns the time as 01:06.
func (t eighthTime) mmss() string {
	s := int(time.Duration(t).Seconds())
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}

// mss returns the time as 1:06.
func (t eighthTime) mss() string {
	s := int(time.Duration(t).Seconds())
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// seconds returns the time as 66.12.
func (t eighthTime) seconds() string {
	return fmt.Sprintf("%.2f", time.Duration(t).Seconds())
}

// An eighthTurn is what someone says in a conversation, or what a file of it must be read as.
type eighthTurn struct {
	speaker string // several separated by "|" are all right
	at, end eighthTime
	text    string
	// aside words are not part of the conversation. They may be left out, or be read without a speaker.
	aside bool
	// loose words are asides that may also be part of the turn before them, such as [laughter].
	loose bool
}

// An eighthFile is one file of the set.
type eighthFile struct {
	name  string
	turns []eighthTurn // the conversation
	grain time.Duration
	text  strings.Builder
	data  []byte // instead of text
	want  []eighthTurn
}

// raw writes what nobody says.
func (f *eighthFile) raw(format string, args ...any) {
	fmt.Fprintf(&f.text, format, args...)
}

// aside writes lines that are not part of the conversation.
func (f *eighthFile) aside(text string) {
	f.text.WriteString(text)
	f.want = append(f.want, eighthTurn{text: text, aside: true})
}

// loose writes lines that may also be part of the turn before them.
func (f *eighthFile) loose(text string) {
	f.text.WriteString(text)
	f.want = append(f.want, eighthTurn{text: text, aside: true, loose: true})
}

// said records that a turn must be read.
func (f *eighthFile) said(s eighthTurn) {
	if f.grain == 0 {
		s.at = noTime
	}
	f.want = append(f.want, s)
}

// An eighthStyle is one way to write conversations.
type eighthStyle struct {
	name  string
	of    string        // the conversations, separated by spaces
	as    []string      // the names of the speakers, instead of those of the conversation
	grain time.Duration // how exact the times of the file are; 0 if it has none
	write func(f *eighthFile)
}

// typedTurns returns a style's write: asides at the head and the foot, and line for each turn.
func typedTurns(head, foot string, line func(i int, s eighthTurn) string) func(*eighthFile) {
	return func(f *eighthFile) {
		f.aside(head)
		for i, s := range f.turns {
			f.text.WriteString(line(i, s))
			f.said(s)
		}
		f.aside(foot)
	}
}

// framed is typedTurns with a head and a foot that must not be read as words.
func framed(head, foot string, line func(i int, s eighthTurn) string) func(*eighthFile) {
	return func(f *eighthFile) {
		f.text.WriteString(head)
		for i, s := range f.turns {
			f.text.WriteString(line(i, s))
			f.said(s)
		}
		f.text.WriteString(foot)
	}
}

// readEighthTalks reads the conversations. Times are as fast as people talk.
func readEighthTalks(t testing.TB) map[string][]eighthTurn {
	t.Helper()
	data, err := os.ReadFile("testdata/conversations/talks.txt")
	if err != nil {
		t.Fatal(err)
	}
	talks := map[string][]eighthTurn{}
	for block := range strings.SplitSeq(string(data), "= ") {
		lines := strings.Split(strings.TrimSpace(block), "\n")
		head := strings.Split(lines[0], " | ")
		if len(head) < 3 {
			continue
		}
		var at time.Duration
		for i, line := range lines[1:] {
			label, text, _ := strings.Cut(line, ": ")
			words := max(len(strings.Fields(text)), len([]rune(text))/5)
			lasts := time.Duration(words)*390*time.Millisecond + time.Duration(700+i*137%600)*time.Millisecond
			talks[head[0]] = append(talks[head[0]], eighthTurn{
				speaker: head[1+int(label[0]-'A')], at: eighthTime(at), end: eighthTime(at + lasts), text: text,
			})
			at += lasts + 180*time.Millisecond
		}
	}
	return talks
}

// eighthFiles returns all files of the set.
func eighthFiles(t testing.TB) []*eighthFile {
	t.Helper()
	talks := readEighthTalks(t)
	files := readEighthRecords(t)
	styles := slices.Concat(eighthNotetakers(), eighthTranscribers(), eighthCaptions(),
		eighthChats(), eighthData(), eighthTyped())
	for _, style := range styles {
		for name := range strings.FieldsSeq(style.of) {
			if talks[name] == nil {
				t.Fatalf("%s: no conversation %s", style.name, name)
			}
			f := &eighthFile{name: style.name + "/" + name, grain: style.grain, turns: slices.Clone(talks[name])}
			var speakers []string
			for i, s := range f.turns {
				if !slices.Contains(speakers, s.speaker) {
					speakers = append(speakers, s.speaker)
				}
				if style.as != nil {
					f.turns[i].speaker = style.as[slices.Index(speakers, s.speaker)]
				}
			}
			style.write(f)
			if f.data == nil {
				f.data = []byte(f.text.String())
			}
			files = append(files, f)
		}
	}
	return files
}

// A readWord is a word as it is read.
type readWord struct {
	text, speaker string
	turn          int
	first         bool // of its turn
}

// compareEighth returns what is wrong about the reading of a file, or "".
func compareEighth(f *eighthFile, got *transcript.Transcript) string {
	var words []readWord
	for i, u := range got.Utterances {
		for j, w := range strings.Fields(u.Text) {
			words = append(words, readWord{w, u.Speaker, i, j == 0})
		}
	}
	for i := 0; i < len(f.want); i++ {
		if f.want[i].aside {
			var aside []string
			loose := true
			for ; i < len(f.want) && f.want[i].aside; i++ {
				aside = append(aside, strings.FieldsFunc(f.want[i].text, isNoLetter)...)
				loose = loose && f.want[i].loose
			}
			var next []string
			if i < len(f.want) {
				next = strings.Fields(f.want[i].text)
			}
			i--
			n, wrong := skipAside(words, aside, next, loose)
			if wrong != "" {
				return wrong
			}
			words = words[n:]
			continue
		}
		wrong, rest := compareTurn(f, f.want[i], got, words)
		if wrong != "" {
			return wrong
		}
		words = rest
	}
	if len(words) > 0 {
		return fmt.Sprintf("words at the end that nobody said: %q of %q", words[0].text, words[0].speaker)
	}
	return ""
}

func isNoLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// skipAside returns how many words come before those of the next turn, and what is wrong about them.
func skipAside(words []readWord, aside, next []string, loose bool) (int, string) {
	n := len(words)
	if len(next) > 0 {
		k := min(6, len(next))
		for n = 0; n+k <= len(words); n++ {
			if slices.EqualFunc(words[n:n+k], next[:k], func(w readWord, s string) bool { return w.text == s }) {
				break
			}
		}
		if n+k > len(words) {
			return 0, fmt.Sprintf("the words %q are missing", strings.Join(next[:k], " "))
		}
	}
	for _, w := range words[:n] {
		if w.speaker != "" && !loose {
			return 0, fmt.Sprintf("%s says %q, which nobody said", w.speaker, w.text)
		}
		for _, part := range strings.FieldsFunc(w.text, isNoLetter) {
			at := slices.Index(aside, part)
			if at < 0 {
				return 0, fmt.Sprintf("%q is in no line of the file there", w.text)
			}
			aside = aside[at+1:]
		}
	}
	return n, ""
}

// compareTurn compares one turn with the words at its place, and returns those after it.
func compareTurn(
	f *eighthFile, want eighthTurn, got *transcript.Transcript, words []readWord,
) (string, []readWord) {
	for j, w := range strings.Fields(want.text) {
		if len(words) == 0 {
			return fmt.Sprintf("ends before %q of %s", w, want.speaker), nil
		}
		at := words[0]
		if at.text != w {
			return fmt.Sprintf("%q instead of %q of %s, in %q", at.text, w, want.speaker, want.text), nil
		}
		same := func(s string) bool { return strings.EqualFold(s, at.speaker) }
		if !slices.ContainsFunc(strings.Split(want.speaker, "|"), same) {
			return fmt.Sprintf("%q is of %q instead of %s", want.text, at.speaker, want.speaker), nil
		}
		u := got.Utterances[at.turn]
		off := (u.Start - time.Duration(want.at)).Abs()
		switch {
		case j > 0 || !at.first || want.at == anyTime:
		case want.at == noTime && u.Timed:
			return fmt.Sprintf("%q has the time %s, which is not in the file", want.text, u.Start), nil
		case want.at >= 0 && !u.Timed:
			return fmt.Sprintf("%q has no time", want.text), nil
		case want.at >= 0 && off >= f.grain:
			return fmt.Sprintf("%q starts at %s instead of %s", want.text, u.Start, time.Duration(want.at)), nil
		}
		words = words[1:]
	}
	return "", words
}

// An eighthScore counts the files of the set by how they are read.
type eighthScore struct {
	right, warned, rejected, told, silent int
}

func TestTheEighthHeldOutSet(t *testing.T) {
	t.Parallel()
	var score eighthScore
	files := eighthFiles(t)
	for _, f := range files {
		got, err := transcript.Parse(f.data)
		if err != nil {
			score.rejected++
			t.Logf("rejected: %s: %v", f.name, err)
			continue
		}
		checkInvariants(t, got)
		wrong := compareEighth(f, got)
		switch {
		case wrong == "" && len(got.Warnings) == 0:
			score.right++
		case wrong == "":
			score.warned++
			t.Logf("right, with a warning: %s: %v", f.name, got.Warnings)
		case len(got.Warnings) > 0:
			score.told++
			t.Logf("wrong, with a warning: %s: %s: %v", f.name, wrong, got.Warnings)
		default:
			score.silent++
			t.Logf("SILENTLY WRONG: %s: %s", f.name, wrong)
		}
	}
	t.Logf("%d files: %+v", len(files), score)
	require.Zero(t, score.silent, "silently wrong")
	require.GreaterOrEqual(t, score.right+score.warned, eighthRight, "right")
}

// eighthRight is how many files of the set are read right, at least.
const eighthRight = 444
