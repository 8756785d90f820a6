package activities

import (
	"fmt"
	"time"
	_ "time/tzdata" // where the machine has no zone files

	"research/db"
)

// A period is the closed day or ISO week that a digest is about, in one time zone. Windows of consecutive periods touch and never overlap, whatever the
// clocks of the zone do.
type period struct {
	Name       string // 2026-11-20 or 2026-W47
	Start, End time.Time
	Due        time.Time // when its digest goes out
	Expires    time.Time // when the next one's does
}

// A rhythm is when somebody wants digests.
type rhythm struct {
	Zone    *time.Location
	Weekly  bool
	Hour    int // 0 to 23, local
	Weekday int // ISO: 1 is Monday; for weekly digests
}

// latestDue is the period whose digest has become due last at the moment: each moment has one, so that a tick that was missed loses nothing.
func (r rhythm) latestDue(at time.Time) period {
	first := r.opening(at)
	for r.due(first).After(at) {
		first = r.back(first)
	}
	return r.closedBy(first)
}

// latestClosed is the period that closed last at the moment, whether its digest is due or not.
func (r rhythm) latestClosed(at time.Time) period { return r.closedBy(r.opening(at)) }

// closedBy is the period that ended where the period that opens on a date began.
func (r rhythm) closedBy(first date) period {
	before := r.back(first)
	p := period{Name: before.String(), Start: r.start(before), End: r.start(first), Due: r.due(first)}
	if r.Weekly {
		year, week := before.at(0).ISOWeek()
		p.Name = fmt.Sprintf("%04d-W%02d", year, week)
	}
	p.Expires = r.due(r.forth(first))
	return p
}

// opening is the first day of the period that holds the moment.
func (r rhythm) opening(at time.Time) date {
	y, m, d := at.In(r.Zone).Date()
	day := date{y, m, d}
	if at.Before(r.start(day)) {
		day = day.add(-1) // an hour past midnight that the clock went back into the day before
	}
	if r.Weekly {
		day = day.add(-(isoWeekday(day) - 1))
	}
	return day
}

// back is the first day of the period before; a day that the zone skipped is none.
func (r rhythm) back(first date) date {
	if r.Weekly {
		return first.add(-7)
	}
	before := first.add(-1)
	for r.start(before).Equal(r.start(first)) {
		before = before.add(-1)
	}
	return before
}

func (r rhythm) forth(first date) date {
	if r.Weekly {
		return first.add(7)
	}
	after := first.add(1)
	for r.start(after).Equal(r.start(after.add(1))) {
		after = after.add(1)
	}
	return after
}

// start is when a day begins for good: where the clock goes back over midnight, the second time.
func (r rhythm) start(d date) time.Time {
	_, last := crossings(r.Zone, d.at(0))
	return last
}

// due is when the digest goes out that is about the period before the one that opens on a date: the first moment of the hour, or the next there is where the clock
// skips it, and never before the period is over.
func (r rhythm) due(first date) time.Time {
	day := first
	if r.Weekly {
		day = first.add(r.Weekday - 1)
	}
	due, _ := crossings(r.Zone, day.at(r.Hour))
	if start := r.start(first); due.Before(start) {
		return start
	}
	return due
}

// crossings are the first and the last moment at which a zone's clock passes, or jumps over, a time of day; civil holds it as if it were UTC. They differ where
// the clock goes back.
func crossings(zone *time.Location, civil time.Time) (first, last time.Time) {
	// No zone is further from UTC than 15 hours 13 minutes, and none ever jumped by more than a day.
	t, until := civil.Add(-40*time.Hour), civil.Add(40*time.Hour)
	before := clock(zone, t)
	for t.Before(until) {
		begin := clock(zone, t)
		_, end := t.In(zone).ZoneBounds()
		if end.IsZero() || end.After(until) {
			end = until
		}
		crossing := t.Add(civil.Sub(begin))
		if !begin.Before(civil) {
			crossing = t // jumped over, if not passed earlier
		}
		if (begin.Before(civil) || !before.After(civil)) && crossing.Before(end) {
			if first.IsZero() {
				first = crossing
			}
			last = crossing
		}
		before = begin.Add(end.Sub(t))
		t = end
	}
	return first, last
}

// clock is what the zone's clock shows at a moment, as if it were UTC.
func clock(zone *time.Location, t time.Time) time.Time {
	_, offset := t.In(zone).Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// A date is a day of the calendar.
type date struct {
	year  int
	month time.Month
	day   int
}

func (d date) at(hour int) time.Time {
	return time.Date(d.year, d.month, d.day, hour, 0, 0, 0, time.UTC)
}

func (d date) add(days int) date {
	y, m, day := d.at(0).AddDate(0, 0, days).Date()
	return date{y, m, day}
}

func (d date) String() string { return d.at(0).Format(time.DateOnly) }

func isoWeekday(d date) int { return (int(d.at(0).Weekday())+6)%7 + 1 }

// describePeriod names a period for people: "Friday, 20 November 2026", "16 to 22 November 2026".
func describePeriod(frequency db.DigestFrequency, name string) string {
	if frequency == db.DigestFrequencyDaily {
		day, err := time.Parse(time.DateOnly, name)
		if err != nil {
			return name
		}
		return day.Format("Monday, 2 January 2006")
	}
	var year, week int
	if _, err := fmt.Sscanf(name, "%04d-W%02d", &year, &week); err != nil {
		return name
	}
	// The week that holds 4 January is the first (ISO 8601).
	fourth := date{year, time.January, 4}
	monday := fourth.add(1 - isoWeekday(fourth) + 7*(week-1))
	sunday := monday.add(6)
	switch {
	case monday.year != sunday.year:
		return fmt.Sprintf("%s to %s", monday.at(0).Format("2 January 2006"), sunday.at(0).Format("2 January 2006"))
	case monday.month != sunday.month:
		return fmt.Sprintf("%s to %s", monday.at(0).Format("2 January"), sunday.at(0).Format("2 January 2006"))
	}
	return fmt.Sprintf("%d to %s", monday.day, sunday.at(0).Format("2 January 2006"))
}
