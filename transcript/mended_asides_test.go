package transcript_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestASummaryBehindTheLastTurnHasNoSpeaker(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"Dana (3s): How do you do it?", "Omar (7s): On paper. In summary: on paper.", "Dana (12s): Thanks.",
		": Summary Omar works on paper. Action items - Send the form",
	}, spoken(t, "[00:03] Dana: How do you do it?\n\n[00:07] Omar: On paper.\n\nIn summary: on paper.\n\n"+
		"[00:12] Dana: Thanks.\n\nSummary\n\nOmar works on paper.\nAction items\n- Send the form\n"))
}

func TestTitlesOfSectionsHaveNoSpeaker(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		": 1. Background", "Dana: How long?", "Omar: Eleven years.", ": 2. Tools", "Dana: Which?", "Omar: A pen.",
		": --- Part 2 (b.m4a) ---", "Dana: Again?", "Omar: Again.",
	}, spoken(t, "1. Background\n\nDana: How long?\n\nOmar: Eleven years.\n\n2. Tools\n\nDana: Which?\n\n"+
		"Omar: A pen.\n\n"+
		"--- Part 2 (b.m4a) ---\n\nDana: Again?\n\nOmar: Again.\n"))
}

func TestANumberedListIsSpoken(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "Dana: What do you do?\n\nOmar: Two things:\n\n1. Call the patient\n\n"+
		"2. Write it down\n\nDana: And then?\n\nOmar: Nothing.\n")
	require.Equal(t, []string{
		"Dana: What do you do?", "Omar: Two things: 1. Call the patient 2. Write it down", "Dana: And then?",
		"Omar: Nothing.",
	}, turns)
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

func TestTakesTimesOutOfTheWords(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"Dana: How often do you do it?",
		"Omar: Every week, in the office, and it takes [inaudible 00:00:52] hours.",
		"Dana: Why?", "Omar: Because of Excel.",
	}, spoken(t, "Dana: How often do you do it?\n\nOmar: Every week, [00:00:30] in the office, and it takes "+
		"[inaudible 00:00:52] hours.\n\nDana: Why?\n\nOmar: Because [00:01:00] of Excel.\n"))
}

func TestATimeBeforeAParagraphBeginsATurn(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"Dana (3s): How?", "Omar (7s): By hand.", "Omar (31s): Or not at all.", "Dana (40s): Why?",
		"Omar (42s): I don't know.", "Omar (1m0s): Habit.",
	}, spoken(t, "Dana (00:00:03):\nHow?\n\nOmar (00:00:07):\nBy hand.\n\n(00:00:31):\nOr not at all.\n\n"+
		"Dana (00:00:40):\nWhy?\n\nOmar (00:00:42):\nI don't know.\n\n(00:01:00):\nHabit.\n"))
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

func TestALabelInOtherCapitalsIsTheSameSpeaker(t *testing.T) {
	t.Parallel()
	got, err := transcript.Parse([]byte("Interviewer: How?\n\nDana: By hand.\n\nINTERVIEWER: Why?\n\n" +
		"Dana: Habit.\n\ninterviewer: Since when?\n\nDana: Always.\n\nInterviewer: Thanks.\n\ndana: Bye.\n"))
	require.NoError(t, err)
	require.Equal(t, []string{"Interviewer", "Dana"}, got.Speakers())
}

func TestTimesOfTheDayAreNotThoseOfARecording(t *testing.T) {
	t.Parallel()
	require.Equal(t, []transcript.WarningCode{transcript.WarnTimes}, warningCodes(t,
		"(10:02:00) Dana: How do you do it?\n"+
			"(10:02:40) Omar: By hand.\n(10:03:20) Dana: Why?\n(10:04:00) Omar: Habit.\n"))
}

func TestDoubtsALabelOnALaterLineOfACaption(t *testing.T) {
	t.Parallel()
	const text = "WEBVTT\n\n00:00.000 --> 00:02.000\nDana: What was in it?\n\n00:03.000 --> 00:07.000\nOmar: " +
		"Notes. All of it.\n" +
		"Room 310: a leaking tap\n\n00:08.000 --> 00:09.000\nDana: And then?\n\n00:10.000 --> 00:12.000\nOmar: " +
		"Nothing.\n\n" +
		"00:13.000 --> 00:14.000\nDana: Thanks.\n"
	require.Equal(t, []transcript.WarningCode{transcript.WarnUncertainNames}, warningCodes(t, text))
	require.NotContains(t, spoken(t, text), "Room 310 (3s): a leaking tap")
}

func TestReadsGrainsNamesOfCues(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"Dana Weber (0s): How?", "Omar Haddad (3s): By hand.", "Dana Weber (8s): Why?",
		"Omar Haddad (10s): Habit."},
		spoken(t, "WEBVTT\n\n\"Dana Weber\" (3301)\n00:00.000 --> 00:02.000\nHow?\n\n\"Omar Haddad\" "+
			"(3302)\n00:03.000 --> "+
			"00:07.000\nBy hand.\n\n\"Dana Weber\" (3301)\n00:08.000 --> 00:09.000\nWhy?\n\n\"Omar Haddad\" (3302)\n"+
			"00:10.000 --> 00:12.000\nHabit.\n"))
}

func TestReadsNamesWithTimesFromTo(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"Dana Weber (0s): How?", "Omar Haddad (3s): By hand.", "Dana Weber (8s): Why?"},
		spoken(t, "Dana Weber 00:00 - 00:02\nHow?\n\nOmar Haddad 00:03 - 00:07\nBy hand.\n\nDana Weber 00:08 - "+
			"00:09\nWhy?\n"))
}

func TestReadsTimesThatAreLinksBehindNames(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"Dana Weber (0s): How?", "Omar Haddad (3s): By hand.", "Dana Weber (8s): Why?"},
		spoken(t, "# Call\n\n**Dana Weber** [00:00](https://example.com/?t=0)\nHow?\n\n**Omar Haddad** "+
			"[00:03](https://example.com/?t=3)\nBy hand.\n\n**Dana Weber** [00:08](#8)\nWhy?\n"))
}

func TestReadsLabelsBeforeTheFirstTimeBetweenTurns(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"I: How long have you done it?", "R: Eleven years.", "I (30s): And before?", "R (30s): Nothing much.",
		"I (1m0s): Why?", "R (1m0s): Habit.",
	}, spoken(t, "I: How long have you done it?\n\nR: Eleven years.\n\n[00:00:30]\n\nI: And before?\n\n"+
		"R: Nothing much.\n\n"+
		"[00:01:00]\n\nI: Why?\n\nR: Habit.\n"))
}

func TestReadsJapaneseQuotes(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"調査員: 予約は。", "山田: 電話です。", "調査員: そうですか。", "山田: ええ。", "調査員: なぜ。", "山田: さあ。"},
		spoken(t, "調査員「予約は。」\n山田「電話です。」\n調査員「そうですか。」\n山田「ええ。」\n調査員「なぜ。」\n山田「さあ。」\n"))
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
