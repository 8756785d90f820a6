package activities

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/google/uuid"

	"research/db"
	"research/outcome"
)

// A RunForecast counts the open imports of a database by the action that the reconciler would take.
type RunForecast struct {
	Continued int                  `json:"continued"` // their run is open
	Started   int                  `json:"started"`   // they were claimed, and have no run
	Ended     map[outcome.Code]int `json:"ended"`     // their run is closed or unknown, by the code of their end
}

// runDescriber describes runs; *temporalclient.Client is one.
type runDescriber interface {
	// DescribeParse returns the latest run of an import. It returns ErrNoRun if Temporal has no record of one.
	DescribeParse(ctx context.Context, importID uuid.UUID) (ParseRun, error)
}

// ForecastRuns compares the open imports of a database with their runs, as the reconciler would, and changes
// nothing.
func ForecastRuns(ctx context.Context, store *db.Store, runs runDescriber) (RunForecast, error) {
	forecast := RunForecast{Ended: map[outcome.Code]int{}}
	open, err := db.AsService(ctx, store, func(q *db.Queries) ([]db.ListSilentRunsRow, error) {
		return q.ListSilentRuns(ctx, db.ListSilentRunsParams{PageSize: math.MaxInt32})
	})
	if err != nil {
		return forecast, err
	}
	for _, row := range open {
		run, err := runs.DescribeParse(ctx, row.ID)
		if err != nil && !errors.Is(err, ErrNoRun) {
			return forecast, err
		}
		switch due := compareRun(row.RunID, row.PreviousRunID, run, err != nil); due.action {
		case actionNone:
			forecast.Continued++
		case actionStart:
			forecast.Started++
		case actionEnd:
			forecast.Ended[due.code]++
		}
	}
	return forecast, nil
}

// PlanClosedDigests plans the digests about the periods that closed last at a time, and sends nothing: all
// that the schedules would send by the end of the day or week.
func PlanClosedDigests(ctx context.Context, store *db.Store, at time.Time) error {
	for _, frequency := range []db.DigestFrequency{db.DigestFrequencyDaily, db.DigestFrequencyWeekly} {
		planner := newPlanner(PlanDigestsInput{Frequency: string(frequency), At: at, Now: at, Everyone: true})
		for after := (uuid.UUID{}); ; {
			page, err := planner.planPage(ctx, store, after)
			if err != nil {
				return err
			}
			if page.Done {
				break
			}
			after = page.Next
		}
	}
	return nil
}
