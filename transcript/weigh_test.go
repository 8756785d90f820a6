package transcript_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// plainTalk is a conversation about which nothing is doubtful.
const plainTalk = "Olu: How long have you fished here?\n\nTam: Since I was nine, with my uncle.\n\n" +
	"Olu: And who bought the boat?\n\nTam: My uncle did, in spring.\n\n" +
	"Olu: What do you catch?\n\nTam: Herring, and mackerel in summer.\n"

// plainParagraphs returns a conversation that names nobody, with marks before what two people say.
func plainParagraphs(one, other string) string {
	return one + "Um, how long have you fished here?\n\n" + other + "Um, since I was nine.\n\n" +
		one + "So who bought the boat?\n\n" + other + "Yeah, my uncle did.\n\n" +
		one + "Yeah, nice. Um, what do you catch?\n\n" + other + "So, herring mostly.\n\n" +
		one + "Um, and in summer?\n\n" + other + "Mackerel, if we are lucky.\n\n" +
		one + "Is that all?\n\n" + other + "That is all.\n\n" +
		one + "Thanks. Good bye.\n\n" + other + "You are welcome.\n"
}

// headings returns a report whose paragraphs are labelled with what they are about.
func headings(labels ...string) string {
	text := ""
	for _, label := range labels {
		for _, word := range []string{"much", "little", "nothing"} {
			text += label + ": There is " + word + " to say about them, I was told.\n\n"
		}
	}
	return text
}

// doubtfulFiles are files that can be read in several ways. Their words are our own, and their kinds those of
// files that people uploaded.
var doubtfulFiles = map[string]string{
	"questions without a label": "R: I mend nets, mostly in winter.\n\nSince when do you do that?\n\n" +
		"R: Since school, my father showed me.\n\nAnd who buys them?\n\nR: The boats from the north.\n\n" +
		"What does one cost?\n\nR: That depends on the size.\n",
	"answers without a label": "Question: Tell me, when did you begin to fish?\n\nI was nine. My uncle took " +
		"me out.\n\n" +
		"Question: What do you catch in summer?\n\nMackerel. In a good year we sell it fresh.\n\n" +
		"Question: Would you do it again?\n\nYes, but with a warmer coat.\n",
	"the caption of a picture": "OB: So, do you still have the nets of that year?\n\nTK: Two of them, in the " +
		"shed.\n\n" +
		"OB: Good.\n\nTafel 7: Die Netze, wie TK sie in den Hof hängt\n\nTK: We dyed them brown.\n\n" +
		"OB: Why brown?\n\nTK: The fish do not see it.\n",
	"fields above answers": "BARCO: Estrela do Mar\n\nPORTO: Olhão\n\nPESSOA: TOMÁS REIS\n\n" +
		"1. Há quanto tempo pesca?\nT: Desde os nove anos, com o meu tio.\n\n2. O que apanha?\nT: Cavala e " +
		"sardinha.\n\n" +
		"3. Quem compra?\nT: A lota, quase tudo.\n\n4. E no inverno?\nT: No inverno remendo redes.\n",
	"a word and a number before names": "Nr. 1 Olu Berg (S)\nHow long have you fished?\n\n" +
		"Nr. 2 Tam Lund (S)\nSince I was nine.\n\nNr. 3 Olu Berg (S)\nWith whom?\n\n" +
		"Nr. 4 Tam Lund (S)\nWith my uncle.\n\nNr. 5 Olu Berg (S)\nIs he here?\n\nNr. 6 Tam Lund (S)\nHe is out.\n",
	"labels that do not come back": headings("Boats", "Nets", "Ice", "Prices", "Sellers", "Winter", "Taxes",
		"Future"),
	"letters that count up": "The harbour\n\nI. Fishers\n  A. How long have you fished?\n     Since nine.\n\n" +
		"  B. With whom?\n     With my uncle.\n\n  C. What do you catch?\n     Herring.\n\nII. Sellers\n" +
		"  A. Who buys?\n     The hall.\n\n  B. When?\n     At six.\n\n  C. And in winter?\n     Nobody.\n",
	"a title in capitals": "TAM LUND: An interview led by Olu Berg, Harbour Archive, 4 May 2013.\n\nQ:\n\n" +
		"Where were you born?\n\nTam Lund:\n\nHere, in the harbour.\n\nQ:\n\nAnd your uncle?\n\nTam Lund:\n\n" +
		"Here as well.\n\nQ:\n\nThank you.\n\nTam Lund:\n\nYou are welcome.\n",
	"names above that are no names": "Hello, and thank you for the time. What do you do here?\n\nZZZZ\n" +
		"I keep the harbour, since 1990.\n\nWho else works here?\n\nWWWW\nTwo of us, and the dog.\n\n" +
		"What is the hardest part?\n\nZZZZ\nThe winter, always.\n\nWWWW\nThe papers.\n",
}

