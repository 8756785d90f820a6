package transcript_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestNotetakersHaveTheirTurns(t *testing.T) {
	t.Parallel()
	requireTurns(t, []example{
		{
			"initials above names",
			"MC\nMaya Chen\n0:03\nWhat do you do here?\nDC\nDevon Clarke\n0:09\nI run the desk.\n" +
				"MC\nMaya Chen\n0:14\nAnd then?\nDC\nDevon Clarke\n0:20\nNothing.\n",
			[]string{
				"Maya Chen (3s): What do you do here?", "Devon Clarke (9s): I run the desk.",
				"Maya Chen (14s): And then?",
				"Devon Clarke (20s): Nothing.",
			},
		},
		{
			"times in words that people say",
			"Dana Weber  0:03\nHow long?\n\nOmar Haddad  0:09\n3 minutes 20 seconds\n\n" +
				"Dana Weber  0:12\nAnd then?\n\nOmar Haddad  0:19\n5 minutes\n",
			[]string{
				"Dana Weber (3s): How long?", "Omar Haddad (9s): 3 minutes 20 seconds", "Dana Weber (12s): And then?",
				"Omar Haddad (19s): 5 minutes",
			},
		},
		{
			"captions copied from Meet",
			"Dana Weber\nWho files them?\nOmar Haddad\nI do.\nIn a box.\nDana Weber\nWhere?\nOmar Haddad\nHere.\n",
			[]string{"Dana Weber: Who files them?", "Omar Haddad: I do. In a box.", "Dana Weber: Where?",
				"Omar Haddad: Here."},
		},
		{
			"panel of Teams, copied",
			"Dana Weber\n0:02\nDana Weber 2 seconds\nWho files them?\nOmar Haddad\n0:06\nOmar Haddad 6 seconds\n" +
				"I do.\nDana Weber\n1:08\nDana Weber 1 minute 8 seconds\nWhere?\n",
			[]string{"Dana Weber (2s): Who files them?", "Omar Haddad (6s): I do.", "Dana Weber (1m8s): Where?"},
		},
		{
			"closing lines of Meet in German",
			"00:00:00\n\nDana Weber: Who files them?\nOmar Haddad: I do.\nDana Weber: Where?\n" +
				"Omar Haddad: In a box.\n\nDie Besprechung wurde nach 00:11:02 beendet 👋\n\n" +
				"Dieses Transkript wurde von einem Computer erstellt.\n",
			[]string{
				"Dana Weber (0s): Who files them?", "Omar Haddad (0s): I do.", "Dana Weber (0s): Where?",
				"Omar Haddad (0s): In a box.",
			},
		},
		{
			"closing lines of Meet in French",
			"00:00:00\n\nDana Weber: Who files them?\nOmar Haddad: I do.\nDana Weber: Where?\n" +
				"Omar Haddad: In a box.\n\nRéunion terminée après 00:11:02 👋\n\n" +
				"Cette transcription modifiable a été générée par ordinateur.\n",
			[]string{
				"Dana Weber (0s): Who files them?", "Omar Haddad (0s): I do.", "Dana Weber (0s): Where?",
				"Omar Haddad (0s): In a box.",
			},
		},
		{
			"a telephone in Meet",
			"Dana Weber\nWho files them?\n\nOmar Haddad\nI do.\n\n+44 7700 900118\nHi all, sorry.\n\nDana Weber\n" +
				"Where?\n\nOmar Haddad\nHere.\n",
			[]string{
				"Dana Weber: Who files them?", "Omar Haddad: I do.", "+44 7700 900118: Hi all, sorry.",
				"Dana Weber: Where?", "Omar Haddad: Here.",
			},
		},
	})
}

// copiedTurns are what the files of these tests say, with times.
var copiedTurns = []string{
	"Dana Weber (3s): What do you do?", "Omar Haddad (9s): I run the desk.", "Dana Weber (1m7s): Since when?",
	"Omar Haddad (1m19s): Since May.",
}

// copied writes the turns of copiedTurns.
func copied(turn func(name, initials, inWords, inDigits, text string) string) string {
	var b strings.Builder
	b.WriteString(turn("Dana Weber", "DW", "3 seconds", "0:03", "What do you do?"))
	b.WriteString(turn("Omar Haddad", "OH", "9 seconds", "0:09", "I run the desk."))
	b.WriteString(turn("Dana Weber", "DW", "1 minute 7 seconds", "1:07", "Since when?"))
	b.WriteString(turn("Omar Haddad", "OH", "1 minute 19 seconds", "1:19", "Since May."))
	return b.String()
}

