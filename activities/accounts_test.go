package activities_test

import (
	"crypto/sha256"
	"log/slog"
	"net/url"
	"regexp"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"research/activities"
	"research/activities/mail"
	"research/db/dbtest"
	"research/identity"
)

var verifyLink = regexp.MustCompile(regexp.QuoteMeta(publicURL+"/auth/v1/verify?") + `\S+`)

// tokenIn returns the token of the link in a mail.
func tokenIn(t *testing.T, m mail.Message) string {
	t.Helper()
	link, err := url.Parse(verifyLink.FindString(m.Text))
	require.NoError(t, err)
	token := link.Query().Get("token")
	require.NotEmpty(t, token, m.Text)
	return token
}

func TestMailAccountLink(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	user := d.Tenant(t).Viewer
	address := dbtest.Value[string](t, d, `select email from auth.users where id = $1`, user)

	request := func(t *testing.T, tokenType, newAddress string) uuid.UUID {
		t.Helper()
		id := uuid.New()
		d.Exec(t, `insert into auth.one_time_tokens (id, user_id, token_type, relates_to, redirect_to, expires_at)
			values ($1, $2, $3, $4, '', now() + interval '1 hour')`, id, user, tokenType, newAddress)
		return id
	}
	send := func(t *testing.T, s *fakeSender, id uuid.UUID) (activities.MailAccountLinkResult, error) {
		t.Helper()
		accounts, err := activities.NewAccounts(d.Store, s, publicURL, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		var suite testsuite.WorkflowTestSuite
		env := suite.NewTestActivityEnvironment()
		activities.Register(env, activities.Deps{Accounts: accounts})
		value, err := env.ExecuteActivity(accounts.MailAccountLink, activities.MailAccountLinkInput{RequestID: id})
		if err != nil {
			return activities.MailAccountLinkResult{}, err
		}
		var result activities.MailAccountLinkResult
		require.NoError(t, value.Get(&result))
		return result, nil
	}

	t.Run("mails the token and stores only its hash; a retry replaces it", func(t *testing.T) {
		t.Parallel()
		s := &fakeSender{}
		away := mail.ErrUnavailable
		attempts := 0
		s.refuse = func(m mail.Message) error { // the server gets the mail, and its answer is lost once
			if attempts++; attempts == 1 {
				s.mails = append(s.mails, m)
				return away
			}
			return nil
		}
		id := request(t, "recovery", "")
		stored := func() []byte {
			return dbtest.Value[[]byte](t, d, `select token_hash from auth.one_time_tokens where id = $1`, id)
		}
		var tokens []string
		for i := range 2 {
			result, err := send(t, s, id)
			require.Equal(t, i == 0, err != nil)
			require.Equal(t, i == 1, result.Sent)
			require.Equal(t, address, s.mails[i].To)
			require.Contains(t, s.mails[i].Text, "60 minutes")
			token := tokenIn(t, s.mails[i])
			hash := sha256.Sum256([]byte(token))
			require.Equal(t, hash[:], stored())
			tokens = append(tokens, token)
		}
		require.NotEqual(t, tokens[0], tokens[1])

		kept := stored()
		result, err := send(t, s, id)
		require.NoError(t, err)
		require.False(t, result.Sent, "it was accepted, and another run must not make its link useless")
		require.Len(t, s.mails, 2)
		require.Equal(t, kept, stored())
	})

	t.Run("counts a mail as sent when the server has accepted it", func(t *testing.T) {
		t.Parallel()
		s := &fakeSender{refuse: func(mail.Message) error { return mail.ErrUnavailable }}
		id := request(t, "signup", "")
		sent := func() bool {
			return dbtest.Value[bool](t, d, `select sent_at is not null from auth.one_time_tokens where id = $1`, id)
		}
		_, err := send(t, s, id)
		require.Error(t, err)
		require.False(t, sent())
		s.refuse = nil
		_, err = send(t, s, id)
		require.NoError(t, err)
		require.True(t, sent())
	})

	t.Run("does not mail a link that has expired while the mail server was away", func(t *testing.T) {
		t.Parallel()
		s := &fakeSender{}
		id := request(t, "recovery", "")
		d.Exec(t, `update auth.one_time_tokens set expires_at = now() - interval '1 second' where id = $1`, id)
		result, err := send(t, s, id)
		require.NoError(t, err)
		require.False(t, result.Sent)
		require.Empty(t, s.mails)
	})

	t.Run("mails a new address, not the old one", func(t *testing.T) {
		t.Parallel()
		s := &fakeSender{}
		_, err := send(t, s, request(t, "email_change", "new@example.com"))
		require.NoError(t, err)
		require.Equal(t, "new@example.com", s.mails[0].To)
	})

	t.Run("mails an invitation, whose token only the page uses, without words of users", func(t *testing.T) {
		t.Parallel()
		s := &fakeSender{}
		tenant := d.Tenant(t)
		inviter := dbtest.Value[string](t, d, `select email from auth.users where id = $1`, tenant.Owner)
		invitation := dbtest.Value[uuid.UUID](t, d, `
			insert into workspace_invitations (workspace_id, email, created_by) values ($1, 'guest@example.com', $2)
			returning id`, tenant.Workspace, tenant.Owner)
		id := dbtest.Value[uuid.UUID](t, d,
			`select id from auth.one_time_tokens where invitation_id = $1`, invitation)
		result, err := send(t, s, id)
		require.NoError(t, err)
		require.True(t, result.Sent)
		require.Equal(t, "guest@example.com", s.mails[0].To)
		require.Contains(t, s.mails[0].Text, inviter+" invites you to a workspace.")
		require.Contains(t, s.mails[0].Text, publicURL+"/#invitation="+invitation.String()+"&invitation_token=")
		require.Contains(t, s.mails[0].Text, "30 days")
		require.NotContains(t, s.mails[0].Text, "Workspace ")
	})

	t.Run("mails an address three invitations a day, whoever sends them", func(t *testing.T) {
		t.Parallel()
		s := &fakeSender{}
		invite := func(email string) (uuid.UUID, uuid.UUID) {
			tenant := d.Tenant(t)
			invitation := dbtest.Value[uuid.UUID](t, d, `
				insert into workspace_invitations (workspace_id, email, created_by) values ($1, $2, $3)
				returning id`, tenant.Workspace, email, tenant.Owner)
			return invitation, dbtest.Value[uuid.UUID](t, d,
				`select id from auth.one_time_tokens where invitation_id = $1`, invitation)
		}
		for _, email := range []string{"often@example.com", "Often@example.com", "often+tag@example.com"} {
			_, id := invite(email)
			s.refuse = func(mail.Message) error { return mail.ErrUnavailable }
			for range 4 { // attempts do not count
				_, err := send(t, s, id)
				require.Error(t, err)
			}
			s.refuse = nil
			result, err := send(t, s, id)
			require.NoError(t, err)
			require.True(t, result.Sent, email)
		}
		for _, email := range []string{"often@example.com", "OFTEN+other@example.com"} {
			invitation, id := invite(email)
			result, err := send(t, s, id)
			require.NoError(t, err)
			require.False(t, result.Sent, email)
			require.Equal(t, 1, dbtest.Value[int](t, d,
				`select count(*) from workspace_invitations where id = $1`, invitation), "the invitation stands")
			require.Zero(t, dbtest.Value[int](t, d,
				`select count(*) from auth.one_time_tokens where id = $1`, id), "it is not tried again")
		}
		require.Len(t, s.mails, 3)
		_, id := invite("seldom@example.com")
		result, err := send(t, s, id)
		require.NoError(t, err)
		require.True(t, result.Sent)

		d.Exec(t, `update private.invitation_mails set day = day - 1`)
		_, id = invite("often@example.com")
		result, err = send(t, s, id)
		require.NoError(t, err)
		require.True(t, result.Sent)
		require.Zero(t, dbtest.Value[int](t, d,
			`select count(*) from private.invitation_mails where day < current_date`))
	})

	t.Run("does not mail an invitation whose giver lost the right to it", func(t *testing.T) {
		t.Parallel()
		s := &fakeSender{}
		tenant := d.Tenant(t)
		id := dbtest.Value[uuid.UUID](t, d, `
			insert into workspace_invitations (workspace_id, email, created_by) values ($1, 'alt@example.com', $2)
			returning id`, tenant.Workspace, tenant.Admin)
		id = dbtest.Value[uuid.UUID](t, d, `select id from auth.one_time_tokens where invitation_id = $1`, id)
		d.Exec(t, `delete from workspace_members where user_id = $1`, tenant.Admin)
		result, err := send(t, s, id)
		require.NoError(t, err)
		require.False(t, result.Sent)
		require.Empty(t, s.mails)
	})

	t.Run("mails the current address the link that allows another one, of the type that clients know",
		func(t *testing.T) {
			t.Parallel()
			s := &fakeSender{}
			_, err := send(t, s, request(t, "email_change_current", "new@example.com"))
			require.NoError(t, err)
			require.Equal(t, address, s.mails[0].To)
			require.Contains(t, s.mails[0].Text, "&type=email_change\n")
			require.NotContains(t, s.mails[0].Text, "new@example.com")
		})

	t.Run("mails a code for reauthentication, and stores only its hash", func(t *testing.T) {
		t.Parallel()
		s := &fakeSender{}
		id := request(t, "reauthentication", "")
		_, err := send(t, s, id)
		require.NoError(t, err)
		code := regexp.MustCompile(`(?m)^\d{6}$`).FindString(s.mails[0].Text)
		require.NotEmpty(t, code, s.mails[0].Text)
		require.Contains(t, s.mails[0].HTML, code)
		require.NotContains(t, s.mails[0].HTML, "href")
		require.Equal(t, identity.CodeHash(id, code), dbtest.Value[[]byte](t, d,
			`select code_hash from auth.one_time_tokens where id = $1 and token_hash is null`, id))
	})

	t.Run("mails a code beside the link, but for invitations to a workspace", func(t *testing.T) {
		t.Parallel()
		for _, kind := range []string{
			"signup", "invite", "recovery", "magiclink", "email_change", "email_change_current",
		} {
			s := &fakeSender{}
			id := request(t, kind, "")
			if kind == "email_change" {
				id = request(t, kind, "new@example.com")
			}
			_, err := send(t, s, id)
			require.NoError(t, err)
			code := regexp.MustCompile(`(?m)^\d{6}$`).FindString(s.mails[0].Text)
			require.NotEmpty(t, code, s.mails[0].Text)
			require.Contains(t, s.mails[0].HTML, code)
			require.Contains(t, s.mails[0].HTML, "href")
			require.Equal(t, identity.CodeHash(id, code), dbtest.Value[[]byte](t, d,
				`select code_hash from auth.one_time_tokens where id = $1`, id), kind)
		}
	})

	t.Run("sends nothing for a request without a row", func(t *testing.T) {
		t.Parallel()
		s := &fakeSender{}
		result, err := send(t, s, uuid.New())
		require.NoError(t, err)
		require.False(t, result.Sent)
		require.Empty(t, s.mails)
	})

	for name, c := range map[string]struct {
		refusal error
		retried bool
	}{
		"does not retry a permanent refusal":           {&mail.PermanentError{Code: 550}, false},
		"retries a temporary refusal":                  {&mail.TemporaryError{Code: 451}, true},
		"retries while the mail server is unavailable": {mail.ErrUnavailable, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &fakeSender{refuse: func(mail.Message) error { return c.refusal }}
			id := request(t, "invite", "")
			_, err := send(t, s, id)
			var failure *temporal.ApplicationError
			require.ErrorAs(t, err, &failure)
			require.Equal(t, c.retried, !failure.NonRetryable())
			require.Equal(t, !c.retried, dbtest.Value[bool](t, d,
				`select refused_at is not null from auth.one_time_tokens where id = $1`, id))
		})
	}
}