func TestAPlainFileNeedsNoLook(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"labels":                    plainTalk,
		"paragraphs that alternate": plainParagraphs("", ""),
		"marks of dialogue":         plainParagraphs("- ", "* "),
		"questions without labels": "When did you begin to fish?\n\nAt nine. One thing: my uncle did not ask.\n\n" +
			"Who bought the boat?\n\nMy uncle did, in spring.\n\nWould you do it again?\n\nWith a warmer coat.\n",
		"captions": "WEBVTT\n\n00:01.000 --> 00:02.000\nHow long have you fished?\n\n00:02.000 --> " +
			"00:03.000\nSince nine.\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := transcript.Parse([]byte(text))
			require.NoError(t, err)
			require.False(t, got.NeedsLook, "%v", got.Confidence)
			require.Greater(t, got.Confidence, 0.9)
			require.Empty(t, got.Doubts)
			for _, u := range got.Utterances {
				require.Greater(t, u.Confidence, 0.9)
			}
		})
	}
}

func TestADoubtfulFileNeedsALook(t *testing.T) {
	t.Parallel()
	for name, text := range doubtfulFiles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := transcript.Parse([]byte(text))
			require.NoError(t, err)
			checkInvariants(t, got)
			require.True(t, got.NeedsLook, "confidence %v, turns %q", got.Confidence, turnsOf(got))
		})
	}
}

func TestTheLabelsOfAFileAreListed(t *testing.T) {
	t.Parallel()
	got, err := transcript.Parse([]byte(doubtfulFiles["the caption of a picture"]))
	require.NoError(t, err)
	first := got.Labels[0]
	require.Equal(t, "Tafel 7", first.Label)
	require.Greater(t, first.Doubt, 0.1)
	require.Equal(t, 1, first.Count)
	require.Equal(t, "OB: Good.", first.First.Before)
	require.Equal(t, "Tafel 7: Die Netze, wie TK sie in den Hof hängt", first.First.Line)
	require.Len(t, got.Labels, 3)
}

func TestLinesWithoutALabelAreOfferedAsAVoice(t *testing.T) {
	t.Parallel()
	got, err := transcript.Parse([]byte(doubtfulFiles["questions without a label"]))
	require.NoError(t, err)
	require.NotNil(t, got.Unlabelled)
	require.Equal(t, 3, got.Unlabelled.Count)
	require.Equal(t, "R", got.Unlabelled.In)
	require.Equal(t, "Interviewer", got.Unlabelled.Suggest)
	require.Equal(t, "Since when do you do that?", got.Unlabelled.First.Line)

	settled, err := transcript.Read([]byte(doubtfulFiles["questions without a label"]),
		transcript.Reading{Unlabelled: decide("Interviewer")})
	require.NoError(t, err)
	require.False(t, settled.NeedsLook, "%v", settled.Confidence)
	require.Equal(t, []string{"R", "Interviewer"}, settled.Speakers())
}

