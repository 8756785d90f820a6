// Command report runs benchmarks of package bench in one go, and writes docs/benchmarks.md from their output:
// figures, limits and peers in tables, beside the sentences of subjects.go. `make bench-report` runs it.
//
// It keeps the output in a recording, from which the page can be written again. It writes no page from a run
// in which a benchmark failed, which is also one that missed its limit.
package main

import (
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

// options are the flags of the command.
type options struct {
	page, recording  string
	from             bool
	short            bool
	machine          string
	smoothdb, gotrue string
}

func run(ctx context.Context, args []string) error {
	var o options
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	flags.StringVar(&o.page, "page", "docs/benchmarks.md", "the page to write")
	flags.StringVar(&o.recording, "recording", "bin/bench-report.txt", "the file that keeps the output")
	flags.BoolVar(&o.from, "from", false, "run nothing, and write the page from the recording")
	flags.BoolVar(&o.short, "short", false, "run with less data and fewer mails")
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
	if !o.from {
		if err := record(ctx, o); err != nil {
			return err
		}
	}
	recorded, err := os.Open(o.recording)
	if err != nil {
		return err
	}
	defer func() { _ = recorded.Close() }()
	r, err := parse(recorded)
	if err != nil {
		return fmt.Errorf("read %s: %w", o.recording, err)
	}
	page, err := write(r)
	if err != nil {
		return fmt.Errorf("no page from %s: %w", o.recording, err)
	}
	return os.WriteFile(o.page, page, 0o644) //nolint:gosec // a document of the repository
}
