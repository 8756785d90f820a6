package imports

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEditsAreOfWholeWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, after, kept string }{
		{"we use excell a lot", "we use Excel a lot", "we use  a lot"},
		{"we use Excel", "we use Excel", "we use Excel"},
		{"we use Excel", "we never use Excel", "we use Excel"},
		{"Well we use Excel", "we use Excel", "we use Excel"},
		{"one two three", "four", ""},
		{"", "new", ""},
		{"é à ü", "é a ü", "é  ü"},
		{"We pay late", "Honestly, we pay late!", " pay "},
	} {
		es := difference(c.before, c.after, 0)
		require.Equal(t, c.after, es.apply(c.before))
		kept, at := "", 0
		for _, e := range es {
			kept += c.before[at:e.start]
			at = e.end
		}
		require.Equal(t, c.kept, kept+c.before[at:], c.before)
	}
}

func TestEditsMoveRanges(t *testing.T) {
	t.Parallel()
	const before = "aa bb cc dd"
	es := edits{{0, 0, "new ", false}, {3, 5, "longer", false}, {9, 9, "in ", false}, {11, 11, " end", false}}
	const after = "new aa longer cc in dd end"
	require.Equal(t, after, es.apply(before))
	for quote, want := range map[string]string{
		"aa": "aa", "bb": "longer", "aa bb": "aa longer", "b c": "longer c", "a b": "a longer", "cc": "cc",
		"cc dd": "cc in dd", "dd": "dd", before: "aa longer cc in dd",
	} {
		start := strings.Index(before, quote)
		from, to := es.place(start, start+len(quote))
		require.Equal(t, want, after[from:to], quote)
	}
}

func TestAnyDifferenceMakesTheOtherText(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var words []string
		for range random.IntN(12) {
			words = append(words, []string{"a", "b", "ça", "  ", "d\u00a0e", "漢字"}[random.IntN(6)])
		}
		return strings.Join(words, " ")
	}
	for range 2000 {
		a, b := text(), text()
		es := difference(a, b, 0)
		require.Equal(t, b, es.apply(a))
		for i := range es {
			require.True(t, i == 0 || es[i-1].end < es[i].start || es[i-1].end <= es[i].start)
		}
	}
}

func TestNamesAreFoundAsWholeWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ words, text, want string }{
		{"Anna", "Anna's annual plan, ANNA. Hannah and ánna", "X's annual plan, X. Hannah and X"},
		{"Zoë Müller", "zoe muller and Zoë-Müller, Zoë Millar", "X and X, Zoë Millar"},
		{"Strauß", "Herr Strauss, STRAUSS", "Herr X, X"},
		{"田中", "田中さんは田の中にいる", "Xさんは田の中にいる"},
		{"Ana", "Ana Ana", "X X"},
		{"de", "Madeira de", "Madeira X"},
	} {
		require.Equal(t, c.want, newNaming(c.words).find(c.text, "X").apply(c.text))
	}
	require.Empty(t, newNaming(" -– ").words)
}
