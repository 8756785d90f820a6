package account_test

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/account"
	"research/api/problem/problemtest"
	"research/api/reference/contract"
	"research/api/token"
	"research/api/token/tokentest"
	"research/db"
	"research/db/dbtest"
	"research/identity"
)

// A mailbox records the request of the last mail.
type mailbox struct{ request uuid.UUID }

func (m *mailbox) SendAccountMail(_ context.Context, request uuid.UUID) error {
	m.request = request
	return nil
}

// An edge is the handler under test, with a database that has a workspace with members.
type edge struct {
	*dbtest.DB
	dbtest.Tenant
	tokens  *tokentest.Issuer
	users   *identity.Service
	mail    *mailbox
	handler http.Handler
}

func setup(t *testing.T) *edge {
	t.Helper()
	e := &edge{DB: dbtest.New(t), mail: &mailbox{}}
	e.Tenant = e.DB.Tenant(t)
	e.tokens = tokentest.New(t, e.Store, token.KeysConfig{})
	var err error
	e.users, err = identity.New(t.Context(),
		identity.Config{PublicURL: "https://research.example", BcryptCost: 4},
		identity.Deps{Store: e.Store, Mail: e.mail, Sessions: e.tokens.Authenticator})
	require.NoError(t, err)
	handler, err := account.New(account.Deps{
		Identity: e.users, Store: e.Store, Authenticator: e.tokens.Authenticator,
		Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	r := chi.NewRouter()
	r.Mount("/api/account", handler)
	e.handler = r
	return e
}

// signIn begins a session of an age and returns its access token.
func (e *edge) signIn(t *testing.T, user uuid.UUID, age time.Duration) string {
	t.Helper()
	session := dbtest.Value[uuid.UUID](t, e.DB, `
		insert into auth.sessions (user_id, created_at, ip, user_agent)
		values ($1, now() - make_interval(secs => $2), '192.0.2.1', 'a browser')
		returning id`, user, age.Seconds())
	return e.tokens.Sign(t, jwt.MapClaims{
		"sub": user.String(), "role": db.RoleAuthenticated, "session_id": session.String(),
	})
}

func (e *edge) request(t *testing.T, method, path, access, body string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.RemoteAddr = "192.0.2.7:4000"
	r.Header.Set("apikey", tokentest.AnonKey)
	r.Header.Set("Authorization", "Bearer "+access)
	return r
}

// do sends a request, and checks that the answer is documented.
func (e *edge) do(t *testing.T, method, path, access, body string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	e.handler.ServeHTTP(w, e.request(t, method, path, access, body))
	contract.Check(t, contract.Exchange{
		Method: method, Path: path, Status: w.Code, Header: w.Header(), Body: w.Body.Bytes(),
	})
	return w
}

// mailedCode requests a code for a session and returns it.
func (e *edge) mailedCode(t *testing.T, user uuid.UUID) string {
	t.Helper()
	const code = "135790"
	found, err := e.users.User(t.Context(), user)
	require.NoError(t, err)
	require.NoError(t, e.users.RequestCode(t.Context(), identity.Client{}, identity.CurrentUser{User: found}))
	require.NoError(t, e.AsService(t.Context(), func(q *db.Queries) error {
		sum := sha256.Sum256([]byte(code))
		_, err := q.MintToken(t.Context(), db.MintTokenParams{
			ID: e.mail.request, TokenHash: sum[:], CodeHash: identity.CodeHash(e.mail.request, code),
		})
		return err
	}))
	return code
}

func (e *edge) addFactor(t *testing.T, user uuid.UUID) {
	t.Helper()
	e.Exec(t, `
		insert into auth.mfa_factors (user_id, friendly_name, factor_type, status, secret)
		values ($1, 'Phone', 'totp', 'verified', 'hidden')`, user)
}

func TestDeleteAccount(t *testing.T) {
	t.Parallel()

	t.Run("counts the workspaces that go, and leaves the others with an owner", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.Exec(t, "insert into workspaces (name, created_by) values ('Alone', $1)", e.Owner)
		w := e.do(t, "DELETE", "/api/account", e.signIn(t, e.Owner, 0), "")
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		require.JSONEq(t, `{"userId": "`+e.Owner.String()+`", "deleted": {"workspaces": 1}}`, w.Body.String())
		require.Equal(t, []uuid.UUID{e.Admin}, dbtest.Value[[]uuid.UUID](t, e.DB,
			"select array_agg(user_id) from workspace_members where workspace_id = $1 and role = 'owner'",
			e.Workspace))
		require.Equal(t, 2, dbtest.Value[int](t, e.DB, "select count(*) from private.deletions"),
			"the account and the workspace are left to the workflow")
	})

	t.Run("ends all sessions at once, and frees the address", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		address := dbtest.Value[string](t, e.DB, "select email from auth.users where id = $1", e.Editor)
		first, second := e.signIn(t, e.Editor, 0), e.signIn(t, e.Editor, time.Minute)
		require.Equal(t, http.StatusOK, e.do(t, "GET", "/api/account/export", second, "").Code)
		require.Equal(t, http.StatusOK, e.do(t, "DELETE", "/api/account", first, "").Code)
		for _, access := range []string{first, second} {
			problemtest.RequireError(t, e.do(t, "GET", "/api/account/export", access, ""), 401, "unauthorized")
			problemtest.RequireError(t, e.do(t, "DELETE", "/api/account", access, ""), 401, "unauthorized")
		}
		e.User(t, address)
	})

	t.Run("is recorded without the address", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.Exec(t, `
			insert into auth.audit_log_entries (payload)
			select jsonb_build_object('action', 'login', 'actor_id', id, 'actor_username', email)
			from auth.users where id = any ($1)`, []uuid.UUID{e.Viewer, e.Editor})
		require.Equal(t, http.StatusOK, e.do(t, "DELETE", "/api/account", e.signIn(t, e.Viewer, 0), "{}").Code)
		require.Equal(t, "login , user_deleted 192.0.2.7", dbtest.Value[string](t, e.DB, `
			select string_agg(payload ->> 'action' || ' ' || ip_address, ', ' order by payload ->> 'action')
			from auth.audit_log_entries where payload ->> 'actor_id' = $1
				and coalesce(payload ->> 'actor_username', '') = ''`,
			e.Viewer.String()))
		require.Equal(t, 1, dbtest.Value[int](t, e.DB,
			"select count(*) from auth.audit_log_entries where payload ->> 'actor_username' <> ''"),
			"those of others stay")
	})

	t.Run("is told to the address", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		address := dbtest.Value[string](t, e.DB, "select email from auth.users where id = $1", e.Viewer)
		require.Equal(t, http.StatusOK, e.do(t, "DELETE", "/api/account", e.signIn(t, e.Viewer, 0), "").Code)
		e.Exec(t, "delete from auth.users where id = $1", e.Viewer)
		require.Equal(t, "account_deleted "+address,
			dbtest.Value[string](t, e.DB, "select kind || ' ' || recipient from auth.notices"))
	})

	t.Run("requires a recent sign-in or the mailed nonce", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		access := e.signIn(t, e.Editor, 25*time.Hour)
		problemtest.RequireError(t, e.do(t, "DELETE", "/api/account", access, ""), 403, "reauthentication_needed")
		problemtest.RequireError(
			t, e.do(t, "DELETE", "/api/account", access, `{"nonce":"1"}`),
			422, "reauthentication_not_valid",
		)
		others := e.mailedCode(t, e.Viewer)
		problemtest.RequireError(t, e.do(t, "DELETE", "/api/account", access, `{"nonce":"`+others+`"}`), 422,
			"reauthentication_not_valid")
		own := e.mailedCode(t, e.Editor)
		require.Equal(t, http.StatusOK, e.do(t, "DELETE", "/api/account", access, `{"nonce":"`+own+`"}`).Code)
	})

	t.Run("requires the second factor of the user", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		access := e.signIn(t, e.Editor, 0)
		e.addFactor(t, e.Editor)
		problemtest.RequireError(t, e.do(t, "DELETE", "/api/account", access, ""), 403, "insufficient_aal")
		problemtest.RequireError(t, e.do(t, "GET", "/api/account/export", access, ""), 403, "insufficient_aal")
	})

	t.Run("is for users with a session of ours", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		withoutSession := e.tokens.AccessToken(t, e.Editor)
		for _, access := range []string{tokentest.ServiceKey, withoutSession} {
			problemtest.RequireError(t, e.do(t, "DELETE", "/api/account", access, ""), 403, "forbidden")
			problemtest.RequireError(t, e.do(t, "GET", "/api/account/export", access, ""), 403, "forbidden")
		}
		personal := tokentest.PersonalToken(t, e.Store, e.Editor, token.PersonalScopes()...)
		for _, access := range []string{personal, "rsp_forged"} {
			problemtest.RequireError(t, e.do(t, "DELETE", "/api/account", access, ""), 403, "insufficient_scope")
			problemtest.RequireError(t, e.do(t, "GET", "/api/account/export", access, ""), 403, "insufficient_scope")
		}
		for _, access := range []string{tokentest.AnonKey, "forged"} {
			problemtest.RequireError(t, e.do(t, "DELETE", "/api/account", access, ""), 401, "unauthorized")
		}
	})

	t.Run("rejects a body that it does not know", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		access := e.signIn(t, e.Editor, 0)
		for _, body := range []string{"{", "[]", `{"nonce":1}`, `{"password":"x"}`, `{"nonce":"1"} {}`} {
			problemtest.RequireError(t, e.do(t, "DELETE", "/api/account", access, body), 400, "invalid_request")
		}
		large := `{"nonce":"` + strings.Repeat("1", 5000) + `"}`
		problemtest.RequireError(t, e.do(t, "DELETE", "/api/account", access, large), 413, "too_large")
	})
}
