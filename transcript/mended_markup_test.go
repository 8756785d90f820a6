package transcript_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// markedTurns are what the files of these tests say.
var markedTurns = []string{
	"Dana: What do you do?", "Omar: I run the desk.", "Dana: Since when?", "Omar: Since May.",
}

func TestReadsLabelsWithMarksOfTheirOwn(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"one in bold": "Dana: What do you do?\n**Omar:** I run the desk.\nDana: Since when?\nOmar: Since May.\n",
		"one in bold, with dashes": "Dana – What do you do?\n\n**Omar** – I run the desk.\n\n" +
			"Dana – Since when?\n\nOmar – Since May.\n\nDana – So.\n",
		"underlined": "<u>Dana:</u> What do you do?\n\n<u>Omar</u>: I run the desk.\n\n" +
			"<u>Dana:</u> Since when?\n\n<u>Omar:</u> Since May.\n",
		"underlined, above the words": "<u>Dana</u>\n\nWhat do you do?\n\n<u>Omar</u>\n\nI run the desk.\n\n" +
			"<u>Dana</u>\n\nSince when?\n\n<u>Omar</u>\n\nSince May.\n",
		"bold and underlined": "**<u>Dana:</u>** What do you do?\n\n<b><u>Omar:</u></b> I run the desk.\n\n" +
			"**<u>Dana:</u>** Since when?\n\n<u>**Omar:**</u> Since May.\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, markedTurns, spoken(t, text)[:4])
		})
	}
}

func TestLeavesOutWhatIsStruckThrough(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"Markdown": "**Dana:** What ~~did~~ do you do?\n\n**Omar:** I run the ~~front~~ desk.\n\n" +
			"**Dana:** Since when?\n\n**Omar:** Since May.\n",
		"HTML": "<html><body><p>Dana: What do you do?</p><p>Omar: I run the<s> front</s> desk.</p>" +
			"<p>Dana: Since<span style=\"text-decoration: line-through\"> where or</span> when?</p>" +
			"<p>Omar:<span style=\"display: none\"> secret</span> Since May.</p></body></html>",
		"Google Docs": "<html><head><style>.c1{color:#000}.c2{color:#000;text-decoration:line-through;}</style>" +
			"</head><body class=\"doc-content\"><p>Dana: What do you do?</p><p>Omar: I run the<span class=\"c1 c2\">" +
			" front</span> desk.</p><p>Dana: Since when?</p><p><span class=\"c1\">Omar: Since May.</span></p></body>" +
			"</html>",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, markedTurns, spoken(t, text))
		})
	}
}

func TestLeavesOutHeadersAndFootersOfGoogleDocs(t *testing.T) {
	t.Parallel()
	const turns = "<p>Dana: What do you do?</p><p>Omar: I run the desk.</p>" +
		"<p>Dana: Since when?</p><p>Omar: Since May.</p>"
	require.Equal(t, markedTurns, spoken(t, "<html><body class=\"c3 doc-content\"><div>"+
		"<p>Study 7, confidential</p></div>"+
		turns+"<div><p>Faculty of Health</p></div></body></html>"))
	require.Equal(t, markedTurns,
		spoken(t, "<html><body class=\"doc-content\"><div>"+turns+"</div></body></html>"))
}

func TestReadsOTranscribe(t *testing.T) {
	t.Parallel()
	const file = `{"text":"<p><span class=\"timestamp\" data-timestamp=\"3.2\">0:03</span>` +
		` Dana: What do you do?</p><p><span class=\"timestamp\" data-timestamp=\"9.8\">0:09</span>` +
		` Omar: I run the desk.</p><p><span class=\"timestamp\" data-timestamp=\"67\">1:07</span>` +
		` Dana: Since when?<br></p>","media":"interview.mp3","media-time":71.5}`
	got, err := transcript.Parse([]byte(file))
	require.NoError(t, err)
	require.Equal(t, transcript.OTR, got.Format)
	require.Equal(t,
		[]string{"Dana (3s): What do you do?", "Omar (9s): I run the desk.", "Dana (1m7s): Since when?"},
		spoken(t, file))
}

// shortTextGrid returns a TextGrid in the short form, with the given tiers.
func shortTextGrid(tiers string) string {
	return "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\n0\n20.5\n<exists>\n2\n" + tiers
}

func TestReadsShortTextGrids(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"Dana (3.2s): What do \"you\" do?", "Omar (9.5s): I run the desk."},
		spoken(t, shortTextGrid("\"IntervalTier\"\n\"Dana\"\n0\n20.5\n2\n0\n3.2\n\"\"\n3.2\n9.1\n"+
			"\"What do \"\"you\"\" do?\"\n"+
			"\"IntervalTier\"\n\"Omar\"\n0\n20.5\n1\n9.5\n12.1\n\"I run the desk.\"\n")))
}

func TestRefusesAnnotationsThatAreNoTurns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ tiers, reason string }{
		"words": {"\"IntervalTier\"\n\"words\"\n0\n9\n2\n0\n3\n\"What\"\n3\n9\n\"do\"\n" +
			"\"IntervalTier\"\n\"phones\"\n0\n9\n1\n0\n9\n\"w\"\n", "words or sounds"},
		"a translation": {"\"IntervalTier\"\n\"Dana\"\n0\n9\n1\n0\n9\n\"What do you do?\"\n" +
			"\"IntervalTier\"\n\"German\"\n0\n9\n1\n0\n9\n\"Was machen Sie da?\"\n", "several annotations"},
		"no words": {"\"IntervalTier\"\n\"Dana\"\n0\n9\n1\n0\n9\n\"\"\n" +
			"\"TextTier\"\n\"marks\"\n0\n9\n1\n3\n\"x\"\n", "without words"},
		"damaged": {"\"IntervalTier\"\n\"Dana\"\n0\n9\n7\n0\n9\n", "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := transcript.Parse([]byte(shortTextGrid(c.tiers)))
			var formatError *transcript.FormatError
			require.True(t, errors.As(err, &formatError), err)
			require.Contains(t, formatError.Reason, c.reason)
		})
	}
}
