package transcript_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The files of these tests are in the form in which pandoc writes Markdown.

func TestReadsHeadsThatPandocWrites(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Dana Weber (00:00:03)\\\nWhat\\'s that - do you do here?\n\nJörg Ahn (00:00:09)\\\n" +
			"I [run]{.underline} it.\n\nDana Weber (00:00:14)\\\nAnd then?\n\nJörg Ahn (00:00:20)\\\n" +
			"\\\"Nothing\\\" at all.\n",
		"00:00:03 - Dana Weber\\\nWhat\\'s that - do you do here?\n\n00:00:09 - Jörg Ahn\\\n" +
			"I [run]{.mark} it.\n\n00:00:14 - Dana Weber\\\nAnd then?\n\n00:00:20 - Jörg Ahn\\\n" +
			"\\\"Nothing\\\" at all.\n",
		"# Interview 7 {#interview-7 .unnumbered}\n\n" +
			"\\[00:00:03\\] **Dana Weber:** What\\'s that\\\n\\- do you do here?\n\n" +
			"\\[00:00:09\\] **Jörg Ahn:** I [run]{.underline} it.\n\n\\[00:00:14\\] **Dana Weber:** And then?\n\n" +
			"\\[00:00:20\\] **Jörg Ahn:** \\\"Nothing\\\" at all.\n",
		"> \\[00:00:03\\] Dana Weber: What\\'s that - do you do here?\n>\n> \\[00:00:09\\] Jörg Ahn: I run\n" +
			"> it.\n>\n> \\[00:00:14\\] Dana Weber: And then?\n>\n> \\[00:00:20\\] Jörg Ahn: \\\"Nothing\\\" at " +
			"all.\n",
	} {
		require.Equal(t, []string{
			"Dana Weber (3s): What's that - do you do here?", "Jörg Ahn (9s): I run it.",
			"Dana Weber (14s): And then?", `Jörg Ahn (20s): "Nothing" at all.`,
		}, spoken(t, text))
	}
}

func TestReadsHeadingsWithAttributes(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "# Interview 7\n\n## Dana Weber {#dana-weber}\n\n> What do you do here?\n\n"+
		"## Jörg Ahn {#jörg-ahn}\n\n> I run it.\n>\n> Really.\n\n## Dana Weber {#dana-weber-1}\n\n> And then?\n\n"+
		"## Jörg Ahn {#jörg-ahn-1}\n\n> Nothing.\n")
	require.Equal(t, []string{
		"Dana Weber: What do you do here?", "Jörg Ahn: I run it. Really.", "Dana Weber: And then?",
		"Jörg Ahn: Nothing.",
	}, turns)
}

func TestReadsTablesWithBorders(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "+------------+----------+------------+\n| Speaker    | Time     | Text       |\n"+
		"+============+==========+============+\n| Dana Weber | 00:00:03 | What do    |\n"+
		"|            |          | you do\\   |\n|            |          | here?      |\n"+
		"+------------+----------+------------+\n| Jörg Ahn   | 00:00:09 | I run it.  |\n"+
		"+------------+----------+------------+\n| Dana Weber | 00:00:14 | And then?  |\n"+
		"|            |          |            |\n|            |          | What?      |\n"+
		"+------------+----------+------------+\n")
	require.Equal(t, []string{
		"Dana Weber (3s): What do you do here?", "Jörg Ahn (9s): I run it.", "Dana Weber (14s): And then? What?",
	}, turns)
}

func TestKeepsTheBackslashesOfOtherTexts(t *testing.T) {
	t.Parallel()
	turns := spoken(t, `Dana: Where is it?
Ben: In C:\files\new, and in [x]{y}.
Dana: And then?
Ben: In D:\old.
`)
	require.Equal(t, `Ben: In C:\files\new, and in [x]{y}.`, turns[1])
	require.Equal(t, `Ben: In D:\old.`, turns[3])
}
