package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"research/activities/extract"
)

// A Comparison is two extractors measured on the same cases.
type Comparison struct {
	A       Report `json:"a"`
	B       Report `json:"b"`
	Repeats int    `json:"repeats"`
	// P is the probability of a difference in F1 as large as this one between extractors without a difference.
	P float64 `json:"p"`
}

// Repeat measures an extractor repeats times, at least once, and adds up the counts of each hypothesis. If a
// run ends early, the report so far comes with its error.
func Repeat(
	ctx context.Context, extractor extract.Extractor, cases []Case, options Options, repeats int,
) (Report, error) {
	report, err := Run(ctx, extractor, cases, options)
	for n := 1; n < repeats && err == nil; n++ {
		var next Report
		next, err = Run(ctx, extractor, cases, options)
		if len(next.Transcripts) > 0 {
			report.merge(next)
		}
	}
	return report, err
}

// merge adds the counts of another run on the same cases. What was missed, wrong and refused stays that of
// the first run.
func (r *Report) merge(next Report) {
	r.Seconds += next.Seconds
	r.Total.add(next.Total)
	for i, s := range next.Transcripts {
		r.Transcripts[i].add(s)
	}
	for i, h := range next.Hypotheses {
		r.Hypotheses[i].Counts = r.Hypotheses[i].plus(h.Counts)
	}
	r.computeShares()
}

// Compare measures both extractors. If a run ends early there is no comparison but the error.
func Compare(
	ctx context.Context, a, b extract.Extractor, cases []Case, options Options, repeats int,
) (Comparison, error) {
	c := Comparison{Repeats: repeats}
	var err error
	if c.A, err = Repeat(ctx, a, cases, options, repeats); err != nil {
		return c, fmt.Errorf("measure the first extractor: %w", err)
	}
	if c.B, err = Repeat(ctx, b, cases, options, repeats); err != nil {
		return c, fmt.Errorf("measure that of --against: %w", err)
	}
	if len(c.A.Hypotheses) == 0 {
		return c, errors.New("there are no hypotheses to compare by")
	}
	c.P = pairedTest(c.A.units(), c.B.units())
	return c, nil
}

// significant is the usual limit of P.
const significant = 0.05

// Verdict says in a sentence which extractor has the better F1, and whether that could be chance.
func (c Comparison) Verdict() string {
	n := len(c.A.Hypotheses)
	f1A, f1B := sum(c.A.units()).f1(), sum(c.B.units()).f1()
	switch {
	case c.P >= significant:
		return fmt.Sprintf("No difference was shown: F1 differs by %.1f points, which chance explains (p = %.2f, "+
			"%d hypotheses).", 100*difference(sum(c.A.units()), sum(c.B.units())), c.P, n)
	case f1A > f1B:
		return fmt.Sprintf("A is better: its F1 is %.1f points higher (p = %.3f, %d hypotheses).",
			100*(f1A-f1B), c.P, n)
	default:
		return fmt.Sprintf("B is better: its F1 is %.1f points higher (p = %.3f, %d hypotheses).",
			100*(f1B-f1A), c.P, n)
	}
}

// Table writes both reports, and the verdict.
func (c Comparison) Table(w io.Writer) error {
	for _, side := range []struct {
		name   string
		report Report
	}{{"A", c.A}, {"B", c.B}} {
		if _, err := fmt.Fprintf(w, "%s: ", side.name); err != nil {
			return err
		}
		if err := side.report.Table(w); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, c.Verdict())
	return err
}

// units are the counts that are resampled and compared.
func (r *Report) units() []Counts {
	units := make([]Counts, len(r.Hypotheses))
	for i, h := range r.Hypotheses {
		units[i] = h.Counts
	}
	return slices.Clip(units)
}
