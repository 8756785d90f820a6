package transcript_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"research/transcript"
)

// meeting has what misleads parsers: colons in speech, a remark that looks like a label, an address, a clock,
// umlauts.
var meeting = []said{
	{
		"Dana Weber", 3120 * ms, 9480 * ms,
		"Danke, dass du dir Zeit nimmst, Jörg. Was ist für euch das Schwierigste an der Woche?",
		"de",
	},
	{
		"Jörg Müßig", 10010 * ms, 21250 * ms,
		"Der Dienstplan: ich schreibe ihn um 10:30 und schicke ihn zweimal, über https://plan.example.org/woche.",
		"de",
	},
	{
		"Dana Weber", 21300 * ms, 24000 * ms,
		"Und dann?",
		"de",
	},
	{
		"Jörg Müßig", 24100 * ms, 35660 * ms,
		"Dann liest ihn keiner. Wichtig: das ist kein Vorwurf, es sind zwölf Leute. " +
			"Ich sage dann: „Bitte lest ihn!“",
		"de",
	},
	{
		"María López", 36000 * ms, 38200 * ms,
		"Ich lese ihn schon, nur zu spät.",
		"de",
	},
	{
		"Dana Weber", 38500 * ms, 44000 * ms,
		"Was hat euch das zuletzt gekostet? Note: it's fine to guess.",
		"de",
	},
	{
		"María López", 61000 * ms, 75400 * ms,
		"Letzte Woche einen ganzen Tag, weil die Bestellung für Müller & Söhne nicht gebacken war – " +
			"das sind 400 €.",
		"de",
	},
	{
		"Jörg Müßig", 3723000 * ms, 3725500 * ms,
		"Stimmt.",
		"de",
	},
	{
		"Dana Weber", 3726250 * ms, 3730000 * ms,
		"Würdet ihr dafür zahlen?",
		"de",
	},
	{
		"Jörg Müßig", 3731000 * ms, 3740000 * ms,
		"Zwanzig im Monat, mehr nicht: wir sind eine Bäckerei.",
		"de",
	},
}

// A precision says how much of the times a format has.
type precision int

const (
	allTimes   precision = iota // start and end, to the millisecond
	starts                      // the start in whole seconds; the end is the next start
	fiveMinute                  // a heading every five minutes
	noTimes
)

// A rendering writes the meeting in one format.
type rendering struct {
	name   string
	format transcript.Format
	times  precision
	digits string // how a service that only numbers speakers names them, one character each
	render func() string
}

// eachTurn renders the turns one after the other.
func eachTurn(before string, turn func(i int, s said) string) func() string {
	return func() string {
		var b strings.Builder
		b.WriteString(before)
		for i, s := range meeting {
			b.WriteString(turn(i, s))
		}
		return b.String()
	}
}

const (
	meetTitle  = "WEBVTT\n\nNOTE made by Meet\n\n"
	teamsCueID = "8f2c1a77-3b0e-4d55-9b1f-0a6f1b7f1c11"
	otterTitle = "Bäckerei\nTue, Mar 5, 2024 10:02AM • 1:02:20\n\nSUMMARY KEYWORDS\nDienstplan, Bäckerei\n\n" +
		"SPEAKERS\nDana Weber, Jörg Müßig, María López\n\n"
	revTitle = "This transcript was exported on Mar 05, 2024 - view latest version here.\n\n"
)

