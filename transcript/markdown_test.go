package transcript_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestMarkdownHasItsTurns(t *testing.T) {
	t.Parallel()
	requireTurns(t, []example{
		{
			"times that are links behind names",
			"# Call\n\n**Dana Weber** [00:00](https://example.com/?t=0)\nHow?\n\n**Omar Haddad** " +
				"[00:03](https://example.com/?t=3)\nBy hand.\n\n**Dana Weber** [00:08](#8)\nWhy?\n",
			[]string{"Dana Weber (0s): How?", "Omar Haddad (3s): By hand.", "Dana Weber (8s): Why?"},
		},
		{
			"times that are links",
			"# Interview\n\n[00:03](https://tool.example/m/1?t=3) **Dana Weber**: What do you do " +
				"here?\n\n[00:09](https://tool.example/m/1?t=9) **Jörg Ahn**: I run the desk.\n\n" +
				"[00:14](https://tool.example/m/1?t=14) **Dana Weber**: And then?\n",
			[]string{
				"Dana Weber (3s): What do you do here?", "Jörg Ahn (9s): I run the desk.", "Dana Weber (14s): And then?",
			},
		},
		{
			"questions in headings",
			"# Notes\n\n### Q: What do you do here?\n\nA: I run the desk.\n\n### Q: And then?\n\nA: Nothing.\n",
			[]string{
				"Q: What do you do here?", "A: I run the desk.", "Q: And then?", "A: Nothing.",
			},
		},
		{
			"a page in HTML below front matter",
			"---\ntitle: Filing\nlayout: page\n---\n\n<h3 id=\"a\">Filing</h3>\n<p>DW: Who files them?</p>\n" +
				"<p>OH: I do.</p>\n<p>DW: Where?</p>\n<p>OH: In a box.</p>\n",
			[]string{"DW: Who files them?", "OH: I do.", "DW: Where?", "OH: In a box."},
		},
		{
			"breaks within cells of tables",
			"| Time | Speaker | Text |\n|---|---|---|\n| 00:03 | Dana | Who files them?<br>And where? |\n" +
				"| 00:06 | Omar | I do.<br/>In a box.<br />Mostly. |\n",
			[]string{"Dana (3s): Who files them? And where?", "Omar (6s): I do. In a box. Mostly."},
		},
		{
			"headings with attributes, of pandoc",
			"# Interview 7\n\n## Dana Weber {#dana-weber}\n\n> What do you do here?\n\n" +
				"## Jörg Ahn {#jörg-ahn}\n\n> I run it.\n>\n> Really.\n\n" +
				"## Dana Weber {#dana-weber-1}\n\n> And then?\n\n" +
				"## Jörg Ahn {#jörg-ahn-1}\n\n> Nothing.\n",
			[]string{
				"Dana Weber: What do you do here?", "Jörg Ahn: I run it. Really.", "Dana Weber: And then?",
				"Jörg Ahn: Nothing.",
			},
		},
		{
			"a table with borders, of pandoc",
			"+------------+----------+------------+\n| Speaker    | Time     | Text       |\n" +
				"+============+==========+============+\n| Dana Weber | 00:00:03 | What do    |\n" +
				"|            |          | you do\\   |\n|            |          | here?      |\n" +
				"+------------+----------+------------+\n| Jörg Ahn   | 00:00:09 | I run it.  |\n" +
				"+------------+----------+------------+\n| Dana Weber | 00:00:14 | And then?  |\n" +
				"|            |          |            |\n|            |          | What?      |\n" +
				"+------------+----------+------------+\n",
			[]string{
				"Dana Weber (3s): What do you do here?", "Jörg Ahn (9s): I run it.", "Dana Weber (14s): And then? What?",
			},
		},
		{
			"toggles of Notion",
			"# Discovery call\n\n- **Moderator**\n    \n    Who files them?\n    \n- **P1**\n    \n    I do.\n    \n" +
				"- **Moderator**\n    \n    Where?\n    \n- **P1**\n    \n    In a box.\n    \n    Below the desk.\n" +
				"    \n- **Moderator**\n    \n    I see.\n    \n- **P1**\n    \n    Yes.\n",
			[]string{
				"Moderator: Who files them?", "P1: I do.", "Moderator: Where?", "P1: In a box. Below the desk.",
				"Moderator: I see.", "P1: Yes.",
			},
		},
		{
			"times before names in bold",
			"0:00:12.9 **Dana Weber** Who files them?\n\n\n0:00:27.3 **Omar Haddad** I do.\n\n\n" +
				"0:00:28.1 **Dana Weber** Where?\n\n\n0:00:38.0 **Omar Haddad** In a box.\n",
			[]string{
				"Dana Weber (12.9s): Who files them?", "Omar Haddad (27.3s): I do.", "Dana Weber (28.1s): Where?",
				"Omar Haddad (38s): In a box.",
			},
		},
		{
			"names in italics before dashes",
			"_Chiara_ – Who files them?\n\n_Teresa_ – I do.\n\n_Chiara_ – Where?\n\n_Teresa_ – In a box.\n\n" +
				"_Chiara_ – I see.\n\n_Teresa_ – Yes.\n",
			[]string{
				"Chiara: Who files them?", "Teresa: I do.", "Chiara: Where?", "Teresa: In a box.", "Chiara: I see.",
				"Teresa: Yes.",
			},
		},
		{
			"people once above their words in bold",
			"__Nurse__\n\nWho files them?\n\n__Patient__\n\nI do.\n\n__Nurse__\n\nWhere?\n\n__Daughter__\n\n" +
				"In a box.\n\n__Nurse__\n\nI see.\n\n__Patient__\n\nYes.\n\n__Nurse__\n\nThanks.\n\n__Patient__\n\n" +
				"Bye.\n",
			[]string{
				"Nurse: Who files them?", "Patient: I do.", "Nurse: Where?", "Daughter: In a box.", "Nurse: I see.",
				"Patient: Yes.", "Nurse: Thanks.", "Patient: Bye.",
			},
		},
		{
			"labels with marks of their own, one in bold",
			"Dana: What do you do?\n**Omar:** I run the desk.\nDana: Since when?\nOmar: Since May.\n",
			markedTurns,
		},
		{
			"labels with marks of their own, one in bold, with dashes",
			"Dana – What do you do?\n\n**Omar** – I run the desk.\n\n" +
				"Dana – Since when?\n\nOmar – Since May.\n\nDana – So.\n",
			slices.Concat(markedTurns, []string{"Dana: So."}),
		},
		{
			"labels with marks of their own, underlined",
			"<u>Dana:</u> What do you do?\n\n<u>Omar</u>: I run the desk.\n\n" +
				"<u>Dana:</u> Since when?\n\n<u>Omar:</u> Since May.\n",
			markedTurns,
		},
		{
			"labels with marks of their own, underlined, above the words",
			"<u>Dana</u>\n\nWhat do you do?\n\n<u>Omar</u>\n\nI run the desk.\n\n" +
				"<u>Dana</u>\n\nSince when?\n\n<u>Omar</u>\n\nSince May.\n",
			markedTurns,
		},
		{
			"labels with marks of their own, bold and underlined",
			"**<u>Dana:</u>** What do you do?\n\n<b><u>Omar:</u></b> I run the desk.\n\n" +
				"**<u>Dana:</u>** Since when?\n\n<u>**Omar:**</u> Since May.\n",
			markedTurns,
		},
		{
			"what is struck through, in Markdown",
			"**Dana:** What ~~did~~ do you do?\n\n**Omar:** I run the ~~front~~ desk.\n\n" +
				"**Dana:** Since when?\n\n**Omar:** Since May.\n",
			markedTurns,
		},
		{
			"what is struck through, in HTML",
			"<html><body><p>Dana: What do you do?</p><p>Omar: I run the<s> front</s> desk.</p>" +
				"<p>Dana: Since<span style=\"text-decoration: line-through\"> where or</span> when?</p>" +
				"<p>Omar:<span style=\"display: none\"> secret</span> Since May.</p></body></html>",
			markedTurns,
		},
		{
			"what is struck through, in Google Docs",
			"<html><head><style>.c1{color:#000}.c2{color:#000;text-decoration:line-through;}</style>" +
				"</head><body class=\"doc-content\"><p>Dana: What do you do?</p>" +
				"<p>Omar: I run the<span class=\"c1 c2\"> front</span> desk.</p><p>Dana: Since when?</p>" +
				"<p><span class=\"c1\">Omar: Since May.</span></p></body></html>",
			markedTurns,
		},
	})
}

