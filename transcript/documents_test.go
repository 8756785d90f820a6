package transcript_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestLeavesOutWhatDocumentsDoNotSay(t *testing.T) {
	t.Parallel()
	const (
		rtfStart = `{\rtf1\ansi `
		htmlWord = `<html><body><p>Dana: Hi.</p>`
	)
	for name, file := range map[string]string{
		"the settings of Word": rtfStart + `{\mmathPr\mmathFont34\mbrkBin0}Dana: Hi.\par Sam: Hello.\par}`,
		"hidden and deleted characters": rtfStart +
			`Dana: {\v well }Hi.{\deleted , well}\par Sam: \v now\v0 Hello.\par}`,
		"bullets of a list": rtfStart + `{\listtext\bullet\tab}Dana: Hi.\par {\listtext\bullet\tab}Sam: ` +
			`Hello.\par}`,
		"footnotes": htmlWord + `<p>Sam: Hello.<a class="footnote-ref" href="#fn1" role="doc-noteref">` +
			`<sup>1</sup></a></p><section class="footnotes" role="doc-endnotes"><p>He waves.</p></section></body>` +
			`</html>`,
		"headers and deletions": `<html><body><div title="header"><div><p>Project</p></div></div><p>Dana: Hi.</p>` +
			`<p>Sam: <del>Well. </del>Hello.</p></body></html>`,
		"phonetic guides": string(docxOf("<w:p><w:r><w:t>Dana: </w:t></w:r><w:r><w:ruby><w:rt><w:r><w:t>hai</w:t>" +
			"</w:r></w:rt><w:rubyBase><w:r><w:t>Hi.</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>" +
			"<w:p><w:r><w:t>Sam: Hello.</w:t></w:r></w:p>")),
		"hidden runs": string(docxOf(`<w:p><w:r><w:t>Dana: Hi.</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr>` +
			`<w:t> Well.</w:t></w:r></w:p><w:p><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>Sam: Hello.</w:t></w:r>` +
			`</w:p>`)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parsed, err := transcript.Parse([]byte(file))
			require.NoError(t, err)
			require.Equal(t, []goldenTurn{{Speaker: "DANA", Text: "Hi."}, {Speaker: "SAM", Text: "Hello."}},
				spokenTurns(parsed))
		})
	}
}

func TestReadsTimesThatAStyleSheetKeepsFromNames(t *testing.T) {
	t.Parallel()
	parsed, err := transcript.Parse([]byte(`<html><body>` +
		`<div><span>Dana Weber</span><span>0:03</span></div><div>Hi.</div>` +
		`<div><span>Sam</span><span>0:09</span></div><div>Hello.</div></body></html>`))
	require.NoError(t, err)
	require.Equal(t, []goldenTurn{
		{Time: "3s", Speaker: "DANA WEBER", Text: "Hi."}, {Time: "9s", Speaker: "SAM", Text: "Hello."},
	}, spokenTurns(parsed))
}

func TestReadsPDFsWithBytesBeforeTheHeader(t *testing.T) {
	t.Parallel()
	document := []byte(pdfOf("BT /F 9 Tf 1 0 0 1 50 700 Tm (Dana: What do you do here?) Tj "+
		"1 0 0 1 50 680 Tm (Sam: I run the desk.) Tj 1 0 0 1 50 660 Tm (Dana: And then?) Tj ET", ""))
	plain, err := transcript.Parse(document)
	require.NoError(t, err)
	for _, before := range []string{"\n", "\x00\x01\x02\xff\xfe", string(bytes.Repeat([]byte{0}, 1000))} {
		got, err := transcript.Parse(append([]byte(before), document...))
		require.NoError(t, err)
		require.Equal(t, plain, got)
	}
}

func TestTextThatMentionsPDFsIsText(t *testing.T) {
	t.Parallel()
	turns := spoken(t,
		"Dana: How does it begin?\nBen: With %PDF-1.7, and objects.\nDana: And then?\nBen: Nothing.\n")
	require.Equal(t, "Ben: With %PDF-1.7, and objects.", turns[1])
}