var textRenderings = []rendering{
	{"Zoom VTT", transcript.WebVTT, allTimes, "", eachTurn("WEBVTT\n\n", func(i int, s said) string {
		return fmt.Sprintf("%d\n%s\n%s: %s\n\n", i+1, s.times(" --> ", "."), s.speaker, s.text)
	})},
	{"Teams VTT", transcript.WebVTT, allTimes, "", eachTurn("WEBVTT\n\n", func(i int, s said) string {
		return fmt.Sprintf("%s/%d-0\n%s\n<v %s>%s</v>\n\n",
			teamsCueID, i*7+12, s.times(" --> ", "."), s.speaker, vttEscape.Replace(wrap(s.text)))
	})},
	{"Meet VTT", transcript.WebVTT, allTimes, "", eachTurn(meetTitle, func(_ int, s said) string {
		return fmt.Sprintf("%s align:left\n<v %s>%s\n\n",
			s.times(" --> ", "."), s.speaker, vttEscape.Replace(s.text))
	})},
	{"SRT", transcript.SubRip, allTimes, "", eachTurn("", func(i int, s said) string {
		return fmt.Sprintf("%d\n%s\n%s: %s\n\n", i+1, s.times(" --> ", ","), s.speaker, wrap(s.text))
	})},
	{"SRT without indexes", transcript.SubRip, allTimes, "", eachTurn("", func(_ int, s said) string {
		return fmt.Sprintf("%s\n[%s]: %s\n\n", s.times(" --> ", "."), s.speaker, s.text)
	})},
	{"SBV", transcript.SubViewer, allTimes, "", eachTurn("", func(_ int, s said) string {
		return fmt.Sprintf("%s,%s\n%s: %s\n\n",
			clockMS(s.start, ".")[1:], clockMS(s.end, ".")[1:], s.speaker, wrap(s.text))
	})},
	{"Otter", transcript.Otter, starts, "", func() string {
		return eachTurn("", func(_ int, s said) string {
			return fmt.Sprintf("%s  %s  \n%s\n\n", s.speaker, short(s.start), s.text)
		})() + "Transcribed by https://otter.ai\n"
	}},
	{"Otter with its title", transcript.Otter, starts, "", eachTurn(otterTitle, func(_ int, s said) string {
		return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, clockS(s.start), s.text)
	})},
	{"Rev", transcript.Rev, starts, "", eachTurn(revTitle, func(_ int, s said) string {
		return fmt.Sprintf("%s (%s):\n%s\n\n", s.speaker, clockS(s.start), s.text)
	})},
	{"Rev on one line", transcript.Rev, starts, "", eachTurn("", func(_ int, s said) string {
		return fmt.Sprintf("%s (%s): %s\n", s.speaker, clockS(s.start), s.text)
	})},
	{"Fireflies", transcript.Fireflies, starts, "", eachTurn("", func(_ int, s said) string {
		return fmt.Sprintf("%s - %s\n%s\n\n", s.speaker, short(s.start), s.text)
	})},
	{"times and names", transcript.Text, starts, "", eachTurn("", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s: %s\n", clockS(s.start), s.speaker, s.text)
	})},
	{"times with milliseconds", transcript.Text, allTimes, "", eachTurn("", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s: %s\n", s.times(" --> ", "."), s.speaker, s.text)
	})},
	{"names", transcript.Text, noTimes, "", eachTurn("", func(_ int, s said) string {
		return s.speaker + ": " + s.text + "\n"
	})},
	{"names and paragraphs", transcript.Text, noTimes, "", eachTurn("", func(_ int, s said) string {
		return s.speaker + ":\n" + wrap(s.text) + "\n\n"
	})},
	{"Meet text", transcript.Text, fiveMinute, "", func() string { return strings.Join(meetLines(), "\n\n") }},
	{"Markdown", transcript.Markdown, noTimes, "", eachTurn("# Bäckerei\n\n", func(_ int, s said) string {
		return fmt.Sprintf("**%s:** %s\n\n", s.speaker, s.text)
	})},
	{"Markdown with times", transcript.Markdown, starts, "", eachTurn("", func(_ int, s said) string {
		return fmt.Sprintf("**%s:** \\[%s\\] %s\n\n", s.speaker, short(s.start), s.text)
	})},
	{"Markdown titles", transcript.Markdown, starts, "", eachTurn("# Bäckerei\n\n", func(_ int, s said) string {
		return fmt.Sprintf("### %s (%s)\n\n%s\n\n", s.speaker, clockS(s.start), s.text)
	})},
	{"WhisperX", transcript.Whisper, allTimes, "", func() string {
		return listJSON(object{"language": "de"}, "segments", func(s said) object {
			return object{
				"start": s.start.Seconds(), "end": s.end.Seconds(), "text": " " + s.text, "speaker": s.speaker,
			}
		})
	}},
	{"AssemblyAI", transcript.AssemblyAI, allTimes, "ABC", func() string {
		document := object{
			"id": "1", "status": "completed", "language_code": "de", "text": "", "words": []int{},
		}
		return listJSON(document, "utterances", func(s said) object {
			return object{
				"start": s.start.Milliseconds(), "end": s.end.Milliseconds(), "text": s.text,
				"speaker": numbered("ABC", s.speaker), "confidence": 0.9,
			}
		})
	}},
	{"Deepgram", transcript.Deepgram, allTimes, "012", func() string {
		results := listJSON(object{"channels": []any{}}, "utterances", func(s said) object {
			return object{
				"start": s.start.Seconds(), "end": s.end.Seconds(), "transcript": s.text,
				"speaker": json.RawMessage(numbered("012", s.speaker)), "channel": 0,
			}
		})
		return `{"metadata": {"duration": 3740.0}, "results": ` + results + `}`
	}},
	{"Fireflies JSON", transcript.FirefliesJSON, allTimes, "", func() string {
		return listJSON(object{"title": "Bäckerei"}, "sentences", func(s said) object {
			return object{
				"start_time": s.start.Seconds(), "end_time": s.end.Seconds(),
				"text": s.text, "raw_text": s.text, "speaker_name": s.speaker, "speaker_id": 1,
			}
		})
	}},
}

