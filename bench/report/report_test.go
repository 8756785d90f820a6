package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the page from bench/recording.txt")

func recording(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", recordingPath))
	require.NoError(t, err)
	return string(content)
}

// passing is the output of a run that passed, in which every value is a number of its own.
func passing(t *testing.T) string {
	t.Helper()
	metrics := map[string]map[string]bool{}
	for _, s := range subjects {
		for _, line := range s.rows {
			if metrics[line.benchmark] == nil {
				metrics[line.benchmark] = map[string]bool{}
			}
			cells := line.name + line.figure + line.bound + line.ratio + line.limit
			for _, m := range metricName.FindAllStringSubmatch(cells, -1) {
				metrics[line.benchmark][m[1]] = true
			}
		}
	}
	output := ""
	for _, key := range []string{
		"date", "command", "commit", "machine", "processor", "cores", "memory", "kernel", "compiler", "postgresql",
		"smoothdb", "gotrue", "load-before", "load-after", "minutes",
	} {
		output += key + ": the " + key + "\n"
	}
	output += "flags: -digest-members 7 -large-utterances 8\nbusy-before: 0.01\nbusy-after: 0.01\n"
	for n, benchmark := range slices.Sorted(maps.Keys(metrics)) {
		output += fmt.Sprintf("Benchmark%s\nBenchmark%s-2         \t       1", benchmark, benchmark)
		for i, metric := range slices.Sorted(maps.Keys(metrics[benchmark])) {
			output += fmt.Sprintf("\t %d.%d %s", n, i+1, metric)
		}
		output += "\n    some_test.go:7: a line of the log\n"
	}
	return output + "PASS\noutcome: passed\n"
}

// The page is what the recording of its run says, with the sentences as they are now.
func TestPageIsCurrent(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", pagePath)
	kept, page, err := publish([]byte(recording(t)))
	require.NoError(t, err)
	require.Equal(t, recording(t), string(kept), "the recording has only what the page uses")
	if *update {
		require.NoError(t, os.WriteFile(path, page, 0o600))
	}
	current, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(page), string(current), "go test ./bench/report -update")
}

