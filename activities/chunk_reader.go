package activities

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/google/uuid"

	"research/activities/extract"
	"research/db"
	"research/transcript"
)

// A chunkReader reads the chunks of one run within an attempt of an activity. It is safe for concurrent use.
type chunkReader struct {
	imports      *Imports
	ref          ParseRef
	lease        *runLease
	workspace    string // by which calls take turns
	text         *transcript.Transcript
	sha256       string // of the text
	hypotheses   map[string]extract.Hypothesis
	interviewers []string
	stored       map[answerKey]storedAnswer
	reserved     map[int32]bool // by ordinal: the tokens of the chunk's first call are reserved
	stopped      atomic.Bool    // no further call is begun
}

// read reads a chunk and stores each answer before it continues. Stored answers cost no call.
func (r *chunkReader) read(ctx context.Context, row db.PrivateImportChunk, turn turn) error {
	var end ChunkEnd
	defer func() {
		if turn.hasSlot {
			r.imports.calls.slots.release()
		}
	}()
	turn.reserved = r.reserved[row.Ordinal]
	hypotheses := r.chunkHypotheses(row)
	state := newChunkState(chunkOf(row))
	if len(hypotheses) == 0 { // they were deleted
		state.parts = nil
	}
	saved := false // the end of the chunk, with the last answer
	for first := true; !state.done(); first = false {
		request := extract.Request{
			Transcript: r.text, Chunk: state.parts[0], Hypotheses: hypotheses, Interviewers: r.interviewers,
		}
		key := requestKey(r.imports.extractor, r.sha256, request)
		answer, found, err := r.find(ctx, key, first)
		if err != nil {
			return err
		}
		if !found {
			now := turn
			turn.hasSlot, turn.reserved = false, false
			answer, err = r.ask(ctx, row.Ordinal, key, request, state, now)
			if err != nil {
				return err
			}
			end.Calls++
		}
		saved = !found
		state = state.after(r.text, key, answer)
	}
	if !saved {
		if err := r.finish(ctx, row.Ordinal, state); err != nil {
			return err
		}
	}
	end.Unread = len(state.unread)
	r.imports.chunkEnded(ctx, end)
	return nil
}

// chunkHypotheses returns the hypotheses that a chunk asks about and that still exist.
func (r *chunkReader) chunkHypotheses(row db.PrivateImportChunk) []extract.Hypothesis {
	var hypotheses []extract.Hypothesis
	for _, id := range row.Hypotheses {
		if h, ok := r.hypotheses[id.String()]; ok {
			hypotheses = append(hypotheses, h)
		}
	}
	return hypotheses
}

// find returns the stored answer to a request. Those of whole chunks are loaded with the chunks; parts are
// looked up.
func (r *chunkReader) find(ctx context.Context, key answerKey, isWhole bool) (storedAnswer, bool, error) {
	failure := failureKey(key, r.ref.ClaimID)
	stored := r.stored
	if !isWhole {
		var err error
		store := r.imports.store
		stored, err = db.AsService(ctx, store, func(q *db.Queries) (map[answerKey]storedAnswer, error) {
			return listAnswers(ctx, q, r.ref.ImportID, []answerKey{key, failure})
		})
		if err != nil {
			return storedAnswer{}, false, dbError("look for a stored answer", err)
		}
	}
	if answer, ok := stored[key]; ok && answer.Failed == "" {
		return answer, true, nil
	}
	answer, ok := stored[failure]
	return answer, ok, nil
}

