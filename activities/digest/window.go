package digest

import (
	"fmt"
	"time"
)

// A Window is the time whose news a digest has: from where the member's last digest ended to the end of its
// period.
type Window struct {
	Start time.Time // inclusive
	End   time.Time // exclusive
	Zone  string    // the IANA name of the member's zone
}

// Describe puts the days of a window into words: "Friday, 20 November 2026", "16 to 22 November 2026". A day
// of which a window has a part is one of its days.
func (w Window) Describe() string {
	zone := location(w.Zone)
	first, last := w.Start.In(zone), w.End.Add(-time.Nanosecond).In(zone)
	if last.Format(time.DateOnly) <= first.Format(time.DateOnly) {
		return first.Format("Monday, 2 January 2006")
	}
	from := fmt.Sprint(first.Day())
	switch {
	case first.Year() != last.Year():
		from = first.Format("2 January 2006")
	case first.Month() != last.Month():
		from = first.Format("2 January")
	}
	return from + " to " + last.Format("2 January 2006")
}

// location returns the zone with an IANA name. One that is unknown here, because the zone files of PostgreSQL
// are newer, counts as UTC.
func location(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return zone
}
