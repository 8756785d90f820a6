package quote

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"research/internal/words"
)

// errorTable lists what people and models do to quotes, and how many of such quotes must be accepted, in
// percent: at least the limit if they are correct, at most the limit if they are not.
var errorTable = []struct {
	name    string
	correct bool
	limit   float64
}{
	{"typography", true, 100},
	{"disfluencies removed", true, 99},
	{"one word changed", true, 94},
	{"ellipsis within a turn", true, 100},
	{"meaning reversed", false, 5},
	{"number changed", false, 8},
	{"stitched from distant turns", false, 0},
	{"from another interview", false, 0},
	{"40 % of the words changed", false, 5},
}

func TestErrorTable(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"english", "german", "french", "spanish", "japanese", "arabic"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			c := loadCorpus(language)
			rng := rand.New(rand.NewPCG(7, 11))
			results := map[string]*tally{}
			for range 4 {
				own, other := c.interview(rng, 60, 0), c.interview(rng, 60, 1)
				aligner := NewAligner(own.transcript)
				for range 110 {
					for name, quote := range c.corrupt(rng, own, other) {
						if results[name] == nil {
							results[name] = &tally{}
						}
						results[name].count(t, aligner, own, quote)
					}
				}
			}
			for _, row := range errorTable {
				got := results[row.name]
				require.NotNil(t, got, row.name)
				require.Greater(t, got.quotes, 80, row.name)
				accepted := 100 * float64(got.accepted) / float64(got.quotes)
				t.Logf("%-26s %5.1f %% of %d accepted", row.name, accepted, got.quotes)
				if !row.correct {
					require.LessOrEqual(t, accepted, row.limit, "%s: for example %q", row.name, got.lastAccepted)
					continue
				}
				require.GreaterOrEqual(t, accepted, row.limit, "%s: for example %q", row.name, got.lastRejected)
				located := 100 * float64(got.located) / float64(got.accepted)
				require.GreaterOrEqual(t, located, 95.0, "%s: in the right utterance", row.name)
			}
		})
	}
}

// A tally counts what became of corrupted quotes.
type tally struct {
	quotes, accepted           int
	located                    int // in the utterance that the quote was taken from
	lastRejected, lastAccepted string
}

func (y *tally) count(t *testing.T, aligner *Aligner, v interview, c corruptedQuote) {
	t.Helper()
	y.quotes++
	span, reason := aligner.Align(c.text, []int{c.turn}, 0, len(v.transcript.Utterances))
	if reason != "" {
		y.lastRejected = c.text + " / " + v.transcript.Utterances[c.turn].Text
		return
	}
	y.accepted++
	y.lastAccepted = c.text + " / " + v.transcript.Text[span.ByteStart:span.ByteEnd]
	if span.UtteranceFrom <= c.turn && c.turn <= span.UtteranceTo {
		y.located++
	}
	checkSpan(t, v.transcript, span)
}

// A corruptedQuote was taken from a turn.
type corruptedQuote struct {
	text string
	turn int
}

