package db_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// A parse drives one import through its states, each step in a transaction of its own.
type parse struct {
	t      *testing.T
	d      *dbtest.DB
	id     uuid.UUID
	member uuid.UUID
}

func (p parse) claim(claim uuid.UUID, hypotheses ...uuid.UUID) (before json.RawMessage, err error) {
	p.t.Helper()
	err = p.d.AsUser(p.t.Context(), db.User(p.member), func(q *db.Queries) error {
		before, err = q.ClaimImport(p.t.Context(), db.ClaimImportParams{ImportID: p.id, ClaimID: claim, HypothesisIds: append([]uuid.UUID{}, hypotheses...)})
		return err
	})
	return before, err
}

func (p parse) begin(claim uuid.UUID, run string) error {
	p.t.Helper()
	return p.d.AsService(p.t.Context(), func(q *db.Queries) error {
		_, err := q.BeginParse(p.t.Context(), db.BeginParseParams{ImportID: p.id, ClaimID: claim, WorkflowID: "parse", RunID: run, Extractor: "keyword"})
		return err
	})
}

func (p parse) end(claim uuid.UUID, status db.ImportStatus) error {
	p.t.Helper()
	return p.d.AsService(p.t.Context(), func(q *db.Queries) error {
		_, err := q.EndImport(p.t.Context(), db.EndImportParams{ImportID: p.id, ClaimID: claim, Status: status, Unread: json.RawMessage(`[]`)})
		return err
	})
}

func (p parse) release(claim uuid.UUID, before json.RawMessage) (released bool, err error) {
	p.t.Helper()
	err = p.d.AsUser(p.t.Context(), db.User(p.member), func(q *db.Queries) error {
		released, err = q.ReleaseImport(p.t.Context(), db.ReleaseImportParams{ClaimID: claim, Before: before})
		return err
	})
	return released, err
}

// row is the import without the stamp that every write moves.
func (p parse) row() string {
	p.t.Helper()
	return dbtest.Value[string](p.t, p.d, "select (to_jsonb(i) - 'updated_at')::text from imports i where id = $1", p.id)
}

func (p parse) status() string {
	p.t.Helper()
	return dbtest.Value[string](p.t, p.d, "select status::text from imports where id = $1", p.id)
}

