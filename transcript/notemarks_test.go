package transcript

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBracketedNotes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"On paper. [Observer: he shows the plan] Yes.":        {"Observer=he shows the plan"},
		"（观察者：她笑了）好。":                                         {"观察者=她笑了"},
		"(Ana:\n  two lines\nof it) (b: no) [Tomas: ok]":      {"Ana=two lines\nof it", "Tomas=ok"},
		"(no colon) [(a: b)] (Ana: x":                         nil,
		"(Ana: " + strings.Repeat("x", maxNoteText) + ")":     nil,
		"(" + strings.Repeat("a", maxNoteLabel+1) + ": text)": nil,
	} {
		var found []string
		for _, n := range bracketedNotes(text, 10) {
			require.True(t, strings.ContainsAny(text[n[0]:n[2]], "[(（"))
			require.True(t, strings.ContainsAny(text[n[5]:n[1]], "])）"))
			found = append(found, text[n[2]:n[3]]+"="+text[n[4]:n[5]])
		}
		require.Equal(t, want, found, text)
	}
	require.Len(t, bracketedNotes("(ab: cd)(ab: cd)", 1), 1)
	require.True(t, beginsBracketed(" [Ana: he nods] Well."))
	require.False(t, beginsBracketed("Well. [Ana: he nods]"))
}

// What a stranger uploads is looked at a bounded number of times: with a regular expression, each character
// behind a bracket was looked at a thousand times.
func TestBracketedNotesAreFoundInOnePass(t *testing.T) {
	t.Parallel()
	for _, part := range []string{
		"(ab:" + strings.Repeat(" ", 2000), "(", "(ab:", "(ab: " + strings.Repeat("x", 999),
	} {
		text := strings.Repeat(part, 8<<20/len(part))
		require.Empty(t, bracketedNotes(text, len(text)))
	}
}
