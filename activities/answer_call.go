package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"research/activities/extract"
	"research/db"
	"research/outcome"
)

// Ordinals of the calls about a whole answer, beside those of its parts.
const (
	rewordOrdinal  = -1
	composeOrdinal = -2
)

// An answerCall is a call to the model about a whole answer.
type answerCall struct {
	ref      AnswerRef
	ordinal  int32
	key      responseKey // of its response
	expected extract.Usage
}

// make makes the call, as Imports.callModel does, if MAX_TOKENS_PER_ANSWER and the day allow it.
func (a *Answers) make(
	ctx context.Context, c answerCall, call func(context.Context) (extract.Usage, error),
) (extract.Usage, error) {
	return a.imports.callModel(ctx, claimedCall{
		expected: c.expected,
		reserve: func(ctx context.Context, wanted int64) error {
			return a.reserveTokens(ctx, c.ref, wanted, func(q *db.Queries, _ int64) (bool, error) {
				return q.ReserveTokenBudget(ctx, db.ReserveTokenBudgetParams{
					ClaimID: c.ref.ClaimID, Ordinal: c.ordinal, Wanted: wanted,
				})
			})
		},
		isClaimed: c.ref.isClaimed,
		count: func(ctx context.Context, failure *extract.Error) error {
			return a.countFailure(ctx, c, failure)
		},
		call: call,
	})
}

// reserveTokens reserves the tokens of a call if neither MAX_TOKENS_PER_ANSWER nor the day forbids it. spent
// is what the answer has taken until now.
func (a *Answers) reserveTokens(
	ctx context.Context, ref AnswerRef, wanted int64, reserve func(q *db.Queries, spent int64) (bool, error),
) error {
	err := a.imports.store.AsService(ctx, func(q *db.Queries) error {
		answer, err := ref.lock(ctx, q)
		if err != nil {
			return err
		}
		spent := answer.InputTokens + answer.OutputTokens
		if a.cfg.MaxTokens > 0 && spent+wanted > a.cfg.MaxTokens {
			return errAnswerTokenLimit()
		}
		reserved, err := reserve(q, spent)
		if err == nil && !reserved {
			return errAnswerTokenLimit()
		}
		return err
	})
	return failed(ctx, a.imports.log, "reserve tokens", err, ref.attributes()...)
}

// countFailure counts the tokens of a failed call, of which there is no response to keep.
func (a *Answers) countFailure(ctx context.Context, c answerCall, failure *extract.Error) error {
	if failure.Usage == (extract.Usage{}) {
		return nil
	}
	c.key = attemptKey(ctx, c.key)
	return a.keep(ctx, c, storedFailure{failure.Code}, failure.Usage)
}

// A storedFailure stands for the response to a failed call whose tokens count.
type storedFailure struct {
	Failed outcome.Code `json:"failed"`
}

// keep stores the response to a call with what it cost.
func (a *Answers) keep(ctx context.Context, c answerCall, response any, used extract.Usage) error {
	raw, err := json.Marshal(response)
	if err != nil {
		return fmt.Errorf("encode a response: %w", err)
	}
	store := func(ctx context.Context, q *db.Queries) (bool, error) {
		return q.StoreAnswerResponse(ctx, db.StoreAnswerResponseParams{
			AnswerID: c.ref.AnswerID, ClaimID: c.ref.ClaimID, Ordinal: c.ordinal, Key: c.key[:], Response: raw,
			InputTokens: used.InputTokens, OutputTokens: used.OutputTokens,
		})
	}
	return a.imports.keepResponse(ctx, c.ref.attributes(), store)
}

// find decodes the stored response to a call into response, and reports whether there is one.
func (a *Answers) find(ctx context.Context, c answerCall, answer db.Answer, response any) (bool, error) {
	row, err := db.AsService(ctx, a.imports.store, func(q *db.Queries) (db.GetAnswerResponseRow, error) {
		return q.GetAnswerResponse(ctx, db.GetAnswerResponseParams{Key: c.key[:], ProjectID: answer.ProjectID})
	})
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	if err == nil {
		err = json.Unmarshal(row.Response, response)
	}
	return err == nil, failed(ctx, a.imports.log, "look for a stored response", err, c.ref.attributes()...)
}

// end records what an answer waits for after an attempt to call the model has failed, and converts its error
// for Temporal.
func (a *Answers) end(ctx context.Context, ref AnswerRef, err error) error {
	if err == nil {
		return nil
	}
	reason, err := attemptEnd(ctx, err)
	detachedCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	endErr := a.imports.store.AsService(detachedCtx, func(q *db.Queries) error {
		_, err := q.SetAnswerWaiting(detachedCtx, db.SetAnswerWaitingParams{
			AnswerID: ref.AnswerID, ClaimID: ref.ClaimID, WaitingReason: reason,
		})
		return err
	})
	if endErr != nil { // the reconciler finds out by itself
		a.imports.log.WarnContext(ctx, "end of an attempt not recorded",
			append(ref.attributes(), "error", endErr)...)
	}
	return err
}
