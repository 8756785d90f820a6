package ask_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/ask"
	"research/activities/extract/interviewtest"
	"research/activities/extract/quote"
	"research/transcript"
)

// sourced is a question to interviews, whose interviewer is Ann. Each has one source: "p1" is the first.
type sourced struct {
	prover  *ask.Prover
	texts   []*transcript.Transcript
	sources []extract.AnswerSource
}

func newSourced(question string, transcripts ...*transcript.Transcript) *sourced {
	s := &sourced{texts: transcripts}
	interviewers := make([][]string, len(transcripts))
	for i, t := range transcripts {
		interviewers[i] = []string{"Ann"}
		s.sources = append(s.sources, extract.AnswerSource{
			ID: fmt.Sprintf("p%d", i+1), Transcript: i, From: 0, To: len(t.Utterances),
		})
	}
	s.prover = ask.NewProver(question, transcripts, interviewers)
	return s
}

func (s *sourced) prove(text string, cites ...extract.Cite) (ask.Sentence, bool) {
	return s.prover.Prove(extract.AnswerLine{Text: text, Cites: cites}, s.sources)
}

func inLanguage(language string, lines ...string) *transcript.Transcript {
	t := interviewtest.New(lines...)
	t.Language = language
	return t
}

func books() *sourced {
	return newSourced("How do they close their books, and what would they pay?",
		interviewtest.Books(),
		interviewtest.New(
			"Ann: What do you use?",
			"Cleo: We bought a tool last year for 40 euros a month. Most of my clients send their receipts late.",
			"Cleo: I never close the books before the tenth.",
			"Dan: I do it with 2 colleagues.",
		))
}

func TestSentencesWithoutProofAreRefused(t *testing.T) {
	t.Parallel()
	const hand = "We copy every invoice by hand into a spreadsheet"
	const nothing = "We would not pay for invoice software"
	for name, c := range map[string]struct {
		text     string
		cites    []extract.Cite
		rejected int
	}{
		"an invented quote": {
			"Ben loves the tool.", []extract.Cite{{ID: "p1", Quote: "I love this tool more than anything else"}}, 1,
		},
		"a stitched quote": {
			"Ben copies receipts by hand.",
			[]extract.Cite{{
				ID: "p1", Quote: "We copy every invoice by hand, she complains about missing receipts",
			}}, 1,
		},
		"a quote of another interview": {"Ben bought a tool.", []extract.Cite{
			{ID: "p1", Quote: "We bought a tool last year for 40 euros a month"},
		}, 1},
		"an id that nothing has": {"Ben copies invoices.", []extract.Cite{{ID: "p9", Quote: hand}}, 1},
		"most users by one quote": {
			"Most users copy invoices by hand.", []extract.Cite{{ID: "p1", Quote: hand}}, 0,
		},
		"most users by most clients of one": {
			"Most participants get receipts late.",
			[]extract.Cite{{ID: "p2", Quote: "Most of my clients send their receipts late"}}, 0,
		},
		"everybody by one quote": {"Everyone copies invoices by hand.", []extract.Cite{{ID: "p1", Quote: hand}}, 0},
		"nobody by one quote":    {"Nobody would pay for software.", []extract.Cite{{ID: "p1", Quote: nothing}}, 0},
		"a count of people":      {"7 of 9 copy invoices by hand.", []extract.Cite{{ID: "p1", Quote: hand}}, 0},
		"a count whose number is of days": {
			"Two interviewees copy invoices by hand.",
			[]extract.Cite{{ID: "p1", Quote: hand + ", and that takes Maria two full days"}}, 0,
		},
		"customers whose number is of days": {
			"Two customers copy invoices by hand.",
			[]extract.Cite{{ID: "p1", Quote: hand + ", and that takes Maria two full days"}}, 0,
		},
		"knowledge of the world":    {"Spreadsheets were invented in 1979.", nil, 0},
		"a quote that says nothing": {"Ben knows Excel well.", []extract.Cite{{ID: "p1", Quote: "I see."}}, 1},
		"a number that no quote has": {
			"Copying takes 3 days.",
			[]extract.Cite{{ID: "p1", Quote: hand + ", and that takes Maria two full days"}}, 0,
		},
		"a number of another unit": {
			"Copying takes two hours.",
			[]extract.Cite{{ID: "p1", Quote: hand + ", and that takes Maria two full days"}}, 0,
		},
		"a number of another currency": {
			"The tool costs $40 a month.",
			[]extract.Cite{{ID: "p2", Quote: "We bought a tool last year for 40 euros a month"}}, 0,
		},
		"a part of a number": {
			"The tool costs 4 euros a month.",
			[]extract.Cite{{ID: "p2", Quote: "We bought a tool last year for 40 euros a month"}}, 0,
		},
		"a negation that is left out": {
			"Ben would pay for invoice software.", []extract.Cite{{ID: "p1", Quote: nothing}}, 0,
		},
		"a negation that is added": {
			"Ben's team does not copy invoices by hand.", []extract.Cite{{ID: "p1", Quote: hand}}, 0,
		},
		"never, of what is not done once": {
			"Ben never pays for software.", []extract.Cite{{ID: "p1", Quote: nothing}}, 0,
		},
		"words of the interviewer": {
			"Ben would pay for a tool.",
			[]extract.Cite{{ID: "p1", Quote: "And what would you pay for a tool that did it?"}}, 1,
		},
		"a sentence that is too long": {
			"Ben copies invoices" + strings.Repeat(" by hand", 300), []extract.Cite{{ID: "p1", Quote: hand}}, 0,
		},
		"no sentence": {" ", []extract.Cite{{ID: "p1", Quote: hand}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sentence, ok := books().prove(c.text, c.cites...)
			require.False(t, ok)
			require.Equal(t, c.rejected, sentence.Rejected)
		})
	}
}

