package auth_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/auth"
	"research/api/token"
	"research/db/dbtest"
	"research/temporalclient"
)

const passphrase = "a fine passphrase"

// configured is a change of the edge's configuration for setup.
func configured(change func(*auth.Config)) func(*auth.Config, *token.KeysConfig) {
	return func(c *auth.Config, _ *token.KeysConfig) { change(c) }
}

// requireAccepted requires that clients do not ask the user to confirm the address.
func requireAccepted(t *testing.T, user map[string]any) {
	t.Helper()
	require.Equal(t, user["created_at"], user["email_confirmed_at"])
	require.Equal(t, user["created_at"], user["confirmed_at"])
}

// requireUnproven requires that clients can tell that nobody has proven the address.
func requireUnproven(t *testing.T, user map[string]any) {
	t.Helper()
	identity := user["identities"].([]any)[0].(map[string]any)
	require.Equal(t, false, identity["identity_data"].(map[string]any)["email_verified"])
	require.NotContains(t, user["user_metadata"], "email_verified")
}

func TestUnprovenAddress(t *testing.T) {
	t.Parallel()

	t.Run("needs no confirmation with SIGNUP_CONFIRM=off", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		a := e.signUp(t, "unproven@example.com", passphrase)
		access := a.body["access_token"].(string)
		id := a.body["user"].(map[string]any)["id"].(string)
		for _, a := range []answer{
			e.getUser(t, access),
			e.do(t, "GET", "/admin/users/"+id, "", "apikey: "+serviceKey, bearer(serviceKey)),
		} {
			requireAccepted(t, a.body)
			requireUnproven(t, a.body)
		}
		require.NotContains(t, claim(t, access, "user_metadata"), "email_verified")
		require.True(t, dbtest.Value[bool](t, e.DB, `select email_confirmed_at is null from auth.users`))
		require.Equal(t, 200, e.do(t, "GET", "/reauthenticate", "", bearer(access)).status)
		require.Equal(t, 200, e.do(t, "POST", "/reauthenticate",
			jsonOf(map[string]any{"nonce": e.minted(t)}), bearer(access)).status)
		requireUnproven(t, e.getUser(t, access).body)
	})

	t.Run("of an invited user is not confirmed", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		a := e.do(t, "POST", "/invite", `{"email":"invited@example.com"}`,
			"apikey: "+serviceKey, bearer(serviceKey))
		require.Equal(t, 200, a.status, a.raw)
		require.Nil(t, a.body["email_confirmed_at"])
		requireUnproven(t, a.body)
	})

	t.Run("is not confirmed where sign-ups must confirm it", func(t *testing.T) {
		t.Parallel()
		e := setup(t, configured(func(c *auth.Config) { c.Identity.ConfirmEmail = true }))
		user := e.signUp(t, "unproven@example.com", passphrase).body
		require.Nil(t, user["email_confirmed_at"])
		requireUnproven(t, user)
	})
}