var docxRenderings = []struct {
	rendering
	document func() []byte
}{
	{rendering{"Teams docx, old", transcript.TeamsDocx, allTimes, "", nil}, func() []byte {
		var paragraphs []string
		for _, s := range meeting {
			paragraphs = append(paragraphs,
				fmt.Sprintf("%s --> %s\n%s\n%s", unpadded(s.start), unpadded(s.end), s.speaker, s.text))
		}
		return docx(paragraphs...)
	}},
	{rendering{"Teams docx, new", transcript.TeamsDocx, starts, "", nil}, func() []byte {
		paragraphs := []string{
			"Bäckerei-20240305_100212-Meeting Recording",
			"March 5, 2024, 10:02AM",
			"1h 2m 20s",
			"Dana Weber started transcription",
		}
		for _, s := range meeting {
			paragraphs = append(paragraphs, fmt.Sprintf("%s   %s\n%s", s.speaker, short(s.start), s.text))
		}
		return docx(append(paragraphs, "Dana Weber stopped transcription")...)
	}},
	{rendering{"Meet docx", transcript.MeetDocx, fiveMinute, "", nil}, func() []byte {
		return docx(meetLines()...)
	}},
	{rendering{"docx with names", transcript.Docx, noTimes, "", nil}, func() []byte {
		var paragraphs []string
		for _, s := range meeting {
			paragraphs = append(paragraphs, s.speaker+": "+s.text)
		}
		return docx(paragraphs...)
	}},
}

func meetLines() []string {
	lines := []string{
		"Mar 5, 2024", "Bäckerei - Transcript", "Attendees", "Dana Weber, Jörg Müßig, María López", "Transcript",
	}
	heading := -time.Second
	for _, s := range meeting {
		if at := s.start.Truncate(5 * time.Minute); at != heading {
			heading = at
			lines = append(lines, clockS(at))
		}
		lines = append(lines, s.speaker+": "+s.text)
	}
	return append(lines,
		"Meeting ended after 01:02:20 👋",
		"This editable transcript was computer generated and might contain errors. "+
			"People can also change the text after it was created.")
}

