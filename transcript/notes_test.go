package transcript_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// notesOf returns the labels that are taken for those of notes.
func notesOf(t *testing.T, text string, decided transcript.Reading) (labels []string) {
	t.Helper()
	got, err := transcript.Read([]byte(text), decided)
	require.NoError(t, err)
	for _, l := range got.Labels {
		if l.Note {
			labels = append(labels, l.Label)
		}
	}
	return labels
}

func TestNotesOfObserversAreNobodysWords(t *testing.T) {
	t.Parallel()
	const before, after = "Tomas: How do you plan?\n\nDave: On paper, every week.\n\n",
		"\n\nTomas: And then?\n\nDave: People swap.\n\nTomas: Who pays?\n\nDave: I do.\n"
	for note, label := range map[string]string{
		"TOMAS NOTE: she looks annoyed, third person to say it": "TOMAS NOTE",
		"Tomas note: third person to say it":                    "Tomas note",
		"Ana's note: third person to say it":                    "Ana's note",
		"Note from Ana: he is not the owner.":                   "Note from Ana",
		"Anmerkung von Ana: nicht der Inhaber.":                 "Anmerkung von Ana",
		"Interviewer note: the phone rang.":                     "Interviewer note",
		"Observer: he shows the plan on the wall":               "Observer",
		"Observer: laughs":                                      "Observer",
		"Beobachterin: Sie zeigt den Plan.":                     "Beobachterin",
		"Note: he laughs here.":                                 "Note",
		"Observation: Dave seems tired.":                        "Observation",
		"[Observer: the plan hangs beside the fridge]":          "Observer",
		"(Note: third person to say it)":                        "Note",
	} {
		text := before + note + after
		require.Equal(t, []string{
			"Tomas: How do you plan?", "Dave: On paper, every week.", ": " + note, "Tomas: And then?",
			"Dave: People swap.", "Tomas: Who pays?", "Dave: I do.",
		}, spoken(t, text), note)
		require.Equal(t, []string{label}, notesOf(t, text, transcript.Reading{}), note)
	}
}

func TestWordsGoOnBehindANote(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"Tomas: How do you plan?", "Dave: On paper.", ": [Observer: points at the wall]", "Dave: Every week.",
		": TOMAS NOTE: he is tired", "Dave: On Sundays.", "Tomas: And then?", "Dave: People swap.",
	}, spoken(t, "Tomas: How do you plan?\n\nDave: On paper. [Observer: points at the wall] Every week.\n\n"+
		"TOMAS NOTE: he is tired\n\nOn Sundays.\n\nTomas: And then?\n\nDave: People swap.\n"))
}

func TestWhatIsSaidIsNoNote(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"Note: I never call anyone.", "Two things (price: fifty, support: a human) are needed.",
	} {
		text := "Tomas: How do you plan?\n\nDave: On paper, every week.\n\n" + said +
			"\n\nTomas: And then?\n\nDave: People swap.\n"
		require.Empty(t, notesOf(t, text, transcript.Reading{}), said)
		require.Contains(t, strings.Join(spoken(t, text), "\n"), "Dave: On paper, every week. "+said)
	}
}

func TestOtherLabelsAreNoNotes(t *testing.T) {
	t.Parallel()
	for _, label := range []string{
		"Quick note", "Side note", "Note of caution", "Why not", "Or not", "A note", "Dana Weber", "Memo", "Q",
	} {
		text := "Tomas: How do you plan?\n\nDave: On paper.\n\n" + label + ": We tried it.\n\n" +
			"Tomas: And?\n\nDave: No.\n"
		require.Empty(t, notesOf(t, text, transcript.Reading{}), label)
	}
}

func TestAPersonDecidesAboutNotes(t *testing.T) {
	t.Parallel()
	const text = "Tomas: How do you plan?\n\nDave: On paper. [Ana note: he points]\n\n" +
		"Observer: he looks tired\n\nTomas: And then?\n\nDave: People swap.\n"
	both := []string{"Ana note", "Observer"}

	people := transcript.Reading{People: both}
	got, err := transcript.Read([]byte(text), people)
	require.NoError(t, err)
	require.Equal(t, []string{"Tomas", "Dave", "Ana note", "Observer"}, got.Speakers())
	require.ElementsMatch(t, both, notesOf(t, text, people), "they are still asked about")

	nobody := transcript.Reading{Nobody: both}
	got, err = transcript.Read([]byte(text), nobody)
	require.NoError(t, err)
	require.Equal(t, []string{"Tomas", "Dave"}, got.Speakers())
	require.ElementsMatch(t, both, notesOf(t, text, nobody))
	for _, w := range got.Warnings {
		require.NotEqual(t, transcript.WarnUncertainNames, w.Code, "nothing is doubtful any more")
	}
}

func TestAnObserverMaySpeak(t *testing.T) {
	t.Parallel()
	const text = "Dana: How do you plan?\n\nOmar: On paper.\n\n" +
		"Observer: May I ask something?\n\nOmar: Sure.\n\n" +
		"Observer: Since when?\n\nOmar: Since May.\n\nDana: Thanks.\n\nOmar: Bye.\n"
	got, err := transcript.Parse([]byte(text))
	require.NoError(t, err)
	require.Equal(t, []string{"Dana", "Omar", "Observer"}, got.Speakers())
	require.Equal(t, []string{"Observer"}, notesOf(t, text, transcript.Reading{}), "it is asked about")
}
