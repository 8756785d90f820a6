package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestTablesHaveTheirTurns(t *testing.T) {
	t.Parallel()
	requireTurns(t, []example{
		{
			"character references",
			"speaker,text\nDana,Paper&#8212;or screens?\nBen,Q&amp;A & R&D; it&rsquo;s both.\n",
			[]string{"Dana: Paper\u2014or screens?", "Ben: Q&A & R&D; it’s both."},
		},
		{
			"headings without quotes",
			"speaker,words\nMarie Wilson, My name is Marie, as ever.\n" +
				"Wilson, My parents, both of them, came here.\n",
			[]string{"Marie Wilson: My name is Marie, as ever.", "Wilson: My parents, both of them, came here."},
		},
		{
			"a note as a speaker",
			"speaker,words\nNote,The recording begins late.\nDana,Who files them?\nOmar,I do.\n",
			[]string{": The recording begins late.", "Dana: Who files them?", "Omar: I do."},
		},
		{
			"a column for each speaker",
			"Begin Time - hh:mm:ss.ms\tEnd Time - hh:mm:ss.ms\tAnna\tB02\n" +
				"00:00:01.000\t00:00:03.000\tWhat do you do here?\t\n" +
				"00:00:04.000\t00:00:09.000\t\tI run the front desk.\n" +
				"00:00:10.000\t00:00:11.000\tAnd what then?\t\n" +
				"00:00:12.000\t00:00:13.000\t\tNothing at all.\n",
			[]string{
				"Anna (1s): What do you do here?", "B02 (4s): I run the front desk.", "Anna (10s): And what then?",
				"B02 (12s): Nothing at all.",
			},
		},
		{
			"headings with units",
			"Meeting ID,Index,Speaker Name,Start Time (s),End Time (s),Transcript (raw)\n" +
				"m-1,0,Dana Weber,1.5,3.0,What do you do here?\nm-1,1,Jörg Ahn,4.0,9.5,I run the front desk.\n" +
				"m-1,2,Dana Weber,10.0,11.0,And then?\n",
			[]string{
				"Dana Weber (1.5s): What do you do here?", "Jörg Ahn (4s): I run the front desk.",
				"Dana Weber (10s): And then?",
			},
		},
		{
			"tiers",
			"tier\tbegin\tend\ttext\nINT\t1000\t3000\tWhat do you do here?\n" +
				"PART\t4000\t9000\tI run the front desk.\n",
			[]string{"INT (1s): What do you do here?", "PART (4s): I run the front desk."},
		},
	})
}

func TestRowsWithoutASpeakerContinueTheRowAbove(t *testing.T) {
	t.Parallel()
	table := "speaker,words\n,(They sit down)\nD:,Why here?\nB:,By chance.\nD:,And then?\nB:,I stayed.\n" +
		",My sister came.\n,(The phone rings)\n,We painted the shop.\nD:,When was that?\nB:,In spring.\n" +
		",Or in summer.\n"
	got, err := transcript.Parse([]byte(table + "D:,Who knows?\n"))
	require.NoError(t, err)
	require.Equal(t, []string{
		": (They sit down)", "D: Why here?", "B: By chance.", "D: And then?",
		"B: I stayed.", "B: My sister came.", ": (The phone rings)", "B: We painted the shop.",
		"D: When was that?", "B: In spring.", "B: Or in summer.", "D: Who knows?",
	}, turnsOf(got))
	require.Equal(t, []transcript.Warning{{Code: transcript.WarnUncertainNames, Count: 3}}, got.Warnings)

	// Where the row below a gap has the speaker above it, somebody else may have spoken.
	turns := spoken(t, table+"B:,Who knows?\n")
	require.Contains(t, turns, ": My sister came.")
	require.Contains(t, turns, ": Or in summer.")
}

func TestNumbersOfRowsAreNoTimes(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "1;Anna;What do you do here?\n2;Ben;I run the front desk.\n3;Anna;And what then?\n"+
		"4;Ben;Nothing at all.\n"+
		"5;Anna;Why is it so?\n6;Ben;There was no time.\n")
	require.Equal(t, "Anna: What do you do here?", turns[0])
}

func TestReadsTimesOfDayInTables(t *testing.T) {
	t.Parallel()
	const long = "I run the front desk, and whenever the phone rings I write down who called and why they did."
	var quick, slow strings.Builder
	for i := range 8 {
		name := []string{"Dana Weber", "Jörg Ahn"}[i%2]
		fmt.Fprintf(&quick, "10:%02d\t%s\t%s\n", 2+i, name, long)
		fmt.Fprintf(&slow, "10:%02d\t%s\tNothing at all.\n", 2+2*i, name)
	}
	turns := spoken(t, quick.String())
	require.Equal(t, "Jörg Ahn (1m0s): "+long, turns[1])

	got, err := transcript.Parse([]byte(slow.String()))
	require.NoError(t, err)
	require.Equal(t, []transcript.Warning{{Code: transcript.WarnHours, Count: 8}}, got.Warnings)
}

func TestNamesAtTheStartsOfWordsAreDoubtful(t *testing.T) {
	t.Parallel()
	got, err := transcript.Parse([]byte("speaker,text\nDana Weber,Who files them?\nOmar Haddad,I do.\n" +
		"Dana Weber,Omar Haddad In a box.\nDana Weber,Where?\nOmar Haddad,Here.\n"))
	require.NoError(t, err)
	require.Contains(t, got.Warnings, transcript.Warning{Code: transcript.WarnUncertainNames, Count: 1})
}