// numbered returns the character that stands for a speaker.
func numbered(digits, speaker string) string {
	for i, name := range []string{"Dana Weber", "Jörg Müßig", "María López"} {
		if name == speaker {
			return digits[i : i+1]
		}
	}
	return ""
}

// listJSON returns a document with the turns as a member.
func listJSON(document object, member string, turn func(said) object) string {
	var list []object
	for _, s := range meeting {
		list = append(list, turn(s))
	}
	document[member] = list
	out, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(out)
}

var encodings = map[string]func(string) ([]byte, error){
	"UTF-8":              func(s string) ([]byte, error) { return []byte(s), nil },
	"UTF-8 with mark":    func(s string) ([]byte, error) { return []byte("\uFEFF" + s), nil },
	"UTF-16LE with mark": encoded(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)),
	"UTF-16BE with mark": encoded(unicode.UTF16(unicode.BigEndian, unicode.UseBOM)),
	"UTF-16LE":           encoded(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)),
	"UTF-16BE":           encoded(unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)),
	"Windows-1252":       encoded(charmap.Windows1252),
	"UTF-8, CRLF": func(s string) ([]byte, error) {
		return []byte(strings.ReplaceAll(s, "\n", "\r\n")), nil
	},
	"UTF-8, CR": func(s string) ([]byte, error) {
		return []byte(strings.ReplaceAll(s, "\n", "\r")), nil
	},
	"Windows-1252, CRLF": func(s string) ([]byte, error) {
		return encoded(charmap.Windows1252)(strings.ReplaceAll(s, "\n", "\r\n"))
	},
	"UTF-16LE, mark, CRLF": func(s string) ([]byte, error) {
		return encoded(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM))(strings.ReplaceAll(s, "\n", "\r\n"))
	},
}

func encoded(e encoding.Encoding) func(string) ([]byte, error) {
	return func(s string) ([]byte, error) { return e.NewEncoder().Bytes([]byte(s)) }
}

// One meeting has the same turns, speakers and times in every format and encoding.
func TestEveryRenderingHasTheSameMeeting(t *testing.T) {
	t.Parallel()
	for _, r := range textRenderings {
		for name, encode := range encodings {
			t.Run(r.name+" in "+name, func(t *testing.T) {
				t.Parallel()
				text := r.render()
				if name == "Windows-1252" || name == "Windows-1252, CRLF" {
					text = strings.ReplaceAll(text, " 👋", "") // Windows-1252 has no emoji
				}
				data, err := encode(text)
				require.NoError(t, err)
				requireMeeting(t, r, data)
			})
		}
	}
	for _, r := range docxRenderings {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			requireMeeting(t, r.rendering, r.document())
		})
	}
}

func requireMeeting(t *testing.T, r rendering, data []byte) {
	t.Helper()
	got, err := transcript.Parse(data)
	require.NoError(t, err)
	checkInvariants(t, got)
	require.Equal(t, r.format, got.Format)
	require.Equal(t, "de", got.Language)
	require.Len(t, got.Utterances, len(meeting))
	for i, want := range meeting {
		u := got.Utterances[i]
		require.Equal(t, want.text, u.Text)
		speaker := want.speaker
		if r.digits != "" {
			speaker = "Speaker " + numbered(r.digits, speaker)
		}
		require.Equal(t, speaker, u.Speaker)
		var next time.Duration
		if i+1 < len(meeting) {
			next = meeting[i+1].start
		}
		switch r.times {
		case allTimes:
			require.Equal(t, []any{true, want.start, want.end}, []any{u.Timed, u.Start, u.End})
		case starts:
			start := want.start.Truncate(time.Second)
			end := max(start, next.Truncate(time.Second))
			require.Equal(t, []any{true, start, end}, []any{u.Timed, u.Start, u.End})
		case fiveMinute:
			require.True(t, u.Timed)
			require.Equal(t, want.start.Truncate(5*time.Minute), u.Start)
		case noTimes:
			require.False(t, u.Timed)
		}
	}
}
