// Package interviewtest gives the tests of extractors and of the proof of quotes small transcripts. It knows
// neither, so that the tests of both can import it.
package interviewtest

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// New returns a transcript in English of lines such as "Name: text". A line without a name has no speaker.
func New(lines ...string) *transcript.Transcript {
	t := &transcript.Transcript{Language: "en"}
	for i, line := range lines {
		speaker, text, ok := strings.Cut(line, ": ")
		if !ok {
			speaker, text = "", line
		}
		if i > 0 {
			t.Text += "\n"
		}
		start := len(t.Text)
		t.Text += text
		t.Utterances = append(t.Utterances, transcript.Utterance{
			Speaker: speaker, Text: text, ByteStart: start, ByteEnd: len(t.Text),
		})
	}
	return t
}

// Books returns an interview about how a company closes its books. The interviewer is Ann.
func Books() *transcript.Transcript {
	return New(
		"Ann: How do you close the books at the end of a month?",
		"Ben: We copy every invoice by hand into a spreadsheet, and that takes Maria two full days.",
		"Ann: And what would you pay for a tool that did it?",
		"Ben: Honestly, nothing. We would not pay for invoice software, the spreadsheet is good enough.",
		"Ann: I see. Who else touches the invoices?",
		"Ben: Our accountant looks at them once a quarter, she complains about missing receipts every single time.",
	)
}

// A Part has the fields of a chunk, which this package does not know.
type Part struct {
	From, To           int
	ByteStart, ByteEnd int
}

// CheckPlan checks what holds for every division into chunks: each byte that is not white space is in a
// chunk, chunks are in order, and their bytes are within their utterances.
func CheckPlan[Chunk ~struct {
	From, To           int
	ByteStart, ByteEnd int
}](t *testing.T, tr *transcript.Transcript, chunks []Chunk) {
	t.Helper()
	read := make([]bool, len(tr.Text))
	for i := range chunks {
		c := Part(chunks[i])
		require.Less(t, c.ByteStart, c.ByteEnd)
		require.Less(t, c.From, c.To)
		require.True(t, utf8.ValidString(tr.Text[c.ByteStart:c.ByteEnd]))
		require.GreaterOrEqual(t, c.ByteStart, tr.Utterances[c.From].ByteStart)
		require.LessOrEqual(t, c.ByteEnd, tr.Utterances[c.To-1].ByteEnd)
		if i > 0 {
			before := Part(chunks[i-1])
			require.Greater(t, c.ByteEnd, before.ByteEnd)
			require.Greater(t, c.ByteStart, before.ByteStart)
		}
		for b := c.ByteStart; b < c.ByteEnd; b++ {
			read[b] = true
		}
	}
	for i, r := range tr.Text {
		require.True(t, read[i] || unicode.IsSpace(r), "byte %d is in no chunk", i)
	}
}
