package cli

import (
	"context"

	"github.com/google/uuid"

	"research/activities"
	"research/activities/extract"
	"research/api/imports"
	"research/db"
)

// parseEstimates estimates parses for the API, as the worker would plan them with the same settings.
type parseEstimates struct {
	store     *db.Store
	extractor extract.Extractor
}

func (p parseEstimates) EstimateParse(
	ctx context.Context, importID uuid.UUID, hypotheses []uuid.UUID, refresh bool,
) (imports.Estimate, error) {
	estimate, err := activities.EstimateParse(ctx, p.store, p.extractor, importID, hypotheses, refresh)
	return imports.Estimate{
		Calls: estimate.Calls, InputTokens: estimate.Usage.InputTokens, OutputTokens: estimate.Usage.OutputTokens,
	}, err
}
