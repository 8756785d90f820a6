package activities

import (
	"context"
	"fmt"
	"log/slog"
	"math"

	"github.com/google/uuid"

	"research/activities/extract"
	"research/db"
	"research/outcome"
)

// A ThemesEstimator estimates runs that propose themes, as a worker with the same settings would plan them.
// It is safe for concurrent use.
type ThemesEstimator struct {
	themes *Themes
}

// NewThemesEstimator returns an estimator. finder is nil without a model, and is never asked.
func NewThemesEstimator(store *db.Store, finder extract.ThemeFinder) *ThemesEstimator {
	imports := &Imports{
		store: store, log: slog.New(slog.DiscardHandler),
		ender: &importEnder{transcripts: newTranscriptCache(store)},
	}
	return &ThemesEstimator{&Themes{imports: imports, finder: finder}}
}

// A ThemesEstimate is the expected size of a run.
type ThemesEstimate struct {
	Estimate

	Imports int // of the project
}

// expectedLabels is how many labels a chunk is expected to have.
const expectedLabels = 4

// Estimate estimates what it would take to propose themes for a project now, and starts nothing. Chunks whose
// response is stored cost nothing; labels are expected to be grouped again.
//
// Errors: ErrScopeTooLarge, and those of db.Store.
func (e *ThemesEstimator) Estimate(ctx context.Context, project uuid.UUID) (ThemesEstimate, error) {
	p := &themePlanning{themes: e.themes, row: db.ThemeRun{ProjectID: project}}
	err := p.load(ctx)
	if isType(err, string(outcome.CodeTokenLimit)) {
		return ThemesEstimate{}, ErrScopeTooLarge
	}
	if err != nil {
		return ThemesEstimate{}, fmt.Errorf("estimate themes of project %s: %w", project, err)
	}
	sum := ThemesEstimate{Imports: len(p.all)}
	finder := e.themes.finder
	if finder == nil || len(p.all) == 0 {
		return sum, nil
	}
	p.choose()
	sum.Estimate, err = db.AsService(ctx, e.themes.imports.store, func(q *db.Queries) (Estimate, error) {
		return estimateOpen(ctx, q, finder, p.all, p.parts, p.known)
	})
	if err != nil {
		return sum, fmt.Errorf("estimate themes of project %s: %w", project, err)
	}
	labels := make([]string, finder.GroupSize())
	for i := range labels {
		labels[i] = "four words, and more"
	}
	for left := min(expectedLabels*len(p.parts), maxThemeFindings); left > 0; left -= len(labels) {
		sum.Calls++
		sum.Usage = sum.Usage.Add(finder.ExpectGroups(labels[:min(left, len(labels))]))
	}
	if batches := math.Ceil(float64(expectedLabels*len(p.parts)) / float64(len(labels))); batches > 1 {
		sum.Calls++
		sum.Usage = sum.Usage.Add(finder.ExpectGroups(labels))
	}
	return sum, nil
}
