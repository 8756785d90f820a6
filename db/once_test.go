package db_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

func TestOnceAsService(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	d.Exec(t, `insert into auth.secrets (name, value) values ('once', 'before')`)
	store, err := db.Open(t.Context(), db.Config{URL: d.URL, MaxConns: 1})
	require.NoError(t, err)
	t.Cleanup(store.Close)
	secret := func(name string) (string, error) {
		value, err := db.OnceAsService(t.Context(), store, func(q *db.Queries) ([]byte, error) {
			return q.GetSecret(t.Context(), name)
		})
		return string(value), err
	}

	value, err := secret("once")
	require.NoError(t, err)
	require.Equal(t, "before", value)
	_, err = secret("missing")
	require.ErrorIs(t, err, db.ErrNotFound)

	// What it writes is committed, and the role ends with the transaction.
	create := func() (uuid.UUID, error) {
		return db.OnceAsService(t.Context(), store, func(q *db.Queries) (uuid.UUID, error) {
			return q.CreateUser(t.Context(), db.CreateUserParams{
				ID: uuid.New(), Email: new("ada@example.com"), RawAppMetaData: []byte(`{}`), RawUserMetaData: []byte(`{}`),
			})
		})
	}
	user, err := create()
	require.NoError(t, err)
	require.Equal(t, 1, dbtest.Value[int](t, d, `select count(*) from auth.users where id = $1`, user))
	rows, err := store.Run(t.Context(), db.Subject{}, db.Statement{
		ReadOnly: true, SQL: `select current_user, current_setting('request.jwt.claims')`,
	}, nil)
	require.NoError(t, err)
	require.Equal(t, "anon", string(rows.Values[0][0]))
	require.JSONEq(t, `{}`, string(rows.Values[0][1]))

	// An error is classified, and nothing of it is kept.
	_, err = create()
	require.Equal(t, db.ConstraintUserEmail, db.Constraint(err))
	require.Equal(t, 1, dbtest.Value[int](t, d, `select count(*) from auth.users`))

	// A second query would not be part of the transaction.
	_, err = db.OnceAsService(t.Context(), store, func(q *db.Queries) ([]byte, error) {
		if _, err := q.GetSecret(t.Context(), "once"); err != nil {
			return nil, err
		}
		return q.GetSecret(t.Context(), "once")
	})
	require.ErrorContains(t, err, "one query")

	// A migration changes a column: the next attempt prepares the query anew.
	d.Exec(t, `alter table auth.secrets alter column value type text using encode(value, 'escape')`)
	_, err = secret("once")
	require.ErrorIs(t, err, db.ErrUnavailable)
	value, err = secret("once")
	require.NoError(t, err)
	require.Equal(t, "before", value)
}
