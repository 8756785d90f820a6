package auth_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db"
)

// Each fuzz target sends bodies to one endpoint of an edge with two users, ada and grace, whose password is
// correct.
const (
	ada   = "ada@example.com"
	grace = "grace@example.com"
	// note is in the metadata of grace, and must not be in an answer to another user.
	note = "only-grace-may-read-this"
)

// setupFuzz returns the edge and a session of ada.
func setupFuzz(f *testing.F) (*edge, session) {
	f.Helper()
	e := setup(f)
	e.User(f, ada)
	e.Exec(f, `update auth.users set raw_user_meta_data = jsonb_build_object('note', $1::text) where id = $2`,
		note, e.User(f, grace))
	return e, e.signIn(f, ada, correct)
}

// seed adds bodies that any JSON endpoint must handle, and those of one endpoint.
func seed(f *testing.F, bodies ...string) {
	f.Helper()
	bodies = append(bodies,
		``, `{`, `null`, `[]`, `"x"`, `1e999`, `{}{}`, "\xff",
		`{"email":1}`, `{"EMAIL":"A@EXAMPLE.COM"}`, `{"email":"\u0000@x.example"}`, `{"email":"\ud800@x.example"}`,
		strings.Repeat(`[`, 10001),
		strings.Repeat(`{"data":`, 2000)+"1"+strings.Repeat(`}`, 2000),
	)
	for _, body := range bodies {
		f.Add(body)
	}
}

// longStrings returns the strings within a JSON value that are long enough to be recognized.
func longStrings(v any) []string {
	var list []string
	switch v := v.(type) {
	case string:
		if len(v) >= 12 {
			list = append(list, v)
		}
	case []any:
		for _, element := range v {
			list = append(list, longStrings(element)...)
		}
	case map[string]any:
		for _, value := range v {
			list = append(list, longStrings(value)...)
		}
	}
	return list
}

// fuzz sends a body. The answer must be JSON, must not be a failure of ours, and must reveal nothing about
// other users, the database or passwords. An error must have the forms of all clients, and must not repeat
// the body.
func (e *edge) fuzz(t *testing.T, method, path, body string, headers ...string) answer {
	t.Helper()
	a := e.do(t, method, path, body, headers...)
	require.Less(t, a.status, 500, a.raw)
	for _, leak := range []string{note, "$2a$", "encrypted_password", "SQLSTATE", "auth.users", ".go:"} {
		if !strings.Contains(body, leak) {
			require.NotContains(t, a.raw, leak)
		}
	}
	if a.status < 400 {
		return a
	}
	code, _ := a.body["error_code"].(string)
	require.NotEmpty(t, code)
	requireError(t, a, a.status, code)
	var sent any
	if json.Unmarshal([]byte(body), &sent) == nil {
		answered := strings.Join(longStrings(a.body), "\n")
		for _, s := range longStrings(sent) {
			require.NotContains(t, answered, s)
		}
	}
	return a
}

// requireUsable requires that an access token is accepted, and that its user can be read.
func (e *edge) requireUsable(t *testing.T, access, email string) {
	t.Helper()
	a := e.getUser(t, access)
	require.Equal(t, http.StatusOK, a.status, a.raw)
	require.Equal(t, email, a.body["email"])
}

func FuzzPasswordGrant(f *testing.F) {
	seed(f,
		credentials(ada, correct), credentials(grace, "wrong"), `{"email":"ada@example.com"}`,
		`{"email":" ADA@example.com ","password":null}`, `{"email":["ada@example.com"],"password":{}}`)
	e, _ := setupFuzz(f)
	f.Fuzz(func(t *testing.T, body string) {
		a := e.fuzz(t, "POST", passwordGrant, body)
		if a.status != http.StatusOK {
			return
		}
		var sent struct{ Email, Password string }
		require.NoError(t, json.Unmarshal([]byte(body), &sent))
		email := strings.ToLower(strings.TrimSpace(sent.Email))
		require.Equal(t, correct, sent.Password)
		require.Contains(t, []string{ada, grace}, email)
		require.Equal(t, email, a.body["user"].(map[string]any)["email"])
	})
}

func FuzzRefreshGrant(f *testing.F) {
	seed(f,
		`{"refresh_token":"abcdefghijkl"}`, `{"refresh_token":""}`, `{"refresh_token":"\u0000"}`,
		`{"refresh_token":null}`)
	e, _ := setupFuzz(f)
	f.Fuzz(func(t *testing.T, body string) {
		a := e.fuzz(t, "POST", refreshGrant, body)
		require.NotEqual(t, http.StatusOK, a.status, "an invented token")
	})
}

func FuzzVerify(f *testing.F) {
	seed(f,
		`{"type":"recovery","token_hash":"abcdefghijklm"}`,
		`{"type":"email","token":"123456","email":"ada@example.com"}`,
		`{"type":"email_change","token":"\u0000"}`, `{"type":"sms","token":"1"}`)
	e, _ := setupFuzz(f)
	require.Equal(f, http.StatusOK, e.do(f, "POST", "/recover", jsonOf(map[string]any{"email": ada})).status)
	e.minted(f)
	f.Fuzz(func(t *testing.T, body string) {
		a := e.fuzz(t, "POST", "/verify", body)
		require.NotEqual(t, http.StatusOK, a.status, "an invented token")
	})
}

