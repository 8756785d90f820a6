package mcp_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// An added is a result of add_hypothesis or add_question.
type added struct {
	ID, URL string
	Existed bool
}

func TestAddedRowsAreLikeThoseOfAPerson(t *testing.T) {
	t.Parallel()
	e := setup(t)
	session := e.connect(t, e.app(t, e.Editor, allScopes))
	const statement = "Accountants pay for invoice software."
	first := call[added](t, session, "add_hypothesis", map[string]any{
		"project": e.Project.String(), "text": " " + statement + "\n", "falsified_if": "Nobody of ten pays",
		"importance": "high", "category": "pricing",
	})
	id := strings.TrimPrefix(first.ID, "hypothesis:")
	require.Equal(t, publicURL+"/projects/"+e.Project.String()+"/evidence?h="+id, first.URL)
	require.False(t, first.Existed)

	question := call[added](t, session, "add_question", map[string]any{
		"project": e.Project.String(), "text": "When did you last pay for software?", "hypothesis": first.ID,
		"priority": "high",
	})
	require.Equal(t, publicURL+"/projects/"+e.Project.String()+"/questions", question.URL)

	// The page inserts the same rows.
	e.asUser(t, e.Editor, func(tx pgx.Tx) {
		_, err := tx.Exec(t.Context(), `
			insert into hypotheses (project_id, statement, falsified_if, importance, category)
			values ($1, $2, 'Nobody of ten pays', 'high', 'pricing')`, e.Project, statement)
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), `
			insert into questions (project_id, text, hypothesis_id, priority)
			values ($1, 'When did you last pay for software?', $2, 'high')`, e.Project, id)
		require.NoError(t, err)
	})
	for table, of := range map[string]string{
		"hypotheses": id, "questions": strings.TrimPrefix(question.ID, "question:"),
	} {
		require.Equal(t, e.row(t, "select * from "+table+" where id <> $1", of),
			e.row(t, "select * from "+table+" where id = $1", of))
	}
	e.Exec(t, "delete from hypotheses where id <> $1", id)

	again := call[added](t, session, "add_hypothesis", map[string]any{
		"project": "project:" + e.Project.String(), "text": "accountants pay for invoice software",
	})
	require.Equal(t, added{ID: first.ID, URL: first.URL, Existed: true}, again)
	again = call[added](t, session, "add_question", map[string]any{
		"kind": "question", "project": e.Project.String(), "text": "When did you last pay for software",
	})
	require.True(t, again.Existed)
	require.Equal(t, question.ID, again.ID)
	require.Equal(t, []int{1, 2}, dbtest.Value[[]int](t, e.DB,
		"select array[(select count(*) from hypotheses), (select count(*) from questions)]"))
	require.Contains(t, strings.Join(e.records(t, e.Workspace), "\n"), "mcp.add_question project "+
		e.Project.String()+" "+e.Editor.String())
}

func TestWhatIsNotAdded(t *testing.T) {
	t.Parallel()
	e := setup(t)
	stranger := e.DB.Tenant(t)
	theirs, foreign := e.Hypothesis(t, stranger, "Theirs").String(), stranger.Project.String()
	nobodys, long := uuid.NewString(), strings.Repeat("é", 20_001)
	project := dbtest.Value[uuid.UUID](t, e.DB,
		"insert into projects (workspace_id, name) values ($1, 'Another') returning id", e.Workspace)
	another := dbtest.Value[string](t, e.DB,
		"insert into hypotheses (project_id, statement) values ($1, 'Another') returning id::text", project)
	session := e.connect(t, e.app(t, e.Editor, allScopes))
	args := map[string]any{"project": e.Project.String(), "text": "People pay"}
	for name, c := range map[string]struct {
		tool    string
		changes map[string]any
		text    string
	}{
		"no text":              {"add_hypothesis", map[string]any{"text": " "}, "1 to 2,000 characters"},
		"a long text":          {"add_question", map[string]any{"text": strings.Repeat("é", 2001)}, "1 to 2,000"},
		"NUL":                  {"add_question", map[string]any{"text": "a\x00b"}, "NUL"},
		"a long falsified_if":  {"add_hypothesis", map[string]any{"falsified_if": long}, "20,000"},
		"a status":             {"add_hypothesis", map[string]any{"status": "validated"}, "status"},
		"an importance":        {"add_hypothesis", map[string]any{"importance": "huge"}, "importance"},
		"the other kind":       {"add_question", map[string]any{"kind": "hypothesis"}, `kind`},
		"a priority":           {"add_hypothesis", map[string]any{"priority": "high"}, `properties ["priority"]`},
		"a category":           {"add_question", map[string]any{"category": "pricing"}, `properties ["category"]`},
		"a foreign hypothesis": {"add_question", map[string]any{"hypothesis": theirs}, "There is nothing"},
		"no such hypothesis":   {"add_question", map[string]any{"hypothesis": nobodys}, "There is nothing"},
		"one of another":       {"add_question", map[string]any{"hypothesis": another}, "There is nothing"},
		"a foreign project":    {"add_hypothesis", map[string]any{"project": foreign}, "There is nothing"},
		"no such project":      {"add_hypothesis", map[string]any{"project": uuid.NewString()}, "There is nothing"},
	} {
		require.Contains(t, fail(t, session, c.tool, arguments(args, c.changes)), c.text, name)
	}
	for _, tool := range []string{"add_hypothesis", "add_question"} {
		require.Contains(t, fail(t, e.connect(t, e.app(t, e.Viewer, allScopes)), tool, args),
			"only its editors may")
		require.Contains(t, fail(t, e.connect(t, e.app(t, stranger.Owner, allScopes)), tool, args),
			"There is nothing with this id")
	}
	require.Equal(t, []int{2, 0}, dbtest.Value[[]int](t, e.DB,
		"select array[(select count(*) from hypotheses), (select count(*) from questions)]"))

	// The limits of the data API hold.
	e.Exec(t, `
		insert into private.write_budgets (user_id, day, day_bytes)
		values ($1, private.today(), 1000000000)`, e.Editor)
	imported := e.transcript(t, e.Tenant, "en", books...)
	for tool, of := range map[string]map[string]any{
		"add_hypothesis": args, "add_question": args,
		"record_evidence": {
			"hypothesis": e.Hypothesis(t, e.Tenant, "Teams copy invoices"), "import": imported, "stance": "supports",
			"quote": "We copy every invoice by hand into a spreadsheet",
		},
	} {
		require.Equal(t, "You have written 1000 MB today, which is the limit. Try again after 00:00 UTC. Each row "+
			"counts for at least 1,000 bytes.", fail(t, session, tool, of), tool)
	}
	e.Exec(t, "delete from private.write_budgets")
	e.Exec(t, `insert into private.row_counts (workspace_id, relation, rows) values ($1, 'questions', 100000)`,
		e.Workspace)
	call[added](t, session, "add_question", args)
	require.NotContains(t, e.log.String(), "tool failed")

	// A failure of the database is ours, and says nothing about ids.
	e.Exec(t, "alter table hypotheses rename column decided_at to was_decided_at")
	require.Contains(t, fail(t, session, "add_question", arguments(args, map[string]any{
		"hypothesis": another,
	})), "Something went wrong on our side")
	require.Contains(t, e.log.String(), "tool failed")
}
