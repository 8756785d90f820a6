package identity_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/identity"
)

// Each service that starts while another hashes would otherwise take the additional threads for the program's own.
// It is not parallel, since it changes the number of threads of all tests.
func TestServicesOfAProgramShareItsThreads(t *testing.T) {
	cores := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(cores) })
	f := setup(t, func(cfg *identity.Config) { cfg.MoreThreads = true })
	for range 3 {
		s, err := identity.New(t.Context(), f.cfg, identity.Deps{Store: f.Store, Mail: f.mail, Sessions: f.sessions})
		require.NoError(t, err)
		_, err = s.SignIn(t.Context(), client, "nobody@example.com", "a password of nobody")
		require.Error(t, err)
		require.LessOrEqual(t, runtime.GOMAXPROCS(0), 2*cores+1)
	}
	isRestored := func() bool { return runtime.GOMAXPROCS(0) == cores }
	require.Eventually(t, isRestored, time.Minute, 10*time.Millisecond)
}
