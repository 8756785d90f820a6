package workflows

import (
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"research/activities"
	"research/outcome"
)

// themes is nil; it names the activity methods.
var themes *activities.Themes

// ProposeThemes proposes themes for a project: it plans what to read, reads each chunk by an activity,
// several at a time, groups the labels of what was found, and writes the proposals. However it ends, the row
// of the run is updated before the workflow closes.
//
// A run with a long history continues as new: the plan and what was read are in the database. Neither quotes
// nor labels are in its history.
func ProposeThemes(ctx workflow.Context, in ProposeThemesInput) (ProposeThemesResult, error) {
	began := workflow.Now(ctx)
	p := &proposing{in: in}
	err := within(ctx, limit{in.Timeout, "PARSE_TIMEOUT"}, p.run)
	if errors.Is(err, errContinue) {
		in.Timeout = max(in.Timeout-workflow.Now(ctx).Sub(began), time.Second)
		return ProposeThemesResult{}, workflow.NewContinueAsNewError(ctx, ProposeThemes, in)
	}
	if err != nil {
		return failThemes(ctx, in, err)
	}
	if p.end.Status == outcome.ThemesFailed {
		return themesFailure(ctx, "nothing could be read", nil, p.end)
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("%s: %d themes, %d quotes, %d of no theme.",
		p.end.Status, p.end.Proposed, p.end.Quotes, p.end.Unused))
	return themesResultOf(p.end), nil
}

// A proposing is a run that proposes themes.
type proposing struct {
	in  ProposeThemesInput
	end activities.ThemesEnd
}

// run takes the steps of a run.
func (p *proposing) run(ctx workflow.Context) error {
	workflow.SetCurrentDetails(ctx, "Planning what to read.")
	plan, err := call(ctx, parseOptions("plan what to read"), themes.PlanThemes, p.in.ThemeRunRef)
	if err != nil {
		return err
	}
	if err := p.read(ctx, plan); err != nil {
		return err
	}
	if err := p.group(ctx); err != nil {
		return err
	}
	workflow.SetCurrentDetails(ctx, "Writing what was found.")
	p.end, err = call(ctx, parseOptions("write the proposals"), themes.FinishThemes, p.in.ThemeRunRef)
	return err
}

// read reads the chunks of the plan.
func (p *proposing) read(ctx workflow.Context, plan activities.ThemePlan) error {
	reader := chunkReader{
		chunks: plan.Chunks, total: plan.Total, concurrency: plan.Concurrency,
		read: func(ctx workflow.Context, chunk int) (bool, error) {
			result, err := call(ctx, readOptions(chunk, plan.Total), themes.ReadForThemes,
				activities.ReadForThemesInput{ThemeRunRef: p.in.ThemeRunRef, Ordinal: chunk})
			return result.Done, err
		},
	}
	if err := reader.run(ctx); err != nil {
		return err
	}
	if reader.left() > 0 {
		return errContinue
	}
	return nil
}

// group groups the labels, one call after the other.
func (p *proposing) group(ctx workflow.Context) error {
	for calls := 1; ; calls++ {
		workflow.SetCurrentDetails(ctx, fmt.Sprintf("Grouping labels, call %d.", calls))
		grouped, err := call(ctx, groupOptions(calls), themes.GroupLabels, p.in.ThemeRunRef)
		if err != nil || grouped.Done {
			return err
		}
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			return errContinue
		}
	}
}

// failThemes records on the row how the run ended, and returns the result of the workflow. It uses a
// disconnected context, so that it works in a cancelled workflow.
func failThemes(ctx workflow.Context, in ProposeThemesInput, cause error) (ProposeThemesResult, error) {
	status, code := outcome.ThemesFailed, errorCode(cause)
	switch {
	case isType(cause, string(outcome.CodeTimedOut)):
		status = outcome.ThemesTimedOut
	case temporal.IsCanceledError(cause):
		status, code = outcome.ThemesCanceled, outcome.CodeCanceled
	case isType(cause, activities.TypeSuperseded):
		return ProposeThemesResult{Status: activities.TypeSuperseded}, nil
	}
	detachedCtx, cancel := workflow.NewDisconnectedContext(ctx)
	defer cancel()
	end, err := call(detachedCtx, databaseOptions("record the end"), themes.FailThemes,
		activities.FailThemesInput{ThemeRunRef: in.ThemeRunRef, Status: status, ErrorCode: code})
	switch {
	case isType(err, activities.TypeSuperseded) && status != outcome.ThemesCanceled:
		return ProposeThemesResult{Status: activities.TypeSuperseded}, nil
	case err != nil && !isType(err, activities.TypeSuperseded): // who cancels a run also ends it
		return ProposeThemesResult{}, errors.Join(cause, err)
	case status == outcome.ThemesCanceled:
		return ProposeThemesResult{}, cause
	}
	return themesFailure(ctx, "no themes were proposed", cause, end)
}

// themesFailure returns the failure of a workflow that proposed nothing.
func themesFailure(
	ctx workflow.Context, message string, cause error, end activities.ThemesEnd,
) (ProposeThemesResult, error) {
	if err := recordErrorCode(ctx, end.ErrorCode); err != nil {
		return ProposeThemesResult{}, errors.Join(cause, err)
	}
	return ProposeThemesResult{}, temporal.NewNonRetryableApplicationError(
		message, string(end.ErrorCode), cause, themesResultOf(end))
}

func themesResultOf(end activities.ThemesEnd) ProposeThemesResult {
	return ProposeThemesResult{
		Status: end.Status, Proposed: end.Proposed, Quotes: end.Quotes, Unused: end.Unused,
		Rejected: end.Rejected, Coverage: end.Coverage,
	}
}
