package transcript_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestJSONOfPeopleAndScriptsHasItsTurns(t *testing.T) {
	t.Parallel()
	want := []string{"Dana: Who files them?", "Omar: I do.", "Dana: And where to?"}
	const (
		pairs   = `[["Dana","Who files them?"],["Omar","I do."],["Dana","And where to?"]]`
		oneKey  = `[{"Dana":"Who files them?"},{"Omar":"I do."},{"Dana":"And where to?"}]`
		uttered = `[{"who":"Dana","utterance":"Who files them?"},{"who":"Omar","utterance":"I do."},` +
			`{"who":"Dana","utterance":"And where to?"}]`
		said = `[{"name":"Dana","say":"Who files them?"},{"name":"Omar","say":"I do."},` +
			`{"name":"Dana","say":"And where to?"}]`
		roles = `[{"participant":"Dana","content":"Who files them?"},{"participant":"Omar","content":"I do."},` +
			`{"participant":"Dana","content":"And where to?"}]`
	)
	for name, text := range map[string]string{
		"pairs":                      pairs,
		"pairs under a key":          `{"recorded":"May","talk":` + pairs + `}`,
		"names as keys":              oneKey,
		"names as keys, under a key": `{"session 4":` + oneKey + `}`,
		"utterances":                 `{"session":{"id":4,"exchange":` + uttered + `}}`,
		"what names say":             said,
		"what participants say":      `{"data":{"page":{"rows":` + roles + `}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, want, spoken(t, text))
		})
	}
	require.Equal(t, []string{"question: Who files?", "answer: I do.", "question: Where to?",
		"answer: A box."}, spoken(t, `{"interview":{"items":[`+
		`{"id":1,"question":"Who files?","answer":"I do."},{"id":2,"question":"Where to?","answer":"A box."}]}}`))
	require.Equal(t, []string{"甲: 谁归档？", "乙: 是我。", "甲: 放哪里？"},
		spoken(t, `[["甲","谁归档？"],["乙","是我。"],["甲","放哪里？"]]`))
	require.Equal(t, []string{"Speaker A: Who files?", "Speaker B: I do.", "Speaker A: Why?",
		"Speaker A: And then?",
		"Speaker C: We rest.", "Speaker A: Good night."}, spoken(t,
		`{"morning":[{"A":"Who files?"},{"B":"I do."},{"A":"Why?"}],`+
			`"evening":[{"A":"And then?"},{"C":"We rest."},{"A":"Good night."}]}`))
}

func TestRejectsJSONThatNobodySaid(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"posts": `{"posts":[{"author":"Dana","title":"A","content":"We file."},{"author":"Omar","title":"B",` +
			`"content":"In a box."},{"author":"Dana","title":"C","content":"And then?"}]}`,
		"a table of two columns": `[["Bonn","a town by a river"],["Kiel","a town by the sea"],` +
			`["Ulm","a town with a spire"]]`,
		"groups": `[["fruit","red apples"],["fruit","green pears"],["roots","white radish"],` +
			`["roots","yellow beet"]]`,
		"settings":        `[["env","prod"],["host","a"],["env","test"],["host","b"]]`,
		"texts of a page": `{"menu":{"open":"Open the file","close":"Close the file"},"help":"How to start"}`,
		"one name":        `[{"text of":"a b c"},{"text of":"d e f"},{"text of":"g h i"}]`,
		"people":          `{"people":[{"name":"Dana","email":"d","body":"a b"},{"name":"Omar","email":"o"}]}`,
		"cities":          `{"features":[{"properties":{"name":"Bonn am Rhein"}},{"properties":{"name":"Kiel"}}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := transcript.Parse([]byte(text))
			var format *transcript.FormatError
			require.True(t, errors.As(err, &format), "%v", err)
			require.Contains(t, format.Reason, "JSON without a list of turns")
		})
	}
}
