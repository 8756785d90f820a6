package extract

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
)

// The table of errors: what people and models do to quotes, and how many of such quotes are accepted, in per cent, at least or at most.
var errorTable = []struct {
	name   string
	accept bool
	limit  float64
}{
	{"typography", true, 100},
	{"disfluencies cleaned", true, 99},
	{"one word changed", true, 94},
	{"ellipsis within a turn", true, 100},
	{"meaning turned round", false, 5},
	{"number changed", false, 8},
	{"stitched from far turns", false, 0},
	{"from another interview", false, 0},
	{"40 % of the words changed", false, 5},
}

func TestErrorTable(t *testing.T) {
	t.Parallel()
	for _, tg := range tongues {
		t.Run(tg.name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(7, 11))
			results := map[string]*tally{}
			for range 4 {
				own, other := tg.interview(rng, 60, 0, 2), tg.interview(rng, 60, 1, 2)
				aligner := NewAligner(own.t)
				for range 110 {
					for name, c := range corrupt(rng, &tg, own, other) {
						if results[name] == nil {
							results[name] = &tally{}
						}
						results[name].count(t, aligner, own, c)
					}
				}
			}
			for _, row := range errorTable {
				got := results[row.name]
				require.NotNil(t, got, row.name)
				require.Greater(t, got.quotes, 80, row.name)
				share := 100 * float64(got.accepted) / float64(got.quotes)
				t.Logf("%-26s %5.1f %% of %d accepted", row.name, share, got.quotes)
				if row.accept {
					require.GreaterOrEqual(t, share, row.limit, "%s: for example %q", row.name, got.missed)
					require.GreaterOrEqual(t, 100*float64(got.right)/float64(got.accepted), 95.0, "%s: where the quote stands", row.name)
				} else {
					require.LessOrEqual(t, share, row.limit, "%s: for example %q", row.name, got.passed)
				}
			}
		})
	}
}

// A corrupted quote, and the turn that it was taken from.
type corrupted struct {
	quote string
	turn  int
}

type tally struct {
	quotes, accepted, right int
	missed, passed          string
}

func (y *tally) count(t *testing.T, aligner *Aligner, m made, c corrupted) {
	t.Helper()
	y.quotes++
	span, refusal := aligner.Align(c.quote, []int{c.turn}, Whole(m.t))
	if refusal != "" {
		y.missed = c.quote + " / " + m.t.Utterances[c.turn].Text
		return
	}
	y.accepted++
	y.passed = c.quote + " / " + m.t.Text[span.ByteStart:span.ByteEnd]
	if span.UtteranceFrom <= c.turn && c.turn <= span.UtteranceTo {
		y.right++
	}
	checkSpan(t, m.t, span)
}

// corrupt takes one sentence of one turn and spoils it in each way that it allows.
func corrupt(rng *rand.Rand, tg *tongue, own, other made) map[string]corrupted {
	turn := rng.IntN(len(own.turns))
	source := own.turns[turn][rng.IntN(len(own.turns[turn]))]
	said := source.atoms
	out := map[string]corrupted{}
	put := func(name string, atoms []atom) {
		if quote := tg.join(atoms); !strings.Contains(own.t.Text, quote) && (name == "disfluencies cleaned" || !strings.Contains(own.clean, quote)) {
			out[name] = corrupted{quote, turn}
		}
	}
	clean := withoutFillers(said)

	pretty := strings.NewReplacer(tg.typography...).Replace(tg.join(said))
	pretty = strings.TrimRight(pretty, ".。")
	if rng.IntN(2) == 0 {
		pretty = norm.NFD.String(pretty)
	}
	out["typography"] = corrupted{[]string{"“", "«\u00a0", "„", "「"}[rng.IntN(4)] + strings.ToUpper(pretty) + "”", turn}

	put("disfluencies cleaned", clean)

	changed := append([]atom(nil), clean...)
	if i := pick(rng, changed, 'w'); i >= 0 {
		changed[i].text = strange(rng, other, changed[i].text)
		put("one word changed", changed)
	}

	from := 4 + rng.IntN(3)
	to := from + 2 + rng.IntN(4)
	if to+4 <= len(said) {
		out["ellipsis within a turn"] = corrupted{tg.join(said[:from]) + []string{" … ", " ... ", " [...] "}[rng.IntN(3)] + tg.join(said[to:]), turn}
	}

	for _, row := range []struct {
		name string
		kind byte
	}{{"meaning turned round", 's'}, {"number changed", 'n'}} {
		turned := append([]atom(nil), clean...)
		if i := pick(rng, turned, row.kind); i >= 0 {
			turned[i].text = turned[i].alt
			put(row.name, turned)
		}
	}

	far := own.turns[(turn+10+rng.IntN(len(own.turns)-20))%len(own.turns)][0]
	if far.template != source.template {
		put("stitched from far turns", append(append([]atom(nil), said[:len(said)/2]...), far.atoms[len(far.atoms)/2:]...))
	}
	put("from another interview", other.turns[rng.IntN(len(other.turns))][0].atoms)

	changed = append([]atom(nil), clean...)
	for _, i := range rng.Perm(len(changed))[:len(changed)*4/10] {
		changed[i].text = strange(rng, other, changed[i].text)
	}
	put("40 % of the words changed", changed)
	return out
}

func pick(rng *rand.Rand, atoms []atom, kind byte) int {
	for _, i := range rng.Perm(len(atoms)) {
		if atoms[i].kind == kind && (kind != 'w' || len(tokenize(atoms[i].text)) > 0 && !turnsMeaning(atoms[i].text)) {
			return i
		}
	}
	return -1
}

// turnsMeaning tells whether a plain word of a sentence is a negation, number or quantifier: those are other rows of the table.
func turnsMeaning(text string) bool {
	for _, part := range criticalParts {
		if strings.Contains(text, part) {
			return true
		}
	}
	for _, tok := range tokenize(text) {
		if isCritical(tok.norm) || len(fillers[tok.norm]) > 0 {
			return true
		}
	}
	return false
}

// strange is a word from another interview.
func strange(rng *rand.Rand, other made, instead string) string {
	for {
		turn := other.turns[rng.IntN(len(other.turns))]
		sentence := turn[rng.IntN(len(turn))]
		a := sentence.atoms[rng.IntN(len(sentence.atoms))]
		if a.kind == 'w' && len(tokenize(a.text)) > 0 && !turnsMeaning(a.text) && !strings.EqualFold(a.text, instead) {
			return a.text
		}
	}
}
