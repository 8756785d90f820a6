package activities

import (
	"context"

	"github.com/google/uuid"

	"research/activities/extract"
	"research/db"
)

// A parseRequest is the input of a parse.
type parseRequest struct {
	importID     uuid.UUID
	hypotheses   []uuid.UUID
	interviewers []string
	refresh      bool // read again what was read before
}

// planMissing returns the requests to the extractor that read what is missing.
func planMissing(
	ctx context.Context, q *db.Queries, e extract.Extractor, r parseRequest, text cachedTranscript,
) ([]extract.Request, error) {
	requested, err := q.ListRequestedHypotheses(ctx, db.ListRequestedHypothesesParams{
		ImportID: r.importID, HypothesisIds: r.hypotheses,
	})
	if err != nil {
		return nil, err
	}
	hypotheses := make([]extract.Hypothesis, len(requested))
	for i, row := range requested {
		hypotheses[i] = extract.Hypothesis{ID: row.ID.String(), Statement: row.Statement}
	}
	read := map[string]readings{}
	if !r.refresh {
		if read, err = loadReadings(ctx, q, r.importID, hypotheses); err != nil {
			return nil, err
		}
	}
	wanted := make([]extract.Wanted, len(hypotheses))
	for i, h := range hypotheses {
		wanted[i] = extract.Wanted{Hypothesis: h, Read: read[h.ID].countingFor(e.Name())}
	}
	plan := extract.PlanMissing(e, text.Transcript, wanted)
	for i := range plan {
		plan[i].Interviewers = r.interviewers
	}
	return plan, nil
}

// storedRequests reports for each request of a plan whether its response is stored, so that it costs nothing.
func storedRequests(
	ctx context.Context, q *db.Queries, e extract.Extractor, importID uuid.UUID, text cachedTranscript,
	plan []extract.Request,
) ([]bool, error) {
	keys := make([]responseKey, len(plan))
	for i, request := range plan {
		keys[i] = requestKey(e, text.sha256, request)
	}
	responses, err := listResponses(ctx, q, importID, keys)
	if err != nil {
		return nil, err
	}
	stored := make([]bool, len(plan))
	for i, key := range keys {
		_, stored[i] = responses[key]
	}
	return stored, nil
}
