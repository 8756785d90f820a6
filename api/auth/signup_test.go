package auth_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/api/auth"
	"research/api/token"
	"research/db/dbtest"
	"research/temporalclient"
)

func configured(change func(*auth.Config)) func(*auth.Config, *token.KeysConfig) {
	return func(c *auth.Config, _ *token.KeysConfig) { change(c) }
}

func TestSignUp(t *testing.T) {
	t.Parallel()
	e := setup(t)

	t.Run("signs in at once, with metadata and a profile", func(t *testing.T) {
		t.Parallel()
		a := e.do(t, "POST", "/signup", `{"email":" New@Example.com ","password":"a fine passphrase","data":{"display_name":"New","n":1}}`)
		require.Equal(t, 200, a.status, a.raw)
		require.NotEmpty(t, a.body["access_token"])
		user := a.body["user"].(map[string]any)
		require.Equal(t, "new@example.com", user["email"])
		require.NotEmpty(t, user["email_confirmed_at"])
		require.Equal(t, "New", dbtest.Value[string](t, e.DB, `select display_name from profiles where email = 'new@example.com'`))
		e.signIn(t, "NEW@example.com", "a fine passphrase")
	})

	t.Run("keeps addresses apart however they are written", func(t *testing.T) {
		t.Parallel()
		e.User(t, "taken@example.com")
		requireError(t, e.do(t, "POST", "/signup", `{"email":"TAKEN@Example.COM","password":"a fine passphrase"}`), 422, "user_already_exists")
	})

	for name, one := range map[string]struct {
		body   string
		status int
		code   string
	}{
		"no address and no password": {`{}`, 422, "anonymous_provider_disabled"},
		"no password":                {`{"email":"a@example.com"}`, 400, "validation_failed"},
		"a phone":                    {`{"phone":"+49151","password":"a fine passphrase"}`, 400, "phone_provider_disabled"},
		"no address":                 {`{"password":"a fine passphrase"}`, 400, "validation_failed"},
		"an address without a host":  {`{"email":"a","password":"a fine passphrase"}`, 400, "validation_failed"},
		"an address with a name":     {`{"email":"A <a@example.com>","password":"a fine passphrase"}`, 400, "validation_failed"},
		"two addresses":              {`{"email":"a@example.com,b@example.com","password":"a fine passphrase"}`, 400, "validation_failed"},
		"a header in the address":    {`{"email":"a@example.com\r\nBcc: b@example.com","password":"a fine passphrase"}`, 400, "validation_failed"},
		"NUL in the address":         {`{"email":"a\u0000@example.com","password":"a fine passphrase"}`, 400, "validation_failed"},
		"an endless address":         {`{"email":"` + strings.Repeat("a", 300) + `@example.com","password":"a fine passphrase"}`, 400, "validation_failed"},
		"NUL in the metadata":        {`{"email":"a@example.com","password":"a fine passphrase","data":{"a":"\u0000"}}`, 400, "validation_failed"},
		"a number beyond numeric":    {`{"email":"a@example.com","password":"a fine passphrase","data":{"a":1e999999}}`, 400, "validation_failed"},
		"metadata beyond a header":   {`{"email":"a@example.com","password":"a fine passphrase","data":{"a":"` + strings.Repeat("a", 17<<10) + `"}}`, 422, "validation_failed"},
		"no JSON":                    {`email=a`, 400, "bad_json"},
		"metadata that is a list":    {`{"email":"a@example.com","password":"a fine passphrase","data":[1]}`, 400, "bad_json"},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			requireError(t, e.do(t, "POST", "/signup", one.body), one.status, one.code)
		})
	}

	t.Run("is off, or open to some domains only, by setting", func(t *testing.T) {
		t.Parallel()
		off := setup(t, configured(func(c *auth.Config) { c.SignUp = "off" }))
		requireError(t, off.do(t, "POST", "/signup", `{"email":"a@example.com","password":"a fine passphrase"}`), 422, "signup_disabled")
		require.Equal(t, true, off.do(t, "GET", "/settings", "").body["disable_signup"])
		some := setup(t, configured(func(c *auth.Config) { c.SignUp = "example.com, @Example.org" }))
		for email, status := range map[string]int{"a@example.com": 200, "a@EXAMPLE.org": 200, "a@example.net": 422, "a@sub.example.com": 422, "a@notexample.com": 422} {
			require.Equal(t, status, some.do(t, "POST", "/signup", `{"email":"`+email+`","password":"a fine passphrase"}`).status, email)
		}
	})
}

