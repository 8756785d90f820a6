package transcript_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestTextsWithTimesHaveTheirTurns(t *testing.T) {
	t.Parallel()
	requireTurns(t, []example{
		{
			"times among the words",
			"Dana: How often do you do it?\n\nOmar: Every week, [00:00:30] in the office, and it takes " +
				"[inaudible 00:00:52] hours.\n\nDana: Why?\n\nOmar: Because [00:01:00] of Excel.\n",
			[]string{
				"Dana: How often do you do it?",
				"Omar: Every week, in the office, and it takes [inaudible 00:00:52] hours.",
				"Dana: Why?", "Omar: Because of Excel.",
			},
		},
		{
			"a time before a paragraph",
			"Dana (00:00:03):\nHow?\n\nOmar (00:00:07):\nBy hand.\n\n(00:00:31):\nOr not at all.\n\n" +
				"Dana (00:00:40):\nWhy?\n\nOmar (00:00:42):\nI don't know.\n\n(00:01:00):\nHabit.\n",
			[]string{
				"Dana (3s): How?", "Omar (7s): By hand.", "Omar (31s): Or not at all.", "Dana (40s): Why?",
				"Omar (42s): I don't know.", "Omar (1m0s): Habit.",
			},
		},
		{
			"names with times from and to",
			"Dana Weber 00:00 - 00:02\nHow?\n\nOmar Haddad 00:03 - 00:07\nBy hand.\n\nDana Weber 00:08 - " +
				"00:09\nWhy?\n",
			[]string{"Dana Weber (0s): How?", "Omar Haddad (3s): By hand.", "Dana Weber (8s): Why?"},
		},
		{
			"labels before the first time between turns",
			"I: How long have you done it?\n\nR: Eleven years.\n\n[00:00:30]\n\nI: And before?\n\n" +
				"R: Nothing much.\n\n" +
				"[00:01:00]\n\nI: Why?\n\nR: Habit.\n",
			[]string{
				"I: How long have you done it?", "R: Eleven years.", "I (30s): And before?", "R (30s): Nothing much.",
				"I (1m0s): Why?", "R (1m0s): Habit.",
			},
		},
		{
			"ranges of numbers in speech",
			"Dana: How much?\n\nOmar: Little (1.5 - 2.5) or more (3.0 - 4.5).\n\nDana: And then?\n\n" +
				"Omar: Nothing.\n",
			[]string{
				"Dana: How much?", "Omar: Little (1.5 - 2.5) or more (3.0 - 4.5).", "Dana: And then?", "Omar: Nothing.",
			},
		},
		{
			"times of the day with a comma behind them",
			"10:02:15 AM, Dana Weber: What do you do here?\n10:02:20 AM, Jörg Ahn: I run the desk.\n" +
				"10:02:31 AM, Dana Weber: And then?\n10:02:35 AM, Jörg Ahn: Nothing.\n",
			[]string{
				"Dana Weber (0s): What do you do here?", "Jörg Ahn (5s): I run the desk.", "Dana Weber (16s): And then?",
				"Jörg Ahn (20s): Nothing.",
			},
		},
		{
			"heads within lines",
			"[00:00:02] Dana: Who files them?\n[00:00:05] Omar: I do. [00:00:08] Dana: Where?\n" +
				"[00:00:10] Omar: Here.\n[00:00:12] Dana: Since [00:00:13] March?\n[00:00:15] Omar: Yes.\n",
			[]string{
				"Dana (2s): Who files them?", "Omar (5s): I do.", "Dana (8s): Where?", "Omar (10s): Here.",
				"Dana (12s): Since [00:00:13] March?", "Omar (15s): Yes.",
			},
		},
		{
			"a time every few turns",
			"00:02 Enq. : Who files them?\n\nMme K. : I do.\n\nEnq. : Where?\n\n00:25 Mme K. : In a box.\n" +
				"Or two.\n\nEnq. : Since when?\n\nMme K. : March.\n\n00:40 Enq. : I see.\n\nMme K. : Yes.\n",
			[]string{
				"Enq. (2s): Who files them?", "Mme K. (2s): I do.", "Enq. (2s): Where?",
				"Mme K. (25s): In a box. Or two.", "Enq. (25s): Since when?", "Mme K. (25s): March.",
				"Enq. (40s): I see.", "Mme K. (40s): Yes.",
			},
		},
		{
			"times directly before wide brackets",
			"00:00:00【A】誰が保管しますか。\n00:00:07【B】私です。\n00:00:08【A】どこに。\n00:00:12【B】箱に。\n",
			[]string{"A (0s): 誰が保管しますか。", "B (7s): 私です。", "A (8s): どこに。", "B (12s): 箱に。"},
		},
		{
			"times in braces",
			"{00:04} Dana Weber: Who files them?\n\n{00:09} Omar Haddad: I do.\n\n{00:12} Dana Weber: Where?\n",
			[]string{"Dana Weber (4s): Who files them?", "Omar Haddad (9s): I do.", "Dana Weber (12s): Where?"},
		},
		{
			"times with primes",
			"0'04\" Dana : Who files them?\n\n0'09\" Omar : I do.\n\n1h02'12\" Dana : Where?\n\n" +
				"1h02'15\" Omar : Here.\n",
			[]string{
				"Dana (4s): Who files them?", "Omar (9s): I do.", "Dana (1h2m12s): Where?", "Omar (1h2m15s): Here.",
			},
		},
	})
}

