package eval

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Counts are the counts from which the metrics of hypotheses are computed.
type Counts struct {
	Evidence int `json:"evidence"`
	Right    int `json:"right"`
	Gold     int `json:"gold"`
	Found    int `json:"found"`

	EvidenceWords int `json:"evidence_words"` // words in evidence
	GoldWords     int `json:"gold_words"`     // words in gold that was read
	SharedWords   int `json:"shared_words"`   // words in both
}

func (c Counts) plus(other Counts) Counts {
	return Counts{
		Evidence: c.Evidence + other.Evidence, Right: c.Right + other.Right,
		Gold: c.Gold + other.Gold, Found: c.Found + other.Found,
		EvidenceWords: c.EvidenceWords + other.EvidenceWords, GoldWords: c.GoldWords + other.GoldWords,
		SharedWords: c.SharedWords + other.SharedWords,
	}
}

func (c Counts) precision() float64 { return quotient(c.Right, c.Evidence) }
func (c Counts) recall() float64    { return quotient(c.Found, c.Gold) }

// f1 is the harmonic mean of the precision and the recall of words.
func (c Counts) f1() float64 { return quotient(2*c.SharedWords, c.EvidenceWords+c.GoldWords) }

// quotient returns NaN without a base.
func quotient(part, whole int) float64 {
	if whole == 0 {
		return math.NaN()
	}
	return float64(part) / float64(whole)
}

// An Interval is a metric with its 95 % confidence interval.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// resamples is how often hypotheses are drawn. The bounds vary by less than a point.
const resamples = 2000

// seed makes the same report of the same responses.
const seed = 1

// bootstrap returns a metric of all hypotheses with its percentile interval, or nil if it is undefined. The
// hypotheses are drawn, not the quotes, since quotes for one hypothesis are not independent.
func bootstrap(units []Counts, figure func(Counts) float64) *Interval {
	value := figure(sum(units))
	if math.IsNaN(value) {
		return nil
	}
	random := rand.New(rand.NewPCG(seed, uint64(len(units))))
	var values []float64
	for range resamples {
		var drawn Counts
		for range units {
			drawn = drawn.plus(units[random.IntN(len(units))])
		}
		if v := figure(drawn); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	at := func(share float64) float64 { return values[int(share*float64(len(values)-1))] }
	return &Interval{Value: value, Low: at(0.025), High: at(0.975)}
}

func sum(units []Counts) Counts {
	var total Counts
	for _, u := range units {
		total = total.plus(u)
	}
	return total
}

// pairedTest returns the probability that two extractors without a difference would differ in F1 as much as
// these do, for the same hypotheses (approximate randomization: the counts of each hypothesis are exchanged
// by chance).
func pairedTest(a, b []Counts) float64 {
	observed := difference(sum(a), sum(b))
	random := rand.New(rand.NewPCG(seed, uint64(len(a))))
	asLarge := 1
	for range resamples {
		var left, right Counts
		for i := range a {
			x, y := a[i], b[i]
			if random.IntN(2) == 0 {
				x, y = y, x
			}
			left, right = left.plus(x), right.plus(y)
		}
		if difference(left, right) >= observed-1e-12 {
			asLarge++
		}
	}
	return float64(asLarge) / (resamples + 1)
}

// difference is that in F1, which is 0 without words.
func difference(a, b Counts) float64 {
	f := func(c Counts) float64 {
		if v := c.f1(); !math.IsNaN(v) {
			return v
		}
		return 0
	}
	return math.Abs(f(a) - f(b))
}
