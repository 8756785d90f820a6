package imports

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
)

func TestARunOfTheKeywordExtractorHasNoModel(t *testing.T) {
	t.Parallel()
	none, name := "", "gpt"
	runs := newRunsResponse(uuid.New(), []db.ListRunsRow{{Model: &none}, {Model: nil}, {Model: &name}}, nil).Runs
	require.Nil(t, runs[0].Model)
	require.Nil(t, runs[1].Model)
	require.Equal(t, "gpt", *runs[2].Model)
}