func TestRunThatFailedBecomesNoPage(t *testing.T) {
	t.Parallel()
	good := passing(t)
	lineOf := func(name string) string {
		return regexp.MustCompile(`(?m)^Benchmark` + name + `-2 .*\n`).FindString(good)
	}
	for name, c := range map[string]struct{ from, to, want string }{
		"a benchmark missed its limit": {
			lineOf("SignIn"), "--- FAIL: BenchmarkSignIn\n", "these failed, or missed their limit: SignIn",
		},
		"a part of a benchmark failed": {
			lineOf("Start/worker"), "--- FAIL: BenchmarkStart/worker\n",
			"these failed, or missed their limit: Start/worker",
		},
		"the run ended early": {"outcome: passed\n", "", `the run did not pass: ""`},
		"the run failed": {
			"outcome: passed", "outcome: exit status 1", `the run did not pass: "exit status 1"`,
		},
		"a benchmark did not run":      {lineOf("SignIn"), "", "SignIn has no {of-bound}"},
		"a benchmark lacks its limit":  {" limit-of-quiet", " other", "Turns has no {limit-of-quiet}"},
		"a benchmark printed no value": {lineOf("Memory"), "BenchmarkMemory-2 \t 1\t x MB\n", "Memory: strconv"},
		"the machine is not described": {"\nprocessor: ", "\nprocessors: ", "does not say processor"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, good, c.from)
			_, _, err := publish([]byte(strings.Replace(good, c.from, c.to, 1)))
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestPageShowsWhatFailedWhereThatIsRequested(t *testing.T) {
	t.Parallel()
	output := passing(t) + "--- FAIL: BenchmarkTurns\noutcome: exit status 1\n"
	_, _, err := publish([]byte(output))
	require.ErrorContains(t, err, "these failed, or missed their limit: Turns")
	_, page, err := publish([]byte(output + "missed: shown\n"))
	require.NoError(t, err)
	require.Contains(t, string(page), "**These failed, or missed their limit, and have no figures: Turns.**")
	require.Contains(t, string(page), "an interview beside a hundred | **failed** |  |  |  |\n")
}

func TestPageNamesWhatWasMeasuredAgain(t *testing.T) {
	t.Parallel()
	good := passing(t)
	const missed = "--- FAIL: BenchmarkSignIn\nagain: SignIn Turns\n"
	_, page, err := publish([]byte(missed + good))
	require.NoError(t, err)
	require.Contains(t, string(page), "measured again in the same run: SignIn Turns.")
	_, _, err = publish([]byte(good + missed + "--- FAIL: BenchmarkTurns\n"))
	require.ErrorContains(t, err, "Turns")
}

func TestPageSaysWhetherTheMachineWasQuiet(t *testing.T) {
	t.Parallel()
	busy := regexp.MustCompile(`(?m)^busy-(before|after): .*$`)
	page := func(before, after string) string {
		output := busy.ReplaceAllStringFunc(passing(t), func(line string) string {
			if strings.HasPrefix(line, "busy-before") {
				return "busy-before: " + before
			}
			return "busy-after: " + after
		})
		_, page, err := publish([]byte(output))
		require.NoError(t, err)
		return string(page)
	}
	require.Contains(t, page("0.02", "0.10"), "The machine was quiet.")
	require.Contains(t, page("0.50", "0.02"), "The machine was not quiet")
	require.Contains(t, page("0.02", "0.50"), "The machine was not quiet")
	require.Contains(t, page("unknown", "0.02"), "The machine was not quiet")
}

func TestPageHasTheFiguresOfTheRun(t *testing.T) {
	t.Parallel()
	const line = "BenchmarkCallLimit-2  \t 1\t 1.000 calls-before\t 2.000 limit-calls-before\n"
	output := regexp.MustCompile(`(?m)^BenchmarkCallLimit-2.*\n`).ReplaceAllString(passing(t), line)
	kept, page, err := publish([]byte(output))
	require.NoError(t, err)
	require.Contains(t, string(page), "before the first of one's own | 1 |  |  | at most 2 |\n")
	require.Contains(t, string(page), "| processor | the processor |\n")
	require.Contains(t, string(page), "'^Benchmark(Turns|CallLimit|Fairness)$' \\\n  -benchtime 1x -v\n")
	require.Contains(t, string(page), "  -benchtime 1x -v -digest-members 7\n")
	require.NotContains(t, string(kept), "a line of the log")
}

func TestPageWithoutPeersSaysHowToGetThem(t *testing.T) {
	t.Parallel()
	output := regexp.MustCompile(`(?m)^(smoothdb|gotrue): .*\n|^Benchmark\w+Peer/.*\n`).
		ReplaceAllString(passing(t), "")
	_, page, err := publish([]byte(output))
	require.NoError(t, err)
	require.Contains(t, string(page), "This run measured no servers of others.")
	require.NotContains(t, string(page), "| GoTrue:")
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for value, want := range map[float64]string{
		0: "0", 0.936: "0.94", 3: "3", 12.34: "12.3", 128: "128", 742.8: "743", 1234567: "1,234,567",
		9999.6: "10,000",
	} {
		require.Equal(t, want, number(value))
	}
}

func TestLinesAreWrapped(t *testing.T) {
	t.Parallel()
	p := &page{}
	p.paragraph(strings.Repeat("word ", 50) + `"code"`)
	for line := range strings.Lines(p.text.String()) {
		require.LessOrEqual(t, len(strings.TrimSpace(line)), lineLength)
	}
	require.Contains(t, p.text.String(), "`code`")
}

// Each benchmark of a row is one of those that its section, or one above it, runs.
func TestRowsAreOfBenchmarksThatRun(t *testing.T) {
	t.Parallel()
	ran := map[string]bool{}
	for _, s := range subjects {
		for _, name := range s.benchmarks {
			require.False(t, ran[name], name)
			ran[name] = true
		}
		for _, line := range s.rows {
			top, _, _ := strings.Cut(line.benchmark, "/")
			require.True(t, ran[top], line.benchmark)
		}
	}
}
