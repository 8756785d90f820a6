package identity

import (
	"time"

	"research/internal/ratelimit"
)

// Limits are the numbers of attempts an hour. A burst may be as large. Zero means no limit. Each process
// counts separately.
type Limits struct {
	AccountFailures int // LIMIT_ACCOUNT_FAILURES: failed sign-ins of an account from one network
	// AccountFailuresTotal is LIMIT_ACCOUNT_FAILURES_TOTAL: the same from all networks that it has not used
	// recently.
	AccountFailuresTotal int
	AddressFailures      int // LIMIT_ADDRESS_FAILURES: failed sign-ins from an address
	AddressSignUps       int // LIMIT_ADDRESS_SIGNUPS: sign-ups from an address
	AddressClients       int // LIMIT_ADDRESS_CLIENTS: apps that are registered from a network
	AccountMails         int // LIMIT_ACCOUNT_MAILS: mails to an account
	AddressMails         int // LIMIT_ADDRESS_MAILS: mails requested from an address
}

// maxAuthorizations is how many requests of apps may be begun within an hour from a network. Each is stored
// for a day, and nobody needs to sign in for it.
const maxAuthorizations = 600

// maxProviderFlows is how many browsers of a network may be sent to providers within an hour. Each flow is
// stored for some minutes, and nobody needs to sign in for it.
const maxProviderFlows = 600

type limits struct {
	accountFailures, accountFailuresTotal, addressFailures *ratelimit.Limiter
	addressSignUps, accountMails, addressMails             *ratelimit.Limiter
	addressClients, addressAuthorizations                  *ratelimit.Limiter
	addressProviderFlows                                   *ratelimit.Limiter
}

func newLimits(cfg Limits, now func() time.Time) limits {
	perHour := func(size int) *ratelimit.Limiter { return ratelimit.New(size, time.Hour, now) }
	return limits{
		accountFailures:      perHour(cfg.AccountFailures),
		accountFailuresTotal: perHour(cfg.AccountFailuresTotal),
		addressFailures:      perHour(cfg.AddressFailures),
		addressSignUps:       perHour(cfg.AddressSignUps),
		addressClients:       perHour(cfg.AddressClients),
		accountMails:         perHour(cfg.AccountMails),
		addressMails:         perHour(cfg.AddressMails),

		addressAuthorizations: perHour(maxAuthorizations),
		addressProviderFlows:  perHour(maxProviderFlows),
	}
}

// An attempt counts in several limiters.
type attempt []counted

type counted struct {
	limiter *ratelimit.Limiter
	key     string
}

// take counts the attempt in a further limiter. If that one rejects it, the attempt counts in none. Otherwise
// an address that has exhausted its own limit could exhaust those of accounts.
func (a *attempt) take(l *ratelimit.Limiter, key string) (wait time.Duration) {
	if wait = l.Take(key); wait > 0 {
		a.refund()
		return wait
	}
	*a = append(*a, counted{l, key})
	return 0
}

// refund returns the attempt to its limiters.
func (a *attempt) refund() {
	for _, c := range *a {
		c.limiter.Refund(c.key)
	}
	*a = nil
}

// signIn counts a sign-in as a failure, before the password is checked, so that concurrent guesses cannot all
// pass. The caller refunds the attempt unless the password was wrong.
//
// The limit of an account applies to one network, so that wrong passwords from elsewhere do not lock out its
// owner.
func (l *limits) signIn(client Client, email string) (attempt, error) {
	var a attempt
	if wait := a.take(l.addressFailures, client.limitKey()); wait > 0 {
		return nil, &LimitError{ErrTooManySignIns, wait}
	}
	if wait := a.take(l.accountFailures, client.accountKey(email)); wait > 0 {
		return nil, &LimitError{ErrTooManySignIns, wait}
	}
	return a, nil
}

// signInElsewhere counts a sign-in from a network on which the account has not signed in recently. It bounds
// guesses from many networks.
func (l *limits) signInElsewhere(a *attempt, email string) error {
	if wait := a.take(l.accountFailuresTotal, email); wait > 0 {
		return &LimitError{ErrTooManySignIns, wait}
	}
	return nil
}

func (l *limits) signUp(client Client) error {
	if wait := l.addressSignUps.Take(client.limitKey()); wait > 0 {
		return &LimitError{ErrTooManySignUps, wait}
	}
	return nil
}

// newClient counts an app that becomes known.
func (l *limits) newClient(client Client) error {
	if wait := l.addressClients.Take(client.limitKey()); wait > 0 {
		return &LimitError{ErrTooManyClients, wait}
	}
	return nil
}

// authorization counts a request of an app.
func (l *limits) authorization(client Client) error {
	if wait := l.addressAuthorizations.Take(client.limitKey()); wait > 0 {
		return &LimitError{ErrTooManyAuthorizations, wait}
	}
	return nil
}

// providerFlow counts a browser that is sent to a provider.
func (l *limits) providerFlow(client Client) error {
	if wait := l.addressProviderFlows.Take(client.limitKey()); wait > 0 {
		return &LimitError{ErrTooManySignIns, wait}
	}
	return nil
}

// idToken counts an ID token as a failed sign-in, before it is checked. The caller refunds the attempt unless
// the token is invalid.
func (l *limits) idToken(client Client) (attempt, error) {
	var a attempt
	if wait := a.take(l.addressFailures, client.limitKey()); wait > 0 {
		return nil, &LimitError{ErrTooManySignIns, wait}
	}
	return a, nil
}

// mail counts a mail to an address, whether there is an account or not.
func (l *limits) mail(client Client, email string) error {
	if wait := l.addressMails.Take(client.limitKey()); wait > 0 {
		return &LimitError{ErrTooManyMails, wait}
	}
	if wait := l.accountMails.Take(email); wait > 0 {
		return &LimitError{ErrTooManyMailsToAccount, wait}
	}
	return nil
}
