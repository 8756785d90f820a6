package db_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
	"research/outcome"
)

// A parse drives one import through its states, each step in a transaction of its own.
type parse struct {
	t      *testing.T
	d      *dbtest.DB
	id     uuid.UUID
	member uuid.UUID
}

// claim claims the import as the member, without limits of the queue.
func (p parse) claim(claim uuid.UUID, hypotheses ...uuid.UUID) db.PrivateClaimResult {
	p.t.Helper()
	return p.claimWithin(0, 0, claim, hypotheses...).Result
}

func (p parse) claimWithin(
	queue, workspaceQueue int64, claim uuid.UUID, hypotheses ...uuid.UUID,
) db.ClaimImportRow {
	p.t.Helper()
	member := db.User(p.member)
	row, err := db.AsUser(p.t.Context(), p.d.Store, member, func(q *db.Queries) (db.ClaimImportRow, error) {
		return q.ClaimImport(p.t.Context(), db.ClaimImportParams{
			ImportID: p.id, ClaimID: claim, HypothesisIds: append([]uuid.UUID{}, hypotheses...),
			QueueLimit: queue, WorkspaceQueueLimit: workspaceQueue,
		})
	})
	require.NoError(p.t, err)
	return row
}

func (p parse) begin(claim uuid.UUID) error {
	p.t.Helper()
	return p.d.AsService(p.t.Context(), func(q *db.Queries) error {
		begun, err := q.BeginParse(p.t.Context(), db.BeginParseParams{
			ImportID: p.id, ClaimID: claim, Extractor: "keyword", Recovery: []byte(`{}`),
		})
		if err == nil && begun == 0 {
			err = db.ErrNotFound
		}
		return err
	})
}

func (p parse) follow(claim uuid.UUID, run string) error {
	p.t.Helper()
	return p.d.AsService(p.t.Context(), func(q *db.Queries) error {
		_, err := q.FollowRun(p.t.Context(), db.FollowRunParams{
			ImportID: p.id, ClaimID: claim, WorkflowID: "parse", RunID: run,
		})
		return err
	})
}

func (p parse) end(claim uuid.UUID, status outcome.Status) error {
	p.t.Helper()
	return p.d.AsService(p.t.Context(), func(q *db.Queries) error {
		_, err := q.EndImport(p.t.Context(), db.EndImportParams{
			ImportID: p.id, ClaimID: claim, Status: status, Unread: json.RawMessage(`[]`),
		})
		return err
	})
}

func (p parse) release(claim uuid.UUID) (released bool) {
	p.t.Helper()
	released, err := db.AsUser(p.t.Context(), p.d.Store, db.User(p.member), func(q *db.Queries) (bool, error) {
		return q.ReleaseImport(p.t.Context(), db.ReleaseImportParams{ImportID: p.id, ClaimID: claim})
	})
	require.NoError(p.t, err)
	return released
}

// row is the import without the stamp that every write moves.
func (p parse) row() string {
	p.t.Helper()
	return dbtest.Value[string](p.t, p.d,
		"select (to_jsonb(i) - 'updated_at')::text from imports i where id = $1", p.id)
}

func (p parse) status() string {
	p.t.Helper()
	return dbtest.Value[string](p.t, p.d, "select status::text from imports where id = $1", p.id)
}

// readWhole records that the transcript was read for the hypothesis.
func readWhole(t *testing.T, d *dbtest.DB, f filled) {
	t.Helper()
	d.Exec(t, `insert into private.import_readings
		(import_id, hypothesis_id, extractor, prompt_version, statement, read)
		select ih.import_id, ih.hypothesis_id, 'openai', 'v1', ih.statement,
			int4multirange(int4range(0, octet_length(t.body)))
		from import_hypotheses ih join private.transcripts t using (import_id) where ih.import_id = $1`, f.Import)
}