func TestMailAccountNotice(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	user := d.User(t, "ada@example.com")
	s := &fakeSender{}
	accounts, err := activities.NewAccounts(d.Store, s, publicURL, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	subjects := map[string]bool{}
	undoLink := regexp.MustCompile(regexp.QuoteMeta(publicURL+"/auth/v1/undo?token=") + `(\S+)`)
	for i, kind := range []string{
		"webhook_paused", "password_changed", "email_changed", "factor_added", "factor_removed",
		"recovery_codes_renewed", "recovery_code_used", "app_connected", "personal_token_created",
		"identity_linked", "identity_unlinked", "account_deleted",
	} {
		notice := dbtest.Value[uuid.UUID](t, d, `
			insert into auth.notices (user_id, kind, recipient) values ($1, $2, 'former@example.com') returning id`,
			user, kind)
		undone := kind != "account_deleted"
		if undone {
			d.Exec(t, `insert into auth.undo_links (id, user_id, kind, recipient, password_digest, factors,
					identities, signs_in_by_email)
				values ($1, $2, $3, 'former@example.com', '', '[]', '[]', true)`, notice, user, kind)
		}
		for _, sent := range []bool{true, false} { // a second run finds no row
			result, err := accounts.MailAccountNotice(t.Context(), activities.MailAccountNoticeInput{NoticeID: notice})
			require.NoError(t, err)
			require.Equal(t, sent, result.Sent)
		}
		require.Len(t, s.mails, i+1)
		require.Equal(t, "former@example.com", s.mails[i].To)
		subjects[s.mails[i].Subject] = true
		link := undoLink.FindStringSubmatch(s.mails[i].Text)
		if !undone {
			require.Empty(t, link)
			continue
		}
		require.Len(t, link, 2, s.mails[i].Text)
		hash := sha256.Sum256([]byte(link[1]))
		require.Equal(t, hash[:],
			dbtest.Value[[]byte](t, d, `select token_hash from auth.undo_links where id = $1`, notice))
		require.Contains(t, s.mails[i].Text, "7 days")
	}
	require.Len(t, subjects, 12)
}