func TestASentenceIsProvenOnce(t *testing.T) {
	t.Parallel()
	s := books()
	hand := extract.Cite{ID: "p1", Quote: "We copy every invoice by hand into a spreadsheet"}
	_, ok := s.prove("Ben copies invoices by hand.", hand)
	require.True(t, ok)
	_, ok = s.prove("Ben copies  invoices by hand", hand)
	require.False(t, ok, "the same words")
	_, ok = s.prove("Ben copies invoices into a spreadsheet.", hand)
	require.True(t, ok)
}

func TestCitesAreBounded(t *testing.T) {
	t.Parallel()
	cites := make([]extract.Cite, 25)
	for i := range cites {
		cites[i] = extract.Cite{ID: "p1", Quote: "We copy every invoice by hand into a spreadsheet"}
	}
	cites[1].Quote = "We copy each and every paper " + strings.Repeat("by hand ", 1000)
	sentence, ok := books().prove("Ben copies invoices by hand.", cites...)
	require.True(t, ok)
	require.Len(t, sentence.Quotes, 1, "the same words are one quote")
	require.Equal(t, 6, sentence.Rejected)
}

func TestAQuoteIsABytePartOfItsSource(t *testing.T) {
	t.Parallel()
	s := books()
	sentence, ok := s.prove("Ben copies invoices by hand [p1].",
		extract.Cite{ID: "p1", Quote: "we copy every invoice by hand into a spreadsheet"},
		extract.Cite{ID: "p1", Quote: "we use a robot for each of the invoices"})
	require.True(t, ok)
	require.Equal(t, "Ben copies invoices by hand.", sentence.Text)
	require.Equal(t, 1, sentence.Rejected)
	q := sentence.Quotes[0]
	require.Equal(t, s.texts[0].Text[q.ByteStart:q.ByteEnd], q.Text)
	require.Equal(t, ask.Quote{
		Text: "We copy every invoice by hand into a spreadsheet", Speaker: "Ben", From: 1, To: 2,
		ByteStart: q.ByteStart, ByteEnd: q.ByteEnd, Match: quote.MatchVerbatim,
	}, q)
}

func TestAQuoteLiesInItsSource(t *testing.T) {
	t.Parallel()
	s := books()
	s.sources[0].From, s.sources[0].To = 2, 4
	sentence, ok := s.prove("Ben copies invoices by hand.",
		extract.Cite{ID: "p1", Quote: "We copy every invoice by hand into a spreadsheet"})
	require.False(t, ok, "another place of the same interview")
	require.Equal(t, 1, sentence.Rejected)
}

