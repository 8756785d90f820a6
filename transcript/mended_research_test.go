package transcript_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// These files have layouts of the documents that researchers and students publish with their theses.

func TestNumberedQuestionsHaveOneVoice(t *testing.T) {
	t.Parallel()
	var words, letters strings.Builder
	for i := range 5 {
		fmt.Fprintf(&words, "Question %d: How do you file them?\n\nAnswer: In a box.\n\nMostly.\n\n", i+1)
		fmt.Fprintf(&letters, "Q%d: How do you file them?\nA%d: In a box.\n", i+1, i+1)
	}
	for text, names := range map[string][]string{
		words.String(): {"Question", "Answer"}, letters.String(): {"Q", "A"},
	} {
		got, err := transcript.Parse([]byte(text))
		require.NoError(t, err)
		require.Equal(t, names, got.Speakers())
		require.Equal(t, "How do you file them?", got.Utterances[2].Text)
	}
}

func TestQuestionsOfAListAreNobodysAnswer(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for range 4 {
		text.WriteString("- How often do you buy one?\n\n" +
			"Ella: Every six years\nCarl: Every other year\nHavva: Never\n\n")
	}
	got, err := transcript.Parse([]byte(text.String()))
	require.NoError(t, err)
	require.Equal(t, []string{"Ella", "Carl", "Havva"}, got.Speakers())
	for _, u := range got.Utterances {
		require.Equal(t, strings.Contains(u.Text, "?"), u.Speaker == "", u.Text)
	}
}

func TestASpaceBeforeTheColonOnly(t *testing.T) {
	t.Parallel()
	turns := spoken(t, strings.Repeat("I: Who files them?\nN :Nobody does.\nI : Why?\nN : There is a box.\n", 3))
	require.Equal(t,
		[]string{"I: Who files them?", "N: Nobody does.", "I: Why?", "N: There is a box."}, turns[:4])
}

func TestWhatFollowsTheInterviewIsNotSaid(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("Q: How do you file them?\n\nA: In a box.\n\n", 5) +
		"Fundamental challenges in filing\n\n" + strings.Repeat("Weber et al. show that boxes are fine.\n\n", 8)
	got, err := transcript.Parse([]byte(text))
	require.NoError(t, err)
	require.Equal(t, "A", got.Utterances[9].Speaker)
	require.Equal(t, "In a box.", got.Utterances[9].Text)
	require.Empty(t, got.Utterances[10].Speaker)
	require.NotEmpty(t, got.Warnings)

	// Somebody may speak at length in the end.
	text = strings.Repeat("Q: How do you file them?\n\nA: In a box.\n\n", 5) +
		strings.Repeat("And in a drawer.\n\n", 8)
	got, err = transcript.Parse([]byte(text))
	require.NoError(t, err)
	require.Len(t, got.Utterances, 10)
}

func TestTablesWithHeadingsNeedNoQuotes(t *testing.T) {
	t.Parallel()
	require.Equal(t,
		[]string{"Marie Wilson: My name is Marie, as ever.", "Wilson: My parents, both of them, came here."},
		spoken(t, "speaker,words\nMarie Wilson, My name is Marie, as ever.\n"+
			"Wilson, My parents, both of them, came here.\n"))
}

func TestNumbersOfTurnsInBrackets(t *testing.T) {
	t.Parallel()
	names := [2]string{"Moderator", "Participant 1"}
	requireVoices(t, twoVoices("[T%03[2]d] %[1]s: %[3]s\n", names, 8), names)
}

func TestCommentsOfMarkdownAreNotShown(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana", "Omar"}
	text := twoVoices("**%[1]s:** %[3]s\n\n<!-- check this\nwith Dana: is it right? -->\n\n", names, 8)
	for _, u := range requireVoices(t, text, names).Utterances {
		require.NotContains(t, u.Text, "check")
	}
}

func TestTurnsThatScriptsPrint(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"SPEAKER_00 (500ms): Who files them?", "SPEAKER_01 (3s): I do.", "SPEAKER_00 (5s): Why?",
	}, spoken(t, "start=0.5s stop=2.0s speaker=SPEAKER_00 text=  Who files them?\n"+
		"start=3.0s stop=4.5s speaker=SPEAKER_01 text=  I do.\n"+
		"start=5.0s stop=6.5s speaker=SPEAKER_00 text=  Why?\n"))
	names := [2]string{"SPEAKER_00", "SPEAKER_01"}
	padded := requireVoices(t,
		twoVoices("[00:00:00%[2]d.50 --> 00:00:00%[2]d.90] [%[1]s]  %[3]s\n\n", names, 8), names)
	require.Equal(t, 1500*time.Millisecond, padded.Utterances[1].Start)
	require.Equal(t, []string{
		"Speaker 1 (0s): Who files", "Speaker 1 (1s): them?", "Speaker 2 (3s): I do.", "Speaker 1 (5s): You?",
		"Speaker 2 (6s): Yes.",
	}, spoken(t, "--- Speaker 1 ---\n  [00:00 - 00:01] Who files\n  [00:01 - 00:03] them?\n\n"+
		"--- Speaker 2 ---\n  [00:03 - 00:04] I do.\n\n--- Speaker 1 ---\n  [00:05 - 00:06] You?\n\n"+
		"--- Speaker 2 ---\n  [00:06 - 00:07] Yes.\n"))
}

