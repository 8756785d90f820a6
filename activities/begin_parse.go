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

// BeginParse moves the import to parsing, chooses the hypotheses and writes the plan of chunks, in one
// transaction. A retry finds the plan of the claim and keeps it. It fails with TypeSuperseded if the claim is
// not the latest, and with outcome.CodeTokenLimit if the requests of the plan alone would exceed the limit.
func (a *Imports) BeginParse(ctx context.Context, in BeginParseInput) (BeginParseResult, error) {
	text, err := a.loadTranscript(ctx, in.ImportID)
	if err != nil {
		return BeginParseResult{}, dbError("load the transcript", err)
	}
	chunks, err := db.AsService(ctx, a.store, func(q *db.Queries) (int, error) {
		if _, err := lockImport(ctx, q, in.ParseRef, activityRun(ctx)); err != nil {
			return 0, err
		}
		imported, err := q.BeginParse(ctx, db.BeginParseParams{
			ImportID: in.ImportID, ClaimID: in.ClaimID,
			Extractor: a.extractor.Name(), Model: a.extractor.Model(), PromptVersion: a.extractor.PromptVersion(),
		})
		if err != nil {
			return 0, err
		}
		if err := q.ChooseHypotheses(ctx, in.ImportID); err != nil {
			return 0, err
		}
		if err := q.DeleteUnchosenHypotheses(ctx, in.ImportID); err != nil {
			return 0, err
		}
		hypotheses, err := chosenHypotheses(ctx, q, in.ImportID)
		if err != nil {
			return 0, err
		}
		chunks, err := planChunks(ctx, q, extraction{
			imports: a, ref: in.ParseRef, text: text, sha256: imported.Sha256, hypotheses: hypotheses,
		})
		if err != nil {
			return 0, err
		}
		err = q.SetImportProgress(ctx, db.SetImportProgressParams{ImportID: in.ImportID, ClaimID: in.ClaimID})
		return chunks, err
	})
	if err != nil {
		return BeginParseResult{}, failed(ctx, a.log, "begin the parse", err, "import_id", in.ImportID)
	}
	return BeginParseResult{Chunks: chunks, Concurrency: a.limits.Concurrency, Timeout: a.limits.Timeout}, nil
}

// planChunks writes the plan of a claim, unless there is one, and returns its number of chunks.
func planChunks(ctx context.Context, q *db.Queries, e extraction) (int, error) {
	err := q.DeleteChunksOfOtherClaims(ctx, db.DeleteChunksOfOtherClaimsParams{
		ImportID: e.ref.ImportID, ClaimID: e.ref.ClaimID,
	})
	if err != nil {
		return 0, err
	}
	planned, err := q.CountChunks(ctx, db.CountChunksParams{ImportID: e.ref.ImportID, ClaimID: e.ref.ClaimID})
	if err != nil || planned > 0 {
		return int(planned), err
	}
	plan := e.imports.extractor.Plan(e.text, e.hypotheses)
	if err := checkTokenLimit(ctx, q, e, plan); err != nil {
		return 0, err
	}
	rows := make([]db.InsertChunksParams, len(plan))
	for i, chunk := range plan {
		rows[i] = db.InsertChunksParams{
			ImportID: e.ref.ImportID, ClaimID: e.ref.ClaimID, Ordinal: int32(i),
			UtteranceFrom: int32(chunk.From), UtteranceTo: int32(chunk.To),
			ByteStart: int32(chunk.ByteStart), ByteEnd: int32(chunk.ByteEnd),
		}
	}
	_, err = q.InsertChunks(ctx, rows)
	return len(plan), err
}

// checkTokenLimit rejects a plan whose requests alone would exceed the token limit of an import, before the
// first of them is paid for. Chunks whose response is stored cost nothing.
func checkTokenLimit(ctx context.Context, q *db.Queries, e extraction, plan []extract.Chunk) error {
	limit := e.imports.limits.MaxTokens
	if limit == 0 {
		return nil
	}
	keys := make([][]byte, len(plan))
	for i, chunk := range plan {
		keys[i] = e.key(chunk)
	}
	rows, err := q.ListChunkAnswers(ctx, db.ListChunkAnswersParams{ImportID: e.ref.ImportID, Keys: keys})
	if err != nil {
		return err
	}
	stored := map[string]bool{}
	for _, row := range rows {
		stored[string(row.Key)] = true
	}
	total, err := q.SumTokens(ctx, e.ref.ImportID)
	if err != nil {
		return err
	}
	for i, chunk := range plan {
		if !stored[string(keys[i])] {
			total += e.imports.extractor.Estimate(e.request(chunk))
		}
	}
	if total > limit {
		return errTokenLimit()
	}
	return nil
}
