package auth

import (
	"sync"
	"time"
)

// limits are the counters of one server.
type limits struct {
	accountFailures, addressFailures, addressSignUps, accountMails, addressMails *limiter
}

func newLimits(l Limits, now func() time.Time) limits {
	return limits{
		newLimiter(l.AccountFailures, now), newLimiter(l.AddressFailures, now), newLimiter(l.AddressSignUps, now),
		newLimiter(l.AccountMails, now), newLimiter(l.AddressMails, now),
	}
}

// maxBuckets bounds what a limiter remembers, some 10 MB.
const maxBuckets = 100_000

// A limiter lets each key pass so many times an hour, as many of them at once: a bucket that fills again evenly. A nil limiter lets everything pass.
type limiter struct {
	size   float64
	refill time.Duration // of one
	now    func() time.Time

	mu      sync.Mutex
	buckets map[string]bucket
}

type bucket struct {
	used float64 // at the moment at
	at   time.Time
}

func newLimiter(perHour int, now func() time.Time) *limiter {
	if perHour <= 0 {
		return nil
	}
	return &limiter{size: float64(perHour), refill: time.Hour / time.Duration(perHour), now: now, buckets: map[string]bucket{}}
}

// take counts one. Zero means it may pass; else it tells how long to wait. Who asks counts before the work is done, so that many at once cannot pass together.
func (l *limiter) take(key string) time.Duration {
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
	if len(l.buckets) >= maxBuckets {
		l.forgetLocked(now)
	}
	l.buckets[key] = bucket{used + 1, now}
	return 0
}

// giveBack undoes a take: what was counted turned out to be honest.
func (l *limiter) giveBack(key string) {
	if l == nil || key == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if used := l.usedLocked(key, now); used > 1 {
		l.buckets[key] = bucket{used - 1, now}
	} else {
		delete(l.buckets, key)
	}
}

func (l *limiter) usedLocked(key string, now time.Time) float64 {
	b := l.buckets[key]
	return max(0, b.used-float64(now.Sub(b.at))/float64(l.refill))
}

// forgetLocked makes room: what has filled again goes; if that is not enough, any tenth.
func (l *limiter) forgetLocked(now time.Time) {
	for key := range l.buckets {
		if l.usedLocked(key, now) == 0 {
			delete(l.buckets, key)
		}
	}
	for key := range l.buckets {
		if len(l.buckets) < maxBuckets-maxBuckets/10 {
			return
		}
		delete(l.buckets, key)
	}
}
