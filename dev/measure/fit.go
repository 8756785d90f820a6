package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"research/transcript"
)

// A table has the weights of features: logarithms of odds. Those of files say whether the chosen reading is
// right at all, the others which reading is the likeliest one.
type table struct {
	names   []string
	ofFile  []bool
	weights []float64
}

func readTable(path string) (table, error) {
	text, err := os.ReadFile(path) // #nosec G304 -- the caller names the file
	if err != nil {
		return table{}, err
	}
	var t table
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		if len(fields) != 2 {
			return table{}, fmt.Errorf("%s: no weight in %q", path, fields[0])
		}
		weight, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			return table{}, fmt.Errorf("%s: %w", path, err)
		}
		t.names = append(t.names, fields[0])
		t.ofFile = append(t.ofFile, strings.HasPrefix(fields[0], "file_"))
		t.weights = append(t.weights, weight)
	}
	return t, nil
}

// write writes the table, in its order.
func (t table) write(out *bytes.Buffer, from string) {
	fmt.Fprintf(out, "# The weights of the features of readings, fitted on %s to %s.\n",
		time.Now().Format(time.DateOnly), from)
	for i, name := range t.names {
		fmt.Fprintf(out, "%s %s\n", name, strconv.FormatFloat(t.weights[i], 'g', 3, 64))
	}
}

// A sample is a file to which weights are fitted.
type sample struct {
	collection string
	weight     float64
	readings   []reading
	chosen     int
	agreed     float64
	right      bool // the chosen one
}

// A reading is one of those among which the parser chooses.
type reading struct {
	choice, file []value
	good         bool // hardly worse than the best one
}

// A value is that of a feature, by its place in the table.
type value struct {
	feature int
	value   float64
}

// hardlyWorse is the share of words by which a reading may be worse than the best one and still be good.
const hardlyWorse = 0.005

// sampleOf weighs the readings of an example. It returns nil for a file that is refused, or is not weighed.
func (t table) sampleOf(e example) *sample {
	weighed, err := transcript.Weigh(e.data)
	if err != nil || len(weighed) == 0 {
		return nil
	}
	s := &sample{collection: e.collection, weight: 1}
	costs := make([]float64, len(weighed))
	least := math.Inf(1)
	for i, w := range weighed {
		c := compare(e.reference, &transcript.Transcript{Utterances: w.Utterances})
		costs[i] = c.share(c.another + c.without + c.missing + c.nobody)
		least = min(least, costs[i])
		if w.Chosen {
			s.chosen, s.agreed, s.right = i, w.Agreed, c.worst() == ""
		}
	}
	for i, w := range weighed {
		r := t.readingOf(w.Features)
		r.good = costs[i] <= least+hardlyWorse
		s.readings = append(s.readings, r)
	}
	return s
}

func (t table) readingOf(features map[string]float64) reading {
	var r reading
	for i, name := range t.names {
		v := features[name]
		switch {
		case v == 0:
		case t.ofFile[i]:
			r.file = append(r.file, value{i, v})
		default:
			r.choice = append(r.choice, value{i, v})
		}
	}
	return r
}

func sum(values []value, weights []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += weights[v.feature] * v.value
	}
	return total
}

// shares returns how likely each reading is.
func (s *sample) shares(weights []float64) []float64 {
	shares := make([]float64, len(s.readings))
	most, total := math.Inf(-1), 0.0
	for i, r := range s.readings {
		shares[i] = sum(r.choice, weights)
		most = max(most, shares[i])
	}
	for i := range shares {
		shares[i] = math.Exp(shares[i] - most)
		total += shares[i]
	}
	for i := range shares {
		shares[i] /= total
	}
	return shares
}

// wellFounded returns how likely the chosen reading is right, if it is the right one among the readings.
func (s *sample) wellFounded(weights []float64) float64 {
	return 1 / (1 + math.Exp(-sum(s.readings[s.chosen].file, weights)))
}