func TestKeepsVersesAndTimesThatGoBack(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Dana: Which verse?\n\nOmar: That one (3:16), or that one (23:1).\n\nDana: Thanks.\n\nOmar: Amen.",
		"Dana: When?\n\nOmar: At [00:09:00] or [00:02:00].\n\nDana: Thanks.\n\nOmar: No.",
	} {
		require.Contains(t, text, spoken(t, text)[1])
	}
}

func TestTimesOfTheDayAreNotThoseOfARecording(t *testing.T) {
	t.Parallel()
	require.Equal(t, []transcript.WarningCode{transcript.WarnTimes}, warningCodes(t,
		"(10:02:00) Dana: How do you do it?\n"+
			"(10:02:40) Omar: By hand.\n(10:03:20) Dana: Why?\n(10:04:00) Omar: Habit.\n"))
}

func TestUnitsOfTimesAreNoLostWords(t *testing.T) {
	t.Parallel()
	text := ""
	for range 12 {
		text += "2024-03-05T10:02:15Z - 2024-03-05T10:02:16Z Dana: Yes.\n" +
			"2024-03-05T10:02:17Z - 2024-03-05T10:02:18Z Omar: No.\n"
	}
	require.NotContains(t, warningCodes(t, text), transcript.WarnLostWords)
	text = ""
	for range 12 {
		text += "2.50s - 4.20s Dana: Yes.\n4.50s - 5.20s Omar: No.\n"
	}
	require.NotContains(t, warningCodes(t, text), transcript.WarnLostWords)
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

func TestAFewTimesAmongLabelsAreMarks(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "Omar"}
	text := strings.Repeat(twoVoices("**%[1]s:** %[3]s\n\n", names, 8)+
		"[%02d:57\\] And one more thing, while we are here.\n\n", 3)
	requireVoices(t, fmt.Sprintf(text, 3, 13, 24), names)
}

func TestTypistsForgetTheSpaceBehindATime(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana (ACME)", "Omar"}
	text := twoVoices("**%[1]s** [0:1%[2]d] %[3]s\n\n", names, 8)
	requireVoices(t, strings.ReplaceAll(text, "] In", "]In"), names)
	requireVoices(t, strings.ReplaceAll(text, "] ", "] - "), names)
}

func TestSecondsBetweenNamesAndWords(t *testing.T) {
	t.Parallel()
	names := [2]string{"SPEAKER_00", "SPEAKER_01"}
	got := requireVoices(t, twoVoices("%[1]s %[2]d.289  %[3]s\n", names, 8), names)
	require.Equal(t, 3289*time.Millisecond, got.Utterances[3].Start)
}

func TestRangesOfMilliseconds(t *testing.T) {
	t.Parallel()
	names := [2]string{"Speaker A", "Speaker B"}
	got := requireVoices(t, twoVoices("%[1]s [%[2]d4382.00 - %[2]d8747.00]:\n    %[3]s\n\n", names, 8), names)
	require.Equal(t, 34382*time.Millisecond, got.Utterances[3].Start)
	require.Equal(t, 38747*time.Millisecond, got.Utterances[3].End)
}

func TestTimesBetweenNamesAndWords(t *testing.T) {
	t.Parallel()
	for _, names := range [][2]string{{"Dana", "Omar"}, {"Dana Weber", "Omar Haddad"}, {"S1", "S2"}} {
		got := requireVoices(t, twoVoices("%[1]s 00:0%[2]d:21 %[3]s\n\n", names, 8), names)
		require.Equal(t, 201*time.Second, got.Utterances[3].Start)
	}
}

func TestDatesBeforeTimesAreNoNames(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "Omar"}
	requireVoices(t, twoVoices("2013-09-15 22:31:5%[2]d %[1]s: %[3]s\n", names, 8), names)
}

func TestPeopleWhoSpeakOnlyBeforeTheFirstTime(t *testing.T) {
	t.Parallel()
	text := "Kim: Is it on?\nLee: It is.\nKim: Good.\nLee: Then we start.\nKim: We do.\n"
	for i := range 6 {
		text += fmt.Sprintf("\n[0%d:00]\n", 5+i) +
			twoVoices("%[1]s: %[3]s\n", [2]string{"Dana", "Omar"}, 2)
	}
	got, err := transcript.Parse([]byte(text))
	require.NoError(t, err)
	require.Equal(t, []string{"Kim", "Lee", "Dana", "Omar"}, got.Speakers())
}

func TestWarnsOfTimesThatNoTurnHas(t *testing.T) {
	t.Parallel()
	got, err := transcript.Parse([]byte("Maya Chen (00:03):\nWhat do you do?\n\n" +
		"Devon Clarke (00:07):\nI run the desk.\n\n" +
		"Maya Chen (00:12):\nAnd then?\n\n\"somebody\" (00:15)\nNothing.\n\nMaya Chen (00:18):\nWhy?\n\n" +
		"Devon Clarke (00:21):\nNo time.\n"))
	require.NoError(t, err)
	require.Equal(t, []transcript.Warning{{Code: transcript.WarnUncertainNames, Count: 1}}, got.Warnings)
}

func TestTimesOfHalfDaysAreNotWords(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "Omar"}
	text := twoVoices("%[1]s  9:0%[2]d AM\n%[3]s\n\n", names, 8)
	for _, u := range requireVoices(t, text, names).Utterances {
		require.NotContains(t, u.Text, "AM")
	}
}
