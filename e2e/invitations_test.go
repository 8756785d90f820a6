package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// callFunction calls a function of the data API. The answer is decoded into result if it succeeds, and else
// returned.
func (s *service) callFunction(
	t *testing.T, token, name string, args, result any,
) (status int, failure string) {
	t.Helper()
	raw, err := json.Marshal(args)
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url()+"/rest/v1/rpc/"+name,
		bytes.NewReader(raw))
	require.NoError(t, err)
	req.Header.Set("apikey", anonKey)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	var answer bytes.Buffer
	_, err = answer.ReadFrom(resp.Body)
	require.NoError(t, err)
	if resp.StatusCode != http.StatusOK {
		return resp.StatusCode, answer.String()
	}
	require.NoError(t, json.Unmarshal(answer.Bytes(), result), answer.String())
	return resp.StatusCode, ""
}

// waitForMail returns the text of the mail with a subject.
func (s *service) waitForMail(t *testing.T, address, subject string) (text string) {
	t.Helper()
	eventually(t, subject+" for "+address, func() bool {
		for _, m := range s.receivedMails(t)[address] {
			if m.header.Get("Subject") == subject {
				text = m.text
				return true
			}
		}
		return false
	})
	return text
}

// linkIn returns the parameters of the link in a mail.
func linkIn(t *testing.T, text string) url.Values {
	t.Helper()
	link, err := url.Parse(regexp.MustCompile(`http\S+`).FindString(text))
	require.NoError(t, err)
	values, err := url.ParseQuery(link.RawQuery + link.Fragment)
	require.NoError(t, err)
	return values
}

// An attacker signs up with the address of an invitation, which the true owner has not answered yet.
func TestAnInvitationIsForTheOwnerOfItsAddress(t *testing.T) {
	t.Parallel()
	s := startService(t)
	const ceo = "ceo@corp.example"
	status, failure := s.post(t, "/rest/v1/workspace_invitations", s.signIn(t, s.Owner),
		map[string]any{"workspace_id": s.Workspace, "email": ceo, "role": "owner"})
	require.Equal(t, http.StatusCreated, status, "%v", failure)
	invitation := dbtest.Value[string](t, s.DB, `select id::text from workspace_invitations`)

	status, attacker := s.post(t, "/auth/v1/signup", "",
		map[string]string{"email": ceo, "password": "the attacker's passphrase"})
	require.Equal(t, http.StatusOK, status, "%v", attacker)
	attackersToken := attacker["access_token"].(string)
	var open []map[string]any
	s.callFunction(t, attackersToken, "my_invitations", map[string]any{}, &open)
	require.Empty(t, open)
	for _, args := range []map[string]any{
		{"invitation": invitation}, {"invitation": invitation, "token": "guessed"},
	} {
		accepted := true
		status, failure := s.callFunction(t, attackersToken, "accept_invitation", args, &accepted)
		require.Equal(t, http.StatusOK, status, failure)
		require.False(t, accepted)
	}

	mail := s.waitForMail(t, ceo, "You have been invited to a workspace")
	require.Contains(t, mail, s.email(t, s.Owner)+" invites you")
	require.NotContains(t, mail, "Workspace", "names are words of users")
	link := linkIn(t, mail)
	require.Equal(t, invitation, link.Get("invitation"))
	args := map[string]any{"invitation": invitation, "token": link.Get("invitation_token")}
	status, answer := s.callFunction(t, s.signIn(t, s.Viewer), "accept_invitation", args, nil)
	require.Equal(t, http.StatusForbidden, status, answer)
	require.Contains(t, answer, "This invitation is for c…@corp.example.")

	// The owner of the address takes over the account that the attacker has made, and accepts.
	status, _ = s.post(t, "/auth/v1/recover", "", map[string]string{"email": ceo})
	require.Equal(t, http.StatusOK, status)
	recovery := linkIn(t, s.waitForMail(t, ceo, "Set a new password"))
	status, session := s.post(t, "/auth/v1/verify", "",
		map[string]string{"type": "recovery", "token_hash": recovery.Get("token")})
	require.Equal(t, http.StatusOK, status, "%v", session)
	status, _ = s.get(t, "/auth/v1/user", attackersToken)
	require.Equal(t, http.StatusForbidden, status, "the attacker's session has ended")
	var accepted bool
	status, answer = s.callFunction(t, session["access_token"].(string), "accept_invitation", args, &accepted)
	require.Equal(t, http.StatusOK, status, answer)
	require.True(t, accepted)
	require.Equal(t, "owner", dbtest.Value[string](t, s.DB, `
		select m.role::text from workspace_members m join auth.users u on u.id = m.user_id where u.email = $1`,
		ceo))
	require.False(t, strings.Contains(s.logs.String(), ceo), "no address in the logs")
}

// The token of an invitation proves the address of a user who has not followed another link.
func TestTheTokenOfAnInvitationProvesItsAddress(t *testing.T) {
	t.Parallel()
	s := startService(t)
	const guest = "guest@corp.example"
	status, session := s.post(t, "/auth/v1/signup", "",
		map[string]string{"email": guest, "password": "the guest's passphrase"})
	require.Equal(t, http.StatusOK, status, "%v", session)
	s.post(t, "/rest/v1/workspace_invitations", s.signIn(t, s.Owner),
		map[string]any{"workspace_id": s.Workspace, "email": guest, "role": "viewer"})
	link := linkIn(t, s.waitForMail(t, guest, "You have been invited to a workspace"))
	var accepted bool
	status, answer := s.callFunction(t, session["access_token"].(string), "accept_invitation",
		map[string]any{"invitation": link.Get("invitation"), "token": link.Get("invitation_token")}, &accepted)
	require.Equal(t, http.StatusOK, status, answer)
	require.True(t, accepted)
	_, user := s.get(t, "/auth/v1/user", session["access_token"].(string))
	require.NotEmpty(t, user["email_confirmed_at"])
}
