package answers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// The results of a claim are the codes of the API, apart from the queue of a workspace, which answers as the
// queue.
func TestEveryResultOfAClaimHasAResponse(t *testing.T) {
	t.Parallel()
	results := dbtest.Value[[]string](t, dbtest.New(t), "select enum_range(null::private.ask_result)::text[]")
	require.Len(t, results, len(claimErrors)+1)
	for _, result := range results {
		switch result := db.PrivateAskResult(result); result {
		case db.PrivateAskResultClaimed:
			require.NotContains(t, claimErrors, result)
		case db.PrivateAskResultWorkspaceQueueFull:
			require.Equal(t, "queue_full", claimErrors[result].Code)
		default:
			require.Contains(t, claimErrors, result)
			require.Equal(t, string(result), claimErrors[result].Code)
		}
	}
}
