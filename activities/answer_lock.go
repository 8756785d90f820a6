package activities

import (
	"context"

	"research/db"
	"research/outcome"
)

// attributes name the answer in logs.
func (ref AnswerRef) attributes() []any { return []any{"answer_id", ref.AnswerID} }

// lock locks the row of an answer for a write on behalf of its run. The error is db.ErrNotFound if the claim
// is not the latest, or has ended.
func (ref AnswerRef) lock(ctx context.Context, q *db.Queries) (db.Answer, error) {
	return q.LockAnswer(ctx, db.LockAnswerParams(ref))
}

// isClaimed returns db.ErrNotFound if the claim is not the latest, or has ended.
func (ref AnswerRef) isClaimed(ctx context.Context, q *db.Queries) error {
	_, err := q.FindAnswerClaim(ctx, db.FindAnswerClaimParams(ref))
	return err
}

// errAnswerTokenLimit ends an answer whose next call would exceed what it may use, or what is left of the
// day: nobody waits for an answer until the next day.
func errAnswerTokenLimit() error { return tokenLimitError("the token limit of the answer is reached") }

// modeOf returns how a question is answered.
func modeOf(a db.Answer) outcome.AnswerMode { return outcome.AnswerMode(a.Mode) }
