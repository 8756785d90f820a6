package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// passed is the outcome of a run without failures.
const passed = "passed"

// A recorded run is what the output of a run says.
type recorded struct {
	facts   map[string]string
	metrics map[string]map[string]float64 // by benchmark, such as DataAPI/one_row_by_id, and unit
	failed  []string                      // benchmarks
}

func newRecorded() recorded {
	return recorded{facts: map[string]string{}, metrics: map[string]map[string]float64{}}
}

var (
	factLine      = regexp.MustCompile(`^([a-z][a-z-]*): (.+)$`)
	benchmarkLine = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\t\s*(.+)$`)
	failedLine    = regexp.MustCompile(`^\s*--- FAIL: Benchmark(\S+)`)
)

// read reads a line of the output of a run, whose benchmarks are in the format of Go. It reports whether the
// page uses the line.
func (r *recorded) read(line string) (used bool, err error) {
	if m := failedLine.FindStringSubmatch(line); m != nil {
		r.failed = append(r.failed, m[1])
		return true, nil
	}
	if m := benchmarkLine.FindStringSubmatch(line); m != nil {
		if r.metrics[m[1]], err = parseMetrics(m[2]); err != nil {
			return false, fmt.Errorf("%s: %w", m[1], err)
		}
		return true, nil
	}
	if m := factLine.FindStringSubmatch(line); m != nil {
		if m[1] == "again" { // what failed before it is repeated after it
			r.failed = nil
		}
		r.facts[m[1]] = m[2]
		return true, nil
	}
	return false, nil
}

// parseMetrics reads values with their units.
func parseMetrics(text string) (map[string]float64, error) {
	fields := strings.Fields(text)
	metrics := map[string]float64{}
	for i := 0; i+1 < len(fields); i += 2 {
		value, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return nil, err
		}
		metrics[fields[i+1]] = value
	}
	return metrics, nil
}
