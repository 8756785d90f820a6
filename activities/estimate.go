package activities

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"research/activities/extract"
	"research/db"
)

// An Estimate is the expected size of a parse. It is zero if the extractor needs no model.
type Estimate struct {
	Calls int // to the model
	Usage extract.Usage
}

// EstimateParse estimates a parse of an import for hypotheses, and starts nothing. With refresh, parts that
// were read before count too. Chunks whose response is stored cost nothing.
//
// Errors: db.ErrNotFound if there is no such import, and those of db.Store.
func EstimateParse(
	ctx context.Context, store *db.Store, e extract.Extractor, importID uuid.UUID, hypotheses []uuid.UUID,
	refresh bool,
) (Estimate, error) {
	estimate, err := db.AsService(ctx, store, func(q *db.Queries) (Estimate, error) {
		row, err := q.GetTranscript(ctx, importID)
		if err != nil {
			return Estimate{}, err
		}
		text := hashed(transcriptOf(row))
		interviewers, err := q.ListInterviewers(ctx, importID)
		if err != nil {
			return Estimate{}, err
		}
		request := parseRequest{
			importID: importID, hypotheses: hypotheses, interviewers: interviewers, refresh: refresh,
		}
		plan, err := planMissing(ctx, q, e, request, text)
		if err != nil {
			return Estimate{}, err
		}
		stored, err := storedRequests(ctx, q, e, importID, text, plan)
		if err != nil {
			return Estimate{}, err
		}
		estimate := estimateOf(e, plan, stored)
		if _, asks := e.(SpeakerChecker); asks {
			checks, err := q.HasSpeakersInDoubt(ctx, importID)
			if err != nil {
				return Estimate{}, err
			}
			if checks {
				estimate.Calls++
				estimate.Usage = estimate.Usage.Add(expectedCheck)
			}
		}
		return estimate, nil
	})
	if err != nil {
		return Estimate{}, fmt.Errorf("estimate the parse of import %s: %w", importID, err)
	}
	return estimate, nil
}

// expectedCheck is a usual question about speakers with its answer. An estimate does not read the file again.
var expectedCheck = extract.Usage{InputTokens: 1000, OutputTokens: 100}

// estimateOf adds up the requests that are not stored.
func estimateOf(e extract.Extractor, plan []extract.Request, stored []bool) Estimate {
	var sum Estimate
	for i, request := range plan {
		expected := e.Expect(request)
		if stored[i] || expected == (extract.Usage{}) {
			continue
		}
		sum.Calls++
		sum.Usage = sum.Usage.Add(expected)
	}
	return sum
}
