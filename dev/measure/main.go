// Command measure reads files whose turns are known, and reports how many are read right, how many are wrong
// and say so, and how well their confidence is calibrated. docs/formats.md says what counts as wrong.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

// run measures, and writes its report to out.
func run(args []string, out io.Writer) error {
	var report bytes.Buffer
	if err := measureTo(&report, args); err != nil {
		return err
	}
	_, err := report.WriteTo(out)
	return err
}

func measureTo(out *bytes.Buffer, args []string) error {
	flags := flag.NewFlagSet("measure", flag.ContinueOnError)
	files := flags.Bool("files", false, "list the files that are not read right")
	table := flags.String("fit", "", "fit the weights of this table to the files, and print them")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return fmt.Errorf("name the folder of the files")
	}
	examples, err := load(flags.Arg(0))
	if err != nil {
		return err
	}
	if len(examples) == 0 {
		return fmt.Errorf("%s has no files with a reference", flags.Arg(0))
	}
	if *table != "" {
		return runFit(out, examples, *table)
	}
	results := make([]result, len(examples))
	each(len(examples), func(i int) { results[i] = measure(examples[i]) })
	report(out, results)
	if *files {
		fmt.Fprintln(out)
		list(out, results)
	}
	return nil
}

// each calls do for the numbers below n, on all processors.
func each(n int, do func(i int)) {
	var running sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		running.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	running.Wait()
}
