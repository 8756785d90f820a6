package transcript_test

import (
	"bytes"
	"slices"
	"strings"
	"time"
)

// A style writes conversations in one way, as a tool or a person does.
type style struct {
	name    string
	kinds   string // of the labels of its files; the bakery's conversation has all labels
	shape   turnShape
	times   timing
	render  func(turns []said) []byte
	speaker func(label string, index int) string // what the style keeps of a label; nil if it keeps all
}

// Styles are the styles of a family of formats, by the conversations that they write.
type styles struct {
	bakery, stories, ward, wardRare, clinic, desk []style
}

// families are the styles of all families.
var families = []styles{
	labelStyles, timeStyles, notetakerStyles, transcriberStyles, speechStyles, captionStyles, chatStyles,
	recordStyles, pageStyles, markdownStyles, serviceStyles, tableStyles, documentStyles, annotationStyles,
}

// stylesOf returns the styles that write some conversations, of all families.
func stylesOf(of func(styles) []style) []style {
	var list []style
	for _, family := range families {
		list = append(list, of(family)...)
	}
	return list
}

// A turnShape says how many lines the turns of a style have.
type turnShape int

const (
	oneLiners  turnShape = iota // each turn is one line
	lines                       // turns have lines
	paragraphs                  // turns have paragraphs with blank lines between them
	capitals                    // turns have lines in capitals
)

// A timing says which times a style has.
type timing int

const (
	untimed     timing = iota
	timed              // within a second
	clockTimed         // times of day, which count from the first one
	minuteTimed        // the same, with a minute in place of each second
	endTimed           // only the ends of turns
	dayTimed           // times of day, as they are
	chatTimed          // times of day in minutes, when people type
)

// of returns the time that must be read for a turn.
func (k timing) of(s, first said) time.Duration {
	switch k {
	case untimed:
		return anyTime
	case clockTimed:
		return s.start - first.start
	case minuteTimed:
		return ((s.start.Truncate(time.Second) - first.start.Truncate(time.Second)) * 60).Truncate(time.Minute)
	case endTimed:
		return s.end
	case chatTimed:
		begin := meetingDay.Add(first.start * chatSlowness).Truncate(time.Minute)
		return meetingDay.Add(s.start * chatSlowness).Truncate(time.Minute).Sub(begin)
	case dayTimed:
		return s.start + meetingDay.Sub(meetingDay.Truncate(24*time.Hour))
	case timed:
	}
	return s.start
}

// meetingDay is the instant at which all conversations begin.
var meetingDay = time.Date(2024, 3, 5, 10, 2, 0, 0, time.UTC)

// chatSlowness is how much longer a chat takes than the same conversation.
const chatSlowness = 8

// write returns the file of a conversation.
func (s style) write(name string, turns []said) *file {
	f := &file{name: s.name + ", " + name, within: time.Second, ends: s.times == endTimed}
	f.data = s.render(turns) // a style may change what is said
	var labels []string
	first := turns[0]
	for _, turn := range turns {
		if !slices.Contains(labels, turn.speaker) {
			labels = append(labels, turn.speaker)
		}
		speaker := turn.speaker
		if s.speaker != nil {
			speaker = s.speaker(turn.speaker, slices.Index(labels, turn.speaker))
		}
		f.want = append(f.want, wanted{speakers: []string{speaker}, at: s.times.of(turn, first), text: turn.text})
	}
	return f
}

// titled lets words without a speaker before the first turn be those of a title.
func (f *file) titled() *file {
	if f.want[0].speakers[0] != "" {
		f.want = slices.Insert(f.want, 0, wanted{aside: true, title: true})
	}
	return f
}

func nobody(string, int) string { return "" }

// between writes the turns one after the other, between a head and a foot.
func between(head, foot string, turn func(i int, s said) string) func([]said) []byte {
	return func(turns []said) []byte {
		var b strings.Builder
		b.WriteString(head)
		for i, s := range turns {
			b.WriteString(turn(i, s))
		}
		b.WriteString(foot)
		return []byte(b.String())
	}
}

// joined writes a name, a separator and the text.
func joined(before, separator, after string) func([]said) []byte {
	return between("", "", func(_ int, s said) string { return before + s.speaker + separator + s.text + after })
}

// joinedAfter writes a name after the text.
func joinedAfter(separator, after string) func([]said) []byte {
	return between("", "", func(_ int, s said) string { return s.text + separator + s.speaker + after })
}

func crlf(render func([]said) []byte) func([]said) []byte {
	return func(turns []said) []byte { return bytes.ReplaceAll(render(turns), []byte("\n"), []byte("\r\n")) }
}

// speakersOf returns the labels in the order of their first turns.
func speakersOf(turns []said) []string {
	var names []string
	for _, s := range turns {
		if !slices.Contains(names, s.speaker) {
			names = append(names, s.speaker)
		}
	}
	return names
}

// indexOf returns the number of a speaker in the order of first turns.
func indexOf(turns []said, speaker string) int { return slices.Index(speakersOf(turns), speaker) }

// oneLine puts a text on one line, for styles that have a line per turn.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// wrap breaks a text after its third word, as captions do.
func wrap(s string) string {
	fields := strings.SplitN(s, " ", 4)
	if len(fields) < 4 {
		return s
	}
	return strings.Join(fields[:3], " ") + "\n" + fields[3]
}

// wrapAt breaks a text into lines of at most width characters; all but the first are indented.
func wrapAt(text string, width int, indent string) string {
	var b strings.Builder
	length := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case length+1+len([]rune(word)) > width:
			b.WriteString("\n" + indent)
			length = 0
		default:
			b.WriteByte(' ')
			length++
		}
		b.WriteString(word)
		length += len([]rune(word))
	}
	return b.String()
}
