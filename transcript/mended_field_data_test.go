package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestReadsSpeakersBesideAmazonsWords(t *testing.T) {
	t.Parallel()
	item := func(at, text, who string) string {
		kind := "pronunciation"
		if at == "" {
			kind = "punctuation"
		}
		return fmt.Sprintf(`{"start_time":%q,"end_time":%q,%s"alternatives":[{"content":%q}],"type":%q}`,
			at, at, who, text, kind)
	}
	items := item("1.0", "Hello", "") + "," + item("", ".", "") + "," + item("2.0", "Good", "") + "," +
		item("2.5", "morning", "")
	labels := `"speaker_labels":{"speakers":2,"segments":[{"speaker_label":"spk_0","start_time":"0.9","end_time":"1.5",
		"items":[{"start_time":"1.0","end_time":"1.4","speaker_label":"spk_0"}]},{"speaker_label":"spk_1","items":[
		{"start_time":"2.0","speaker_label":"spk_1"},{"start_time":"2.5","speaker_label":"spk_1"}]}]}`
	require.Equal(t, []string{"spk_0 (1s): Hello.", "spk_1 (2s): Good morning"},
		spoken(t, `{"jobName":"a","results":{`+labels+`,"items":[`+items+`]}}`))
	channels := `"channel_labels":{"channels":[{"channel_label":"ch_0","items":[` + item("1.0", "Hello", "") + `,` +
		item("9.0", "Bye", "") + `]},{"channel_label":"ch_1","items":[` + item("2.0", "Morning", "") + `]}]}`
	require.Equal(t, []string{"ch_0 (1s): Hello", "ch_1 (2s): Morning", "ch_0 (9s): Bye"},
		spoken(t, `{"results":{`+channels+`,"items":[`+items+`]}}`))
	require.Equal(t, []string{"ch_0 (1s): Hello", "ch_1 (2s): Morning"},
		spoken(t, `{"results":{"items":[`+item("1.0", "Hello", `"channel_label":"ch_0",`)+`,`+
			item("2.0", "Morning", `"channel_label":"ch_1",`)+`]}}`))
}

func TestReadsAmazonsCalls(t *testing.T) {
	t.Parallel()
	got, err := transcript.Parse([]byte(`{"JobStatus":"COMPLETED","LanguageCode":"de-DE","Participants":[
		{"ParticipantRole":"AGENT"},{"ParticipantRole":"CUSTOMER"}],"Transcript":[
		{"Content":"Guten Tag, was kann ich tun?","Items":[{"Content":"Guten","BeginOffsetMillis":40}],
		"BeginOffsetMillis":40,"EndOffsetMillis":2050,"ParticipantRole":"AGENT"},
		{"Content":"Die Rechnung.","BeginOffsetMillis":3000,"EndOffsetMillis":4000,"ParticipantRole":"CUSTOMER"}]}`))
	require.NoError(t, err)
	require.Equal(t, transcript.AWS, got.Format)
	require.Equal(t, "de", got.Language)
	require.Empty(t, got.Warnings)
	require.Equal(t, []string{
		"AGENT (40ms): Guten Tag, was kann ich tun?", "CUSTOMER (3s): Die Rechnung.",
	}, turnsOf(got))
	require.Equal(t, []string{"AGENT (0s): Hello there.", "Dana (1m5s): My bill is wrong."},
		spoken(t, `{"Channel":"CHAT","Participants":[{"ParticipantId":"p1","ParticipantRole":"AGENT"}],"Transcript":[
		{"ParticipantId":"p1","Content":"Hello there.","AbsoluteTime":"2024-03-18T13:26:00Z"},
		{"ParticipantId":"p2","ContentType":"application/vnd.amazonaws.connect.event.participant.joined"},
		{"ParticipantId":"p2","DisplayName":"Dana","Content":"My bill is wrong.","AbsoluteTime":"2024-03-18T13:27:05Z"}]}`))
}

