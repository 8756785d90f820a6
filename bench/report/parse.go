package main

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// passed is the outcome of a run without failures.
const passed = "passed"

// A recorded run is what a recording says.
type recorded struct {
	facts   map[string]string
	metrics map[string]map[string]float64 // by benchmark, such as DataAPI/one_row_by_id, and unit
	failed  []string                      // benchmarks
}

var (
	factLine      = regexp.MustCompile(`^([a-z][a-z-]*): (.+)$`)
	benchmarkLine = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\t\s*(.+)$`)
	failedLine    = regexp.MustCompile(`^\s*--- FAIL: Benchmark(\S+)`)
)

// parse reads a recording, the output of `go test` in the format of Go's benchmarks.
func parse(from io.Reader) (recorded, error) {
	r := recorded{facts: map[string]string{}, metrics: map[string]map[string]float64{}}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20) // a failure can print a plan
	for lines.Scan() {
		line := lines.Text()
		if m := failedLine.FindStringSubmatch(line); m != nil {
			r.failed = append(r.failed, m[1])
		} else if m := benchmarkLine.FindStringSubmatch(line); m != nil {
			metrics, err := parseMetrics(m[2])
			if err != nil {
				return r, fmt.Errorf("%s: %w", m[1], err)
			}
			r.metrics[m[1]] = metrics
		} else if m := factLine.FindStringSubmatch(line); m != nil {
			r.facts[m[1]] = m[2]
		}
	}
	return r, lines.Err()
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
