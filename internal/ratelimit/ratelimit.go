// Package ratelimit limits how often something happens per key: sign-ins of an account, requests from a
// network. It counts within its process. Its memory is bounded, whatever keys an attacker invents.
package ratelimit

import (
	"net/netip"
	"sync"
	"time"

	"github.com/jellydator/ttlcache/v3"
)

// maxBuckets bounds the memory of a limiter to some 30 MB. The least recently used key is evicted first.
const maxBuckets = 100_000

// A Limiter has a token bucket for each key. A nil Limiter allows everything. It is safe for concurrent use.
// docs/decisions/0176 says why it is not a library.
type Limiter struct {
	size   float64
	refill time.Duration // of one attempt
	now    func() time.Time

	mu      sync.Mutex
	buckets *ttlcache.Cache[string, bucket]
}

// A bucket holds the number of attempts of a key that were used up as of a time.
type bucket struct {
	used float64
	at   time.Time
}

// New returns a limiter that allows each key a burst of size attempts, and refills size attempts per period.
// If size is not positive, it returns nil.
func New(size int, period time.Duration, now func() time.Time) *Limiter {
	if size <= 0 {
		return nil
	}
	return &Limiter{
		size: float64(size), refill: period / time.Duration(size), now: now,
		buckets: ttlcache.New(ttlcache.WithCapacity[string, bucket](maxBuckets)),
	}
}

// Take uses up an attempt and returns 0. If there is none, it returns how long to wait for the next one: at
// least a second. The empty key has no limit.
func (l *Limiter) Take(key string) (wait time.Duration) {
	if l == nil || key == "" {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	used := l.usedLocked(key, now)
	if used+1 > l.size {
		return max(time.Duration((used+1-l.size)*float64(l.refill)), time.Second)
	}
	l.buckets.Set(key, bucket{used + 1, now}, ttlcache.NoTTL)
	return 0
}

// Refund gives back an attempt that Take used up.
func (l *Limiter) Refund(key string) {
	if l == nil || key == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if used := l.usedLocked(key, now); used > 1 {
		l.buckets.Set(key, bucket{used - 1, now}, ttlcache.NoTTL)
	} else {
		l.buckets.Delete(key)
	}
}

func (l *Limiter) usedLocked(key string, now time.Time) float64 {
	item := l.buckets.Get(key)
	if item == nil {
		return 0
	}
	b := item.Value()
	return max(0, b.used-float64(now.Sub(b.at))/float64(l.refill))
}

// Network returns the network that counts as one client: the address itself for IPv4, and its /64 for IPv6,
// since providers assign at least that much to one customer. A string that is not an address is returned
// unchanged.
func Network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil || ip.Unmap().Is4() {
		return address
	}
	return netip.PrefixFrom(ip.WithZone(""), 64).Masked().String()
}
