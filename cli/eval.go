package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"research/activities/extract"
	"research/activities/extract/eval"
	"research/activities/extract/keyword"
	"research/config"
	"research/worker"
)

// evalFlags are the flags of eval.
type evalFlags struct {
	json, keyword           bool
	inputPrice, outputPrice float64
	maxTokens               int64
	maxCost                 float64
	repeats                 int
	against                 map[string]string
	project, save, resume   string
}

func newEvalCommand(sys System) *cobra.Command {
	var flags evalFlags
	command := &cobra.Command{
		Use:   "eval [PATH]",
		Short: "Measures the model, or the keyword extractor, by transcripts whose evidence is known",
		Long: `eval measures the configured model, or the keyword extractor where there is none, by transcripts
whose evidence is known: how much of what it finds is right, how much it misses, whether it tells
support from contradiction, how many of its quotes are not in the transcript, and what it costs.

PATH is a folder with transcripts and a NAME.gold.json beside each (docs/extraction.md describes
them), a .jsonl file of QMSum, or a .json file that --save wrote. Without it, the small set that the
program contains is used, or with --from-project what people accepted and rejected in a project.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := sys.Settings()
			if err != nil {
				return err
			}
			flags.setPrices(cmd, cfg.Extract.Prices)
			path := ""
			if len(args) > 0 {
				path = args[0]
			}
			return flags.run(cmd.Context(), cfg, path, cmd.OutOrStdout())
		},
	}
	f := command.Flags()
	f.BoolVar(&flags.json, "json", false, "print JSON instead of a table")
	f.BoolVar(&flags.keyword, "keyword", false, "measure the keyword extractor, even if a model is configured")
	f.Float64Var(&flags.inputPrice, "input-price", 0,
		"price of a million input tokens, in any currency (default: MODEL_INPUT_PRICE)")
	f.Float64Var(&flags.outputPrice, "output-price", 0,
		"price of a million output tokens (default: MODEL_OUTPUT_PRICE)")
	f.Int64Var(&flags.maxTokens, "max-tokens", 0,
		"end when the calls have used this number of tokens; 0: no limit")
	f.Float64Var(&flags.maxCost, "max-cost", 0, "end when the calls have cost so much; 0: no limit")
	f.IntVar(&flags.repeats, "repeats", 1, "measure so often: responses of models differ from call to call")
	f.StringVar(&flags.resume, "resume", "",
		"keep the responses in this file, and pay for none that it has: continues an interrupted run")
	f.StringToStringVar(&flags.against, "against", nil,
		"compare with these settings, such as OPENAI_MODEL=other or MODEL_EXAMPLE=on; may be repeated")
	f.StringVar(&flags.project, "from-project", "", "measure by what people judged in the project with this id")
	f.StringVar(&flags.save, "save", "",
		"with --from-project: write the judgements to a new file, and measure nothing")
	command.AddCommand(newEvalAskCommand(sys))
	return command
}

// setPrices takes the configured prices where the flags have none.
func (f *evalFlags) setPrices(cmd *cobra.Command, prices config.Prices) {
	if !cmd.Flags().Changed("input-price") && !cmd.Flags().Changed("output-price") {
		f.inputPrice, f.outputPrice = prices.Input, prices.Output
	}
}

func (f *evalFlags) run(ctx context.Context, cfg config.Config, path string, out io.Writer) error {
	if err := f.validate(path); err != nil {
		return err
	}
	cases, done, err := f.load(ctx, cfg, path, out)
	if err != nil || done {
		return err
	}
	extractor, err := newEvaluated(cfg.Extract, f.keyword, nil)
	if err != nil {
		return err
	}
	options := eval.Options{
		Concurrency: cfg.Parse.Concurrency, RetryDelay: 2 * time.Second,
		Budget: &eval.Budget{
			MaxTokens: f.maxTokens, MaxCost: f.maxCost, InputPrice: f.inputPrice, OutputPrice: f.outputPrice,
		},
	}
	if f.resume != "" {
		if options.Journal, err = eval.OpenJournal(f.resume, cfg.Extract.BaseURL); err != nil {
			return fmt.Errorf("--resume: %w", err)
		}
	}
	if len(f.against) > 0 {
		var other extract.Extractor
		if other, err = newEvaluated(cfg.Extract, false, f.against); err == nil {
			err = f.compare(ctx, extractor, other, cases, options, out)
		}
	} else {
		err = f.measure(ctx, extractor, cases, options, out)
	}
	return errors.Join(err, options.Journal.Close())
}

// measure measures one extractor. Where a limit ends it, what was measured before is written too.
func (f *evalFlags) measure(
	ctx context.Context, extractor extract.Extractor, cases []eval.Case, options eval.Options, out io.Writer,
) error {
	report, runErr := eval.Repeat(ctx, extractor, cases, options, f.repeats)
	var failed *extract.Error
	if errors.As(runErr, &failed) {
		return explainCall(runErr)
	}
	if runErr != nil && !errors.Is(runErr, eval.ErrNothingRead) && !errors.Is(runErr, eval.ErrTokenLimit) &&
		!errors.Is(runErr, eval.ErrCostLimit) {
		return runErr
	}
	report.Charge(f.inputPrice, f.outputPrice)
	if f.json {
		return errors.Join(runErr, writeIndented(out, report))
	}
	return errors.Join(runErr, report.Table(out))
}

// validate checks the flags that can be checked without the cases.
func (f *evalFlags) validate(path string) error {
	switch {
	case f.repeats < 1:
		return errors.New("--repeats must be at least 1")
	case f.maxTokens < 0 || f.maxCost < 0:
		return errors.New("--max-tokens and --max-cost must not be negative")
	case f.inputPrice < 0 || f.outputPrice < 0:
		return errors.New("--input-price and --output-price must not be negative")
	case f.maxCost > 0 && f.inputPrice == 0 && f.outputPrice == 0:
		return errors.New("--max-cost requires prices: give --input-price and --output-price")
	case f.save != "" && f.project == "":
		return errors.New("--save requires --from-project")
	case path != "" && f.project != "":
		return errors.New("give PATH or --from-project, not both")
	}
	return nil
}

// load returns the cases. done means that they were saved, and nothing is to be measured.
func (f *evalFlags) load(
	ctx context.Context, cfg config.Config, path string, out io.Writer,
) (cases []eval.Case, done bool, err error) {
	if f.project == "" {
		if cases, err = loadCases(ctx, cfg, path); err != nil {
			return nil, false, fmt.Errorf("load the known evidence: %w", err)
		}
		return cases, false, nil
	}
	project, err := uuid.Parse(f.project)
	if err != nil {
		return nil, false, errors.New("--from-project requires the id of a project")
	}
	if f.save == "" {
		cases, err = loadProject(ctx, cfg, project)
		return cases, false, err
	}
	set, err := saveProject(ctx, cfg, project, f.save)
	if err != nil {
		return nil, false, err
	}
	_, err = fmt.Fprintf(out,
		"%s has the judgements about %d transcripts. It contains quotes: protect it like the transcripts.\n",
		f.save, len(set.Imports))
	return nil, true, err
}

// compare measures both extractors side by side.
func (f *evalFlags) compare(
	ctx context.Context, a, b extract.Extractor, cases []eval.Case, options eval.Options, out io.Writer,
) error {
	comparison, err := eval.Compare(ctx, a, b, cases, options, f.repeats)
	if err != nil {
		return explainCall(err)
	}
	comparison.A.Charge(f.inputPrice, f.outputPrice)
	comparison.B.Charge(f.inputPrice, f.outputPrice)
	if f.json {
		return writeIndented(out, comparison)
	}
	return comparison.Table(out)
}

// explainCall adds to the error of a call of the model what to do.
func explainCall(err error) error {
	var failed *extract.Error
	if !errors.As(err, &failed) {
		return err
	}
	return fmt.Errorf("call the model: %w: `research doctor model` says what is wrong", err)
}

func writeIndented(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// newEvaluated returns the extractor of settings, some of which are replaced. OPENAI_MODEL=keyword selects
// the keyword extractor.
func newEvaluated(cfg config.Extract, byKeyword bool, replaced map[string]string) (extract.Extractor, error) {
	for _, name := range slices.Sorted(maps.Keys(replaced)) {
		value := replaced[name]
		switch name {
		case "OPENAI_MODEL":
			byKeyword = value == "keyword"
			cfg.Model = value
		case "OPENAI_REASONING_EFFORT":
			cfg.Effort = value
		case "MODEL_EXAMPLE":
			if value != "on" && value != "off" {
				return nil, errors.New("--against MODEL_EXAMPLE must be on or off")
			}
			cfg.Example = value == "on"
		case "KEYWORD_RETRIEVAL":
			if value != string(keyword.Precise) && value != string(keyword.Broad) {
				return nil, errors.New("--against KEYWORD_RETRIEVAL must be precise or broad")
			}
			cfg.Retrieval = value
		default:
			// Another server would receive the key of this one, and maybe personal data that is not masked for
			// this one.
			return nil, fmt.Errorf("--against does not know %s: it takes OPENAI_MODEL, OPENAI_REASONING_EFFORT, "+
				"MODEL_EXAMPLE and KEYWORD_RETRIEVAL", name)
		}
	}
	if byKeyword {
		cfg = config.Extract{Retrieval: cfg.Retrieval}
	}
	return worker.NewExtractor(cfg, nil)
}
