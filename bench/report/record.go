package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// busyWindow is how long the machine is watched before and after a run, when it should do nothing.
const busyWindow = 10 * time.Second

// Sizes of a run: flags of package bench. No worker is killed, since nothing is sent for a while then.
var (
	sizes = []string{
		"-large-utterances", "1000000", "-large-evidence", "100000", "-large-workspaces", "1000",
		"-digest-members", "100000", "-digest-connections", "8", "-digest-wait", "4h",
		"-planning-members", "200000",
	}
	shortSizes = []string{
		"-large-utterances", "50000", "-large-evidence", "5000", "-large-workspaces", "100",
		"-digest-members", "2000", "-digest-connections", "4", "-digest-wait", "1h",
		"-planning-members", "50000",
	}
)

// record runs the benchmarks of all subjects in one go, and those that missed their limit once more, since
// other work on the machine can cause that. It writes to outputPath: lines "key: value" about the machine,
// the output of `go test`, and more such lines. The last one says whether the run passed.
func record(ctx context.Context, o options) error {
	if err := os.MkdirAll(filepath.Dir(outputPath), 0o755); err != nil {
		return err
	}
	file, err := os.Create(outputPath)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	note := func(key, value string) { _, _ = fmt.Fprintf(file, "%s: %s\n", key, value) }

	about, err := describe(ctx, o)
	if err != nil {
		return err
	}
	for _, fact := range about {
		note(fact.key, fact.value)
	}
	note("flags", strings.Join(flagsOf(options{short: o.short}), " "))
	note("load-before", loadAverage())
	note("busy-before", busyShare(ctx))
	began := time.Now()
	failed := runBenchmarks(ctx, o, file, allBenchmarks())
	if missed := missedIn(file); len(missed) > 0 && ctx.Err() == nil {
		note("again", strings.Join(missed, " "))
		failed = runBenchmarks(ctx, o, file, pattern(missed))
	}
	note("minutes", fmt.Sprintf("%.0f", time.Since(began).Minutes()))
	note("load-after", loadAverage())
	note("busy-after", busyShare(ctx))
	outcome := passed
	if failed != nil {
		outcome = failed.Error()
	}
	note("outcome", outcome)
	return file.Close()
}

// runBenchmarks runs the benchmarks that a pattern matches, and shows their output while they run.
func runBenchmarks(ctx context.Context, o options, output io.Writer, pattern string) error {
	args := []string{
		"test", "./bench", "-vet=off", "-run", "^$", "-bench", pattern, "-benchtime", "1x", "-v", "-timeout", "6h",
	}
	cmd := exec.CommandContext(ctx, "go", append(args, flagsOf(o)...)...)
	cmd.Stdout, cmd.Stderr = io.MultiWriter(output, os.Stderr), os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	return cmd.Run()
}

// missedIn returns the benchmarks that failed in the output of a run.
func missedIn(file *os.File) (names []string) {
	output, _ := os.ReadFile(file.Name())
	r := newRecorded()
	for line := range strings.Lines(string(output)) {
		_, _ = r.read(strings.TrimSuffix(line, "\n"))
	}
	for _, name := range r.failed {
		top, _, _ := strings.Cut(name, "/")
		if !slices.Contains(names, top) {
			names = append(names, top)
		}
	}
	return names
}

// flagsOf returns the flags of package bench for a run.
func flagsOf(o options) []string {
	flags := sizes
	if o.short {
		flags = shortSizes
	}
	for _, peer := range []struct{ flag, path string }{{"-smoothdb", o.smoothdb}, {"-gotrue", o.gotrue}} {
		if peer.path != "" {
			absolute, _ := filepath.Abs(peer.path) // tests run in the folder of their package
			flags = append(flags[:len(flags):len(flags)], peer.flag, cmp.Or(absolute, peer.path))
		}
	}
	return flags
}

// commandOf returns the command of a run, without paths.
func commandOf(o options) string {
	command := "make bench-report"
	if o.short {
		command += " SHORT=1"
	}
	if o.smoothdb != "" {
		command += " SMOOTHDB=…"
	}
	if o.gotrue != "" {
		command += " GOTRUE=…"
	}
	return command
}

// allBenchmarks matches the benchmarks of all subjects, for -bench.
func allBenchmarks() string {
	var names []string
	for _, s := range subjects {
		names = append(names, s.benchmarks...)
	}
	return pattern(names)
}

// pattern matches exactly these benchmarks.
func pattern(names []string) string {
	if len(names) == 1 {
		return "^Benchmark" + names[0] + "$"
	}
	return "^Benchmark(" + strings.Join(names, "|") + ")$"
}
