package activities

import (
	"context"
	"time"

	"research/activities/extract"
	"research/db"
)

// An ImportPlan is what a run has to read.
type ImportPlan struct {
	Chunks      []int // ordinals of the chunks that are not read yet
	Total       int   // chunks of the plan
	Concurrency int   // PARSE_CONCURRENCY
	// TimeLeft is the time until PARSE_TIMEOUT, as if the first call began now or has begun.
	TimeLeft time.Duration
}

// PlanImport moves an import to parsing, chooses its hypotheses and plans the chunks that are missing. A
// retry and a run that continues keep the plan of the claim. The plan of an import that has ended has no
// chunks.
//
// The error has the type TypeSuperseded if the claim is not the latest, and that of outcome.CodeTokenLimit if
// the requests of the plan alone would exceed the limit.
func (a *Imports) PlanImport(ctx context.Context, ref ParseRef) (ImportPlan, error) {
	defer heartbeat(ctx, nil)()
	text, err := a.ender.transcripts.load(ctx, ref)
	if err != nil {
		return ImportPlan{}, err
	}
	plan, err := db.AsService(ctx, a.store, func(q *db.Queries) (ImportPlan, error) {
		if err := a.begin(ctx, q, ref, text); err != nil {
			return ImportPlan{}, err
		}
		return a.unreadPlan(ctx, q, ref)
	})
	return plan, failed(ctx, a.log, "plan the chunks", err, "import_id", ref.ImportID)
}

// unreadPlan returns what is left of the plan of a claim.
func (a *Imports) unreadPlan(ctx context.Context, q *db.Queries, ref ParseRef) (ImportPlan, error) {
	plan := ImportPlan{Concurrency: a.cfg.Concurrency}
	rows, err := q.ListPlannedChunks(ctx, db.ListPlannedChunksParams(ref))
	if err != nil {
		return plan, err
	}
	plan.Total = len(rows)
	for _, row := range rows {
		if !row.Done {
			plan.Chunks = append(plan.Chunks, int(row.Ordinal))
		}
	}
	deadline, err := a.deadline(ctx, q, ref)
	plan.TimeLeft = deadline.Left
	return plan, err
}

// begin locks an import for the run of the activity. If the import is open and not begun yet, its chunks are
// planned.
func (a *Imports) begin(ctx context.Context, q *db.Queries, ref ParseRef, text cachedTranscript) error {
	run := activityRun(ctx)
	locked, err := q.LockImport(ctx, db.LockImportParams(ref))
	if err != nil {
		return err
	}
	if locked.BegunAt != nil || !locked.Import.Status.Open() {
		return followRun(ctx, q, ref, run, &locked)
	}
	chunks, err := a.plan(ctx, q, ref, text, locked)
	if err != nil {
		return err
	}
	recovery, err := encodeRecovery(extract.NewRecovery(chunks))
	if err != nil {
		return err
	}
	begun, err := q.BeginParse(ctx, db.BeginParseParams{
		ImportID: ref.ImportID, ClaimID: ref.ClaimID, WorkflowID: run.workflowID, RunID: run.runID,
		Chunks: int32(chunks), Recovery: recovery,
		Extractor: a.extractor.Name(), Model: a.extractor.Model(), PromptVersion: a.extractor.PromptVersion(),
	})
	if err == nil && begun == 0 {
		err = errSuperseded()
	}
	return err
}

// plan chooses the hypotheses of a claim and writes the missing chunks. It returns their number.
func (a *Imports) plan(
	ctx context.Context, q *db.Queries, ref ParseRef, text cachedTranscript, claim db.LockImportRow,
) (chunks int, err error) {
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
	err = q.ChooseHypotheses(ctx, db.ChooseHypothesesParams{ImportID: ref.ImportID, ClaimID: ref.ClaimID})
	if err != nil {
		return 0, err
	}
	return len(plan), insertChunks(ctx, q, ref, plan)
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
	stored, err := storedRequests(ctx, q, a.extractor, ref.ImportID, text, plan)
	if err != nil {
		return err
	}
	for i, request := range plan {
		if !stored[i] {
			total += a.extractor.Estimate(request)
		}
	}
	if total > a.cfg.MaxTokens {
		return errTokenLimit()
	}
	return nil
}
