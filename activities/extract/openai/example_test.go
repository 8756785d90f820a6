package openai_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/modeltest"
	"research/activities/extract/openai"
)

func TestTheExampleIsTheSameInEveryRequest(t *testing.T) {
	t.Parallel()
	server := modeltest.New(t)
	config := openai.Config{BaseURL: server.URL, Model: "m", Timeout: time.Minute}
	without, err := openai.New(config)
	require.NoError(t, err)
	config.Example = true
	with, err := openai.New(config)
	require.NoError(t, err)
	require.NotEqual(t, without.PromptVersion(), with.PromptVersion(),
		"stored responses are those of their prompt")

	long := longInterview()
	require.Empty(t, readAll(t.Context(), without, long).unread)
	require.Empty(t, readAll(t.Context(), with, long).unread)
	calls := server.Calls()
	require.Len(t, calls, 8)
	plain := calls[0].System
	for _, call := range calls[:4] {
		require.Equal(t, plain, call.System)
	}
	for _, call := range calls[4:] {
		require.Equal(t, calls[4].System, call.System, "the beginning that servers keep in their cache")
		require.True(t, strings.HasPrefix(call.System, plain))
		require.Contains(t, call.System, `"stance":"contradicts"`)
		require.Contains(t, call.System, "Nothing is reported for h2")
	}

	r := extract.Request{Transcript: long, Chunk: with.Plan(long, twoHypotheses)[0], Hypotheses: twoHypotheses}
	more := with.Expect(r).InputTokens - without.Expect(r).InputTokens
	t.Logf("the example takes %d tokens of %d", more, with.Expect(r).InputTokens)
	require.LessOrEqual(t, more, int64(250), "of each call; docs/extraction.md has the figure")
}
