package identity

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// It is not parallel, since it changes the number of threads of all tests.
func TestThreadsAreAddedWhilePasswordsAreHashed(t *testing.T) {
	cores := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(cores) })
	var threads hashThreads
	threads.begin()
	threads.begin()
	require.Equal(t, 2*cores+1, runtime.GOMAXPROCS(0))
	require.Equal(t, cores, threads.cores())
	threads.end()
	threads.remove() // too early: a hash is in progress
	require.Equal(t, 2*cores+1, runtime.GOMAXPROCS(0))
	threads.end()
	areRemoved := func() bool { return runtime.GOMAXPROCS(0) == cores }
	require.Eventually(t, areRemoved, time.Minute, 10*time.Millisecond)
	require.Equal(t, cores, threads.cores())
	threads.begin()
	require.Equal(t, 2*cores+1, runtime.GOMAXPROCS(0))
	threads.end()
	threads.remove()
	require.Equal(t, cores, runtime.GOMAXPROCS(0))

	var none *hashThreads // for operators' commands
	none.begin()
	none.end()
	require.Equal(t, cores, runtime.GOMAXPROCS(0))
}
