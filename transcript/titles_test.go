package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestTitlesAndListsHaveTheirTurns(t *testing.T) {
	t.Parallel()
	requireTurns(t, []example{
		{
			"titles of sections",
			"1. Background\n\nDana: How long?\n\nOmar: Eleven years.\n\n2. Tools\n\nDana: Which?\n\n" +
				"Omar: A pen.\n\n" +
				"--- Part 2 (b.m4a) ---\n\nDana: Again?\n\nOmar: Again.\n",
			[]string{
				": 1. Background", "Dana: How long?", "Omar: Eleven years.", ": 2. Tools", "Dana: Which?", "Omar: A pen.",
				": --- Part 2 (b.m4a) ---", "Dana: Again?", "Omar: Again.",
			},
		},
		{
			"a numbered list",
			"Dana: What do you do?\n\nOmar: Two things:\n\n1. Call the patient\n\n" +
				"2. Write it down\n\nDana: And then?\n\nOmar: Nothing.\n",
			[]string{
				"Dana: What do you do?", "Omar: Two things: 1. Call the patient 2. Write it down", "Dana: And then?",
				"Omar: Nothing.",
			},
		},
		{
			"a list of one item",
			"Dana: How?\n\nOmar: There is one rule:\n\n1. Call the patient\n\n" +
				"Dana: And then?\n\nOmar: Nothing.\n",
			[]string{
				"Dana: How?", "Omar: There is one rule: 1. Call the patient", "Dana: And then?", "Omar: Nothing.",
			},
		},
		{
			"steps that somebody lists",
			"Dana: How?\nOmar: Like this:\nStep 1: call the patient\nStep 2: wait for them\n" +
				"Dana: And then?\nOmar: Nothing.\n",
			[]string{
				"Dana: How?", "Omar: Like this: Step 1: call the patient Step 2: wait for them", "Dana: And then?",
				"Omar: Nothing.",
			},
		},
		{
			"a label that recurs, whatever it says",
			"Session 2: Hello.\n\nPrimo: Hello.\n\nSession 2: Who is there?\n\nPrimo: Me.\n\n" +
				"Session 2: Bye.\n\nPrimo: Bye.\n",
			[]string{
				"Session 2: Hello.", "Primo: Hello.", "Session 2: Who is there?", "Primo: Me.", "Session 2: Bye.",
				"Primo: Bye.",
			},
		},
		{
			"speakers who count their reasons",
			"Lucía: ¿Y cómo pagaste?\nAna Gil: Con otra.\nPrimero: la azul. Segundo: la de mi madre.\n" +
				"Lucía: ¿Y luego?\nAna Gil: Nada.\n",
			[]string{
				"Lucía: ¿Y cómo pagaste?", "Ana Gil: Con otra. Primero: la azul. Segundo: la de mi madre.",
				"Lucía: ¿Y luego?", "Ana Gil: Nada.",
			},
		},
		{
			"a title with a number in Ukrainian",
			"Інтерв'ю 10: пасіка\n\nОксана: Скільки їх?\nСтепан: Сорок два.\n" +
				"Оксана: А торік?\nСтепан: Більше.\n",
			[]string{
				": Інтерв'ю 10: пасіка", "Оксана: Скільки їх?", "Степан: Сорок два.", "Оксана: А торік?",
				"Степан: Більше.",
			},
		},
	})
}

func TestTitlesDirectlyBelowSpeechHaveNoSpeaker(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"Dana: What do you do?", "Omar: I run the desk.", ": Topic 2: The archive", "Dana: And there?",
		"Omar: I file.", ": Topic 3: Wishes", "Dana: And then?", "Omar: Nothing.",
	}, spoken(t, "Topic 1: The desk\n\nDana: What do you do?\nOmar: I run the desk.\nTopic 2: The archive\n"+
		"Dana: And there?\nOmar: I file.\nTopic 3: Wishes\nDana: And then?\nOmar: Nothing.\n"))
	const lone = "Dana: What do you do?\nOmar: I run the desk.\nThema 2: Archiv\n" +
		"Dana: And there?\nOmar: I file.\n"
	require.Equal(t, []string{
		"Dana: What do you do?", "Omar: I run the desk.", ": Thema 2: Archiv", "Dana: And there?", "Omar: I file.",
	}, spoken(t, lone))
	require.Equal(t, []transcript.WarningCode{transcript.WarnUncertainNames}, warningCodes(t, lone))
}

