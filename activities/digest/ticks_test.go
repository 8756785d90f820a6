package digest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A tick that reads only members whose next digest is due must plan the same periods at the same hours as one
// that reads everybody: in all zones, across changes of the clock and the date line, for both frequencies.
func TestTicksThatReadDueMembersMissNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, from, why string }{
		{"UTC", "2026-12-28T00:00:00Z", "New Year"},
		{"Europe/Berlin", "2026-03-27T00:00:00Z", "the clock goes forward"},
		{"Europe/Berlin", "2026-10-23T00:00:00Z", "the clock goes back"},
		{"Europe/Dublin", "2026-03-27T00:00:00Z", "winter time is the exception"},
		{"America/New_York", "2026-03-06T00:00:00Z", "the clock goes forward"},
		{"America/New_York", "2026-10-30T00:00:00Z", "the clock goes back"},
		{"America/St_Johns", "2026-03-06T00:00:00Z", "half an hour from the full hour, and the clock goes forward"},
		{"America/St_Johns", "2010-11-05T00:00:00Z", "midnight comes twice"},
		{"America/Havana", "2026-10-30T00:00:00Z", "the clock goes back over midnight"},
		{"Africa/Cairo", "2026-04-22T00:00:00Z", "midnight is skipped"},
		{"Africa/Casablanca", "2026-02-13T00:00:00Z", "the clock changes for Ramadan"},
		{"Antarctica/Troll", "2026-03-27T00:00:00Z", "the clock goes forward by two hours"},
		{"Asia/Kolkata", "2026-11-16T00:00:00Z", "half an hour from the full hour"},
		{"Asia/Kathmandu", "2026-11-16T00:00:00Z", "a quarter of an hour from the full hour"},
		{"Pacific/Chatham", "2026-04-03T00:00:00Z", "a quarter of an hour, and the clock goes back"},
		{"Australia/Eucla", "2026-11-16T00:00:00Z", "a quarter of an hour from the full hour"},
		{"Australia/Lord_Howe", "2026-10-02T00:00:00Z", "the clock goes forward by half an hour"},
		{"Pacific/Kiritimati", "2026-11-16T00:00:00Z", "the first to begin a day"},
		{"Pacific/Niue", "2026-11-16T00:00:00Z", "the last to begin a day"},
		{"Pacific/Apia", "2011-12-27T00:00:00Z", "a day is skipped across the date line"},
	} {
		for _, weekly := range []bool{false, true} {
			for _, hour := range []int{0, 1, 2, 3, 8, 23} {
				name := fmt.Sprintf("%s, %s, weekly %t, hour %d", c.zone, c.why, weekly, hour)
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					for weekday := 1; weekday <= 7; weekday++ {
						s := Schedule{Zone: zone(t, c.zone), Weekly: weekly, Hour: hour, Weekday: weekday}
						requireSamePlan(t, s, moment(t, c.from))
					}
				})
			}
		}
	}
}

// requireSamePlan runs the ticks of three weeks in both ways.
func requireSamePlan(t *testing.T, s Schedule, from time.Time) {
	t.Helper()
	var everybody, due []string
	seen := map[string]bool{}
	next := time.Time{} // not computed yet
	for tick := from; tick.Before(from.AddDate(0, 0, 21)); tick = tick.Add(time.Hour) {
		period := s.LatestDue(tick)
		planned := fmt.Sprintf("%s at %s", period.Name, tick.Format(time.RFC3339))
		if !seen[period.Name] {
			seen[period.Name] = true
			everybody = append(everybody, planned)
		}
		if next.After(tick) {
			continue
		}
		due = append(due, planned)
		require.True(t, period.Expires.After(tick), "the member is due again at the same tick")
		next = period.Expires
		if len(due) > 1 {
			require.Less(t, tick.Sub(period.Due), time.Hour, "within the hour in which it is due")
		}
	}
	require.Equal(t, everybody, due)
	if !s.Weekly {
		require.GreaterOrEqual(t, len(due), 20, "a digest each day")
	}
}
