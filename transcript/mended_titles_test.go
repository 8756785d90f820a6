package transcript_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

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

func TestARecurringLabelIsASpeakerWhateverItSays(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"Session 2: Hello.", "Primo: Hello.", "Session 2: Who is there?", "Primo: Me.", "Session 2: Bye.",
		"Primo: Bye.",
	}, spoken(t, "Session 2: Hello.\n\nPrimo: Hello.\n\nSession 2: Who is there?\n\nPrimo: Me.\n\n"+
		"Session 2: Bye.\n\nPrimo: Bye.\n"))
}

func TestSpeakersCountTheirReasons(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"Lucía: ¿Y cómo pagaste?", "Ana Gil: Con otra. Primero: la azul. Segundo: la de mi madre.",
		"Lucía: ¿Y luego?", "Ana Gil: Nada.",
	}, spoken(t, "Lucía: ¿Y cómo pagaste?\nAna Gil: Con otra.\nPrimero: la azul. Segundo: la de mi madre.\n"+
		"Lucía: ¿Y luego?\nAna Gil: Nada.\n"))
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

func TestAListOfOneItemIsSpoken(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"Dana: How?", "Omar: There is one rule: 1. Call the patient", "Dana: And then?", "Omar: Nothing.",
	}, spoken(t, "Dana: How?\n\nOmar: There is one rule:\n\n1. Call the patient\n\n"+
		"Dana: And then?\n\nOmar: Nothing.\n"))
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

func TestSomebodyCalledMemoIsASpeaker(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"Dana: How long?", "Memo: Eleven years.", "Dana: Which?", "Memo: A pen."},
		spoken(t, "Dana: How long?\n\nMemo: Eleven years.\n\nDana: Which?\n\nMemo: A pen.\n"))
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
