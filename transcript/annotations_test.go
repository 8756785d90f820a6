package transcript_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestAnnotationsHaveTheirTurns(t *testing.T) {
	t.Parallel()
	requireTurns(t, []example{
		{
			"times of CHAT",
			"@UTF8\n@Begin\n@Languages:\teng\n*MAY:\twhat do you do . \x151000_3000\x15\n" +
				"%com:\tsmiles\n*DEV:\tI run\n\tthe desk . \x154000_5000\x15\n*MAY:\tand then ? \x156000_7000\x15\n" +
				"*DEV:\tnothing .\n@End\n",
			[]string{
				"MAY (1s): what do you do .", "DEV (4s): I run the desk .", "MAY (6s): and then ?", "DEV: nothing .",
			},
		},
		{
			"a short TextGrid",
			shortTextGrid("\"IntervalTier\"\n\"Dana\"\n0\n20.5\n2\n0\n3.2\n\"\"\n3.2\n9.1\n" +
				"\"What do \"\"you\"\" do?\"\n" +
				"\"IntervalTier\"\n\"Omar\"\n0\n20.5\n1\n9.5\n12.1\n\"I run the desk.\"\n"),
			[]string{"Dana (3.2s): What do \"you\" do?", "Omar (9.5s): I run the desk."},
		},
		{
			"focus group of MAXQDA",
			"#Jonas\nWho files them?\n\n#Aylin\nI do.\nIn a box.\n\n#Jonas\nWhere?\n\n#Matthias\nHere.\n\n" +
				"#Jonas\nSince when?\n\n#Aylin\nMarch.\n\n#Matthias\nMay.\n\n#Aylin\nNo.\n\n#Matthias\nYes.\n",
			[]string{
				"Jonas: Who files them?", "Aylin: I do. In a box.", "Jonas: Where?", "Matthias: Here.",
				"Jonas: Since when?", "Aylin: March.", "Matthias: May.", "Aylin: No.", "Matthias: Yes.",
			},
		},
		{
			"oTranscribe without spaces",
			`{"text": "<p><span class=\"timestamp\" data-timestamp=\"3.12\">0:03</span>DW: Who files them?</p>` +
				`<p><span class=\"timestamp\" data-timestamp=\"7.7\">0:07</span>OH: I do.</p><p>` +
				`<span class=\"timestamp\" data-timestamp=\"9.1\">0:09</span>DW: Where?</p><p>` +
				`<span class=\"timestamp\" data-timestamp=\"12\">0:12</span>OH: In a box.</p>", "media": "a.mp3"}`,
			[]string{"DW (3s): Who files them?", "OH (7s): I do.", "DW (9s): Where?", "OH (12s): In a box."},
		},
	})
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

func TestRefusesDamagedTextGrids(t *testing.T) {
	t.Parallel()
	_, err := transcript.Parse([]byte("File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\nxmin = 0 \n" +
		"xmax = 9 \ntiers? <exists> \nsize = 1 \nitem []: \n    item [1]:\n        class = \"IntervalTier\" \n" +
		"        name = \"INT\" \n        intervals [1]:\n            text = \"What do you do here?\" \n"))
	var formatError *transcript.FormatError
	require.ErrorAs(t, err, &formatError)
	require.Contains(t, formatError.Reason, "TextGrid")
}
