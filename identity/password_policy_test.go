package identity

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An estimator that tries all substitutions takes seconds and millions of allocations for such a password.
// The allocations are counted, since they do not depend on the machine. The test is not parallel: those of
// others would count as well.
func TestGuessingTakesLittleTimeForAnyPassword(t *testing.T) {
	substitutions := strings.Repeat("4@8({[<369!1|0$57+2%", 4)[:72]
	allocations := testing.AllocsPerRun(1, func() { guessable(substitutions, "somebody@example.com") })
	require.Less(t, allocations, 100_000.0)
}