func TestImportStates(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T) (parse, filled) {
		d := dbtest.New(t)
		f := fill(t, d)
		return parse{t, d, f.Import, f.Editor}, f
	}

	t.Run("of concurrent claims one succeeds", func(t *testing.T) {
		t.Parallel()
		p, _ := start(t)
		results := make([]db.PrivateClaimResult, 8)
		var wg sync.WaitGroup
		for i := range results {
			wg.Go(func() { results[i] = p.claim(uuid.New()) })
		}
		wg.Wait()
		counts := map[db.PrivateClaimResult]int{}
		for _, result := range results {
			counts[result]++
		}
		require.Equal(t, map[db.PrivateClaimResult]int{
			db.PrivateClaimResultClaimed: 1, db.PrivateClaimResultImportAlreadyParsing: len(results) - 1,
		}, counts)
		require.Equal(t, "queued", p.status())
	})

	t.Run("a claim returns the workspace and the project, and a rejected one neither", func(t *testing.T) {
		t.Parallel()
		p, f := start(t)
		require.Equal(t, db.ClaimImportRow{
			Result: db.PrivateClaimResultClaimed, WorkspaceID: f.Workspace, ProjectID: f.Project,
		}, p.claimWithin(0, 0, uuid.New(), f.Hypothesis))
		require.Equal(t, db.ClaimImportRow{Result: db.PrivateClaimResultImportAlreadyParsing},
			p.claimWithin(0, 0, uuid.New(), f.Hypothesis))
	})

	t.Run("a late write of an earlier claim changes nothing", func(t *testing.T) {
		t.Parallel()
		p, _ := start(t)
		first, second := uuid.New(), uuid.New()
		require.Equal(t, db.PrivateClaimResultClaimed, p.claim(first))
		require.NoError(t, p.follow(first, "run-1"))
		require.NoError(t, p.begin(first))
		require.NoError(t, p.end(first, outcome.StatusFailed))
		require.Equal(t, db.PrivateClaimResultClaimed, p.claim(second))

		lateWrites := func() {
			before := p.row()
			require.ErrorIs(t, p.follow(first, "run-1b"), db.ErrNotFound)
			require.ErrorIs(t, p.begin(first), db.ErrNotFound)
			require.ErrorIs(t, p.end(first, outcome.StatusParsed), db.ErrNotFound)
			require.False(t, p.release(first))
			require.NoError(t, p.d.AsService(t.Context(), func(q *db.Queries) error {
				_, err := q.LockImport(t.Context(), db.LockImportParams{ImportID: p.id, ClaimID: first})
				require.ErrorIs(t, err, db.ErrNotFound)
				return q.FinishChunk(t.Context(), db.FinishChunkParams{
					ImportID: p.id, ClaimID: first, ResponseKeys: [][]byte{}, Unread: json.RawMessage(`[]`),
				})
			}))
			require.Equal(t, before, p.row())
		}
		lateWrites()
		require.NoError(t, p.begin(second))
		lateWrites()
		require.NoError(t, p.end(second, outcome.StatusParsed))
		lateWrites()
		require.Equal(t, "parsed", p.status())
	})

	t.Run("each status is left only as it may be", func(t *testing.T) {
		t.Parallel()
		p, _ := start(t)
		for _, status := range outcome.Statuses {
			reset := func() uuid.UUID {
				claim := uuid.New()
				p.d.Exec(t, "update imports set status = $2::import_status, claim_id = $3, run_id = 'r' where id = $1",
					p.id, status, claim)
				p.d.Exec(t, "insert into private.import_runs (claim_id, import_id) values ($1, $2)", claim, p.id)
				return claim
			}
			reset()
			claimed := p.claim(uuid.New()) == db.PrivateClaimResultClaimed
			require.Equal(t, status.Restartable(), claimed, "claim while %s", status)
			require.Equal(t, status.Open(), p.end(reset(), outcome.StatusFailed) == nil, "end while %s", status)
			require.Equal(t, status.Open(), p.begin(reset()) == nil, "begin while %s", status)
			require.Equal(t, status != outcome.StatusParsed, p.follow(reset(), "s") == nil, "follow while %s", status)
		}
	})

	t.Run("following a run opens an import that has ended", func(t *testing.T) {
		t.Parallel()
		p, _ := start(t)
		claim := uuid.New()
		require.Equal(t, db.PrivateClaimResultClaimed, p.claim(claim))
		require.NoError(t, p.follow(claim, "run"))
		require.Equal(t, "queued", p.status())
		require.NoError(t, p.end(claim, outcome.StatusTerminated))
		require.NoError(t, p.follow(claim, "reset"))
		require.Equal(t, "parsing", p.status())
		require.Equal(t, "reset", dbtest.Value[string](t, p.d, "select run_id from imports where id = $1", p.id))
		require.Nil(t, dbtest.Value[*time.Time](t, p.d, "select finished_at from imports where id = $1", p.id))
	})

	t.Run("a released claim leaves the import as it was", func(t *testing.T) {
		t.Parallel()
		p, f := start(t)
		for _, status := range []outcome.Status{outcome.StatusUploaded, outcome.StatusFailed} {
			p.d.Exec(t, `update imports set
					status = $2::import_status, error_code = 'x', run_id = 'r', workflow_id = 'w',
					queued_at = now(), finished_at = now(), progress_done = 3
				where id = $1`, p.id, status)
			was := p.row()
			claim := uuid.New()
			require.Equal(t, db.PrivateClaimResultClaimed, p.claim(claim, f.Hypothesis))
			require.NotEqual(t, was, p.row())
			require.True(t, p.release(claim))
			require.Equal(t, was, p.row())
			require.False(t, p.release(claim), "twice")
		}
	})

	t.Run("a claim whose run has begun is not released", func(t *testing.T) {
		t.Parallel()
		p, _ := start(t)
		claim := uuid.New()
		require.Equal(t, db.PrivateClaimResultClaimed, p.claim(claim))
		require.NoError(t, p.begin(claim))
		require.False(t, p.release(claim))
		require.Equal(t, "parsing", p.status())
	})

	t.Run("a claim knows the last run of earlier claims", func(t *testing.T) {
		t.Parallel()
		p, _ := start(t)
		previous := func() *string {
			open, err := db.AsService(t.Context(), p.d.Store, func(q *db.Queries) ([]db.ListSilentRunsRow, error) {
				return q.ListSilentRuns(t.Context(), db.ListSilentRunsParams{PageSize: 1})
			})
			require.NoError(t, err)
			require.Len(t, open, 1)
			return open[0].PreviousRunID
		}
		first, withdrawn, third := uuid.New(), uuid.New(), uuid.New()
		require.Equal(t, db.PrivateClaimResultClaimed, p.claim(first))
		require.Nil(t, previous())
		require.NoError(t, p.follow(first, "run-1"))
		require.NoError(t, p.end(first, outcome.StatusFailed))
		require.Equal(t, db.PrivateClaimResultClaimed, p.claim(withdrawn))
		require.Equal(t, "run-1", *previous())
		require.NoError(t, p.end(withdrawn, outcome.StatusCanceled))
		require.Equal(t, db.PrivateClaimResultClaimed, p.claim(third))
		require.Equal(t, "run-1", *previous(), "also if the claim between had no run")
	})

	t.Run("the checks of a claim come in the order of the interface", func(t *testing.T) {
		t.Parallel()
		p, f := start(t)
		rival := fill(t, p.d)
		was := p.row()
		as := func(member uuid.UUID) parse { return parse{t, p.d, p.id, member} }
		unknown := uuid.New()
		p.d.Exec(t, "update imports set status = 'parsed' where id = $1", rival.Import)
		readWhole(t, p.d, rival)

		missing := parse{t, p.d, uuid.New(), f.Editor}
		require.Equal(t, db.PrivateClaimResultImportNotFound, missing.claim(uuid.New(), unknown))
		for _, stranger := range []uuid.UUID{rival.Owner, uuid.New()} {
			require.Equal(t, db.PrivateClaimResultImportNotFound, as(stranger).claim(uuid.New(), f.Hypothesis))
		}
		require.Equal(t, db.PrivateClaimResultForbidden, as(f.Viewer).claim(uuid.New(), unknown))
		require.Equal(t, db.PrivateClaimResultHypothesisNotFound, p.claim(uuid.New(), f.Hypothesis, unknown))
		require.Equal(t, db.PrivateClaimResultHypothesisNotFound, p.claim(uuid.New(), rival.Hypothesis),
			"a hypothesis of another project")
		require.Equal(t, was, p.row())
		theirs := parse{t, p.d, rival.Import, rival.Editor}
		require.Equal(t, db.PrivateClaimResultHypothesisNotFound, theirs.claim(uuid.New(), unknown))
		require.Equal(t, db.PrivateClaimResultImportAlreadyParsed, theirs.claim(uuid.New(), rival.Hypothesis))
	})

	t.Run("a claim beyond the limits of the queue is rejected", func(t *testing.T) {
		t.Parallel()
		p, f := start(t)
		rival := fill(t, p.d)
		p.d.Exec(t, "update imports set status = 'queued' where id = $1", rival.Import)
		was := p.row()
		require.Equal(t, db.PrivateClaimResultQueueFull, p.claimWithin(1, 0, uuid.New()).Result)
		require.Equal(t, db.PrivateClaimResultQueueFull, p.claimWithin(1, 1, uuid.New()).Result)
		require.Equal(t, was, p.row())
		require.Equal(t, db.PrivateClaimResultClaimed, p.claimWithin(2, 1, uuid.New()).Result)
		p.d.Exec(t, `insert into imports (workspace_id, project_id, title, format, size_bytes, sha256)
			values ($1, $2, 'Another', 'text', 1, '')`, f.Workspace, f.Project)
		another := p
		another.id = dbtest.Value[uuid.UUID](t, p.d, "select id from imports where title = 'Another'")
		require.Equal(t, db.PrivateClaimResultWorkspaceQueueFull, another.claimWithin(2, 1, uuid.New()).Result)
	})

	t.Run("only editors of the workspace release a claim or store a transcript", func(t *testing.T) {
		t.Parallel()
		p, f := start(t)
		rival := fill(t, p.d)
		claim := uuid.New()
		require.Equal(t, db.PrivateClaimResultClaimed, p.claim(claim))
		was := p.row()
		for _, member := range []uuid.UUID{f.Viewer, rival.Owner, uuid.New()} {
			require.False(t, parse{t, p.d, p.id, member}.release(claim))
			for _, project := range []uuid.UUID{f.Project, uuid.New()} {
				err := p.d.AsUser(t.Context(), db.User(member), func(q *db.Queries) error {
					_, err := q.StoreImport(t.Context(), storeParams(project, nil, body))
					return err
				})
				require.ErrorIs(t, err, db.ErrDenied)
			}
		}
		require.Equal(t, was, p.row())
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
			"no utterances": func(p *db.StoreImportParams) {
				p.Texts, p.ByteStarts, p.ByteEnds = []string{}, []int32{}, []int32{}
			},
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
	const line = "We pay too much for the tool, and nobody uses it — not even me.\n"
	return strings.TrimSuffix(strings.Repeat(line, 60_000), "\n")
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
