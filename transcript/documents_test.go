package transcript_test

import (
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
