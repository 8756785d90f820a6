package activities_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities"
	"research/activities/extract"
	"research/outcome"
)

const (
	takesFiveDays = "Closing the books takes five full days."
	hateIt        = "They hate the spreadsheet."
	hates         = "I hate the spreadsheet, honestly."
)

func TestQuickAnswer(t *testing.T) {
	t.Parallel()

	t.Run("finds passages, and writes sentences with their quotes", func(t *testing.T) {
		t.Parallel()
		f := newAnswerFixture(t, outcome.ModeQuick, 0)
		require.Equal(t, activities.AnswerEnd{
			Status: outcome.AnswerAnswered, Result: outcome.ResultAnswered, Mode: outcome.ModeQuick,
			Sentences: 2, People: 1, Coverage: 1,
		}, f.run(t))
		require.Equal(t, []string{takesFiveDays, hateIt}, f.sentences(t))
		require.Equal(t, []string{fiveDays, hates}, f.quotes(t))
		require.Equal(t, []string{"reword", "compose"}, f.model.take())
		row := f.row(t)
		require.Equal(t, "Who closes them.", row.Missing)
		require.EqualValues(t, 1, row.ImportsRead)
		require.EqualValues(t, 2*25, row.InputTokens+row.OutputTokens, "a server that counts nothing")
	})

	t.Run("makes no call for what is stored", func(t *testing.T) {
		t.Parallel()
		f := newAnswerFixture(t, outcome.ModeQuick, 0)
		f.run(t)
		f.model.take()
		f.again(t)
		require.Equal(t, 2, f.run(t).Sentences)
		require.Empty(t, f.model.take())
		f.ask(t, outcome.ModeQuick)
		require.Equal(t, 2, f.run(t).Sentences)
		require.Empty(t, f.model.take(), "a colleague asks the same")
	})

	t.Run("looks for the question alone if the model cannot reword it", func(t *testing.T) {
		t.Parallel()
		f := newAnswerFixture(t, outcome.ModeQuick, 0)
		f.model.reword = func(context.Context) (extract.Rewordings, error) {
			return extract.Rewordings{}, &extract.Error{Code: outcome.CodeModelBadAnswer}
		}
		require.Equal(t, 2, f.run(t).Sentences)
	})

	t.Run("stores no sentence that is not proven", func(t *testing.T) {
		t.Parallel()
		f := newAnswerFixture(t, outcome.ModeQuick, 0)
		f.model.compose = func(
			ctx context.Context, r extract.ComposeRequest, each func(extract.AnswerLine) error,
		) error {
			return says(ctx, r, each,
				extract.AnswerLine{Text: "It takes a week.", Cites: []extract.Cite{cite(r, "It takes a week, sadly.")}},
				extract.AnswerLine{Text: "Books are closed monthly."},
				extract.AnswerLine{Text: "They ask how.", Cites: []extract.Cite{cite(r, "How do you close the books?")}},
				extract.AnswerLine{Text: takesFiveDays, Cites: []extract.Cite{{ID: "p99", Quote: fiveDays}}},
				extract.AnswerLine{Result: "answered"},
			)
		}
		end := f.run(t)
		require.Empty(t, f.sentences(t))
		require.Equal(t, outcome.ResultNotFound, end.Result)
		require.Equal(t, 4, end.Unsupported)
		require.EqualValues(t, 3, f.row(t).RejectedCount)
		require.NotEmpty(t, f.quotes(t), "the closest passages")
	})
}

func TestThoroughAnswer(t *testing.T) {
	t.Parallel()
	f := newAnswerFixture(t, outcome.ModeThorough, 0)
	end := f.run(t)
	require.Equal(t, outcome.ResultAnswered, end.Result)
	require.InDelta(t, 1, end.Coverage, 0)
	require.Equal(t, []string{"read", "read", "compose"}, f.model.take())

	f.again(t)
	f.run(t)
	require.Empty(t, f.model.take(), "everything is stored")

	f.Exec(t, `delete from private.answer_responses`)
	f.again(t)
	f.run(t)
	require.Equal(t, []string{"compose"}, f.model.take())

	// Only an answer for which everything was read can say that there is none.
	f.Exec(t, `delete from private.chunk_responses`)
	f.model.read = func(extract.Request) (extract.Response, error) { return extract.Response{}, nil }
	f.again(t)
	require.Equal(t, outcome.ResultNotAnswered, f.run(t).Result)
	require.Empty(t, f.sentences(t))
}

