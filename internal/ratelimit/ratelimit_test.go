package ratelimit

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLimiter(t *testing.T) {
	t.Parallel()
	newTestLimiter := func(t *testing.T, perHour int) (l *Limiter, advance func(time.Duration)) {
		t.Helper()
		now := time.Unix(0, 0)
		return New(perHour, time.Hour, func() time.Time { return now }), func(d time.Duration) { now = now.Add(d) }
	}

	t.Run("allows the number at once, and then one each time the bucket has refilled", func(t *testing.T) {
		t.Parallel()
		l, advance := newTestLimiter(t, 3)
		for range 3 {
			require.Zero(t, l.Take("ada"))
		}
		require.InDelta(t, 20*time.Minute, l.Take("ada"), float64(time.Millisecond))
		require.Zero(t, l.Take("grace"), "another key")
		advance(19 * time.Minute)
		require.InDelta(t, time.Minute, l.Take("ada"), float64(time.Millisecond))
		advance(time.Minute)
		require.Zero(t, l.Take("ada"))
		require.InDelta(t, 20*time.Minute, l.Take("ada"), float64(time.Millisecond))
		advance(24 * time.Hour)
		for range 3 {
			require.Zero(t, l.Take("ada"))
		}
		require.NotZero(t, l.Take("ada"), "an idle bucket is not fuller than full")
	})

	t.Run("gives back what is refunded", func(t *testing.T) {
		t.Parallel()
		l, _ := newTestLimiter(t, 1)
		for range 5 {
			require.Zero(t, l.Take("ada"))
			l.Refund("ada")
		}
		require.Zero(t, l.buckets.Len())
		l.Refund("ada")
		require.Zero(t, l.Take("ada"))
		require.NotZero(t, l.Take("ada"), "a refund without a take adds nothing")
	})

	t.Run("keeps a bounded number of keys, and forgets the least recently used first", func(t *testing.T) {
		t.Parallel()
		l, _ := newTestLimiter(t, 2)
		for n := range maxBuckets + 1000 {
			require.Zero(t, l.Take(fmt.Sprint(n)))
			if n == 0 {
				require.Zero(t, l.Take("guessed"))
				require.Zero(t, l.Take("guessed"))
			}
			if n%1000 == 0 {
				require.NotZero(t, l.Take("guessed"), "a key that is still tried stays")
			}
		}
		require.Equal(t, maxBuckets, l.buckets.Len())
	})

	t.Run("allows everything without a limit or a key", func(t *testing.T) {
		t.Parallel()
		l, _ := newTestLimiter(t, 0)
		require.Nil(t, l)
		require.Zero(t, l.Take("ada"))
		l.Refund("ada")
		l, _ = newTestLimiter(t, 1)
		require.Zero(t, l.Take(""))
		require.Zero(t, l.Take(""))
	})
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"":                       "",
		"192.0.2.7":              "192.0.2.7",
		"2001:db8:1:1:ffff::9":   "2001:db8:1:1::/64",
		"2001:db8:1:1::1":        "2001:db8:1:1::/64",
		"fe80::1%eth0":           "fe80::/64",
		"::ffff:192.0.2.7":       "::ffff:192.0.2.7", // one address of IPv4, not all of them
		"what a proxy might add": "what a proxy might add",
	} {
		require.Equal(t, want, Network(address))
	}
}
