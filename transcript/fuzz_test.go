package transcript_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// FuzzParse begins with the samples of all formats.
func FuzzParse(f *testing.F) {
	seed(f, "*.*")
	f.Fuzz(checkParse)
}

// The parser of each format has a target of its own, also for text that Parse reads in another format.

func FuzzWebVTT(f *testing.F)    { fuzzParser(f, "webvtt", "*.vtt") }
func FuzzSRT(f *testing.F)       { fuzzParser(f, "srt", "*.srt") }
func FuzzSBV(f *testing.F)       { fuzzParser(f, "sbv", "*.sbv") }
func FuzzOtter(f *testing.F)     { fuzzParser(f, "otter", "otter*.txt", "zoomcaptions.txt") }
func FuzzRev(f *testing.F)       { fuzzParser(f, "rev", "rev*.txt") }
func FuzzFireflies(f *testing.F) { fuzzParser(f, "fireflies", "fireflies*.txt") }
func FuzzStamped(f *testing.F) {
	fuzzParser(f, "stamped", "stamped.txt", "clock.txt", "meet-text.txt", "whispercpp-text.txt")
}
func FuzzNamed(f *testing.F)     { fuzzParser(f, "named", "named.txt", "names.txt") }
func FuzzProse(f *testing.F)     { fuzzParser(f, "prose", "prose.txt", "nospeakers.txt") }
func FuzzMarkdown(f *testing.F)  { fuzzParser(f, "markdown", "*.md") }
func FuzzTeamsDocx(f *testing.F) { fuzzParser(f, "teams", "subtitles.srt", "otter.txt") }

// The parsers of text that has a container, or a structure of its own, are reached by what they detect.

func FuzzTables(f *testing.F) { fuzzFiles(f, "*.csv", "*.tsv", "table-markdown.md") }
func FuzzChats(f *testing.F) {
	fuzzFiles(f, "whatsapp*.txt", "slack.txt", "teams-chat.txt", "zoomchat.txt")
}
func FuzzClocks(f *testing.F) {
	fuzzFiles(f, "f4.txt", "premiere.txt", "seconds.txt", "half-days.txt", "iso.txt")
}
func FuzzLabels(f *testing.F)      { fuzzFiles(f, "name-*.txt", "meet-captions.txt", "numbered.txt") }
func FuzzASS(f *testing.F)         { fuzzFiles(f, "*.ass") }
func FuzzRTF(f *testing.F)         { fuzzFiles(f, "*.rtf") }
func FuzzHTML(f *testing.F)        { fuzzFiles(f, "*.html", "*.otr") }
func FuzzChatPages(f *testing.F)   { fuzzFiles(f, "telegram-page.html", "discord-page.html") }
func FuzzTTML(f *testing.F)        { fuzzFiles(f, "*.ttml") }
func FuzzTimedText(f *testing.F)   { fuzzFiles(f, "timedtext*.*") }
func FuzzAnnotations(f *testing.F) { fuzzFiles(f, "*.eaf", "*.exb", "tei.xml", "*.trs", "*.TextGrid") }
func FuzzPDF(f *testing.F)         { fuzzFiles(f, "*.pdf") }
func FuzzWorksheet(f *testing.F)   { fuzzFiles(f, "*.xlsx") }
func FuzzServices(f *testing.F) {
	fuzzFiles(f, "whisper*.json", "assemblyai*.json", "deepgram*.json", "fireflies*.json", "rev-ai.json",
		"aws*.json", "google*.json", "azure*.json", "speechmatics.json", "elevenlabs.json", "gladia.json",
		"gong.json", "huggingface.json", "amberscript.json", "slack-export.json", "grain.json", "fathom.json",
		"tldv.json", "recall.json", "sonix.json", "podcast.json", "macwhisper.dote")
}

func FuzzMessages(f *testing.F) {
	fuzzFiles(f, "telegram*.json", "messenger.json", "slack-export.json")
}

// FuzzPages changes texts with headers and footers, whose lines are removed before they are parsed.
func FuzzPages(f *testing.F) {
	for _, separator := range []string{"", "\f"} {
		f.Add([]byte(strings.Repeat("A study\nPage 1\n\nDana: So?\nSam: Yes, we\n\nfile.docx 1/9\n"+separator, 4)))
		f.Add([]byte(strings.Repeat("iv\n\nDana; 00:03; So?\nSam; 00:05; Yes.\n\n05.03.2024 7\n"+separator, 4)))
	}
	f.Fuzz(checkParse)
}

