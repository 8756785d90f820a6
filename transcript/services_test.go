package transcript_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestServicesHaveTheirTurns(t *testing.T) {
	t.Parallel()
	requireTurns(t, []example{
		{
			"designations of speakers",
			`{"lines":[{"startTime":"00:00:04,620","endTime":"00:00:05,300","speakerDesignation":"Speaker 1",` +
				`"text":"Who files them?"},{"startTime":"00:00:05,680","endTime":"00:00:06,180",` +
				`"speakerDesignation":"Dana","text":"I do."}]}`,
			[]string{"Speaker 1 (4.62s): Who files them?", "Dana (5.68s): I do."},
		},
		{
			"names of Rev.ai",
			`{"monologues": [
		{"speaker": 0, "speaker_info": {"id": "0", "display_name": "Dana Weber"},
			"elements": [{"type": "text", "value": "Why", "ts": 1, "end_ts": 2}, {"type": "punct", "value": "?"}]},
		{"speaker": 1, "speaker_info": {"id": "1", "display_name": "Jörg Ahn"},
			"elements": [{"type": "text", "value": "No", "ts": 3, "end_ts": 4}, {"type": "punct", "value": " "},
				{"type": "text", "value": "time", "ts": 4, "end_ts": 5}, {"type": "punct", "value": "."}]}]}`,
			[]string{"Dana Weber (1s): Why?", "Jörg Ahn (3s): No time."},
		},
		{
			"a list like that of Fireflies",
			`[{"speaker_name": "Dana", "start_timestamp": "00:00:03", "text": "What do you do here?"},
		{"speaker_name": "Ben", "start_timestamp": "00:00:09", "text": "I run the desk."}]`,
			[]string{"Dana (3s): What do you do here?", "Ben (9s): I run the desk."},
		},
		{
			"an operation of Google",
			`{"name":"1","done":true,"response":{"results":[
		{"alternatives":[{"transcript":"Who files? Me.","words":[{"startTime":"0s","endTime":"1s","word":"Who"}]}]},
		{"alternatives":[{"words":[
			{"startTime":"0s","endTime":"0.500s","word":"Who","speakerTag":3},
			{"startTime":"0.500s","endTime":"1s","word":"files?","speakerTag":3},
			{"startTime":"2s","endTime":"3s","word":"Me.","speakerTag":1}]}]}]}}`,
			[]string{"Speaker 3 (0s): Who files?", "Speaker 1 (2s): Me."},
		},
		{
			"insanely-fast-whisper",
			`{"speakers": [{"speaker": "SPEAKER_00", "text": " Who files them?", "timestamp": [0.4, 2.3]}, ` +
				`{"speaker": "SPEAKER_01", "text": " I do.", "timestamp": [4.3, 5.1]}], ` +
				`"chunks": [{"text": " Who files them?", "timestamp": [0.4, 2.3]}, {"text": " I do.", ` +
				`"timestamp": [4.3, 5.1]}], "text": " Who files them? I do."}`,
			[]string{"SPEAKER_00 (400ms): Who files them?", "SPEAKER_01 (4.3s): I do."},
		},
		{
			"pyannoteAI",
			`{"jobId": "p1", "status": "succeeded", "output": {"turnLevelTranscription": [{"start": 0.4, ` +
				`"end": 4.4, "text": "Who files them?", "speaker": "SPEAKER_00"}, {"start": 5, "end": 5.9, ` +
				`"text": "I do.", "speaker": "SPEAKER_01"}]}}`,
			[]string{"SPEAKER_00 (400ms): Who files them?", "SPEAKER_01 (5s): I do."},
		},
		{
			"Read AI's JSON",
			`{"session_id": "01H", "transcript": {"speakers": [{"name": "Dana"}, {"name": "Omar"}], ` +
				`"speaker_blocks": [{"speaker": {"name": "Dana"}, "start_time": 1700000002400, ` +
				`"end_time": 1700000010900, "words": "Who files them?"}, {"speaker": {"name": "Omar"}, ` +
				`"start_time": 1700000011700, "end_time": 1700000013900, "words": "I do."}]}}`,
			[]string{"Dana (0s): Who files them?", "Omar (9.3s): I do."},
		},
	})
}

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
	}, turnsOf(got))
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
