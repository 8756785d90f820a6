package answers

import (
	"context"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"research/api/idempotency"
	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/outcome"
	"research/temporalclient"
)

// startedResponse is the response body of requests that have a question answered.
type startedResponse struct {
	AnswerID uuid.UUID            `json:"answerId"`
	Status   outcome.AnswerStatus `json:"status"`
}

// ask claims a new answer and starts its run, if Temporal is available.
func (s *server) ask(w http.ResponseWriter, r *http.Request) error {
	wanted, err := readAsk(w, r, s.modes())
	if err != nil {
		return err
	}
	project, ok := parseID(chi.URLParam(r, "projectId"))
	if !ok {
		return errNoProject
	}
	return s.start(w, r, wanted.fingerprint(), s.claimNew(project, wanted))
}

// A claim claims an answer, in a transaction of the caller.
type claim func(context.Context, *db.Queries) (claimed, error)

// claimNew claims a new answer.
func (s *server) claimNew(project uuid.UUID, wanted askRequest) claim {
	return func(ctx context.Context, q *db.Queries) (claimed, error) {
		c := claimed{AnswerRequest: temporalclient.AnswerRequest{
			AnswerID: uuid.New(), ClaimID: uuid.New(), ProjectID: project, Mode: wanted.mode,
		}}
		row, err := q.ClaimAnswer(ctx, db.ClaimAnswerParams{
			AnswerID: c.AnswerID, ClaimID: c.ClaimID, ProjectID: project, QuestionID: wanted.questionID,
			Question: wanted.question, Mode: db.AnswerMode(wanted.mode),
			Personas: wanted.scope.Personas, Imports: wanted.scope.Imports,
			FirstDay: dateOf(wanted.scope.From), LastDay: dateOf(wanted.scope.To),
			QueueLimit: int64(s.QueueLimit), WorkspaceQueueLimit: int64(s.WorkspaceQueueLimit),
			AskLimit: int64(s.Limit),
		})
		if c.result = row.Result; err != nil {
			return c, err
		}
		switch c.result {
		case db.PrivateAskResultClaimed:
			c.WorkspaceID = *row.WorkspaceID
			fallthrough
		case db.PrivateAskResultNothingToRead:
			err = checkScope(ctx, q, project, wanted.scope)
		}
		return c, err
	}
}

// dateOf returns a day that was checked, or null.
func dateOf(day string) pgtype.Date {
	date, err := time.Parse(time.DateOnly, day)
	return pgtype.Date{Time: date, Valid: err == nil}
}

// checkScope returns an error if a scope names what the project does not have. The database would ignore it.
func checkScope(ctx context.Context, q *db.Queries, project uuid.UUID, s scope) error {
	if len(s.Personas) == 0 && len(s.Imports) == 0 {
		return nil
	}
	found, err := q.CountScope(ctx, db.CountScopeParams{
		ProjectID: project, Personas: s.Personas, Imports: s.Imports,
	})
	if err == nil && (int(found.Personas) < len(s.Personas) || int(found.Imports) < len(s.Imports)) {
		return errScope
	}
	return err
}

// again claims an answer that has ended once more, with its mode or another one.
func (s *server) again(w http.ResponseWriter, r *http.Request) error {
	mode, err := readMode(w, r, s.modes())
	if err != nil {
		return err
	}
	id, err := answerID(r)
	if err != nil {
		return err
	}
	fingerprint := []byte{}
	if mode != nil {
		fingerprint = []byte(*mode)
	}
	return s.start(w, r, fingerprint, func(ctx context.Context, q *db.Queries) (claimed, error) {
		c := claimed{AnswerRequest: temporalclient.AnswerRequest{AnswerID: id, ClaimID: uuid.New()}}
		row, err := q.ClaimAnswerAgain(ctx, db.ClaimAnswerAgainParams{
			AnswerID: id, ClaimID: c.ClaimID, Mode: (*db.AnswerMode)(mode),
			QueueLimit: int64(s.QueueLimit), WorkspaceQueueLimit: int64(s.WorkspaceQueueLimit),
			AskLimit: int64(s.Limit),
		})
		if c.result = row.Result; err != nil || c.result != db.PrivateAskResultClaimed {
			return c, err
		}
		c.WorkspaceID, c.ProjectID = *row.WorkspaceID, *row.ProjectID
		found, err := q.GetAnswer(ctx, id)
		c.Mode = outcome.AnswerMode(found.Answer.Mode)
		return c, err
	})
}

// A claimed answer may be given to a run.
type claimed struct {
	temporalclient.AnswerRequest

	result db.PrivateAskResult
}

// start answers a request once: it claims an answer, and starts its run.
func (s *server) start(w http.ResponseWriter, r *http.Request, fingerprint []byte, claim claim) error {
	key, err := idempotency.ReadKey(r)
	if err != nil {
		return err
	}
	key.Fingerprint = fingerprint
	ctx := r.Context()
	return key.Answer(ctx, w, s.edge, s.Store, nil, http.StatusAccepted, func() ([]byte, error) {
		_, body, err := s.begin(ctx, key, claim)
		return body, err
	})
}

// begin claims an answer and starts its run. The response is stored with the claim: once that is committed,
// the question is answered. If the run cannot be started, the reconciler starts it.
func (s *server) begin(ctx context.Context, key idempotency.Key, claim claim) (uuid.UUID, []byte, error) {
	if err := s.Runner.Available(ctx); err != nil {
		return uuid.Nil, nil, err // nothing was written
	}
	var body []byte
	c, err := db.AsUser(ctx, s.Store, token.From(ctx), func(q *db.Queries) (c claimed, err error) {
		c, err = claim(ctx, q)
		if err == nil && c.result == db.PrivateAskResultClaimed {
			body, err = s.remember(ctx, q, key, c.AnswerID)
		}
		return c, err
	})
	switch {
	case err != nil:
		return uuid.Nil, nil, err
	case c.result != db.PrivateAskResultClaimed:
		return uuid.Nil, nil, claimError(c.AnswerID, c.result)
	}
	c.Timeout = s.Timeout
	run, err := s.Runner.StartAnswer(ctx, c.AnswerRequest)
	if err != nil {
		s.Log.WarnContext(ctx, "answer not started yet", "answer_id", c.AnswerID, "error", err)
		return c.AnswerID, body, nil
	}
	s.Log.InfoContext(ctx, "answer started", "answer_id", c.AnswerID, "mode", c.Mode,
		"workflow_id", run.WorkflowID, "run_id", run.RunID)
	return c.AnswerID, body, nil
}

// remember stores the response to a claim under the key of its request, and returns it.
func (s *server) remember(
	ctx context.Context, q *db.Queries, key idempotency.Key, id uuid.UUID,
) ([]byte, error) {
	body, err := problem.Encode(startedResponse{id, outcome.AnswerQueued})
	if err != nil {
		return nil, err
	}
	status := int32(http.StatusAccepted)
	return body, key.Remember(ctx, q, db.RememberResponseParams{Status: &status, Body: body})
}
