package transcript_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// Templates say how programs and people write an interview down. testdata/templates has them, and the
// interviews. Notes in brackets ("[laughs]", "(pause)") may stay or go, and punctuation is not compared.

// An interview is one as it was held.
type interview struct {
	title, date, lang string
	people            []person
	turns             []interviewTurn
}

type person struct{ name, role string }

type interviewTurn struct {
	said

	who int // in people
}

// A template is a way in which a program, or a person, writes an interview down.
type template struct {
	name                 string
	files                int
	container            string // "docx", "json", …; "" is text
	times                string // the precision of the times, or "none", "wall", "first", "f4"
	label                string // how people are named
	lang                 string // the only language, or ""
	paragraphs           string // "line": the paragraphs of a turn have their own lines
	offset               time.Duration
	flags                map[string]bool
	header, turn, footer string
	asideLine            string // a line that nobody says, below the third turn
	word, punct          string // what {words} repeats
}

// templateSections returns the sections of a file of templates or interviews.
func templateSections(t testing.TB, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "templates", name))
	require.NoError(t, err)
	return strings.Split("\n"+string(data), "\n== ")[1:]
}

var interviewHead = regexp.MustCompile(`lang=(\w+) title="(.*)" date="(.*)"`)

func readInterviews(t testing.TB, name string) []interview {
	t.Helper()
	var talks []interview
	for _, section := range templateSections(t, name) {
		lines := strings.Split(strings.TrimSpace(section), "\n")
		m := interviewHead.FindStringSubmatch(lines[0])
		talk := interview{lang: m[1], title: m[2], date: m[3]}
		at := 3200 * ms
		for _, line := range lines[1:] {
			who, text := int(line[0]-'A'), line[2:]
			if name, role, ok := strings.Cut(text, "|"); ok && len(talk.people) == who {
				talk.people = append(talk.people, person{name, role})
				continue
			}
			length := time.Duration(1000+60*utf8.RuneCountInString(text)) * ms
			talk.turns = append(talk.turns, interviewTurn{said{text: text, start: at, end: at + length}, who})
			at += length + 440*ms
		}
		talks = append(talks, talk)
	}
	return talks
}

func readTemplates(t testing.TB, name string) []template {
	t.Helper()
	var list []template
	for _, section := range templateSections(t, name) {
		head, body, _ := strings.Cut(section, "\n")
		name, keys, _ := strings.Cut(head, " | ")
		s := template{name: name, label: "full", flags: map[string]bool{}}
		for key := range strings.FieldsSeq(keys) {
			key, value, _ := strings.Cut(key, "=")
			switch key {
			case "files":
				s.files, _ = strconv.Atoi(value)
			case "as":
				s.container = value
			case "times":
				s.times = value
			case "label":
				s.label = value
			case "lang":
				s.lang = value
			case "paras":
				s.paragraphs = value
			case "offset":
				seconds, _ := strconv.Atoi(value)
				s.offset = time.Duration(seconds) * time.Second
			default:
				s.flags[key] = true
			}
		}
		body = "\n" + strings.TrimSuffix(body, "\n")
		body, s.footer, _ = strings.Cut(body+"\n", "\n--end\n")
		body, s.asideLine, _ = strings.Cut(body, "\n--aside\n")
		body, s.punct, _ = strings.Cut(body, "\n--punct\n")
		body, s.word, _ = strings.Cut(body, "\n--word\n")
		s.header, s.turn, _ = strings.Cut(body, "\n--turn\n")
		s.header = strings.TrimPrefix(s.header, "\n")
		list = append(list, s)
	}
	return list
}

// toolFiles writes some of the interviews that suit it with each template of a tool.
func toolFiles(t testing.TB) []*file {
	t.Helper()
	talks := readInterviews(t, "tool-interviews.txt")
	var files []*file
	for i, s := range readTemplates(t, "tools.txt") {
		files = append(files, s.writeSome(talks, s.files, rand.NewPCG(9, uint64(i)))...)
	}
	return files
}

// layoutLabels are the ways to name people, in the order in which the layouts have them.
var layoutLabels = []string{
	"full", "first", "role", "initials", "num", "code", "surname", "caps", "ib", "letter", "firm", "num0", "qa",
	"pronouns", "me", "described",
}

