package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
)

// An exception is a test that may fail, and why.
type exception struct{ test, why string }

// readExceptions reads lines of the form "suite: beginning of the test's name # why".
func readExceptions(file string) (map[string][]exception, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	exceptions := map[string][]exception{}
	for lines := bufio.NewScanner(f); ; {
		if !lines.Scan() {
			return exceptions, lines.Err()
		}
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		suite, rest, _ := strings.Cut(line, ": ")
		test, why, found := strings.Cut(rest, " # ")
		if !found {
			return nil, fmt.Errorf("%s: a line is not of the form 'suite: test # why': %s", file, line)
		}
		exceptions[suite] = append(exceptions[suite], exception{test, why})
	}
}

// report prints the results of a suite, and returns how many are wrong: tests that failed and are no
// exception, and exceptions of which no test failed.
func report(out io.Writer, name string, results []result, allowed []exception) (wrong int) {
	printf := func(format string, args ...any) { _, _ = fmt.Fprintf(out, format, args...) }
	counts, used := map[string]int{}, map[exception]bool{}
	for _, r := range results {
		counts[r.Status]++
		if r.Status != "failed" {
			continue
		}
		e, found := exceptionOf(r.FullName, allowed)
		if found {
			used[e] = true
			printf("%s: %s: %s\n", name, r.FullName, e.why)
			continue
		}
		wrong++
		printf("%s: NOT LISTED: %s\n%s\n", name, r.FullName, indent(strings.Join(r.Messages, "\n"), 12))
	}
	for _, e := range allowed {
		if !used[e] {
			wrong++
			printf("%s: listed, but nothing failed: %s\n", name, e.test)
		}
	}
	run := counts["passed"] + counts["failed"]
	printf("\n| suite | tests | passed | failed | skipped by the suite |\n|---|---|---|---|---|\n")
	printf("| %s | %d | %d | %d | %d |\n\n", name, run, counts["passed"], counts["failed"], len(results)-run)
	return wrong
}

func exceptionOf(test string, allowed []exception) (exception, bool) {
	for _, e := range allowed {
		if strings.HasPrefix(test, e.test) {
			return e, true
		}
	}
	return exception{}, false
}

// indent returns the first lines of a text, indented.
func indent(text string, most int) string {
	lines := strings.Split(text, "\n")
	return "    " + strings.Join(lines[:min(most, len(lines))], "\n    ")
}
