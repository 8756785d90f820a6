package extract

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// An allotment is a transcript with a field and a voice without a label.
func allotment() *transcript.Transcript {
	t := &transcript.Transcript{}
	for _, turn := range [][2]string{
		{"Plot", "17 b, by the water butt"},
		{"Greta", "We took it over from my uncle. And what did he grow? Beans, mostly."},
		{"Ines", "I only came for the shed."},
		{"Plot", "17 c"},
		{"Greta", "Which nobody had painted for years. Was it yours, then?"},
	} {
		t.Utterances = append(t.Utterances, transcript.Utterance{Speaker: turn[0], Text: turn[1]})
	}
	t.Labels = []transcript.Label{
		{
			Label: "Plot", Kind: transcript.LabelPerson, Count: 2, Doubt: 0.6, First: transcript.Context{
				Line: "Plot: 17 b, by the water butt", After: "Greta: We took it over from my uncle.",
			},
		},
		{Label: "Greta", Kind: transcript.LabelPerson, Count: 2, Doubt: 0.02},
		{Label: "Weather", Kind: transcript.LabelNobody, Count: 1, Doubt: 0.01},
		{Label: "Ines", Kind: transcript.LabelPerson, Count: 1, Doubt: 0.3},
	}
	t.Unlabelled = &transcript.Unlabelled{
		Count: 2, In: "Greta", Doubt: 0.4, First: transcript.Context{
			Before: "Greta: We took it over from my uncle.", Line: "And what did he grow?", After: "Beans, mostly.",
		},
	}
	t.Doubts = []transcript.Doubt{{Ordinal: 99}, {Ordinal: 0}, {Ordinal: 4}}
	return t
}

func TestAQuestionHasWhatIsInDoubtWithItsFirstPlaces(t *testing.T) {
	t.Parallel()
	q, ok := AskAboutSpeakers(allotment())
	require.True(t, ok)
	require.Equal(t, []string{"Greta"}, q.Known)
	require.Equal(t, DoubtfulLabel{Label: "Plot", Count: 2, Lines: []ContextLine{
		{"Plot: 17 b, by the water butt", true},
		{"Greta: We took it over from my uncle.", false},
		{"Ines: I only came for the shed.", false},
		{"Plot: 17 c", true},
		{"Greta: Which nobody had painted for years. Was it yours, then?", false},
	}}, q.Labels[0])
	require.Equal(t, "Ines", q.Labels[1].Label)
	require.Len(t, q.Labels, 2)
	require.Equal(t, &UnlabelledLines{Count: 2, In: "Greta", Lines: []ContextLine{
		{"Greta: We took it over from my uncle.", false},
		{"And what did he grow?", true},
		{"Beans, mostly.", false},
		{"Plot: 17 c", false},
		{"Greta: Which nobody had painted for years. Was it yours, then?", true},
	}}, q.Unlabelled)
}

func TestNothingIsAskedWithoutDoubt(t *testing.T) {
	t.Parallel()
	certain := allotment()
	for i := range certain.Labels {
		certain.Labels[i].Doubt = 0.05
	}
	certain.Unlabelled.Doubt = 0.05
	_, ok := AskAboutSpeakers(certain)
	require.False(t, ok)
	_, ok = AskAboutSpeakers(&transcript.Transcript{})
	require.False(t, ok)
}

// However many labels a file has and however long its lines are, a question has about a thousand tokens.
func TestAQuestionIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü and on it goes ", 500)
	huge := &transcript.Transcript{Unlabelled: &transcript.Unlabelled{
		Count: 900, Doubt: 1, First: transcript.Context{Before: long, Line: long, After: long},
	}}
	for i := range 600 {
		label := fmt.Sprintf("%d %s", i, long)
		huge.Labels = append(huge.Labels, transcript.Label{
			Label: label, Kind: transcript.LabelPerson, Doubt: float64(i%2) / 2,
			First: transcript.Context{Before: long, Line: long, After: long},
		})
		for range 2 {
			huge.Utterances = append(huge.Utterances, transcript.Utterance{Speaker: label, Text: long})
		}
	}
	q, ok := AskAboutSpeakers(huge)
	require.True(t, ok)
	require.Len(t, q.Labels, maxDoubtfulLabels)
	require.Len(t, q.Known, maxKnownLabels)
	size := 0
	for _, l := range q.Labels {
		require.LessOrEqual(t, len(l.Lines), 6)
		require.LessOrEqual(t, utf8.RuneCountInString(ShownLabel(l.Label)), maxLabelRunes+1)
		for _, line := range l.Lines {
			size += utf8.RuneCountInString(line.Text)
		}
	}
	require.LessOrEqual(t, size, maxQuestionRunes+6*maxDoubtfulLabels)
}

