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
	labels := `"speaker_labels":{"speakers":2,"segments":[{"speaker_label":"spk_0",` +
		`"start_time":"0.9","end_time":"1.5",
		"items":[{"start_time":"1.0","end_time":"1.4","speaker_label":"spk_0"}]},{"speaker_label":"spk_1","items":[
		{"start_time":"2.0","speaker_label":"spk_1"},{"start_time":"2.5","speaker_label":"spk_1"}]}]}`
	require.Equal(t, []string{"spk_0 (1s): Hello.", "spk_1 (2s): Good morning"},
		spoken(t, `{"jobName":"a","results":{`+labels+`,"items":[`+items+`]}}`))
	channels := `"channel_labels":{"channels":[{"channel_label":"ch_0","items":[` +
		item("1.0", "Hello", "") + `,` +
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
		{"Content":"Die Rechnung.","BeginOffsetMillis":3000,"EndOffsetMillis":4000,` +
		`"ParticipantRole":"CUSTOMER"}]}`))
	require.NoError(t, err)
	require.Equal(t, transcript.AWS, got.Format)
	require.Equal(t, "de", got.Language)
	require.Empty(t, got.Warnings)
	require.Equal(t, []string{
		"AGENT (40ms): Guten Tag, was kann ich tun?", "CUSTOMER (3s): Die Rechnung.",
	}, turnsAndTimes(got))
	require.Equal(t, []string{"AGENT (0s): Hello there.", "Dana (1m5s): My bill is wrong."},
		spoken(t, `{"Channel":"CHAT","Participants":[{"ParticipantId":"p1","ParticipantRole":"AGENT"}],`+
			`"Transcript":[
		{"ParticipantId":"p1","Content":"Hello there.","AbsoluteTime":"2024-03-18T13:26:00Z"},
		{"ParticipantId":"p2","ContentType":"application/vnd.amazonaws.connect.event.participant.joined"},
		{"ParticipantId":"p2","DisplayName":"Dana","Content":"My bill is wrong.",`+
			`"AbsoluteTime":"2024-03-18T13:27:05Z"}]}`))
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
		return `{"start":` + at + `,"stop":90,"speaker":` + who + `,"text_blocks":[{"start":` + at +
			`,"stop":90,"text":"` + text + `"}]}`
	}
	sections := `"sections":[{"start":0,"turns":[` +
		turn(`{"ID":7,"name":"Dana Weber","last_name":"Weber"}`, "0",
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
		",My sister came.\n,(The phone rings)\n,We painted the shop.\nD:,When was that?\nB:,In spring.\n" +
		",Or in summer.\n"
	got, err := transcript.Parse([]byte(table + "D:,Who knows?\n"))
	require.NoError(t, err)
	require.Equal(t, []string{
		"(0s): (They sit down)", "D (0s): Why here?", "B (0s): By chance.", "D (0s): And then?",
		"B (0s): I stayed.", "B (0s): My sister came.", "(0s): (The phone rings)", "B (0s): We painted the shop.",
		"D (0s): When was that?", "B (0s): In spring.", "B (0s): Or in summer.", "D (0s): Who knows?",
	}, turnsAndTimes(got))
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

func TestReadsTheChatOfARecording(t *testing.T) {
	t.Parallel()
	got, err := transcript.Parse([]byte("00:05:41\tDana Weber (ACME):\tIs it \"done\"?\r\n" +
		"00:07:06\tben:\t\"yes\r\n00:07:54\tDana Weber (ACME):\tReplying to \"yes\"\n\n" +
		"Note: not all of it.\r\n00:08:10\tAnaïs:\tok\r\n"))
	require.NoError(t, err)
	require.Equal(t, transcript.ZoomChat, got.Format)
	require.Equal(t, []string{
		`Dana Weber (ACME) (5m41s): Is it "done"?`, `ben (7m6s): "yes`,
		`Dana Weber (ACME) (7m54s): Replying to "yes" Note: not all of it.`, "Anaïs (8m10s): ok",
	}, turnsAndTimes(got))
}

func TestReadsLogsOfIRC(t *testing.T) {
	t.Parallel()
	want := []string{
		"dana[m] (0s): good morning", "the-c-in-cat (1m0s): dana[m]: see: the list", "dana[m] (1m30s): waves",
		"the-c-in-cat (2m0s): bye",
	}
	for _, text := range []string{
		"2024-02-26T10:00:00  *** eve <eve!~e@198.51.100.7> has joined #talk\n" +
			"2024-02-26T10:00:00  <dana[m]> good morning\n2024-02-26T10:01:00  <the-c-in-cat> dana[m]: see: the " +
			"list\n2024-02-26T10:01:30  * dana[m] waves\n2024-02-26T10:02:00  <the-c-in-cat> bye\n",
		"[23:59:00] <dana[m]> good morning\n[23:59:10] *** Quits: eve (~e@host) (Ping timeout: 250 seconds)\n" +
			"[00:00:00] <@the-c-in-cat> dana[m]: see: the list\n[00:00:10] -bot- [list] eve opened: a list\n" +
			"[00:00:30] * dana[m] waves\n[00:01:00] <@the-c-in-cat> bye\n",
		"--- Log opened Mon Feb 26 10:00:00 2024\n10:00:00 -!- eve [~e@host] has joined #talk\n" +
			"10:00:00 < dana[m]> good morning\n10:01:00 <+the-c-in-cat> dana[m]: see: the list\n" +
			"10:01:30 * dana[m] waves\n10:01:31 * eve (~e@host) has left\n10:02:00 <+the-c-in-cat> bye\n",
		"[2024-02-26T10:00:00.000Z]\t<dana[m]>\tgood morning\n[2024-02-26T10:01:00Z]\t<the-c-in-cat>\tdana[m]: " +
			"see: the list\n[2024-02-26T10:01:30Z]\t* dana[m] waves\n[2024-02-26T10:02:00Z]\t<the-c-in-cat>\tbye\n",
		"2024-02-26 10:00:00\tdana[m]\tgood morning\n2024-02-26 10:00:01\t-->\teve (~e@host) has joined #talk\n" +
			"2024-02-26 10:01:00\t@the-c-in-cat\tdana[m]: see: the list\n2024-02-26 10:01:30\t *\tdana[m] waves\n" +
			"2024-02-26 10:02:00\t@the-c-in-cat\tbye\n",
	} {
		got, err := transcript.Parse([]byte(text))
		require.NoError(t, err)
		require.Equal(t, want, turnsAndTimes(got), text)
		require.Empty(t, got.Warnings)
	}
}

