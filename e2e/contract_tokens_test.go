package e2e

import (
	"net/http"
	"testing"
)

// makesTokens calls what the user with this access token does with personal access tokens.
func (c *caller) makesTokens(t testing.TB, access string) {
	t.Helper()
	signedIn := func(operation string, status int, with documentedCall) map[string]any {
		with.operation, with.token, with.status = operation, access, status
		return c.call(t, with)
	}
	made := signedIn("createPersonalToken", http.StatusCreated, documentedCall{})
	signedIn("listPersonalTokens", http.StatusOK, documentedCall{})
	c.call(t, documentedCall{
		operation: "listPersonalTokens", token: made["token"].(string), status: http.StatusForbidden,
	})
	c.call(t, documentedCall{operation: "followEvents", token: "rsp_unknown", status: http.StatusUnauthorized})
	c.Exec(t, `
		insert into auth.personal_access_tokens (user_id, name, token_hash, scopes, expires_at, last_used_at)
		select user_id, n::text, sha256(n::text::bytea), scopes, expires_at, now()
		from auth.personal_access_tokens, generate_series(1, 49) n
		where id = $1`, made["id"])
	signedIn("listPersonalTokens", http.StatusOK, documentedCall{})
	signedIn("createPersonalToken", http.StatusUnprocessableEntity, documentedCall{})
	signedIn("revokePersonalToken", http.StatusNoContent,
		documentedCall{parameters: map[string]string{"id": made["id"].(string)}})
}
