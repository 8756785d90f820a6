package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// The files of these tests are kinds that people have, each with a detail that a reader may miss.

func TestReadsNamesWithAnApostrophe(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"Sjoerd van 't Hoff", "Ellen in ’t Veld", "Anna dell'Oro", "Jan op den Kamp", "Rosa de los Ríos",
	} {
		turns := spoken(t, name+": What do you do here?\n\nFemke de Vries: I run the desk.\n\n"+
			name+": And then?\n\nFemke de Vries: Nothing.\n\n")
		require.Equal(t, []string{
			name + ": What do you do here?", "Femke de Vries: I run the desk.",
			name + ": And then?", "Femke de Vries: Nothing.",
		}, turns)
	}
}

func TestReadsPeopleWhoSpeakTogether(t *testing.T) {
	t.Parallel()
	for _, together := range []string{"佐藤 & 高橋", "佐藤・高橋", "佐藤と高橋", "佐藤 + 高橋"} {
		turns := spoken(t, "司会: 何をしますか?\n\n佐藤: 先週の表から始めます。\n\n司会: それから?\n\n高橋: 倉庫に電話します。\n\n"+
			together+": はい。\n\n司会: なぜですか?\n\n佐藤: 寒いからです。\n\n高橋: 遠いからです。\n\n")
		require.Contains(t, turns, together+": はい。")
	}
}

func TestReadsWhatAllSayTogether(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "Leiterin: Was machen Sie dann?\n\nUte: Wir rufen alle an.\n\nLeiterin: Wirklich?\n\n"+
		"Alle: Ja!\n\nUte: Immer.\n\nLeiterin: Danke.\n\n")
	require.Contains(t, turns, "Alle: Ja!")
	require.Contains(t, turns, "Ute: Immer.")
}

func TestReadsNamesThatWhatsAppMarks(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "[14/03/2024, 10:02:15] Dana Weber: What do you do here?\n"+
		"[14/03/2024, 10:03:15] ~\u202fJörg: I run the desk.\n[14/03/2024, 10:04:15] Dana Weber: And then?\n"+
		"[14/03/2024, 10:05:15] ~\u202fJörg: Nothing.\n")
	require.Equal(t, []string{
		"Dana Weber (0s): What do you do here?", "Jörg (1m0s): I run the desk.",
		"Dana Weber (2m0s): And then?", "Jörg (3m0s): Nothing.",
	}, turns)
}

func TestTakesNoFieldOfAFormForASpeaker(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "Projekt: Kühlkette\nDatum: 14.03.2024\nDauer: 00:34:12\nSchreibkraft: K. M.\n\n"+
		"Dana Weber: Was machen Sie hier?\n\nJörg Ahn: Ich bin am Empfang.\n\nDana Weber: Und dann?\n\n"+
		"Jörg Ahn: Nichts.\n\n")
	require.NotContains(t, turns, "Schreibkraft: K. M.")
	require.Contains(t, turns, "Dana Weber: Was machen Sie hier?")
}

func TestTakesNoTitleAboveANameForASpeaker(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "<!doctype html><body><h1>Interview 7</h1><dl><dt>Dana Weber</dt>"+
		"<dd>What do you do here?</dd><dt>Jörg Ahn</dt><dd>I run the desk.</dd><dt>Dana Weber</dt>"+
		"<dd>And then?</dd><dt>Jörg Ahn</dt><dd>Nothing.</dd></dl></body>")
	require.Equal(t, []string{
		": Interview 7", "Dana Weber: What do you do here?", "Jörg Ahn: I run the desk.", "Dana Weber: And then?",
		"Jörg Ahn: Nothing.",
	}, turns)
}

func TestReadsTimesOfDayWithACommaBehindThem(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "10:02:15 AM, Dana Weber: What do you do here?\n10:02:20 AM, Jörg Ahn: I run the desk.\n"+
		"10:02:31 AM, Dana Weber: And then?\n10:02:35 AM, Jörg Ahn: Nothing.\n")
	require.Equal(t, []string{
		"Dana Weber (0s): What do you do here?", "Jörg Ahn (5s): I run the desk.", "Dana Weber (16s): And then?",
		"Jörg Ahn (20s): Nothing.",
	}, turns)
}

func TestReadsZoomChatsWithTabs(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "10:02:15\t From  Dana Weber : What do you do here?\n"+
		"10:02:20\t From  Jörg Ahn : I run the desk.\n10:02:31\t From  Dana Weber : And then?\n")
	require.Equal(t, []string{
		"Dana Weber (0s): What do you do here?", "Jörg Ahn (5s): I run the desk.", "Dana Weber (16s): And then?",
	}, turns)
}

