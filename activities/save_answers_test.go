package activities

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/db"
	"research/db/dbtest"
)

// saverOf returns the saver of a run that reads so many chunks. Its answers do not wait for those of other calls.
func saverOf(t *testing.T, chunks int) (*answerSaver, *dbtest.DB) {
	t.Helper()
	d := dbtest.New(t)
	tenant := d.Tenant(t)
	store, err := db.Open(t.Context(), db.Config{URL: d.URL})
	require.NoError(t, err)
	t.Cleanup(store.Close)
	s := newAnswerSaver(store, ParseRef{ImportID: uuid.New(), ClaimID: uuid.New()}, nil)
	d.Exec(t, `
		insert into imports (id, project_id, title, filename, format, size_bytes, sha256, claim_id, status)
		values ($1, $2, 'T', 't.txt', 'txt', 1, repeat('0', 64), $3, 'parsing')`,
		s.ref.ImportID, tenant.Project, s.ref.ClaimID)
	d.Exec(t, `insert into private.import_runs (claim_id, import_id, before) values ($1, $2, '{}')`,
		s.ref.ClaimID, s.ref.ImportID)
	d.Exec(t, `
		insert into private.import_chunks (
			import_id, claim_id, ordinal, utterance_from, utterance_to, byte_start, byte_end, hypotheses
		)
		select $1, $2, n, n, n + 1, n, n + 1, '{}' from generate_series(0, $3 - 1) n`,
		s.ref.ImportID, s.ref.ClaimID, chunks)
	return s, d
}

// lastAnswer is the answer about a whole chunk.
func lastAnswer(ordinal int32, summary string) *unsavedAnswer {
	key := answerKey{byte(ordinal), 1}
	return &unsavedAnswer{
		ordinal: ordinal, key: key, next: chunkState{keys: [][]byte{key[:]}},
		answer: storedAnswer{Response: extract.Response{
			Findings: []extract.Finding{{Summary: summary}}, Usage: extract.Usage{InputTokens: 10, OutputTokens: 1},
		}},
	}
}

func TestAnswersAreStoredTogether(t *testing.T) {
	t.Parallel()

	t.Run("those that wait take one transaction", func(t *testing.T) {
		t.Parallel()
		const chunks = 5
		s, d := saverOf(t, chunks)
		var saving sync.WaitGroup
		save := func(ordinal int32) {
			saving.Go(func() {
				isLatest, err := s.save(t.Context(), lastAnswer(ordinal, "said"))
				require.NoError(t, err)
				require.True(t, isLatest)
			})
		}
		d.AsOwner(t, func(c *pgx.Conn) {
			locked, err := c.Begin(t.Context())
			require.NoError(t, err)
			_, err = locked.Exec(t.Context(), "select from imports where id = $1 for update", s.ref.ImportID)
			require.NoError(t, err)
			save(0)
			d.AwaitLock(t)
			for ordinal := int32(1); ordinal < chunks; ordinal++ {
				save(ordinal)
			}
			require.Eventually(t, func() bool {
				s.mu.Lock()
				defer s.mu.Unlock()
				return len(s.waiting) == chunks-1
			}, time.Minute, time.Millisecond)
			require.NoError(t, locked.Commit(t.Context()))
		})
		saving.Wait()
		require.Equal(t, 2, dbtest.Value[int](t, d, `select count(distinct xmin::text) from private.chunk_answers`))
		require.Equal(t, "5 of 50 and 5 tokens", dbtest.Value[string](t, d,
			`select progress_done || ' of ' || input_tokens || ' and ' || output_tokens || ' tokens' from imports`))
		require.Equal(t, chunks, dbtest.Value[int](t, d, `
			select count(*) from private.import_chunks c
			join private.chunk_answers a on array[a.key] = c.answer_keys and a.import_id = c.import_id
			where c.done_at is not null and c.calls = 1 and c.input_tokens = 10 and c.unread = '[]'`))
	})

	t.Run("one waits for those of the other calls of its run", func(t *testing.T) {
		t.Parallel()
		const chunks = 4
		s, d := saverOf(t, chunks)
		s.most = time.Minute
		s.calls = func() int { return chunks }
		var saving sync.WaitGroup
		for ordinal := range int32(chunks) {
			saving.Go(func() {
				_, err := s.save(t.Context(), lastAnswer(ordinal, "said"))
				require.NoError(t, err)
			})
		}
		saving.Wait()
		require.Equal(t, 1, dbtest.Value[int](t, d, `select count(distinct xmin::text) from private.chunk_answers`))
	})

	t.Run("one does not wait for calls that take longer", func(t *testing.T) {
		t.Parallel()
		s, d := saverOf(t, 2)
		s.calls = func() int { return 2 }
		_, err := s.save(t.Context(), lastAnswer(0, "said"))
		require.NoError(t, err)
		require.Equal(t, 1, dbtest.Value[int](t, d, `select progress_done from imports`))
	})

	t.Run("one that the database rejects does not lose the others", func(t *testing.T) {
		t.Parallel()
		s, d := saverOf(t, 3)
		answers := []*unsavedAnswer{lastAnswer(0, "said"), lastAnswer(1, "never\x00stored"), lastAnswer(2, "said")}
		s.saveAll(t.Context(), answers)
		require.NoError(t, answers[0].err)
		require.ErrorIs(t, answers[1].err, db.ErrInvalidValue)
		require.NoError(t, answers[2].err)
		require.Equal(t, 2, dbtest.Value[int](t, d, `select progress_done from imports`))
	})

	t.Run("storing one again changes nothing", func(t *testing.T) {
		t.Parallel()
		s, d := saverOf(t, 1)
		for range 2 {
			isLatest, err := s.save(t.Context(), lastAnswer(0, "said"))
			require.NoError(t, err)
			require.True(t, isLatest)
		}
		require.Equal(t, "1 10", dbtest.Value[string](t, d,
			`select progress_done || ' ' || input_tokens from imports`))
	})

	t.Run("they belong to the import after another claim", func(t *testing.T) {
		t.Parallel()
		s, d := saverOf(t, 1)
		d.Exec(t, `update imports set claim_id = $1`, uuid.New())
		isLatest, err := s.save(t.Context(), lastAnswer(0, "said"))
		require.NoError(t, err)
		require.False(t, isLatest)
		require.Equal(t, "0 10", dbtest.Value[string](t, d,
			`select progress_done || ' ' || input_tokens from imports`))
		var stored storedAnswer
		require.NoError(t, json.Unmarshal(
			dbtest.Value[[]byte](t, d, `select answer::text::bytea from private.chunk_answers`), &stored))
		require.Equal(t, "said", fmt.Sprint(stored.Findings[0].Summary))
	})
}
