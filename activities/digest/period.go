package digest

import (
	"fmt"
	"time"
	_ "time/tzdata" // for machines without zone files
)

// A Schedule is when a member wants digests.
type Schedule struct {
	Zone    *time.Location
	Weekly  bool
	Hour    int // 0 to 23, local time
	Weekday int // 1 (Monday) to 7, as in ISO 8601; used only by weekly digests
}

// A Period is a day or an ISO week in one time zone: what a digest is about if the one before was sent.
// Consecutive periods touch and never overlap, whatever the clocks of the zone do.
type Period struct {
	Name    string    // 2026-11-20 or 2026-W47
	Start   time.Time // inclusive
	End     time.Time // exclusive
	Due     time.Time // when its digest is sent
	Expires time.Time // when the digest of the next period is sent

	// Earliest is WindowDays before the end. News that is older is not sent, even if no digest had it.
	Earliest time.Time
}

// WindowDays is how many days, by the member's calendar, a digest covers at most. A digest also has the news
// since the last one that was sent: after an outage or a pause, or when the member's calendar changed. Two
// weeks are a weekly digest and one that could not be sent.
const WindowDays = 14

// LatestDue returns the period whose digest became due last, at or before the given time. There always is
// one, so that a missed tick loses nothing.
func (s Schedule) LatestDue(at time.Time) Period {
	first := s.firstDayOfPeriod(at)
	for s.dueAfter(first).After(at) {
		first = s.previous(first)
	}
	return s.periodBefore(first)
}

// LatestClosed returns the period that ended last, at or before the given time. Its digest need not be due.
func (s Schedule) LatestClosed(at time.Time) Period { return s.periodBefore(s.firstDayOfPeriod(at)) }

// Running returns the period that contains the given time.
func (s Schedule) Running(at time.Time) Period { return s.periodBefore(s.next(s.firstDayOfPeriod(at))) }

// periodBefore returns the period that ends where the period with the given first day begins.
func (s Schedule) periodBefore(first date) Period {
	before := s.previous(first)
	p := Period{
		Name:    before.String(),
		Start:   s.midnight(before),
		End:     s.midnight(first),
		Due:     s.dueAfter(first),
		Expires: s.dueAfter(s.next(first)),

		Earliest: s.midnight(first.add(-WindowDays)),
	}
	if s.Weekly {
		year, week := before.at(0).ISOWeek()
		p.Name = fmt.Sprintf("%04d-W%02d", year, week)
	}
	return p
}

// firstDayOfPeriod returns the first day of the period that contains the given time.
func (s Schedule) firstDayOfPeriod(at time.Time) date {
	y, m, d := at.In(s.Zone).Date()
	day := date{y, m, d}
	if at.Before(s.midnight(day)) {
		// The clock has reached midnight and is about to go back over it.
		day = day.add(-1)
	}
	if s.Weekly {
		day = day.add(1 - day.isoWeekday())
	}
	return day
}

// previous returns the first day of the period before. A day that the zone skipped does not count.
func (s Schedule) previous(first date) date {
	if s.Weekly {
		return first.add(-7)
	}
	before := first.add(-1)
	for s.midnight(before).Equal(s.midnight(first)) {
		before = before.add(-1)
	}
	return before
}

// next returns the first day of the period after. A day that the zone skipped does not count.
func (s Schedule) next(first date) date {
	if s.Weekly {
		return first.add(7)
	}
	after := first.add(1)
	for s.midnight(after).Equal(s.midnight(after.add(1))) {
		after = after.add(1)
	}
	return after
}

// midnight returns when a day begins. If the clock goes back over midnight, this is the second midnight.
func (s Schedule) midnight(d date) time.Time {
	_, last := crossings(s.Zone, d.at(0))
	return last
}

// dueAfter returns when the digest is due that is about the period before the given first day. If the clock
// skips the hour, this is the next moment that exists; if the hour comes twice, the first. It is never before
// the period is over.
func (s Schedule) dueAfter(first date) time.Time {
	day := first
	if s.Weekly {
		day = first.add(s.Weekday - 1)
	}
	due, _ := crossings(s.Zone, day.at(s.Hour))
	if end := s.midnight(first); due.Before(end) {
		return end
	}
	return due
}

// crossings returns the first and the last moment at which the clock of a zone reaches, or jumps over, a
// local time, which is given as if it were UTC. The two differ if the clock goes back.
func crossings(zone *time.Location, local time.Time) (first, last time.Time) {
	// No zone is more than 15 h 13 min from UTC, and none has ever jumped by more than a day.
	t, until := local.Add(-40*time.Hour), local.Add(40*time.Hour)
	before := clock(zone, t)
	for t.Before(until) {
		begin := clock(zone, t)
		_, end := t.In(zone).ZoneBounds()
		if end.IsZero() || end.After(until) {
			end = until
		}
		crossing := t.Add(local.Sub(begin))
		if !begin.Before(local) {
			crossing = t // jumped over, unless it was reached earlier
		}
		if (begin.Before(local) || !before.After(local)) && crossing.Before(end) {
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

// clock returns what the clock of a zone shows at a moment, as if it were UTC.
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

// isoWeekday returns 1 for Monday to 7 for Sunday.
func (d date) isoWeekday() int { return (int(d.at(0).Weekday())+6)%7 + 1 }

func (d date) String() string { return d.at(0).Format(time.DateOnly) }
