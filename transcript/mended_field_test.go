package transcript_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// These files have layouts of real transcripts that a hundred projects publish.

// twoVoices writes as many turns of two people as wanted, each in the given form, which has %[1]s for the
// name, %[2]d for the number of the turn, and %[3]s for the words.
func twoVoices(form string, names [2]string, turns int) string {
	var out strings.Builder
	for i := range turns {
		words := []string{
			"So how did you file the receipts in those days?", "In a box below the desk, mostly.",
		}[i%2]
		fmt.Fprintf(&out, form, names[i%2], i, words)
	}
	return out.String()
}

func requireVoices(t *testing.T, text string, names [2]string) *transcript.Transcript {
	t.Helper()
	got, err := transcript.Parse([]byte(text))
	require.NoError(t, err)
	require.Equal(t, names[:], got.Speakers(), "%v", got.Warnings)
	require.Empty(t, got.Warnings)
	for i, u := range got.Utterances {
		require.NotEmpty(t, u.Speaker, "%d: %s", i, u.Text)
		require.NotRegexp(t, "[:▶]", u.Text, "%d", i)
	}
	return got
}

func TestLongTurnsOfRevHaveTimesWithoutNames(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "Omar"}
	text := twoVoices("%[1]s (00:0%[2]d:00):\n%[3]s\n\n(00:0%[2]d:20):\nThat took a while.\n\n"+
		"(00:0%[2]d:40):\nAnd then some.\n\n", names, 8)
	got := requireVoices(t, text, names)
	require.Len(t, got.Utterances, 24)
	require.Equal(t, "Omar", got.Utterances[5].Speaker)
	require.Equal(t, 100*time.Second, got.Utterances[5].Start)
}

func TestAFewTimesAmongLabelsAreMarks(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "Omar"}
	text := strings.Repeat(twoVoices("**%[1]s:** %[3]s\n\n", names, 8)+
		"[%02d:57\\] And one more thing, while we are here.\n\n", 3)
	requireVoices(t, fmt.Sprintf(text, 3, 13, 24), names)
}

func TestNamesInBoldBehindTimes(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "qx()"}
	requireVoices(t, twoVoices("[0%[2]d:14] **%[1]s**: %[3]s\n\n", names, 8), names)
}

func TestTypistsForgetTheSpaceBehindATime(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana (ACME)", "Omar"}
	text := twoVoices("**%[1]s** [0:1%[2]d] %[3]s\n\n", names, 8)
	requireVoices(t, strings.ReplaceAll(text, "] In", "]In"), names)
	requireVoices(t, strings.ReplaceAll(text, "] ", "] - "), names)
}

func TestNamesAboveEveryTurnAreNoRunningLines(t *testing.T) {
	t.Parallel()
	names := [2]string{"Interviewer", "Dana Weber"}
	requireVoices(t, "# An interview\n\n"+twoVoices("%[1]s:\n\n%[3]s\n\n", names, 12), names)
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

func TestNumberedSpeakersInLowerCaseMayOccurOnce(t *testing.T) {
	t.Parallel()
	got, err := transcript.Parse([]byte("[00:00:00.000 -> 00:00:23.580] speaker0: Good morning to all of " +
		"you.\n[00:01:20.440 -> 00:01:24.540] speaker1: Thank you.\n[00:05:48.500 -> 00:05:55.940] speaker2: And " +
		"from me.\n"))
	require.NoError(t, err)
	require.Equal(t, []string{"speaker0", "speaker1", "speaker2"}, got.Speakers())
}

func TestInitialsAreIntroducedOnce(t *testing.T) {
	t.Parallel()
	turns := twoVoices("%[1]s: %[3]s\n\n", [2]string{"DW", "OH"}, 8)
	got, err := transcript.Parse([]byte("Dana Weber (DW): Let us begin.\n\nOmar Haddad (OH): Let us.\n\n" +
		"Kim Ito (KI): I only listen.\n\n" + turns))
	require.NoError(t, err)
	require.Subset(t, got.Speakers(), []string{"Dana Weber (DW)", "Omar Haddad (OH)"})
}

// The panel of Teams in a browser repeats name and time at each paragraph of a turn.
func TestTurnsCopiedFromThePanelOfTeams(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "Omar Haddad"}
	text := "Transcript. Use arrow keys to navigate between transcript entries.\n\n" +
		"AI-generated content may be incorrect\n\n" +
		twoVoices("%[1]s\n%[2]d minutes 3 seconds%[2]d:03\n%[1]s %[2]d minutes 3 seconds\n%[3]s\n"+
			"%[1]s %[2]d minutes 8 seconds\nThat was that.\n\n", names, 6)
	got := requireVoices(t, text, names)
	require.Len(t, got.Utterances, 12)
	require.Equal(t, 68*time.Second, got.Utterances[3].Start)
}