func TestPasswordRules(t *testing.T) {
	t.Parallel()
	strict := setup(t, configured(func(c *auth.Config) {
		c.PasswordMinLength, c.PasswordCharacters = 10, []string{"lower", "upper", "digit", "symbol"}
	}))
	plain := setup(t)
	for password, reasons := range map[string][]any{
		"short":                  {"length"},
		"password":               {"pwned"},
		"PassWord":               {"pwned"},
		"12345678":               {"pwned"},
		"87654321":               {"pwned"},
		"aaaaaaaa":               {"pwned"},
		"abcdefgh":               {"pwned"},
		"somebody":               {"pwned"}, // the local part of the address
		"somebody@example.com":   {"pwned"},
		"äöüß":                   {"length"},
		"1234":                   {"length", "pwned"},
		"correct horse":          nil,
		"äöüßäöüß":               nil, // eight characters of sixteen bytes
		strings.Repeat("ab", 36): nil, // 72 bytes
	} {
		a := plain.do(t, "POST", "/signup", jsonOf(map[string]any{"email": "somebody@example.com", "password": password}))
		if reasons == nil {
			require.Equal(t, 200, a.status, "%s: %s", password, a.raw)
			plain.Exec(t, `delete from auth.users where email = 'somebody@example.com'`)
			continue
		}
		requireError(t, a, 422, "weak_password")
		require.Equal(t, reasons, a.body["weak_password"].(map[string]any)["reasons"], password)
	}
	for password, reasons := range map[string][]any{"Abcdefg-12": nil, "Abcdefg 123": {"characters"}, "abcdefg-12": {"characters"}, "ABCDEFG-12": {"characters"}, "Abcdefg-xy": {"characters"}, "a": {"length", "characters", "pwned"}} {
		a := strict.do(t, "POST", "/signup", jsonOf(map[string]any{"email": "x" + fmt.Sprint(len(reasons)) + "@example.com", "password": password}))
		if reasons == nil {
			require.Equal(t, 200, a.status, a.raw)
			continue
		}
		requireError(t, a, 422, "weak_password")
		require.Equal(t, reasons, a.body["weak_password"].(map[string]any)["reasons"], password)
	}
	a := plain.do(t, "POST", "/signup", jsonOf(map[string]any{"email": "b@example.com", "password": strings.Repeat("ab", 36) + "c"}))
	requireError(t, a, 422, "validation_failed")
	require.Contains(t, a.body["msg"], "72 bytes")
	requireError(t, plain.do(t, "POST", "/signup", `{"email":"b@example.com","password":"a fine\u0000passphrase"}`), 422, "validation_failed")
}

