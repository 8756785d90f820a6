package activities

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
	"research/outcome"
)

func TestScopeIsBounded(t *testing.T) {
	t.Parallel()
	half := db.ListScopeImportsRow{Bytes: maxScopeBytes / 2, Turns: maxScopeTurns / 2}
	require.NoError(t, checkScope([]db.ListScopeImportsRow{half, half}))
	require.NoError(t, checkScope(make([]db.ListScopeImportsRow, maxScopeImports)))
	for name, rows := range map[string][]db.ListScopeImportsRow{
		"interviews": make([]db.ListScopeImportsRow, maxScopeImports+1),
		"bytes":      {half, half, {Bytes: 1}},
		"turns":      {half, half, {Turns: 1}},
	} {
		require.True(t, isType(checkScope(rows), string(outcome.CodeTokenLimit)), name)
	}
}

// newScope returns the row of an interview, as a scope has it.
func newScope(t *testing.T, d *dbtest.DB) []db.ListScopeImportsRow {
	t.Helper()
	id := dbtest.Value[uuid.UUID](t, d, `
		insert into imports (project_id, title, format, size_bytes, sha256)
		values ($1, 'Ann', 'text', 1, '00') returning id`, d.Tenant(t).Project)
	d.Exec(t, `insert into private.transcripts (import_id, body) values ($1, 'Hello.')`, id)
	return []db.ListScopeImportsRow{{ID: id, Version: "1"}}
}

func TestScopeIsLoadedForAllWhoWait(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the caller that came first is gone
	scope, err := newIndexCache(newTranscriptCache(d.Store)).load(ctx, newScope(t, d))
	require.NoError(t, err)
	require.Len(t, scope.all, 1)
}

func TestFewScopesAreIndexedAtTheSameTime(t *testing.T) {
	t.Parallel()
	c := newIndexCache(nil)
	for range indexConcurrency {
		c.slots <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.index(ctx, "", nil)
	require.ErrorIs(t, err, context.Canceled)
	<-c.slots
	for range 2 { // the slot is given back
		_, err = c.index(t.Context(), "", nil)
		require.NoError(t, err)
	}
}

func TestScopeIsListedAgainIfAnInterviewIsGone(t *testing.T) {
	t.Parallel()
	answers := NewAnswerEstimator(dbtest.New(t).Store, nil, 1).answers
	_, err := answers.loadScope(t.Context(), []db.ListScopeImportsRow{{ID: uuid.New(), Version: "1"}})
	require.True(t, isType(err, "changed"), err)
}

// A run may be planned by a worker that had a model.
func TestAnswerNeedsAModel(t *testing.T) {
	t.Parallel()
	_, err := (&Answers{}).ComposeAnswer(t.Context(), AnswerRef{})
	require.True(t, isType(err, string(outcome.CodeModelNotFound)), err)
	_, err = (&Answers{}).ReadForAnswer(t.Context(), ReadForAnswerInput{})
	require.True(t, isType(err, string(outcome.CodeModelNotFound)), err)
}