func TestPassages(t *testing.T) {
	t.Parallel()
	f := newAnswerFixture(t, outcome.ModePassages, 0)
	began := time.Now()
	plan, err := f.planAnswer()
	require.False(t, must(t, plan, err).Compose)
	end := f.finishAnswer(t, activities.Composition{})
	require.Less(t, time.Since(began), patience)
	require.Equal(t, outcome.AnswerAnswered, end.Status)
	require.Empty(t, end.Result)
	require.Empty(t, f.model.take())
	require.NotEmpty(t, f.quotes(t))
	require.Empty(t, f.sentences(t))
}

func TestAnswerIsComposedAgain(t *testing.T) {
	t.Parallel()

	t.Run("an attempt replaces the sentences of the one before", func(t *testing.T) {
		t.Parallel()
		f := newAnswerFixture(t, outcome.ModeQuick, 0)
		f.prepare(t)
		good := f.model.compose
		f.model.compose = func(
			ctx context.Context, r extract.ComposeRequest, each func(extract.AnswerLine) error,
		) error {
			_ = says(ctx, r, each, goodLines(r)[1])
			return &extract.Error{Code: outcome.CodeModelUnavailable}
		}
		_, err := f.composeAnswer()
		require.Error(t, err)
		require.Equal(t, []string{hateIt}, f.sentences(t), "it is shown at once")
		require.Equal(t, "model_unavailable", *f.row(t).WaitingReason)
		f.model.compose = good
		require.Eventually(t, func() bool { // the breaker is open for a moment
			_, err := f.composeAnswer()
			return err == nil
		}, patience, 100*time.Millisecond)
		require.Equal(t, []string{takesFiveDays, hateIt}, f.sentences(t))
		require.Nil(t, f.row(t).WaitingReason)
	})

	t.Run("a response that was stored is written without a call", func(t *testing.T) {
		t.Parallel()
		f := newAnswerFixture(t, outcome.ModeQuick, 0)
		f.prepare(t)
		_, err := f.composeAnswer()
		require.NoError(t, err)
		f.model.take()
		f.Exec(t, `delete from answer_sentences where ordinal = 1`) // as if the worker was killed before it
		composed, err := f.composeAnswer()
		require.NoError(t, err)
		require.Equal(t, 2, composed.Sentences)
		require.Empty(t, f.model.take())
		require.Equal(t, []string{takesFiveDays, hateIt}, f.sentences(t))
	})

	t.Run("a response that is cut off keeps what is proven", func(t *testing.T) {
		t.Parallel()
		f := newAnswerFixture(t, outcome.ModeQuick, 0)
		f.model.compose = func(
			ctx context.Context, r extract.ComposeRequest, each func(extract.AnswerLine) error,
		) error {
			return errors.Join(says(ctx, r, each, goodLines(r)[0]), &extract.Error{Code: outcome.CodeModelTooLong})
		}
		end := f.run(t)
		require.Equal(t, outcome.ResultPartly, end.Result)
		require.Equal(t, []string{takesFiveDays}, f.sentences(t))
	})
}

func TestAnswerIsGivenUp(t *testing.T) {
	t.Parallel()

	t.Run("another request takes over between two sentences", func(t *testing.T) {
		t.Parallel()
		f := newAnswerFixture(t, outcome.ModeQuick, 0)
		f.prepare(t)
		f.model.compose = func(
			ctx context.Context, r extract.ComposeRequest, each func(extract.AnswerLine) error,
		) error {
			lines := goodLines(r)
			if err := each(lines[0]); err != nil {
				return err
			}
			f.cancel(t)
			return each(lines[1])
		}
		_, err := f.composeAnswer()
		requireNotRetried(t, activities.TypeSuperseded, err)
		require.Equal(t, []string{takesFiveDays}, f.sentences(t))
		row := f.row(t)
		require.EqualValues(t, outcome.AnswerCanceled, row.Status)
	})

	t.Run("a cancelled answer ends a call that waits for the model", func(t *testing.T) {
		t.Parallel()
		f := newAnswerFixture(t, outcome.ModeQuick, 0)
		f.prepare(t)
		f.model.compose = func(
			ctx context.Context, _ extract.ComposeRequest, _ func(extract.AnswerLine) error,
		) error {
			f.cancel(t)
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(patience):
				return errors.New("the call goes on")
			}
		}
		_, err := f.composeAnswer()
		requireNotRetried(t, activities.TypeSuperseded, err)
	})

	t.Run("a run that fails keeps what is written", func(t *testing.T) {
		t.Parallel()
		f := newAnswerFixture(t, outcome.ModeQuick, 0)
		f.prepare(t)
		_, err := f.composeAnswer()
		require.NoError(t, err)
		in := activities.FailAnswerInput{
			AnswerRef: f.answer, Status: outcome.AnswerTimedOut, ErrorCode: outcome.CodeTimedOut,
		}
		for range 2 { // a retry changes nothing
			end, err := run[activities.AnswerEnd](f.parseFixture, f.answers.FailAnswer, in)
			require.Equal(t, outcome.AnswerTimedOut, must(t, end, err).Status)
		}
		require.Len(t, f.sentences(t), 2)
		require.Contains(t, *f.row(t).ErrorMessage, "ASK_TIMEOUT")
	})
}

