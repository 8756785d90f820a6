package db_test

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// A response has words of the transcript. One that arrives after they were redacted is counted, and not kept.
func TestAResponseThatComesTooLateIsNotKept(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	tenant := d.Tenant(t)
	id, claim := storeImport(t, d, tenant.Project, nil, "Dana: We pay late."), uuid.New()
	store := func(key byte) (isNew bool) {
		t.Helper()
		isNew, err := db.AsService(t.Context(), d.Store, func(q *db.Queries) (bool, error) {
			return q.StoreResponse(t.Context(), db.StoreResponseParams{
				ImportID: id, ClaimID: claim, Key: []byte{key}, Response: json.RawMessage(`{"quote": "Dana"}`),
				InputTokens: 20, OutputTokens: 1, Called: true,
			})
		})
		require.NoError(t, err)
		return isNew
	}
	kept := func() string {
		return dbtest.Value[string](t, d, `select concat_ws(' ', count(*), i.input_tokens, i.output_tokens)
			from imports i left join private.chunk_responses r on r.import_id = i.id where i.id = $1
			group by i.id`, id)
	}
	d.Exec(t, "update imports set claim_id = $2 where id = $1", id, claim)
	require.True(t, store(1))
	require.False(t, store(1), "it is stored once")
	require.Equal(t, "1 20 1", kept())
	_, err := db.AsUser(t.Context(), d.Store, db.User(tenant.Editor), func(q *db.Queries) (struct{}, error) {
		return struct{}{}, q.RedactImport(t.Context(), db.RedactImportParams{
			ImportID: id, Kinds: []string{}, Olds: []string{}, News: []string{},
		})
	})
	require.NoError(t, err)
	require.True(t, store(2))
	require.Equal(t, 0, dbtest.Value[int](t, d, "select count(*) from private.chunk_responses"))
	require.Equal(t, 40, dbtest.Value[int](t, d, "select input_tokens from imports where id = $1", id))
	require.Equal(t, 42, dbtest.Value[int](t, d,
		"select tokens from private.daily_usage where subject = $1", tenant.Workspace))
}