func TestTheAltTextOfAvatarsIsNotSpoken(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "Omar Haddad"}
	requireVoices(t, twoVoices("user avatar\n%[1]s\n00:0%[2]d:14\n%[3]s\n", names, 6), names)
}

func TestXHTMLIsReadAsHTML(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "Omar Haddad"}
	requireVoices(t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"+
		"<html xmlns=\"http://www.w3.org/1999/xhtml\"><body>\n"+
		twoVoices("<p><b>%[1]s:</b> %[3]s</p>\n", names, 6)+"</body></html>\n", names)
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

func TestCopyrightsOnEveryPageAreNotSpoken(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "Omar"}
	page := twoVoices("%[1]s: %[3]s\n\n", names, 10) +
		"© An example of a trust, all rights reserved, for research only\n\n"
	requireVoices(t, strings.Repeat(page, 5), names)
}

func TestElementsOfTheClassSpeakerNameSpeakers(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "Omar Haddad"}
	for _, turn := range []string{
		"<div class=\"turn\"><p class=\"speaker\">%[1]s</p><p><a href=\"#\">▶</a> %[3]s</p></div>\n",
		"<p><span class=\"speaker-name\">%[1]s</span> <span>%[3]s</span></p>\n",
		"<p><b class=\"transcript__speaker\">%[1]s:</b> %[3]s</p>\n",
	} {
		requireVoices(t, "<html><body>\n"+twoVoices(turn, names, 6)+"</body></html>\n", names)
	}
}

func TestTimesBetweenNamesAndWords(t *testing.T) {
	t.Parallel()
	for _, names := range [][2]string{{"Dana", "Omar"}, {"Dana Weber", "Omar Haddad"}, {"S1", "S2"}} {
		got := requireVoices(t, twoVoices("%[1]s 00:0%[2]d:21 %[3]s\n\n", names, 8), names)
		require.Equal(t, 201*time.Second, got.Utterances[3].Start)
	}
}

func TestFullNamesAreIntroducedOnce(t *testing.T) {
	t.Parallel()
	turns := twoVoices("%[1]s: %[3]s\n\n", [2]string{"WEBER", "HADDAD"}, 8)
	for _, first := range [][2]string{{"DANA WEBER, HOST", "OMAR HADDAD"}, {"Dana WEBER", "Omar HADDAD"}} {
		got, err := transcript.Parse([]byte(first[0] + ":\n\nLet us begin.\n\n" + first[1] +
			": Let us.\n\n" + turns))
		require.NoError(t, err)
		require.Equal(t, []string{first[0], first[1], "WEBER", "HADDAD"}, got.Speakers())
	}
}

func TestTimesInItalicsBelowNames(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "Omar Haddad"}
	got := requireVoices(t, twoVoices("**%[1]s**  \n*00:0%[2]d:14*  \n%[3]s\n\n", names, 6), names)
	require.Equal(t, 194*time.Second, got.Utterances[3].Start)
}

func TestWordsBehindTheTimesOfCaptions(t *testing.T) {
	t.Parallel()
	names := [2]string{"SPEAKER_00", "SPEAKER_01"}
	got := requireVoices(t, twoVoices("00:0%[2]d:03,000 --> 00:0%[2]d:09,900 %[1]s: %[3]s\n", names, 8), names)
	require.Equal(t, transcript.Text, got.Format)
	require.Equal(t, 183*time.Second, got.Utterances[3].Start)
}

// Word-by-word captions have one-word cues, in which words recur as names do elsewhere.
func TestWordsThatAreCuesAreNoNames(t *testing.T) {
	t.Parallel()
	var srt, ass strings.Builder
	ass.WriteString("[Script Info]\n[Events]\nFormat: Start, End, Style, Name, Text\n")
	words := strings.Fields(strings.Repeat("So I uh I first heard about it and I told you So I first heard ", 6))
	for i, word := range words {
		fmt.Fprintf(&srt, "%d\n00:00:%02d,000 --> 00:00:%02d,300\n%s\n\n", i+1, i/2, i/2, word)
		fmt.Fprintf(&ass, "Dialogue: 0:00:%02d.00,0:00:%02d.30,Speaker0%d,,%s\n", i/2, i/2, i/60, word)
	}
	for _, text := range []string{srt.String(), ass.String()} {
		got, err := transcript.Parse([]byte(text))
		require.NoError(t, err)
		require.Equal(t, words, strings.Fields(got.Text))
	}
	got, err := transcript.Parse([]byte(ass.String()))
	require.NoError(t, err)
	require.Equal(t, []string{"Speaker00", "Speaker01"}, got.Speakers())
}

