package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"research/activities"
	"research/db"
	"research/worker"
)

// checkCapacity checks that the workers read the open imports within PARSE_TIMEOUT.
func (d *doctor) checkCapacity(ctx context.Context, store *db.Store) {
	forecast, err := activities.ForecastCapacity(ctx, store, worker.Capacity(d.cfg.Parse))
	if err != nil {
		d.fail("capacity", "the open imports cannot be read", "check what the programs may do in the database")
		return
	}
	d.reportCapacity(forecast)
}

func (d *doctor) reportCapacity(f activities.CapacityForecast) {
	switch {
	case f.Open == 0:
		d.ok("capacity", "no import is open")
	case !f.Known:
		d.ok("capacity", "%d imports are open; none of their calls was answered yet", f.Open)
	case len(f.Late) == 0:
		d.ok("capacity", "%d imports are open, and end within %s with %d workers",
			f.Open, roundUp(f.Duration), f.Workers)
	default:
		d.fail("capacity",
			fmt.Sprintf("%d of %d open imports will miss PARSE_TIMEOUT with %d workers, the first is %s",
				len(f.Late), f.Open, f.Workers, f.Late[0]),
			capacityAdvice(f))
	}
}

// capacityAdvice advises how to keep imports from missing PARSE_TIMEOUT.
func capacityAdvice(f activities.CapacityForecast) string {
	var needs []string
	if f.MissingWorkers > 0 {
		needs = append(needs, fmt.Sprintf("run %d workers, which is %d more",
			f.Workers+f.MissingWorkers, f.MissingWorkers))
	}
	if f.CallsPerMinute > 0 {
		needs = append(needs, fmt.Sprintf("set MODEL_CALLS_PER_MINUTE to at least %d", f.CallsPerMinute))
	}
	const raise = "raise PARSE_TIMEOUT and restart the workers"
	if len(needs) == 0 {
		return raise
	}
	advice := strings.Join(needs, " and ") + ", if the model's server permits it; or " + raise
	if f.Hopeless > 0 {
		advice += fmt.Sprintf(", which alone helps %d of them", f.Hopeless)
	}
	return advice
}

// roundUp writes a duration for people: to the second, or to the minute from ten minutes on.
func roundUp(d time.Duration) time.Duration {
	unit := time.Second
	if d > 10*time.Minute {
		unit = time.Minute
	}
	return (d + unit - 1).Truncate(unit)
}
