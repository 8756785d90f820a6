package identity

import (
	"net/netip"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Limits are the numbers of attempts an hour. As many may come at once. Zero means no limit. Each process
// counts for itself.
type Limits struct {
	AccountFailures int // LIMIT_ACCOUNT_FAILURES: failed sign-ins of an account
	AddressFailures int // LIMIT_ADDRESS_FAILURES: failed sign-ins from an address
	AddressSignUps  int // LIMIT_ADDRESS_SIGNUPS: sign-ups from an address
	AccountMails    int // LIMIT_ACCOUNT_MAILS: mails to an account
	AddressMails    int // LIMIT_ADDRESS_MAILS: mails requested from an address
}

type limits struct {
	accountFailures, addressFailures, addressSignUps, accountMails, addressMails *limiter
}

func newLimits(cfg Limits, now func() time.Time) (l limits, err error) {
	for _, limit := range []struct {
		limiter **limiter
		perHour int
	}{
		{&l.accountFailures, cfg.AccountFailures},
		{&l.addressFailures, cfg.AddressFailures},
		{&l.addressSignUps, cfg.AddressSignUps},
		{&l.accountMails, cfg.AccountMails},
		{&l.addressMails, cfg.AddressMails},
	} {
		if *limit.limiter, err = newLimiter(limit.perHour, now); err != nil {
			return limits{}, err
		}
	}
	return l, nil
}

// signIn counts a sign-in as a failure, before the password is checked, so that concurrent guesses cannot all
// pass. refund takes that back. An attempt that one of the two limits rejects counts for neither: else an
// address that has used up its own limit could use up that of accounts.
func (l *limits) signIn(client Client, email string) (refund func(), err error) {
	network := client.network()
	wait := l.addressFailures.take(network)
	if wait == 0 {
		if wait = l.accountFailures.take(email); wait > 0 {
			l.addressFailures.refund(network)
		}
	}
	if wait > 0 {
		return nil, &LimitError{ErrTooManySignIns, wait}
	}
	return func() {
		l.accountFailures.refund(email)
		l.addressFailures.refund(network)
	}, nil
}

func (l *limits) signUp(client Client) error {
	if wait := l.addressSignUps.take(client.network()); wait > 0 {
		return &LimitError{ErrTooManySignUps, wait}
	}
	return nil
}

// mail counts a mail to an address, whether there is an account or not.
func (l *limits) mail(client Client, email string) error {
	if wait := l.addressMails.take(client.network()); wait > 0 {
		return &LimitError{ErrTooManyMails, wait}
	}
	if wait := l.accountMails.take(email); wait > 0 {
		return &LimitError{ErrTooManyMailsToAccount, wait}
	}
	return nil
}

// network returns what counts as one address: of IPv6 the /64, which a single line has.
func (c Client) network() string {
	ip, err := netip.ParseAddr(c.Address)
	if err != nil || ip.Is4() {
		return c.Address
	}
	prefix, err := ip.Prefix(64)
	if err != nil {
		return c.Address
	}
	return prefix.String()
}

// maxBuckets bounds the memory of a limiter to some 20 MB. The least recently used key is forgotten first.
const maxBuckets = 100_000

// A limiter allows each key a number of attempts an hour, with a token bucket of that size. A nil limiter
// allows everything. It is safe for concurrent use. docs/decisions/0176 says why no library does it.
type limiter struct {
	size   float64
	refill time.Duration // of one attempt
	now    func() time.Time

	mu      sync.Mutex
	buckets *simplelru.LRU[string, bucket]
}

// A bucket is how many attempts of a key were used at a time.
type bucket struct {
	used float64
	at   time.Time
}

func newLimiter(perHour int, now func() time.Time) (*limiter, error) {
	if perHour <= 0 {
		return nil, nil
	}
	buckets, err := simplelru.NewLRU[string, bucket](maxBuckets, nil)
	if err != nil {
		return nil, err
	}
	return &limiter{
		size: float64(perHour), refill: time.Hour / time.Duration(perHour), now: now, buckets: buckets,
	}, nil
}

// take uses up an attempt and returns 0, or returns how long to wait for the next one.
func (l *limiter) take(key string) (wait time.Duration) {
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
	l.buckets.Add(key, bucket{used + 1, now})
	return 0
}

// refund gives back an attempt that take used up.
func (l *limiter) refund(key string) {
	if l == nil || key == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if used := l.usedLocked(key, now); used > 1 {
		l.buckets.Add(key, bucket{used - 1, now})
	} else {
		l.buckets.Remove(key)
	}
}

func (l *limiter) usedLocked(key string, now time.Time) float64 {
	b, _ := l.buckets.Get(key)
	return max(0, b.used-float64(now.Sub(b.at))/float64(l.refill))
}