func TestAnswersThatContradictAreDropped(t *testing.T) {
	t.Parallel()
	q, _ := AskAboutSpeakers(allotment())
	answers := func(labels ...LabelAnswer) SpeakerAnswers { return SpeakerAnswers{Labels: labels} }
	of := func(label string, verdict LabelVerdict, same string) LabelAnswer {
		return LabelAnswer{Label: label, Verdict: verdict, Same: same}
	}
	for name, c := range map[string]struct{ given, want SpeakerAnswers }{
		"clear ones stay": {
			answers(of("Ines", VerdictSame, "Greta"), of("Plot", VerdictNobody, "")),
			answers(of("Plot", VerdictNobody, ""), of("Ines", VerdictSame, "Greta")),
		},
		"the same twice is one": {
			answers(of("Plot", VerdictNobody, ""), of("Plot", VerdictNobody, "")),
			answers(of("Plot", VerdictNobody, "")),
		},
		"two about one label": {
			answers(of("Plot", VerdictNobody, ""), of("Plot", VerdictPerson, "")), answers(),
		},
		"unsure says nothing": {answers(of("Plot", VerdictUnsure, "")), answers()},
		"a label that nobody asked about": {
			answers(of("Greta", VerdictNobody, ""), of("", VerdictNobody, ""), of("Boris", VerdictNobody, "")),
			answers(),
		},
		"an unknown verdict":       {answers(of("Plot", "maybe", "")), answers()},
		"the same as itself":       {answers(of("Plot", VerdictSame, "Plot")), answers()},
		"the same as nobody known": {answers(of("Plot", VerdictSame, "Boris")), answers()},
		"the same as what is nobody": {answers(of("Ines", VerdictSame, "Plot"), of("Plot", VerdictNobody, "")),
			answers()},
		"two that are the same by turns": {
			answers(of("Ines", VerdictSame, "Plot"), of("Plot", VerdictSame, "Ines")), answers(),
		},
		"a voice by its label": {
			SpeakerAnswers{Unlabelled: VoiceAnswer{VoiceLabel, "Ines"}},
			SpeakerAnswers{Unlabelled: VoiceAnswer{VoiceLabel, "Ines"}},
		},
		"a voice without a name": {
			SpeakerAnswers{Unlabelled: VoiceAnswer{VoiceAnother, "Ines"}},
			SpeakerAnswers{Unlabelled: VoiceAnswer{VoiceAnother, ""}},
		},
		"a voice by an unknown label": {
			SpeakerAnswers{Unlabelled: VoiceAnswer{VoiceLabel, "Boris"}}, SpeakerAnswers{},
		},
		"a voice of a label that is nobody": {
			SpeakerAnswers{
				Labels:     []LabelAnswer{of("Plot", VerdictNobody, "")},
				Unlabelled: VoiceAnswer{VoiceLabel, "Plot"},
			},
			answers(of("Plot", VerdictNobody, "")),
		},
		"a voice that is unsure": {SpeakerAnswers{Unlabelled: VoiceAnswer{VoiceUnsure, ""}}, SpeakerAnswers{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, c.given.Settle(q))
		})
	}
	certain := q
	certain.Unlabelled = nil
	voice := SpeakerAnswers{Unlabelled: VoiceAnswer{VoiceAnother, ""}}
	require.True(t, voice.Settle(certain).Advice().IsEmpty(), "it was not asked about")
}

func TestAnswersAreAdvice(t *testing.T) {
	t.Parallel()
	require.Equal(t, transcript.Advice{
		People: []string{"Ines"}, Nobody: []string{"Plot"}, Same: map[string]string{"Gretel": "Greta"},
		Voice: transcript.VoiceOf, Speaker: "Ines",
	}, SpeakerAnswers{
		Labels: []LabelAnswer{
			{"Ines", VerdictPerson, ""}, {"Plot", VerdictNobody, ""}, {"Gretel", VerdictSame, "Greta"},
		},
		Unlabelled: VoiceAnswer{VoiceLabel, "Ines"},
	}.Advice())
}