func TestImportStates(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T) (parse, filled) {
		d := dbtest.New(t)
		f := fill(t, d)
		return parse{t, d, f.Import, f.Editor}, f
	}

	t.Run("a claim is one caller's", func(t *testing.T) {
		t.Parallel()
		p, _ := start(t)
		const callers = 8
		won := make([]bool, callers)
		errs := make([]error, callers)
		var wg sync.WaitGroup
		for i := range callers {
			wg.Go(func() {
				before, err := p.claim(uuid.New())
				won[i], errs[i] = before != nil && string(before) != "null", err
			})
		}
		wg.Wait()
		winners := 0
		for i := range callers {
			if errs[i] != nil {
				require.ErrorIs(t, errs[i], db.ErrNotFound) // no row to claim is an answer as well
			} else if won[i] {
				winners++
			}
		}
		require.Equal(t, 1, winners)
		require.Equal(t, "queued", p.status())
	})

	t.Run("a late write of an earlier claim changes nothing", func(t *testing.T) {
		t.Parallel()
		p, _ := start(t)
		first, second := uuid.New(), uuid.New()
		_, err := p.claim(first)
		require.NoError(t, err)
		require.NoError(t, p.begin(first, "run-1"))
		require.NoError(t, p.end(first, db.ImportStatusFailed))
		_, err = p.claim(second)
		require.NoError(t, err)

		stale := func() {
			before := p.row()
			require.ErrorIs(t, p.begin(first, "run-1"), db.ErrNotFound)
			require.ErrorIs(t, p.begin(first, "run-1b"), db.ErrNotFound)
			require.ErrorIs(t, p.end(first, db.ImportStatusParsed), db.ErrNotFound)
			released, err := p.release(first, json.RawMessage(`{"id":"`+p.id.String()+`","status":"uploaded"}`))
			require.NoError(t, err)
			require.False(t, released)
			require.NoError(t, p.d.AsService(t.Context(), func(q *db.Queries) error {
				if _, err := q.LockImport(t.Context(), db.LockImportParams{ImportID: p.id, ClaimID: first}); err == nil {
					t.Error("a superseded run got the lock")
				}
				if err := q.RecordRun(t.Context(), db.RecordRunParams{ImportID: p.id, ClaimID: first, WorkflowID: "old", RunID: "old"}); err != nil {
					return err
				}
				return q.SetImportProgress(t.Context(), db.SetImportProgressParams{ImportID: p.id, ClaimID: first})
			}))
			require.Equal(t, before, p.row())
		}
		stale() // queued
		require.NoError(t, p.begin(second, "run-2"))
		stale() // parsing
		require.NoError(t, p.end(second, db.ImportStatusParsed))
		stale() // parsed
		require.Equal(t, "parsed", p.status())
	})

	t.Run("each state is left only as it may be", func(t *testing.T) {
		t.Parallel()
		p, _ := start(t)
		for _, status := range []string{"uploaded", "queued", "parsing", "parsed", "failed", "canceled", "terminated", "timed_out"} {
			reset := func() uuid.UUID {
				claim := uuid.New()
				p.d.Exec(t, "update imports set status = $2::import_status, claim_id = $3, run_id = 'r' where id = $1", p.id, status, claim)
				return claim
			}
			reset()
			before, err := p.claim(uuid.New())
			claimable := status != "queued" && status != "parsing" && status != "parsed"
			require.Equal(t, claimable, err == nil && before != nil && string(before) != "null", "claim while %s", status)

			claim := reset()
			require.Equal(t, status == "queued" || status == "parsing", p.end(claim, db.ImportStatusFailed) == nil, "end while %s", status)
			claim = reset()
			require.Equal(t, status == "queued" || status == "parsing", p.begin(claim, "r") == nil, "begin while %s", status)
		}
	})

	t.Run("a released claim leaves the import as it was", func(t *testing.T) {
		t.Parallel()
		p, f := start(t)
		for _, status := range []string{"uploaded", "failed"} {
			p.d.Exec(t, "update imports set status = $2::import_status, error_code = 'x', run_id = 'r', workflow_id = 'w', queued_at = now(), finished_at = now(), progress_done = 3 where id = $1", p.id, status)
			was := p.row()
			claim := uuid.New()
			before, err := p.claim(claim, f.Hypothesis)
			require.NoError(t, err)
			require.NotEqual(t, was, p.row())
			released, err := p.release(claim, before)
			require.NoError(t, err)
			require.True(t, released)
			require.Equal(t, was, p.row())
			released, err = p.release(claim, before)
			require.NoError(t, err)
			require.False(t, released, "twice")
		}
		// One that a run has begun is not released.
		claim := uuid.New()
		before, err := p.claim(claim)
		require.NoError(t, err)
		require.NoError(t, p.begin(claim, "run"))
		released, err := p.release(claim, before)
		require.NoError(t, err)
		require.False(t, released)
		require.Equal(t, "parsing", p.status())
	})

	t.Run("only editors of the import's workspace claim, release and store", func(t *testing.T) {
		t.Parallel()
		p, f := start(t)
		rival := fill(t, p.d)
		claim := uuid.New()
		before, err := p.claim(claim)
		require.NoError(t, err)
		was := p.row()
		forged := json.RawMessage(strings.ReplaceAll(string(before), f.Workspace.String(), rival.Workspace.String()))
		for _, who := range []uuid.UUID{f.Viewer, rival.Owner, uuid.New()} {
			q := parse{t, p.d, p.id, who}
			_, foreign := q.claim(uuid.New())
			require.ErrorIs(t, foreign, db.ErrDenied)
			_, unknown := parse{t, p.d, uuid.New(), who}.claim(uuid.New())
			require.Equal(t, unknown.Error(), foreign.Error())
			for _, b := range []json.RawMessage{before, forged} {
				_, err := q.release(claim, b)
				require.ErrorIs(t, err, db.ErrDenied)
			}
			for _, project := range []uuid.UUID{f.Project, uuid.New()} {
				err := p.d.AsUser(t.Context(), db.User(who), func(q *db.Queries) error {
					_, err := q.StoreImport(t.Context(), storeParams(project, nil, body))
					return err
				})
				require.ErrorIs(t, err, db.ErrDenied)
			}
		}
		require.Equal(t, was, p.row())
		// A made-up "before" gives no state that a claim could not have found.
		released, err := p.release(claim, json.RawMessage(strings.ReplaceAll(string(before), `"uploaded"`, `"parsed"`)))
		require.NoError(t, err)
		require.False(t, released)
	})
}

