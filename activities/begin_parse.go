package activities

import (
	"context"
	"time"

	"research/activities/extract"
	"research/db"
)

// BeginParseInput is the input of BeginParse.
type BeginParseInput struct{ ParseRef }

// BeginParseResult is the plan of a parse.
type BeginParseResult struct {
	Chunks      int           // of the plan
	Concurrency int           // chunks in flight
	Timeout     time.Duration // of the whole parse
}

// BeginParse moves the import to parsing, chooses the hypotheses and plans the missing chunks, in one
// transaction. A retry finds the plan of the claim and keeps it. It fails with TypeSuperseded if the claim is
// not the latest, and with outcome.CodeTokenLimit if the requests of the plan alone would exceed the limit. Only
// runs of an earlier version call it: ReadChunks plans before it reads.
func (a *Imports) BeginParse(ctx context.Context, in BeginParseInput) (BeginParseResult, error) {
	begun, err := db.AsServiceByKey(ctx, a.store, func(q *db.Queries) (begunParse, error) {
		return a.begin(ctx, q, in.ParseRef, waitsForTurn)
	})
	if err != nil {
		return BeginParseResult{}, failed(ctx, a.log, "begin the parse", err, "import_id", in.ImportID)
	}
	return BeginParseResult{Chunks: begun.chunks, Concurrency: a.cfg.Concurrency, Timeout: a.cfg.Timeout}, nil
}

// A begunParse is the plan of a run.
type begunParse struct {
	chunks    int
	estimates []int64 // of the tokens of each chunk's call; nil without a token limit, or if the plan was made before
}

// begin locks an import for the run of the activity. Unless that was done or the import has ended, it moves the import
// to parsing, chooses the hypotheses and plans the missing chunks. waitsFor is what the import waits for then; empty
// means that it is read.
func (a *Imports) begin(ctx context.Context, q *db.Queries, ref ParseRef, waitsFor string) (begunParse, error) {
	run := activityRun(ctx)
	locked, err := q.LockImport(ctx, db.LockImportParams(ref))
	if err == nil && (locked.BegunAt != nil || !locked.Import.Status.Open()) { // else BeginParse records the run
		err = followRun(ctx, q, ref, run, &locked)
	}
	if err != nil || locked.BegunAt != nil || !locked.Import.Status.Open() {
		return begunParse{chunks: int(locked.Import.ProgressTotal)}, err
	}
	plan, err := a.plan(ctx, q, ref, locked)
	if err != nil {
		return begunParse{}, err
	}
	begun, err := q.BeginParse(ctx, db.BeginParseParams{
		ImportID: ref.ImportID, ClaimID: ref.ClaimID, WorkflowID: run.workflowID, RunID: run.runID,
		Chunks: int32(plan.chunks), WaitingReason: nullable(waitsFor),
		Extractor: a.extractor.Name(), Model: a.extractor.Model(), PromptVersion: a.extractor.PromptVersion(),
	})
	if err == nil && begun == 0 {
		err = errSuperseded()
	}
	return plan, err
}

// plan chooses the hypotheses of a claim and writes the missing chunks.
func (a *Imports) plan(ctx context.Context, q *db.Queries, ref ParseRef, claim db.LockImportRow) (begunParse, error) {
	text, err := a.transcriptWithin(ctx, q, ref.ImportID)
	if err != nil {
		return begunParse{}, err
	}
	plan, err := planMissing(ctx, q, a.extractor, parseRequest{
		importID: ref.ImportID, hypotheses: claim.Import.RequestedHypotheses, interviewers: claim.Interviewers,
		refresh: claim.Refresh,
	}, text)
	if err != nil {
		return begunParse{}, err
	}
	estimates, err := a.checkTokenLimit(ctx, q, ref, text, plan)
	if err != nil {
		return begunParse{}, err
	}
	err = q.Together(ctx, func(q *db.Queries) error {
		err := q.ChooseHypotheses(ctx, db.ChooseHypothesesParams{ImportID: ref.ImportID, ClaimID: ref.ClaimID})
		if err != nil {
			return err
		}
		return insertChunks(ctx, q, ref, plan)
	})
	return begunParse{chunks: len(plan), estimates: estimates}, err
}

// insertChunks writes a plan. Requests about the same hypotheses follow each other.
func insertChunks(ctx context.Context, q *db.Queries, ref ParseRef, plan []extract.Request) error {
	for first := 0; first < len(plan); {
		params := db.InsertChunksParams{ImportID: ref.ImportID, ClaimID: ref.ClaimID}
		for _, h := range plan[first].Hypotheses {
			id, err := hypothesisID(h.ID)
			if err != nil {
				return err
			}
			params.Hypotheses = append(params.Hypotheses, id)
		}
		next := first
		for ; next < len(plan) && &plan[next].Hypotheses[0] == &plan[first].Hypotheses[0]; next++ {
			chunk := plan[next].Chunk
			params.Ordinals = append(params.Ordinals, int32(next))
			params.UtteranceFroms = append(params.UtteranceFroms, int32(chunk.From))
			params.UtteranceTos = append(params.UtteranceTos, int32(chunk.To))
			params.ByteStarts = append(params.ByteStarts, int32(chunk.ByteStart))
			params.ByteEnds = append(params.ByteEnds, int32(chunk.ByteEnd))
		}
		if err := q.InsertChunks(ctx, params); err != nil {
			return err
		}
		first = next
	}
	return nil
}

// checkTokenLimit rejects a plan whose requests alone would exceed the token limit of an import, before the
// first of them is paid for. Chunks whose response is stored cost nothing. It returns the tokens of each request, or
// nil without a limit.
func (a *Imports) checkTokenLimit(
	ctx context.Context, q *db.Queries, ref ParseRef, text cachedTranscript, plan []extract.Request,
) (estimates []int64, err error) {
	if a.cfg.MaxTokens == 0 {
		return nil, nil
	}
	total, err := q.SumTokens(ctx, ref.ImportID)
	if err != nil {
		return nil, err
	}
	estimates = make([]int64, len(plan))
	for i, request := range plan {
		estimates[i] = a.extractor.Estimate(request)
		total += estimates[i]
	}
	if total <= a.cfg.MaxTokens { // whatever is stored
		return estimates, nil
	}
	stored, err := storedRequests(ctx, q, a.extractor, ref.ImportID, text, plan)
	if err != nil {
		return nil, err
	}
	for i, isStored := range stored {
		if isStored {
			total -= estimates[i]
		}
	}
	if total > a.cfg.MaxTokens {
		return nil, errTokenLimit()
	}
	return estimates, nil
}
