// Command quick runs the checks that a change needs before its commit: the linter and the tests of the
// packages that changed and of those that import them, and what compares generated files. `make quick` runs
// it, and `make check test` runs everything. It prints what it leaves out.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "quick:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("quick", flag.ContinueOnError)
	dir := flags.String("C", ".", "root `folder` of the repository")
	since := flags.String("since", "", "`revision` to compare with (default origin/main, or else HEAD)")
	dry := flags.Bool("n", false, "print the commands instead of running them")
	if err := flags.Parse(args); err != nil {
		return err
	}
	change, err := readChange(ctx, *dir, *since)
	if err != nil {
		return err
	}
	printf(out, "%d files changed since %s\n", len(change.files), change.since)
	all, err := listPackages(ctx, *dir)
	if err != nil {
		return err
	}
	p, err := newPlan(*dir, change, all)
	if err != nil {
		return err
	}
	if *dry {
		for _, s := range p.steps {
			printf(out, "%s: %s\n", s.name, strings.Join(s.command, " "))
		}
	} else {
		err = runSteps(ctx, *dir, p.steps, out)
	}
	for _, left := range p.leftOut {
		printf(out, "left out: %s\n", left)
	}
	return err
}

// A step is a command, run in the root of the repository.
type step struct {
	name    string
	command []string
}

// runSteps runs the steps side by side, and prints the output of each one that fails.
func runSteps(ctx context.Context, dir string, steps []step, out io.Writer) error {
	var mu sync.Mutex
	var failed []error
	var all sync.WaitGroup
	for _, s := range steps {
		all.Go(func() {
			began := time.Now()
			var output bytes.Buffer
			cmd := exec.CommandContext(ctx, s.command[0], s.command[1:]...)
			cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
			cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &output, &output
			err := cmd.Run()
			mu.Lock()
			defer mu.Unlock()
			took := time.Since(began).Round(100 * time.Millisecond)
			if err == nil {
				printf(out, "ok    %s (%s)\n", s.name, took)
				return
			}
			failed = append(failed, fmt.Errorf("%s: %w", s.name, err))
			printf(out, "%s\nFAIL  %s (%s): %s\n", &output, s.name, took, strings.Join(s.command, " "))
		})
	}
	all.Wait()
	return errors.Join(failed...)
}

func printf(out io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(out, format, args...) }