func TestNamesInBoldBehindTimes(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "qx()"}
	requireVoices(t, twoVoices("[0%[2]d:14] **%[1]s**: %[3]s\n\n", names, 8), names)
}

func TestNamesInItalicsAboveTheirWords(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana", "Omar"}
	requireVoices(t, "### A town hall\n\n"+twoVoices("*%[1]s*\n\n%[3]s\n\n", names, 8), names)
}

func TestFrontMatterIsNotSpoken(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "Omar"}
	turns := twoVoices("**%[1]s:** %[3]s\n\n", names, 6)
	for _, front := range []string{
		"---\ntitle: How to file\nguest: Omar\ntags:\n- work\n  - paper\ndescription: 'Filing takes\n  days.'\n" +
			"---\n\n",
		"+++\ndate = \"2019-12-09\"\ntitle = \"Episode 10\"\nslug = \"10/transcript\"\n+++\n\n",
	} {
		requireVoices(t, front+turns, names)
	}
	got, err := transcript.Parse([]byte("---\nDana: Is this on?\nOmar: It is.\n---\n" +
		"Dana: Then we start.\nOmar: We do.\n"))
	require.NoError(t, err)
	require.Len(t, got.Utterances, 4, "turns between rules are no front matter")
}

func TestAttributesOfKramdownAreNotSpoken(t *testing.T) {
	t.Parallel()
	names := [2]string{"Interviewer", "Befragte"}
	requireVoices(t, twoVoices("**%[1]s:**{: .text-green-000}  \n%[3]s\n\n", names, 6), names)
}

func TestTimesInItalicsBelowNames(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "Omar Haddad"}
	got := requireVoices(t, twoVoices("**%[1]s**  \n*00:0%[2]d:14*  \n%[3]s\n\n", names, 6), names)
	require.Equal(t, 194*time.Second, got.Utterances[3].Start)
}

func TestBreaksOfHTMLInMarkdownAreNotSpoken(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "Omar"}
	got := requireVoices(t, twoVoices("**%[1]s:** %[3]s<br><br>\n\n", names, 6), names)
	require.NotContains(t, got.Text, "<")
}

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

func TestCommentsOfMarkdownAreNotShown(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana", "Omar"}
	text := twoVoices("**%[1]s:** %[3]s\n\n<!-- check this\nwith Dana: is it right? -->\n\n", names, 8)
	for _, u := range requireVoices(t, text, names).Utterances {
		require.NotContains(t, u.Text, "check")
	}
}

// markedTurns are what the files of these tests say.
var markedTurns = []string{
	"Dana: What do you do?", "Omar: I run the desk.", "Dana: Since when?", "Omar: Since May.",
}
