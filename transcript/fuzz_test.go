package transcript_test

import (
	"errors"
	"os"
	"path/filepath"
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

// The parser of each format has a target of its own, with text that Detect would send elsewhere too.

func FuzzWebVTT(f *testing.F)    { fuzzParser(f, "webvtt", "*.vtt") }
func FuzzSRT(f *testing.F)       { fuzzParser(f, "srt", "*.srt") }
func FuzzSBV(f *testing.F)       { fuzzParser(f, "sbv", "*.sbv") }
func FuzzOtter(f *testing.F)     { fuzzParser(f, "otter", "otter*.txt", "zoomcaptions.txt") }
func FuzzRev(f *testing.F)       { fuzzParser(f, "rev", "rev*.txt") }
func FuzzFireflies(f *testing.F) { fuzzParser(f, "fireflies", "fireflies*.txt") }
func FuzzStamped(f *testing.F) {
	fuzzParser(f, "stamped", "stamped.txt", "clock.txt", "meet-text.txt", "whispercpp-text.txt")
}
func FuzzNamed(f *testing.F)         { fuzzParser(f, "named", "named.txt", "names.txt") }
func FuzzProse(f *testing.F)         { fuzzParser(f, "prose", "prose.txt", "nospeakers.txt") }
func FuzzMarkdown(f *testing.F)      { fuzzParser(f, "markdown", "*.md") }
func FuzzTeamsDocx(f *testing.F)     { fuzzParser(f, "teams", "subtitles.srt", "otter.txt") }
func FuzzWhisper(f *testing.F)       { fuzzParser(f, "whisper", "whisper*.json") }
func FuzzAssemblyAI(f *testing.F)    { fuzzParser(f, "assemblyai", "assemblyai*.json") }
func FuzzDeepgram(f *testing.F)      { fuzzParser(f, "deepgram", "deepgram*.json") }
func FuzzFirefliesJSON(f *testing.F) { fuzzParser(f, "fireflies-json", "fireflies*.json") }

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
	n := 0
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join("testdata", pattern))
		require.NoError(f, err)
		for _, file := range files {
			if strings.HasSuffix(file, ".golden.json") {
				continue
			}
			data, err := os.ReadFile(file)
			require.NoError(f, err)
			f.Add(data)
			n++
		}
	}
	require.NotZero(f, n)
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
	format, err := transcript.Detect(data)
	require.NoError(t, err)
	require.Equal(t, got.Format, format)
}
