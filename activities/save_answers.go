package activities

import (
	"context"

	"research/db"
)

// save stores an answer, and the end of the chunk if nothing of it is left to read. A repeated save changes
// nothing, because each answer has a key.
func (r *chunkReader) save(
	ctx context.Context, ordinal int32, key answerKey, answer storedAnswer, state chunkState,
) error {
	next := state
	switch {
	case answer.Failed == "":
		next = state.after(r.text, key, answer)
	case answer.repeats():
		next = state.after(r.text, key, answer)
		key = failureKey(key, r.ref.ClaimID)
	default:
		key = attemptKey(ctx, key)
	}
	isLatest, err := r.write(ctx, ordinal, key, answer, next)
	if err == nil && !isLatest {
		return errSuperseded() // the answer is stored: it belongs to the import
	}
	return err
}

// write stores an answer and the state of its chunk after it. It reports whether the claim of the run is the
// latest.
func (r *chunkReader) write(
	ctx context.Context, ordinal int32, key answerKey, answer storedAnswer, next chunkState,
) (isLatest bool, err error) {
	raw, err := encodeAnswer(answer)
	if err != nil {
		return false, err
	}
	keys, unread, err := next.columns()
	if err != nil {
		return false, err
	}
	return db.AsService(ctx, r.imports.store, func(q *db.Queries) (bool, error) {
		return q.StoreAnswer(ctx, db.StoreAnswerParams{
			ImportID: r.ref.ImportID, ClaimID: r.ref.ClaimID, Ordinal: ordinal,
			Key: key[:], Answer: raw,
			InputTokens: answer.Usage.InputTokens, OutputTokens: answer.Usage.OutputTokens,
			CallSeconds: answer.took.Seconds(),
			AnswerKeys:  keys, Unread: unread, IsLast: next.done(),
			ModelAnswered: answer.Failed == "" || answer.repeats(),
		})
	})
}

// finish ends a chunk whose last answer was stored before.
func (r *chunkReader) finish(ctx context.Context, ordinal int32, state chunkState) error {
	keys, unread, err := state.columns()
	if err != nil {
		return err
	}
	err = r.imports.store.AsService(ctx, func(q *db.Queries) error {
		return q.FinishChunk(ctx, db.FinishChunkParams{
			ImportID: r.ref.ImportID, ClaimID: r.ref.ClaimID, Ordinal: ordinal, AnswerKeys: keys, Unread: unread,
		})
	})
	return dbError("finish the chunk", err)
}
