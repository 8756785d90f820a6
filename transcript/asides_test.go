package transcript_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestTextsWithAsidesHaveTheirTurns(t *testing.T) {
	t.Parallel()
	requireTurns(t, []example{
		{
			"a summary behind the last turn",
			"[00:03] Dana: How do you do it?\n\n[00:07] Omar: On paper.\n\nIn summary: on paper.\n\n" +
				"[00:12] Dana: Thanks.\n\nSummary\n\nOmar works on paper.\nAction items\n- Send the form\n",
			[]string{
				"Dana (3s): How do you do it?", "Omar (7s): On paper. In summary: on paper.", "Dana (12s): Thanks.",
				": Summary Omar works on paper. Action items - Send the form",
			},
		},
		{
			"notes in brackets between turns",
			"Dana: What do you do?\n\nOmar: I run the desk.\n[laughs]\n\n" +
				"[The phone rings; the recording is paused]\n\n" +
				"Dana: Since when?\n\nOmar: Since May.\n",
			[]string{
				"Dana: What do you do?", "Omar: I run the desk. [laughs]", ": [The phone rings; the recording is paused]",
				"Dana: Since when?", "Omar: Since May.",
			},
		},
		{
			"somebody called Memo",
			"Dana: How long?\n\nMemo: Eleven years.\n\nDana: Which?\n\nMemo: A pen.\n",
			[]string{"Dana: How long?", "Memo: Eleven years.", "Dana: Which?", "Memo: A pen."},
		},
	})
}

func TestANoteOfAnObserverIsDoubtful(t *testing.T) {
	t.Parallel()
	const text = "Dana: Where is it?\n\nOmar: In the drawer.\n\nObserver note: Omar sighs.\n\nDana: Show " +
		"me.\n\nOmar: Here.\n"
	require.Equal(t, []string{
		"Dana: Where is it?", "Omar: In the drawer.", ": Observer note: Omar sighs.", "Dana: Show me.",
		"Omar: Here.",
	}, spoken(t, text))
	require.Equal(t, []transcript.WarningCode{transcript.WarnUncertainNames}, warningCodes(t, text))
}

func TestAMemoBehindTheInterviewHasNoSpeaker(t *testing.T) {
	t.Parallel()
	for _, memo := range []string{"Memo: Omar seemed tired.", "Notiz: Omar wirkte müde."} {
		text := "Dana: How long?\n\nOmar: Eleven years.\n\nDana: Which?\n\nOmar: A pen.\n\n" + memo + "\n"
		require.Equal(t, []string{
			"Dana: How long?", "Omar: Eleven years.", "Dana: Which?", "Omar: A pen.", ": " + memo,
		}, spoken(t, text))
		require.Equal(t, []transcript.WarningCode{transcript.WarnUncertainNames}, warningCodes(t, text))
	}
}

func TestNobodySaysThatTheTranscriptionStopped(t *testing.T) {
	t.Parallel()
	for _, notice := range []string{"detuvo la transcripción", "a arrêté la transcription"} {
		require.Equal(t, []string{"Dana: How long?", "Omar: Eleven years.", "Dana: Which?", "Omar: A pen."},
			spoken(t, "Dana: How long?\n\nOmar: Eleven years.\n\nDana: Which?\n\nOmar: A pen.\n\n"+
				"Dana Weber "+notice+"\n"))
	}
}

func TestWhatAChatbotOffersHasNoSpeaker(t *testing.T) {
	t.Parallel()
	const turns = "**Dana:** How long?\n\n**Omar:** Eleven years.\n\n**Dana:** Which?\n\n**Omar:** A pen.\n\n"
	const text = "Here is the transcript:\n\n---\n\n" + turns + "---\n\nLet me know if you'd like a summary!\n"
	got := spoken(t, text)
	require.Equal(t, []string{"Omar: A pen.", ": Let me know if you'd like a summary!"}, got[len(got)-2:])
	require.Contains(t, warningCodes(t, text), transcript.WarnUncertainNames)
}

func TestSpeakersGoOnBehindManyRules(t *testing.T) {
	t.Parallel()
	const turns = "**Dana:** How long?\n\n**Omar:** Eleven years.\n\n---\n\n"
	got := spoken(t, turns+turns+turns+"It was a good time.\n")
	require.Equal(t, "Omar: It was a good time.", got[len(got)-1])
}

func TestWhatFollowsTheInterviewIsNotSaid(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("Q: How do you file them?\n\nA: In a box.\n\n", 5) +
		"Fundamental challenges in filing\n\n" + strings.Repeat("Weber et al. show that boxes are fine.\n\n", 8)
	got, err := transcript.Parse([]byte(text))
	require.NoError(t, err)
	require.Equal(t, "A", got.Utterances[9].Speaker)
	require.Equal(t, "In a box.", got.Utterances[9].Text)
	require.Empty(t, got.Utterances[10].Speaker)
	require.NotEmpty(t, got.Warnings)

	// Somebody may speak at length in the end.
	text = strings.Repeat("Q: How do you file them?\n\nA: In a box.\n\n", 5) +
		strings.Repeat("And in a drawer.\n\n", 8)
	got, err = transcript.Parse([]byte(text))
	require.NoError(t, err)
	require.Len(t, got.Utterances, 10)
}

func TestQuestionsOfAListAreNobodysAnswer(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for range 4 {
		text.WriteString("- How often do you buy one?\n\n" +
			"Ella: Every six years\nCarl: Every other year\nHavva: Never\n\n")
	}
	got, err := transcript.Parse([]byte(text.String()))
	require.NoError(t, err)
	require.Equal(t, []string{"Ella", "Carl", "Havva"}, got.Speakers())
	for _, u := range got.Utterances {
		require.Equal(t, strings.Contains(u.Text, "?"), u.Speaker == "", u.Text)
	}
}

// Words are marked with tags and links, which nobody said. Tags in code that people paste are words.
func TestAnnotatedWords(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"Dana: Where are you from?", "Omar: I was born in Leeds, on the seventh of May.", "Dana: And your father?",
		"Omar: He kept the shop, as the paper says.",
	}, spoken(t, "Dana: Where are you from?\n\nOmar: I was born in <place type=\"town\">Leeds</place>"+
		", on <date>the seventh of May</date>.\n\nDana: And your <kin>father</kin>?\n\n"+
		"Omar: He kept <thing>the shop</thing>, as [the paper](https://example.com/a_(b)?c=1) says.\n"))
	require.Contains(t, spoken(t, "Dana: What is in it?\n\nOmar: This:\n<id>a</id>\n<id>b</id>\n<id>c</id>\n"+
		"<id>d</id>\n\nDana: I see.\n\nOmar: Yes.\n")[1], "<id>a</id>")
}