func listAnswers(
	ctx context.Context, q *db.Queries, importID uuid.UUID, keys []answerKey,
) (map[answerKey]storedAnswer, error) {
	raw := make([][]byte, len(keys))
	for i := range keys {
		raw[i] = keys[i][:]
	}
	rows, err := q.ListChunkAnswers(ctx, db.ListChunkAnswersParams{ImportID: importID, Keys: raw})
	if err != nil {
		return nil, err
	}
	answers := map[answerKey]storedAnswer{}
	for _, row := range rows {
		if answers[answerKey(row.Key)], err = decodeAnswer(row.Answer); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// ask returns the answer to a request, from a call in progress or from a new one. It releases the caller's
// slot.
func (r *chunkReader) ask(
	ctx context.Context, ordinal int32, key answerKey, request extract.Request, state chunkState, turn turn,
) (storedAnswer, error) {
	calls := r.imports.calls
	one := calls.find(key)
	if one != nil && turn.hasSlot {
		calls.slots.release()
	}
	if one == nil {
		if err := r.beforeCall(ctx, ordinal, request, turn); err != nil {
			return storedAnswer{}, err
		}
		one = calls.begin(ctx, r.lease, key, request, func(ctx context.Context, answer storedAnswer) error {
			return r.save(ctx, ordinal, key, answer, state)
		})
	}
	answer, err := one.wait(ctx)
	var failed *extract.Error
	if errors.As(err, &failed) {
		return answer, err // the attempt decides when to try again
	}
	switch {
	case errors.Is(err, errLeaseLost):
		err = errLeased()
	case err != nil && ctx.Err() == nil:
		err = dbError("store an answer", err)
	}
	return answer, err
}

// beforeCall waits for the turn of a call and reserves its tokens.
func (r *chunkReader) beforeCall(
	ctx context.Context, ordinal int32, request extract.Request, turn turn,
) error {
	if err := r.imports.calls.awaitTurn(ctx, r.workspace, turn); err != nil {
		return err
	}
	var err error
	if !turn.reserved {
		err = r.reserveTokens(ctx, ordinal, request)
	}
	if err == nil && (stopping(ctx) || r.stopped.Load()) {
		err = errHandedOver()
	}
	if err != nil {
		r.imports.calls.slots.release()
	}
	return err
}

// reserveTokens reserves the minimum that a call will use, of the import and of the day, before it is made.
// Concurrent calls of any worker can then exceed the limit only by the length of their responses.
func (r *chunkReader) reserveTokens(ctx context.Context, ordinal int32, request extract.Request) error {
	limit := r.imports.cfg.MaxTokens
	wanted := r.imports.extractor.Estimate(request)
	if limit == 0 && wanted == 0 {
		return nil
	}
	err := r.imports.store.AsService(ctx, func(q *db.Queries) error {
		if _, err := q.LockImport(ctx, db.LockImportParams(r.ref)); err != nil {
			return err
		}
		budget, err := r.reserveBudget(ctx, q, []int32{ordinal}, []int64{wanted})
		switch {
		case err != nil:
			return err
		case !budget:
			return errTokenBudget()
		case limit == 0:
			return nil
		}
		reserved, err := q.ReserveTokens(ctx, db.ReserveTokensParams{
			ImportID: r.ref.ImportID, ClaimID: r.ref.ClaimID, Ordinal: ordinal, Wanted: wanted, MaxTokens: limit,
		})
		if err == nil && reserved == 0 {
			return errTokenLimit()
		}
		return err
	})
	return dbError("reserve tokens", err)
}

// reserveAll is reserveTokens for the first calls of chunks, in the transaction that loads them. The caller
// holds the lock of the import. If the limit does not allow all of them, each call reserves for itself.
func (r *chunkReader) reserveAll(ctx context.Context, q *db.Queries, rows []db.PrivateImportChunk) error {
	limit := r.imports.cfg.MaxTokens
	params := db.ReserveTokensOfChunksParams{ImportID: r.ref.ImportID, ClaimID: r.ref.ClaimID, MaxTokens: limit}
	reserved := map[int32]bool{}
	for _, row := range rows {
		request, key := r.firstRequest(row)
		_, answered := r.stored[key]
		_, failed := r.stored[failureKey(key, r.ref.ClaimID)]
		if answered || failed || row.DoneAt != nil || len(request.Hypotheses) == 0 { // it makes no such call
			continue
		}
		params.Ordinals = append(params.Ordinals, row.Ordinal)
		params.Wanted = append(params.Wanted, r.imports.extractor.Estimate(request))
		reserved[row.Ordinal] = true
	}
	if len(reserved) == 0 {
		return nil
	}
	if limit > 0 {
		if changed, err := q.ReserveTokensOfChunks(ctx, params); err != nil || changed == 0 {
			return err
		}
	}
	budget, err := r.reserveBudget(ctx, q, params.Ordinals, params.Wanted)
	if budget {
		r.reserved = reserved
	}
	return err
}

// reserveBudget reserves tokens of the day for calls about chunks, for all or none.
func (r *chunkReader) reserveBudget(
	ctx context.Context, q *db.Queries, ordinals []int32, wanted []int64,
) (bool, error) {
	return q.ReserveTokenBudget(ctx, db.ReserveTokenBudgetParams{
		ClaimID: r.ref.ClaimID, Ordinals: ordinals, Wanted: wanted,
	})
}

// firstRequest returns the request about a whole chunk, and the key of its response.
func (r *chunkReader) firstRequest(row db.PrivateImportChunk) (extract.Request, answerKey) {
	request := extract.Request{
		Transcript: r.text, Chunk: chunkOf(row), Hypotheses: r.chunkHypotheses(row), Interviewers: r.interviewers,
	}
	return request, requestKey(r.imports.extractor, r.sha256, request)
}