func TestReadsWordsBesideParagraphs(t *testing.T) {
	t.Parallel()
	words := `"words":[{"id":0,"start":1.0,"end":1.5,"text":"Why"},{"id":1,"start":1.5,"end":2,"text":"here?"},
		{"id":2,"start":3,"end":3.5,"text":"By"},{"id":3,"start":3.5,"end":4,"text":"chance."},
		{"id":4,"start":6,"end":6.5,"text":"Hm"}]`
	require.Equal(t, []string{"Dana (1s): Why here?", "Ben (3s): By chance.", " (6s): Hm"},
		spoken(t, `{`+words+`,"paragraphs":[{"id":0,"start":1.0,"end":3,"speaker":"Dana"},
		{"id":1,"start":3,"end":4,"speaker":"Ben"}]}`))
	require.Equal(t, []string{"Dana (1s): Why, here?"},
		spoken(t, `{`+words+`,"paragraphs":[{"start":1.0,"end":3,"speaker":"Dana","text":"Why, here?"}]}`))
}

func TestReadsTurnsInSections(t *testing.T) {
	t.Parallel()
	turn := func(who, at, text string) string {
		return `{"start":` + at + `,"stop":90,"speaker":` + who + `,"text_blocks":[{"start":` + at + `,"stop":90,"text":"` +
			text + `"}]}`
	}
	sections := `"sections":[{"start":0,"turns":[` + turn(`{"ID":7,"name":"Dana Weber","last_name":"Weber"}`, "0",
		"We hear the next case today.") + `,` + turn("null", "20", "It begins with a letter.") + `]},{"turns":[` +
		turn(`{"name":"Ben Stone"}`, "40", "The letter was never sent at all.") + `]}]`
	want := []string{
		"Dana Weber (0s): We hear the next case today.", " (20s): It begins with a letter.",
		"Ben Stone (40s): The letter was never sent at all.",
	}
	require.Equal(t, want, spoken(t, `{"id":1,"title":"A hearing","transcript":{"duration":90,`+sections+`}}`))
	require.Equal(t, want, spoken(t, `{`+sections+`}`))
}

func TestRowsWithoutASpeakerContinueTheRowAbove(t *testing.T) {
	t.Parallel()
	table := "speaker,words\n,(They sit down)\nD:,Why here?\nB:,By chance.\nD:,And then?\nB:,I stayed.\n" +
		",My sister came.\n,(The phone rings)\n,We painted the shop.\nD:,When was that?\nB:,In spring.\n,Or in summer.\n"
	got, err := transcript.Parse([]byte(table + "D:,Who knows?\n"))
	require.NoError(t, err)
	require.Equal(t, []string{
		"(0s): (They sit down)", "D (0s): Why here?", "B (0s): By chance.", "D (0s): And then?", "B (0s): I stayed.",
		"B (0s): My sister came.", "(0s): (The phone rings)", "B (0s): We painted the shop.", "D (0s): When was that?",
		"B (0s): In spring.", "B (0s): Or in summer.", "D (0s): Who knows?",
	}, turnsOf(got))
	require.Equal(t, []transcript.Warning{{Code: transcript.WarnUncertainNames, Count: 3}}, got.Warnings)

	// Where the row below a gap has the speaker above it, somebody else may have spoken.
	turns := spoken(t, table+"B:,Who knows?\n")
	require.Contains(t, turns, ": My sister came.")
	require.Contains(t, turns, ": Or in summer.")
}

func TestReadsCharacterReferencesInTables(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"Dana: Paper\u2014or screens?", "Ben: Q&A & R&D; it’s both."},
		spoken(t, "speaker,text\nDana,Paper&#8212;or screens?\nBen,Q&amp;A & R&D; it&rsquo;s both.\n"))
}

func turnsOf(parsed *transcript.Transcript) []string {
	var turns []string
	for _, u := range parsed.Utterances {
		turns = append(turns, strings.TrimSpace(fmt.Sprintf("%s (%s): %s", u.Speaker, u.Start, u.Text)))
	}
	return turns
}
