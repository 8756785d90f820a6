package trial

import (
	"fmt"
	"strings"

	"research/activities/extract"
	"research/transcript"
)

// The hypotheses of the short interview.
const (
	hypothesisFound = iota
	hypothesisDenied
	hypothesisSilent
)

// denial is what the interview says of the second hypothesis.
const denial = "We would not pay for another tool, the spreadsheet does what we need."

// shortInterview is about the returns of a shop.
func shortInterview() interview {
	i := newInterview([]string{
		"Ann: How do you deal with goods that come back?",
		"Ben: Two people sort them in the morning, and a third one writes the labels.",
		"Ann: Where do you note what came back?",
		"Ben: Every return is typed into a spreadsheet by hand, and that takes Maria two hours a day.",
		"Ann: Would you buy something for that?",
		"Ben: " + denial,
		"Ann: Who looks at the numbers afterwards?",
		"Ben: Our accountant does, once a quarter, when the boxes have long gone back to the shelf.",
		"Ann: Thank you, that was all.",
	}, []string{
		"Returns are recorded by hand, which takes much time.",
		"The shop would pay for another tool.",
		"Employees are afraid of losing their jobs to robots.",
	}, 3, 5, -1)
	i.chunk = extract.Whole(i.transcript)
	return i
}

// The long interview's quotes.
const (
	plantedFirst = "In our first week a courier lost a parcel with two expensive cameras in it."
	plantedLast  = "In the end we left the print shop, because their ink came off the boxes."
)

// longInterview fills a chunk as the extractor plans it. The second utterance and the last but one have the
// quotes.
func longInterview(extractor extract.Extractor) interview {
	hypotheses := []string{"A parcel was lost by a courier.", "The print shop was left because of bad ink."}
	var lines []string
	for n := range 400 {
		lines = append(lines, fmt.Sprintf("%s: %s", []string{"Ann", "Ben"}[n%2], smallTalk(n)))
	}
	lines[1] = "Ben: " + plantedFirst
	i := newInterview(lines, hypotheses, 1, 0)
	last := extractor.Plan(i.transcript, i.hypotheses)[0].To - 2
	lines[max(last, 2)] = "Ben: " + plantedLast
	i = newInterview(lines, hypotheses, 1, max(last, 2))
	i.chunk = extractor.Plan(i.transcript, i.hypotheses)[0]
	return i
}

// newInterview makes the transcript of lines such as "Ann: text". planted has the utterance of each
// hypothesis.
func newInterview(lines, hypotheses []string, planted ...int) interview {
	t := &transcript.Transcript{Language: "en", Format: transcript.Text}
	for n, line := range lines {
		speaker, text, _ := strings.Cut(line, ": ")
		if n > 0 {
			t.Text += "\n"
		}
		start := len(t.Text)
		t.Text += text
		t.Utterances = append(t.Utterances, transcript.Utterance{
			Speaker: speaker, Text: text, ByteStart: start, ByteEnd: len(t.Text),
		})
	}
	i := interview{transcript: t, planted: planted}
	for n, statement := range hypotheses {
		id := fmt.Sprintf("trial-%d", n+1)
		i.hypotheses = append(i.hypotheses, extract.Hypothesis{ID: id, Statement: statement})
	}
	return i
}

// What people say who speak of neither couriers nor printers.
var (
	talkBegins = []string{
		"As I said before,", "On a normal day", "When it rains,", "In the summer months", "If you ask me,",
		"Since we moved here,", "During the week", "For most visitors",
	}
	talkMiddles = []string{
		"we open the doors a little earlier", "my colleague waters the plants by the window",
		"the coffee machine is the loudest thing in the room", "nobody parks in front of the gate",
		"the lamps above the long table stay on", "we have lunch together on the roof",
		"the dog of our neighbour sleeps under the stairs", "somebody plays the old piano downstairs",
		"the bicycles stand beside the red bench",
	}
	talkEnds = []string{
		"and that has been so for years.", "which I quite like.", "although it is not very important.",
		"so that it feels like home.", "and people smile about it.", "just as in the other house.",
		"before the first bus arrives.",
	}
)

// smallTalk returns the sentence with a number. No two of four hundred are the same.
func smallTalk(n int) string {
	pick := func(of []string) string { return of[n%len(of)] }
	return pick(talkBegins) + " " + pick(talkMiddles) + " " + pick(talkEnds)
}
