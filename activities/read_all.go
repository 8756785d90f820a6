package activities

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

	"research/activities/extract"
	"research/db"
	"research/outcome"
)

// load loads the data that the requests about chunks need, and reserves their tokens.
func (r *chunkReader) load(ctx context.Context, q *db.Queries, rows []db.PrivateImportChunk) error {
	chosen, err := q.ListChosenHypotheses(ctx, r.ref.ImportID)
	if err != nil {
		return err
	}
	r.hypotheses = map[string]extract.Hypothesis{}
	for _, row := range chosen {
		h := extract.Hypothesis{ID: row.ID.String(), Statement: row.Statement}
		r.hypotheses[h.ID] = h
	}
	var keys []answerKey
	for _, row := range rows {
		_, key := r.firstRequest(row)
		keys = append(keys, key, failureKey(key, r.ref.ClaimID))
	}
	if r.stored, err = listAnswers(ctx, q, r.ref.ImportID, keys); err != nil {
		return err
	}
	return r.reserveAll(ctx, q, rows)
}

// readAll reads chunks, all at the same time, with the slot that the caller has for the first call, and
// returns how many it has read: those that get no turn are left to a later activity. After a failure no
// further call is begun; those in progress are waited for, because they are paid. A model that failed before
// is tried with one call first.
func (r *chunkReader) readAll(ctx context.Context, chunks chunkRange) (done int, err error) {
	errs := make([]error, len(chunks.rows))
	rest := 0
	if chunks.isFailing {
		if errs[0] = r.readOne(ctx, chunks.rows[0], turn{hasSlot: true}); errs[0] != nil {
			return 0, errs[0]
		}
		rest = 1
	}
	var group errgroup.Group
	for i := rest; i < len(chunks.rows); i++ {
		group.Go(func() error {
			errs[i] = r.readOne(ctx, chunks.rows[i], turn{hasSlot: i == 0, yields: i > 0})
			return nil
		})
	}
	_ = group.Wait() // errs has the error of each chunk
	read := slices.DeleteFunc(errs, func(err error) bool { return errors.Is(err, errNoTurn) })
	return len(read), gravest(read)
}

func (r *chunkReader) readOne(ctx context.Context, row db.PrivateImportChunk, turn turn) error {
	err := r.read(ctx, row, turn)
	if errors.Is(err, errNoTurn) {
		return err
	}
	if err != nil {
		r.stopped.Store(true)
	}
	var failure *extract.Error
	if errors.As(err, &failure) && failure.Code.EndsImport() || isType(err, string(outcome.CodeTokenLimit)) {
		r.lease.cancel(err) // the other calls would fail as well
	}
	return err
}

// gravest returns the error that decides how an attempt ends: one that ends the import comes before one that
// the next attempt may not meet.
func gravest(errs []error) error {
	rank := func(err error) int {
		var failure *extract.Error
		switch {
		case err == nil:
			return 0
		case errors.As(err, &failure) && !isTransient(failure.Code):
			return 5
		case isType(err, string(outcome.CodeTokenLimit)), isType(err, TypeSuperseded):
			return 4
		case isType(err, TypeParseTimeout):
			return 3
		case failure != nil, isType(err, TypeTokenBudget):
			return 2
		}
		return 1
	}
	return slices.MaxFunc(errs, func(a, b error) int { return rank(a) - rank(b) })
}
