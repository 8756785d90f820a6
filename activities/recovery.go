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

// recoveryWait is how often a chunk asks whether the extra call about another one has ended.
const recoveryWait = 500 * time.Millisecond

// decide decides about the part that is next, and waits while an extra call is made about another chunk.
func (r *chunkReading) decide(ctx context.Context, p extract.Part) (extract.Decision, error) {
	if p.Failed == "" {
		return extract.Ask, nil
	}
	for {
		var decision extract.Decision
		err := r.recover(ctx, func(recovery *extract.Recovery) {
			decision = recovery.Decide(r.text.Transcript, int(r.ordinal), p)
		})
		if err != nil || decision != extract.Wait {
			return decision, err
		}
		r.does("waiting for another chunk to be read in parts")
		select {
		case <-ctx.Done():
			return decision, ctx.Err()
		case <-time.After(recoveryWait):
		}
	}
}

// endRequest records the end of a request about a part in the recovery of the run. It reports whether neither
// a second request nor smaller parts would be read.
func (r *chunkReading) endRequest(
	ctx context.Context, p extract.Part, failed outcome.Code,
) (exhausted bool, err error) {
	if p.Failed == "" && !extract.IsUnreadable(failed) {
		return false, nil
	}
	err = r.recover(ctx, func(recovery *extract.Recovery) {
		recovery.End(int(r.ordinal), p, failed)
		exhausted = recovery.Exhausted()
	})
	return exhausted, err
}

// recover changes the recovery of the run.
func (r *chunkReading) recover(ctx context.Context, change func(*extract.Recovery)) error {
	err := r.imports.store.AsService(ctx, func(q *db.Queries) error {
		raw, err := q.LockRecovery(ctx, r.ref.ClaimID)
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
		return q.SetRecovery(ctx, db.SetRecoveryParams{ClaimID: r.ref.ClaimID, Recovery: raw})
	})
	return failed(ctx, r.imports.log, "follow the extra calls of a run", err, "import_id", r.ref.ImportID)
}

func encodeRecovery(recovery extract.Recovery) (json.RawMessage, error) {
	raw, err := json.Marshal(recovery)
	if err != nil {
		return nil, fmt.Errorf("encode the recovery of a run: %w", err)
	}
	return raw, nil
}

// failureOf returns the code of a call's failure: "" if it was answered, and otherwise the code, or that of
// an unavailable model for the end of a context.
func failureOf(err error) outcome.Code {
	var failure *extract.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &failure):
		return failure.Code
	}
	return outcome.CodeModelUnavailable
}
