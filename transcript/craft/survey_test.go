package craft

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSurveysAreBounded(t *testing.T) {
	t.Parallel()
	turns := []string{"Tell me about the last time you paid an invoice. How did you do that, and what happened?"}
	for range 300 {
		turns = append(turns, strings.Repeat("what? ", 10_000))
	}
	s := NewSurvey(turns)
	require.Equal(t, "en", s.Language)
	require.Len(t, s.Words, len(turns))
	require.Equal(t, 10_000, s.Words[len(turns)-1])
	require.Less(t, len(s.Questions), maxSurveyed+maxQuestions)
	require.Greater(t, len(s.Questions), maxSurveyed-maxQuestions)
	for _, q := range s.Questions {
		require.LessOrEqual(t, q.End, len(turns[q.Turn]))
	}
}