func TestTimesOfHalfDaysAreNotWords(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "Omar"}
	text := twoVoices("%[1]s  9:0%[2]d AM\n%[3]s\n\n", names, 8)
	for _, u := range requireVoices(t, text, names).Utterances {
		require.NotContains(t, u.Text, "AM")
	}
}

func TestGooglesOperations(t *testing.T) {
	t.Parallel()
	turns := spoken(t, `{"name":"1","done":true,"response":{"results":[
		{"alternatives":[{"transcript":"Who files? Me.","words":[{"startTime":"0s","endTime":"1s","word":"Who"}]}]},
		{"alternatives":[{"words":[
			{"startTime":"0s","endTime":"0.500s","word":"Who","speakerTag":3},
			{"startTime":"0.500s","endTime":"1s","word":"files?","speakerTag":3},
			{"startTime":"2s","endTime":"3s","word":"Me.","speakerTag":1}]}]}]}}`)
	require.Equal(t, []string{"Speaker 3 (0s): Who files?", "Speaker 1 (2s): Me."}, turns)
}

// The names are so few that, by their share of the cues, they could be words.
func TestCaptionsThatNameOnlyWhoBegins(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 240 {
		said := "and so we went on with it"
		switch i % 24 {
		case 0:
			said = []string{"Travis", "Sarah", "Gil"}[i/24%3] + ": Well, first of all"
		case 23:
			said = "until it was done."
		}
		fmt.Fprintf(&text, "%d\n00:%02d:%02d,000 --> 00:%02d:%02d,900\n%s\n\n", i+1, i/60, i%60, i/60, i%60, said)
	}
	got, err := transcript.Parse([]byte(text.String()))
	require.NoError(t, err)
	require.Equal(t, []string{"Travis", "Sarah", "Gil"}, got.Speakers())
	require.Equal(t, "Sarah", got.Utterances[40].Speaker)
}

func TestNotesBelowHeadingsAreNobodysWords(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 5 {
		fmt.Fprintf(&text, "## Topic %d\n\nDW: Who files them?\n\nOB: I do.\n\n", i)
	}
	text.WriteString("## Slides\n\nSee the page of the group.\n\nOB: And now?\n\nDW: We stop.\n")
	got, err := transcript.Parse([]byte(text.String()))
	require.NoError(t, err)
	require.Equal(t, []string{"DW", "OB"}, got.Speakers())
	require.Equal(t, "OB", got.Utterances[9].Speaker)
	require.Equal(t, "I do.", got.Utterances[9].Text)
	require.Empty(t, got.Utterances[10].Speaker)
	require.NotEmpty(t, got.Warnings)
	require.NotContains(t, got.Text, "\uE0F1")

	// Where answers go on below headings, they belong to the speaker.
	text.Reset()
	for i := range 4 {
		fmt.Fprintf(&text, "DW: Who files them?\n\nOB: I do.\n\n## Part %d\n\nAs ever.\n\n", i)
	}
	got, err = transcript.Parse([]byte(text.String()))
	require.NoError(t, err)
	for _, u := range got.Utterances {
		require.NotEmpty(t, u.Speaker, u.Text)
		require.NotContains(t, u.Text, "\uE0F1")
	}
}

func TestNotesInTablesAreNobodysWords(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{": The recording begins late.", "Dana: Who files them?", "Omar: I do."},
		spoken(t, "speaker,words\nNote,The recording begins late.\nDana,Who files them?\nOmar,I do.\n"))
}

func TestNumbersOfSectionsBeginAgain(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for range 2 {
		for i := range 4 {
			fmt.Fprintf(&text, "%d. The box below the desk\n\nDana: Who files them?\n\nOmar: I do.\n\n", i+1)
		}
	}
	got, err := transcript.Parse([]byte(text.String()))
	require.NoError(t, err)
	for _, u := range got.Utterances {
		require.Equal(t, strings.Contains(u.Text, "desk"), u.Speaker == "", u.Text)
	}
}

// The first turns have full names, and the others their initials.
func TestFullNamesThenInitials(t *testing.T) {
	t.Parallel()
	text := "Jeanne-Marie Roux : Who files the receipts?\nOmar Haddad : I do.\n"
	for range 3 {
		text += "JMR : In a box?\nOH : On the shelf behind the door, where nobody looks.\n"
	}
	got, err := transcript.Parse([]byte(text))
	require.NoError(t, err)
	require.Equal(t, []string{"Jeanne-Marie Roux", "Omar Haddad", "JMR", "OH"}, got.Speakers())
}

// Words are marked with tags and links, which nobody said. Tags in code that people paste are words.
func TestAnnotatedWords(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"Dana: Where are you from?", "Omar: I was born in Leeds, on the seventh of May.", "Dana: And your father?",
		"Omar: He kept the shop, as the paper says.",
	}, spoken(t, "Dana: Where are you from?\n\nOmar: I was born in <place type=\"town\">Leeds</place>"+
		", on <date>the seventh of May</date>.\n\nDana: And your <kin>father</kin>?\n\n"+
		"Omar: He kept <thing>the shop</thing>, as [the paper](https://example.com/a_(b)?c=1) says.\n"))
	require.Contains(t, spoken(t, "Dana: What is in it?\n\nOmar: This:\n<id>a</id>\n<id>b</id>\n<id>c</id>\n"+
		"<id>d</id>\n\nDana: I see.\n\nOmar: Yes.\n")[1], "<id>a</id>")
}
