package transcript_test

import (
	"archive/zip"
	"bytes"
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

// A said is a turn of the meeting that all renderings tell.
type said struct {
	speaker    string
	start, end time.Duration
	text       string
}

const ms = time.Millisecond

// meeting is full of what misleads: colons in speech, a remark that looks like a label, an address, a clock, umlauts.
var meeting = []said{
	{"Dana Weber", 3120 * ms, 9480 * ms, "Danke, dass du dir Zeit nimmst, Jörg. Was ist für euch das Schwierigste an der Woche?"},
	{"Jörg Müßig", 10010 * ms, 21250 * ms, "Der Dienstplan: ich schreibe ihn um 10:30 und schicke ihn zweimal, über https://plan.example.org/woche."},
	{"Dana Weber", 21300 * ms, 24000 * ms, "Und dann?"},
	{"Jörg Müßig", 24100 * ms, 35660 * ms, "Dann liest ihn keiner. Wichtig: das ist kein Vorwurf, es sind zwölf Leute. Ich sage dann: „Bitte lest ihn!“"},
	{"María López", 36000 * ms, 38200 * ms, "Ich lese ihn schon, nur zu spät."},
	{"Dana Weber", 38500 * ms, 44000 * ms, "Was hat euch das zuletzt gekostet? Note: it's fine to guess."},
	{"María López", 61000 * ms, 75400 * ms, "Letzte Woche einen ganzen Tag, weil die Bestellung für Müller & Söhne nicht gebacken war – das sind 400 €."},
	{"Jörg Müßig", 3723000 * ms, 3725500 * ms, "Stimmt."},
	{"Dana Weber", 3726250 * ms, 3730000 * ms, "Würdet ihr dafür zahlen?"},
	{"Jörg Müßig", 3731000 * ms, 3740000 * ms, "Zwanzig im Monat, mehr nicht: wir sind eine Bäckerei."},
}

// How much of the times a format carries.
type carries int

const (
	allTimes   carries = iota // start and end, to the millisecond
	starts                    // the start in whole seconds; the end is the next start
	fiveMinute                // the heading above
	noTimes
)

type rendering struct {
	name     string
	format   transcript.Format
	times    carries
	numbered string // how a service that only numbers speakers calls them
	render   func() string
}

func clockMS(d time.Duration, dot string) string {
	return fmt.Sprintf("%02d:%02d:%02d%s%03d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60, dot, d.Milliseconds()%1000)
}

func clockS(d time.Duration) string { return clockMS(d, ".")[:8] }

// short is the clock that Otter and Teams write: 0:03, 1:02:03.
func short(d time.Duration) string {
	if d >= time.Hour {
		return fmt.Sprintf("%d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

// wrap breaks a text after its third word, as captions do.
func wrap(s string) string {
	fields := strings.SplitN(s, " ", 4)
	if len(fields) < 4 {
		return s
	}
	return strings.Join(fields[:3], " ") + "\n" + fields[3]
}

func each(before string, turn func(i int, s said) string) func() string {
	return func() string {
		var b strings.Builder
		b.WriteString(before)
		for i, s := range meeting {
			b.WriteString(turn(i, s))
		}
		return b.String()
	}
}

var vttEscape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

var textRenderings = []rendering{
	{"Zoom VTT", transcript.WebVTT, allTimes, "", each("WEBVTT\n\n", func(i int, s said) string {
		return fmt.Sprintf("%d\n%s --> %s\n%s: %s\n\n", i+1, clockMS(s.start, "."), clockMS(s.end, "."), s.speaker, s.text)
	})},
	{"Teams VTT", transcript.WebVTT, allTimes, "", each("WEBVTT\n\n", func(i int, s said) string {
		return fmt.Sprintf("8f2c1a77-3b0e-4d55-9b1f-0a6f1b7f1c11/%d-0\n%s --> %s\n<v %s>%s</v>\n\n", i*7+12, clockMS(s.start, "."), clockMS(s.end, "."), s.speaker, vttEscape.Replace(wrap(s.text)))
	})},
	{"Meet VTT", transcript.WebVTT, allTimes, "", each("WEBVTT\n\nNOTE made by Meet\n\n", func(_ int, s said) string {
		return fmt.Sprintf("%s --> %s align:left\n<v %s>%s\n\n", clockMS(s.start, "."), clockMS(s.end, "."), s.speaker, vttEscape.Replace(s.text))
	})},
	{"SRT", transcript.SubRip, allTimes, "", each("", func(i int, s said) string {
		return fmt.Sprintf("%d\n%s --> %s\n%s: %s\n\n", i+1, clockMS(s.start, ","), clockMS(s.end, ","), s.speaker, wrap(s.text))
	})},
	{"SRT without indexes", transcript.SubRip, allTimes, "", each("", func(_ int, s said) string {
		return fmt.Sprintf("%s --> %s\n[%s]: %s\n\n", clockMS(s.start, "."), clockMS(s.end, "."), s.speaker, s.text)
	})},
	{"SBV", transcript.SubViewer, allTimes, "", each("", func(_ int, s said) string {
		return fmt.Sprintf("%s,%s\n%s: %s\n\n", clockMS(s.start, ".")[1:], clockMS(s.end, ".")[1:], s.speaker, wrap(s.text))
	})},
	{"Otter", transcript.Otter, starts, "", func() string {
		return each("", func(_ int, s said) string { return fmt.Sprintf("%s  %s  \n%s\n\n", s.speaker, short(s.start), s.text) })() + "Transcribed by https://otter.ai\n"
	}},
	{"Otter with its head", transcript.Otter, starts, "", each("Bäckerei\nTue, Mar 5, 2024 10:02AM • 1:02:20\n\nSUMMARY KEYWORDS\nDienstplan, Bäckerei\n\nSPEAKERS\nDana Weber, Jörg Müßig, María López\n\n", func(_ int, s said) string {
		return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, clockS(s.start), s.text)
	})},
	{"Rev", transcript.Rev, starts, "", each("This transcript was exported on Mar 05, 2024 - view latest version here.\n\n", func(_ int, s said) string {
		return fmt.Sprintf("%s (%s):\n%s\n\n", s.speaker, clockS(s.start), s.text)
	})},
	{"Rev on one line", transcript.Rev, starts, "", each("", func(_ int, s said) string {
		return fmt.Sprintf("%s (%s): %s\n", s.speaker, clockS(s.start), s.text)
	})},
	{"Fireflies", transcript.Fireflies, starts, "", each("", func(_ int, s said) string {
		return fmt.Sprintf("%s - %s\n%s\n\n", s.speaker, short(s.start), s.text)
	})},
	{"times and names", transcript.Text, starts, "", each("", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s: %s\n", clockS(s.start), s.speaker, s.text)
	})},
	{"times with milliseconds", transcript.Text, allTimes, "", each("", func(_ int, s said) string {
		return fmt.Sprintf("[%s --> %s] %s: %s\n", clockMS(s.start, "."), clockMS(s.end, "."), s.speaker, s.text)
	})},
	{"names", transcript.Text, noTimes, "", each("", func(_ int, s said) string { return s.speaker + ": " + s.text + "\n" })},
	{"names and paragraphs", transcript.Text, noTimes, "", each("", func(_ int, s said) string { return s.speaker + ":\n" + wrap(s.text) + "\n\n" })},
	{"Meet text", transcript.Text, fiveMinute, "", func() string { return strings.Join(meetLines(), "\n\n") }},
	{"Markdown", transcript.Markdown, noTimes, "", each("# Bäckerei\n\n", func(_ int, s said) string { return fmt.Sprintf("**%s:** %s\n\n", s.speaker, s.text) })},
	{"Markdown with times", transcript.Markdown, starts, "", each("", func(_ int, s said) string {
		return fmt.Sprintf("**%s:** \\[%s\\] %s\n\n", s.speaker, short(s.start), s.text)
	})},
	{"Markdown headings", transcript.Markdown, starts, "", each("# Bäckerei\n\n", func(_ int, s said) string {
		return fmt.Sprintf("### %s (%s)\n\n%s\n\n", s.speaker, clockS(s.start), s.text)
	})},
	{"WhisperX", transcript.Whisper, allTimes, "", listJSON(map[string]any{"language": "de"}, "segments", func(s said) any {
		return map[string]any{"start": s.start.Seconds(), "end": s.end.Seconds(), "text": " " + s.text, "speaker": s.speaker}
	})},
	{"AssemblyAI", transcript.AssemblyAI, allTimes, "ABC", listJSON(map[string]any{"id": "1", "status": "completed", "language_code": "de", "text": "", "words": []int{}}, "utterances", func(s said) any {
		return map[string]any{"start": s.start.Milliseconds(), "end": s.end.Milliseconds(), "text": s.text, "speaker": numbered("ABC", s.speaker), "confidence": 0.9}
	})},
	{"Deepgram", transcript.Deepgram, allTimes, "012", func() string {
		inner := listJSON(map[string]any{"channels": []any{}}, "utterances", func(s said) any {
			return map[string]any{"start": s.start.Seconds(), "end": s.end.Seconds(), "transcript": s.text, "speaker": json.RawMessage(numbered("012", s.speaker)), "channel": 0}
		})()
		return `{"metadata": {"duration": 3740.0}, "results": ` + inner + `}`
	}},
	{"Fireflies JSON", transcript.FirefliesJSON, allTimes, "", listJSON(map[string]any{"title": "Bäckerei"}, "sentences", func(s said) any {
		return map[string]any{"start_time": s.start.Seconds(), "end_time": s.end.Seconds(), "text": s.text, "raw_text": s.text, "speaker_name": s.speaker, "speaker_id": 1}
	})},
}

var docxRenderings = []struct {
	rendering
	document func() []byte
}{
	{rendering{"Teams docx, old", transcript.TeamsDocx, allTimes, "", nil}, func() []byte {
		var paragraphs []string
		for _, s := range meeting {
			paragraphs = append(paragraphs, fmt.Sprintf("%s --> %s\n%s\n%s", unpadded(s.start), unpadded(s.end), s.speaker, s.text))
		}
		return docx(paragraphs...)
	}},
	{rendering{"Teams docx, new", transcript.TeamsDocx, starts, "", nil}, func() []byte {
		paragraphs := []string{"Bäckerei-20240305_100212-Meeting Recording", "March 5, 2024, 10:02AM", "1h 2m 20s", "Dana Weber started transcription"}
		for _, s := range meeting {
			paragraphs = append(paragraphs, fmt.Sprintf("%s   %s\n%s", s.speaker, short(s.start), s.text))
		}
		return docx(append(paragraphs, "Dana Weber stopped transcription")...)
	}},
	{rendering{"Meet docx", transcript.MeetDocx, fiveMinute, "", nil}, func() []byte { return docx(meetLines()...) }},
	{rendering{"docx with names", transcript.Docx, noTimes, "", nil}, func() []byte {
		var paragraphs []string
		for _, s := range meeting {
			paragraphs = append(paragraphs, s.speaker+": "+s.text)
		}
		return docx(paragraphs...)
	}},
}

func meetLines() []string {
	lines := []string{"Mar 5, 2024", "Bäckerei - Transcript", "Attendees", "Dana Weber, Jörg Müßig, María López", "Transcript"}
	heading := -time.Second
	for _, s := range meeting {
		if at := s.start.Truncate(5 * time.Minute); at != heading {
			heading = at
			lines = append(lines, clockS(at))
		}
		lines = append(lines, s.speaker+": "+s.text)
	}
	return append(lines, "Meeting ended after 01:02:20 👋", "This editable transcript was computer generated and might contain errors. People can also change the text after it was created.")
}

func unpadded(d time.Duration) string {
	return fmt.Sprintf("%d:%d:%d.%s", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60, strings.TrimRight(fmt.Sprintf("%03d", d.Milliseconds()%1000), "0")+"0")
}

func numbered(names, speaker string) string {
	for i, name := range []string{"Dana Weber", "Jörg Müßig", "María López"} {
		if name == speaker {
			return names[i : i+1]
		}
	}
	return ""
}

func listJSON(document map[string]any, member string, turn func(said) any) func() string {
	return func() string {
		var list []any
		for _, s := range meeting {
			list = append(list, turn(s))
		}
		all := map[string]any{member: list}
		for k, v := range document {
			all[k] = v
		}
		out, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			panic(err)
		}
		return string(out)
	}
}

// docx makes a Word document of paragraphs; "\n" is a break within one.
func docx(paragraphs ...string) []byte {
	var body strings.Builder
	for _, p := range paragraphs {
		body.WriteString("<w:p><w:r>")
		for i, line := range strings.Split(p, "\n") {
			if i > 0 {
				body.WriteString("<w:br/>")
			}
			body.WriteString(`<w:t xml:space="preserve">` + vttEscape.Replace(line) + "</w:t>")
		}
		body.WriteString("</w:r></w:p>")
	}
	return docxOf(body.String())
}

func docxOf(body string) []byte {
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	part, err := archive.Create("word/document.xml")
	if err != nil {
		panic(err)
	}
	_, err = fmt.Fprintf(part, `<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>%s</w:body></w:document>`, body)
	if err != nil {
		panic(err)
	}
	if err := archive.Close(); err != nil {
		panic(err)
	}
	return file.Bytes()
}

var encodings = map[string]func(string) ([]byte, error){
	"UTF-8":              func(s string) ([]byte, error) { return []byte(s), nil },
	"UTF-8 with mark":    func(s string) ([]byte, error) { return []byte("\uFEFF" + s), nil },
	"UTF-16LE with mark": encoded(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)),
	"UTF-16BE with mark": encoded(unicode.UTF16(unicode.BigEndian, unicode.UseBOM)),
	"UTF-16LE":           encoded(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)),
	"UTF-16BE":           encoded(unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)),
	"Windows-1252":       encoded(charmap.Windows1252),
	"UTF-8, CRLF":        func(s string) ([]byte, error) { return []byte(strings.ReplaceAll(s, "\n", "\r\n")), nil },
	"UTF-8, CR":          func(s string) ([]byte, error) { return []byte(strings.ReplaceAll(s, "\n", "\r")), nil },
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

// One meeting, in every format and encoding, gives the same turns, speakers and times.
func TestEveryRenderingTellsTheSameMeeting(t *testing.T) {
	t.Parallel()
	for _, r := range textRenderings {
		for name, encode := range encodings {
			t.Run(r.name+" in "+name, func(t *testing.T) {
				t.Parallel()
				text := r.render()
				if name == "Windows-1252" || name == "Windows-1252, CRLF" {
					text = strings.ReplaceAll(text, " 👋", "") // has no place there
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
		if r.numbered != "" {
			speaker = "Speaker " + numbered(r.numbered, speaker)
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
			require.Equal(t, []any{true, start, max(start, next.Truncate(time.Second))}, []any{u.Timed, u.Start, u.End})
		case fiveMinute:
			require.True(t, u.Timed)
			require.Equal(t, want.start.Truncate(5*time.Minute), u.Start)
		case noTimes:
			require.False(t, u.Timed)
		}
	}
}
