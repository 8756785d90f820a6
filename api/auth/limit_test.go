package auth_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/api/auth"
	"research/identity"
)

// limited returns an edge with limits behind a number of trusted proxies.
func limited(t *testing.T, l identity.Limits, hops int) *edge {
	t.Helper()
	return setup(t, configured(func(c *auth.Config) { c.Identity.Limits, c.TrustedHops = l, hops }))
}

func from(address string) string { return "X-Forwarded-For: " + address }

// requireWait requires an error that says when to try again.
func requireWait(t *testing.T, a answer, code string) {
	t.Helper()
	requireError(t, a, 429, code)
	require.Regexp(t, `^[1-9][0-9]*$`, a.header.Get("Retry-After"))
}

func TestSignInLimits(t *testing.T) {
	t.Parallel()
	// requireWrong requires that a wrong password is checked, and not rejected by a limit.
	requireWrong := func(t *testing.T, e *edge, email string, headers ...string) {
		t.Helper()
		requireError(t, e.grant(t, email, "wrong", headers...), 400, "invalid_credentials")
	}
	requireLimited := func(t *testing.T, e *edge, email string, headers ...string) {
		t.Helper()
		requireWait(t, e.grant(t, email, "wrong", headers...), "over_request_rate_limit")
	}

	t.Run("bound the failures of an account, known or not, from a network", func(t *testing.T) {
		t.Parallel()
		e := limited(t, identity.Limits{AccountFailures: 3}, 1)
		e.User(t, "ada@example.com")
		for _, email := range []string{"ada@example.com", "nobody@example.com"} {
			for i := range 3 {
				requireWrong(t, e, strings.ToUpper(email), from(fmt.Sprintf("192.0.2.%d", i)))
			}
			requireLimited(t, e, email, from("192.0.2.9"))
		}
		e.clock.advance(21 * time.Minute) // a third of an hour refills one attempt
		e.signIn(t, "ada@example.com", correct)
		e.signIn(t, "ada@example.com", correct)
		requireWrong(t, e, "ada@example.com")
		requireLimited(t, e, "ada@example.com")
	})

	t.Run("do not keep an owner out because of wrong passwords from elsewhere", func(t *testing.T) {
		t.Parallel()
		e := limited(t, identity.Limits{AccountFailures: 3, AccountFailuresTotal: 6}, 1)
		e.User(t, "ada@example.com")
		home, office := from("198.51.100.7"), from("203.0.113.7")
		require.Equal(t, 200, e.grant(t, "ada@example.com", correct, home).status)
		for attacker := range 2 {
			for range 3 {
				requireWrong(t, e, "ada@example.com", from(fmt.Sprintf("192.0.%d.1", attacker)))
			}
			requireLimited(t, e, "ada@example.com", from(fmt.Sprintf("192.0.%d.1", attacker)))
		}
		requireLimited(t, e, "ada@example.com", from("192.0.99.1"))
		a := e.grant(t, "ada@example.com", correct, office)
		requireWait(t, a, "over_request_rate_limit") // where Ada never was, all networks share a limit
		require.Equal(t, 200, e.grant(t, "ada@example.com", correct, from("198.51.100.200")).status)
		e.clock.advance(11 * time.Minute)
		require.Equal(t, 200, e.grant(t, "ada@example.com", correct, office).status)
		require.Equal(t, 200, e.grant(t, "ada@example.com", correct, office).status)
	})

	t.Run("do not count the right password", func(t *testing.T) {
		t.Parallel()
		e := limited(t, identity.Limits{AccountFailures: 1, AddressFailures: 1}, 0)
		e.User(t, "ada@example.com")
		for range 10 {
			e.signIn(t, "ada@example.com", correct)
		}
	})

	t.Run("bound the failures of an address, as trusted proxies report it", func(t *testing.T) {
		t.Parallel()
		for hops, headers := range map[int][2]string{
			0: {from("198.51.100.1"), from("198.51.100.2")},                       // the header is ignored
			1: {from("198.51.100.1, 192.0.2.1"), from("198.51.100.2, 192.0.2.1")}, // the client chose the leftmost
			2: {from("9.9.9.9, 192.0.2.1, 10.0.0.1"), from("192.0.2.1, 10.0.0.2")},
		} {
			e := limited(t, identity.Limits{AddressFailures: 1}, hops)
			requireWrong(t, e, "a@example.com", headers[0])
			requireLimited(t, e, "b@example.com", headers[1])
		}
		e := limited(t, identity.Limits{AddressFailures: 1}, 1)
		requireWrong(t, e, "a@example.com", from("198.51.100.1"))
		requireWrong(t, e, "a@example.com", from("198.51.100.2"))
		// A single line has an IPv6 /64.
		requireWrong(t, e, "a@example.com", from("2001:db8:1:1::1"))
		requireLimited(t, e, "a@example.com", from("2001:db8:1:1:ffff::9"))
		requireWrong(t, e, "a@example.com", from("2001:db8:1:2::1"))
	})

	t.Run("of an address and of an account do not use each other up", func(t *testing.T) {
		t.Parallel()
		e := limited(t, identity.Limits{AccountFailures: 3, AddressFailures: 2}, 1)
		e.User(t, "ada@example.com")
		attacker := from("192.0.2.9") // the same network, and so the same limit of the account
		for range 2 {
			requireWrong(t, e, "ada@example.com", attacker)
		}
		for range 10 {
			requireLimited(t, e, "ada@example.com", attacker)
		}
		e.signIn(t, "ada@example.com", correct)
		requireWrong(t, e, "ada@example.com")
		for range 10 {
			requireLimited(t, e, "ada@example.com")
		}
		requireWrong(t, e, "grace@example.com")
		requireLimited(t, e, "grace@example.com")
	})

	t.Run("are off by default", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		for range 300 {
			requireWrong(t, e, "a@example.com")
		}
	})
}

