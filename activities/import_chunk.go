package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"research/activities/extract"
	"research/db"
	"research/outcome"
)

// An importChunk is a chunk of an import: the owner of an attempt to read it.
type importChunk struct {
	imports *Imports
	ref     ParseRef
	ordinal int32
	origin  evidenceOrigin
}

func (c *importChunk) attributes() []any { return []any{"import_id", c.ref.ImportID} }

func (c *importChunk) load(ctx context.Context, r *chunkReading) (done bool, err error) {
	r.importID = c.ref.ImportID
	if r.text, err = c.imports.ender.transcripts.load(ctx, c.ref); err != nil {
		return false, err
	}
	err = c.imports.store.AsService(ctx, func(q *db.Queries) error {
		locked, err := lockImport(ctx, q, c.ref, activityRun(ctx))
		if err != nil || !locked.Import.Status.Open() {
			done = err == nil
			return err
		}
		r.interviewers = locked.Interviewers
		c.origin = originOf(locked)
		row, err := q.StartReading(ctx, db.StartReadingParams{
			ImportID: c.ref.ImportID, ClaimID: c.ref.ClaimID, Ordinal: c.ordinal,
		})
		if errors.Is(err, db.ErrNotFound) { // it is done
			done = true
			return nil
		}
		if err != nil {
			return err
		}
		r.chunk = chunkOf(row.PrivateImportChunk)
		chosen, err := q.ListChosenHypotheses(ctx, c.ref.ImportID)
		r.hypotheses = hypothesesOf(row.PrivateImportChunk, existingHypotheses(chosen))
		return err
	})
	r.state = newChunkState(r.chunk)
	if len(r.hypotheses) == 0 { // they were deleted
		r.state.parts = nil
	}
	return done, failed(ctx, c.imports.log, "load a chunk", err, c.attributes()...)
}

func (c *importChunk) key(r *chunkReading, request extract.Request) responseKey {
	return requestKey(c.imports.extractor, r.text.sha256, request)
}

func (c *importChunk) estimate(request extract.Request) int64 {
	return c.imports.extractor.Estimate(request)
}

func (c *importChunk) ask(ctx context.Context, request extract.Request) (extract.Response, error) {
	return c.imports.extractor.Extract(ctx, request)
}

func (c *importChunk) reserveTokens(ctx context.Context, wanted int64) error {
	limit := c.imports.cfg.MaxTokens
	if limit == 0 && wanted == 0 {
		return nil
	}
	err := c.imports.store.AsService(ctx, func(q *db.Queries) error {
		if _, err := q.LockImport(ctx, db.LockImportParams(c.ref)); err != nil {
			return err
		}
		budget, err := q.ReserveTokenBudget(ctx, db.ReserveTokenBudgetParams{
			ClaimID: c.ref.ClaimID, Ordinal: c.ordinal, Wanted: wanted,
		})
		switch {
		case err != nil:
			return err
		case !budget:
			return errTokenBudget()
		case limit == 0:
			return nil
		}
		reserved, err := q.ReserveTokens(ctx, db.ReserveTokensParams{
			ImportID: c.ref.ImportID, ClaimID: c.ref.ClaimID, Ordinal: c.ordinal, Wanted: wanted, MaxTokens: limit,
		})
		if err == nil && reserved == 0 {
			return errTokenLimit()
		}
		return err
	})
	return failed(ctx, c.imports.log, "reserve tokens", err, c.attributes()...)
}

// recoveryWait is how often a chunk asks whether the extra call about another one has ended.
const recoveryWait = 500 * time.Millisecond

// decide waits while an extra call is made about another chunk.
func (c *importChunk) decide(
	ctx context.Context, r *chunkReading, p extract.Part,
) (decision extract.Decision, exhausted bool, err error) {
	if p.Failed == "" {
		return extract.Ask, false, nil
	}
	for {
		err := c.recover(ctx, func(recovery *extract.Recovery) {
			decision = recovery.Decide(r.text.Transcript, int(c.ordinal), p)
			exhausted = recovery.Exhausted()
		})
		if err != nil || decision != extract.Wait {
			return decision, exhausted, err
		}
		r.does("waiting for another chunk to be read in parts")
		select {
		case <-ctx.Done():
			return decision, exhausted, ctx.Err()
		case <-time.After(recoveryWait):
		}
	}
}

// endRequest records the end of a request about a part in the recovery of the run.
func (c *importChunk) endRequest(
	ctx context.Context, p extract.Part, failed outcome.Code,
) (exhausted bool, err error) {
	if p.Failed == "" && !extract.IsUnreadable(failed) {
		return false, nil
	}
	err = c.recover(ctx, func(recovery *extract.Recovery) {
		recovery.End(int(c.ordinal), p, failed)
		exhausted = recovery.Exhausted()
	})
	return exhausted, err
}

