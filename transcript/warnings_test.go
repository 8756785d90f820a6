package transcript_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

const dialogue = "Dana: How do you plan?\nSam: On paper.\nDana: Why?\nSam: Nobody reads mails.\n" +
	"Dana: Nobody?\nSam: No.\n"

func TestWarnsOfDoubtfulReadings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, warning string }{
		{"no speakers", "We bake at four.\n\nThen we sell.\n", "No speakers were found"},
		{"one speaker", "Dana: One.\nDana: Two.\nDana: Three.\nDana: Four.\n", "Only one speaker"},
		{
			"a round of introductions",
			dialogue + "Ben: I am Ben.\nLiz: I am Liz.\nTom: I am Tom.\n" + dialogue,
			"In 3 places it is not certain",
		},
		{
			"a name that may be a word",
			strings.Repeat(dialogue, 2) + "Excel: too slow for us.\n" + dialogue,
			"In 1 place it is not certain",
		},
		{
			"a phrase where all others have labels",
			strings.Repeat(dialogue, 2) + "The lad at the door: Sorry to interrupt.\n" + dialogue,
			"In 1 place it is not certain",
		},
		{
			"a name once among the codes of a program",
			strings.Repeat("SPEAKER_00: How?\nSPEAKER_01: So.\n", 6) +
				"Deals: We can start earlier.\nSPEAKER_00: Yes.\n",
			"In 1 place it is not certain",
		},
		{
			"a phrase before a dash",
			strings.Repeat("Moderator - Who files them?\nP1 - I do.\n", 8) +
				"The daughter - Mum, the milk.\nP1 - Yes.\n",
			"In 1 place it is not certain",
		},
		{
			"a word above words",
			strings.Repeat("Davide:\nA pot?\n\nErnestina detta Tina:\nA pot.\n\n", 6) +
				"Pot:\nSorry.\n\nDavide:\nNo.\n",
			"In 1 place it is not certain",
		},
		{
			"a label within a line",
			strings.Repeat(dialogue, 3) + "Dana: So they do not read them? Sam: No.\nDana: I see.\n",
			"In 1 place it is not certain",
		},
		{
			"a role once",
			strings.Repeat(dialogue+"A customer comes in.\nAnd another.\n", 2) +
				"Customer: Sorry to interrupt.\n" + dialogue,
			"In 1 place it is not certain",
		},
		{
			"a phrase in bold above words",
			strings.Repeat("**Aoife**  \nWho files them?\n\n**Cormac**  \nI do.\n\n", 4) +
				"**Lad at the door**  \nSorry to interrupt.\n\n**Aoife**  \nWho?\n",
			"In 1 place it is not certain",
		},
		{
			"a text before colons that recurs",
			strings.Repeat("Dana: How do you plan?\n\nSam: On paper.\nHe said when I asked him: On paper.\n\n", 4),
			"In 4 places it is not certain",
		},
		{
			"times that go back",
			"WEBVTT\n\n10:00.000 --> 11:00.000\nDana: a\n\n12:00.000 --> 13:00.000\nSam: b\n\n" +
				"01:00.000 --> 02:00.000\nDana: c\n\n13:00.000 --> 14:00.000\nSam: d\n\n" +
				"02:00.000 --> 03:00.000\nDana: e\n",
			"The times look wrong",
		},
		{
			"more words than anyone can say",
			"[00:00:01] Dana: " + strings.Repeat("a b c d e f ", 20) + "\n[00:00:02] Sam: b\n[00:00:03] Dana: c\n" +
				"[00:00:04] Sam: d\n",
			"The times look wrong",
		},
		{
			"times that may be hours and minutes",
			"[10:02] Dana: How do you plan?\n[10:20] Sam: On paper.\n[10:41] Dana: Why?\n[11:15] Sam: No time.\n",
			"The times may be hours and minutes",
		},
		{"speakers who speak once", panel(), "12 speakers were found"},
		{
			"names on few paragraphs",
			dialogue + strings.Repeat("\n\nWe bake at four, and then we sell what we have.", 60),
			"Few paragraphs begin with a name",
		},
		{
			"lines that recur",
			strings.Repeat(strings.Repeat(dialogue, 2)+"a study of the night\nDana: So?\n", 4),
			"4 lines may be headers or footers",
		},
		{
			"times that cannot be read",
			`[{"speaker": "Dana", "text": "How?", "start": "soon"}, {"speaker": "Sam", "text": "So.", ` +
				`"start": "later"}]`,
			"The times look wrong",
		},
		{
			"columns that are not read",
			"<table><tr><th>Speaker</th><th>Text</th><th>Notes of the coder</th></tr>" +
				strings.Repeat("<tr><td>Dana</td><td>We bake at four and sell at six</td><td>bread baking early "+
					"morning</td></tr>", 10) + "</table>",
			"About 46 words",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := transcript.Parse([]byte(c.text))
			require.NoError(t, err)
			checkInvariants(t, got)
			var sentences []string
			for _, w := range got.Warnings {
				require.Positive(t, w.Count)
				sentences = append(sentences, w.Message())
			}
			require.Contains(t, strings.Join(sentences, "\n"), c.warning)
		})
	}
}

// panel returns a text in which twelve people speak once.
func panel() string {
	var b strings.Builder
	for i := range 12 {
		fmt.Fprintf(&b, "Bob Number %c  0:%02d\nI am here.\n\n", 'A'+i, 3*i)
	}
	return b.String()
}

