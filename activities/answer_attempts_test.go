package activities_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"research/activities"
	"research/activities/extract"
	"research/outcome"
)

// An attempt goes on without Temporal, which begins another one.
func TestTwoAttemptsToComposeAnAnswer(t *testing.T) {
	t.Parallel()

	t.Run("one whose text was replaced writes nothing more", func(t *testing.T) {
		t.Parallel()
		f := newAnswerFixture(t, outcome.ModeQuick, 0)
		f.prepare(t)
		f.model.compose = func(
			ctx context.Context, r extract.ComposeRequest, each func(extract.AnswerLine) error,
		) error {
			lines := goodLines(r)
			_ = each(lines[0])
			f.Exec(t, `delete from answer_sentences`)
			return says(ctx, r, each, lines[1:]...)
		}
		_, err := f.composeAnswer()
		var failure *temporal.ApplicationError
		require.True(t, errors.As(err, &failure), "%v", err)
		require.False(t, failure.NonRetryable(), "the claim still waits")
		require.Empty(t, f.sentences(t))
		f.model.take()
		_, err = f.composeAnswer()
		require.NoError(t, err)
		require.Equal(t, []string{takesFiveDays, hateIt}, f.sentences(t))
		require.Empty(t, f.model.take(), "the response was stored")
	})

	t.Run("a process makes one call for both", func(t *testing.T) {
		t.Parallel()
		f := newAnswerFixture(t, outcome.ModeQuick, 0)
		f.prepare(t)
		f.model.take()
		var suite testsuite.WorkflowTestSuite
		env := suite.NewTestActivityEnvironment()
		activities.Register(env, activities.Deps{Answers: f.answers})
		again, second := make(chan struct{}, 2), make(chan error, 1)
		f.model.compose = func(
			ctx context.Context, r extract.ComposeRequest, each func(extract.AnswerLine) error,
		) error {
			again <- struct{}{}
			if len(again) == 1 {
				go func() {
					_, err := env.ExecuteActivity(f.answers.ComposeAnswer, f.answer)
					second <- err
				}()
				for deadline := time.Now().Add(time.Second); len(again) == 1 && time.Now().Before(deadline); {
					time.Sleep(10 * time.Millisecond) // until the second attempt would have called
				}
			}
			return says(ctx, r, each, goodLines(r)...)
		}
		_, err := f.composeAnswer()
		errs := []error{err, <-second}
		// Whichever wrote last, the other one may have to be tried again.
		done := slices.DeleteFunc(slices.Clone(errs), func(err error) bool {
			return err != nil && strings.Contains(err.Error(), "another attempt writes the answer")
		})
		require.NotEmpty(t, done, "one attempt wrote the answer")
		require.NoError(t, errors.Join(done...))
		require.Equal(t, []string{"compose"}, f.model.take())
		require.Equal(t, []string{takesFiveDays, hateIt}, f.sentences(t))
	})
}

func TestTokensOfACutResponseCountOnce(t *testing.T) {
	t.Parallel()
	f := newAnswerFixture(t, outcome.ModeQuick, 0)
	f.prepare(t)
	before := f.row(t)
	f.model.compose = func(
		ctx context.Context, r extract.ComposeRequest, each func(extract.AnswerLine) error,
	) error {
		_ = says(ctx, r, each, goodLines(r)[0])
		return &extract.Error{
			Code: outcome.CodeModelTooLong, Usage: extract.Usage{InputTokens: 100, OutputTokens: 7},
		}
	}
	composed, err := f.composeAnswer()
	require.Equal(t, 1, must(t, composed, err).Sentences)
	after := f.row(t)
	require.EqualValues(t, 100, after.InputTokens-before.InputTokens)
	require.EqualValues(t, 7, after.OutputTokens-before.OutputTokens)
}
