package digest

import "time"

// A Calendar finds the period of each of many members at one moment. Members share few combinations of zone,
// hour and weekday, so each is computed once. It is not safe for concurrent use.
type Calendar struct {
	weekly bool
	choose func(Schedule) Period
	cached map[preference]Period
}

// A preference is a Schedule as the database has it.
type preference struct {
	zone          string
	hour, weekday int16
}

// DueBy returns a calendar of the periods whose digests became due last, at or before the given time.
func DueBy(at time.Time, weekly bool) *Calendar {
	return newCalendar(weekly, func(s Schedule) Period { return s.LatestDue(at) })
}

// ClosedBy returns a calendar of the periods that ended last, at or before the given time.
func ClosedBy(at time.Time, weekly bool) *Calendar {
	return newCalendar(weekly, func(s Schedule) Period { return s.LatestClosed(at) })
}

// RunningAt returns a calendar of the periods that contain the given time.
func RunningAt(at time.Time, weekly bool) *Calendar {
	return newCalendar(weekly, func(s Schedule) Period { return s.Running(at) })
}

func newCalendar(weekly bool, choose func(Schedule) Period) *Calendar {
	return &Calendar{weekly: weekly, choose: choose, cached: map[preference]Period{}}
}

// Period returns the period of a member with this IANA zone, local hour and ISO weekday. A zone that is
// unknown here, because the zone files of PostgreSQL are newer, counts as UTC.
func (c *Calendar) Period(zone string, hour, weekday int16) Period {
	key := preference{zone, hour, weekday}
	if p, cached := c.cached[key]; cached {
		return p
	}
	p := c.choose(Schedule{Zone: location(zone), Weekly: c.weekly, Hour: int(hour), Weekday: int(weekday)})
	c.cached[key] = p
	return p
}
