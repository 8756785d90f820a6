package auth_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/auth"
	"research/db/dbtest"
)

func TestAudit(t *testing.T) {
	t.Parallel()
	e := setup(t, configured(func(c *auth.Config) { c.TrustedHops = 1 }))
	id := e.User(t, "ada@example.com")
	s := e.signIn(t, "ada@example.com", correct)
	const typo = "somebodys-typo@example.com"
	e.grant(t, "ada@example.com", "hunter2-wrong", from("203.0.113.5"))
	e.grant(t, typo, "hunter2-wrong", from("203.0.113.5"))
	e.putUser(t, s.access, `{"password":"hunter2-changed"}`)
	e.do(t, "POST", "/recover", jsonOf(map[string]any{"email": typo}))
	e.do(t, "POST", "/logout", "", bearer(s.access))

	require.Equal(t, 2, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.audit_log_entries
		where payload ->> 'action' = 'login_failed' and ip_address = '203.0.113.5'`))
	require.Equal(t, id.String(), dbtest.Value[string](t, e.DB, `select payload ->> 'actor_id'
		from auth.audit_log_entries
		where payload ->> 'action' = 'login_failed' and payload ->> 'actor_id' is not null`))
	for _, action := range []string{"login", "user_updated_password", "mail_requested", "logout"} {
		require.Equal(t, 1, e.audited(t, action), action)
	}
	all := dbtest.Value[string](t, e.DB, `select string_agg(payload::text, ' ') from auth.audit_log_entries`)
	for _, secret := range []string{"hunter2", correct, s.access, s.refresh, typo, "$2a$"} {
		require.NotContains(t, all, secret)
	}
}
