package ask_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract/ask"
	"research/activities/extract/interviewtest"
	"research/transcript"
)

// filler returns lines of about 30 words that have nothing to do with a question.
func filler(n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = "Ben: " + strings.Repeat("the weather was fine and our garden looked lovely again ", 3)
	}
	return lines
}

// about returns an interview with one line in the middle of others.
func about(line string) *transcript.Transcript {
	return interviewtest.New(append(append(filler(20), "Ben: "+line), filler(20)...)...)
}

func TestFindReturnsThePassageAroundAMatch(t *testing.T) {
	t.Parallel()
	x := ask.NewIndex([]*transcript.Transcript{
		about("We like the harbour."), about("Invoices are copied into a spreadsheet by hand."),
	})
	found := x.Find([]string{"Who copies the invoices into a spreadsheet?"}, ask.Limits{Passages: 3})
	require.NotEmpty(t, found)
	require.Equal(t, 1, found[0].Transcript)
	require.LessOrEqual(t, found[0].From, 20)
	require.Greater(t, found[0].To, 20)
	require.InDelta(t, 9, found[0].To-found[0].From, 2, "about 250 words")
}

func TestFindRespectsItsLimits(t *testing.T) {
	t.Parallel()
	var transcripts []*transcript.Transcript
	for range 25 {
		var lines []string
		for range 10 {
			lines = append(lines, filler(9)...)
			lines = append(lines, "Ben: Our invoices are copied into spreadsheets.")
		}
		transcripts = append(transcripts, interviewtest.New(lines...))
	}
	transcripts[3] = about("Once I copied an invoice.")
	x := ask.NewIndex(transcripts)
	question := []string{"How are invoices copied into spreadsheets?"}

	found := x.Find(question, ask.Limits{Passages: 40})
	require.Len(t, found, 40)
	found = x.Find(question, ask.Limits{Passages: 300, OfOne: 2})
	count := map[int]int{}
	for _, p := range found {
		count[p.Transcript]++
		require.LessOrEqual(t, count[p.Transcript], 2)
	}
	require.Len(t, count, 25)
	found = x.Find(question, ask.Limits{Passages: 25, OfOne: 6, Transcripts: 25})
	count = map[int]int{}
	for _, p := range found {
		count[p.Transcript]++
	}
	require.Len(t, count, 25, "the best passage of each comes first, even of one that matches badly")
	require.Equal(t, 3, found[24].Transcript, "and the best passages are still the first")
	require.Len(t, x.Find(question, ask.Limits{Passages: 3, Transcripts: 20}), 3)
	require.Empty(t, x.Find(question, ask.Limits{}))
}

func TestPassagesDoNotOverlap(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 300 {
		lines = append(lines, fmt.Sprintf("Ben: Invoice %d is about spreadsheets, receipts and the month.", i))
	}
	lines = append(lines, "Ben: "+strings.Repeat("invoice spreadsheet ", 2000))
	x := ask.NewIndex([]*transcript.Transcript{interviewtest.New(lines...)})
	taken := map[int]bool{}
	for _, p := range x.Find([]string{"invoices and receipts", "spreadsheets"}, ask.Limits{Passages: 100}) {
		for u := p.From; u < p.To; u++ {
			require.False(t, taken[u])
			taken[u] = true
		}
	}
	require.Greater(t, len(taken), 250)
}

func TestEachWordingFinds(t *testing.T) {
	t.Parallel()
	x := ask.NewIndex([]*transcript.Transcript{
		about("Invoices are copied by hand."), about("The ledger is typed up on Fridays."),
		about("We like the harbour."),
	})
	wordings := []string{"Who copies invoices?", "Who types up the ledger?"}
	found := x.Find(wordings, ask.Limits{Passages: 2, OfOne: 1})
	require.ElementsMatch(t, []int{0, 1}, []int{found[0].Transcript, found[1].Transcript})
}

func TestInterviewsOfSeveralLanguagesAreRankedTogether(t *testing.T) {
	t.Parallel()
	german := about("Die Rechnungen tragen wir von Hand in eine Tabelle ein.")
	german.Language = "de"
	x := ask.NewIndex([]*transcript.Transcript{about("Invoices are copied into a spreadsheet by hand."), german})
	limits := ask.Limits{Passages: 1}
	require.Equal(t, 0, x.Find([]string{"Who copies invoices into a spreadsheet?"}, limits)[0].Transcript)
	require.Equal(t, 1, x.Find([]string{"Wer trägt Rechnungen in die Tabelle ein?"}, limits)[0].Transcript)
	wordings := []string{"Who copies invoices?", "Wer trägt Rechnungen ein?"}
	both := x.Find(wordings, ask.Limits{Passages: 2, OfOne: 1})
	require.Len(t, both, 2)
	require.NotEqual(t, both[0].Transcript, both[1].Transcript)
}

func TestAQuestionWithoutWordsFindsNothing(t *testing.T) {
	t.Parallel()
	x := ask.NewIndex([]*transcript.Transcript{interviewtest.Books(), interviewtest.New()})
	for _, wordings := range [][]string{nil, {""}, {"?!"}, {"what is it"}, {"xyzzy"}} {
		require.Empty(t, x.Find(wordings, ask.Limits{Passages: 10, Transcripts: 20}), wordings)
	}
	require.Empty(t, ask.NewIndex(nil).Find([]string{"invoices"}, ask.Limits{Passages: 10}))
}

func TestPassagesAreCounted(t *testing.T) {
	t.Parallel()
	require.Zero(t, ask.NewIndex(nil).Passages())
	require.Equal(t, 1, ask.NewIndex([]*transcript.Transcript{interviewtest.Books()}).Passages())
	long := interviewtest.New("Ben: " + strings.Repeat("word ", 251))
	require.Equal(t, 3, ask.NewIndex([]*transcript.Transcript{interviewtest.Books(), long}).Passages())
}

func TestFindIsDeterministic(t *testing.T) {
	t.Parallel()
	transcripts := []*transcript.Transcript{
		about("Invoices are copied."), about("Invoices are copied."), about("Invoices are copied."),
	}
	limits := ask.Limits{Passages: 10, OfOne: 2, Transcripts: 2}
	first := ask.NewIndex(transcripts).Find([]string{"copied invoices", "invoices"}, limits)
	for range 5 {
		require.Equal(t, first, ask.NewIndex(transcripts).Find([]string{"copied invoices", "invoices"}, limits))
	}
}

func TestAnIndexIsSharedByGoroutines(t *testing.T) {
	t.Parallel()
	index := ask.NewIndex([]*transcript.Transcript{interviewtest.Books(), about("Invoices are copied.")})
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			for i := range 50 {
				index.Find([]string{fmt.Sprintf("invoices of word%d%c", g, 'a'+i%26)}, ask.Limits{Passages: 3})
			}
		})
	}
	group.Wait()
}
