package imports_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/admission"
	"research/api/cost"
	"research/api/imports"
	"research/db/dbtest"
)

// estimate asks what a parse with a body would take. It returns the status and the fields of the answer.
func (u *uploads) estimate(t *testing.T, user uuid.UUID, importID, body string) (int, map[string]any) {
	t.Helper()
	answer := u.post(t, user, "/"+importID+"/estimate", "", "application/json", strings.NewReader(body))
	var fields map[string]any
	require.NoError(t, json.Unmarshal([]byte(answer.body), &fields), answer.body)
	return answer.status, fields
}

// parseBody is the body of a request to parse.
func parseBody(t *testing.T, hypotheses ...uuid.UUID) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"hypothesisIds": hypotheses})
	require.NoError(t, err)
	return string(body)
}

// everything is what a claim of an import could change.
func (u *uploads) everything(t *testing.T) string {
	t.Helper()
	return dbtest.Value[string](t, u.DB, `select jsonb_build_array(
		(select jsonb_agg(i) from imports i), (select jsonb_agg(r) from private.import_runs r),
		(select jsonb_agg(h) from import_hypotheses h), (select count(*) from private.import_chunks))::text`)
}

func TestAnEstimateStartsNothing(t *testing.T) {
	t.Parallel()
	u := serveUploads(t, func(d *imports.Deps) { d.Prices = cost.Prices{Currency: "USD"} }) // no prices
	h, other := u.Hypothesis(t, u.Tenant, "People pay too much"), u.Hypothesis(t, u.Tenant, "People pay late")
	_, created := u.choose(t, "/", interview, nil)
	id := created["importId"].(string)
	before := u.everything(t)
	status, answer := u.estimate(t, u.Editor, id, parseBody(t, h, other, h))
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, map[string]any{
		"importId": id, "calls": 2.0, "tokens": 2000.0, "inputTokens": 1800.0, "outputTokens": 200.0,
	}, answer)
	require.Equal(t, before, u.everything(t))

	u.serve(t, func(d *imports.Deps) { d.Prices = cost.Prices{Input: 0.25, Output: 2, Currency: "EUR"} })
	_, answer = u.estimate(t, u.Editor, id, parseBody(t, h, other))
	require.Equal(t, map[string]any{"amount": 0.00085, "currency": "EUR"}, answer["cost"])
}

func TestAnEstimateIsRejectedWhereAParseIs(t *testing.T) {
	t.Parallel()
	u := serveUploads(t, func(*imports.Deps) {})
	h := u.Hypothesis(t, u.Tenant, "People pay too much")
	foreign := u.Hypothesis(t, u.DB.Tenant(t), "People sleep well")
	stranger := u.User(t, "stranger@example.com")
	_, created := u.choose(t, "/", interview, nil)
	id := created["importId"].(string)
	reject := func(user uuid.UUID, importID, body string, wantStatus int, wantCode string) {
		t.Helper()
		for _, path := range []string{"/estimate", "/parse"} {
			answer := u.post(t, user, "/"+importID+path, "", "application/json", strings.NewReader(body))
			require.Equal(t, wantStatus, answer.status, "%s: %s", path, answer.body)
			require.Contains(t, answer.body, `"error":"`+wantCode+`"`, path)
		}
	}
	// Each request has several faults, of which the first in the order of the checks is the answer.
	reject(stranger, "x", strings.Repeat(" ", 1<<20+1), http.StatusRequestEntityTooLarge, "too_large")
	reject(stranger, "x", "{}", http.StatusBadRequest, "invalid_request")
	reject(stranger, "x", parseBody(t, foreign), http.StatusUnprocessableEntity, "import_not_found")
	reject(stranger, id, parseBody(t, foreign), http.StatusUnprocessableEntity, "import_not_found")
	reject(u.Viewer, id, parseBody(t, foreign), http.StatusForbidden, "forbidden")
	u.Exec(t, "update imports set status = 'parsing'")
	reject(u.Editor, id, parseBody(t, foreign), http.StatusUnprocessableEntity, "hypothesis_not_found")
	reject(u.Editor, id, parseBody(t, h), http.StatusUnprocessableEntity, "import_already_parsing")
	u.Exec(t, "update imports set status = 'parsed'")
	u.Exec(t, `insert into import_hypotheses (import_id, hypothesis_id, workspace_id, project_id, statement)
		select i.id, h.id, h.workspace_id, h.project_id, h.statement from imports i, hypotheses h
			where h.id = $1`, h)
	u.Exec(t, `insert into private.import_readings
			(import_id, hypothesis_id, extractor, prompt_version, statement, read)
		select t.import_id, h.id, 'openai', 'v1', h.statement, int4multirange(int4range(0, octet_length(t.body)))
		from private.transcripts t, hypotheses h where h.id = $1`, h)
	reject(u.Editor, id, parseBody(t, h), http.StatusUnprocessableEntity, "import_already_parsed")
	status, _ := u.estimate(t, u.Editor, id, `{"hypothesisIds": ["`+h.String()+`"], "refresh": true}`)
	require.Equal(t, http.StatusOK, status)

	u.serve(t, func(d *imports.Deps) { d.QueueLimit = 1 })
	_, _ = u.choose(t, "/", interview+"Ben: So do we.\n", nil)
	u.Exec(t, "update imports set status = 'queued' where id <> $1", id)
	other := u.Hypothesis(t, u.Tenant, "People pay late")
	reject(u.Editor, id, parseBody(t, other), http.StatusTooManyRequests, "queue_full")
}

// A waitingEstimator answers when it is released.
type waitingEstimator struct{ asked, released chan struct{} }

func (e waitingEstimator) EstimateParse(
	ctx context.Context, _ uuid.UUID, _ []uuid.UUID, _ bool,
) (imports.Estimate, error) {
	e.asked <- struct{}{}
	select {
	case <-e.released:
		return imports.Estimate{}, nil
	case <-ctx.Done():
		return imports.Estimate{}, ctx.Err()
	}
}

func TestAUserHasFewEstimatesAtATime(t *testing.T) {
	t.Parallel()
	slow := waitingEstimator{asked: make(chan struct{}, 1), released: make(chan struct{})}
	u := serveUploads(t, func(*imports.Deps) {})
	h := u.Hypothesis(t, u.Tenant, "People pay too much")
	_, created := u.choose(t, "/", interview, nil)
	id := created["importId"].(string)
	u.serve(t, func(d *imports.Deps) {
		d.Estimator = slow
		d.Uploads = admission.New(
			admission.Config{Slots: 2, WorkspaceSlots: 2, UserRequests: 1, MaxWait: time.Minute},
			func(context.Context, uuid.UUID) (uuid.UUID, error) { return oneWorkspace, nil })
	})
	first := make(chan int, 1)
	go func() {
		var status int
		defer func() { first <- status }() // also where the request ends the goroutine
		status, _ = u.estimate(t, u.Editor, id, parseBody(t, h))
	}()
	<-slow.asked
	status, answer := u.estimate(t, u.Editor, id, parseBody(t, h))
	require.Equal(t, http.StatusTooManyRequests, status)
	require.Equal(t, "queue_full", answer["error"])
	close(slow.released)
	require.Equal(t, http.StatusOK, <-first)
}
