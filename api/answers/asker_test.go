package answers_test

import (
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/answers"
	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/db/dbtest"
	"research/outcome"
)

// asks has a question asked by another edge for a user, and returns the answer.
func (e *edge) asks(t *testing.T, user uuid.UUID, question, mode string) (uuid.UUID, error) {
	t.Helper()
	ctx := token.With(t.Context(), db.User(user))
	return e.asker.Ask(ctx, e.Project, question, mode)
}

func TestTheSameQuestionOfAnotherEdgeIsAskedOnce(t *testing.T) {
	t.Parallel()
	e := setup(t)
	var ids [5]uuid.UUID
	var errs [len(ids)]error
	var group sync.WaitGroup
	for i := range ids {
		group.Go(func() { ids[i], errs[i] = e.asks(t, e.Editor, " Who pays? ", "") })
	}
	group.Wait()
	first := ids[0]
	for i, id := range ids {
		require.NoError(t, errs[i])
		require.Equal(t, first, id)
	}
	require.Len(t, e.runner.started, 1)
	require.Equal(t, outcome.ModeQuick, e.runner.started[0].Mode)
	require.Equal(t, e.Editor, dbtest.Value[uuid.UUID](t, e.DB, `select created_by from answers`))

	for name, ask := range map[string]func() (uuid.UUID, error){
		"another question": func() (uuid.UUID, error) { return e.asks(t, e.Editor, "Who else pays?", "") },
		"another mode":     func() (uuid.UUID, error) { return e.asks(t, e.Editor, "Who pays?", "thorough") },
		"another user":     func() (uuid.UUID, error) { return e.asks(t, e.Owner, "Who pays?", "") },
	} {
		id, err := ask()
		require.NoError(t, err, name)
		require.NotEqual(t, first, id, name)
	}

	e.write(t, first)
	for _, change := range []string{
		`update answers set stale_since = now() where id = $1`,
		`update answers set status = 'failed', result = null where id = $1`,
		`delete from answers where id = $1`,
	} {
		again, err := e.asks(t, e.Editor, "Who pays?", "quick")
		require.NoError(t, err)
		require.Equal(t, first, again)
		e.Exec(t, change, first)
		first, err = e.asks(t, e.Editor, "Who pays?", "quick")
		require.NoError(t, err)
		require.NotEqual(t, again, first, change)
		e.Exec(t, `update answers set claim_id = null where id = $1`, first)
		e.write(t, first)
	}
}

func TestQuestionsOfAnotherEdgeAreChecked(t *testing.T) {
	t.Parallel()
	e := setup(t, func(c *answers.Config) { c.Limit = 1 })
	fails := func(user uuid.UUID, question, mode, code string) {
		t.Helper()
		_, err := e.asks(t, user, question, mode)
		var answer *problem.Error
		require.ErrorAs(t, err, &answer)
		require.Equal(t, code, answer.Code)
	}
	fails(e.Editor, "?", "", "invalid_request")
	fails(e.Editor, "Who pays?", "slow", "invalid_request")
	fails(e.Viewer, "Who pays?", "", "forbidden")
	fails(e.DB.Tenant(t).Owner, "Who pays?", "", "project_not_found")
	_, err := e.asks(t, e.Editor, "Who pays?", "")
	require.NoError(t, err)
	_, err = e.asks(t, e.Editor, "Who pays?", "")
	require.NoError(t, err, "the same answer counts once")
	fails(e.Editor, "Who else?", "", "ask_limit")

	// What was rejected is asked later.
	e.Exec(t, `delete from imports`)
	fails(e.Owner, "Who pays?", "", "nothing_to_read")
	e.interview(t, e.Tenant)
	_, err = e.asks(t, e.Owner, "Who pays?", "")
	require.NoError(t, err)
}
