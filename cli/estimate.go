package cli

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"research/activities"
	"research/activities/extract"
	"research/api/answers"
	"research/api/imports"
	"research/api/themes"
	"research/config"
	"research/db"
	"research/outcome"
	"research/worker"
)

// estimates are those of parses, answers and themes, as the worker would plan them with the same settings.
type estimates struct {
	store     *db.Store
	extractor extract.Extractor
	answers   *activities.AnswerEstimator
	themes    *activities.ThemesEstimator
}

func newEstimates(cfg config.Config, store *db.Store) (*estimates, error) {
	extractor, err := worker.NewExtractor(cfg.Extract, nil) // it plans, and is never asked
	if err != nil {
		return nil, err
	}
	answerer, _ := extractor.(extract.Answerer) // keyword matching is none
	finder, _ := extractor.(extract.ThemeFinder)
	return &estimates{
		store, extractor, activities.NewAnswerEstimator(store, answerer, cfg.Ask.Passages),
		activities.NewThemesEstimator(store, finder),
	}, nil
}

func (e *estimates) EstimateParse(
	ctx context.Context, importID uuid.UUID, hypotheses []uuid.UUID, refresh bool,
) (imports.Estimate, error) {
	estimate, err := activities.EstimateParse(ctx, e.store, e.extractor, importID, hypotheses, refresh)
	return imports.Estimate{
		Calls: estimate.Calls, InputTokens: estimate.Usage.InputTokens, OutputTokens: estimate.Usage.OutputTokens,
	}, err
}

func (e *estimates) EstimateThemes(ctx context.Context, projectID uuid.UUID) (themes.Estimate, error) {
	estimate, err := e.themes.Estimate(ctx, projectID)
	if errors.Is(err, activities.ErrScopeTooLarge) {
		err = themes.ErrScopeTooLarge
	}
	return themes.Estimate{
		Calls: estimate.Calls, InputTokens: estimate.Usage.InputTokens, OutputTokens: estimate.Usage.OutputTokens,
		Imports: estimate.Imports,
	}, err
}

func (e *estimates) EstimateAnswer(
	ctx context.Context, id uuid.UUID, mode outcome.AnswerMode,
) (answers.Estimate, error) {
	estimate, err := e.answers.Estimate(ctx, id, mode)
	if errors.Is(err, activities.ErrScopeTooLarge) {
		err = answers.ErrScopeTooLarge
	}
	return answers.Estimate{
		Calls: estimate.Calls, InputTokens: estimate.Usage.InputTokens, OutputTokens: estimate.Usage.OutputTokens,
		Imports: estimate.Imports, Passages: estimate.Passages,
	}, err
}
