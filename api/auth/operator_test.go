package auth_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/auth"
	"research/db/dbtest"
)

// argon and crypted are hashes of "password" that other programs made.
const (
	argon   = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
	crypted = "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW" // of "U*U"
)

func operator(t testing.TB, e *edge, change ...func(*auth.Config)) *auth.Operator {
	t.Helper()
	cfg := auth.Config{BcryptCost: 4, Now: e.clock.Now}
	for _, c := range change {
		c(&cfg)
	}
	o, err := auth.NewOperator(cfg, e.Store)
	require.NoError(t, err)
	return o
}

// audited counts entries of the audit.
func (e *edge) audited(t testing.TB, action string) int {
	t.Helper()
	return dbtest.Value[int](t, e.DB, `select count(*)::int from auth.audit_log_entries where payload ->> 'action' = $1`, action)
}

func TestOperator(t *testing.T) {
	t.Parallel()

	t.Run("creates users who can sign in", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		o := operator(t, e)
		id, err := o.Create(t.Context(), " Ada@Example.com", "a fine passphrase")
		require.NoError(t, err)
		s := e.signIn(t, "ada@example.com", "a fine passphrase")
		require.Equal(t, id.String(), claim(t, s.access, "sub"))
		_, err = o.Create(t.Context(), "ADA@example.com", "a fine passphrase")
		require.ErrorIs(t, err, auth.ErrUserTaken)
		_, err = o.Create(t.Context(), "no address", "a fine passphrase")
		require.ErrorContains(t, err, "email")
		_, err = o.Create(t.Context(), "b@example.com", "short")
		require.ErrorContains(t, err, "8 characters")
		require.Equal(t, 1, e.audited(t, "user_signedup"))
		require.GreaterOrEqual(t, len(auth.NewPassword()), 20)
		require.NotEqual(t, auth.NewPassword(), auth.NewPassword())
	})

	t.Run("replaces a password and ends the sessions", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		o := operator(t, e)
		e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		require.NoError(t, o.SetPassword(t.Context(), "ada@example.com", "another passphrase"))
		requireError(t, e.refresh(t, s.refresh), 400, "refresh_token_not_found")
		requireError(t, e.do(t, "POST", "/token?grant_type=password", `{"email":"ada@example.com","password":"correct horse"}`), 400, "invalid_credentials")
		e.signIn(t, "ada@example.com", "another passphrase")
		require.ErrorContains(t, o.SetPassword(t.Context(), "ada@example.com", strings.Repeat("x", 73)), "72 bytes")
		require.ErrorIs(t, o.SetPassword(t.Context(), "nobody@example.com", "another passphrase"), auth.ErrNoUser)
		require.Equal(t, 1, e.audited(t, "user_updated_password"))
	})

	t.Run("bans by address or id, ends the sessions, and lifts the ban", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		o := operator(t, e)
		id := e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		require.NoError(t, o.Ban(t.Context(), id.String(), time.Hour))
		requireError(t, e.refresh(t, s.refresh), 400, "refresh_token_not_found")
		requireError(t, e.do(t, "POST", "/token?grant_type=password", `{"email":"ada@example.com","password":"correct horse"}`), 400, "user_banned")
		e.clock.turn(2 * time.Hour)
		e.signIn(t, "ada@example.com", correct)
		e.clock.turn(-2 * time.Hour)
		require.NoError(t, o.Ban(t.Context(), "Ada@example.com", 0))
		e.signIn(t, "ada@example.com", correct)
		require.ErrorIs(t, o.Ban(t.Context(), uuid.NewString(), time.Hour), auth.ErrNoUser)
		require.Equal(t, 1, e.audited(t, "user_banned"))
		require.Equal(t, 1, e.audited(t, "user_unbanned"))
	})

	t.Run("shows sessions, and ends one or all", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		o := operator(t, e)
		e.User(t, "ada@example.com")
		e.User(t, "eve@example.com")
		first, second := e.signIn(t, "ada@example.com", correct), e.signIn(t, "ada@example.com", correct)
		eves := e.signIn(t, "eve@example.com", correct)
		list, err := o.Sessions(t.Context(), "ada@example.com")
		require.NoError(t, err)
		require.Len(t, list, 2)
		require.Equal(t, "192.0.2.7", list[0].Ip)
		// Another user's session is none of hers.
		one := uuid.MustParse(claim(t, eves.access, "session_id").(string))
		n, err := o.EndSessions(t.Context(), "ada@example.com", &one)
		require.NoError(t, err)
		require.Zero(t, n)
		one = uuid.MustParse(claim(t, first.access, "session_id").(string))
		n, err = o.EndSessions(t.Context(), "ada@example.com", &one)
		require.NoError(t, err)
		require.Equal(t, 1, n)
		requireError(t, e.do(t, "GET", "/user", "", bearer(first.access)), 403, "session_not_found")
		require.Equal(t, 200, e.do(t, "GET", "/user", "", bearer(second.access)).status)
		n, err = o.EndSessions(t.Context(), "ada@example.com", nil)
		require.NoError(t, err)
		require.Equal(t, 1, n)
		requireError(t, e.do(t, "GET", "/user", "", bearer(second.access)), 403, "session_not_found")
		require.Equal(t, 200, e.do(t, "GET", "/user", "", bearer(eves.access)).status)
	})

	t.Run("lists everybody, across pages, with what matters", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		o := operator(t, e)
		e.Exec(t, `insert into auth.users (id, email, created_at) select gen_random_uuid(), 'u' || n || '@example.com', now() - n * interval '1 second' from generate_series(1, 1001) n`)
		e.Exec(t, `update auth.users set banned_until = now() + interval '1 hour' where email = 'u1@example.com'`)
		e.Exec(t, `update auth.users set banned_until = now() - interval '1 hour' where email = 'u2@example.com'`)
		e.Exec(t, `update auth.users set confirmation_sent_at = now() where email = 'u3@example.com'`)
		e.Exec(t, `update auth.users set deleted_at = now() where email = 'u4@example.com'`)
		var all []auth.Person
		require.NoError(t, o.List(t.Context(), func(p auth.Person) error {
			all = append(all, p)
			return nil
		}))
		require.Len(t, all, 1000)
		require.Equal(t, "u1@example.com", all[0].Email)
		require.NotNil(t, all[0].BannedUntil)
		require.Nil(t, all[1].BannedUntil)
		require.True(t, all[2].Awaited)
		require.Equal(t, "u1001@example.com", all[999].Email)
	})
}