func TestSignUpByLink(t *testing.T) {
	t.Parallel()
	byLink := configured(func(c *auth.Config) { c.ConfirmEmail = true })

	t.Run("mails a link, without which nobody signs in", func(t *testing.T) {
		t.Parallel()
		e := setup(t, byLink)
		a := e.do(t, "POST", "/signup", `{"email":"new@example.com","password":"a fine passphrase"}`)
		require.Equal(t, 200, a.status, a.raw)
		require.Nil(t, a.body["access_token"])
		require.Equal(t, "new@example.com", a.body["email"])
		requireError(t, e.do(t, "POST", "/token?grant_type=password", `{"email":"new@example.com","password":"a fine passphrase"}`), 400, "email_not_confirmed")
		requireError(t, e.do(t, "POST", "/token?grant_type=password", `{"email":"new@example.com","password":"wrong"}`), 400, "invalid_credentials")
		secret := e.minted(t)
		a = e.do(t, "POST", "/verify", jsonOf(map[string]any{"type": "signup", "token_hash": secret}))
		require.Equal(t, 200, a.status, a.raw)
		require.NotEmpty(t, a.body["access_token"])
		e.signIn(t, "new@example.com", "a fine passphrase")
	})

	t.Run("answers the same for an address that is taken, and mails it nothing", func(t *testing.T) {
		t.Parallel()
		e := setup(t, byLink)
		e.User(t, "taken@example.com")
		taken := e.do(t, "POST", "/signup", `{"email":"taken@example.com","password":"a fine passphrase"}`)
		free := e.do(t, "POST", "/signup", `{"email":"freex@example.com","password":"a fine passphrase"}`)
		require.Equal(t, shapeOf(free.body), shapeOf(taken.body))
		require.Equal(t, free.status, taken.status)
		require.Equal(t, free.header, taken.header)
		require.Len(t, e.mail.requests, 2, "a workflow is started for both")
		require.Equal(t, 1, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.one_time_tokens`))
		require.Equal(t, "$2a$04$ehgBoyD41KUdnEGIHJRV7eL5LH7PcO.sYseyUggZ/XVUGdLQr/DDC", dbtest.Value[string](t, e.DB, `select encrypted_password from auth.users where email = 'taken@example.com'`))
	})

	t.Run("mails the link again on demand, and tells nobody whether one was awaited", func(t *testing.T) {
		t.Parallel()
		e := setup(t, byLink)
		e.User(t, "done@example.com")
		e.do(t, "POST", "/signup", `{"email":"new@example.com","password":"a fine passphrase"}`)
		first := e.minted(t)
		bodies := map[string]bool{}
		for _, email := range []string{"nobody@example.com", "done@example.com", "new@example.com"} {
			a := e.do(t, "POST", "/resend", jsonOf(map[string]any{"type": "signup", "email": email}))
			require.Equal(t, 200, a.status)
			bodies[a.raw] = true
		}
		require.Len(t, bodies, 1)
		second := e.minted(t)
		requireError(t, e.do(t, "POST", "/verify", jsonOf(map[string]any{"type": "signup", "token_hash": first})), 403, "otp_expired")
		require.Equal(t, 200, e.do(t, "POST", "/verify", jsonOf(map[string]any{"type": "email", "token_hash": second})).status)
		requireError(t, e.do(t, "POST", "/resend", `{"type":"sms","email":"a@example.com"}`), 400, "validation_failed")
	})

	t.Run("mails the link again to who signs up again before following it, and changes nothing else", func(t *testing.T) {
		t.Parallel()
		e := setup(t, byLink)
		e.do(t, "POST", "/signup", `{"email":"new@example.com","password":"a fine passphrase"}`)
		e.do(t, "POST", "/signup", `{"email":"New@example.com","password":"another passphrase"}`)
		require.Equal(t, 200, e.do(t, "POST", "/verify", jsonOf(map[string]any{"type": "signup", "token_hash": e.minted(t)})).status)
		e.signIn(t, "new@example.com", "a fine passphrase")
	})

	t.Run("leaves no account behind whose mail could not be asked for", func(t *testing.T) {
		t.Parallel()
		e := setup(t, byLink)
		e.mail.fail = fmt.Errorf("start: %w", temporalclient.ErrUnavailable)
		a := e.do(t, "POST", "/signup", `{"email":"new@example.com","password":"a fine passphrase"}`)
		requireError(t, a, 503, "unexpected_failure")
		require.NotEmpty(t, a.header.Get("Retry-After"))
		require.Zero(t, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.users`))
		e.mail.fail = errors.New("something else")
		requireError(t, e.do(t, "POST", "/signup", `{"email":"new@example.com","password":"a fine passphrase"}`), 500, "unexpected_failure")
	})
}

// shapeOf is a body with its values left out but for those that say something.
func shapeOf(body map[string]any) map[string]string {
	shape := map[string]string{}
	for name, value := range body {
		shape[name] = fmt.Sprintf("%T", value)
	}
	return shape
}

