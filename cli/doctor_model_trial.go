package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"research/activities/extract"
	"research/activities/extract/openai"
	"research/activities/extract/trial"
	"research/config"
	"research/outcome"
)

func newDoctorModelCommand(sys System) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "model",
		Short: "Tries the model with an interview in which everything is known, and says what it can do",
		Long: `model tries the configured model with an interview in which everything is known. It says in plain
words what the server and the model can and cannot do: find a quote, tell a denial from support, say
nothing where nothing was said, read a long prompt to both ends, count tokens, and at what speed and
cost. Its exit code is 1 where imports cannot work.

It makes two calls, of about 700 and 6,000 tokens; one whose answer cannot be read is made once
more. Requests in a form that the server rejects are free.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sys.Settings()
			if err != nil {
				return err
			}
			d := &doctor{cfg: cfg}
			if err := d.tryModel(cmd.Context(), cmd.ErrOrStderr()); err != nil {
				return err
			}
			return d.print(cmd.OutOrStdout(), asJSON)
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// tryModel verifies the address for free, and then tries the model.
func (d *doctor) tryModel(ctx context.Context, progress io.Writer) error {
	limited, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	model, ok := d.configuredModel(limited)
	if !ok {
		for i := range d.findings { // there is nothing to try
			d.findings[i].State = stateFail
		}
		return nil
	}
	probed := d.reportProbe(limited, model)
	if d.failed() {
		return nil
	}
	_, _ = fmt.Fprintf(progress, "Asking %s twice, which takes from seconds to minutes …\n", model.Model())
	result, err := trial.Run(ctx, model)
	if err != nil {
		return fmt.Errorf("try the model: %w", err)
	}
	if errors.Is(probed, openai.ErrNotListed) && result.Short.Failed == nil {
		d.ok("model", "%s answers", model.Model())
	}
	d.reportTrial(result, model.Model(), model.Form())
	return nil
}

// reportTrial says what the model did.
func (d *doctor) reportTrial(r trial.Result, model string, form openai.Form) {
	if r.Short.Failed != nil {
		d.failModel(r.Short.Failed, model)
		return
	}
	d.reportForm(form)
	d.reportReading(r)
	d.reportLong(r)
	d.reportTokens(r)
	d.reportSpeed(r)
	d.reportCost(r)
}

func (d *doctor) reportForm(form openai.Form) {
	switch form {
	case openai.FormSchema:
		d.ok("form of answers", "the server takes a JSON schema")
	case openai.FormObject:
		d.warn("form of answers", "the server rejects a schema, and was asked for a JSON object",
			"nothing, if the next lines are ok: every answer is checked here")
	case openai.FormPrompt:
		d.warn("form of answers", "the server rejects a schema and a JSON object: the model is only told the form",
			"nothing, if the next lines are ok; else a server or a model that takes a schema")
	}
}

// reportReading reports on the short interview.
func (d *doctor) reportReading(r trial.Result) {
	if r.Found {
		d.ok("finding", "the model found the quote that supports a hypothesis")
	} else {
		d.fail("finding", "the model did not find a quote that plainly supports a hypothesis",
			"choose a larger model, and one that follows instructions")
	}
	switch r.Denied {
	case trial.DeniedContradicts:
		d.ok("denial", "the model took a denial for a contradiction")
	case trial.DeniedSilent, trial.DeniedNeutral:
		d.ok("denial", "the model did not take a denial for a contradiction, but not for support either")
	case trial.DeniedSupports:
		d.warn("denial", "the model took a denial for support",
			"review the stances of its evidence, or choose a larger model")
	}
	if r.Made {
		d.warn("silence", "the model has evidence for a hypothesis of which nobody spoke",
			"review its evidence, or choose a larger model")
	} else {
		d.ok("silence", "the model has no evidence for a hypothesis of which nobody spoke")
	}
	switch {
	case r.Quotes == 0:
		return
	case r.Refused == 0:
		d.ok("quotes", "all %d quotes are in the interview, word for word", r.Quotes)
		return
	}
	d.warn("quotes", fmt.Sprintf("%d of %d quotes are not in the interview", r.Refused, r.Quotes),
		"nothing: such quotes never become evidence; a model that makes many wastes money")
}

// reportLong reports on the chunk of the usual size.
func (d *doctor) reportLong(r trial.Result) {
	call := r.Long
	const larger = "start the server with a larger context, 16,000 tokens or more (Ollama: " +
		"OLLAMA_CONTEXT_LENGTH=16384), or set OPENAI_CONTEXT_TOKENS to what it has: then requests are smaller"
	switch {
	case call.Failed != nil && call.Failed.Code == outcome.CodeModelTooLong:
		d.warn("long prompts", fmt.Sprintf("%d words do not fit in one request: the server rejects or cuts it",
			call.Words), larger)
	case call.Failed != nil && call.Failed.Code == outcome.CodeModelUnavailable:
		d.fail("long prompts", fmt.Sprintf("a request with %d words was not answered", call.Words),
			"raise OPENAI_TIMEOUT if it took that long, choose a smaller model, or set OPENAI_CONTEXT_TOKENS to 8000")
	case call.Failed != nil:
		d.warn("long prompts", fmt.Sprintf("a request with %d words failed: %s", call.Words, call.Failed.Code),
			"try again; if it fails again, set OPENAI_CONTEXT_TOKENS to 8000, so that requests are smaller")
	case r.Beginning && r.End:
		d.ok("long prompts", "the model read %d words in one request from beginning to end", call.Words)
	case r.Beginning || r.End:
		missed := "beginning"
		if r.Beginning {
			missed = "end"
		}
		found := fmt.Sprintf("the model missed a quote at the %s of %d words", missed, call.Words)
		d.warn("long prompts", found, larger)
	default:
		d.warn("long prompts", fmt.Sprintf("the model found nothing in %d words", call.Words), larger)
	}
}

// minCounted is the part of the expected tokens of a prompt below which a server does not count them all.
const minCounted = 0.5

func (d *doctor) reportTokens(r trial.Result) {
	used := r.Usage()
	expected := r.Short.Expected.Add(r.Long.Expected).InputTokens
	switch {
	case used.InputTokens == 0:
		d.warn("tokens", "the server does not count tokens",
			"nothing helps but another server: imports show no cost, and MAX_TOKENS_PER_IMPORT cannot limit them")
	case float64(used.InputTokens) < minCounted*float64(expected):
		d.warn("tokens",
			fmt.Sprintf("the server counted %d tokens of prompts of about %d", used.InputTokens, expected),
			"its counts are too low for costs and for MAX_TOKENS_PER_IMPORT, or it cut the prompts")
	default:
		d.ok("tokens", "the server counted %d tokens in, %d out, in %d requests",
			used.InputTokens, used.OutputTokens, r.Requests)
	}
}

// interviewWords are those of an interview of an hour.
const interviewWords = 9000

func (d *doctor) reportSpeed(r trial.Result) {
	total := r.Short.Duration + r.Long.Duration
	found := fmt.Sprintf("%s for both calls", roundSeconds(total))
	if out := r.Usage().OutputTokens; out > 0 && total > 0 {
		found += fmt.Sprintf(", %.0f tokens of answers a second", float64(out)/total.Seconds())
	}
	if read := r.Long; read.Failed == nil {
		calls := interviewCalls(read)
		found += fmt.Sprintf("; an interview of an hour takes about %s, one call after the other",
			roundSeconds(time.Duration(calls)*read.Duration))
		if read.Duration > d.cfg.Extract.Timeout/2 {
			d.warn("speed", found, "raise OPENAI_TIMEOUT, or choose a smaller model")
			return
		}
	}
	d.ok("speed", "%s", found)
}

func interviewCalls(read trial.Call) int {
	return (interviewWords + read.Words - 1) / max(read.Words, 1)
}

func roundSeconds(t time.Duration) time.Duration {
	if t < time.Second {
		return t.Round(time.Millisecond)
	}
	return t.Round(100 * time.Millisecond)
}

func (d *doctor) reportCost(r trial.Result) {
	prices := d.cfg.Extract.Prices
	if prices.Input == 0 && prices.Output == 0 {
		d.ok("cost", "not known: set MODEL_INPUT_PRICE and MODEL_OUTPUT_PRICE to see it here and with imports")
		return
	}
	found := fmt.Sprintf("%s for this check", price(prices, r.Usage()))
	if r.Long.Failed == nil {
		calls := int64(interviewCalls(r.Long))
		hour := extract.Usage{
			InputTokens: calls * r.Long.Usage.InputTokens, OutputTokens: calls * r.Long.Usage.OutputTokens,
		}
		found += fmt.Sprintf("; an interview of an hour costs about %s", price(prices, hour))
	}
	d.ok("cost", "%s", found)
}

func price(p config.Prices, u extract.Usage) string {
	cost := (p.Input*float64(u.InputTokens) + p.Output*float64(u.OutputTokens)) / 1e6
	return fmt.Sprintf("%.4f %s", cost, p.Currency)
}

// failed reports whether something keeps the service from working.
func (d *doctor) failed() bool {
	return slices.ContainsFunc(d.findings, func(f finding) bool { return f.State == stateFail })
}

// print prints the findings. Its error is the exit code if a check failed.
func (d *doctor) print(w io.Writer, asJSON bool) error {
	if err := printFindings(w, d.findings, asJSON); err != nil {
		return err
	}
	if d.failed() {
		return exitError(exitFailure)
	}
	return nil
}