func TestAnswerTokens(t *testing.T) {
	t.Parallel()
	tokenLimit := string(outcome.CodeTokenLimit)

	t.Run("no call would exceed the limit of the answer", func(t *testing.T) {
		t.Parallel()
		f := newAnswerFixture(t, outcome.ModeQuick, 40)
		f.prepare(t)
		_, err := f.composeAnswer()
		requireNotRetried(t, tokenLimit, err)
		require.Equal(t, []string{"reword"}, f.model.take())
	})

	t.Run("a thorough answer that would exceed it makes no call", func(t *testing.T) {
		t.Parallel()
		f := newAnswerFixture(t, outcome.ModeThorough, 40)
		_, err := f.planAnswer()
		requireNotRetried(t, tokenLimit, err)
		require.Empty(t, f.model.take())
	})

	t.Run("no call would exceed the quota of the day", func(t *testing.T) {
		t.Parallel()
		f := newAnswerFixture(t, outcome.ModeQuick, 0)
		f.Exec(t, `insert into private.settings values ('workspace_tokens_per_day', '100')`)
		f.Exec(t, `insert into private.daily_usage (subject, day, tokens)
			select id, private.today(), 90 from workspaces`)
		_, err := f.planAnswer()
		requireNotRetried(t, tokenLimit, err)
		require.Empty(t, f.model.take())
	})
}

func TestAnswerOfTooManyWords(t *testing.T) {
	t.Parallel()
	f := newAnswerFixture(t, outcome.ModeQuick, 0)
	f.Exec(t, `update utterances set ordinal = ordinal + (1 << 20) where speaker = 'Omar'`)
	_, err := f.planAnswer()
	requireNotRetried(t, string(outcome.CodeTokenLimit), err)
	estimator := activities.NewAnswerEstimator(f.Store, f.model, 40)
	_, err = estimator.Estimate(t.Context(), f.answer.AnswerID, outcome.ModeThorough)
	require.ErrorIs(t, err, activities.ErrScopeTooLarge)
}

func TestEstimateOfAnAnswerWithoutAModel(t *testing.T) {
	t.Parallel()
	f := newAnswerFixture(t, outcome.ModePassages, 0)
	estimator := activities.NewAnswerEstimator(f.Store, nil, 40)
	for _, mode := range outcome.AnswerModes {
		estimate, err := estimator.Estimate(t.Context(), f.answer.AnswerID, mode)
		require.NoError(t, err)
		require.Equal(t, 1, estimate.Imports)
		require.Zero(t, estimate.Calls)
	}
}

// A model that gets no personal data has to know what must not be in a question.
func TestNamesOfAProjectAreKnownToTheModel(t *testing.T) {
	t.Parallel()
	f := newAnswerFixture(t, outcome.ModeQuick, 0)
	f.Exec(t, `update import_speakers set display_name = 'Omar Hadi' where speaker = 'Omar'`)
	f.Exec(t, `insert into participants (project_id, name) values ($1, 'Maria')`, f.tenant.Project)
	f.prepare(t)
	require.Equal(t, []string{"Dana", "Maria", "Omar", "Omar Hadi"}, f.model.names)
}

// The words of another tenant, or of another project, are never sent.
func TestAnswerReadsItsProjectOnly(t *testing.T) {
	t.Parallel()
	f := newAnswerFixture(t, outcome.ModeThorough, 0)
	other := *f.parseFixture
	other.tenant = f.Tenant(t)
	other.upload(t)
	f.run(t)
	require.Equal(t, []string{"read", "read", "compose"}, f.model.take(), "one interview of two halves")
	require.EqualValues(t, 1, f.row(t).ImportsTotal)
}
