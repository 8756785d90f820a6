package auth_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/auth"
	"research/db"
	"research/db/dbtest"
)

// generate sends POST /admin/generate_link.
func (e *edge) generate(t testing.TB, body map[string]any) answer {
	t.Helper()
	return e.do(t, "POST", "/admin/generate_link", jsonOf(body), "apikey: "+serviceKey, bearer(serviceKey))
}

// generated requires that a link is returned.
func (e *edge) generated(t testing.TB, body map[string]any) answer {
	t.Helper()
	a := e.generate(t, body)
	require.Equal(t, 200, a.status, a.raw)
	link := a.body["action_link"].(string)
	require.Contains(t, link, "https://research.example/auth/v1/verify?")
	require.Contains(t, link, a.body["hashed_token"])
	require.Regexp(t, `^\d{6}$`, a.body["email_otp"])
	return a
}

func TestGenerateLink(t *testing.T) {
	t.Parallel()
	byLink := configured(func(c *auth.Config) {
		c.Identity.ConfirmEmail = true
		c.Identity.RedirectURLs = []string{"https://app.example"}
	})

	t.Run("makes links and codes of all types, and mails nothing", func(t *testing.T) {
		t.Parallel()
		for name, use := range map[string]func(e *edge, email, linkType string, a answer) answer{
			"by the link": func(e *edge, _, linkType string, a answer) answer {
				return e.verify(t, linkType, a.body["hashed_token"].(string))
			},
			"by the code": func(e *edge, email, linkType string, a answer) answer {
				return e.enterCode(t, email, a.body["email_otp"].(string), linkType)
			},
		} {
			e := setup(t, byLink)
			e.User(t, "ada@example.com")
			for _, order := range []map[string]any{
				{"type": "signup", "email": "signup@example.com", "password": passphrase},
				{"type": "invite", "email": "invite@example.com"},
				{"type": "magiclink", "email": "new@example.com"},
				{"type": "magiclink", "email": "ada@example.com"},
				{"type": "recovery", "email": "ada@example.com"},
			} {
				order["redirect_to"] = "https://app.example/welcome"
				a := e.generated(t, order)
				require.Equal(t, "https://app.example/welcome", a.body["redirect_to"])
				linkType := a.body["verification_type"].(string)
				if order["email"] == "new@example.com" {
					require.Equal(t, "signup", linkType)
				} else {
					require.Equal(t, order["type"], linkType)
				}
				require.Contains(t, a.body["action_link"], "type="+linkType)
				requireNothingToMail(t, e) // a mail would have another link, and make this one useless
				used := use(e, order["email"].(string), linkType, a)
				require.Equal(t, 200, used.status, name, used.raw)
			}
			e.signIn(t, "signup@example.com", passphrase)
			require.Empty(t, e.mail.requests)
			requireNothingToMail(t, e)
		}
	})

	t.Run("changes an address only by the links to both", func(t *testing.T) {
		t.Parallel()
		current := map[string]any{
			"type": "email_change_current", "email": "ada@example.com", "new_email": "b@x.example",
		}
		changed := map[string]any{
			"type": "email_change_new", "email": "ada@example.com", "new_email": "b@x.example",
		}
		for _, orders := range [][]map[string]any{{current, changed}, {changed, current}} {
			e := setup(t)
			e.User(t, "ada@example.com")
			first := e.generated(t, orders[0])
			requireNothingToMail(t, e)
			require.Equal(t, "b@x.example", first.body["new_email"])
			require.Contains(t, first.body["action_link"], "&type=email_change&redirect_to=")
			a := e.verify(t, "email_change", first.body["hashed_token"].(string))
			require.Contains(t, a.raw, "Confirmation link accepted")
			a = e.verify(t, "email_change", e.generated(t, orders[1]).body["hashed_token"].(string))
			require.Equal(t, 200, a.status, a.raw)
			require.Equal(t, "b@x.example", a.body["user"].(map[string]any)["email"])
			require.Empty(t, e.mail.requests)
			require.Empty(t, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.one_time_tokens`))
		}
	})

	t.Run("puts a password in force with the link only", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		order := map[string]any{
			"type": "signup", "email": "a@example.com", "password": passphrase, "data": map[string]any{"n": 1},
		}
		a := e.generated(t, order)
		require.Equal(t, jsonOf(map[string]any{"n": 1}), jsonOf(a.body["user_metadata"]))
		requireError(t, e.grant(t, "a@example.com", passphrase), 400, "email_not_confirmed")
		require.Equal(t, 200, e.verify(t, "signup", a.body["hashed_token"].(string)).status)
		e.signIn(t, "a@example.com", passphrase)
		requireError(t, e.generate(t, order), 422, "email_exists")
	})

	t.Run("rejects orders that cannot be carried out", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		e.User(t, "eve@example.com")
		for _, tt := range []struct {
			body   map[string]any
			status int
			code   string
		}{
			{map[string]any{"type": "reauthentication", "email": "ada@example.com"}, 400, "validation_failed"},
			{map[string]any{"type": "signup", "email": "x", "password": passphrase}, 400, "validation_failed"},
			{map[string]any{"type": "signup", "email": "x@example.com"}, 400, "validation_failed"},
			{map[string]any{"type": "signup", "email": "x@example.com", "password": "x"}, 422, "weak_password"},
			{map[string]any{"type": "recovery", "email": "nobody@example.com"}, 404, "user_not_found"},
			{map[string]any{"type": "invite", "email": "ada@example.com"}, 422, "email_exists"},
			{map[string]any{"type": "email_change_new", "email": "ada@example.com"}, 400, "validation_failed"},
			{map[string]any{
				"type": "email_change_new", "email": "ada@example.com", "new_email": "eve@example.com",
			}, 422, "email_exists"},
		} {
			requireError(t, e.generate(t, tt.body), tt.status, tt.code)
		}
		s := e.signIn(t, "ada@example.com", correct)
		body := jsonOf(map[string]any{"type": "recovery", "email": "eve@example.com"})
		requireError(t, e.do(t, "POST", "/admin/generate_link", body, bearer(s.access)), 403, "not_admin")
	})
}

func TestWhatIsNotOfferedSaysSo(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.User(t, "ada@example.com")
	s := e.signIn(t, "ada@example.com", correct)
	for _, tt := range []struct {
		method, path string
		status       int
		code         string
	}{
		{"GET", "/authorize?provider=google", 400, "validation_failed"},
		{"POST", "/sso", 404, "saml_provider_disabled"},
		{"GET", "/sso/saml/metadata", 404, "saml_provider_disabled"},
		{"GET", "/user/identities/authorize?provider=github", 404, "manual_linking_disabled"},
		{"DELETE", "/user/identities/a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", 404, "manual_linking_disabled"},
		{"POST", "/passkeys/authentication/options", 404, "passkey_disabled"},
		{"GET", "/passkeys", 404, "passkey_disabled"},
		{"POST", "/token?grant_type=id_token", 400, "provider_disabled"},
		{"POST", "/token?grant_type=web3", 422, "web3_provider_disabled"},
		{"POST", "/token?grant_type=telepathy", 400, "unsupported_grant_type"},
	} {
		a := e.do(t, tt.method, tt.path, "{}", bearer(s.access))
		requireError(t, a, tt.status, tt.code)
	}

	a := e.do(t, "GET", "/authorize?provider=google", "", "apikey:", "Accept: text/html,*/*;q=0.8")
	require.Equal(t, 400, a.status)
	require.Contains(t, a.raw, "sign in in another way")
	require.NotContains(t, a.raw, "<button")
}

// requireNothingToMail requires that the relay of mails finds nothing.
func requireNothingToMail(t testing.TB, e *edge) {
	t.Helper()
	require.NoError(t, e.AsService(t.Context(), func(q *db.Queries) error {
		waiting, err := q.ListWaitingMails(t.Context(), db.ListWaitingMailsParams{Maximum: 10})
		require.Empty(t, waiting)
		return err
	}))
}
