package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestReadsDepositionsWithNumbersOfLines(t *testing.T) {
	t.Parallel()
	turns := spoken(t, `                  Page 1
 1      Q    When did you
 2 write it down?
 3      A    Never. Excel: that
 4 is for the budget.
 5      Q    And then?

                  Page 2
 1      A    Nothing at
 2 all.
 3      Q    Why?
 4      A    There was
 5 no time.
`)
	require.Equal(t, []string{
		"Q: When did you write it down?", "A: Never. Excel: that is for the budget.", "Q: And then?",
		"A: Nothing at all.", "Q: Why?", "A: There was no time.",
	}, turns)
}

func TestReadsNumbersBeforeEachFifthLine(t *testing.T) {
	t.Parallel()
	turns := spoken(t, `     I: What do you do here,
     and why is it so?
     B: I run the desk. It
     is the front desk, and
5    has been since 2016.
     I: And then?
     B: Nothing. I wait and
     wait for the file, and
     then I call them at
10   home.
     I: Why?
     B: Nobody wrote it down,
     so that I must ask.
     They answer when they
15   like.
`)
	require.Equal(t, []string{
		"I: What do you do here, and why is it so?",
		"B: I run the desk. It is the front desk, and has been since 2016.", "I: And then?",
		"B: Nothing. I wait and wait for the file, and then I call them at home.", "I: Why?",
		"B: Nobody wrote it down, so that I must ask. They answer when they like.",
	}, turns)
}

func TestReadsHangingIndents(t *testing.T) {
	t.Parallel()
	turns := spoken(t, `I         What do you do here?
B         There are three things.
          Excel: that is for the budget.
          Jira: that is for others.
I         And then?
B         Nothing.
          Nothing at all.
`)
	require.Equal(t, []string{
		"I: What do you do here?",
		"B: There are three things. Excel: that is for the budget. Jira: that is for others.",
		"I: And then?", "B: Nothing. Nothing at all.",
	}, turns)
}

func TestReadsAColumnForEachSpeaker(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "Begin Time - hh:mm:ss.ms\tEnd Time - hh:mm:ss.ms\tAnna\tB02\n"+
		"00:00:01.000\t00:00:03.000\tWhat do you do here?\t\n"+
		"00:00:04.000\t00:00:09.000\t\tI run the front desk.\n"+
		"00:00:10.000\t00:00:11.000\tAnd what then?\t\n"+
		"00:00:12.000\t00:00:13.000\t\tNothing at all.\n")
	require.Equal(t, []string{
		"Anna (1s): What do you do here?", "B02 (4s): I run the front desk.", "Anna (10s): And what then?",
		"B02 (12s): Nothing at all.",
	}, turns)
}

func TestReadsTheTimesOfCHAT(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "@UTF8\n@Begin\n@Languages:\teng\n*MAY:\twhat do you do . \x151000_3000\x15\n"+
		"%com:\tsmiles\n*DEV:\tI run\n\tthe desk . \x154000_5000\x15\n*MAY:\tand then ? \x156000_7000\x15\n"+
		"*DEV:\tnothing .\n@End\n")
	require.Equal(t, []string{
		"MAY (1s): what do you do .", "DEV (4s): I run the desk .", "MAY (6s): and then ?", "DEV: nothing .",
	}, turns)
}

func TestLeavesOutInitialsAboveNames(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "MC\nMaya Chen\n0:03\nWhat do you do here?\nDC\nDevon Clarke\n0:09\nI run the desk.\n"+
		"MC\nMaya Chen\n0:14\nAnd then?\nDC\nDevon Clarke\n0:20\nNothing.\n")
	require.Equal(t, []string{
		"Maya Chen (3s): What do you do here?", "Devon Clarke (9s): I run the desk.", "Maya Chen (14s): And then?",
		"Devon Clarke (20s): Nothing.",
	}, turns)
}

func TestReadsHalvesOfDaysBeforeTimes(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "[이수진] [오전 11:58] 뭐 하세요?\n[박준영] [오후 12:03] 일해요.\n[이수진] [오후 1:10] 그다음은요?\n"+
		"[박준영] [오후 1:12] 없어요.\n")
	require.Equal(t, []string{
		"이수진 (0s): 뭐 하세요?", "박준영 (5m0s): 일해요.", "이수진 (1h12m0s): 그다음은요?", "박준영 (1h14m0s): 없어요.",
	}, turns)
}

func TestNumbersOfRowsAreNoTimes(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "1;Anna;What do you do here?\n2;Ben;I run the front desk.\n3;Anna;And what then?\n"+
		"4;Ben;Nothing at all.\n"+
		"5;Anna;Why is it so?\n6;Ben;There was no time.\n")
	require.Equal(t, "Anna: What do you do here?", turns[0])
}

func TestNamesMayHaveDegreesAndSurnamesThatAreWords(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "Maya Chen, PhD - 00:03\nWhat do you do?\n\nBeth Price - 00:07\nI run the desk.\n\n"+
		"Maya Chen, PhD - 00:12\nAnd then?\n\nBeth Price - 00:15\nNothing.\n")
	require.Equal(t, []string{
		"Maya Chen, PhD (3s): What do you do?", "Beth Price (7s): I run the desk.",
		"Maya Chen, PhD (12s): And then?", "Beth Price (15s): Nothing.",
	}, turns)
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

// Speech that recurs at the same place of several pages, or with another number, is no header.
func TestSpeechThatRecursOnPagesIsKept(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("P1 well, we get the file at noon, we check it, and then\nnothing happens\n"+
		"I and after that\nP1 we wait\nI and then\nP1 we wait more\nI and then\nP1 still nothing\n", 1)
	text += strings.Replace(text, "P1 well", "P2 well", 1)
	got, err := transcript.Parse([]byte(text))
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(got.Text, "we get the file at noon"))
}

func TestWarnsOfPDFsThatAreDrawnInAnotherOrder(t *testing.T) {
	t.Parallel()
	line := func(x, y int, text string) string { return fmt.Sprintf("1 0 0 1 %d %d Tm (%s) Tj ", x, y, text) }
	inOrder := "BT /F 9 Tf " + line(50, 700, "Dana:") + line(150, 700, "How?") + line(50, 680, "Sam:") +
		line(150, 680, "So.") + line(50, 660, "Dana:") + line(150, 660, "Why?") + "ET"
	namesFirst := "BT /F 9 Tf " + line(50, 700, "Dana:") + line(50, 680, "Sam:") + line(50, 660, "Dana:") +
		line(150, 700, "How?") + line(150, 680, "So.") + line(150, 660, "Why?") + "ET"
	wordsFirst := "BT /F 9 Tf " + line(150, 700, "How?") + line(50, 700, "Dana:") + line(150, 680, "So.") +
		line(50, 680, "Sam:") + "ET"
	for content, places := range map[string]int{inOrder: 0, namesFirst: 1, wordsFirst: 2} {
		got, err := transcript.Parse([]byte(pdfOf(content, "")))
		require.NoError(t, err)
		count := 0
		for _, w := range got.Warnings {
			if w.Code == transcript.WarnReadingOrder {
				count = w.Count
			}
		}
		require.Equal(t, places, count, got.Text)
	}
}