func TestLimits(t *testing.T) {
	t.Parallel()
	wrong := func(e *edge, email string, headers ...string) answer {
		return e.do(t, "POST", "/token?grant_type=password", jsonOf(map[string]any{"email": email, "password": "wrong"}), headers...)
	}
	requireWait := func(a answer, code string) {
		t.Helper()
		requireError(t, a, 429, code)
		require.Regexp(t, `^[1-9][0-9]*$`, a.header.Get("Retry-After"))
	}
	limited := func(l auth.Limits, hops int) *edge {
		return setup(t, configured(func(c *auth.Config) { c.Limits, c.TrustedHops = l, hops }))
	}

	t.Run("failures of an account, known or not, from wherever", func(t *testing.T) {
		t.Parallel()
		e := limited(auth.Limits{AccountFailures: 3}, 1)
		e.User(t, "ada@example.com")
		for _, email := range []string{"ada@example.com", "nobody@example.com"} {
			for i := range 3 {
				requireError(t, wrong(e, strings.ToUpper(email), fmt.Sprintf("X-Forwarded-For: 198.51.100.%d", i)), 400, "invalid_credentials")
			}
			requireWait(wrong(e, email, "X-Forwarded-For: 203.0.113.9"), "over_request_rate_limit")
		}
		e.clock.turn(21 * time.Minute) // a third of an hour gives one back
		e.signIn(t, "ada@example.com", correct)
		e.signIn(t, "ada@example.com", correct)
		requireError(t, wrong(e, "ada@example.com"), 400, "invalid_credentials")
		requireWait(wrong(e, "ada@example.com"), "over_request_rate_limit")
	})

	t.Run("good sign-ins never count", func(t *testing.T) {
		t.Parallel()
		e := limited(auth.Limits{AccountFailures: 1, AddressFailures: 1}, 0)
		e.User(t, "ada@example.com")
		for range 10 {
			e.signIn(t, "ada@example.com", correct)
		}
	})

	t.Run("failures of an address; the header is believed only as far as proxies are trusted", func(t *testing.T) {
		t.Parallel()
		for hops, headers := range map[int][2]string{
			0: {"X-Forwarded-For: 198.51.100.1", "X-Forwarded-For: 198.51.100.2"},                       // not believed at all
			1: {"X-Forwarded-For: 198.51.100.1, 192.0.2.1", "X-Forwarded-For: 198.51.100.2, 192.0.2.1"}, // the leftmost is anybody's invention
			2: {"X-Forwarded-For: 9.9.9.9, 192.0.2.1, 10.0.0.1", "X-Forwarded-For: 192.0.2.1, 10.0.0.2"},
		} {
			e := limited(auth.Limits{AddressFailures: 1}, hops)
			requireError(t, wrong(e, "a@example.com", headers[0]), 400, "invalid_credentials")
			requireWait(wrong(e, "b@example.com", headers[1]), "over_request_rate_limit")
		}
		e := limited(auth.Limits{AddressFailures: 1}, 1)
		requireError(t, wrong(e, "a@example.com", "X-Forwarded-For: 198.51.100.1"), 400, "invalid_credentials")
		requireError(t, wrong(e, "a@example.com", "X-Forwarded-For: 198.51.100.2"), 400, "invalid_credentials")
		// An IPv6 line has a /64 whole.
		requireError(t, wrong(e, "a@example.com", "X-Forwarded-For: 2001:db8:1:1::1"), 400, "invalid_credentials")
		requireWait(wrong(e, "a@example.com", "X-Forwarded-For: 2001:db8:1:1:ffff::9"), "over_request_rate_limit")
		requireError(t, wrong(e, "a@example.com", "X-Forwarded-For: 2001:db8:1:2::1"), 400, "invalid_credentials")
	})

	t.Run("an address without tries left uses up nobody's", func(t *testing.T) {
		t.Parallel()
		e := limited(auth.Limits{AccountFailures: 3, AddressFailures: 2}, 1)
		e.User(t, "ada@example.com")
		for range 2 {
			requireError(t, wrong(e, "ada@example.com", "X-Forwarded-For: 203.0.113.9"), 400, "invalid_credentials")
		}
		for range 10 {
			requireWait(wrong(e, "ada@example.com", "X-Forwarded-For: 203.0.113.9"), "over_request_rate_limit")
		}
		e.signIn(t, "ada@example.com", correct)
		requireError(t, wrong(e, "ada@example.com"), 400, "invalid_credentials")
		for range 10 {
			requireWait(wrong(e, "ada@example.com"), "over_request_rate_limit")
		}
		requireError(t, wrong(e, "grace@example.com"), 400, "invalid_credentials")
		requireWait(wrong(e, "grace@example.com"), "over_request_rate_limit")
	})

	t.Run("sign-ups and mails", func(t *testing.T) {
		t.Parallel()
		e := limited(auth.Limits{AddressSignUps: 2, AccountMails: 2, AddressMails: 5}, 1)
		for i, status := range []int{200, 200, 429} {
			require.Equal(t, status, e.do(t, "POST", "/signup", fmt.Sprintf(`{"email":"a%d@example.com","password":"a fine passphrase"}`, i)).status)
		}
		for i, status := range []int{200, 200, 429} {
			require.Equal(t, status, e.do(t, "POST", "/recover", `{"email":"a0@example.com"}`, fmt.Sprintf("X-Forwarded-For: 198.51.100.%d", i)).status)
		}
		// Known or unknown, an account is counted alike.
		for _, status := range []int{200, 200, 429} {
			require.Equal(t, status, e.do(t, "POST", "/recover", `{"email":"nobody@example.com"}`).status)
		}
		requireWait(e.do(t, "POST", "/resend", `{"type":"signup","email":"nobody@example.com"}`), "over_email_send_rate_limit")
		require.Equal(t, 200, e.do(t, "POST", "/resend", `{"type":"signup","email":"fifth@example.com"}`).status)
		requireWait(e.do(t, "POST", "/recover", `{"email":"sixth@example.com"}`), "over_email_send_rate_limit")
	})

	t.Run("none where none is set", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		for range 300 {
			requireError(t, wrong(e, "a@example.com"), 400, "invalid_credentials")
		}
	})
}