func FuzzRecover(f *testing.F) {
	seed(f,
		jsonOf(map[string]any{"email": ada}), `{"email":"nobody@example.com"}`,
		`{"email":" Ada@Example.Com\n"}`, `{"email":"a@b"}`, `{"email":"ü@ü.example"}`)
	e, _ := setupFuzz(f)
	f.Fuzz(func(t *testing.T, body string) {
		if a := e.fuzz(t, "POST", "/recover", body); a.status == http.StatusOK {
			require.Empty(t, a.body, "the answer reveals whether there is such a user")
		}
	})
}

func FuzzSignUp(f *testing.F) {
	seed(f,
		`{"email":"new@example.com","password":"correct horse",
			"data":{"name":"New","list":[1,2.5e300,null,true],"deep":{"a":{}}}}`,
		credentials(ada, correct),
		`{"email":"nul@example.com","password":"correct horse","data":{"\u0000":"\u0000"}}`,
		`{"email":"big@example.com","password":"correct horse","data":{"n":1e99999}}`,
		credentials("x@example.com", "short"), `{"phone":"+431"}`,
		credentials("long@example.com", strings.Repeat("ü", 40)))
	e, _ := setupFuzz(f)
	f.Fuzz(func(t *testing.T, body string) {
		a := e.fuzz(t, "POST", "/signup", body)
		if a.status != http.StatusOK {
			return
		}
		var sent struct{ Email, Password string }
		require.NoError(t, json.Unmarshal([]byte(body), &sent))
		email := a.body["user"].(map[string]any)["email"].(string)
		require.NotContains(t, []string{ada, grace}, email, "the address is taken")
		e.requireUsable(t, a.body["access_token"].(string), email)
		e.requireUsable(t, e.signIn(t, email, sent.Password).access, email)
	})
}

func FuzzChangeSelf(f *testing.F) {
	seed(f,
		`{"data":{"name":"Ada","list":[1,2.5e300,null]}}`, `{"data":{"\u0000":1}}`, `{"data":{"n":1e99999}}`,
		`{"password":"another horse"}`, `{"password":""}`,
		`{"email":"other@example.com"}`, jsonOf(map[string]any{"email": grace}),
		`{"app_metadata":{"role":"service_role"}}`, `{"phone":"+431"}`,
		`{"role":"service_role","id":"00000000-0000-0000-0000-000000000000","aud":"x"}`)
	e, s := setupFuzz(f)
	f.Fuzz(func(t *testing.T, body string) {
		a := e.fuzz(t, "PUT", "/user", body, bearer(s.access))
		e.requireUsable(t, s.access, ada)
		if a.status != http.StatusOK {
			return
		}
		require.Equal(t, db.RoleAuthenticated, a.body["role"])
		emailProvider := map[string]any{"provider": "email", "providers": []any{"email"}}
		require.Equal(t, emailProvider, a.body["app_metadata"])
		// The metadata is removed again, or it would grow until it is too large.
		remove := map[string]any{}
		for key := range a.body["user_metadata"].(map[string]any) {
			remove[key] = nil
		}
		a = e.putUser(t, s.access, jsonOf(map[string]any{"data": remove}))
		require.Equal(t, http.StatusOK, a.status, a.raw)
	})
}

func FuzzCreateUser(f *testing.F) {
	const hash = "$2a$04$ehgBoyD41KUdnEGIHJRV7eL5LH7PcO.sYseyUggZ/XVUGdLQr/DDC"
	seed(f,
		`{"email":"made@example.com","password":"correct horse","email_confirm":true,
			"user_metadata":{"a":1},"app_metadata":{"b":[2]},"ban_duration":"24h"}`,
		`{"email":"id@example.com","id":"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11","ban_duration":"none"}`,
		`{"email":"x@example.com","id":"{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}"}`,
		`{"email":"hash@example.com","password_hash":"`+hash+`"}`,
		`{"email":"x@example.com","password_hash":"$argon2id$v=19$m=1,t=1,p=1$AA$AA"}`,
		`{"email":"x@example.com","role":"service_role"}`, `{"email":"x@example.com","ban_duration":"-1h"}`,
		`{"email":"x@example.com","phone":"\u0000"}`, credentials(ada, correct))
	e, s := setupFuzz(f)
	const asService = "apikey: " + serviceKey
	f.Fuzz(func(t *testing.T, body string) {
		a := e.fuzz(t, "POST", "/admin/users", body, bearer(s.access))
		require.Equal(t, http.StatusForbidden, a.status, "not an administrator")
		a = e.fuzz(t, "POST", "/admin/users", body, asService, bearer(serviceKey))
		if a.status != http.StatusOK {
			return
		}
		require.Equal(t, db.RoleAuthenticated, a.body["role"])
		path := "/admin/users/" + a.body["id"].(string)
		again := e.do(t, "GET", path, "", asService, bearer(serviceKey))
		require.Equal(t, http.StatusOK, again.status, again.raw)
		require.Equal(t, a.body["email"], again.body["email"])
		require.Equal(t, a.body["user_metadata"], again.body["user_metadata"])
	})
}
