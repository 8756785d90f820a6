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
	commit := func([]db.Rows) (bool, error) { return true, nil }
	insert := db.Batch{Queries: []db.Query{{
		SQL: `insert into marks values (1, auth.uid()) returning id, of_user is null as unowned`,
	}}}
	read := func(settings []db.Setting, queries ...db.Query) db.Batch {
		return db.Batch{ReadOnly: true, Settings: settings, Queries: queries}
	}
	count := func(t *testing.T, s marksStore) int {
		t.Helper()
		return dbtest.Value[int](t, s.database, `select count(*) from marks`)
	}

	t.Run("returns texts by the names of their columns", func(t *testing.T) {
		t.Parallel()
		s := openMarks(t, "")
		results, err := s.Run(t.Context(), db.User(uuid.New()), insert, commit)
		require.NoError(t, err)
		require.Len(t, results, 1)
		require.Equal(t, []string{"id", "unowned"}, results[0].Columns)
		require.Equal(t, [][][]byte{{[]byte("1"), []byte("f")}}, results[0].Values)
		require.Equal(t, 1, count(t, s))
	})

	t.Run("sets what the queries need for the transaction", func(t *testing.T) {
		t.Parallel()
		s := openMarks(t, "")
		results, err := s.Run(t.Context(), db.User(uuid.New()), read(
			[]db.Setting{{Name: "request.method", Value: "it's"}, {Name: "timezone", Value: "Asia/Tokyo"}},
			db.Query{SQL: `select current_user, current_setting('request.method'), current_setting('timezone'),
				current_setting('transaction_read_only')`},
			db.Query{SQL: `select $1::text`, Args: [][]byte{nil}},
		), nil)
		require.NoError(t, err)
		require.Equal(t, [][][]byte{{
			[]byte("authenticated"), []byte("it's"), []byte("Asia/Tokyo"), []byte("on"),
		}}, results[0].Values)
		require.Equal(t, [][][]byte{{nil}}, results[1].Values)

		many := make([]db.Setting, 120)
		for i := range many {
			many[i] = db.Setting{Name: fmt.Sprintf("request.s%d", i), Value: strconv.Itoa(i)}
		}
		results, err = s.Run(t.Context(), db.User(uuid.New()), read(many, db.Query{
			SQL: `select current_user, current_setting('request.s0'), current_setting('request.s119')`,
		}), nil)
		require.NoError(t, err)
		require.Equal(t, [][][]byte{{[]byte("authenticated"), []byte("0"), []byte("119")}}, results[0].Values)

		results, err = s.Run(t.Context(), db.Subject{}, read(nil, db.Query{
			SQL: `select current_setting('request.method', true), current_setting('timezone')`,
		}), nil)
		require.NoError(t, err)
		require.Empty(t, results[0].Values[0][0], "the next request does not see it")
		require.NotEqual(t, "Asia/Tokyo", string(results[0].Values[0][1]))
	})

	t.Run("runs queries in their order, as the subject", func(t *testing.T) {
		t.Parallel()
		s := openMarks(t, "")
		results, err := s.Run(t.Context(), db.User(uuid.New()), read(nil,
			db.Query{SQL: `select set_config('request.seen', current_user, true)`},
			db.Query{SQL: `select current_setting('request.seen')`},
		), nil)
		require.NoError(t, err)
		require.Equal(t, "authenticated", string(results[1].Values[0][0]))
	})

	t.Run("rolls back what is not committed", func(t *testing.T) {
		t.Parallel()
		s := openMarks(t, "")
		user := db.User(uuid.New())
		rejected := errors.New("rejected")
		_, err := s.Run(t.Context(), user, insert, func([]db.Rows) (bool, error) { return true, rejected })
		require.ErrorIs(t, err, rejected)
		_, err = s.Run(t.Context(), user, insert, func([]db.Rows) (bool, error) { return false, nil })
		require.NoError(t, err)
		require.Zero(t, count(t, s))
	})

	t.Run("checks deferred constraints even if nothing is committed", func(t *testing.T) {
		t.Parallel()
		s := openMarks(t, "")
		s.database.Exec(t, `alter table marks add constraint once unique (id) deferrable initially deferred`)
		twice := db.Batch{Queries: []db.Query{{
			SQL: `insert into marks select 1, auth.uid() from generate_series(1, 2)`,
		}}}
		for _, committed := range []bool{true, false} {
			decide := func([]db.Rows) (bool, error) { return committed, nil }
			_, err := s.Run(t.Context(), db.User(uuid.New()), twice, decide)
			require.ErrorContains(t, err, "23505")
		}
		require.Zero(t, count(t, s))
	})

	t.Run("rejects a write of a read-only batch", func(t *testing.T) {
		t.Parallel()
		s := openMarks(t, "")
		_, err := s.Run(t.Context(), db.User(uuid.New()), read(nil, insert.Queries...), nil)
		require.ErrorContains(t, err, "25006")
		require.Zero(t, count(t, s))
	})

	t.Run("denies roles that no subject may have", func(t *testing.T) {
		t.Parallel()
		s := openMarks(t, "")
		_, err := s.Run(t.Context(), db.Subject{Role: "postgres"}, read(nil, db.Query{SQL: `select 1`}), nil)
		require.ErrorIs(t, err, db.ErrDenied)
	})
}