func TestMarksOfDirectionAroundPhoneNumbers(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 8 {
		fmt.Fprintf(&text, "[13/09/22, 14:0%d:22] \u202a+51 900 000 000\u202c: Is anybody there?\n"+
			"[13/09/22, 14:0%d:42] ~ Dana: \u200eI am.\n", i, i)
	}
	got, err := transcript.Parse([]byte(text.String()))
	require.NoError(t, err)
	require.Equal(t, []string{"+51 900 000 000", "Dana"}, got.Speakers())
	require.Equal(t, "I am.", got.Utterances[1].Text)
}

func TestNumberedNamesAboveWordsWithoutBlankLines(t *testing.T) {
	t.Parallel()
	names := [2]string{"Sprecher 1", "Sprecher 2"}
	requireVoices(t, twoVoices("%[1]s\r\n%[3]s\r\nThat was that.\r\n", names, 8), names)
}

func TestListsOfQuotesInJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`[{"Who": "Dana Weber", "Quote": "Why?", "Start": 0, "End": "0:07"},
			{"Who": "Omar", "Quote": "To file.", "Start": "0:07", "End": "0:14"}]`,
		`{"topic_list": [{"topic": "Filing"}], "meeting_transcripts": [
			{"speaker": "Dana Weber", "content": "Why?"}, {"speaker": "Omar", "content": "To file."}]}`,
		`{"messages": [{"creator": {"name": "Dana Weber", "email": "dana@example.com"}, "text": "Why?"},
			{"creator": {"name": "Omar"}, "text": "To file."}]}`,
	} {
		got, err := transcript.Parse([]byte(text))
		require.NoError(t, err)
		require.Equal(t, "Why?\nTo file.", got.Text)
		require.Equal(t, []string{"Dana Weber", "Omar"}, got.Speakers())
	}
}

func TestSpeakersOfWatson(t *testing.T) {
	t.Parallel()
	got, err := transcript.Parse([]byte(`{"result_index": 0, "results": [{"final": true, "alternatives": [{
		"transcript": "why so to file ", "confidence": 0.9,
		"timestamps": [["why", 0.43, 0.81], ["so", 0.81, 0.97], ["to", 1.4, 1.5], ["file", 1.5, 1.59]]}]}],
		"speaker_labels": [{"from": 0.43, "to": 0.81, "speaker": 0}, {"from": 0.81, "to": 0.97, "speaker": 0},
			{"from": 1.4, "to": 1.5, "speaker": 2}, {"from": 1.5, "to": 1.59, "speaker": 2}]}`))
	require.NoError(t, err)
	require.Equal(t, "why so\nto file", got.Text)
	require.Equal(t, []string{"Speaker 0", "Speaker 2"}, got.Speakers())
	require.Equal(t, 1400*time.Millisecond, got.Utterances[1].Start)
}

func TestBreaksOfHTMLInMarkdownAreNotSpoken(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "Omar"}
	got := requireVoices(t, twoVoices("**%[1]s:** %[3]s<br><br>\n\n", names, 6), names)
	require.NotContains(t, got.Text, "<")
}

func TestDatesBeforeTimesAreNoNames(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "Omar"}
	requireVoices(t, twoVoices("2013-09-15 22:31:5%[2]d %[1]s: %[3]s\n", names, 8), names)
}

func TestNumberedSpeakersMayOccurOnceAmongOthers(t *testing.T) {
	t.Parallel()
	got, err := transcript.Parse([]byte(twoVoices("[%[2]d.00-%[2]d.90] %[1]s: %[3]s\n",
		[2]string{"Speaker_0", "Speaker_1"}, 8) + "[8.00-8.90] Speaker_3: Good.\n[9.00-9.90] Speaker_5: Yes.\n"))
	require.NoError(t, err)
	require.Equal(t, []string{"Speaker_0", "Speaker_1", "Speaker_3", "Speaker_5"}, got.Speakers())
}
