package transcript_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestPagesHaveTheirTurns(t *testing.T) {
	t.Parallel()
	requireTurns(t, []example{
		{
			"names beside numbers of pages",
			"Dana\n0:03\nHow?\n\nOmar\n0:07\nSo.\n\nDana\n0:13\nWhy?\n\nPage 1 of 2\n\nOmar\n0:16\n" +
				"Nobody knows.\n\nDana\n0:20\nAnd then?\n\nOmar\n0:23\nNothing.\n\nPage 2 of 2\n",
			[]string{
				"Dana (3s): How?", "Omar (7s): So.", "Dana (13s): Why?", "Omar (16s): Nobody knows.",
				"Dana (20s): And then?", "Omar (23s): Nothing.",
			},
		},
	})
}

func TestCopyrightsOnEveryPageAreNotSpoken(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "Omar"}
	page := twoVoices("%[1]s: %[3]s\n\n", names, 10) +
		"© An example of a trust, all rights reserved, for research only\n\n"
	requireVoices(t, strings.Repeat(page, 5), names)
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

func TestNamesAboveEveryTurnAreNoRunningLines(t *testing.T) {
	t.Parallel()
	names := [2]string{"Interviewer", "Dana Weber"}
	requireVoices(t, "# An interview\n\n"+twoVoices("%[1]s:\n\n%[3]s\n\n", names, 12), names)
}
