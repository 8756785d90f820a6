package transcript_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestFormsHaveTheirTurns(t *testing.T) {
	t.Parallel()
	requireTurns(t, []example{
		{
			"a form that names the speakers",
			"Moderator: Dana Weber\nGuest: P07\nDana Weber: What do you do here?\n" +
				"P07: I run the desk.\nDana Weber: And then?\nP07: Nothing.\n",
			[]string{
				": Moderator: Dana Weber", ": Guest: P07", "Dana Weber: What do you do here?", "P07: I run the desk.",
				"Dana Weber: And then?", "P07: Nothing.",
			},
		},
	})
}

func TestTakesNoFormOfPeopleForTurns(t *testing.T) {
	t.Parallel()
	for _, form := range []string{
		"Interview 7\n\nInterviewer: Jane Roe\nParticipant: P07, nurse, 34\nDate: 14 March 2024\n" +
			"Location: Berlin\nTranscribed by: Kim M.\n\n",
		"Interviewer: Jane Roe\nParticipant: P07, nurse, 34\n\n",
		"Interviewer: Jane Roe\n\nDate: 14 March 2024\n\nParticipant: P07\n\n",
		"Date: 14 March 2024\nInterviewer: Jane Roe\nParticipant: P07\n\n",
		"Participant: P07, nurse, 34\nInterviewer: Jane Roe\n",
	} {
		turns := spoken(t, form+"Interviewer: What do you do here?\n\nParticipant: I run the desk.\n\n"+
			"Interviewer: And then?\n\nParticipant: Nothing.\n\n")
		require.Equal(t, []string{
			"Interviewer: What do you do here?", "Participant: I run the desk.", "Interviewer: And then?",
			"Participant: Nothing.",
		}, turns[len(turns)-4:])
		for _, turn := range turns[:len(turns)-4] {
			require.Regexp(t, "^: ", turn)
		}
	}
}

func TestShortTurnsAtTheBeginningAreNoForm(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Moderator: Hello.\nP07: Hello.\nModerator: What do you do here?\nP07: I run the desk.\n",
		"Moderator: Dana?\nP07: Yes, Dana.\nModerator: What do you do here?\nP07: I run the desk.\n",
		"Moderator: Guten Morgen\n\nP07: Hallo\n\nModerator: Was machen Sie\n\nP07: Empfang\n",
		"Q: Name\nA: Dana Weber\nQ: What do you do here?\nA: I run the desk.\n",
		"Anna: Anna Weber\nBen: Ben Stone\nAnna: Hello\nBen: Hello\n",
	} {
		got, err := transcript.Parse([]byte(text))
		require.NoError(t, err)
		require.Len(t, got.Utterances, 4)
		for _, u := range got.Utterances {
			require.NotEmpty(t, u.Speaker, u.Text)
		}
	}
}

func TestWarnsOfAFirstLineThatMayBeATurnOrAForm(t *testing.T) {
	t.Parallel()
	got, err := transcript.Parse([]byte("Interviewer: Jane Roe\n\nP07: I run the desk.\n\n" +
		"Interviewer: And then?\n\nP07: Nothing.\n"))
	require.NoError(t, err)
	require.Empty(t, got.Utterances[0].Speaker)
	require.Equal(t, []transcript.Warning{{Code: transcript.WarnUncertainNames, Count: 1}}, got.Warnings)
}

func TestAFormBelowATitleWithAColonIsNoTurn(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "Entretien 4 : le marché\n\nEnquêtrice: Lucie Fontaine\nRépondant: Karim Benali\n"+
		"Date: 12 mai 2026\n\n"+
		"Enquêtrice : Combien ?\n\nRépondant : Trois.\n\nEnquêtrice : Et puis ?\n\nRépondant : Rien.\n")
	require.Equal(t, []string{
		"Enquêtrice: Combien ?", "Répondant: Trois.", "Enquêtrice: Et puis ?", "Répondant: Rien.",
	}, turns[len(turns)-4:])
}

func TestTakesNoFieldOfAFormForASpeaker(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "Projekt: Kühlkette\nDatum: 14.03.2024\nDauer: 00:34:12\nSchreibkraft: K. M.\n\n"+
		"Dana Weber: Was machen Sie hier?\n\nJörg Ahn: Ich bin am Empfang.\n\nDana Weber: Und dann?\n\n"+
		"Jörg Ahn: Nichts.\n\n")
	require.NotContains(t, turns, "Schreibkraft: K. M.")
	require.Contains(t, turns, "Dana Weber: Was machen Sie hier?")
}