func TestSignUp(t *testing.T) {
	t.Parallel()
	e := setup(t)

	t.Run("begins a session, with metadata and a profile", func(t *testing.T) {
		t.Parallel()
		a := e.do(t, "POST", "/signup", `{"email": " New@Example.com ", "password": "a fine passphrase",
			"data": {"display_name": "New", "n": 1}}`)
		require.Equal(t, 200, a.status, a.raw)
		require.NotEmpty(t, a.body["access_token"])
		user := a.body["user"].(map[string]any)
		require.Equal(t, "new@example.com", user["email"])
		requireAccepted(t, user)
		requireUnproven(t, user)
		require.Equal(t, "New", dbtest.Value[string](t, e.DB,
			`select display_name from profiles where email = 'new@example.com'`))
		e.signIn(t, "NEW@example.com", passphrase)
	})

	t.Run("leaves characters that change how a text reads out of names", func(t *testing.T) {
		t.Parallel()
		a := e.do(t, "POST", "/signup", `{"email": "reads@example.com", "password": "a fine passphrase",
			"data": {"display_name": "Ada\u202e ecalevoL\u200b"}}`)
		require.Equal(t, 200, a.status, a.raw)
		require.Equal(t, "Ada ecalevoL", dbtest.Value[string](t, e.DB,
			`select display_name from profiles where email = 'reads@example.com'`))
	})

	t.Run("rejects a taken address, however it is capitalized", func(t *testing.T) {
		t.Parallel()
		e.User(t, "taken@example.com")
		requireError(t, e.signUp(t, "TAKEN@Example.COM", passphrase), 422, "user_already_exists")
	})

	t.Run("gives a mailbox one account, however its domain is written", func(t *testing.T) {
		t.Parallel()
		spellings := []string{
			"dana@b\u00fccher.example", "Dana@B\u00dcCHER.example", "dana@bu\u0308cher.example",
			"dana@xn--bcher-kva.example",
		}
		a := e.signUp(t, spellings[0], passphrase)
		require.Equal(t, 200, a.status, a.raw)
		require.Equal(t, "dana@xn--bcher-kva.example", a.body["user"].(map[string]any)["email"])
		for _, spelling := range spellings {
			requireError(t, e.signUp(t, spelling, passphrase), 422, "user_already_exists")
			e.signIn(t, spelling, passphrase)
		}
		requireError(t, e.signUp(t, "dana@-\u00fc.example", passphrase), 400, "validation_failed")
	})

	// withData is a sign-up with metadata.
	withData := func(data string) string {
		return `{"email":"a@example.com","password":"a fine passphrase","data":` + data + `}`
	}
	for name, tt := range map[string]struct {
		body   string
		status int
		code   string
	}{
		"no address and no password": {`{}`, 422, "anonymous_provider_disabled"},
		"no password":                {`{"email":"a@example.com"}`, 400, "validation_failed"},
		"a phone":                    {`{"phone":"+49151","password":"x"}`, 400, "phone_provider_disabled"},
		"no address":                 {`{"password":"a fine passphrase"}`, 400, "validation_failed"},
		"an address without a host":  {credentials("a", passphrase), 400, "validation_failed"},
		"an address with a name":     {credentials("A <a@example.com>", passphrase), 400, "validation_failed"},
		"two addresses":              {credentials("a@b.example,c@d.org", passphrase), 400, "validation_failed"},
		"NUL in the address":         {credentials("a\x00@example.com", passphrase), 400, "validation_failed"},
		"a header in the address": {
			credentials("a@example.com\r\nBcc: b@example.com", passphrase), 400, "validation_failed",
		},
		"an address that reads backwards": {
			credentials("ada\u202ecom.elpmaxe@example.com", passphrase), 400, "validation_failed",
		},
		"an address with an invisible space": {
			credentials("ada\u200b@example.com", passphrase), 400, "validation_failed",
		},
		"an address that is too long": {
			credentials(strings.Repeat("a", 300)+"@example.com", passphrase), 400, "validation_failed",
		},
		"NUL in the metadata":     {withData(`{"a":"\u0000"}`), 400, "validation_failed"},
		"a number out of range":   {withData(`{"a":1e999999}`), 400, "validation_failed"},
		"metadata that is a list": {withData(`[1]`), 400, "bad_json"},
		"text that is not JSON":   {`email=a`, 400, "bad_json"},
		"metadata above 16 KB": {
			withData(`{"a":"` + strings.Repeat("a", 17<<10) + `"}`), 422, "validation_failed",
		},
	} {
		t.Run("rejects "+name, func(t *testing.T) {
			t.Parallel()
			requireError(t, e.do(t, "POST", "/signup", tt.body), tt.status, tt.code)
		})
	}

	t.Run("can be switched off, or limited to domains", func(t *testing.T) {
		t.Parallel()
		off := setup(t, configured(func(c *auth.Config) { c.Identity.SignUp = "off" }))
		requireError(t, off.signUp(t, "a@example.com", passphrase), 422, "signup_disabled")
		require.Equal(t, true, off.do(t, "GET", "/settings", "").body["disable_signup"])
		limited := setup(t, configured(func(c *auth.Config) { c.Identity.SignUp = "example.com, @Example.org" }))
		for email, status := range map[string]int{
			"a@example.com": 200, "a@EXAMPLE.org": 200,
			"a@example.net": 422, "a@sub.example.com": 422, "a@notexample.com": 422,
		} {
			require.Equal(t, status, limited.signUp(t, email, passphrase).status, email)
		}
		require.Equal(t, false, limited.do(t, "GET", "/settings", "").body["mailer_autoconfirm"])
	})

	t.Run("limited to domains, needs the proof of the address", func(t *testing.T) {
		t.Parallel()
		e := setup(t, configured(func(c *auth.Config) { c.Identity.SignUp = "example.com" }))
		a := e.signUp(t, "nobody.invented@example.com", passphrase)
		require.Equal(t, 200, a.status, a.raw)
		require.Nil(t, a.body["access_token"])
		requireError(t, e.grant(t, "nobody.invented@example.com", passphrase), 400, "email_not_confirmed")
		a = e.verify(t, "signup", e.minted(t))
		require.Equal(t, 200, a.status, a.raw)

		access := a.body["access_token"].(string)
		requireError(t, e.putUser(t, access, `{"email":"mine@elsewhere.example"}`),
			422, "email_address_not_authorized")
		require.Equal(t, 200, e.putUser(t, access, `{"email":"other@example.com"}`).status)
	})

	t.Run("that is switched off does not keep users from another address", func(t *testing.T) {
		t.Parallel()
		e := setup(t, configured(func(c *auth.Config) { c.Identity.SignUp = "off" }))
		e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		require.Equal(t, 200, e.putUser(t, s.access, `{"email":"ada@example.net"}`).status)
	})
}

