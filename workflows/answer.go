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

// answers is nil; it names the activity methods.
var answers *activities.Answers

// AnswerQuestion answers one question: it plans what to read, reads each chunk of a thorough answer by an
// activity, several at a time, composes the sentences and finishes the answer. However the run ends, the
// answer is updated before the workflow closes.
//
// A run with a long history continues as new: the plan and what was read are in the database.
func AnswerQuestion(ctx workflow.Context, in AnswerQuestionInput) (AnswerQuestionResult, error) {
	began := workflow.Now(ctx)
	a := &answering{in: in}
	err := within(ctx, limit{in.Timeout, "ASK_TIMEOUT"}, a.run)
	if errors.Is(err, errContinue) {
		in.Timeout = max(in.Timeout-workflow.Now(ctx).Sub(began), time.Second)
		return AnswerQuestionResult{}, workflow.NewContinueAsNewError(ctx, AnswerQuestion, in)
	}
	if err != nil {
		return failAnswer(ctx, in, err)
	}
	if a.end.Status == outcome.AnswerFailed {
		return answerFailure(ctx, "nothing could be read", nil, a.end)
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("%s %s: %d sentences, %d not proven.",
		a.end.Status, a.end.Result, a.end.Sentences, a.end.Unsupported))
	return answerResultOf(a.end), nil
}

// errContinue means that the history has become long before everything was read.
var errContinue = errors.New("the run continues as new")

// A limit bounds how long a run may take.
type limit struct {
	timeout time.Duration
	setting string // that has it
}

// within runs the steps of a run, and cancels them after a timeout or with the run. They get stopTimeout to
// store what was paid for.
func within(ctx workflow.Context, most limit, run func(workflow.Context) error) error {
	runCtx, stop := workflow.WithCancel(ctx)
	defer stop()
	ended := false
	var runErr error
	workflow.Go(runCtx, func(ctx workflow.Context) {
		runErr = run(ctx)
		ended = true
	})
	hasEnded := func() bool { return ended }
	inTime, err := workflow.AwaitWithOptions(ctx, workflow.AwaitOptions{
		Timeout: most.timeout, TimerOptions: workflow.TimerOptions{Summary: most.setting},
	}, hasEnded)
	switch {
	case err == nil && inTime:
		return runErr
	case err == nil:
		err = temporal.NewNonRetryableApplicationError("the run took longer than "+most.setting,
			string(outcome.CodeTimedOut), nil)
	}
	stop()
	detachedCtx, cancel := workflow.NewDisconnectedContext(ctx)
	defer cancel()
	_, stopErr := workflow.AwaitWithTimeout(detachedCtx, stopTimeout, hasEnded)
	return errors.Join(err, stopErr)
}

// An answering is a run that answers a question.
type answering struct {
	in  AnswerQuestionInput
	end activities.AnswerEnd
}

// run takes the steps of an answer.
func (a *answering) run(ctx workflow.Context) error {
	workflow.SetCurrentDetails(ctx, "Looking for passages.")
	plan, err := call(ctx, planAnswerOptions(a.in.Mode), answers.PlanAnswer, a.in.AnswerRef)
	if err != nil {
		return err
	}
	if err := a.read(ctx, plan); err != nil {
		return err
	}
	finish := activities.FinishAnswerInput{AnswerRef: a.in.AnswerRef}
	if plan.Compose {
		workflow.SetCurrentDetails(ctx, "Writing the answer.")
		composed, err := call(ctx, composeOptions(), answers.ComposeAnswer, a.in.AnswerRef)
		if err != nil {
			return err
		}
		finish.Result, finish.Partial, finish.Unsent = composed.Result, composed.Partial, composed.Unsent
	}
	a.end, err = call(ctx, parseOptions("record the end"), answers.FinishAnswer, finish)
	return err
}

// read reads the chunks of a thorough answer.
func (a *answering) read(ctx workflow.Context, plan activities.AnswerPlan) error {
	reader := chunkReader{
		chunks: plan.Chunks, total: plan.Total, concurrency: plan.Concurrency,
		read: func(ctx workflow.Context, chunk int) (bool, error) {
			result, err := call(ctx, readOptions(chunk, plan.Total), answers.ReadForAnswer,
				activities.ReadForAnswerInput{AnswerRef: a.in.AnswerRef, Ordinal: chunk})
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

// failAnswer records on the answer how the run ended, and returns the result of the workflow. It uses a
// disconnected context, so that it works in a cancelled workflow.
func failAnswer(ctx workflow.Context, in AnswerQuestionInput, cause error) (AnswerQuestionResult, error) {
	status, code := outcome.AnswerFailed, errorCode(cause)
	switch {
	case isType(cause, string(outcome.CodeTimedOut)):
		status = outcome.AnswerTimedOut
	case temporal.IsCanceledError(cause):
		status, code = outcome.AnswerCanceled, outcome.CodeCanceled
	case isType(cause, activities.TypeSuperseded):
		return AnswerQuestionResult{Status: activities.TypeSuperseded}, nil
	}
	detachedCtx, cancel := workflow.NewDisconnectedContext(ctx)
	defer cancel()
	end, err := call(detachedCtx, databaseOptions("record the end"), answers.FailAnswer,
		activities.FailAnswerInput{AnswerRef: in.AnswerRef, Status: status, ErrorCode: code})
	switch {
	case isType(err, activities.TypeSuperseded) && status != outcome.AnswerCanceled:
		return AnswerQuestionResult{Status: activities.TypeSuperseded}, nil
	case err != nil && !isType(err, activities.TypeSuperseded): // who cancels an answer also ends it
		return AnswerQuestionResult{}, errors.Join(cause, err)
	case status == outcome.AnswerCanceled:
		return AnswerQuestionResult{}, cause
	}
	return answerFailure(ctx, "the question was not answered", cause, end)
}

// recordErrorCode writes an error code into the search attributes of the run, unless it was started without
// them.
func recordErrorCode(ctx workflow.Context, code outcome.Code) error {
	workflow.SetCurrentDetails(ctx, "Ended: "+string(code))
	if !workflow.GetTypedSearchAttributes(ctx).ContainsKey(ErrorCodeAttribute) {
		return nil
	}
	return workflow.UpsertTypedSearchAttributes(ctx, ErrorCodeAttribute.ValueSet(string(code)))
}

// answerFailure returns the failure of a workflow whose question was not answered.
func answerFailure(
	ctx workflow.Context, message string, cause error, end activities.AnswerEnd,
) (AnswerQuestionResult, error) {
	if err := recordErrorCode(ctx, end.ErrorCode); err != nil {
		return AnswerQuestionResult{}, errors.Join(cause, err)
	}
	return AnswerQuestionResult{}, temporal.NewNonRetryableApplicationError(
		message, string(end.ErrorCode), cause, answerResultOf(end))
}

func answerResultOf(end activities.AnswerEnd) AnswerQuestionResult {
	return AnswerQuestionResult{
		Status: end.Status, Result: end.Result, Sentences: end.Sentences, Unsupported: end.Unsupported,
		Coverage: end.Coverage,
	}
}
