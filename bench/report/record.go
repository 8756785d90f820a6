package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// busyWindow is how long the machine is watched before and after a run, when it should do nothing.
const busyWindow = 10 * time.Second

// Sizes of a run: flags of package bench.
var (
	sizes = []string{
		"-large-utterances", "1000000", "-large-evidence", "100000", "-large-workspaces", "1000",
		"-digest-members", "100000", "-digest-connections", "8", "-digest-kills", "4", "-digest-wait", "4h",
		"-planning-members", "200000",
	}
	shortSizes = []string{
		"-large-utterances", "50000", "-large-evidence", "5000", "-large-workspaces", "100",
		"-digest-members", "2000", "-digest-connections", "4", "-digest-kills", "1", "-digest-wait", "1h",
		"-planning-members", "50000",
	}
)

// record runs the benchmarks of all subjects in one go, and writes a recording: lines "key: value" about the
// machine, the output of `go test`, and more such lines. The last one says whether the run passed.
func record(ctx context.Context, o options) error {
	if err := os.MkdirAll(filepath.Dir(o.recording), 0o755); err != nil {
		return err
	}
	file, err := os.Create(o.recording)
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
	args := []string{
		"test", "./bench", "-vet=off", "-run", "^$", "-bench", allBenchmarks(), "-benchtime", "1x", "-v",
		"-timeout", "6h",
	}
	cmd := exec.CommandContext(ctx, "go", append(args, flagsOf(o)...)...)
	cmd.Stdout, cmd.Stderr = io.MultiWriter(file, os.Stderr), os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	failed := cmd.Run()
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