// FuzzTurnNumbers changes texts whose turns are numbered.
func FuzzTurnNumbers(f *testing.F) {
	f.Add([]byte("Q1 Dana: So?\nSam: Yes.\nQ2 Dana: So?\nSam: Yes.\nQ3 Dana: So?\nSam: No.\n"))
	f.Add([]byte("Dana [1]: So?\nSam [2]: Yes.\nDana [3]: So?\nSam [4]: Yes.\n"))
	f.Add([]byte("1\n00:03\nDana\nSo?\n\n2\n00:05\nSam\nYes.\n\n3\n00:07\nDana\nSo.\n"))
	f.Fuzz(checkParse)
}

// FuzzLayouts reads files in the layouts that a person may choose.
func FuzzLayouts(f *testing.F) {
	seed(f, "named.txt", "stamped.txt", "otter*.txt", "rev*.txt", "chat-hours.txt", "*.md")
	f.Fuzz(func(t *testing.T, data []byte) {
		parsed, err := transcript.Parse(data)
		if err != nil {
			return
		}
		for _, reading := range transcript.Readings(data, parsed) {
			got, err := transcript.ParseLayout(data, reading.Layout)
			require.NoError(t, err)
			checkInvariants(t, got)
			require.Len(t, got.Utterances, reading.Utterances)
			require.Equal(t, reading.Speakers, got.Speakers())
		}
	})
}

// FuzzOpenDocument changes the XML of an OpenDocument text.
func FuzzOpenDocument(f *testing.F) {
	f.Add(`<text:p>Dana Weber:<text:s text:c="2"/>Thanks.<text:line-break/>So?</text:p><text:p>Sam: hi</text:p>`)
	f.Add(`<table:table><table:table-row><table:table-cell><text:p>Dana</text:p></table:table-cell>` +
		`<table:table-cell><text:p>Thanks.</text:p></table:table-cell></table:table-row></table:table>`)
	f.Fuzz(func(t *testing.T, body string) { checkParse(t, odtOf(body)) })
}

func fuzzFiles(f *testing.F, patterns ...string) {
	f.Helper()
	seed(f, patterns...)
	f.Fuzz(checkParse)
}

// FuzzDocx changes the XML of a Word document, since changes of the archive's bytes hardly ever reach it.
func FuzzDocx(f *testing.F) {
	f.Add(
		`<w:p><w:r><w:t>0:0:0.0 --> 0:0:1.250</w:t><w:br/><w:t>Dana ` +
			`Weber</w:t><w:br/><w:t>Thanks.</w:t></w:r></w:p>`,
	)
	f.Add(
		`<w:p><w:r><w:t>Dana Weber</w:t></w:r><w:r><w:t xml:space="preserve">   ` +
			`0:03</w:t></w:r><w:r><w:br/><w:t>Thanks.</w:t></w:r></w:p>`,
	)
	f.Add(
		`<w:p><w:r><w:t>00:00:00</w:t></w:r></w:p><w:p><w:r><w:t>Dana: Thanks &amp; ` +
			`welcome.</w:t></w:r></w:p><w:del><w:r><w:t>gone</w:t></w:r></w:del>`,
	)
	f.Fuzz(func(t *testing.T, body string) { checkParse(t, docxOf(body)) })
}

func fuzzParser(f *testing.F, parser string, patterns ...string) {
	f.Helper()
	seed(f, patterns...)
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := transcript.ParseAs(parser, string(data))
		if err != nil {
			var format *transcript.FormatError
			require.True(t, errors.As(err, &format))
			return
		}
		checkInvariants(t, got)
		again, err := transcript.ParseAs(parser, string(data))
		require.NoError(t, err)
		require.Equal(t, got, again)
		checkParse(t, data)
	})
}

// seed adds the samples whose names match a pattern.
func seed(f *testing.F, patterns ...string) {
	f.Helper()
	for _, pattern := range patterns {
		for _, file := range samples(f, pattern) {
			data, err := os.ReadFile(file)
			require.NoError(f, err)
			f.Add(data)
		}
	}
}

// checkParse checks what holds for any file: it is rejected with a reason, or has a valid transcript, always
// the same.
func checkParse(t *testing.T, data []byte) {
	got, err := transcript.Parse(data)
	if err != nil {
		var format *transcript.FormatError
		require.True(t, errors.As(err, &format))
		require.NotEmpty(t, format.Reason)
		return
	}
	checkInvariants(t, got)
	again, err := transcript.Parse(data)
	require.NoError(t, err)
	require.Equal(t, got, again)
}
