package openai_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/modeltest"
	"research/outcome"
)

func TestATruncatedPromptIsKnownByTheSizeOfTheContext(t *testing.T) {
	t.Parallel()
	long := longInterview()
	ask := func(count int) (extract.Response, error) {
		model := newModel(t, modeltest.New(t).Always(modeltest.Silently(count)))
		chunk := model.Plan(long, twoHypotheses)[0]
		return model.Extract(t.Context(),
			extract.Request{Transcript: long, Chunk: chunk, Hypotheses: twoHypotheses})
	}
	for _, context := range []int{1024, 2048, 2050, 1280, 2000, 3072} {
		_, err := ask(context)
		var failed *extract.Error
		require.ErrorAs(t, err, &failed, "%d tokens", context)
		require.Equal(t, outcome.CodeModelTooLong, failed.Code)
	}
	// Constants of proxies, and counts without what was in the cache.
	for _, count := range []int{1, 10, 100, 512, 777, 1234, 1999, 2500} {
		response, err := ask(count)
		require.NoError(t, err, "%d tokens", count)
		require.Equal(t, int64(count), response.Usage.InputTokens)
	}
}
