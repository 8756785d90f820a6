package token

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCache(t *testing.T) {
	t.Parallel()
	key := func(n uint64) (k cacheKey) {
		binary.BigEndian.PutUint64(k[:], n)
		return k
	}

	t.Run("is bounded, and keeps what is read", func(t *testing.T) {
		t.Parallel()
		c := newCache[uint64](10)
		for n := range uint64(1000) {
			c.add(key(n), n)
			v, found := c.get(key(0))
			require.True(t, found, "what is read each time stays")
			require.Zero(t, v)
			require.LessOrEqual(t, len(c.young)+len(c.old), 20)
		}
		_, found := c.get(key(500))
		require.False(t, found, "what nobody reads goes")
	})

	t.Run("forgets everything when told", func(t *testing.T) {
		t.Parallel()
		c := newCache[uint64](1)
		c.add(key(1), 1)
		c.add(key(2), 2) // 1 is among the old
		c.clear()
		for n := range uint64(3) {
			_, found := c.get(key(n))
			require.False(t, found)
		}
	})
}
