package auth_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db"
)

// hidden is the metadata of a user about whom nobody asks.
const hidden = "only-she-may-read-this"

const (
	known  = "ada@example.com"
	secret = "grace@example.com"
)

// fuzzed is an edge with two users, both with the password correct, and an access token of the first.
func fuzzed(f *testing.F) (*edge, session) {
	f.Helper()
	e := setup(f)
	e.User(f, known)
	e.Exec(f, `update auth.users set raw_user_meta_data = jsonb_build_object('note', $1::text) where id = $2`, hidden, e.User(f, secret))
	return e, e.signIn(f, known, correct)
}

// seed adds bodies that any reader of JSON has to bear, and those of one path.
func seed(f *testing.F, bodies ...string) {
	f.Helper()
	for _, body := range append(bodies, ``, `{`, `null`, `[]`, `"x"`, `1e999`, `{}{}`, "\xff", `{"email":1}`, `{"EMAIL":"A@EXAMPLE.COM"}`, `{"email":"\u0000@x.example"}`, `{"email":"\ud800@x.example"}`,
		strings.Repeat(`[`, 10001), strings.Repeat(`{"data":`, 2000)+"1"+strings.Repeat(`}`, 2000)) {
		f.Add(body)
	}
}

// words are the texts within a JSON value that are long enough to be recognised.
func words(v any) []string {
	var list []string
	switch v := v.(type) {
	case string:
		if len(v) >= 12 {
			list = append(list, v)
		}
	case []any:
		for _, one := range v {
			list = append(list, words(one)...)
		}
	case map[string]any:
		for _, one := range v {
			list = append(list, words(one)...)
		}
	}
	return list
}

// post sends what was made up. Whatever it is, the answer is JSON and no trouble of ours; what is refused is told in all three forms and repeats nothing of what was sent;
// and nothing of others, of the database or of passwords is in it.
func (e *edge) post(t *testing.T, method, path, body string, headers ...string) answer {
	t.Helper()
	a := e.do(t, method, path, body, headers...)
	require.Less(t, a.status, 500, a.raw)
	for _, leak := range []string{hidden, "$2a$", "encrypted_password", "SQLSTATE", "auth.users", ".go:"} {
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
		told := strings.Join(words(a.body), "\n")
		for _, word := range words(sent) {
			require.NotContains(t, told, word)
		}
	}
	return a
}

// lives requires that what a session's user is told is whole: what was stored can be read, and its token can be shown.
func (e *edge) lives(t *testing.T, access, email string) {
	t.Helper()
	a := e.do(t, "GET", "/user", "", bearer(access))
	require.Equal(t, http.StatusOK, a.status, a.raw)
	require.Equal(t, email, a.body["email"])
}

func FuzzPasswordGrant(f *testing.F) {
	seed(f, jsonOf(map[string]any{"email": known, "password": correct}), jsonOf(map[string]any{"email": secret, "password": "wrong"}),
		`{"email":"ada@example.com"}`, `{"email":" ADA@example.com ","password":null}`, `{"email":["ada@example.com"],"password":{}}`)
	e, _ := fuzzed(f)
	f.Fuzz(func(t *testing.T, body string) {
		a := e.post(t, "POST", "/token?grant_type=password", body)
		if a.status != http.StatusOK {
			return
		}
		var sent struct{ Email, Password string }
		require.NoError(t, json.Unmarshal([]byte(body), &sent))
		require.Equal(t, correct, sent.Password)
		require.Contains(t, []string{known, secret}, strings.ToLower(strings.TrimSpace(sent.Email)))
		require.Equal(t, strings.ToLower(strings.TrimSpace(sent.Email)), a.body["user"].(map[string]any)["email"])
	})
}

func FuzzRefreshGrant(f *testing.F) {
	seed(f, `{"refresh_token":"abcdefghijkl"}`, `{"refresh_token":""}`, `{"refresh_token":"\u0000"}`, `{"refresh_token":null}`)
	e, _ := fuzzed(f)
	f.Fuzz(func(t *testing.T, body string) {
		require.NotEqual(t, http.StatusOK, e.post(t, "POST", "/token?grant_type=refresh_token", body).status, "an invented token")
	})
}

func FuzzVerify(f *testing.F) {
	seed(f, `{"type":"recovery","token_hash":"abcdefghijklm"}`, `{"type":"email","token":"123456","email":"ada@example.com"}`, `{"type":"email_change","token":"\u0000"}`, `{"type":"sms","token":"1"}`)
	e, _ := fuzzed(f)
	require.Equal(f, http.StatusOK, e.do(f, "POST", "/recover", jsonOf(map[string]any{"email": known})).status)
	e.minted(f)
	f.Fuzz(func(t *testing.T, body string) {
		require.NotEqual(t, http.StatusOK, e.post(t, "POST", "/verify", body).status, "an invented token")
	})
}

