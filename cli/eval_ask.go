package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"research/activities/extract"
	"research/activities/extract/eval"
	"research/config"
	"research/worker"
)

// evalAskFlags are the flags of eval ask.
type evalAskFlags struct {
	json      bool
	qmsum     string
	split     string
	maxTokens int64
}

func newEvalAskCommand(sys System) *cobra.Command {
	var flags evalAskFlags
	command := &cobra.Command{
		Use:   "ask --qmsum FOLDER",
		Short: "Measures answers to questions by QMSum's meetings",
		Long: `ask puts the questions of QMSum to all of its meetings together, and measures whether the passages
that people marked are among those that are found. With a model, it puts each question to the meeting
it is about and four others, and then to five others alone: none of these answers it. It counts what
the model answers and what of it is proven. That takes about 500 calls of 15,000 tokens each.

FOLDER has val.jsonl and test.jsonl (https://github.com/Yale-LILY/QMSum, data/ALL/jsonl).`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sys.Settings()
			if err != nil {
				return err
			}
			return flags.run(cmd.Context(), cfg, cmd.OutOrStdout())
		},
	}
	f := command.Flags()
	f.StringVar(&flags.qmsum, "qmsum", "", "the folder with the meetings")
	f.StringVar(&flags.split, "split", "test", "the part of QMSum to measure: test or val")
	f.BoolVar(&flags.json, "json", false, "print JSON instead of tables")
	f.Int64Var(&flags.maxTokens, "max-tokens", 0,
		"end when the calls have used this number of tokens; 0: no limit")
	return command
}

// askMeasures is what eval ask prints as JSON.
type askMeasures struct {
	Split     string             `json:"split"`
	Retrieval []eval.Retrieval   `json:"retrieval"`
	Answers   *eval.AnswerReport `json:"answers,omitempty"`
}

func (f *evalAskFlags) run(ctx context.Context, cfg config.Config, out io.Writer) error {
	switch {
	case f.qmsum == "":
		return errors.New("--qmsum requires a folder with the meetings")
	case f.split != "test" && f.split != "val":
		return errors.New("--split must be test or val")
	case f.maxTokens < 0:
		return errors.New("--max-tokens must not be negative")
	}
	cases, err := eval.Load(os.DirFS(f.qmsum), f.split+".jsonl")
	if err != nil {
		return fmt.Errorf("load the meetings: %w", err)
	}
	measures := askMeasures{Split: f.split, Retrieval: eval.MeasureRetrieval(cases, eval.RetrievalLimits...)}
	if !f.json {
		if err := eval.RetrievalTable(out, f.split, measures.Retrieval); err != nil {
			return err
		}
	}
	answersErr := f.measureAnswers(ctx, cfg, cases, &measures)
	switch {
	case f.json:
		return errors.Join(answersErr, writeIndented(out, measures))
	case measures.Answers != nil:
		return errors.Join(answersErr, measures.Answers.Table(out))
	}
	return answersErr
}

// measureAnswers asks the model, if there is one.
func (f *evalAskFlags) measureAnswers(
	ctx context.Context, cfg config.Config, cases []eval.Case, measures *askMeasures,
) error {
	extractor, err := worker.NewExtractor(cfg.Extract, nil)
	if err != nil {
		return err
	}
	answerer, ok := extractor.(extract.Answerer)
	if !ok {
		return nil
	}
	report, err := eval.Answers(ctx, answerer, cases, eval.Options{
		RetryDelay: 2 * time.Second, Budget: &eval.Budget{MaxTokens: f.maxTokens},
	})
	measures.Answers = &report
	return explainCall(err)
}