func TestPasswordPolicy(t *testing.T) {
	t.Parallel()
	// requireReasons requires that a password is rejected for these reasons, or accepted if there are none.
	requireReasons := func(t *testing.T, e *edge, password string, reasons []any) {
		t.Helper()
		a := e.signUp(t, "somebody@example.com", password)
		if reasons == nil {
			require.Equal(t, 200, a.status, "%s: %s", password, a.raw)
			e.Exec(t, `delete from auth.users where email = 'somebody@example.com'`)
			return
		}
		requireError(t, a, 422, "weak_password")
		require.Equal(t, reasons, a.body["weak_password"].(map[string]any)["reasons"], password)
	}

	t.Run("requires eight characters, and rejects passwords that are easy to guess", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
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
			"password123":            {"pwned"},
			"iloveyou1":              {"pwned"},
			"Summer2026":             {"pwned"},
			"qwertyui":               {"pwned"},
			"P@ssw0rd!":              {"pwned"},
			"somebody2026":           {"pwned"},
			"äöüß":                   {"length"},
			"1234":                   {"length"},
			"correct horse":          nil,
			"äöüßäöüß":               nil, // eight characters of sixteen bytes
			strings.Repeat("ab", 36): nil, // 72 bytes
		} {
			requireReasons(t, e, password, reasons)
		}
		a := e.signUp(t, "b@example.com", strings.Repeat("ab", 36)+"c")
		requireError(t, a, 422, "validation_failed")
		require.Contains(t, a.body["msg"], "72 bytes")
		requireError(t, e.signUp(t, "b@example.com", "a fine\x00passphrase"), 422, "validation_failed")
	})

	t.Run("accepts a password that is made of substitutions", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		substitutions := strings.Repeat("4@8({[<369!1|0$57+2%", 4)[:72]
		require.Equal(t, 200, e.signUp(t, "somebody@example.com", substitutions).status)
	})

	t.Run("may require more characters, and some of each class", func(t *testing.T) {
		t.Parallel()
		e := setup(t, configured(func(c *auth.Config) {
			c.Identity.PasswordMinLength = 10
			c.Identity.PasswordCharacters = []string{"lower", "upper", "digit", "symbol"}
		}))
		for password, reasons := range map[string][]any{
			"Abcdefg-12":  nil,
			"Abcdefg 123": {"characters", "pwned"},
			"abcdefg-12":  {"characters", "pwned"},
			"ABCDEFG-12":  {"characters"},
			"Abcdefg-xy":  {"characters"},
			"a":           {"length", "characters"},
		} {
			requireReasons(t, e, password, reasons)
		}
	})
}