func FuzzRecover(f *testing.F) {
	seed(f, jsonOf(map[string]any{"email": known}), `{"email":"nobody@example.com"}`, `{"email":" Ada@Example.Com\n"}`, `{"email":"a@b"}`, `{"email":"ü@ü.example"}`)
	e, _ := fuzzed(f)
	f.Fuzz(func(t *testing.T, body string) {
		if a := e.post(t, "POST", "/recover", body); a.status == http.StatusOK {
			require.Empty(t, a.body, "whether there is such a user")
		}
	})
}

func FuzzSignUp(f *testing.F) {
	seed(f, `{"email":"new@example.com","password":"correct horse","data":{"name":"New","list":[1,2.5e300,null,true],"deep":{"a":{}}}}`, jsonOf(map[string]any{"email": known, "password": correct}),
		`{"email":"nul@example.com","password":"correct horse","data":{"\u0000":"\u0000"}}`, `{"email":"big@example.com","password":"correct horse","data":{"n":1e99999}}`,
		`{"email":"x@example.com","password":"short"}`, `{"phone":"+431"}`, `{"email":"long@example.com","password":"`+strings.Repeat("ü", 40)+`"}`)
	e, _ := fuzzed(f)
	f.Fuzz(func(t *testing.T, body string) {
		a := e.post(t, "POST", "/signup", body)
		if a.status != http.StatusOK {
			return
		}
		var sent struct{ Email, Password string }
		require.NoError(t, json.Unmarshal([]byte(body), &sent))
		email := a.body["user"].(map[string]any)["email"].(string)
		require.NotContains(t, []string{known, secret}, email, "taken")
		e.lives(t, a.body["access_token"].(string), email)
		e.lives(t, e.signIn(t, email, sent.Password).access, email)
	})
}

func FuzzChangeSelf(f *testing.F) {
	seed(f, `{"data":{"name":"Ada","list":[1,2.5e300,null]}}`, `{"data":{"\u0000":1}}`, `{"data":{"n":1e99999}}`, `{"password":"another horse"}`, `{"password":""}`, `{"email":"other@example.com"}`,
		jsonOf(map[string]any{"email": secret}), `{"app_metadata":{"role":"service_role"}}`, `{"phone":"+431"}`, `{"role":"service_role","id":"00000000-0000-0000-0000-000000000000","aud":"x"}`)
	e, one := fuzzed(f)
	f.Fuzz(func(t *testing.T, body string) {
		a := e.post(t, "PUT", "/user", body, bearer(one.access))
		e.lives(t, one.access, known)
		if a.status != http.StatusOK {
			return
		}
		require.Equal(t, db.RoleAuthenticated, a.body["role"])
		require.Equal(t, map[string]any{"provider": "email", "providers": []any{"email"}}, a.body["app_metadata"])
		keys := map[string]any{} // else all that was ever stored adds up to what is too much
		for key := range a.body["user_metadata"].(map[string]any) {
			keys[key] = nil
		}
		require.Equal(t, http.StatusOK, e.do(t, "PUT", "/user", jsonOf(map[string]any{"data": keys}), bearer(one.access)).status)
	})
}

func FuzzCreateUser(f *testing.F) {
	seed(f, `{"email":"made@example.com","password":"correct horse","email_confirm":true,"user_metadata":{"a":1},"app_metadata":{"b":[2]},"ban_duration":"24h"}`,
		`{"email":"id@example.com","id":"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11","ban_duration":"none"}`, `{"email":"x@example.com","id":"{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}"}`,
		`{"email":"hash@example.com","password_hash":"$2a$04$ehgBoyD41KUdnEGIHJRV7eL5LH7PcO.sYseyUggZ/XVUGdLQr/DDC"}`, `{"email":"x@example.com","password_hash":"$argon2id$v=19$m=1,t=1,p=1$AA$AA"}`,
		`{"email":"x@example.com","role":"service_role"}`, `{"email":"x@example.com","ban_duration":"-1h"}`, `{"email":"x@example.com","phone":"\u0000"}`, jsonOf(map[string]any{"email": known, "password": correct}))
	e, one := fuzzed(f)
	f.Fuzz(func(t *testing.T, body string) {
		require.Equal(t, http.StatusForbidden, e.post(t, "POST", "/admin/users", body, bearer(one.access)).status, "no administrator")
		a := e.post(t, "POST", "/admin/users", body, "apikey: "+serviceKey, bearer(serviceKey))
		if a.status != http.StatusOK {
			return
		}
		require.Equal(t, db.RoleAuthenticated, a.body["role"])
		again := e.do(t, "GET", "/admin/users/"+a.body["id"].(string), "", "apikey: "+serviceKey, bearer(serviceKey))
		require.Equal(t, http.StatusOK, again.status, again.raw)
		require.Equal(t, a.body["email"], again.body["email"])
		require.Equal(t, a.body["user_metadata"], again.body["user_metadata"])
	})
}
