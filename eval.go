package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"research/activities/extract"
	"research/activities/extract/eval"
	"research/config"
	"research/worker"
)

const evalUsage = `Usage: research eval [-json] [-keyword] [-input-price P] [-output-price P] [PATH]

Measures the configured model (OPENAI_…), or the keyword extractor where there is none, by transcripts whose evidence is known: how much of what it finds is right,
how much it misses, whether it tells for from against, how many of its quotes are not in the transcript, and what it costs.

PATH is a folder with transcripts and a NAME.gold.json beside each (docs/extraction.md says how they are written), or a .jsonl of QMSum.
Without it, the small set that comes with the program is used.

`

// runEval prints on standard output how good the extractor is.
func runEval(ctx context.Context, cfg config.Config, _ func(string) string, args []string, _ *slog.Logger) error {
	flags := flag.NewFlagSet("research eval", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "print JSON instead of a table")
	keyword := flags.Bool("keyword", false, "measure the keyword extractor, even if a model is configured")
	inputPrice := flags.Float64("input-price", 0, "price of a million tokens of input, in any currency")
	outputPrice := flags.Float64("output-price", 0, "price of a million tokens of output")
	flags.Usage = func() {
		_, _ = fmt.Fprint(flags.Output(), evalUsage)
		flags.PrintDefaults()
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return exitCode(2)
	case flags.NArg() > 1:
		flags.Usage()
		return exitCode(2)
	}
	folder, name := eval.Set(), "."
	if path := flags.Arg(0); path != "" {
		folder, name = os.DirFS(filepath.Dir(path)), filepath.Base(path)
	}
	cases, err := eval.Load(folder, name)
	if err != nil {
		return fmt.Errorf("load what is known: %w", err)
	}
	if *keyword {
		cfg.Extract = config.Extract{}
	}
	extractor, err := worker.NewExtractor(cfg.Extract)
	if err != nil {
		return err
	}
	report, err := eval.Run(ctx, extractor, cases, eval.Options{Concurrency: cfg.Parse.Concurrency, RetryDelay: 2 * time.Second})
	var failed *extract.Error
	if errors.As(err, &failed) {
		return fmt.Errorf("ask the model: %w", err)
	}
	if err != nil {
		return err
	}
	report.Charge(*inputPrice, *outputPrice)
	if *asJSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(report)
	}
	return report.Table(os.Stdout)
}
