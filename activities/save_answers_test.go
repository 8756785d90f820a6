package activities

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/db"
	"research/db/dbtest"
)

// readerOf returns the reader of a run with a number of chunks.
func readerOf(t *testing.T, chunks int) (*chunkReader, *dbtest.DB) {
	t.Helper()
	d := dbtest.New(t)
	tenant := d.Tenant(t)
	store, err := db.Open(t.Context(), db.Config{URL: d.URL})
	require.NoError(t, err)
	t.Cleanup(store.Close)
	r := &chunkReader{
		imports: &Imports{store: store}, ref: ParseRef{ImportID: uuid.New(), ClaimID: uuid.New()},
	}
	d.Exec(t, `
		insert into imports (id, project_id, title, filename, format, size_bytes, sha256, claim_id, status)
		values ($1, $2, 'T', 't.txt', 'txt', 1, repeat('0', 64), $3, 'parsing')`,
		r.ref.ImportID, tenant.Project, r.ref.ClaimID)
	d.Exec(t, `insert into private.import_runs (claim_id, import_id, before) values ($1, $2, '{}')`,
		r.ref.ClaimID, r.ref.ImportID)
	d.Exec(t, `
		insert into private.import_chunks (
			import_id, claim_id, ordinal, utterance_from, utterance_to, byte_start, byte_end, hypotheses
		)
		select $1, $2, n, n, n + 1, n, n + 1, '{}' from generate_series(0, $3 - 1) n`,
		r.ref.ImportID, r.ref.ClaimID, chunks)
	return r, d
}

// saveWhole saves the answer about a whole chunk.
func (r *chunkReader) saveWhole(t *testing.T, ordinal int32, summary string) error {
	t.Helper()
	state := newChunkState(extract.Chunk{})
	return r.save(t.Context(), ordinal, answerKey{byte(ordinal), 1}, storedAnswer{Response: extract.Response{
		Findings: []extract.Finding{{Summary: summary}}, Usage: extract.Usage{InputTokens: 10, OutputTokens: 1},
	}}, state)
}

func TestAnswersAreStored(t *testing.T) {
	t.Parallel()

	t.Run("each with the end of its chunk and the progress of the import", func(t *testing.T) {
		t.Parallel()
		const chunks = 5
		r, d := readerOf(t, chunks)
		var saving sync.WaitGroup
		errs := make([]error, chunks)
		for ordinal := range chunks {
			saving.Go(func() { errs[ordinal] = r.saveWhole(t, int32(ordinal), "said") })
		}
		saving.Wait()
		for _, err := range errs {
			require.NoError(t, err)
		}
		require.Equal(t, "5 of 50 and 5 tokens", dbtest.Value[string](t, d,
			`select progress_done || ' of ' || input_tokens || ' and ' || output_tokens || ' tokens' from imports`))
		require.Equal(t, chunks, dbtest.Value[int](t, d, `
			select count(*) from private.import_chunks c
			join private.chunk_answers a on array[a.key] = c.answer_keys and a.import_id = c.import_id
			where c.done_at is not null and c.calls = 1 and c.input_tokens = 10 and c.unread = '[]'`))
	})

	t.Run("but not one that the database rejects", func(t *testing.T) {
		t.Parallel()
		r, d := readerOf(t, 2)
		require.ErrorIs(t, r.saveWhole(t, 0, "never\x00stored"), db.ErrInvalidValue)
		require.NoError(t, r.saveWhole(t, 1, "said"))
		require.Equal(t, 1, dbtest.Value[int](t, d, `select progress_done from imports`))
	})

	t.Run("once", func(t *testing.T) {
		t.Parallel()
		r, d := readerOf(t, 1)
		for range 2 {
			require.NoError(t, r.saveWhole(t, 0, "said"))
		}
		require.Equal(t, "1 10", dbtest.Value[string](t, d,
			`select progress_done || ' ' || input_tokens from imports`))
	})

	t.Run("with the import after another claim", func(t *testing.T) {
		t.Parallel()
		r, d := readerOf(t, 1)
		d.Exec(t, `update imports set claim_id = $1`, uuid.New())
		require.True(t, isSuperseded(r.saveWhole(t, 0, "said")))
		require.Equal(t, "0 10", dbtest.Value[string](t, d,
			`select progress_done || ' ' || input_tokens from imports`))
		var stored storedAnswer
		require.NoError(t, json.Unmarshal(
			dbtest.Value[[]byte](t, d, `select answer::text::bytea from private.chunk_answers`), &stored))
		require.Equal(t, "said", stored.Findings[0].Summary)
	})
}
