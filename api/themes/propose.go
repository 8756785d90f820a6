package themes

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/google/uuid"

	"research/api/idempotency"
	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/outcome"
	"research/temporalclient"
)

// runResponse is the response body of requests that start or cancel a run.
type runResponse struct {
	ThemeRunID uuid.UUID              `json:"themeRunId"`
	Status     outcome.ThemeRunStatus `json:"status"`
}

// propose claims a run for a project and starts it, once for each Idempotency-Key.
func (s *server) propose(w http.ResponseWriter, r *http.Request) error {
	if err := readNothing(w, r); err != nil {
		return err
	}
	project, err := projectID(r)
	if err != nil {
		return err
	}
	if !s.UsesModel {
		return s.mayPropose(r.Context(), project)
	}
	key, err := idempotency.ReadKey(r)
	if err != nil {
		return err
	}
	key.Fingerprint = project[:]
	ctx := r.Context()
	return key.Answer(ctx, w, s.edge, s.Store, nil, http.StatusAccepted, func() ([]byte, error) {
		return s.begin(ctx, key, project)
	})
}

// maxBody bounds the body of requests, which say nothing in it.
const maxBody = 1 << 10

// readNothing reads a body, which may be empty or an object without fields.
func readNothing(w http.ResponseWriter, r *http.Request) error {
	err := problem.ReadJSON(w, r, maxBody, &struct{}{})
	var known *problem.Error
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return nil
	case errors.As(err, &known):
		return err
	}
	return &problem.Error{
		Status: http.StatusBadRequest, Code: "invalid_request", Message: "The body must be a JSON object.",
		Details: problem.Fields{"body": "not a JSON object"}, Cause: err,
	}
}

// A claimed run, unless the result says why it is not.
type claimed struct {
	temporalclient.ThemesRequest

	result db.PrivateProposeResult
}

// begin claims a run and starts it. The response is stored with the claim: once that is committed, themes are
// proposed. If the run cannot be started, the reconciler starts it.
func (s *server) begin(ctx context.Context, key idempotency.Key, project uuid.UUID) ([]byte, error) {
	if err := s.Runner.Available(ctx); err != nil {
		return nil, err // nothing was written
	}
	var body []byte
	c, err := db.AsUser(ctx, s.Store, token.From(ctx), func(q *db.Queries) (c claimed, err error) {
		c, err = s.claim(ctx, q, project)
		if err == nil && c.result == db.PrivateProposeResultClaimed {
			body, err = s.remember(ctx, q, key, c.ThemeRunID)
		}
		return c, err
	})
	switch {
	case err != nil:
		return nil, err
	case c.result != db.PrivateProposeResultClaimed:
		return nil, claimError(project, c.result)
	}
	run, err := s.Runner.StartThemes(ctx, c.ThemesRequest)
	if err != nil {
		s.Log.WarnContext(ctx, "proposals of themes not started yet", "theme_run_id", c.ThemeRunID, "error", err)
		return body, nil
	}
	s.Log.InfoContext(ctx, "proposals of themes started", "theme_run_id", c.ThemeRunID, "project_id", project,
		"workflow_id", run.WorkflowID, "run_id", run.RunID)
	return body, nil
}

// claim claims a run, in a transaction of the caller.
func (s *server) claim(ctx context.Context, q *db.Queries, project uuid.UUID) (claimed, error) {
	c := claimed{ThemesRequest: temporalclient.ThemesRequest{
		ThemeRunID: uuid.New(), ClaimID: uuid.New(), ProjectID: project, Timeout: s.Timeout,
	}}
	row, err := q.ClaimThemes(ctx, db.ClaimThemesParams{
		ThemeRunID: c.ThemeRunID, ClaimID: c.ClaimID, ProjectID: project,
		QueueLimit: int64(s.QueueLimit), WorkspaceQueueLimit: int64(s.WorkspaceQueueLimit),
		AskLimit: int64(s.Limit),
	})
	if c.result = row.Result; err == nil && c.result == db.PrivateProposeResultClaimed {
		c.WorkspaceID = *row.WorkspaceID
	}
	return c, err
}

// remember stores the response to a claim under the key of its request, and returns it.
func (s *server) remember(
	ctx context.Context, q *db.Queries, key idempotency.Key, id uuid.UUID,
) ([]byte, error) {
	body, err := problem.Encode(runResponse{id, outcome.ThemesQueued})
	if err != nil {
		return nil, err
	}
	status := int32(http.StatusAccepted)
	return body, key.Remember(ctx, q, db.RememberResponseParams{Status: &status, Body: body})
}

// cancel ends the open run of a project at once: its claim ends, so that it writes nothing more. The run is
// then asked to stop, which ends its calls of the model.
func (s *server) cancel(w http.ResponseWriter, r *http.Request) error {
	project, err := projectID(r)
	if err != nil {
		return err
	}
	ctx := r.Context()
	row, err := db.AsUser(ctx, s.Store, token.From(ctx), func(q *db.Queries) (db.CancelThemesRow, error) {
		return q.CancelThemes(ctx, db.CancelThemesParams{
			ProjectID: project, ErrorMessage: outcome.CodeCanceled.ThemesMessage(),
		})
	})
	if err != nil {
		return err
	}
	if rejected, ok := cancelErrors[row.Result]; ok {
		return rejected
	}
	if row.RunID != nil { // otherwise none has begun
		err := s.Runner.CancelThemes(ctx, project, *row.RunID)
		if err != nil && !errors.Is(err, temporalclient.ErrNotRunning) { // it ends at its next step
			s.Log.WarnContext(ctx, "run of themes not cancelled", "project_id", project, "error", err)
		}
	}
	s.Log.InfoContext(ctx, "proposals of themes cancelled", "theme_run_id", row.ThemeRunID)
	s.edge.WriteJSON(w, http.StatusOK, runResponse{*row.ThemeRunID, outcome.ThemesCanceled})
	return nil
}