func TestTimesOfRecordingsBesideBracketsAreNoneOfDay(t *testing.T) {
	t.Parallel()
	text := "[00:00:03] <Dana> Why here?\n[00:00:09] <Ben> By chance.\n[00:00:15] <Dana> And then?\n"
	for _, end := range []string{"", "---\n"} {
		require.Equal(t, []string{
			"Dana (3s): Why here?", "Ben (9s): By chance.", "Dana (15s): And then?", "Ben (20s): Hm.",
		}, spoken(t, text+end+"[00:00:20] <Ben> Hm.\n"))
	}
}

func TestBelievesAllNamesOfDatedChats(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "[19/05/2024, 10:15:22] dana: Hello\n[19/05/2024, 10:15:30] dana: Who is here?\n"+
		"\u200e[19/05/2024, 10:16:31] ben: \u200eimage\n[19/05/2024, 10:20:12] carla: Me\nlist: bread\n"+
		"[19/05/2024, 10:20:45] ben: Me too\n")
	require.Equal(t, []string{
		"dana (0s): Hello", "dana (8s): Who is here?", " (1m9s): image", "carla (4m50s): Me list: bread",
		"ben (5m23s): Me too",
	}, turns)
}

func TestGuestsOfCaptionsThatNameOnlyChanges(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	at := 0
	cue := func(said string, pause bool) {
		if pause {
			at++
		}
		clock := func(s int) string { return fmt.Sprintf("00:%02d:%02d,000", s/60, s%60) }
		fmt.Fprintf(&text, "%d\n%s --> %s\n%s\n\n", at+1, clock(at), clock(at+2), said)
		at += 2
	}
	hosts := func() {
		cue("Dana: We came to the river", true)
		cue("and saw the old mill", false)
		cue("on the other side, where", false)
		cue("nobody lives.", false)
		cue("Ben: It had a wheel", true)
		cue("that still turned in", false)
		cue("the water, day and", false)
		cue("night, all the year,", false)
		cue("in rain and snow, and", false)
		cue("it does so now.", false)
	}
	hosts()
	hosts()
	cue("Mr. Long Walk: no name", false) // neither a pause nor a sentence
	hosts()
	cue("Carla Ruiz: I was born", true)
	cue("in that mill.", false)
	cue("River Mill: The place.", true) // words of the file
	hosts()
	turns := spoken(t, text.String())
	require.Contains(t, turns, "Carla Ruiz (1m9s): I was born")
	require.Contains(t, turns, "Carla Ruiz (1m11s): in that mill.")
	require.Contains(t, turns, " (1m14s): River Mill: The place.")
	require.NotContains(t, strings.Join(turns, "\n"), "Mr. Long Walk (")
}

func TestReadsNamesOnTheFirstLinesOfCues(t *testing.T) {
	t.Parallel()
	text := ""
	for i, said := range []string{
		"Dana W\nwhy here?", "Dana W\nand then?", "Ben R\nby chance.", "Dana W\nhm,\nyes", "Dana W\nok",
	} {
		text += fmt.Sprintf("00:00:%02d.000 --> 00:00:%02d.120\n%s\n", 10+i, 11+i, said)
	}
	require.Equal(t, []string{
		"Dana W (10s): why here?", "Dana W (11s): and then?", "Ben R (12s): by chance.", "Dana W (13s): hm, yes",
		"Dana W (14s): ok",
	}, spoken(t, text))
	for _, words := range []string{"and that was really all\nof it\n", "one line only\n"} {
		turns := spoken(t, text+"00:00:20.000 --> 00:00:21.000\n"+words)
		require.Contains(t, turns, " (10s): Dana W why here?", words)
	}
}

func TestReadsWebPagesOfPodcasts(t *testing.T) {
	t.Parallel()
	page := ""
	for i, said := range []string{
		"Dana Weber:|Why here?", "Ben:|By chance.", "|Or nearly so.", "Dana Weber:|And then?",
	} {
		name, words, _ := strings.Cut(said, "|")
		if name != "" {
			page += "<cite>" + name + "</cite>\n"
		}
		page += fmt.Sprintf("<time>00:%02d</time>\n<p>%s</p>\n", 10*i, words)
	}
	want := []string{"Dana Weber (0s): Why here?", "Ben (10s): By chance.", "Ben (20s): Or nearly so.",
		"Dana Weber (30s): And then?"}
	require.Equal(t, want, spoken(t, page))
	require.Equal(t, want, spoken(t, "<!DOCTYPE html>\n<html><head><title>A talk</title></head><body>"+page+
		"</body></html>"))
}

func turnsAndTimes(parsed *transcript.Transcript) []string {
	var turns []string
	for _, u := range parsed.Utterances {
		turns = append(turns, strings.TrimSpace(fmt.Sprintf("%s (%s): %s", u.Speaker, u.Start, u.Text)))
	}
	return turns
}
