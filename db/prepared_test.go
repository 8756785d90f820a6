package db_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// A marksStore has one connection to a database with the table marks, of which each user sees their own rows.
type marksStore struct {
	*db.Store
	database *dbtest.DB
	t        *testing.T
}

// openMarks opens a store. The parameter is added to the connection string; it may be empty.
func openMarks(t *testing.T, parameter string) marksStore {
	t.Helper()
	d := dbtest.New(t)
	d.Exec(t, `create table marks (id int, of_user uuid);
		alter table marks enable row level security;
		grant select, insert on marks to authenticated;
		create policy own on marks using (of_user = auth.uid())`)
	url := d.URL
	if parameter != "" {
		separator := "?"
		if strings.Contains(url, "?") {
			separator = "&"
		}
		url += separator + parameter
	}
	store, err := db.Open(t.Context(), db.Config{URL: url, MaxConns: 1})
	require.NoError(t, err)
	t.Cleanup(store.Close)
	return marksStore{store, d, t}
}

// query runs a read-only statement.
func (s marksStore) query(subject db.Subject, sql string, args ...string) ([][][]byte, error) {
	s.t.Helper()
	query := db.Query{SQL: sql}
	for _, a := range args {
		query.Args = append(query.Args, []byte(a))
	}
	results, err := s.Run(s.t.Context(), subject, db.Batch{ReadOnly: true, Queries: []db.Query{query}}, nil)
	if err != nil {
		return nil, err
	}
	return results[0].Values, nil
}

// row is the first row of a statement that succeeds.
func (s marksStore) row(subject db.Subject, sql string, args ...string) []string {
	s.t.Helper()
	values, err := s.query(subject, sql, args...)
	require.NoError(s.t, err)
	var row []string
	for _, v := range values[0] {
		row = append(row, string(v))
	}
	return row
}

// preparedSQL counts the statements that the connection keeps: all of them, and those that read marks.
const preparedSQL = `select count(*), count(*) filter (
	where statement like 'select%from marks%' and statement not like '%count%')
	from pg_prepared_statements where name like 'research%'`

func TestPreparedStatements(t *testing.T) {
	t.Parallel()

	t.Run("are prepared once for all users, and each user sees their own rows", func(t *testing.T) {
		t.Parallel()
		s := openMarks(t, "")
		users := []uuid.UUID{uuid.New(), uuid.New()}
		for i, u := range users {
			s.database.Exec(t, `insert into marks select $1 from generate_series(1, $1 + 1)`, i)
			s.database.Exec(t, `update marks set of_user = $1 where id = $2`, u, i)
		}
		for range 8 { // PostgreSQL may keep a plan after the fifth
			for i, u := range users {
				values, err := s.query(db.User(u), `select id from marks`)
				require.NoError(t, err)
				require.Len(t, values, i+1)
				require.Equal(t, fmt.Sprint(i), string(values[0][0]))
			}
			_, err := s.query(db.Subject{}, `select id from marks`)
			require.ErrorContains(t, err, "42501")
		}
		require.Equal(t, "1", s.row(db.User(users[0]), preparedSQL)[1])
	})

	t.Run("are bounded in number and in length", func(t *testing.T) {
		t.Parallel()
		s := openMarks(t, "")
		user := db.User(uuid.New())
		for i := range 300 {
			require.Equal(t, []string{fmt.Sprint(i), "x"}, s.row(user, fmt.Sprintf(`select %d, $1::text`, i), "x"))
		}
		long := `select length($1) - 1 /* ` + strings.Repeat("long", 5000) + ` */`
		require.Equal(t, []string{"0"}, s.row(user, long, "x"))
		require.Contains(t, []string{"128", "129", "130"}, s.row(user, preparedSQL)[0])
	})

	t.Run("are not kept if they cannot be prepared", func(t *testing.T) {
		t.Parallel()
		s := openMarks(t, "")
		user := db.User(uuid.New())
		const divide = `select 1 / $1::int from marks right join (select) s on true`
		for range 3 {
			_, err := s.query(user, `select nothing from marks`)
			require.ErrorContains(t, err, "42703")
			_, err = s.query(user, divide, "0")
			require.ErrorContains(t, err, "22012")
			require.Equal(t, []string{"1"}, s.row(user, divide, "1"))
		}
		require.Equal(t, "1", s.row(user, preparedSQL)[1])
	})

	t.Run("are prepared again after the schema has changed", func(t *testing.T) {
		t.Parallel()
		s := openMarks(t, "")
		user := db.User(uuid.New())
		_, err := s.query(user, `select id from marks where id = $1`, "1")
		require.NoError(t, err)
		s.database.Exec(t, `alter table marks alter column id type text`)
		s.ForgetPrepared()
		_, err = s.query(user, `select id from marks where id = $1`, "one")
		require.NoError(t, err)
	})

	t.Run("do not exist where the connection string says so", func(t *testing.T) {
		t.Parallel()
		s := openMarks(t, "default_query_exec_mode=exec")
		user := db.User(uuid.New())
		require.Equal(t, []string{"x"}, s.row(user, `select $1::text`, "x"))
		require.Equal(t, []string{"0", "0"}, s.row(user, preparedSQL))
	})
}
