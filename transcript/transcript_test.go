package transcript_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"research/transcript"
)

var update = flag.Bool("update", false, "accept what Parse gives now as golden")

// Each file of testdata has its golden beside it.
func TestGoldens(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*")
	require.NoError(t, err)
	tried := 0
	for _, file := range files {
		if strings.HasSuffix(file, ".golden.json") || filepath.Base(file) == "fuzz" {
			continue
		}
		tried++
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			parsed, err := transcript.Parse(data)
			require.NoError(t, err)
			requireSound(t, parsed)
			got, err := json.MarshalIndent(parsed, "", "  ")
			require.NoError(t, err)
			golden := file + ".golden.json"
			if *update {
				require.NoError(t, os.WriteFile(golden, append(got, '\n'), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.JSONEq(t, string(want), string(got))
		})
	}
	require.Positive(t, tried)
}

// requireSound checks what Transcript promises of any file.
func requireSound(t testing.TB, p *transcript.Transcript) {
	t.Helper()
	require.True(t, utf8.ValidString(p.Text))
	texts := make([]string, len(p.Utterances))
	for i, u := range p.Utterances {
		texts[i] = u.Text
		require.Equal(t, p.Text[u.ByteStart:u.ByteEnd], u.Text)
		require.NotEmpty(t, u.Text)
		require.NotContains(t, u.Text, "\n")
		require.NotContains(t, u.Speaker, "\n")
		require.GreaterOrEqual(t, u.Start, time.Duration(0))
		require.GreaterOrEqual(t, u.End, u.Start)
	}
	require.Equal(t, strings.Join(texts, "\n"), p.Text)
}

func TestEncodings(t *testing.T) {
	t.Parallel()
	const text = "WEBVTT\r\n\r\n00:01.000 --> 00:02.000\r\nJörg Müßig: Größe zählt, aber nicht für alle – sagt man.\r\n\r\n00:03.000 --> 00:04.000\r\nAnnaïs: Natürlich, das kostet 5 € und wäre schön.\r\n"
	want, err := transcript.Parse([]byte(text))
	require.NoError(t, err)
	require.Equal(t, "Jörg Müßig", want.Utterances[0].Speaker)
	encode := func(e interface {
		Bytes([]byte) ([]byte, error)
	}) []byte {
		out, err := e.Bytes([]byte(text))
		require.NoError(t, err)
		return out
	}
	for name, data := range map[string][]byte{
		"UTF-8 with a byte order mark":     append([]byte("\xEF\xBB\xBF"), text...),
		"UTF-16LE with a byte order mark":  encode(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder()),
		"UTF-16BE with a byte order mark":  encode(unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder()),
		"UTF-16LE":                         encode(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder()),
		"UTF-16BE":                         encode(unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewEncoder()),
		"Windows-1252":                     encode(charmap.Windows1252.NewEncoder()),
		"line feeds alone":                 []byte(strings.ReplaceAll(text, "\r\n", "\n")),
		"carriage returns alone":           []byte(strings.ReplaceAll(text, "\r\n", "\r")),
		"blank lines before the beginning": []byte("\n\n" + text),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := transcript.Parse(data)
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ data, reason string }{
		"nothing":                    {"", "empty"},
		"white space":                {" \n\t\n", "empty"},
		"a PDF":                      {"%PDF-1.7\n%âãÏÓ", "a PDF"},
		"an archive":                 {"PK\x03\x04" + strings.Repeat("\x00x", 50), "archive"},
		"a picture":                  {"\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 50), "picture"},
		"a video":                    {"\x00\x00\x00\x18ftypmp42" + strings.Repeat("\x00", 50), "video"},
		"a web page":                 {"<!DOCTYPE html><html><body>hi</body></html>", "web page"},
		"JSON that is no transcript": {`{"a": [1, 2]}`, "JSON"},
		"bytes":                      {"hello" + strings.Repeat("\x00\x01\x02\x03\xff\xfe", 200), "binary"},
		"numbers":                    {"1,2,3\n4,5,6\n", "no words"},
		"captions without any":       {"WEBVTT\n\nNOTE nothing\n", "no speech"},
		"more than 10 MB":            {strings.Repeat("Dana: hello there.\n", 600_000), "larger than 10 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := transcript.Parse([]byte(c.data))
			var format *transcript.FormatError
			require.True(t, errors.As(err, &format), "%v", err)
			require.Contains(t, format.Reason, c.reason)
		})
	}
}

func TestReadsHostileFilesInLinearTime(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"one line of 9 MB":   "WEBVTT\n\n00:01.000 --> 00:02.000\n" + strings.Repeat("a<b ", 9<<18),
		"unclosed voices":    "WEBVTT\n\n00:01.000 --> 00:02.000\n" + strings.Repeat("<v ", 3<<20),
		"colons":             strings.Repeat("A:", 4<<20),
		"brackets":           strings.Repeat("[", 8<<20) + " words",
		"150,000 cues":       "WEBVTT\n\n" + strings.Repeat("00:01.000 --> 00:02.000\nhi\n\n", 150_000),
		"labels of one line": strings.Repeat("Dana (", 1<<20) + ": words",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			done := make(chan struct{})
			go func() {
				defer close(done)
				if p, err := transcript.Parse([]byte(text)); err == nil {
					requireSound(t, p)
				}
			}()
			select {
			case <-done:
			case <-time.After(time.Minute): // square time would take hours
				t.Fatal("takes more than linear time")
			}
		})
	}
}

func ExampleParse() {
	t, err := transcript.Parse([]byte("[00:01:23] Dana: How often?\n[00:01:30] Omar: Every week.\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, u := range t.Utterances {
		fmt.Println(u.Start, u.Speaker, "said", t.Text[u.ByteStart:u.ByteEnd])
	}
	// Output:
	// 1m23s Dana said How often?
	// 1m30s Omar said Every week.
}

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	require.NoError(f, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := transcript.Parse(data)
		if err != nil {
			var format *transcript.FormatError
			require.True(t, errors.As(err, &format))
			return
		}
		requireSound(t, p)
		again, err := transcript.Parse(data)
		require.NoError(t, err)
		require.Equal(t, p, again)
	})
}