// layoutFiles writes interviews in each layout three times: with other labels, and with other frames of
// titles, lists, summaries, notes and closing lines.
func layoutFiles(t testing.TB) []*file {
	t.Helper()
	const stylesPerLayout, filesPerStyle = 3, 2
	talks, frames := readInterviews(t, "layout-interviews.txt"), readTemplates(t, "frames.txt")
	var files []*file
	for i, layout := range readTemplates(t, "layouts.txt") {
		for k := range stylesPerLayout {
			s, n := layout, i*stylesPerLayout+k
			s.label = layoutLabels[n%len(layoutLabels)]
			s.name += ", " + s.label
			if !s.flags["bare"] {
				frame := frames[(i+k*5)%len(frames)]
				s.name += ", " + frame.name
				s.header = strings.TrimSuffix(frame.header+"\n"+layout.header, "\n")
				s.asideLine, s.footer = frame.asideLine, frame.footer
			}
			files = append(files, s.writeSome(talks, filesPerStyle, rand.NewPCG(10, uint64(n)))...)
		}
	}
	return files
}

// writeSome writes some of the interviews that suit a template.
func (s template) writeSome(talks []interview, number int, source rand.Source) []*file {
	talks = slices.DeleteFunc(slices.Clone(talks), func(talk interview) bool { return !s.suits(talk) })
	var files []*file
	for i, k := range rand.New(source).Perm(len(talks)) {
		if i < number {
			files = append(files, s.write(talks[k]))
		}
	}
	return files
}

// suits reports whether an interview can be written with a template: some labels are those of two people, or
// of names with capitals, and the PDFs have the letters of Western Europe.
func (s template) suits(talk interview) bool {
	is := func(value string, values ...string) bool { return slices.Contains(values, value) }
	switch {
	case s.lang != "" && s.lang != talk.lang,
		len(talk.people) > 2 && is(s.label, "qa", "me", "ib", "code", "pronouns", "firm"),
		len(talk.people) < 3 && s.label == "described",
		is(talk.lang, "ja", "ko", "zh") && is(s.label, "first", "initials", "surname", "caps"),
		s.container == "pdf" && is(talk.lang, "ja", "ru", "pl", "cs", "tr", "ko", "zh", "uk"):
		return false
	}
	return true
}

func (s template) write(talk interview) *file {
	f := &file{
		name: s.name + ", " + talk.title, words: bareWords, within: time.Second,
		fromFirst: s.times == "wall", anyNames: s.flags["other-names"],
	}
	header, footer := s.about(s.header, talk), s.about(s.footer, talk)
	unsaid := func(text string) {
		if s.container != "json" {
			f.want = append(f.want, wanted{text: text, aside: true})
		}
	}
	unsaid(header)
	var body []string
	for i, turn := range talk.turns {
		turn.start, turn.end = turn.start+s.offset, turn.end+s.offset
		turn.speaker = s.nameOf(talk, turn.who)
		parts := []interviewTurn{turn}
		if s.flags["cues"] {
			parts = cuesOfTurn(turn)
		}
		for _, part := range parts {
			body = append(body, s.fill(part, len(body)+1))
			f.want = append(f.want, s.wanted(part, i == 0))
		}
		if i == 2 && s.asideLine != "" {
			body[len(body)-1] += s.asideLine + "\n"
			unsaid(s.asideLine)
		}
	}
	unsaid(footer)
	between := "\n"
	switch {
	case s.container == "json" && s.flags["glue"]:
		f.data = []byte(header + strings.Join(body, "") + strings.TrimSpace(footer))
		return f
	case s.container == "json":
		between = ",\n"
	}
	text := strings.Join(body, between) + "\n" + footer
	if header != "" {
		text = header + "\n" + text
	}
	f.data = s.contain(text)
	return f
}

var behindName = regexp.MustCompile(` ?[(|].*$`)

// wanted returns what must be read of a turn.
func (s template) wanted(turn interviewTurn, isFirst bool) wanted {
	want := wanted{speakers: []string{turn.speaker}, at: turn.start,
		text: strings.ReplaceAll(turn.text, "¶", " ")}
	switch s.times {
	case "none":
		want.at = noTime
	case "first":
		want.at = anyTime
	case "f4":
		if isFirst {
			want.at = 0
		}
	}
	switch s.label {
	case "none":
		want.speakers = []string{""}
	case "pronouns", "firm", "described":
		want.speakers = append(want.speakers, behindName.ReplaceAllString(turn.speaker, ""))
	case "surname":
		last, first, _ := strings.Cut(turn.speaker, ", ")
		want.speakers = append(want.speakers, first+" "+last)
	}
	return want
}
