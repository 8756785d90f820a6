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
// not the latest, and with outcome.CodeTokenLimit if the requests of the plan alone would exceed the limit.
func (a *Imports) BeginParse(ctx context.Context, in BeginParseInput) (BeginParseResult, error) {
	run := activityRun(ctx)
	chunks, err := db.AsServiceByKey(ctx, a.store, func(q *db.Queries) (int, error) {
		locked, err := q.LockImport(ctx, db.LockImportParams(in.ParseRef))
		if err == nil && !locked.Import.Status.Open() { // else BeginParse records the run
			err = followRun(ctx, q, in.ParseRef, run, &locked)
		}
		if err != nil {
			return 0, err
		}
		chunks := int(locked.Import.ProgressTotal)
		if locked.BegunAt == nil {
			if chunks, err = a.plan(ctx, q, in.ParseRef, locked); err != nil {
				return 0, err
			}
		}
		begun, err := q.BeginParse(ctx, db.BeginParseParams{
			ImportID: in.ImportID, ClaimID: in.ClaimID, WorkflowID: run.workflowID, RunID: run.runID,
			Chunks: int32(chunks), Extractor: a.extractor.Name(), Model: a.extractor.Model(),
			PromptVersion: a.extractor.PromptVersion(),
		})
		if err == nil && begun == 0 {
			return 0, errSuperseded()
		}
		return chunks, err
	})
	if err != nil {
		return BeginParseResult{}, failed(ctx, a.log, "begin the parse", err, "import_id", in.ImportID)
	}
	return BeginParseResult{Chunks: chunks, Concurrency: a.cfg.Concurrency, Timeout: a.cfg.Timeout}, nil
}

// plan chooses the hypotheses of a claim and writes the missing chunks. It returns their number.
func (a *Imports) plan(
	ctx context.Context, q *db.Queries, ref ParseRef, claim db.LockImportRow,
) (int, error) {
	text, err := a.transcriptWithin(ctx, q, ref.ImportID)
	if err != nil {
		return 0, err
	}
	plan, err := planMissing(ctx, q, a.extractor, parseRequest{
		importID: ref.ImportID, hypotheses: claim.Import.RequestedHypotheses, interviewers: claim.Interviewers,
		refresh: claim.Refresh,
	}, text)
	if err != nil {
		return 0, err
	}
	if err := a.checkTokenLimit(ctx, q, ref, text, plan); err != nil {
		return 0, err
	}
	return len(plan), q.Together(ctx, func(q *db.Queries) error {
		err := q.ChooseHypotheses(ctx, db.ChooseHypothesesParams{ImportID: ref.ImportID, ClaimID: ref.ClaimID})
		if err != nil {
			return err
		}
		return insertChunks(ctx, q, ref, plan)
	})
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
// first of them is paid for. Chunks whose response is stored cost nothing.
func (a *Imports) checkTokenLimit(
	ctx context.Context, q *db.Queries, ref ParseRef, text cachedTranscript, plan []extract.Request,
) error {
	if a.cfg.MaxTokens == 0 {
		return nil
	}
	total, err := q.SumTokens(ctx, ref.ImportID)
	if err != nil {
		return err
	}
	estimates := make([]int64, len(plan))
	for i, request := range plan {
		estimates[i] = a.extractor.Estimate(request)
		total += estimates[i]
	}
	if total <= a.cfg.MaxTokens { // whatever is stored
		return nil
	}
	stored, err := storedRequests(ctx, q, a.extractor, ref.ImportID, text, plan)
	if err != nil {
		return err
	}
	for i, isStored := range stored {
		if isStored {
			total -= estimates[i]
		}
	}
	if total > a.cfg.MaxTokens {
		return errTokenLimit()
	}
	return nil
}