func TestTheEndsOfAFileAreShown(t *testing.T) {
	t.Parallel()
	got, err := transcript.Parse([]byte(plainTalk))
	require.NoError(t, err)
	require.Equal(t, "Olu: How long have you fished here?", got.Edges.Head[0])
	require.Equal(t, "Tam: Herring, and mackerel in summer.", got.Edges.Tail[len(got.Edges.Tail)-1])
}

func TestWeighedReadingsHaveFeatures(t *testing.T) {
	t.Parallel()
	readings, err := transcript.Weigh([]byte(doubtfulFiles["questions without a label"]))
	require.NoError(t, err)
	require.Greater(t, len(readings), 1)
	share, chosen := 0.0, 0
	for _, r := range readings {
		share += r.Share
		if r.Chosen {
			chosen++
			require.InDelta(t, 1, r.Features["file_bias"], 0)
		}
	}
	require.InDelta(t, 1, share, 1e-9)
	require.Equal(t, 1, chosen)
}

func TestDecidedLabelsStayListed(t *testing.T) {
	t.Parallel()
	got, err := transcript.Read([]byte("WEBVTT\n\n00:01.000 --> 00:02.000\n<v Olu>Ready?\n\n"+
		"00:02.000 --> 00:03.000\n<v Radio>Gale warning.\n\n00:03.000 --> 00:04.000\n<v O.>Now.\n"),
		transcript.Reading{Nobody: []string{"Radio"}, Same: map[string]string{"O.": "Olu"}})
	require.NoError(t, err)
	kinds := map[string]transcript.LabelKind{}
	same := map[string]string{}
	for _, l := range got.Labels {
		kinds[l.Label], same[l.Label] = l.Kind, l.Same
		require.Zero(t, l.Doubt)
	}
	require.Equal(t, map[string]transcript.LabelKind{
		"Olu": transcript.LabelPerson, "O.": transcript.LabelPerson, "Radio": transcript.LabelNobody,
	}, kinds)
	require.Equal(t, "Olu", same["O."])
}

func TestEdgesAreThoseOfTheWholeFile(t *testing.T) {
	t.Parallel()
	got, err := transcript.Read([]byte(plainTalk), transcript.Reading{From: "Olu: And who"})
	require.NoError(t, err)
	require.Equal(t, "Olu: How long have you fished here?", got.Edges.Head[0])
	require.Equal(t, "And who bought the boat?", got.Utterances[0].Text)
}

func TestAnswersThatRecurAreNoHeadersOfPages(t *testing.T) {
	t.Parallel()
	text := "Fragende\n\nWie war der Herbst?\n\nHerr Lund\n\nlang und ziemlich nass\n\n"
	for _, question := range []string{"Und das Meer?", "Und der Wind?", "Und die Netze?", "Und das Boot?"} {
		text += "Fragende\n\n" + question + "\n\nHerr Lund\n\nwie immer halt\n\n"
	}
	got, err := transcript.Parse([]byte(text))
	require.NoError(t, err)
	require.Len(t, got.Utterances, 10)
	require.Equal(t, []string{"Fragende", "Herr Lund"}, got.Speakers())
	require.Equal(t, "wie immer halt", got.Utterances[9].Text)
}

func TestTheFieldsOfAFormAreNobodyTogether(t *testing.T) {
	t.Parallel()
	got, err := transcript.Parse([]byte("* **Moderadora:** Inês\n* **Pescador 1:** Tomás (pescador)\n" +
		"* **Pescador 2:** Rui (vendedor)\n* **Pescador 3:** Bia (peixeira)\n\n---\n\n" +
		"**Inês:** Há quanto tempo pesca?\n\n**Tomás:** Desde os nove anos.\n\n**Rui:** Eu vendo há dez.\n\n" +
		"**Inês:** E a Bia?\n\n**Bia:** Desde sempre.\n\n**Inês:** O que vende?\n\n**Bia:** Cavala.\n\n" +
		"**Rui:** E sardinha.\n\n**Tomás:** No verão.\n\n**Inês:** Obrigada.\n"))
	require.NoError(t, err)
	require.Equal(t, []string{"Inês", "Tomás", "Rui", "Bia"}, got.Speakers())
}
