package transcript_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// `make fuzz` sets it higher.
var hostileBytes = flag.Int("hostile-bytes", 256<<10, "size of most files of TestHostileFilesAreBounded; "+
	"some have four times as many")

// No file may take much more memory or time than its size: a quadratic algorithm would not end before the
// test is stopped. Most of these files are rejected. The test is not parallel, since it measures allocations.
func TestHostileFilesAreBounded(t *testing.T) {
	const (
		cue       = "WEBVTT\n\n00:01.000 --> 00:02.000\n"
		dialogue  = "Dialogue: 0,0:00:01.00,0:00:02.00,,,,,,,a\n"
		rolling   = "00:01.000 --> 00:02.000\nhi\nthere\n\n00:02.000 --> 00:02.010\nthere\n\n"
		channels  = `{"results":{"channels":[`
		sentences = channels + `{"alternatives":[{"paragraphs":{"paragraphs":[{"sentences":[`
	)
	sized := func(size int, before, unit, after string) func() []byte {
		return func() []byte {
			return []byte(before + strings.Repeat(unit, (size-len(before)-len(after))/len(unit)) + after)
		}
	}
	// For 256 KB a quadratic algorithm takes four seconds, and for a megabyte a minute. Some that read cheaply
	// always have the maximum size.
	fill := func(before, unit, after string) func() []byte { return sized(*hostileBytes, before, unit, after) }
	more := func(before, unit, after string) func() []byte {
		return sized(min(4**hostileBytes, transcript.MaxBytes), before, unit, after)
	}
	full := func(before, unit, after string) func() []byte {
		return sized(transcript.MaxBytes, before, unit, after)
	}
	growing := func() []byte {
		var b strings.Builder
		b.WriteString("WEBVTT\n\n")
		for i := 1; b.Len() < *hostileBytes; i++ {
			b.WriteString("00:01.000 --> 00:02.000\n" + strings.Repeat("hi ", i) + "\n\n")
		}
		return []byte(b.String())
	}
	for name, file := range map[string]func() []byte{
		"a line of 10 MB":    full("", "word ", ""),
		"a long word":        fill("", "a", ""),
		"angle brackets":     fill(cue, "<", ""),
		"voices without end": more(cue, "<v A>b", ""),
		"voices in turn":     fill(cue, "<v A>b<v B>c", ""),
		"ampersands":         fill(cue, "&", ""),
		"braces":             fill(cue, "{\\", ""),
		"colons":             fill("", "A: ", ""),
		"square brackets":    fill("words ", "[", ""),
		"times in brackets":  fill("words ", "A (0:01 ", ""),
		"empty lines":        fill("Dana: hi", "\n", "Sam: ho"),
		"white space":        fill("Dana:", " ", "\nhi"),
		"comments":           fill(cue, "NOTE\n\nx\n\n", ""),
		"a million cues":     more("WEBVTT\n\n", "0:1 --> 0:2\n", "hi"),
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
		"a bomb of an OpenDocument text": func() []byte {
			return odtOf("<text:p>" + strings.Repeat("word ", 10<<20) + "</text:p>")
		},
		"spaces of an OpenDocument text": func() []byte {
			return odtOf("<text:p>" + strings.Repeat(`<text:s text:c="99999999"/>`, 1<<20) + "</text:p>")
		},
		"a bomb of a worksheet": func() []byte { return worksheetOf(strings.Repeat(`<row r="1"/>`, 4<<20)) },
		"a worksheet of wide rows": func() []byte {
			var b strings.Builder
			for i := range 200_000 {
				fmt.Fprintf(&b, `<row r="%d"><c r="XFD%d"><v>1</v></c></row>`, i+1, i+1)
			}
			return worksheetOf(b.String())
		},
		"groups of rich text":      fill(rtfMagicText, "{", ""),
		"controls of rich text":    fill(rtfMagicText, `\u1 `, ""),
		"cells of rich text":       fill(rtfMagicText, `\trowd\cell`, `\row`),
		"elements of a web page":   fill("<html><body>", "<div>", "hi</div>"),
		"tables of a web page":     fill("<html><body>", "<table><tr><td>", "hi</td></tr></table>"),
		"attributes of Timed Text": fill(`<tt xmlns="http://www.w3.org/ns/ttml"><p `, `a="b" `, ">hi</p></tt>"),
		"elements of Timed Text":   fill(`<tt xmlns="http://www.w3.org/ns/ttml">`, `<p>`, "hi</p></tt>"),
		"objects of a PDF":         full("%PDF-1.7\n", "1 0 obj<<>>endobj\n", ""),
		"values of a PDF":          more("%PDF-1.7\n1 0 obj[", "1 ", "]"),
		"dictionaries of a PDF":    more("%PDF-1.7\n1 0 obj[", "<</A 1>>", "]"),
		"arrays of a PDF":          full("%PDF-1.7\n1 0 obj", "[", ""),
		"content of a PDF": func() []byte {
			return []byte(pdfOf("BT /F 9 Tf "+strings.Repeat("(hi) Tj ", 1<<20)+"ET", ""))
		},
		"lines of a PDF": func() []byte {
			return []byte(pdfOf("BT /F 9 Tf 9 TL "+strings.Repeat("(A: b) ' ", 100_000)+"ET", ""))
		},
		"values":                more("speaker,text\n", "A,b c\n", ""),
		"quoted values":         fill("speaker,text\n", `"`, ""),
		"clocks":                fill("", "10:02 AM ", ""),
		"clocks on lines":       fill("", "10:02 AM A: b\n", ""),
		"brackets on lines":     fill("", "[A] b\n", ""),
		"names on lines":        fill("", "Ann Lee\nhi\n\nBob Roe\nho\n\n", ""),
		"dialogue of subtitles": fill("[Script Info]\n[Events]\n", dialogue, ""),
		"alternatives in lists": fill(`{"results":[`, `{"alternatives":[{}]},`, `{}]}`),
		"monologues":            fill(`{"monologues":[`, `{"elements":[]},`, `{}]}`),
	} {
		t.Run(name, func(t *testing.T) {
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

const rtfMagicText = `{\rtf1\ansi hi `

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
