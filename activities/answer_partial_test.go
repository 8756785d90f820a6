package activities_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/outcome"
)

// fits lets the model take a number of sources, and then write lines.
func fits(most int, lines func(extract.ComposeRequest) []extract.AnswerLine) func(
	context.Context, extract.ComposeRequest, func(extract.AnswerLine) error,
) error {
	return func(ctx context.Context, r extract.ComposeRequest, each func(extract.AnswerLine) error) error {
		if len(r.Sources) > most {
			return &extract.Error{Code: outcome.CodeModelTooLong}
		}
		return says(ctx, r, each, lines(r)...)
	}
}

// saysNothing is a response without sentences.
func saysNothing(extract.ComposeRequest) []extract.AnswerLine {
	return []extract.AnswerLine{{Result: string(outcome.ResultNotAnswered)}}
}

// An answer that is composed from a part of what was found does not say that it is a whole one.
func TestPartialAnswer(t *testing.T) {
	t.Parallel()

	t.Run("passages that do not fit are not read", func(t *testing.T) {
		t.Parallel()
		f := newAnswerFixture(t, outcome.ModeQuick, 0)
		f.upload(t)
		f.model.compose = fits(1, goodLines)
		require.Equal(t, outcome.ResultPartly, f.run(t).Result)
		row := f.row(t)
		require.EqualValues(t, 2, row.PassagesTotal)
		require.EqualValues(t, 1, row.PassagesRead)
		require.EqualValues(t, 1, row.ImportsRead)
		require.InDelta(t, 0.5, row.Coverage, 0)
	})

	t.Run("each interview has a say if not all findings fit", func(t *testing.T) {
		t.Parallel()
		f := newAnswerFixture(t, outcome.ModeThorough, 0)
		f.upload(t)
		var of []int // the interviews of the sources
		f.model.compose = fits(2, func(r extract.ComposeRequest) []extract.AnswerLine {
			for _, s := range r.Sources {
				of = append(of, s.Transcript)
			}
			return goodLines(r)
		})
		require.Equal(t, outcome.ResultPartly, f.run(t).Result)
		require.Equal(t, []int{0, 1}, of)
	})

	t.Run("nothing in a part is not that nobody says it", func(t *testing.T) {
		t.Parallel()
		f := newAnswerFixture(t, outcome.ModeThorough, 0)
		f.model.compose = fits(1, saysNothing)
		require.Equal(t, outcome.ResultNotFound, f.run(t).Result)
		f.again(t)
		f.model.compose = fits(2, saysNothing)
		require.Equal(t, outcome.ResultNotAnswered, f.run(t).Result)
	})

	t.Run("findings that are too many", func(t *testing.T) {
		t.Parallel()
		f := newAnswerFixture(t, outcome.ModeThorough, 0)
		for range 60 {
			f.upload(t)
		}
		require.Equal(t, outcome.ResultPartly, f.run(t).Result)
	})

	t.Run("a prompt that the server has cut", func(t *testing.T) {
		t.Parallel()
		f := newAnswerFixture(t, outcome.ModeQuick, 0)
		f.model.compose = func(
			ctx context.Context, r extract.ComposeRequest, each func(extract.AnswerLine) error,
		) error {
			_ = says(ctx, r, each, goodLines(r)...)
			return &extract.Error{Code: outcome.CodeModelTooLong}
		}
		require.Equal(t, outcome.ResultPartly, f.run(t).Result)
		f.again(t)
		require.Equal(t, outcome.ResultPartly, f.run(t).Result, "from the stored response")
	})
}
