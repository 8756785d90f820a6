package activities

import (
	"context"
	"time"

	"research/db"
	"research/outcome"
)

// A Deadline is how much of PARSE_TIMEOUT is left.
type Deadline struct {
	Left time.Duration
	Code outcome.Code // of the import, if nothing is left
}

// CheckDeadline returns how much of PARSE_TIMEOUT is left. It counts from the first attempt to read, without
// the time in which the import waited for its turn, for a worker or for the tokens of the next day.
func (a *Imports) CheckDeadline(ctx context.Context, ref ParseRef) (Deadline, error) {
	deadline, err := db.AsService(ctx, a.store, func(q *db.Queries) (Deadline, error) {
		return a.deadline(ctx, q, ref)
	})
	return deadline, failed(ctx, a.log, "compare the time with PARSE_TIMEOUT", err, "import_id", ref.ImportID)
}

func (a *Imports) deadline(ctx context.Context, q *db.Queries, ref ParseRef) (Deadline, error) {
	row, err := q.MeasureRun(ctx, db.MeasureRunParams(ref))
	if err != nil {
		return Deadline{}, err
	}
	deadline := Deadline{Left: a.cfg.Timeout - seconds(row.ReadingSeconds), Code: outcome.CodeTimedOut}
	if reason := outcome.Code(valueOf(row.WaitingReason)); row.ProgressDone == 0 && isTransient(reason) {
		deadline.Code = reason // the model never answered
	}
	return deadline, nil
}