func TestStoreImport(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	n := d.Tenant(t)
	store := func(p db.StoreImportParams) (id uuid.UUID, err error) {
		err = d.AsUser(t.Context(), db.User(n.Editor), func(q *db.Queries) error {
			id, err = q.StoreImport(t.Context(), p)
			return err
		})
		return id, err
	}

	t.Run("refuses utterances that are not the transcript", func(t *testing.T) {
		for name, change := range map[string]func(*db.StoreImportParams){
			"another body":  func(p *db.StoreImportParams) { p.Body = append(p.Body, '!') },
			"another text":  func(p *db.StoreImportParams) { p.Texts[1] += "!" },
			"another start": func(p *db.StoreImportParams) { p.ByteStarts[1]++ },
			"another end":   func(p *db.StoreImportParams) { p.ByteEnds[0]-- },
			"no utterances": func(p *db.StoreImportParams) { p.Texts, p.ByteStarts, p.ByteEnds = []string{}, []int32{}, []int32{} },
			"letters, not bytes": func(p *db.StoreImportParams) {
				p.ByteEnds[0] = int32(len([]rune(p.Texts[0])))
			},
		} {
			p := storeParams(n.Project, nil, body)
			change(&p)
			_, err := store(p)
			require.ErrorIs(t, err, db.ErrConflict, name)
			require.Equal(t, "utterances_body_check", db.Constraint(err), name)
			require.NotContains(t, err.Error(), "Monat")
		}
		require.Zero(t, dbtest.Value[int](t, d, "select count(*) from imports"))
	})

	t.Run("refuses a persona of another project", func(t *testing.T) {
		persona := uuid.New()
		_, err := store(storeParams(n.Project, &persona, body))
		require.ErrorIs(t, err, db.ErrConflict)
		require.Equal(t, db.ConstraintImportPersona, db.Constraint(err))
	})

	t.Run("stores 60,000 utterances", func(t *testing.T) {
		id, err := store(storeParams(n.Project, nil, long()))
		require.NoError(t, err)
		c := asUser(t, d, n.Viewer)
		require.Equal(t, 60_000, value[int](t, c, "select count(*) from utterances where import_id = $1", id))
	})
}

func long() string {
	return strings.TrimSuffix(strings.Repeat("We pay too much for the tool, and nobody uses it — not even me.\n", 60_000), "\n")
}

// A client waits for it: 60,000 utterances, 4 MB, take a second on an idle machine of 2 cores.
func BenchmarkStoreImport(b *testing.B) {
	d := dbtest.New(b)
	n := d.Tenant(b)
	params := storeParams(n.Project, nil, long())
	for b.Loop() {
		require.NoError(b, d.AsUser(b.Context(), db.User(n.Editor), func(q *db.Queries) error {
			_, err := q.StoreImport(b.Context(), params)
			return err
		}))
	}
}
