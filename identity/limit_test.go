package identity

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	waitTime = time.Minute // until a test fails
	pollTime = 5 * time.Millisecond
)

func TestLimiter(t *testing.T) {
	t.Parallel()
	newTestLimiter := func(t *testing.T, perHour int) (l *limiter, advance func(time.Duration)) {
		t.Helper()
		now := time.Unix(0, 0)
		l, err := newLimiter(perHour, func() time.Time { return now })
		require.NoError(t, err)
		return l, func(d time.Duration) { now = now.Add(d) }
	}

	t.Run("allows the number at once, and then one each time the bucket has refilled", func(t *testing.T) {
		t.Parallel()
		l, advance := newTestLimiter(t, 3)
		for range 3 {
			require.Zero(t, l.take("ada"))
		}
		require.InDelta(t, 20*time.Minute, l.take("ada"), float64(time.Millisecond))
		require.Zero(t, l.take("grace"), "another key")
		advance(19 * time.Minute)
		require.InDelta(t, time.Minute, l.take("ada"), float64(time.Millisecond))
		advance(time.Minute)
		require.Zero(t, l.take("ada"))
		require.InDelta(t, 20*time.Minute, l.take("ada"), float64(time.Millisecond))
		advance(24 * time.Hour)
		for range 3 {
			require.Zero(t, l.take("ada"))
		}
		require.NotZero(t, l.take("ada"), "an idle bucket is not fuller than full")
	})

	t.Run("gives back what is refunded", func(t *testing.T) {
		t.Parallel()
		l, _ := newTestLimiter(t, 1)
		for range 5 {
			require.Zero(t, l.take("ada"))
			l.refund("ada")
		}
		require.Zero(t, l.buckets.Len())
		l.refund("ada")
		require.Zero(t, l.take("ada"))
		require.NotZero(t, l.take("ada"), "a refund without a take adds nothing")
	})

	t.Run("keeps a bounded number of keys, and forgets the least recently used first", func(t *testing.T) {
		t.Parallel()
		l, _ := newTestLimiter(t, 2)
		for n := range maxBuckets + 1000 {
			require.Zero(t, l.take(fmt.Sprint(n)))
			if n == 0 {
				require.Zero(t, l.take("guessed"))
				require.Zero(t, l.take("guessed"))
			}
			if n%1000 == 0 {
				require.NotZero(t, l.take("guessed"), "a key that is still tried stays")
			}
		}
		require.Equal(t, maxBuckets, l.buckets.Len())
	})

	t.Run("allows everything without a limit or a key", func(t *testing.T) {
		t.Parallel()
		l, _ := newTestLimiter(t, 0)
		require.Nil(t, l)
		require.Zero(t, l.take("ada"))
		l.refund("ada")
		l, _ = newTestLimiter(t, 1)
		require.Zero(t, l.take(""))
		require.Zero(t, l.take(""))
	})
}

func TestClientNetwork(t *testing.T) {
	t.Parallel()
	for address, network := range map[string]string{
		"":                       "",
		"192.0.2.7":              "192.0.2.7",
		"2001:db8:1:1:ffff::9":   "2001:db8:1:1::/64",
		"2001:db8:1:1::1":        "2001:db8:1:1::/64",
		"what a proxy might add": "what a proxy might add",
	} {
		require.Equal(t, network, Client{Address: address}.network())
	}
}
