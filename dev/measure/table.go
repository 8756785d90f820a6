package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"
)

// wilson returns the 95 % interval of Wilson's score for k of n.
func wilson(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.96
	p, size := float64(k)/float64(n), float64(n)
	middle := (p + z*z/(2*size)) / (1 + z*z/size)
	half := z / (1 + z*z/size) * math.Sqrt(p*(1-p)/size+z*z/(4*size*size))
	return max(0, middle-half), min(1, middle+half)
}

// rate writes k of n as a percentage with its interval.
func rate(k, n int) string {
	low, high := wilson(k, n)
	return fmt.Sprintf("%.1f [%.1f, %.1f]", 100*float64(k)/float64(max(1, n)), 100*low, 100*high)
}

func count(results []result, is func(result) bool) int {
	n := 0
	for _, r := range results {
		if is(r) {
			n++
		}
	}
	return n
}

// report writes the tables of the results.
func report(w *bytes.Buffer, results []result) {
	n := len(results)
	fmt.Fprintf(w, "| verdict | files, n = %d | %% [95 %% Wilson] |\n|---|---|---|\n", n)
	for _, v := range []verdict{right, refused, said, silent} {
		k := count(results, func(r result) bool { return r.verdict == v })
		fmt.Fprintf(w, "| %s | %d | %s |\n", v, k, rate(k, n))
	}
	look := count(results, func(r result) bool { return r.needsLook })
	warned := count(results, func(r result) bool { return r.warned })
	fmt.Fprintf(w, "| needs a look | %d | %s |\n", look, rate(look, n))
	reportLooks(w, results)
	fmt.Fprintf(w, "| has a warning | %d | %s |\n", warned, rate(warned, n))
	reportKinds(w, results)
	reportCollections(w, results)
	reportCalibration(w, results)
	reportWorst(w, results)
}

// reportLooks writes how many looks are needless, and how many are missed.
func reportLooks(w *bytes.Buffer, results []result) {
	rights := count(results, func(r result) bool { return r.verdict == right })
	needless := count(results, func(r result) bool { return r.verdict == right && r.needsLook })
	missed := count(results, func(r result) bool { return r.kind != "" && !r.needsLook })
	fmt.Fprintf(w, "| right ones, n = %d, that need a look | %d | %s |\n",
		rights, needless, rate(needless, rights))
	fmt.Fprintf(w, "| wrong ones that need none | %d | %s |\n", missed, rate(missed, len(results)))
}

func reportKinds(w *bytes.Buffer, results []result) {
	fmt.Fprint(w, "\n| kind | wrong | silently | % silently |\n|---|---|---|---|\n")
	for _, k := range kinds {
		wrong := count(results, func(r result) bool { return r.kind == k.kind })
		quiet := count(results, func(r result) bool { return r.kind == k.kind && r.verdict == silent })
		fmt.Fprintf(w, "| %s %s | %d | %d | %s |\n", k.kind, k.meaning, wrong, quiet, rate(quiet, len(results)))
	}
}

func reportCollections(w *bytes.Buffer, results []result) {
	fmt.Fprint(w, "\n| collection | files | right | refused | says so | silently wrong |\n")
	fmt.Fprint(w, "|---|---|---|---|---|---|\n")
	byCollection := map[string][]result{}
	var names []string
	for _, r := range results {
		if byCollection[r.collection] == nil {
			names = append(names, r.collection)
		}
		byCollection[r.collection] = append(byCollection[r.collection], r)
	}
	slices.Sort(names)
	for _, name := range names {
		of := byCollection[name]
		fmt.Fprintf(w, "| %s | %d ", name, len(of))
		for _, v := range []verdict{right, refused, said, silent} {
			fmt.Fprintf(w, "| %d ", count(of, func(r result) bool { return r.verdict == v }))
		}
		fmt.Fprintln(w, "|")
	}
}

// reportCalibration compares the confidence of files with how many of them have at most 1 % of their words
// under another speaker, which is what it promises.
func reportCalibration(w *bytes.Buffer, results []result) {
	fmt.Fprint(w, "\n| confidence | files | mean | people right | % |\n|---|---|---|---|---|\n")
	bounds := []float64{0, 0.5, 0.8, 0.9, 0.95, 0.99, 1.01}
	brier, n := 0.0, 0
	for i, low := range bounds[:len(bounds)-1] {
		high := bounds[i+1]
		files, sum, well := 0, 0.0, 0
		for _, r := range results {
			if r.verdict == refused || r.confidence < low || r.confidence >= high {
				continue
			}
			truth := 1.0
			if r.isMisattributed() {
				truth = 0
			}
			files, n, sum, well = files+1, n+1, sum+r.confidence, well+int(truth)
			brier += (r.confidence - truth) * (r.confidence - truth)
		}
		if files > 0 {
			fmt.Fprintf(w, "| %.2f to %.2f | %d | %.3f | %d | %s |\n",
				low, min(1, high), files, sum/float64(files), well, rate(well, files))
		}
	}
	fmt.Fprintf(w, "\nBrier score: %.3f of %d files.\n", brier/float64(max(1, n)), n)
	trusted, wrong := 0, 0
	for _, r := range results {
		trusted, wrong = trusted+r.trusted, wrong+r.trustedWrong
	}
	fmt.Fprintf(w, "Words in turns of confidence %.1f or more: %d, %s %% of them under another speaker.\n",
		isTrusted, trusted, rate(wrong, trusted))
}

// reportWorst writes how bad it is where a file says nothing.
func reportWorst(w *bytes.Buffer, results []result) {
	isSilent := func(r result) bool { return r.verdict == silent }
	tenth := count(results, func(r result) bool { return isSilent(r) && r.share(r.another) > 0.1 })
	worst := result{}
	for _, r := range results {
		if isSilent(r) && r.share(r.another) > worst.share(worst.another) {
			worst = r
		}
	}
	fmt.Fprintf(w, "Silent files with more than a tenth of their words under another speaker: %d.\n", tenth)
	if worst.name != "" {
		fmt.Fprintf(w, "The worst of the silent ones: %s/%s, %.0f %% of its words.\n",
			worst.collection, worst.name, 100*worst.share(worst.another))
	}
}

// list writes a line for each file that was not read right.
func list(w *bytes.Buffer, results []result) {
	for _, r := range results {
		if r.verdict == right {
			continue
		}
		fmt.Fprintf(w, "%s/%s: %s %s%s\n", r.collection, r.name, r.verdict, r.kind, r.reason)
		for _, way := range []struct {
			name string
			n    int
		}{{"another", r.another}, {"without", r.without}, {"missing", r.missing}, {"nobody", r.nobody}} {
			if way.n > 0 {
				fmt.Fprintf(w, "  %s: %.1f %% of the words, first %s\n", way.name, 100*r.share(way.n), r.first[way.name])
			}
		}
		if r.wrongTimes > 0 {
			fmt.Fprintf(w, "  times: %d of %d\n", r.wrongTimes, r.times)
		}
	}
}
