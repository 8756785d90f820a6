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

// Statements of the data API are parsed and planned once on each connection.
func TestPrepared(t *testing.T) {
	t.Parallel()
	const kept = `select count(*), count(*) filter (where statement like 'select%from marks%' and statement not like '%count%') from pg_prepared_statements where name like 'research%'`
	// one opens a store of one connection over a database with a table of marks, and gives what runs a statement
	// there.
	one := func(t *testing.T, d *dbtest.DB, option string) (*db.Store, func(db.Subject, string, ...string) ([][][]byte, error)) {
		d.Exec(t, `create table marks (id int, of_user uuid); alter table marks enable row level security;
grant select on marks to authenticated; create policy own on marks for select using (of_user = auth.uid())`)
		s, err := db.Open(t.Context(), db.Config{URL: d.URL + option, MaxConns: 1})
		require.NoError(t, err)
		t.Cleanup(s.Close)
		return s, func(subject db.Subject, sql string, args ...string) ([][][]byte, error) {
			st := db.Statement{ReadOnly: true, SQL: sql}
			for _, a := range args {
				st.Args = append(st.Args, []byte(a))
			}
			rows, err := s.Run(t.Context(), subject, st, nil)
			return rows.Values, err
		}
	}
	query := func(t *testing.T, d *dbtest.DB, option string) func(string, ...string) []string {
		_, run := one(t, d, option)
		return func(sql string, args ...string) (row []string) {
			t.Helper()
			values, err := run(db.User(uuid.New()), sql, args...)
			require.NoError(t, err)
			for _, v := range values[0] {
				row = append(row, string(v))
			}
			return row
		}
	}

	t.Run("once, whoever asks, and each sees his own", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		_, run := one(t, d, "")
		users := []uuid.UUID{uuid.New(), uuid.New()}
		for i, u := range users {
			d.Exec(t, `insert into marks select $1 from generate_series(1, $1 + 1)`, i)
			d.Exec(t, `update marks set of_user = $1 where id = $2`, u, i)
		}
		for range 8 { // PostgreSQL may keep a plan after the fifth
			for i, u := range users {
				values, err := run(db.User(u), `select id from marks`)
				require.NoError(t, err)
				require.Len(t, values, i+1)
				require.Equal(t, fmt.Sprint(i), string(values[0][0]))
			}
			_, err := run(db.Subject{}, `select id from marks`)
			require.ErrorContains(t, err, "42501")
		}
		values, err := run(db.User(users[0]), kept)
		require.NoError(t, err)
		require.Equal(t, "1", string(values[0][1]))
	})

	t.Run("a bounded number of them, and none of great length", func(t *testing.T) {
		t.Parallel()
		ask := query(t, dbtest.New(t), "")
		for i := range 300 {
			require.Equal(t, []string{fmt.Sprint(i), "x"}, ask(fmt.Sprintf(`select %d, $1::text`, i), "x"))
		}
		require.Equal(t, []string{"0"}, ask(`select length($1) - 1 /* `+strings.Repeat("long", 5000)+` */`, "x"))
		row := ask(kept)
		require.Contains(t, []string{"128", "129", "130"}, row[0])
	})

	t.Run("not one that failed", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		_, run := one(t, d, "")
		user := db.User(uuid.New())
		for range 3 {
			_, err := run(user, `select nothing from marks`)
			require.ErrorContains(t, err, "42703")
			_, err = run(user, `select 1 / $1::int from marks right join (select) s on true`, "0")
			require.ErrorContains(t, err, "22012")
			values, err := run(user, `select 1 / $1::int from marks right join (select) s on true`, "1")
			require.NoError(t, err)
			require.Equal(t, "1", string(values[0][0]))
		}
		values, err := run(user, kept)
		require.NoError(t, err)
		require.Equal(t, "1", string(values[0][1]))
	})

	t.Run("anew when the schema has changed", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		s, run := one(t, d, "")
		user := db.User(uuid.New())
		_, err := run(user, `select id from marks where id = $1`, "1")
		require.NoError(t, err)
		d.Exec(t, `alter table marks alter column id type text`)
		s.ForgetPrepared()
		_, err = run(user, `select id from marks where id = $1`, "one")
		require.NoError(t, err)
	})

	t.Run("none where the connection string says so", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		ask := query(t, d, map[bool]string{true: "&", false: "?"}[strings.Contains(d.URL, "?")]+"default_query_exec_mode=exec")
		require.Equal(t, []string{"x"}, ask(`select $1::text`, "x"))
		require.Equal(t, []string{"0", "0"}, ask(kept))
	})
}