func TestAudit(t *testing.T) {
	t.Parallel()
	e := setup(t, configured(func(c *auth.Config) { c.TrustedHops = 1 }))
	id := e.User(t, "ada@example.com")
	s := e.signIn(t, "ada@example.com", correct)
	from := "X-Forwarded-For: 203.0.113.5"
	e.do(t, "POST", "/token?grant_type=password", `{"email":"ada@example.com","password":"hunter2-wrong"}`, from)
	e.do(t, "POST", "/token?grant_type=password", `{"email":"somebodys-typo@example.com","password":"hunter2-wrong"}`, from)
	e.do(t, "PUT", "/user", `{"password":"hunter2-changed"}`, bearer(s.access))
	e.do(t, "POST", "/recover", `{"email":"somebodys-typo@example.com"}`)
	e.do(t, "POST", "/logout", "", bearer(s.access))
	require.Equal(t, 2, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.audit_log_entries where payload ->> 'action' = 'login_failed' and ip_address = '203.0.113.5'`))
	require.Equal(t, id.String(), dbtest.Value[string](t, e.DB, `select payload ->> 'actor_id' from auth.audit_log_entries where payload ->> 'action' = 'login_failed' and payload ->> 'actor_id' is not null`))
	for _, action := range []string{"login", "user_updated_password", "mail_requested", "logout"} {
		require.Equal(t, 1, e.audited(t, action), action)
	}
	all := dbtest.Value[string](t, e.DB, `select string_agg(payload::text, ' ') from auth.audit_log_entries`)
	for _, never := range []string{"hunter2", correct, s.access, s.refresh, "somebodys-typo", "$2a$"} {
		require.NotContains(t, all, never)
	}
}
