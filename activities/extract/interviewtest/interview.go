// Package interviewtest gives the tests of extractors and of the proof of quotes small transcripts. It knows
// neither, so that the tests of both can import it.
package interviewtest

import (
	"strings"

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