func TestImportUsers(t *testing.T) {
	t.Parallel()

	t.Run("takes what psql copies out of Supabase", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		id := uuid.New()
		done, err := operator(t, e).Import(t.Context(), strings.NewReader("\ufeffid,email,encrypted_password,email_confirmed_at,raw_user_meta_data,raw_app_meta_data,created_at,banned_until,instance_id\n"+
			id.String()+`,Ada@Example.com,`+crypted+`,2024-05-01 10:00:00.123456+00,"{""display_name"": ""Ada""}","{""provider"": ""email"", ""providers"": [""email""], ""tier"": 2}",2024-04-30 08:00:00+02,,x`+"\n"))
		require.NoError(t, err)
		require.Equal(t, auth.Imported{Added: 1, Ignored: []string{"instance_id"}}, done)
		a := e.do(t, "POST", "/token?grant_type=password", `{"email":"ada@example.com","password":"U*U"}`)
		require.Equal(t, 200, a.status, a.raw)
		user := a.body["user"].(map[string]any)
		require.Equal(t, id.String(), user["id"])
		require.Equal(t, "2024-04-30T06:00:00Z", user["created_at"])
		require.Equal(t, "Ada", user["user_metadata"].(map[string]any)["display_name"])
		require.Equal(t, "2", string(user["app_metadata"].(map[string]any)["tier"].(interface{ String() string }).String()))
		require.Equal(t, "Ada", dbtest.Value[string](t, e.DB, `select display_name from profiles where id = $1`, id), "the profile is made as at sign-up")
	})

	t.Run("takes JSON lines and arrays, argon2id, and users without a password", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		o := operator(t, e)
		lines := `{"email":"a@example.com","passwordHash":"` + argon + `","email_verified":true,"user_metadata":{"n":1}}` + "\n" + `{"email":"b@example.com","passwordHash":null}`
		done, err := o.Import(t.Context(), strings.NewReader(lines))
		require.NoError(t, err)
		require.Equal(t, 2, done.Added)
		e.signIn(t, "a@example.com", "password")
		requireError(t, e.do(t, "POST", "/token?grant_type=password", `{"email":"b@example.com","password":""}`), 400, "invalid_credentials")
		// Again, as an array: who is there stays.
		done, err = o.Import(t.Context(), strings.NewReader(" ["+strings.Replace(lines, "\n", ",", 1)+`,{"email":"c@example.com","password_hash":""}]`))
		require.NoError(t, err)
		require.Equal(t, auth.Imported{Added: 1, Present: 2}, done)
		require.Equal(t, 2, e.audited(t, "users_imported"))
	})

	t.Run("has unproven addresses proven where that is asked for", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		file := "email,password_hash,email_confirmed_at\na@example.com,\"" + argon + "\",\nb@example.com,\"" + argon + "\",2024-05-01T10:00:00Z\n"
		_, err := operator(t, e, func(c *auth.Config) { c.ConfirmEmail = true }).Import(t.Context(), strings.NewReader(file))
		require.NoError(t, err)
		requireError(t, e.do(t, "POST", "/token?grant_type=password", `{"email":"a@example.com","password":"password"}`), 400, "email_not_confirmed")
		e.signIn(t, "b@example.com", "password")
	})

	refusing := setup(t)
	for name, one := range map[string]struct{ file, says string }{
		"an empty file":               {"  \n", "no user"},
		"a file without hashes":       {"email,pasword\na@example.com,x\n", "no column of password hashes"},
		"plain passwords":             {"email,password_hash\na@example.com,hunter2\n", "user 1: the password hash is no hash"},
		"a cost that stops a server":  {"email,password_hash\na@example.com,$2a$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW\n", "cost above 15"},
		"memory that stops a server":  {"email,password_hash\na@example.com,\"$argon2id$v=19$m=99999999,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4\"\n", "asks for more"},
		"scrypt":                      {"email,password_hash\na@example.com,$scrypt$ln=16$x$y\n", "is no hash of bcrypt or argon2"},
		"an address that is none":     {"email,password_hash\nnobody,\n", "user 1: email is no address"},
		"an id that is none":          {"id,email,password_hash\n7,a@example.com,\n", "id is no UUID"},
		"a time that is none":         {"email,password_hash,created_at\na@example.com,,yesterday\n", "created_at is no time"},
		"metadata that is no object":  {"email,password_hash,user_metadata\na@example.com,,[1]\n", "user_metadata: is no JSON object"},
		"metadata beyond a header":    {"email,password_hash,user_metadata\na@example.com,,\"{\"\"x\"\": \"\"" + strings.Repeat("x", 17<<10) + "\"\"}\"\n", "16 KB"},
		"a row that is too short":     {"email,password_hash\na@example.com\n", "user 1: a row of another length"},
		"JSON that breaks off":        {`{"email":"a@example.com","password_hash":""}` + "\n{", "user 2: no JSON object"},
		"an array of something else":  {`[1]`, "user 1: no JSON object"},
		"neither confirmed nor not":   {"email,password_hash,email_verified\na@example.com,,perhaps\n", "neither true nor false"},
		"one bad line of many":        {"email,password_hash\na@example.com,\nb,\n", "user 2: email"},
		"more bad lines than one eye": {"email,password_hash\n" + strings.Repeat("b,\n", 30), "and 10 more"},
	} {
		t.Run("refuses "+name+", and imports nothing", func(t *testing.T) {
			t.Parallel()
			_, err := operator(t, refusing).Import(t.Context(), strings.NewReader(one.file))
			require.ErrorContains(t, err, one.says)
			require.NotContains(t, err.Error(), "hunter2")
			require.Zero(t, dbtest.Value[int](t, refusing.DB, `select count(*)::int from auth.users`))
		})
	}

	t.Run("keeps nothing of a file whose end the database refuses", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		_, err := operator(t, e).Import(t.Context(), strings.NewReader(`[{"email":"a@example.com","password_hash":""},{"email":"b@example.com","password_hash":"","user_metadata":{"n":1e999999}}]`))
		require.ErrorContains(t, err, "user 2")
		require.Zero(t, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.users`))
	})
}