func TestSignUpAndMailLimits(t *testing.T) {
	t.Parallel()
	e := limited(t, identity.Limits{AddressSignUps: 2, AccountMails: 2, AddressMails: 5}, 1)
	recoverAddress := func(email string, headers ...string) answer {
		return e.do(t, "POST", "/recover", jsonOf(map[string]any{"email": email}), headers...)
	}
	resend := func(email string) answer {
		return e.do(t, "POST", "/resend", jsonOf(map[string]any{"type": "signup", "email": email}))
	}
	for i, status := range []int{200, 200, 429} {
		require.Equal(t, status, e.signUp(t, fmt.Sprintf("a%d@example.com", i), passphrase).status)
	}
	for i, status := range []int{200, 200, 429} {
		header := from(fmt.Sprintf("198.51.100.%d", i))
		require.Equal(t, status, recoverAddress("a0@example.com", header).status)
	}
	for _, status := range []int{200, 200, 429} {
		require.Equal(t, status, recoverAddress("nobody@example.com").status, "an unknown account counts as well")
	}
	requireWait(t, resend("nobody@example.com"), "over_email_send_rate_limit")
	require.Equal(t, 200, resend("fifth@example.com").status)
	requireWait(t, recoverAddress("sixth@example.com"), "over_email_send_rate_limit")
}

func TestForwardedHeaderOfAnUntrustedProxyIsLoggedOnce(t *testing.T) {
	t.Parallel()
	for hops, warnings := range map[int]int{0: 1, 1: 0} {
		e := setup(t, configured(func(c *auth.Config) { c.TrustedHops = hops }))
		e.grant(t, "ada@example.com", "wrong")
		require.Empty(t, e.log.String())
		for range 3 {
			e.grant(t, "ada@example.com", "wrong", from("198.51.100.1"))
		}
		require.Equal(t, warnings, strings.Count(e.log.String(), "TRUSTED_PROXY_HOPS"))
		require.NotContains(t, e.log.String(), "198.51.100.1")
	}
}

func TestRefreshIsNotLimited(t *testing.T) {
	t.Parallel()
	e := limited(t, identity.Limits{
		AccountFailures: 1, AddressFailures: 1, AddressSignUps: 1, AccountMails: 1, AddressMails: 1,
	}, 0)
	e.User(t, "ada@example.com")
	s := e.signIn(t, "ada@example.com", correct)
	e.grant(t, "ada@example.com", "wrong")
	requireError(t, e.grant(t, "ada@example.com", correct), 429, "over_request_rate_limit")
	refresh := s.refresh
	for range 30 {
		a := e.refresh(t, refresh)
		require.Equal(t, 200, a.status, a.raw)
		refresh = a.body["refresh_token"].(string)
	}
}
