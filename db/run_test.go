package db_test

import (
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

func TestRun(t *testing.T) {
	t.Parallel()
	commit := func(db.Rows) (bool, error) { return true, nil }
	insert := db.Statement{
		SQL: `insert into marks values (1, auth.uid()) returning id, of_user is null as unowned`,
	}
	count := func(t *testing.T, s marksStore) int {
		t.Helper()
		return dbtest.Value[int](t, s.database, `select count(*) from marks`)
	}

	t.Run("returns texts by the names of their columns", func(t *testing.T) {
		t.Parallel()
		s := openMarks(t, "")
		rows, err := s.Run(t.Context(), db.User(uuid.New()), insert, commit)
		require.NoError(t, err)
		require.Equal(t, []string{"id", "unowned"}, rows.Columns)
		require.Equal(t, [][][]byte{{[]byte("1"), []byte("f")}}, rows.Values)
		require.Equal(t, 1, count(t, s))
	})

	t.Run("sets what the statement needs for the transaction", func(t *testing.T) {
		t.Parallel()
		s := openMarks(t, "")
		st := db.Statement{
			ReadOnly: true,
			Settings: []db.Setting{{Name: "request.method", Value: "it's"}, {Name: "timezone", Value: "Asia/Tokyo"}},
			SQL: `select current_user, current_setting('request.method'), current_setting('timezone'),
				current_setting('transaction_read_only')`,
			Then: `select $1::text`, ThenArgs: [][]byte{nil},
		}
		rows, err := s.Run(t.Context(), db.User(uuid.New()), st, nil)
		require.NoError(t, err)
		require.Equal(t, [][][]byte{{
			[]byte("authenticated"), []byte("it's"), []byte("Asia/Tokyo"), []byte("on"),
		}}, rows.Values)
		require.Equal(t, [][][]byte{{nil}}, rows.Then)

		many := make([]db.Setting, 120)
		for i := range many {
			many[i] = db.Setting{Name: fmt.Sprintf("request.s%d", i), Value: strconv.Itoa(i)}
		}
		rows, err = s.Run(t.Context(), db.User(uuid.New()), db.Statement{
			ReadOnly: true, Settings: many,
			SQL: `select current_user, current_setting('request.s0'), current_setting('request.s119')`,
		}, nil)
		require.NoError(t, err)
		require.Equal(t, [][][]byte{{[]byte("authenticated"), []byte("0"), []byte("119")}}, rows.Values)

		st = db.Statement{
			ReadOnly: true,
			SQL:      `select current_setting('request.method', true), current_setting('timezone')`,
		}
		rows, err = s.Run(t.Context(), db.Subject{}, st, nil)
		require.NoError(t, err)
		require.Empty(t, rows.Values[0][0], "the next request does not see it")
		require.NotEqual(t, "Asia/Tokyo", string(rows.Values[0][1]))
	})

	t.Run("runs a statement before, as the subject", func(t *testing.T) {
		t.Parallel()
		s := openMarks(t, "")
		st := db.Statement{
			ReadOnly: true, SQL: `select current_setting('request.seen')`,
			Before: `select set_config('request.seen', current_user, true)`,
		}
		rows, err := s.Run(t.Context(), db.User(uuid.New()), st, nil)
		require.NoError(t, err)
		require.Equal(t, "authenticated", string(rows.Values[0][0]))
	})

	t.Run("rolls back what is not committed", func(t *testing.T) {
		t.Parallel()
		s := openMarks(t, "")
		user := db.User(uuid.New())
		rejected := errors.New("rejected")
		_, err := s.Run(t.Context(), user, insert, func(db.Rows) (bool, error) { return true, rejected })
		require.ErrorIs(t, err, rejected)
		_, err = s.Run(t.Context(), user, insert, func(db.Rows) (bool, error) { return false, nil })
		require.NoError(t, err)
		require.Zero(t, count(t, s))
	})

	t.Run("checks deferred constraints even if nothing is committed", func(t *testing.T) {
		t.Parallel()
		s := openMarks(t, "")
		s.database.Exec(t, `alter table marks add constraint once unique (id) deferrable initially deferred`)
		twice := db.Statement{SQL: `insert into marks select 1, auth.uid() from generate_series(1, 2)`}
		for _, committed := range []bool{true, false} {
			decide := func(db.Rows) (bool, error) { return committed, nil }
			_, err := s.Run(t.Context(), db.User(uuid.New()), twice, decide)
			require.ErrorContains(t, err, "23505")
		}
		require.Zero(t, count(t, s))
	})

	t.Run("rejects a write of a read-only statement", func(t *testing.T) {
		t.Parallel()
		s := openMarks(t, "")
		st := insert
		st.ReadOnly = true
		_, err := s.Run(t.Context(), db.User(uuid.New()), st, nil)
		require.ErrorContains(t, err, "25006")
		require.Zero(t, count(t, s))
	})

	t.Run("denies roles that no subject may have", func(t *testing.T) {
		t.Parallel()
		s := openMarks(t, "")
		st := db.Statement{ReadOnly: true, SQL: `select 1`}
		_, err := s.Run(t.Context(), db.Subject{Role: "postgres"}, st, nil)
		require.ErrorIs(t, err, db.ErrDenied)
	})
}
