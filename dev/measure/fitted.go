package main

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
)

// folds is how many times collections are left out, several at a time if there are more.
const folds = 12

// runFit fits the weights of a table to examples, and reports how well fitted ones do on collections to which
// they were not fitted.
func runFit(out *bytes.Buffer, examples []example, path string) error {
	before, err := readTable(path)
	if err != nil {
		return err
	}
	found := make([]*sample, len(examples))
	each(len(examples), func(i int) { found[i] = before.sampleOf(examples[i]) })
	samples := slices.DeleteFunc(found, func(s *sample) bool { return s == nil })
	byCollection := map[string][]*sample{}
	for _, s := range samples {
		byCollection[s.collection] = append(byCollection[s.collection], s)
	}
	balance(byCollection)
	var now []foretold
	for _, s := range samples {
		now = append(now, s.foretell(before.weights))
	}
	from := fmt.Sprintf("%d files of %d collections", len(samples), len(byCollection))
	fmt.Fprintf(out, "%s.\n", from)
	reportForetold(out, "The table before", now)
	reportForetold(out, "Fitted, each collection left out", leaveOut(byCollection, before.weights))
	before.weights = fit(samples, before.weights)
	fmt.Fprintln(out)
	before.write(out, from)
	return nil
}

// leaveOut fits weights to all collections but some, and foretells those, until each was left out.
func leaveOut(byCollection map[string][]*sample, before []float64) []foretold {
	names := slices.Sorted(maps.Keys(byCollection))
	found := make([][]foretold, min(folds, len(names)))
	each(len(found), func(fold int) {
		var others, left []*sample
		for i, name := range names {
			if i%len(found) == fold {
				left = append(left, byCollection[name]...)
			} else {
				others = append(others, byCollection[name]...)
			}
		}
		weights := fit(others, before)
		for _, s := range left {
			found[fold] = append(found[fold], s.foretell(weights))
		}
	})
	return slices.Concat(found...)
}

// A foretold is what weights say about a sample, and what is true.
type foretold struct {
	good   bool    // the likeliest reading
	likely float64 // that the chosen reading is right
	right  bool
}

func (s *sample) foretell(weights []float64) foretold {
	shares := s.shares(weights)
	best := slices.Index(shares, slices.Max(shares))
	return foretold{s.readings[best].good, s.agreed * s.wellFounded(weights), s.right}
}

func reportForetold(out *bytes.Buffer, title string, all []foretold) {
	good, brier, loss := 0, 0.0, 0.0
	for _, f := range all {
		truth := 0.0
		if f.right {
			truth = 1
		}
		if f.good {
			good++
		}
		brier += (f.likely - truth) * (f.likely - truth)
		loss -= math.Log(max(1e-6, 1-math.Abs(f.likely-truth)))
	}
	n := float64(max(1, len(all)))
	fmt.Fprintf(out, "\n## %s\n\nThe likeliest reading is a good one: %s %%. ", title, rate(good, len(all)))
	fmt.Fprintf(out, "Brier score %.4f, log loss %.4f.\n\n", brier/n, loss/n)
	reportLikely(out, all)
	reportBounds(out, all)
}

func reportLikely(out *bytes.Buffer, all []foretold) {
	fmt.Fprint(out, "| likely | files | right | % |\n|---|---|---|---|\n")
	bounds := []float64{0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1.01}
	for i, low := range bounds[:len(bounds)-1] {
		files, rights := 0, 0
		for _, f := range all {
			if f.likely < low || f.likely >= bounds[i+1] {
				continue
			}
			if files++; f.right {
				rights++
			}
		}
		if files > 0 {
			fmt.Fprintf(out, "| %.2f to %.2f | %d | %d | %s |\n",
				low, min(1, bounds[i+1]), files, rights, rate(rights, files))
		}
	}
}

// reportBounds writes what different bounds of the confidence would mean, below which a file needs a look.
func reportBounds(out *bytes.Buffer, all []foretold) {
	fmt.Fprint(out, "\n| a look below | right ones that need it, % | wrong ones that do not | of all, % |\n")
	fmt.Fprint(out, "|---|---|---|---|\n")
	for _, bound := range []float64{0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95} {
		needless, rights, missed := 0, 0, 0
		for _, f := range all {
			switch {
			case f.right && f.likely < bound:
				needless, rights = needless+1, rights+1
			case f.right:
				rights++
			case f.likely >= bound:
				missed++
			}
		}
		fmt.Fprintf(out, "| %.2f | %s | %d | %s |\n",
			bound, rate(needless, rights), missed, rate(missed, len(all)))
	}
}