func TestDoesNotWarnOfAnOrdinaryInterview(t *testing.T) {
	t.Parallel()
	got, err := transcript.Parse([]byte(dialogue))
	require.NoError(t, err)
	require.Empty(t, got.Warnings)
}

func TestMarksOfHalvesOfTheDayAreNoWords(t *testing.T) {
	t.Parallel()
	var chat strings.Builder
	for i := range 40 {
		name := []string{"ليلى", "سامي"}[i%2]
		fmt.Fprintf(&chat, "\u200f3\u200f/5\u200f/2024، 9:%02d ص - %s: من يحفظها؟\n", i+10, name)
	}
	got, err := transcript.Parse([]byte(chat.String()))
	require.NoError(t, err)
	require.Empty(t, got.Warnings)
}

// A name that may be one, or the item of a list, gets no words, and takes none from the speaker before it.
func TestDoubtfulNamesSpeakNothing(t *testing.T) {
	t.Parallel()
	got, err := transcript.Parse([]byte(dialogue + "Ben: I am Ben.\nLiz: I am Liz.\n" + dialogue))
	require.NoError(t, err)
	require.Equal(t, []string{"Dana", "Sam"}, got.Speakers())
	require.Equal(t, "Ben: I am Ben.", got.Utterances[6].Text)
	require.Empty(t, got.Utterances[6].Speaker)
	require.Equal(t, "Liz: I am Liz.", got.Utterances[7].Text)
}

func TestKeepsWordsBeforeTheFirstName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, first string }{
		{"Otter", "is it on\n\nDana Weber  0:03\nYes.\n\nSam Okafor  0:05\nGood.\n", "is it on"},
		{"Rev", "is it on\n\nDana Weber (00:03):\nYes.\n\nSam Okafor (00:05):\nGood.\n", "is it on"},
		{"times", "is it on\n[00:03] Dana: Yes.\n[00:05] Sam: Good.\n[00:07] Dana: So.\n", "is it on"},
		{"names", "is it on\n\nDana: Yes.\n\nSam: Good.\n\nDana: So.\n", "is it on"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := transcript.Parse([]byte(c.text))
			require.NoError(t, err)
			require.Equal(t, c.first, got.Utterances[0].Text)
			require.Empty(t, got.Utterances[0].Speaker)
		})
	}
}

// A line of speech that begins with a clock time does not turn a file with names into one with times.
func TestClockTimesInSpeechAreWords(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for range 20 {
		b.WriteString(dialogue)
	}
	text := strings.Replace(b.String(), "Sam: On paper.\n",
		"Sam: On paper.\n9:00 we count the till.\n9:30 we open.\n", 5)
	got, err := transcript.Parse([]byte(text))
	require.NoError(t, err)
	require.Len(t, got.Utterances, 120)
	require.Equal(t, []string{"Dana", "Sam"}, got.Speakers())
	require.Equal(t, "On paper. 9:00 we count the till. 9:30 we open.", got.Utterances[1].Text)
	require.False(t, got.Utterances[1].Timed)
}

// Seconds and milliseconds are told apart by how many words a second they make.
func TestUnitsOfTimesArePlausible(t *testing.T) {
	t.Parallel()
	const inSeconds = `[{"start": 1, "end": 3, "text": "How do you plan it?"}, ` +
		`{"start": 4, "end": 6, "text": "On paper."}]`
	milliseconds := strings.NewReplacer(`": 1,`, `": 1000,`, `": 3,`, `": 3000,`, `": 4,`, `": 4000,`,
		`": 6,`, `": 6000,`)
	utterances := `{"id": "1", "utterances": ` + inSeconds + `}`
	for _, text := range []string{
		inSeconds, milliseconds.Replace(inSeconds), utterances, milliseconds.Replace(utterances),
	} {
		got, err := transcript.Parse([]byte(text))
		require.NoError(t, err)
		require.Equal(t, time.Second, got.Utterances[0].Start, text)
		require.Equal(t, 6*time.Second, got.Utterances[1].End, text)
	}
}

func TestTimesOfDayCountFromTheFirst(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		second     time.Duration
	}{
		{"past midnight", "[11:59:50 PM] Dana: Hi.\n[12:00:10 AM] Sam: Ho.\n", 20 * time.Second},
		{"past noon", "[11:59 AM] Dana: Hi.\n[12:01 PM] Sam: Ho.\n", 2 * time.Minute},
		{"another day", "[2024-03-05 23:00:00] Dana: Hi.\n[2024-03-06 01:00:00] Sam: Ho.\n", 2 * time.Hour},
		{"month first", "[3/13/24, 10:00:00] Dana: Hi.\n[3/14/24, 10:00:00] Sam: Ho.\n", 24 * time.Hour},
		{"day first", "[13/3/24, 10:00:00] Dana: Hi.\n[14/3/24, 10:00:00] Sam: Ho.\n", 24 * time.Hour},
		{"either", "[3/5/24, 10:00:00] Dana: Hi.\n[3/6/24, 10:00:00] Sam: Ho.\n", 24 * time.Hour},
		{"zones", "2024-03-05T10:00:00+01:00 Dana: Hi.\n2024-03-05T10:00:05.5+01:00 Sam: Ho.\n", 5500 * ms},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := transcript.Parse([]byte(c.text))
			require.NoError(t, err)
			require.Equal(t, []string{"Dana", "Sam"}, got.Speakers())
			require.Zero(t, got.Utterances[0].Start)
			require.Equal(t, c.second, got.Utterances[1].Start)
		})
	}
}
