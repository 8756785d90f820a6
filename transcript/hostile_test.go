package transcript_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// No file may take much more memory or time than its size: a quadratic algorithm would not end before the
// test is stopped. Most of these files are rejected. The test is not parallel, since it measures allocations.
func TestHostileFilesAreBounded(t *testing.T) {
	const (
		cue       = "WEBVTT\n\n00:01.000 --> 00:02.000\n"
		rolling   = "00:01.000 --> 00:02.000\nhi\nthere\n\n00:02.000 --> 00:02.010\nthere\n\n"
		channels  = `{"results":{"channels":[`
		sentences = channels + `{"alternatives":[{"paragraphs":{"paragraphs":[{"sentences":[`
	)
	sized := func(size int, before, unit, after string) func() []byte {
		return func() []byte {
			return []byte(before + strings.Repeat(unit, (size-len(before)-len(after))/len(unit)) + after)
		}
	}
	// Most files have a megabyte, for which a quadratic algorithm takes a minute. The others have the maximum
	// size.
	fill := func(before, unit, after string) func() []byte { return sized(1<<20, before, unit, after) }
	full := func(before, unit, after string) func() []byte {
		return sized(transcript.MaxBytes, before, unit, after)
	}
	growing := func() []byte {
		var b strings.Builder
		b.WriteString("WEBVTT\n\n")
		for i := 1; b.Len() < 1<<20; i++ {
			b.WriteString("00:01.000 --> 00:02.000\n" + strings.Repeat("hi ", i) + "\n\n")
		}
		return []byte(b.String())
	}
	for name, file := range map[string]func() []byte{
		"a line of 10 MB":    full("", "word ", ""),
		"a word of 10 MB":    fill("", "a", ""),
		"angle brackets":     fill(cue, "<", ""),
		"voices without end": full(cue, "<v A>b", ""),
		"voices in turn":     fill(cue, "<v A>b<v B>c", ""),
		"ampersands":         fill(cue, "&", ""),
		"braces":             fill(cue, "{\\", ""),
		"colons":             fill("", "A: ", ""),
		"square brackets":    fill("words ", "[", ""),
		"times in brackets":  fill("words ", "A (0:01 ", ""),
		"empty lines":        fill("Dana: hi", "\n", "Sam: ho"),
		"white space":        fill("Dana:", " ", "\nhi"),
		"comments":           fill(cue, "NOTE\n\nx\n\n", ""),
		"a million cues":     full("WEBVTT\n\n", "0:1 --> 0:2\n", "hi"),
		"captions that roll": fill("WEBVTT\n\n", rolling, ""),
		"captions that grow": growing,
		"bold":               fill("# a\nwords\n", "**", ""),
		"headings":           fill("", "# a\n", ""),
		"one letter a line":  fill("", "a\n", ""),
		"line separators":    fill("", "a\u2028", ""),
		"lists in lists":     fill("", "[", ""),
		"objects in objects": fill("", `{"a":`, ""),
		"deep and valid": func() []byte {
			return []byte(strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20))
		},
		"segments":     full(`{"segments":[`, `{"text":"a"},`, `{"text":"a"}]}`),
		"alternatives": fill(channels+`{"alternatives":[`, `{},`, `{}]}]}}`),
		"channels":     fill(channels, `{},`, `{}]}}`),
		"sentences":    fill(sentences, `{},`, `{}]}]}}]}]}}`),
		"words":        fill(`{"text":"","words":[`, `{"text":"a"},`, `{"text":"a"}]}`),
		"members":      fill(`{`, `"abc":1,`, `"a":1}`),
		"nulls":        fill("", "a\x00", ""),
		"high bytes":   fill("", "\xE4\xF6 ", ""),
		"a bomb of one text": func() []byte {
			return docxOf("<w:p><w:r><w:t>" + strings.Repeat("word ", 10<<20) + "</w:t></w:r></w:p>")
		},
		"a bomb of empty paragraphs": func() []byte { return docxOf(strings.Repeat("<w:p/>", 6<<20)) },
		"a bomb of nesting":          func() []byte { return docxOf(strings.Repeat("<w:p>", 7<<20)) },
		"a bomb of one attribute": func() []byte {
			return docxOf(`<w:p a="` + strings.Repeat("x", 34<<20) + `"/>`)
		},
		"a document of many parts": manyParts,
	} {
		t.Run(name, func(t *testing.T) {
			if raceDetector && strings.HasPrefix(name, "a bomb") {
				t.Skip("takes minutes, and nothing in it is concurrent")
			}
			data := file()
			require.LessOrEqual(t, len(data), transcript.MaxBytes)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			got, err := transcript.Parse(data)
			runtime.ReadMemStats(&after)
			if err == nil {
				checkInvariants(t, got)
			} else {
				var format *transcript.FormatError
				require.True(t, errors.As(err, &format))
			}
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(600<<20), "total allocation")
		})
	}
}

func TestRejectsZipBombsWithAReason(t *testing.T) {
	t.Parallel()
	bomb := docxOf("<w:p><w:r><w:t>" + strings.Repeat("word ", 10<<20) + "</w:t></w:r></w:p>")
	require.Less(t, len(bomb), 200<<10)
	_, err := transcript.Parse(bomb)
	var format *transcript.FormatError
	require.True(t, errors.As(err, &format))
	require.Contains(t, format.Reason, "unpacks")
}

// manyParts returns an archive of as many empty parts as fit.
func manyParts() []byte {
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	for i := range 40_000 {
		if _, err := archive.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("word/%d.xml", i)}); err != nil {
			panic(err)
		}
	}
	if err := archive.Close(); err != nil {
		panic(err)
	}
	return file.Bytes()
}

func TestRejectsOtherArchivesByTheirKind(t *testing.T) {
	t.Parallel()
	for reason, part := range map[string]string{
		"spreadsheet":  "xl/workbook.xml",
		"presentation": "ppt/presentation.xml",
		"e-book":       "META-INF/container.xml",
		"OpenDocument": "content.xml",
		"archive":      "transcript.vtt",
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			var file bytes.Buffer
			archive := zip.NewWriter(&file)
			out, err := archive.Create(part)
			require.NoError(t, err)
			_, err = io.WriteString(out, "WEBVTT")
			require.NoError(t, err)
			require.NoError(t, archive.Close())
			_, err = transcript.Parse(file.Bytes())
			var format *transcript.FormatError
			require.True(t, errors.As(err, &format))
			require.Contains(t, format.Reason, reason)
		})
	}
}

func TestRejectsDamagedDocuments(t *testing.T) {
	t.Parallel()
	whole := docx("Dana: hello there, how are you?", "Sam: well, thank you.")
	packed := func(xml string) []byte {
		var file bytes.Buffer
		archive := zip.NewWriter(&file)
		archive.RegisterCompressor(
			zip.Deflate,
			func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, 1) },
		)
		out, err := archive.Create("word/document.xml")
		require.NoError(t, err)
		_, err = io.WriteString(out, xml)
		require.NoError(t, err)
		require.NoError(t, archive.Close())
		return file.Bytes()
	}
	for name, c := range map[string]struct {
		data   []byte
		reason string
	}{
		"cut in half":    {whole[:len(whole)/2], "damaged"},
		"broken XML":     {packed("<w:document><w:p></w:document"), "damaged"},
		"no words":       {docx("", " "), "without text"},
		"another markup": {packed(`<?xml version="1.0" encoding="x-unknown"?><w:document/>`), "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := transcript.Parse(c.data)
			var format *transcript.FormatError
			require.True(t, errors.As(err, &format), "%v", err)
			require.Contains(t, format.Reason, c.reason)
		})
	}
}