func TestReadsNamesOfRevAI(t *testing.T) {
	t.Parallel()
	turns := spoken(t, `{"monologues": [
		{"speaker": 0, "speaker_info": {"id": "0", "display_name": "Dana Weber"},
			"elements": [{"type": "text", "value": "Why", "ts": 1, "end_ts": 2}, {"type": "punct", "value": "?"}]},
		{"speaker": 1, "speaker_info": {"id": "1", "display_name": "Jörg Ahn"},
			"elements": [{"type": "text", "value": "No", "ts": 3, "end_ts": 4}, {"type": "punct", "value": " "},
				{"type": "text", "value": "time", "ts": 4, "end_ts": 5}, {"type": "punct", "value": "."}]}]}`)
	require.Equal(t, []string{"Dana Weber (1s): Why?", "Jörg Ahn (3s): No time."}, turns)
}

func TestReadsQuestionsInHeadings(t *testing.T) {
	t.Parallel()
	turns := spoken(t,
		"# Notes\n\n### Q: What do you do here?\n\nA: I run the desk.\n\n### Q: And then?\n\nA: Nothing.\n")
	require.Equal(t, []string{
		"Q: What do you do here?", "A: I run the desk.", "Q: And then?", "A: Nothing.",
	}, turns)
}

func TestReadsTimesThatAreLinks(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "# Interview\n\n[00:03](https://tool.example/m/1?t=3) **Dana Weber**: What do you do "+
		"here?\n\n[00:09](https://tool.example/m/1?t=9) **Jörg Ahn**: I run the desk.\n\n"+
		"[00:14](https://tool.example/m/1?t=14) **Dana Weber**: And then?\n")
	require.Equal(t, []string{
		"Dana Weber (3s): What do you do here?", "Jörg Ahn (9s): I run the desk.", "Dana Weber (14s): And then?",
	}, turns)
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

func TestReadsColumnsWhoseHeadingsHaveUnits(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "Meeting ID,Index,Speaker Name,Start Time (s),End Time (s),Transcript (raw)\n"+
		"m-1,0,Dana Weber,1.5,3.0,What do you do here?\nm-1,1,Jörg Ahn,4.0,9.5,I run the front desk.\n"+
		"m-1,2,Dana Weber,10.0,11.0,And then?\n")
	require.Equal(t, []string{
		"Dana Weber (1.5s): What do you do here?", "Jörg Ahn (4s): I run the front desk.",
		"Dana Weber (10s): And then?",
	}, turns)
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

func TestTakesNoTitleBetweenInterviewsForSpeech(t *testing.T) {
	t.Parallel()
	text := "Interview 1\n\nAna: What do you do here?\n\nBen: I run the desk.\n\nAna: And then?\n\n" +
		"Ben: Nothing.\n\nInterview 2\n\nAna: What do you do here?\n\nCem: I drive.\n\nAna: Where?\n\n" +
		"Cem: To the depot.\n"
	turns := spoken(t, text)
	require.Contains(t, turns, "Ben: Nothing.")
	require.Contains(t, turns, ": Interview 2")
}

func TestReadsPeopleWhomTheTypistDoesNotKnow(t *testing.T) {
	t.Parallel()
	for _, label := range []string{"Female voice", "R?", "R1?", "Unbekannt"} {
		turns := spoken(t, "MOD: What do you do here?\nR1: I run the desk.\nMOD: And then?\nR2: Nothing.\n"+
			label+": No time.\nMOD: Why?\nR1: Nobody knows.\nR2: Not even we.\n")
		require.Contains(t, turns, label+": No time.")
		require.Contains(t, turns, "R2: Nothing.")
	}
}

func TestReadsNamesThatBeginWithAPicture(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "🌻 Ana: What do you do here?\n\nBen K.: I run the desk.\n\n🌻 Ana: And then?\n\n"+
		"Ben K.: Nothing.\n\n🌻 Ana: Why?\n\nBen K.: No time.\n")
	require.Equal(t, []string{
		"Ana: What do you do here?", "Ben K.: I run the desk.", "Ana: And then?", "Ben K.: Nothing.", "Ana: Why?",
		"Ben K.: No time.",
	}, turns)
}

func TestReadsTimesOfListsThatAreLikeFireflies(t *testing.T) {
	t.Parallel()
	turns := spoken(t, `[{"speaker_name": "Dana", "start_timestamp": "00:00:03", "text": "What do you do here?"},
		{"speaker_name": "Ben", "start_timestamp": "00:00:09", "text": "I run the desk."}]`)
	require.Equal(t, []string{"Dana (3s): What do you do here?", "Ben (9s): I run the desk."}, turns)
}

func TestReadsTablesOfTiers(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "tier\tbegin\tend\ttext\nINT\t1000\t3000\tWhat do you do here?\n"+
		"PART\t4000\t9000\tI run the front desk.\n")
	require.Equal(t, []string{"INT (1s): What do you do here?", "PART (4s): I run the front desk."}, turns)
}