// corrupt takes one sentence of one turn and corrupts it in each way that it allows.
func (c *corpus) corrupt(rng *rand.Rand, own, other interview) map[string]corruptedQuote {
	turn := rng.IntN(len(own.turns))
	source := own.turns[turn][rng.IntN(len(own.turns[turn]))]
	said := source.fragments
	clean := withoutFillers(said)
	quotes := map[string]corruptedQuote{}
	add := func(name string, fragments []fragment) {
		quote := c.join(fragments)
		unchanged := strings.Contains(own.transcript.Text, quote) ||
			name != "disfluencies removed" && strings.Contains(own.clean, quote)
		if !unchanged {
			quotes[name] = corruptedQuote{quote, turn}
		}
	}

	quotes["typography"] = corruptedQuote{c.changeTypography(rng, said), turn}
	add("disfluencies removed", clean)

	changed := slices.Clone(clean)
	if i := c.pick(rng, changed, plainWord); i >= 0 {
		changed[i].text = c.foreignWord(rng, other, changed[i].text)
		add("one word changed", changed)
	}

	from := 4 + rng.IntN(3)
	to := from + 2 + rng.IntN(4)
	if to+4 <= len(said) {
		ellipsis := []string{" … ", " ... ", " [...] "}[rng.IntN(3)]
		if !hasNegation(c.join(said[from:to])) { // TestAlteredQuotes has ellipses over negations
			quotes["ellipsis within a turn"] = corruptedQuote{c.join(said[:from]) + ellipsis + c.join(said[to:]), turn}
		}
	}

	for _, row := range []struct {
		name string
		kind fragmentKind
	}{
		{"meaning reversed", meaning},
		{"number changed", number},
	} {
		changed := slices.Clone(clean)
		if i := c.pick(rng, changed, row.kind); i >= 0 {
			changed[i].text = changed[i].opposite
			add(row.name, changed)
		}
	}

	distant := own.turns[(turn+10+rng.IntN(len(own.turns)-20))%len(own.turns)][0]
	if distant.template != source.template {
		half := slices.Clone(said[:len(said)/2])
		add("stitched from distant turns", append(half, distant.fragments[len(distant.fragments)/2:]...))
	}
	add("from another interview", other.turns[rng.IntN(len(other.turns))][0].fragments)

	changed = slices.Clone(clean)
	for _, i := range rng.Perm(len(changed))[:len(changed)*4/10] {
		changed[i].text = c.foreignWord(rng, other, changed[i].text)
	}
	add("40 % of the words changed", changed)
	return quotes
}

// changeTypography replaces quotation marks, dashes and letters, and changes case and Unicode form.
func (c *corpus) changeTypography(rng *rand.Rand, fragments []fragment) string {
	quote := strings.NewReplacer(c.Typography...).Replace(c.join(fragments))
	quote = strings.TrimRight(quote, ".。")
	if rng.IntN(2) == 0 {
		quote = norm.NFD.String(quote)
	}
	return []string{"“", "«\u00a0", "„", "「"}[rng.IntN(4)] + strings.ToUpper(quote) + "”"
}

// pick returns the index of a fragment of the kind, or -1. It does not pick plain words that are critical.
func (c *corpus) pick(rng *rand.Rand, fragments []fragment, kind fragmentKind) int {
	for _, i := range rng.Perm(len(fragments)) {
		f := fragments[i]
		if f.kind == kind && (kind != plainWord || len(words.Tokenize(f.text)) > 0 && !c.changesMeaning(f.text)) {
			return i
		}
	}
	return -1
}

func hasNegation(text string) bool {
	return words.ContainsAny(words.Fold(text), words.NegationParts) ||
		slices.ContainsFunc(words.Tokenize(text), func(tok words.Token) bool { return words.IsNegation(tok.Norm) })
}

// changesMeaning reports whether a plain word is a negation, number, quantifier, unit, day, name or filler,
// which other tests change. A capital shows a name, but for German nouns.
func (c *corpus) changesMeaning(text string) bool {
	if c.Language != "de" && isCapitalized(text) {
		return true
	}
	for _, part := range criticalParts {
		if strings.Contains(words.Fold(text), part) {
			return true
		}
	}
	for _, tok := range words.Tokenize(text) {
		if isCritical(tok.Norm) || currencies[tok.Norm] != "" || len(fillers[tok.Norm]) > 0 {
			return true
		}
	}
	return false
}

// foreignWord returns a word of another interview that differs from a word.
func (c *corpus) foreignWord(rng *rand.Rand, other interview, word string) string {
	for {
		turn := other.turns[rng.IntN(len(other.turns))]
		s := turn[rng.IntN(len(turn))]
		f := s.fragments[rng.IntN(len(s.fragments))]
		if f.kind != plainWord || len(words.Tokenize(f.text)) == 0 || c.changesMeaning(f.text) {
			continue
		}
		if !strings.EqualFold(f.text, word) {
			return f.text
		}
	}
}
