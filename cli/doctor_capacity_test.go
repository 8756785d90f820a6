package cli

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/activities"
)

func TestDoctorReportsCapacity(t *testing.T) {
	t.Parallel()
	first := uuid.MustParse("00000000-0000-4000-8000-000000000001")
	late := []uuid.UUID{first, uuid.New()}
	for name, tt := range map[string]struct {
		forecast activities.CapacityForecast
		want     finding
	}{
		"nothing to read": {
			activities.CapacityForecast{},
			finding{"capacity", stateOK, "no import is open", ""},
		},
		"nothing to estimate from": {
			activities.CapacityForecast{Open: 7},
			finding{"capacity", stateOK, "7 imports are open; none of their calls was answered yet", ""},
		},
		"enough workers": {
			activities.CapacityForecast{Open: 7, Workers: 2, Known: true, Duration: 90*time.Second + 1},
			finding{"capacity", stateOK, "7 imports are open, and end within 1m31s with 2 workers", ""},
		},
		"too few workers": {
			activities.CapacityForecast{Open: 7, Workers: 2, Known: true, Late: late, MissingWorkers: 3},
			finding{
				"capacity", stateFail,
				"2 of 7 open imports will miss PARSE_TIMEOUT with 2 workers, the first is " + first.String(),
				"run 5 workers, which is 3 more, if the model's server permits it; or raise PARSE_TIMEOUT and " +
					"restart the workers",
			},
		},
		"too low a limit of calls, and too late for one import": {
			activities.CapacityForecast{Open: 7, Workers: 2, Known: true, Late: late, CallsPerMinute: 90, Hopeless: 1},
			finding{
				"capacity", stateFail,
				"2 of 7 open imports will miss PARSE_TIMEOUT with 2 workers, the first is " + first.String(),
				"set MODEL_CALLS_PER_MINUTE to at least 90, if the model's server permits it; or raise PARSE_TIMEOUT " +
					"and restart the workers, which alone helps 1 of them",
			},
		},
		"no number of workers helps": {
			activities.CapacityForecast{Open: 7, Workers: 2, Known: true, Late: late, Hopeless: 2},
			finding{
				"capacity", stateFail,
				"2 of 7 open imports will miss PARSE_TIMEOUT with 2 workers, the first is " + first.String(),
				"raise PARSE_TIMEOUT and restart the workers",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var d doctor
			d.reportCapacity(tt.forecast)
			require.Equal(t, []finding{tt.want}, d.findings)
		})
	}
}
