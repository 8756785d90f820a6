package answers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"research/api/idempotency"
	"research/api/token"
	"research/db"
)

// An Asker asks questions for edges that have no request of this one.
type Asker struct{ server *server }

// maxAskedAgain bounds how often the same question is asked within the time for which keys are remembered.
const maxAskedAgain = 100

// Ask asks a question about all interviews of a project, in a mode or the usual one, and returns the id of
// its answer. The caller is that of token.From.
//
// A caller who asks the same again within a day gets the same answer, also while it is written. Asked anew is
// what has failed, was cancelled or deleted, or has become stale.
//
// Errors are a *problem.Error, admission.ErrBusy, db.ErrDenied and those of temporalclient.
func (a *Asker) Ask(ctx context.Context, project uuid.UUID, question, mode string) (uuid.UUID, error) {
	s := a.server
	wanted := askRequest{mode: s.modes().usual()}
	var err error
	if wanted.question, err = newQuestion(question); err != nil {
		return uuid.Nil, err
	}
	if mode != "" {
		if wanted.mode, err = s.modes().of(mode); err != nil {
			return uuid.Nil, err
		}
	}
	ticket, err := s.Statements.Enter(ctx, callerOf(ctx))
	if err != nil {
		return uuid.Nil, err
	}
	defer ticket.Leave()
	content := fmt.Appendf(nil, "ask %s\n%x", project, wanted.fingerprint())
	key := idempotency.NewKey(token.From(ctx).UserID, content)
	for range maxAskedAgain {
		id, isNew, err := s.askOnce(ctx, key, s.claimNew(project, wanted))
		if err != nil || isNew {
			return id, err
		}
		if spent, err := s.isSpent(ctx, id); !spent {
			return id, err
		}
		key = key.Part("after "+id.String(), key.Fingerprint)
	}
	return uuid.Nil, errAskLimit
}

// askOnce claims an answer, unless an earlier request with the key did. Then it returns that answer.
func (s *server) askOnce(
	ctx context.Context, key idempotency.Key, claim claim,
) (id uuid.UUID, isNew bool, err error) {
	for {
		earlier, err := key.Find(ctx, s.Store, nil)
		if err != nil {
			return uuid.Nil, false, err
		}
		if earlier != nil {
			var started startedResponse
			err := json.Unmarshal(earlier.Body, &started)
			return started.AnswerID, false, err
		}
		id, _, err := s.begin(ctx, key, claim)
		if !errors.Is(err, idempotency.ErrAnswered) {
			return id, true, err
		}
	}
}

// isSpent reports whether an answer is of no use to who asks the same again.
func (s *server) isSpent(ctx context.Context, id uuid.UUID) (bool, error) {
	answer, err := db.AsUser(ctx, s.Store, token.From(ctx), func(q *db.Queries) (db.Answer, error) {
		row, err := q.GetAnswer(ctx, id)
		return row.Answer, err
	})
	if errors.Is(err, db.ErrNotFound) {
		return true, nil
	}
	ended := answer.FinishedAt != nil
	return ended && (answer.Status != db.AnswerStatusAnswered || answer.StaleSince != nil), err
}