func TestReadsWhatPeopleCopyFromThePageOfTeams(t *testing.T) {
	t.Parallel()
	for name, turn := range map[string]func(name, initials, inWords, inDigits, text string) string{
		"names twice": func(name, _, inWords, inDigits, text string) string {
			return name + "\n" + inWords + "\n" + inDigits + "\n" + name + "\n" + text + "\n"
		},
		"times thrice": func(name, _, inWords, inDigits, text string) string {
			return name + "\n\n" + inWords + inDigits + "\n\n" + name + " " + inWords + "\n\n" + text + "\n\n"
		},
		"initials": func(name, initials, inWords, inDigits, text string) string {
			return initials + "\n" + name + "\n" + inWords + "\n" + inDigits + "\n" + text + "\n"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, copiedTurns, spoken(t, copied(turn)))
			require.Empty(t, warningCodes(t, copied(turn)))
		})
	}
}

func TestLeavesOutTheInitialsOfAvatars(t *testing.T) {
	t.Parallel()
	for name, turn := range map[string]func(name, initials, inWords, inDigits, text string) string{
		"in paragraphs": func(name, initials, _, inDigits, text string) string {
			return initials + "\n\n" + name + "\n\n" + inDigits + "\n\n" + text + "\n\n"
		},
		"above times": func(name, initials, _, inDigits, text string) string {
			return initials + "\n\n" + inDigits + "\n" + name + "\n" + text + "\n"
		},
		"a time beside the name": func(name, initials, _, inDigits, text string) string {
			return initials + "\n" + name + " · " + inDigits + "\n" + text + "\n"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, copiedTurns, spoken(t, copied(turn)))
		})
	}
	require.Equal(t, []string{
		"Dana Weber: What do you do?", "Omar Haddad: I run the desk.", "Dana Weber: Since when?",
		"Omar Haddad: Since May.",
	}, spoken(t, copied(func(name, initials, _, _, text string) string {
		return initials + "\n" + name + "\n" + text + "\n\n"
	})))
}

// The panel of Teams in a browser repeats name and time at each paragraph of a turn.
func TestTurnsCopiedFromThePanelOfTeams(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "Omar Haddad"}
	text := "Transcript. Use arrow keys to navigate between transcript entries.\n\n" +
		"AI-generated content may be incorrect\n\n" +
		twoVoices("%[1]s\n%[2]d minutes 3 seconds%[2]d:03\n%[1]s %[2]d minutes 3 seconds\n%[3]s\n"+
			"%[1]s %[2]d minutes 8 seconds\nThat was that.\n\n", names, 6)
	got := requireVoices(t, text, names)
	require.Len(t, got.Utterances, 12)
	require.Equal(t, 68*time.Second, got.Utterances[3].Start)
}

func TestTheAltTextOfAvatarsIsNotSpoken(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "Omar Haddad"}
	requireVoices(t, twoVoices("user avatar\n%[1]s\n00:0%[2]d:14\n%[3]s\n", names, 6), names)
}

func TestMeetsClosingLinesInOtherLanguages(t *testing.T) {
	t.Parallel()
	for _, lines := range [][]string{
		{
			"4 nov. 2024", "Rangement (2024-11-04 09:30 GMT+1) - Transcription", "Participants",
			"Dana Weber, Omar Haddad", "Transcription", "00:00:00", "Dana Weber: Qui les range ?", "Omar Haddad: Moi.",
			"00:01:00", "Dana Weber: Où ?", "Omar Haddad: Dans une boîte.", "Fin de la réunion après 00:01:30 👋",
			"Cette transcription modifiable a été générée par ordinateur.",
		},
		{
			"4. Nov. 2024", "Ablage (2024-11-04 09:30 MEZ) – Transkript", "Teilnehmer", "Dana Weber, Omar Haddad",
			"Transkript", "00:00:00", "Dana Weber: Qui les range ?", "Omar Haddad: Moi.", "00:01:00",
			"Dana Weber: Où ?", "Omar Haddad: Dans une boîte.", "Die Besprechung endete nach 00:01:30",
			"Dieses bearbeitbare Transkript wurde maschinell erstellt und kann Fehler enthalten.",
		},
	} {
		got, err := transcript.Parse(docxOf(documentOf(lines...)))
		require.NoError(t, err)
		require.Equal(t, transcript.MeetDocx, got.Format)
		require.Equal(t, "Qui les range ?\nMoi.\nOù ?\nDans une boîte.", got.Text)
		require.Empty(t, got.Warnings)
		require.Len(t, spoken(t, strings.Join(lines, "\n\n")), 4)
	}
	// Where each turn has a time, the last one may be about the transcript.
	require.Equal(t,
		[]string{"Dana Weber (1s): Will you send it?", "Omar Haddad (4s): I shall send the transcript."},
		spoken(t, "Dana Weber  00:00:01\nWill you send it?\n\n"+
			"Omar Haddad  00:00:04\nI shall send the transcript.\n"))
}
