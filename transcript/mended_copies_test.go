package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

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

func TestTimesInWordsThatPeopleSayStay(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"Dana Weber (3s): How long?", "Omar Haddad (9s): 3 minutes 20 seconds", "Dana Weber (12s): And then?",
		"Omar Haddad (19s): 5 minutes",
	}, spoken(t, "Dana Weber  0:03\nHow long?\n\nOmar Haddad  0:09\n3 minutes 20 seconds\n\n"+
		"Dana Weber  0:12\nAnd then?\n\nOmar Haddad  0:19\n5 minutes\n"))
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

func TestReadsTimesBehindAt(t *testing.T) {
	t.Parallel()
	require.Equal(t, copiedTurns, spoken(t, copied(func(name, _, _, inDigits, text string) string {
		return name + " at " + inDigits + "\n" + text + "\n\n"
	})))
	require.Equal(t, []string{
		"Dana Weber (3s): When?", "Omar Haddad (9s): We met Maria at 9:30", "Dana Weber (12s): And then?",
		"Omar Haddad (19s): She left.",
	}, spoken(t, "Dana Weber  0:03\nWhen?\n\nOmar Haddad  0:09\nWe met Maria at 9:30\n\nDana Weber  0:12\n"+
		"And then?\n\nOmar Haddad  0:19\nShe left.\n"))
}

func TestReadsRangesOfSeconds(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"%s (%s - %s)\n%s\n\n", "%s [%s --> %s]: %s\n"} {
		text := fmt.Sprintf(form, "SPEAKER_00", "0.00", "4.60", "What do you do?") +
			fmt.Sprintf(form, "SPEAKER_01", "4.80", "9.10", "I run the desk.") +
			fmt.Sprintf(form, "SPEAKER_00", "61.25", "64.00", "Since when?")
		require.Equal(t, []string{
			"SPEAKER_00 (0s): What do you do?", "SPEAKER_01 (4.8s): I run the desk.",
			"SPEAKER_00 (1m1.25s): Since when?",
		}, spoken(t, text))
	}
}

func TestRangesOfNumbersInSpeechAreNoTimes(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"Dana: How much?", "Omar: Little (1.5 - 2.5) or more (3.0 - 4.5).", "Dana: And then?", "Omar: Nothing.",
	}, spoken(t, "Dana: How much?\n\nOmar: Little (1.5 - 2.5) or more (3.0 - 4.5).\n\nDana: And then?\n\n"+
		"Omar: Nothing.\n"))
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

func TestStepsThatSomebodyListsAreSpoken(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"Dana: How?", "Omar: Like this: Step 1: call the patient Step 2: wait for them", "Dana: And then?",
		"Omar: Nothing.",
	}, spoken(t, "Dana: How?\nOmar: Like this:\nStep 1: call the patient\nStep 2: wait for them\n"+
		"Dana: And then?\nOmar: Nothing.\n"))
}
