package identity_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
	"research/identity"
)

const (
	// argon2Hash is a hash of "password" by the argon2 reference implementation.
	argon2Hash = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
	// bcryptHash is a hash of "U*U" by crypt_blowfish.
	bcryptHash = "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
)

func TestImport(t *testing.T) {
	t.Parallel()
	importUsers := func(t *testing.T, f *fixture, file string) (identity.Imported, error) {
		t.Helper()
		return f.operator(t).Import(t.Context(), strings.NewReader(file))
	}

	t.Run("reads what psql copies from Supabase", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		id := uuid.New()
		columns := "\ufeffid,email,encrypted_password,email_confirmed_at,raw_user_meta_data,raw_app_meta_data," +
			"created_at,banned_until,instance_id\n"
		row := id.String() + `,Ada@Example.com,` + bcryptHash + `,2024-05-01 10:00:00.123456+00,` +
			`"{""display_name"": ""Ada""}",` +
			`"{""provider"": ""email"", ""providers"": [""email""], ""tier"": 2}",` +
			`2024-04-30 08:00:00+02,,x` + "\n"
		result, err := importUsers(t, f, columns+row)
		require.NoError(t, err)
		require.Equal(t, identity.Imported{Added: 1, Ignored: []string{"instance_id"}}, result)
		user := f.signIn(t, "ada@example.com", "U*U").User
		require.Equal(t, id, user.ID)
		require.Equal(t, "2024-04-30T06:00:00Z", user.CreatedAt.UTC().Format(time.RFC3339Nano))
		require.JSONEq(t, `{"display_name": "Ada", "email_verified": true}`, string(user.UserMetadata()))
		var appMetadata map[string]any
		require.NoError(t, json.Unmarshal(user.AppMetadata(), &appMetadata))
		require.EqualValues(t, 2, appMetadata["tier"])
		name := dbtest.Value[string](t, f.DB, `select display_name from profiles where id = $1`, id)
		require.Equal(t, "Ada", name, "the profile is created as at sign-up")
	})

	t.Run("reads JSON lines and arrays, argon2id, and users without a password", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		first := `{"email":"a@example.com","passwordHash":"` + argon2Hash + `","email_verified":true,` +
			`"user_metadata":{"n":1}}`
		second := `{"email":"b@example.com","passwordHash":null}`
		result, err := importUsers(t, f, first+"\n"+second)
		require.NoError(t, err)
		require.Equal(t, 2, result.Added)
		f.signIn(t, "a@example.com", "password")
		_, err = f.SignIn(t.Context(), client, "b@example.com", "")
		require.ErrorIs(t, err, identity.ErrInvalidCredentials)
		// Users that exist stay as they are.
		result, err = importUsers(t, f, " ["+first+","+second+`,{"email":"c@example.com","password_hash":""}]`)
		require.NoError(t, err)
		require.Equal(t, identity.Imported{Added: 1, Present: 2}, result)
		require.Equal(t, 2, f.audited(t, "users_imported"))
	})

	t.Run("requires a link from users with an unproven address if sign-up does", func(t *testing.T) {
		t.Parallel()
		f := setup(t, func(c *identity.Config) { c.ConfirmEmail = true })
		_, err := importUsers(t, f, "email,password_hash,email_confirmed_at\n"+
			"a@example.com,\""+argon2Hash+"\",\n"+
			"b@example.com,\""+argon2Hash+"\",2024-05-01T10:00:00Z\n")
		require.NoError(t, err)
		_, err = f.SignIn(t.Context(), client, "a@example.com", "password")
		require.ErrorIs(t, err, identity.ErrNotConfirmed)
		f.signIn(t, "b@example.com", "password")
	})

	t.Run("keeps nothing of a file whose last user the database rejects", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		_, err := importUsers(t, f, `[{"email":"a@example.com","password_hash":""},
			{"email":"b@example.com","password_hash":"","user_metadata":{"n":1e999999}}]`)
		require.ErrorContains(t, err, "user 2")
		require.Zero(t, dbtest.Value[int](t, f.DB, `select count(*)::int from auth.users`))
	})
}

func TestImportErrors(t *testing.T) {
	t.Parallel()
	f := setup(t)
	csv := func(columns string, rows ...string) string {
		return columns + "\n" + strings.Join(rows, "\n") + "\n"
	}
	const columns = "email,password_hash"
	expensiveBcrypt := strings.Replace(bcryptHash, "$2b$05$", "$2a$31$", 1)
	expensiveArgon2 := strings.Replace(argon2Hash, "m=256", "m=99999999", 1)
	largeMetadata := `"{""x"": ""` + strings.Repeat("x", 17<<10) + `""}"`
	for name, tt := range map[string]struct{ file, problem string }{
		"an empty file":         {"  \n", "no user"},
		"a file without hashes": {csv("email,pasword", "a@example.com,x"), "no column of password hashes"},
		"plain passwords": {
			csv(columns, "a@example.com,hunter2"), "user 1: the password hash is not",
		},
		"a cost that stalls a server": {
			csv(columns, "a@example.com,"+expensiveBcrypt), "cost above 15",
		},
		"memory that stalls a server": {
			csv(columns, `a@example.com,"`+expensiveArgon2+`"`), "uses more than",
		},
		"scrypt": {
			csv(columns, "a@example.com,$scrypt$ln=16$x$y"), "is not a bcrypt or argon2 hash",
		},
		"an invalid address": {csv(columns, "nobody,"), "user 1: email is not a valid address"},
		"an invalid id":      {csv("id,"+columns, "7,a@example.com,"), "id is not a UUID"},
		"an invalid time": {
			csv(columns+",created_at", "a@example.com,,yesterday"), "created_at is not a time",
		},
		"metadata that is not an object": {
			csv(columns+",user_metadata", "a@example.com,,[1]"), "user_metadata: not a JSON object",
		},
		"metadata that exceeds a header": {
			csv(columns+",user_metadata", "a@example.com,,"+largeMetadata), "16 KB",
		},
		"a row that is too short": {csv(columns, "a@example.com"), "user 1: a row of another length"},
		"truncated JSON": {
			`{"email":"a@example.com","password_hash":""}` + "\n{", "user 2: not a JSON object",
		},
		"an array of numbers": {`[1]`, "user 1: not a JSON object"},
		"neither confirmed nor not": {
			csv(columns+",email_verified", "a@example.com,,perhaps"), "neither true nor false",
		},
		"one invalid line among valid":     {csv(columns, "a@example.com,", "b,"), "user 2: email"},
		"more invalid lines than it lists": {csv(columns, strings.Repeat("b,\n", 29)+"b,"), "and 10 more"},
	} {
		t.Run("rejects "+name+" and imports nothing", func(t *testing.T) {
			t.Parallel()
			_, err := f.operator(t).Import(t.Context(), strings.NewReader(tt.file))
			require.ErrorContains(t, err, tt.problem)
			require.NotContains(t, err.Error(), "hunter2")
			require.Zero(t, dbtest.Value[int](t, f.DB, `select count(*)::int from auth.users`))
		})
	}
}