// recover changes the recovery of the run.
func (c *importChunk) recover(ctx context.Context, change func(*extract.Recovery)) error {
	err := c.imports.store.AsService(ctx, func(q *db.Queries) error {
		raw, err := q.LockRecovery(ctx, c.ref.ClaimID)
		if err != nil {
			return err
		}
		var recovery extract.Recovery
		if err := json.Unmarshal(raw, &recovery); err != nil {
			return fmt.Errorf("decode the recovery of a run: %w", err)
		}
		change(&recovery)
		if raw, err = encodeRecovery(recovery); err != nil {
			return err
		}
		return q.SetRecovery(ctx, db.SetRecoveryParams{ClaimID: c.ref.ClaimID, Recovery: raw})
	})
	return failed(ctx, c.imports.log, "follow the extra calls of a run", err, c.attributes()...)
}

func encodeRecovery(recovery extract.Recovery) (json.RawMessage, error) {
	raw, err := json.Marshal(recovery)
	if err != nil {
		return nil, fmt.Errorf("encode the recovery of a run: %w", err)
	}
	return raw, nil
}

func (c *importChunk) store(ctx context.Context, q *db.Queries, response keyedResponse) (bool, error) {
	return q.StoreResponse(ctx, db.StoreResponseParams{
		ImportID: c.ref.ImportID, ClaimID: c.ref.ClaimID, Ordinal: c.ordinal,
		Key: response.key[:], Response: response.raw,
		InputTokens: response.usage.InputTokens, OutputTokens: response.usage.OutputTokens,
		CallSeconds: response.took.Seconds(), Called: response.called,
	})
}

// finish ends the chunk and shows the evidence that its responses prove, in one transaction.
func (c *importChunk) finish(ctx context.Context, r *chunkReading) error {
	if r.inParts {
		release := func(recovery *extract.Recovery) { recovery.Release(int(c.ordinal)) }
		if err := c.recover(ctx, release); err != nil {
			return err
		}
	}
	keys, unread, err := r.state.columns()
	if err != nil {
		return err
	}
	err = c.imports.store.AsService(ctx, func(q *db.Queries) error {
		if _, err := q.LockImport(ctx, db.LockImportParams(c.ref)); err != nil {
			return err
		}
		err := q.FinishChunk(ctx, db.FinishChunkParams{
			ImportID: c.ref.ImportID, ClaimID: c.ref.ClaimID, Ordinal: c.ordinal, ResponseKeys: keys, Unread: unread,
		})
		if err != nil {
			return err
		}
		return c.show(ctx, q, r)
	})
	return failed(ctx, c.imports.log, "finish a chunk", err, c.attributes()...)
}

// show writes the evidence that the responses about a chunk prove, while other chunks are read. What is
// already shown of the same words, hypothesis and stance stays as it is, and so does what a person decided
// about the words; the end of the run compares it.
// Until then, what is shown counts for nothing, and is no activity.
func (c *importChunk) show(ctx context.Context, q *db.Queries, r *chunkReading) error {
	found, _ := extract.Merge(r.text.Transcript, r.responses, r.hypotheses, r.interviewers)
	if len(found) == 0 {
		return nil
	}
	existing, err := existingEvidence(ctx, q, c.ref.ImportID, r.hypotheses)
	if err != nil {
		return err
	}
	var fresh []writtenEvidence
	for _, f := range found {
		w, err := newEvidence(c.ref.ImportID, r.text, f)
		if err != nil {
			return err
		}
		isShown := func(i int) bool { return existing[i].OfPerson || existing[i].Stance == f.Stance }
		if w.find(existing, isShown) < 0 {
			fresh = append(fresh, w)
		}
	}
	if err := q.CountAtTheEnd(ctx); err != nil {
		return err
	}
	if _, err := upsertEvidence(ctx, q, c.ref.ImportID, c.origin, true, fresh); err != nil {
		return err
	}
	return q.CountEvidence(ctx, c.ref.ImportID)
}

func (c *importChunk) see(ctx context.Context, q *db.Queries) error {
	return q.SeeReading(ctx, db.SeeReadingParams{
		ImportID: c.ref.ImportID, ClaimID: c.ref.ClaimID, Ordinal: c.ordinal,
	})
}

func (c *importChunk) wait(ctx context.Context, q *db.Queries, reason string) error {
	return q.EndReading(ctx, db.EndReadingParams{
		ImportID: c.ref.ImportID, ClaimID: c.ref.ClaimID, Ordinal: c.ordinal, WaitingReason: reason,
	})
}

func (c *importChunk) suspect(ctx context.Context, q *db.Queries) error {
	return q.SuspectRun(ctx, c.ref.ClaimID)
}
