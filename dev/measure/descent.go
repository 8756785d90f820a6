package main

import (
	"math"
	"slices"
)

// How the descent goes.
const (
	keep  = 3.0 // how strongly weights stay at those before, as if so many files said so
	steps = 200
	pace  = 0.5
)

// fit returns weights under which the samples are likelier, by gradient descent. Weights about which the
// samples say nothing stay as they are.
func fit(samples []*sample, before []float64) []float64 {
	total := 0.0
	for _, s := range samples {
		total += s.weight
	}
	weights, speed := slices.Clone(before), make([]float64, len(before))
	if total == 0 {
		return weights
	}
	for step := range steps {
		gradient := make([]float64, len(before))
		for _, s := range samples {
			s.addChoice(weights, gradient)
			s.addFile(weights, gradient)
		}
		rate := pace * min(1, float64(steps-step)/float64(steps/2))
		for i := range weights {
			speed[i] = 0.9*speed[i] + (gradient[i]-keep*(weights[i]-before[i]))/total
			weights[i] += rate * speed[i]
		}
	}
	return weights
}

// addChoice adds how weights must change for the good readings of a sample to be likelier.
func (s *sample) addChoice(weights, gradient []float64) {
	if !slices.ContainsFunc(s.readings, func(r reading) bool { return !r.good }) {
		return
	}
	shares, good := s.shares(weights), 0.0
	for i, r := range s.readings {
		if r.good {
			good += shares[i]
		}
	}
	for i, r := range s.readings {
		change := -shares[i]
		if r.good {
			change += shares[i] / max(good, 1e-9)
		}
		add(gradient, r.choice, s.weight*change)
	}
}

// addFile adds how weights must change for what is known about the chosen reading to be likelier.
func (s *sample) addFile(weights, gradient []float64) {
	likely := s.wellFounded(weights)
	change := 1 - likely
	if !s.right {
		change = -s.agreed * likely * (1 - likely) / max(1e-6, 1-s.agreed*likely)
	}
	add(gradient, s.readings[s.chosen].file, s.weight*change)
}

func add(gradient []float64, values []value, times float64) {
	for _, v := range values {
		gradient[v.feature] += times * v.value
	}
}

// balance lets collections that are large, because styles write them, count less than as many small ones: a
// collection counts as the square root of its files.
func balance(byCollection map[string][]*sample) {
	for _, of := range byCollection {
		for _, s := range of {
			s.weight = 1 / math.Sqrt(float64(len(of)))
		}
	}
}
