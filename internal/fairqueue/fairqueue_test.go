package fairqueue_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/internal/fairqueue"
)

func isClosed(turn chan struct{}) bool {
	select {
	case <-turn:
		return true
	default:
		return false
	}
}

func TestQueue(t *testing.T) {
	t.Parallel()
	next := func(q *fairqueue.Queue[string]) string {
		key, found := q.Next()
		require.True(t, found)
		return key
	}

	t.Run("keys take turns, and requests of one key keep their order", func(t *testing.T) {
		t.Parallel()
		var q fairqueue.Queue[string]
		first, second, third := q.Push("many"), q.Push("many"), q.Push("many")
		few := q.Push("few")
		require.Equal(t, 4, q.Len())
		require.Equal(t, 3, q.Waiting("many"))
		require.Equal(t, "many", next(&q))
		require.True(t, isClosed(first))
		require.False(t, isClosed(second))
		require.Equal(t, "few", next(&q))
		require.True(t, isClosed(few))
		require.Equal(t, "many", next(&q))
		require.True(t, isClosed(second))
		require.Equal(t, "many", next(&q))
		require.True(t, isClosed(third))
		_, found := q.Next()
		require.False(t, found)
		require.Zero(t, q.Len())
	})

	t.Run("a key that may not have a turn keeps its place", func(t *testing.T) {
		t.Parallel()
		var q fairqueue.Queue[string]
		q.Push("first")
		q.Push("second")
		q.Push("second")
		notFirst := func(key string) bool { return key != "first" }
		key, found := q.NextOf(notFirst)
		require.True(t, found)
		require.Equal(t, "second", key)
		require.Equal(t, "first", next(&q))
		require.Equal(t, "second", next(&q))
		q.Push("first")
		_, found = q.NextOf(notFirst)
		require.False(t, found)
		require.Equal(t, 1, q.Len())
	})

	t.Run("a request that leaves has no turn", func(t *testing.T) {
		t.Parallel()
		var q fairqueue.Queue[string]
		first, second := q.Push("key"), q.Push("key")
		other := q.Push("other")
		require.True(t, q.Leave("key", first))
		require.False(t, q.Leave("key", first))
		require.True(t, q.Leave("other", other))
		require.Equal(t, "key", next(&q))
		require.False(t, isClosed(first))
		require.False(t, isClosed(other))
		require.False(t, q.Leave("key", second), "its turn has come")
		require.Zero(t, q.Len())
	})
}
