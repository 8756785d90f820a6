package activities_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities"
	"research/outcome"
)

func (f *parseFixture) extract(chunk int) (activities.ExtractChunkResult, error) {
	in := activities.ExtractChunkInput{ParseRef: f.ref, Chunk: chunk}
	return run[activities.ExtractChunkResult](f, f.imports.ExtractChunk, in)
}

func (f *parseFixture) finish() (activities.ParseEnd, error) {
	return run[activities.ParseEnd](f, f.imports.FinishParse, activities.FinishParseInput{ParseRef: f.ref})
}

// Runs that an earlier version began read each chunk by an activity of its own.
func TestRunOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	e := &fakeExtractor{plan: halves}
	f := newParseFixture(t, e)
	e.ask = f.findings
	f.mustBegin(t)
	f.Exec(t, `update private.import_chunks set hypotheses = '{}'`) // as the earlier version planned them
	for range 2 {                                                   // a retry calls nothing
		_, err := f.extract(0)
		require.NoError(t, err)
	}
	_, err := run[activities.SkipChunkResult](f, f.imports.SkipChunk, activities.SkipChunkInput{
		ParseRef: f.ref, Chunk: 1, Reason: outcome.CodeModelUnavailable,
	})
	require.NoError(t, err)
	end, err := f.finish()
	require.NoError(t, err)
	require.Equal(t, outcome.StatusParsed, end.Status)
	require.InDelta(t, 0.5, end.Coverage, 0.1)
	require.EqualValues(t, 1, e.calls.Load())

	t.Run("is completed by a later request", func(t *testing.T) {
		e.forget()
		f.claim(t)
		requireEnd(t, activities.ParseEnd{
			Status: outcome.StatusParsed, Evidence: 2, Rejected: end.Rejected + 2, Coverage: 1,
		}, f.parse(t))
		require.Len(t, e.requests(), 1)
	})
}