func TestWarnsOfPDFsThatAreDrawnInAnotherOrder(t *testing.T) {
	t.Parallel()
	line := func(x, y int, text string) string { return fmt.Sprintf("1 0 0 1 %d %d Tm (%s) Tj ", x, y, text) }
	inOrder := "BT /F 9 Tf " + line(50, 700, "Dana:") + line(150, 700, "How?") + line(50, 680, "Sam:") +
		line(150, 680, "So.") + line(50, 660, "Dana:") + line(150, 660, "Why?") + "ET"
	namesFirst := "BT /F 9 Tf " + line(50, 700, "Dana:") + line(50, 680, "Sam:") + line(50, 660, "Dana:") +
		line(150, 700, "How?") + line(150, 680, "So.") + line(150, 660, "Why?") + "ET"
	wordsFirst := "BT /F 9 Tf " + line(150, 700, "How?") + line(50, 700, "Dana:") + line(150, 680, "So.") +
		line(50, 680, "Sam:") + "ET"
	for content, places := range map[string]int{inOrder: 0, namesFirst: 1, wordsFirst: 2} {
		got, err := transcript.Parse([]byte(pdfOf(content, "")))
		require.NoError(t, err)
		count := 0
		for _, w := range got.Warnings {
			if w.Code == transcript.WarnReadingOrder {
				count = w.Count
			}
		}
		require.Equal(t, places, count, got.Text)
	}
}

func TestTablesWhoseSpeakersHaveAnUnknownHeading(t *testing.T) {
	t.Parallel()
	for _, heading := range []string{"Wie", "Kuka"} {
		var rows strings.Builder
		for _, row := range [][3]string{
			{"Tijd", heading, "Tekst"}, {"00:04", "DW", "Who files them, and where are they?"},
			{"00:07", "OH", "I do, in a box below the desk."}, {"00:09", "DW", "Which box is it?"},
			{"00:12", "OH", "The blue one."},
		} {
			fmt.Fprintf(&rows, "<w:tr><w:tc>%s</w:tc><w:tc>%s</w:tc><w:tc>%s</w:tc></w:tr>",
				documentOf(row[0]), documentOf(row[1]), documentOf(row[2]))
		}
		got, err := transcript.Parse(docxOf("<w:tbl>" + rows.String() + "</w:tbl>"))
		require.NoError(t, err)
		require.Equal(t, []string{"DW", "OH"}, got.Speakers(), heading)
		require.Len(t, got.Utterances, 4)
		require.Empty(t, got.Warnings)
	}
}

// TestDocumentsOfProgramsHaveTheTurnsOfTheirSource reads what LibreOffice 7.4, pandoc 2.17, Chromium 156,
// wkhtmltopdf 0.12, pdfTeX 1.40 and Ghostscript 10.0 made of a few documents. Each folder of
// testdata/documents has the turns of one.
func TestDocumentsOfProgramsHaveTheTurnsOfTheirSource(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/documents/*/*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		if strings.HasSuffix(file, ".json") {
			continue
		}
		folder, name := filepath.Split(file)
		t.Run(filepath.Base(folder)+" by "+name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			parsed, err := transcript.Parse(data)
			require.NoError(t, err)
			checkInvariants(t, parsed)

			raw, err := os.ReadFile(filepath.Join(folder, "turns.json"))
			require.NoError(t, err)
			var want []goldenTurn
			require.NoError(t, json.Unmarshal(raw, &want))
			require.Equal(t, want, spokenTurns(parsed))
		})
	}
}

// spokenTurns returns the turns from the first one with a speaker on. Names have one case, since some
// programs print those of a style in capitals, and paragraphs of a speaker are joined, since programs divide
// them in other ways.
func spokenTurns(parsed *transcript.Transcript) []goldenTurn {
	var turns []goldenTurn
	for _, u := range parsed.Utterances {
		last := len(turns) - 1
		speaker := strings.ToUpper(u.Speaker)
		switch {
		case last < 0 && speaker == "":
		case last >= 0 && turns[last].Speaker == speaker:
			turns[last].Text += " " + u.Text
		default:
			turn := goldenTurn{Speaker: speaker, Text: u.Text}
			if u.Timed {
				turn.Time = u.Start.String()
			}
			turns = append(turns, turn)
		}
	}
	return turns
}
