package craft_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript/craft"
)

func TestQuestions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, language, text string
		questions            []string
	}{
		{
			"among statements, with marks and without", "en",
			"Thanks. So, how do you handle returns today? I see. could you tell me about the last time\n" +
				"Would you pay for this? It's slow, right?",
			[]string{
				"So, how do you handle returns today?", "could you tell me about the last time",
				"Would you pay for this?",
				"It's slow, right?",
			},
		},
		{"a listener's words are none", "en", "Really? Right? Oh, yeah? Okay. Right, right?", nil},
		{"points within are no ends", "en", "Is it 3.5 or 4? Did J. Smith... um, leave?", []string{
			"Is it 3.5 or 4?", "Did J. Smith... um, leave?",
		}},
		{"several marks are one", "en", "What?! You did what??", []string{"What?!", "You did what??"}},
		{"quotation marks belong to it", "en", `He said "why do you do that?" and left.`, []string{
			`He said "why do you do that?"`,
		}},
		{"a question within a sentence begins with it", "es", "Bueno. Entonces, ¿cómo lo haces? Ya.", []string{
			"Entonces, ¿cómo lo haces?",
		}},
		{"wide marks", "ja", "なるほど。どうしましたか？　そうですか。いつですか。", []string{"どうしましたか？", "いつですか。"}},
		{"Arabic marks in a language with lists", "en", "Why؟ Because.", []string{"Why؟"}},
		{"nothing", "en", " \n ", nil},
		{"no lists", "fi", "Miksi? Why?", nil},
		{"no language", "", "Why?", nil},
	} {
		var got []string
		for _, q := range craft.Questions(c.text, c.language) {
			got = append(got, c.text[q.Start:q.End])
		}
		require.Equal(t, c.questions, got, c.name)
	}
}

func TestChoicesAndTags(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language, text string
		leading        bool
	}{
		{"es", "¿Lo haces tú o no?", false},
		{"es", "Es lento, ¿o no?", true},
		{"pl", "Robi to pan czy nie?", false},
		{"pl", "Czy nie uważa pan, że to wolne?", true},
		{"en", "Do you use Excel, or no?", false},
		{"de", "Haben Sie sich da wohl gefühlt?", false},
		{"en", "What do you mean by obviously?", false},
		{"en", "It's obviously slow?", true},
		{"en", "Why is it so important to you?", false},
		{"en", "Why is it so slow?", true},
	} {
		questions := craft.Questions(c.text, c.language)
		require.Len(t, questions, 1, c.text)
		require.Equal(t, c.leading, questions[0].Leading, c.text)
	}
}

func TestKindsOfQuestions(t *testing.T) {
	t.Parallel()
	last := func(text string) craft.Question {
		t.Helper()
		questions := craft.Questions(text, "en")
		require.NotEmpty(t, questions, text)
		q := questions[len(questions)-1]
		q.Start, q.End = 0, 0
		return q
	}
	require.Equal(t, craft.Question{Open: true}, last("Could you tell me how you do that?"), "a polite request")
	require.Equal(t, craft.Question{Closed: true}, last("Would you say that's typical?"), "a hedge")
	require.Equal(t, craft.Question{Closed: true}, last("So you would always go there?"), "a habit")
	require.False(t, last("And you used to do that by hand?").Hypothetical)
	require.Equal(t, craft.Question{Open: true}, last("Would you mind telling me how that works?"))
	require.Equal(t, craft.Question{Open: true, Leading: true}, last("Why is it so annoying?"))
	require.True(t, last("How much better is the new one than the old one?").Leading)
	for _, offered := range []string{
		"Would you take the bus?", "Would you tell a friend about it?", "Would you show this to your boss?",
		"Would you go there?",
	} {
		require.Equal(t, craft.Question{Closed: true, Hypothetical: true}, last(offered), offered)
	}
	require.Equal(t, craft.Question{Open: true}, last("What do you do if it rains?"), "what happens each time")
	require.Equal(t, craft.Question{Open: true, Hypothetical: true}, last("What would you do if it rained?"))
	require.Equal(t, craft.Question{Open: true, Hypothetical: true}, last("Suppose it rained. What happens?"),
		"the sentence before says that it is made up")
	require.Equal(t, craft.Question{Open: true}, last("Suppose it rained. I see. What happens?"))
	require.Equal(t, craft.Question{Closed: true, Leading: true}, last("So you use Excel, right?"))
	require.Equal(t, craft.Question{Closed: true}, last("So you use Excel?"))
	require.Equal(t, craft.Question{Closed: true}, last("Is that right?"), "no tag")
	require.Equal(t, craft.Question{Closed: true}, last("Do you use Excel, or no?"), "both answers are offered")
	require.Equal(t, craft.Question{}, last("And Excel?"), "too little to tell")
	require.True(t, last("Why don't you call them?").Open)
	require.False(t, last("Why don't you call them?").Leading)
	require.True(t, last("Don't you call them?").Leading)
	long := strings.Repeat("and so we went on and on ", 50)
	require.True(t, last(long+", would you pay for that?").Hypothetical, "the end of a long sentence is read")
	text := long + ", would you pay for that?"
	q := craft.Questions(text, "en")[0]
	require.Equal(t, 100, craft.Words(text[q.Start:q.End]), "and is all that is shown")
	require.Empty(t, craft.Questions(long+"would you pay for that", "en"), "an end is no beginning")
}
