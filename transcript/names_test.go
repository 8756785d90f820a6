package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestALabelInOtherCapitalsIsTheSameSpeaker(t *testing.T) {
	t.Parallel()
	got, err := transcript.Parse([]byte("Interviewer: How?\n\nDana: By hand.\n\nINTERVIEWER: Why?\n\n" +
		"Dana: Habit.\n\ninterviewer: Since when?\n\nDana: Always.\n\nInterviewer: Thanks.\n\ndana: Bye.\n"))
	require.NoError(t, err)
	require.Equal(t, []string{"Interviewer", "Dana"}, got.Speakers())
}

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

func TestReadsPeopleWhomTheTypistDoesNotKnow(t *testing.T) {
	t.Parallel()
	for _, label := range []string{"Female voice", "R?", "R1?", "Unbekannt"} {
		turns := spoken(t, "MOD: What do you do here?\nR1: I run the desk.\nMOD: And then?\nR2: Nothing.\n"+
			label+": No time.\nMOD: Why?\nR1: Nobody knows.\nR2: Not even we.\n")
		require.Contains(t, turns, label+": No time.")
		require.Contains(t, turns, "R2: Nothing.")
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

func TestInitialsAreIntroducedOnce(t *testing.T) {
	t.Parallel()
	turns := twoVoices("%[1]s: %[3]s\n\n", [2]string{"DW", "OH"}, 8)
	got, err := transcript.Parse([]byte("Dana Weber (DW): Let us begin.\n\nOmar Haddad (OH): Let us.\n\n" +
		"Kim Ito (KI): I only listen.\n\n" + turns))
	require.NoError(t, err)
	require.Subset(t, got.Speakers(), []string{"Dana Weber (DW)", "Omar Haddad (OH)"})
}

func TestNumberedSpeakersInLowerCaseMayOccurOnce(t *testing.T) {
	t.Parallel()
	got, err := transcript.Parse([]byte("[00:00:00.000 -> 00:00:23.580] speaker0: Good morning to all of " +
		"you.\n[00:01:20.440 -> 00:01:24.540] speaker1: Thank you.\n[00:05:48.500 -> 00:05:55.940] speaker2: And " +
		"from me.\n"))
	require.NoError(t, err)
	require.Equal(t, []string{"speaker0", "speaker1", "speaker2"}, got.Speakers())
}

func TestNumberedSpeakersMayOccurOnceAmongOthers(t *testing.T) {
	t.Parallel()
	got, err := transcript.Parse([]byte(twoVoices("[%[2]d.00-%[2]d.90] %[1]s: %[3]s\n",
		[2]string{"Speaker_0", "Speaker_1"}, 8) + "[8.00-8.90] Speaker_3: Good.\n[9.00-9.90] Speaker_5: Yes.\n"))
	require.NoError(t, err)
	require.Equal(t, []string{"Speaker_0", "Speaker_1", "Speaker_3", "Speaker_5"}, got.Speakers())
}

// A label that occurs once is believed where nothing else can stand in its place.
func TestLabelsThatOccurOnce(t *testing.T) {
	t.Parallel()
	for name, labels := range map[string][3]string{
		"role in capitals":        {"NURSE", "PATIENT", "SON"},
		"relative":                {"Nurse", "Patient", "Son"},
		"relative in Spanish":     {"Enfermera", "Paciente", "Hijo"},
		"account":                 {"dana_w", "omar_h", "noor_a"},
		"address":                 {"dana@example.org", "omar@example.org", "noor.a@example.org"},
		"surname with a particle": {"Weber", "Haddad", "van den Berg"},
		"title with a hyphen":     {"Frau Weber", "Herr Dr. Haddad", "Frau Dipl.-Ing. Berg"},
		"word for people":         {"Facilitator", "Participant 4", "Note taker"},
		"numbers":                 {"المتحدث 1", "المتحدث 2", "المتحدث 3"},
		"initial in Arabic":       {"أ. هدى", "أم سلمى", "الابن"},
	} {
		var text strings.Builder
		for i := range 8 {
			text.WriteString(labels[i%2] + ": My son and my nurse keep the patient in a box. Mi hijo, no.\n\n")
			if i == 4 {
				text.WriteString(labels[2] + ": I am here.\n\n")
			}
		}
		got, err := transcript.Parse([]byte(text.String()))
		require.NoError(t, err)
		require.Equal(t, labels[:], []string{got.Speakers()[0], got.Speakers()[1], got.Speakers()[2]}, name)
		require.Empty(t, got.Warnings, name)
	}
}

// What is written once as labels are may be one, so that nobody relies on it.
func TestWordsThatMayBeLabels(t *testing.T) {
	t.Parallel()
	turns := func(form string) string {
		return strings.Repeat(fmt.Sprintf(form, "Dana", "Which paper?")+fmt.Sprintf(form, "Omar", "The paper."), 5)
	}
	for name, file := range map[string]struct{ form, label string }{
		"a word":                 {"%s: %s\n\n", "Paper"},
		"a name among lines":     {"%s: %s\nAnd so on.\nAnd on.\n", "Noor"},
		"an item of a list":      {"%s: %s\n\n", "Excel"},
		"a phrase":               {"%s: %s\n\n", "Voice from outside"},
		"a phrase above words":   {"%s\n%s\n\n", "Voice from outside"},
		"a phrase in paragraphs": {"%s\n\n%s\n\n", "Voice from outside"},
		"dashes without blanks":  {"%s – %s\n", "Noor"},
		"bold in Markdown":       {"**%s** %s\n\n", "Noor"},
	} {
		said := "I see."
		if file.label == "Excel" {
			said = "too slow, because the file is so large."
		}
		text := turns(file.form) + fmt.Sprintf(file.form, "Dana", "And?") +
			fmt.Sprintf(file.form, file.label, said) + fmt.Sprintf(file.form, "Dana", "Thanks.")
		got, err := transcript.Parse([]byte(text))
		require.NoError(t, err)
		require.Equal(t, []string{"Dana", "Omar"}, got.Speakers(), name)
		require.Contains(t, got.Warnings, transcript.Warning{Code: transcript.WarnUncertainNames, Count: 1}, name)
	}
}

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