func TestHonestSentencesAreProven(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language, said, text string
	}{
		{"en", "We copy every invoice by hand into a spreadsheet, and that takes Maria two full days.",
			"Copying all invoices takes 2 days."},
		{"en", "Honestly, nothing. We would not pay for invoice software, the spreadsheet is good enough.",
			"Ben does not want to pay because the spreadsheet is good enough."},
		{"en", "Honestly, nothing. We would not pay for invoice software, the spreadsheet is good enough.",
			"The spreadsheet is good enough."},
		{"en", "I refuse to pay for that.", "Ben would not pay."},
		{"en", "The invoices never arrive on time.", "Late invoices are a problem."},
		{"en", "I can't live without it.", "The tool is essential to Ben."},
		{
			"en", "It costs us twenty thousand dollars, about 5 percent of revenue.",
			"It costs $20,000, or 5% of revenue.",
		},
		{"en", "We have 12 customers in Berlin.", "Ben has twelve customers."},
		{"en", "Everyone in my team hates it.", "Everyone in Ben's team hates it."},
		{"en", "Most of my clients pay late.", "Most clients of Ben pay late."},
		{"en", "None of my customers asked for that.", "None of Ben's customers asked for it."},
		{"en", "I don't think that we'd pay more than $50 for it.", "Ben would not pay over 50 dollars."},
		{"en", "We don't have time, so we hired an accountant.", "They hired an accountant."},
		{"en", "I've never had a problem with the export.", "The export works for Ben."},
		{"en", "Two hundred and fifty orders come in on a good day.", "On a good day 250 orders come in."},
		{"en", "7 of 9 invoices are late.", "7 of 9 invoices are late."},
		{"en", "Nope, I just do it on paper.", "Ben only uses paper."},
		{"en", "Approvals are not what slows us down. Missing receipts are.",
			"Missing receipts slow Ben down, not approvals."},
		{"en", "In sales, I think most of them would connect it.", "Most of the sales team would connect it."},
		{"es", "El mes pasado perdimos noventa y tres llamadas.", "El mes pasado perdieron 93 llamadas."},
		{"de", "Private Handys sind verboten.", "Private Handys dürfen nicht benutzt werden."},
		{"de", "Das hat uns etwa 18.000 Euro gekostet.", "One day of standstill cost about €18,000."},
		{"ja", "請求書は手で入力しています。ツールは使っていません。", "Ben does not use a tool."},
		{"zh", "我们不会为这个付钱。", "他们不会付钱。"},
		{"de", "Wir tragen alle Schichten von Hand ein, das dauert jede Woche drei Stunden.",
			"Das Eintragen aller Schichten dauert 3 Stunden."},
		{"de", "Für so etwas würden wir nicht zahlen, dafür haben wir kein Budget.",
			"Ben würde dafür nicht zahlen, weil das Budget fehlt."},
		{"de", "Für so etwas würden wir nicht zahlen, dafür haben wir kein Budget.", "Ben would not pay for it."},
		{"de", "Die meisten meiner Kunden rufen lieber an.", "Die meisten Kunden rufen an."},
		{"de", "Das Programm ist mir zu teuer.", "Ben kauft das Programm nicht, es ist zu teuer."},
		{"de", "Wir haben fünfundzwanzig Mitarbeiter.", "Die Firma hat 25 Mitarbeiter."},
		{"fr", "Nous ne paierions pas pour ça, le tableur suffit largement.",
			"Ben ne paierait pas, car le tableur suffit."},
		{"fr", "La plupart de mes clients paient en retard.", "La plupart des clients paient en retard."},
		{"fr", "Ça nous prend quatre-vingt-dix minutes, dont je me passerais.",
			"Cela prend 90 minutes, dont Ben se passerait."},
		{"fr", "Je n'utilise plus Excel depuis deux ans.", "Ben n'utilise plus Excel."},
		{"es", "No pagaríamos por eso, la hoja de cálculo es suficiente.",
			"Ben no pagaría porque la hoja de cálculo es suficiente."},
		{"es", "Todos mis clientes llaman por teléfono, nadie usa la página.",
			"Todos los clientes llaman por teléfono y nadie usa la página."},
		{"es", "Tardamos veinticinco minutos en cada reserva.", "Cada reserva tarda 25 minutos."},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			s := newSourced("What is it like?", inLanguage(c.language, "Ann: What is it like?", "Ben: "+c.said))
			_, ok := s.prove(c.text, extract.Cite{ID: "p1", Quote: c.said})
			require.True(t, ok)
		})
	}
}

func TestFlippedSentencesAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language, said, text string
	}{
		{"de", "Für so etwas würden wir nicht zahlen.", "Dafür würden sie zahlen."},
		{"de", "Für so etwas würden wir nicht zahlen.", "They would pay for it."},
		{"de", "Wir tragen die Schichten von Hand ein.", "Alle Befragten tragen die Schichten von Hand ein."},
		{"de", "Wir tragen die Schichten von Hand ein.", "Die meisten Nutzer tragen Schichten von Hand ein."},
		{"de", "Wir tragen die Schichten von Hand ein.", "Niemand nutzt eine Software."},
		{"fr", "Nous ne paierions pas pour ça.", "Ben paierait pour cela."},
		{"fr", "Nous payons pour ça.", "La plupart des personnes interrogées paient."},
		{"fr", "Nous payons pour ça.", "Ben ne paie pas pour cela."},
		{"es", "No pagaríamos por eso.", "Ben pagaría por eso."},
		{"es", "Pagamos veinte euros por eso.", "La mayoría de los usuarios pagan veinte euros."},
		{"es", "Pagamos veinte euros por eso.", "Ben paga treinta euros."},
		{"en", "I don't think it saves us any time.", "The tool saves time."},
		{"en", "Never.", "Ben uses the tool."},
		{"en", "Approvals are not what slows us down. Missing receipts are.", "Approvals slow them down."},
		{"en", "In sales, I think most of them would connect it.", "Most users would connect it."},
		{"es", "Nos cobraba dos euros por cada comensal.", "La mayoría de los bares pagan dos euros."},
		{"ja", "請求書は手で入力しています。", "ほとんどのユーザーは手で入力しています。"},
		{"zh", "我们不会为这个付钱。", "Ben would pay."},
		{"en", "We pay for tools, but not for support.", "Ben does not pay for tools."},
		{"en", "All invoices are late.", "Everyone pays late."},
		{"en", "It takes two days.", "Two said that it takes long."},
		{"en", "It takes twenty thousand clicks.", "It takes 20 clicks."},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			s := newSourced("What is it like?", inLanguage(c.language, "Ann: What is it like?", "Ben: "+c.said))
			_, ok := s.prove(c.text, extract.Cite{ID: "p1", Quote: c.said})
			require.False(t, ok)
		})
	}
}