func TestSignUpByLink(t *testing.T) {
	t.Parallel()
	byLink := configured(func(c *auth.Config) { c.Identity.ConfirmEmail = true })

	t.Run("mails a link, which is required for the first sign-in", func(t *testing.T) {
		t.Parallel()
		e := setup(t, byLink)
		a := e.signUp(t, "new@example.com", passphrase)
		require.Equal(t, 200, a.status, a.raw)
		require.Nil(t, a.body["access_token"])
		require.Equal(t, "new@example.com", a.body["email"])
		requireError(t, e.grant(t, "new@example.com", passphrase), 400, "email_not_confirmed")
		requireError(t, e.grant(t, "new@example.com", "wrong"), 400, "invalid_credentials")
		a = e.verify(t, "signup", e.minted(t))
		require.Equal(t, 200, a.status, a.raw)
		require.NotEmpty(t, a.body["access_token"])
		e.signIn(t, "new@example.com", passphrase)
	})

	t.Run("answers the same for a taken address, and mails it nothing", func(t *testing.T) {
		t.Parallel()
		e := setup(t, byLink)
		e.User(t, "taken@example.com")
		const hashSQL = `select encrypted_password from auth.users where email = 'taken@example.com'`
		before := dbtest.Value[string](t, e.DB, hashSQL)
		taken, free := e.signUp(t, "taken@example.com", passphrase), e.signUp(t, "freex@example.com", passphrase)
		require.Equal(t, typesOf(free.body), typesOf(taken.body))
		require.Equal(t, free.status, taken.status)
		require.Equal(t, free.header, taken.header)
		require.Len(t, e.mail.requests, 2, "a workflow is started for both")
		require.Equal(t, 1, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.one_time_tokens`))
		require.Equal(t, before, dbtest.Value[string](t, e.DB, hashSQL))
	})

	t.Run("mails the link again on request, and does not reveal whether one was awaited", func(t *testing.T) {
		t.Parallel()
		e := setup(t, byLink)
		e.User(t, "done@example.com")
		e.signUp(t, "new@example.com", passphrase)
		first := e.minted(t)
		bodies := map[string]bool{}
		for _, email := range []string{"nobody@example.com", "done@example.com", "new@example.com"} {
			a := e.do(t, "POST", "/resend", jsonOf(map[string]any{"type": "signup", "email": email}))
			require.Equal(t, 200, a.status)
			bodies[a.raw] = true
		}
		require.Len(t, bodies, 1)
		second := e.minted(t)
		requireError(t, e.verify(t, "signup", first), 403, "otp_expired")
		require.Equal(t, 200, e.verify(t, "email", second).status)
		a := e.do(t, "POST", "/resend", `{"type":"sms","email":"a@example.com"}`)
		requireError(t, a, 400, "validation_failed")
	})

	t.Run("leaves no account behind if the mail cannot be requested", func(t *testing.T) {
		t.Parallel()
		e := setup(t, byLink)
		e.mail.fail = fmt.Errorf("start: %w", temporalclient.ErrUnavailable)
		a := e.signUp(t, "new@example.com", passphrase)
		requireError(t, a, http.StatusServiceUnavailable, "unexpected_failure")
		require.NotEmpty(t, a.header.Get("Retry-After"))
		require.Zero(t, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.users`))
		require.Zero(t, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.one_time_tokens`))
		e.mail.fail = errors.New("something else")
		a = e.signUp(t, "new@example.com", passphrase)
		requireError(t, a, http.StatusInternalServerError, "unexpected_failure")
	})
}

// typesOf returns the type of each field of a body.
func typesOf(body map[string]any) map[string]string {
	types := map[string]string{}
	for name, value := range body {
		types[name] = fmt.Sprintf("%T", value)
	}
	return types
}