func TestATitleWithAColonIsNoSpeaker(t *testing.T) {
	t.Parallel()
	for _, title := range []string{
		"Interview B4: Digitale Pflegeplanung", "Wywiad 6: nauczyciele", "Customer Interview 7: Pricing",
	} {
		require.Equal(t, []string{
			": " + title, "DW: What do you do?", "OK: I run the desk.", "DW: Since when?", "OK: Since May.",
		}, spoken(t, title+"\n\nDW: What do you do?\n\nOK: I run the desk.\n\nDW: Since when?\n\nOK: Since May.\n"))
	}
}

func TestATitleBetweenTheTurnsHasNoSpeaker(t *testing.T) {
	t.Parallel()
	const text = "Dana: What do you do?\n\nOmar: I run the desk.\n\nInterview 2: The archive\n\n" +
		"Dana: What do you do?\n\nOmar: I file.\n"
	require.Equal(t, []string{
		"Dana: What do you do?", "Omar: I run the desk.", ": Interview 2: The archive", "Dana: What do you do?",
		"Omar: I file.",
	}, spoken(t, text))
	require.Equal(t, []transcript.WarningCode{transcript.WarnUncertainNames}, warningCodes(t, text))
}

func TestALoneTitleOfASectionIsDoubtful(t *testing.T) {
	t.Parallel()
	const text = "Dana: How long?\n\nOmar: Eleven years.\n\n2. Habits and prices\n\n" +
		"Dana: Which?\n\nOmar: A pen.\n"
	require.Equal(t, []string{
		"Dana: How long?", "Omar: Eleven years.", ": 2. Habits and prices", "Dana: Which?", "Omar: A pen.",
	}, spoken(t, text))
	require.Equal(t, []transcript.WarningCode{transcript.WarnUncertainNames}, warningCodes(t, text))
}

func TestTakesNoTitleBetweenInterviewsForSpeech(t *testing.T) {
	t.Parallel()
	text := "Interview 1\n\nAna: What do you do here?\n\nBen: I run the desk.\n\nAna: And then?\n\n" +
		"Ben: Nothing.\n\nInterview 2\n\nAna: What do you do here?\n\nCem: I drive.\n\nAna: Where?\n\n" +
		"Cem: To the depot.\n"
	turns := spoken(t, text)
	require.Contains(t, turns, "Ben: Nothing.")
	require.Contains(t, turns, ": Interview 2")
}

func TestNumbersOfSectionsBeginAgain(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for range 2 {
		for i := range 4 {
			fmt.Fprintf(&text, "%d. The box below the desk\n\nDana: Who files them?\n\nOmar: I do.\n\n", i+1)
		}
	}
	got, err := transcript.Parse([]byte(text.String()))
	require.NoError(t, err)
	for _, u := range got.Utterances {
		require.Equal(t, strings.Contains(u.Text, "desk"), u.Speaker == "", u.Text)
	}
}

func TestNotesBelowHeadingsAreNobodysWords(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 5 {
		fmt.Fprintf(&text, "## Topic %d\n\nDW: Who files them?\n\nOB: I do.\n\n", i)
	}
	text.WriteString("## Slides\n\nSee the page of the group.\n\nOB: And now?\n\nDW: We stop.\n")
	got, err := transcript.Parse([]byte(text.String()))
	require.NoError(t, err)
	require.Equal(t, []string{"DW", "OB"}, got.Speakers())
	require.Equal(t, "OB", got.Utterances[9].Speaker)
	require.Equal(t, "I do.", got.Utterances[9].Text)
	require.Empty(t, got.Utterances[10].Speaker)
	require.NotEmpty(t, got.Warnings)
	require.NotContains(t, got.Text, "\uE0F1")

	// Where answers go on below headings, they belong to the speaker.
	text.Reset()
	for i := range 4 {
		fmt.Fprintf(&text, "DW: Who files them?\n\nOB: I do.\n\n## Part %d\n\nAs ever.\n\n", i)
	}
	got, err = transcript.Parse([]byte(text.String()))
	require.NoError(t, err)
	for _, u := range got.Utterances {
		require.NotEmpty(t, u.Speaker, u.Text)
		require.NotContains(t, u.Text, "\uE0F1")
	}
}
