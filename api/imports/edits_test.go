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
		{"we use exel a lot", "we use Excel a lot", "we use  a lot"},
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
		from, to := es.place(start, start+len(quote), es.grown())
		require.Equal(t, want, after[from:to], quote)
	}
}

// Whatever the edits, a range begins and ends where a scan of all edits would say.
func TestEditsPlaceRangesAsAScanDoes(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		var es edits
		for at := random.IntN(4); at < 40; at += 1 + random.IntN(6) {
			e := edit{start: at, end: at + random.IntN(4), with: strings.Repeat("x", random.IntN(5))}
			es = append(es, e)
			at = e.end
		}
		start := random.IntN(40)
		end := start + 1 + random.IntN(10)
		wantFrom, wantTo := start, end
		for _, e := range es {
			if e.start >= end {
				break
			}
			grown := len(e.with) - (e.end - e.start)
			switch {
			case e.end <= start:
				wantFrom += grown
			case e.start < start:
				wantFrom += e.start - start
			}
			if e.end <= end {
				wantTo += grown
			} else {
				wantTo += e.start + len(e.with) - end
			}
		}
		from, to := es.place(start, end, es.grown())
		require.Equal(t, []int{wantFrom, wantTo}, []int{from, to}, "%v %d %d", es, start, end)
	}
}

func TestNamesAreFoundSoManyTimes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "中"} {
		require.Len(t, newNaming(name).find(strings.Repeat(name+" ", 3*maxFound), "X"), maxFound+1, name)
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
		{"田中 太郎", "田中 太郎と田中・太郎と田中太郎", "XとXとX"},
		{"田中太郎", "田中 太郎", "X"},
		{"Anna 田中", "Anna 田中さん、Hanna 田中", "Xさん、Hanna 田中"},
		{"田中 Ann", "田中 Ann, 田中 Anna", "X, 田中 Anna"},
		{"アンナ・ベルク", "アンナ ベルクさん", "Xさん"},
		{"สมศรี", "คุณสมศรีพูด", "คุณXพูด"},
		{"สมศักดิ์", "สมศักดิ์!", "X!"},
		{"ﾊﾞﾊﾞ", "ババ、ﾊﾞﾊﾞ", "X、X"},
		{"中", "中中田", "XX田"},
	} {
		require.Equal(t, c.want, newNaming(c.words).find(c.text, "X").apply(c.text))
	}
	require.Empty(t, newNaming(" -– ").words)
}
