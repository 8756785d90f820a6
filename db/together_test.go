package db_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

func TestTogether(t *testing.T) {
	t.Parallel()
	inTransaction := func(s *db.Store, fn func(*db.Queries) error) error {
		return s.AsService(t.Context(), func(q *db.Queries) error { return q.Together(t.Context(), fn) })
	}
	once := func(s *db.Store, fn func(*db.Queries) error) error { return s.TogetherAsService(t.Context(), fn) }
	const pooler = "?default_query_exec_mode=exec"
	t.Run("in a transaction", func(t *testing.T) { testTogether(t, "", inTransaction) })
	t.Run("as a transaction", func(t *testing.T) { testTogether(t, "", once) })
	t.Run("as a transaction, with a pooler", func(t *testing.T) { testTogether(t, pooler, once) })
}

// testTogether tests a function that runs statements together as the service.
func testTogether(t *testing.T, settings string, together func(*db.Store, func(*db.Queries) error) error) {
	t.Parallel()
	d := dbtest.New(t)
	tenant := d.Tenant(t)
	hypothesis := d.Hypothesis(t, tenant, "Nobody pays")
	store, err := db.Open(t.Context(), db.Config{URL: d.URL + settings})
	require.NoError(t, err)
	t.Cleanup(store.Close)
	// suggest suggests questions, each of which needs a hypothesis.
	suggest := func(questions ...db.SuggestQuestionParams) error {
		return together(store, func(q *db.Queries) error {
			for _, question := range questions {
				if _, err := q.SuggestQuestion(t.Context(), question); err != nil {
					return err
				}
			}
			return nil
		})
	}
	question := func(text string) db.SuggestQuestionParams {
		return db.SuggestQuestionParams{ID: uuid.New(), HypothesisID: hypothesis, Text: text}
	}
	texts := func() []string {
		return dbtest.Value[[]string](t, d,
			`select coalesce(array_agg(text order by created_at, text), '{}') from questions`)
	}

	t.Run("each statement sees what those before it wrote", func(t *testing.T) {
		require.NoError(t, suggest(question("Who pays?"), question("who pays? "), question("When?")))
		require.Equal(t, []string{"When?", "Who pays?"}, texts(), "the same question is suggested once")
	})

	t.Run("nothing is written if one of them fails", func(t *testing.T) {
		err := suggest(question("Why?"), question("never\x00stored"))
		require.ErrorIs(t, err, db.ErrInvalidValue)
		require.Len(t, texts(), 2)
	})

	t.Run("no statement at all is no error", func(t *testing.T) {
		require.NoError(t, suggest())
	})

	t.Run("results cannot be used", func(t *testing.T) {
		err := together(store, func(q *db.Queries) error {
			_, err := q.GetImport(t.Context(), uuid.New())
			return err
		})
		require.ErrorContains(t, err, "without results")
		if settings != "" {
			return // OnceAsService is AsService then
		}
		_, err = db.OnceAsService(t.Context(), store, func(q *db.Queries) (bool, error) {
			return false, q.Together(t.Context(), func(*db.Queries) error { return nil })
		})
		require.ErrorContains(t, err, "in a transaction")
	})
}

// PostgreSQL plans the first five executions of a statement for their parameters, unless it is told otherwise.
func TestStatementsByKeyArePlannedOnce(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	store, err := db.Open(t.Context(), db.Config{URL: d.URL, MaxConns: 1})
	require.NoError(t, err)
	t.Cleanup(store.Close)
	plans := func(query string) string {
		rows, err := store.Run(t.Context(), db.Subject{}, db.Statement{ReadOnly: true, SQL: `
			select generic_plans || ' for any, ' || custom_plans || ' for its parameters'
			from pg_prepared_statements where statement like '-- name: ` + query + ` %'`,
		}, nil)
		require.NoError(t, err)
		return string(rows.Values[0][0])
	}
	get := func(q *db.Queries) (db.Import, error) { return q.GetImport(t.Context(), uuid.New()) }
	for range 3 {
		_, err := db.AsServiceByKey(t.Context(), store, get)
		require.ErrorIs(t, err, db.ErrNotFound)
	}
	require.Equal(t, "3 for any, 0 for its parameters", plans("GetImport"))
	_, err = db.AsService(t.Context(), store, get)
	require.ErrorIs(t, err, db.ErrNotFound)
	require.Equal(t, "3 for any, 1 for its parameters", plans("GetImport"), "the setting ends with the transaction")

	interviewers := func(q *db.Queries) ([]string, error) { return q.ListInterviewers(t.Context(), uuid.New()) }
	for range 3 {
		names, err := db.OnceAsServiceByKey(t.Context(), store, interviewers)
		require.NoError(t, err)
		require.Empty(t, names)
	}
	require.Equal(t, "3 for any, 0 for its parameters", plans("ListInterviewers"))
	_, err = db.OnceAsService(t.Context(), store, interviewers)
	require.NoError(t, err)
	require.Equal(t, "3 for any, 1 for its parameters", plans("ListInterviewers"), "so does that of a single query")
}