func TestTheQuestionLendsItsNumbers(t *testing.T) {
	t.Parallel()
	interview := interviewtest.New("Ann: 50 a month?", "Ben: No, I would not pay that, it is too much.")
	cite := extract.Cite{ID: "p1", Quote: "I would not pay that, it is too much"}
	_, ok := newSourced("Would they pay 50 euros a month?", interview).prove("Ben would not pay 50 euros.", cite)
	require.True(t, ok)
	_, ok = newSourced("Would they pay?", interview).prove("Ben would not pay 50 euros.", cite)
	require.False(t, ok)
	_, ok = newSourced("Would 50 users pay?", interview).prove("50 users would not pay.", cite)
	require.False(t, ok, "of people")
}

func TestTheNameOfASpeakerIsNoNumber(t *testing.T) {
	t.Parallel()
	interview := interviewtest.New("Speaker 1: How is it?", "Speaker 2: It takes far too long to load.")
	s := newSourced("How is it?", interview)
	cite := extract.Cite{ID: "p1", Quote: "It takes far too long to load"}
	_, ok := s.prove("Speaker 2 finds that it loads too slowly.", cite)
	require.True(t, ok)
	_, ok = s.prove("Speaker 3 finds that it loads too slowly.", cite)
	require.False(t, ok)
}

func TestPassagesAreShownByTheWordsOfParticipants(t *testing.T) {
	t.Parallel()
	s := books()
	quotes := s.prover.PassageQuotes([]ask.Passage{
		{Transcript: 0, From: 0, To: 3, Best: -1}, {Transcript: 0, From: 2, To: 3, Best: 2},
	})
	require.Len(t, quotes, 1, "the second has the interviewer's words alone")
	require.Equal(t, "We copy every invoice by hand into a spreadsheet, and that takes Maria two full days.",
		quotes[0].Text)
	require.Equal(t, [2]int{1, 2}, [2]int{quotes[0].From, quotes[0].To})
	q, ok := s.prover.ProveSpan(ask.Passage{Transcript: 1, From: 1, To: 3, Best: -1})
	require.True(t, ok)
	require.Equal(t, s.texts[1].Text[q.ByteStart:q.ByteEnd], q.Text)
	require.Equal(t, [2]int{1, 3}, [2]int{q.From, q.To}, "what one says without a break is one quote")
}

func TestPassagesAreShownByTheirBestMatch(t *testing.T) {
	t.Parallel()
	interview := interviewtest.New(
		"Ann: How was the spring?", "Ben: The garden was lovely, and we had guests on all the days of the week.",
		"Ann: And the receipts?", "Ben: I lose them.", "Ann: What about lost receipts?")
	x := ask.NewIndex([]*transcript.Transcript{interview})
	p := ask.NewProver("", []*transcript.Transcript{interview}, [][]string{{"Ann"}})
	show := func(question string) string {
		quotes := p.PassageQuotes(x.Find([]string{question}, ask.Limits{Passages: 1}))
		require.Len(t, quotes, 1)
		return quotes[0].Text
	}
	require.Equal(t, "I lose them.", show("What do people lose?"))
	require.Contains(t, show("What happens to receipts?"), "garden", "interviewers are not quoted")
}

func TestBothNeedsTwoSpeakers(t *testing.T) {
	t.Parallel()
	first := extract.Cite{ID: "p1", Quote: "We copy every invoice by hand into a spreadsheet"}
	second := extract.Cite{ID: "p2", Quote: "We bought a tool last year for 40 euros a month"}
	_, ok := books().prove("Both do the books themselves.", first, second)
	require.True(t, ok)
	_, ok = books().prove("Both do the books themselves.", first)
	require.False(t, ok)
}
