package e2e

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// connectsApps calls what connects an app to an account, and what disconnects it.
func (c *caller) connectsApps(t testing.TB) {
	t.Helper()
	registered := c.call(t, documentedCall{operation: "registerClient", noKey: true, status: http.StatusCreated})
	redirect := registered["redirect_uris"].([]any)[0].(string)
	// The verifier and its challenge are those of RFC 7636, appendix B.
	request := map[string]string{
		"client_id": registered["client_id"].(string), "redirect_uri": redirect, "response_type": "code",
		"code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
		"scope": "email", "state": "x",
	}
	grant := map[string]any{
		"client_id": registered["client_id"], "redirect_uri": redirect,
		"code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
	}
	access := c.signIn(t, c.Editor)
	user := func(operation string, status int, call documentedCall) map[string]any {
		call.operation, call.token, call.status = operation, access, status
		return c.call(t, call)
	}
	asks := func() map[string]string {
		call := documentedCall{
			operation: "beginAuthorization", noKey: true, parameters: request, status: http.StatusFound,
		}
		c.call(t, call)
		return map[string]string{"id": dbtest.Value[uuid.UUID](t, c.DB,
			`select id from auth.oauth_authorizations order by created_at desc limit 1`).String()}
	}
	c.call(t, documentedCall{
		operation: "beginAuthorization", noKey: true, parameters: map[string]string{"client_id": "x"},
		status: http.StatusBadRequest,
	})
	denied := asks()
	user("getAuthorization", http.StatusOK, documentedCall{parameters: denied})
	deny := map[string]any{"action": "deny"}
	user("answerAuthorization", http.StatusOK, documentedCall{parameters: denied, fields: deny})
	user("getAuthorization", http.StatusBadRequest, documentedCall{parameters: denied})

	id := asks()
	c.Exec(t, "update auth.sessions set created_at = now() - interval '2 days' where user_id = $1", c.Editor)
	wrong := documentedCall{parameters: id, fields: map[string]any{"nonce": "000000"}}
	user("answerAuthorization", http.StatusUnprocessableEntity, wrong)
	access = c.signIn(t, c.Editor)
	answer := user("answerAuthorization", http.StatusOK, documentedCall{parameters: id})
	address, err := url.Parse(answer["redirect_url"].(string))
	require.NoError(t, err)
	grant["code"] = address.Query().Get("code")
	tokens := c.call(t, documentedCall{
		operation: "grantAppToken", noKey: true, fields: grant, status: http.StatusOK,
	})
	for _, operation := range []string{"getUserinfo", "postUserinfo"} {
		app := tokens["access_token"].(string)
		c.call(t, documentedCall{operation: operation, noKey: true, token: app, status: http.StatusOK})
	}
	user("listGrants", http.StatusOK, documentedCall{})
	app := map[string]string{"client_id": registered["client_id"].(string)}
	user("revokeGrant", http.StatusNoContent, documentedCall{parameters: app})
	user("revokeGrant", http.StatusNotFound, documentedCall{parameters: app})
}
