// Command report runs benchmarks of package bench in one go, and writes docs/benchmarks.md from their output:
// figures, limits and peers in tables, beside the sentences of subjects.go. `make bench-report` runs it.
//
// It writes no page from a run in which a benchmark failed, which is also one that missed its limit. What the
// page shows of a run is kept as bench/recording.txt, so that the page follows changes of its sentences.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

const (
	pagePath      = "docs/benchmarks.md"
	recordingPath = "bench/recording.txt"
	outputPath    = "bin/bench-report.txt" // all output of the last run
)

// options are the flags of the command.
type options struct {
	from             string
	short, missed    bool
	machine          string
	smoothdb, gotrue string
}

func run(ctx context.Context, args []string) error {
	var o options
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	flags.StringVar(&o.from, "from", "", "run nothing, and read the output of a run from this file")
	flags.BoolVar(&o.short, "short", false, "run with less data and fewer mails")
	flags.BoolVar(&o.missed, "missed", false, "write a page also if benchmarks failed, which it then says")
	flags.StringVar(&o.machine, "machine", "", "what kind of machine this is, for the page")
	flags.StringVar(&o.smoothdb, "smoothdb", "", "a binary of sted/smoothdb, to be compared with the data API")
	flags.StringVar(&o.gotrue, "gotrue", "", "a binary of supabase/auth, beside its folder migrations, to be "+
		"compared with identity")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %s", flags.Arg(0))
	}
	from := o.from
	if from == "" {
		from = outputPath
		if err := record(ctx, o); err != nil {
			return err
		}
	}
	output, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if o.missed {
		output = append(output, "missed: shown\n"...)
	}
	recording, page, err := publish(output)
	if err != nil {
		return fmt.Errorf("no page from %s: %w", from, err)
	}
	if err := os.WriteFile(recordingPath, recording, 0o644); err != nil { //nolint:gosec // of the repository
		return err
	}
	return os.WriteFile(pagePath, page, 0o644) //nolint:gosec // of the repository
}

// publish returns what is to be kept of a run's output, and the page.
func publish(output []byte) (recording, page []byte, err error) {
	var kept bytes.Buffer
	r := newRecorded()
	for line := range bytes.Lines(output) {
		used, err := r.read(string(bytes.TrimRight(line, "\n")))
		if err != nil {
			return nil, nil, err
		}
		if used {
			kept.Write(line)
		}
	}
	page, err = write(r)
	return kept.Bytes(), page, err
}
