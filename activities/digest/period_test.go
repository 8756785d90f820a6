package digest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	require.NoError(t, err)
	return z
}

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return at
}

func TestLatestDue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, zone, at  string
		weekly          bool
		hour, weekday   int
		period          string
		start, end, due string
		expires         string
	}{
		{
			name: "an ordinary day",
			zone: "Europe/Berlin", at: "2026-11-20T09:00:00+01:00", hour: 8,
			period: "2026-11-19", start: "2026-11-19T00:00:00+01:00", end: "2026-11-20T00:00:00+01:00",
			due: "2026-11-20T08:00:00+01:00", expires: "2026-11-21T08:00:00+01:00",
		},
		{
			name: "at the due time itself",
			zone: "Europe/Berlin", at: "2026-11-20T08:00:00+01:00", hour: 8,
			period: "2026-11-19", start: "2026-11-19T00:00:00+01:00", end: "2026-11-20T00:00:00+01:00",
			due: "2026-11-20T08:00:00+01:00", expires: "2026-11-21T08:00:00+01:00",
		},
		{
			name: "a second before the due time, the period before is the latest",
			zone: "Europe/Berlin", at: "2026-11-20T07:59:59+01:00", hour: 8,
			period: "2026-11-18", start: "2026-11-18T00:00:00+01:00", end: "2026-11-19T00:00:00+01:00",
			due: "2026-11-19T08:00:00+01:00", expires: "2026-11-20T08:00:00+01:00",
		},
		{
			name: "Berlin, a day of 23 hours because the clock goes forward",
			zone: "Europe/Berlin", at: "2026-03-30T08:00:00+02:00", hour: 8,
			period: "2026-03-29", start: "2026-03-29T00:00:00+01:00", end: "2026-03-30T00:00:00+02:00",
			due: "2026-03-30T08:00:00+02:00", expires: "2026-03-31T08:00:00+02:00",
		},
		{
			name: "Berlin, an hour that the clock skips is due at the next one",
			zone: "Europe/Berlin", at: "2026-03-29T03:00:00+02:00", hour: 2,
			period: "2026-03-28", start: "2026-03-28T00:00:00+01:00", end: "2026-03-29T00:00:00+01:00",
			due: "2026-03-29T03:00:00+02:00", expires: "2026-03-30T02:00:00+02:00",
		},
		{
			name: "Berlin, a day of 25 hours because the clock goes back",
			zone: "Europe/Berlin", at: "2026-10-26T08:30:00+01:00", hour: 8,
			period: "2026-10-25", start: "2026-10-25T00:00:00+02:00", end: "2026-10-26T00:00:00+01:00",
			due: "2026-10-26T08:00:00+01:00", expires: "2026-10-27T08:00:00+01:00",
		},
		{
			name: "Berlin, an hour that comes twice is due the first time",
			zone: "Europe/Berlin", at: "2026-10-25T02:30:00+01:00", hour: 2,
			period: "2026-10-24", start: "2026-10-24T00:00:00+02:00", end: "2026-10-25T00:00:00+02:00",
			due: "2026-10-25T02:00:00+02:00", expires: "2026-10-26T02:00:00+01:00",
		},
		{
			name: "New York, the day on which the clock goes back",
			zone: "America/New_York", at: "2026-11-01T09:00:00-05:00", hour: 9,
			period: "2026-10-31", start: "2026-10-31T00:00:00-04:00", end: "2026-11-01T00:00:00-04:00",
			due: "2026-11-01T09:00:00-05:00", expires: "2026-11-02T09:00:00-05:00",
		},
		{
			name: "Kolkata, half an hour off the full hour",
			zone: "Asia/Kolkata", at: "2026-11-20T03:00:00Z", hour: 8,
			period: "2026-11-19", start: "2026-11-18T18:30:00Z", end: "2026-11-19T18:30:00Z",
			due: "2026-11-20T02:30:00Z", expires: "2026-11-21T02:30:00Z",
		},
		{
			name: "Lord Howe, a day of 23.5 hours",
			zone: "Australia/Lord_Howe", at: "2026-10-05T08:00:00+11:00", hour: 8,
			period: "2026-10-04", start: "2026-10-04T00:00:00+10:30", end: "2026-10-05T00:00:00+11:00",
			due: "2026-10-05T08:00:00+11:00", expires: "2026-10-06T08:00:00+11:00",
		},
		{
			name: "Lord Howe, two o'clock is skipped, half past two is not",
			zone: "Australia/Lord_Howe", at: "2026-10-04T02:30:00+11:00", hour: 2,
			period: "2026-10-03", start: "2026-10-03T00:00:00+10:30", end: "2026-10-04T00:00:00+10:30",
			due: "2026-10-04T02:30:00+11:00", expires: "2026-10-05T02:00:00+11:00",
		},
		{
			name: "Lord Howe, a day of 24.5 hours",
			zone: "Australia/Lord_Howe", at: "2026-04-06T08:00:00+10:30", hour: 8,
			period: "2026-04-05", start: "2026-04-05T00:00:00+11:00", end: "2026-04-06T00:00:00+10:30",
			due: "2026-04-06T08:00:00+10:30", expires: "2026-04-07T08:00:00+10:30",
		},
		{
			name: "Apia, no 30 December 2011: the day before the 31st is the 29th",
			zone: "Pacific/Apia", at: "2011-12-31T08:00:00+14:00", hour: 8,
			period: "2011-12-29", start: "2011-12-29T00:00:00-10:00", end: "2011-12-31T00:00:00+14:00",
			due: "2011-12-31T08:00:00+14:00", expires: "2012-01-01T08:00:00+14:00",
		},
		{
			name: "Apia, the first hours after the skipped day",
			zone: "Pacific/Apia", at: "2011-12-31T03:00:00+14:00", hour: 8,
			period: "2011-12-28", start: "2011-12-28T00:00:00-10:00", end: "2011-12-29T00:00:00-10:00",
			due: "2011-12-29T08:00:00-10:00", expires: "2011-12-31T08:00:00+14:00",
		},
		{
			name: "Apia, a week of six days",
			zone: "Pacific/Apia", at: "2012-01-02T08:00:00+14:00", hour: 8, weekly: true, weekday: 1,
			period: "2011-W52", start: "2011-12-26T00:00:00-10:00", end: "2012-01-02T00:00:00+14:00",
			due: "2012-01-02T08:00:00+14:00", expires: "2012-01-09T08:00:00+14:00",
		},
		{
			name: "Apia, a skipped Friday is due when the next day begins",
			zone: "Pacific/Apia", at: "2011-12-31T00:00:00+14:00", hour: 8, weekly: true, weekday: 5,
			period: "2011-W51", start: "2011-12-19T00:00:00-10:00", end: "2011-12-26T00:00:00-10:00",
			due: "2011-12-31T00:00:00+14:00", expires: "2012-01-06T08:00:00+14:00",
		},
		{
			name: "Cairo, a midnight that the clock skips",
			zone: "Africa/Cairo", at: "2026-04-25T08:00:00+03:00", hour: 8,
			period: "2026-04-24", start: "2026-04-24T01:00:00+03:00", end: "2026-04-25T00:00:00+03:00",
			due: "2026-04-25T08:00:00+03:00", expires: "2026-04-26T08:00:00+03:00",
		},
		{
			name: "St. John's, a midnight that comes twice ends the day the second time",
			zone: "America/St_Johns", at: "2010-11-07T08:00:00-03:30", hour: 8,
			period: "2010-11-06", start: "2010-11-06T00:00:00-02:30", end: "2010-11-07T00:00:00-03:30",
			due: "2010-11-07T08:00:00-03:30", expires: "2010-11-08T08:00:00-03:30",
		},
		{
			name: "St. John's, the day is not over after the first midnight",
			zone: "America/St_Johns", at: "2010-11-07T00:00:30-02:30", hour: 0,
			period: "2010-11-05", start: "2010-11-05T00:00:00-02:30", end: "2010-11-06T00:00:00-02:30",
			due: "2010-11-06T00:00:00-02:30", expires: "2010-11-07T00:00:00-03:30",
		},
		{
			name: "a week",
			zone: "Europe/Berlin", at: "2026-11-16T08:00:00+01:00", hour: 8, weekly: true, weekday: 1,
			period: "2026-W46", start: "2026-11-09T00:00:00+01:00", end: "2026-11-16T00:00:00+01:00",
			due: "2026-11-16T08:00:00+01:00", expires: "2026-11-23T08:00:00+01:00",
		},
		{
			name: "a week, due on Friday",
			zone: "Europe/Berlin", at: "2026-11-20T17:59:59+01:00", hour: 18, weekly: true, weekday: 5,
			period: "2026-W45", start: "2026-11-02T00:00:00+01:00", end: "2026-11-09T00:00:00+01:00",
			due: "2026-11-13T18:00:00+01:00", expires: "2026-11-20T18:00:00+01:00",
		},
		{
			name: "a week, due on Sunday, after it is over",
			zone: "Asia/Kolkata", at: "2026-11-22T23:00:00+05:30", hour: 22, weekly: true, weekday: 7,
			period: "2026-W46", start: "2026-11-09T00:00:00+05:30", end: "2026-11-16T00:00:00+05:30",
			due: "2026-11-22T22:00:00+05:30", expires: "2026-11-29T22:00:00+05:30",
		},
		{
			name: "the week across New Year belongs to the old year",
			zone: "UTC", at: "2027-01-04T08:00:00Z", hour: 8, weekly: true, weekday: 1,
			period: "2026-W53", start: "2026-12-28T00:00:00Z", end: "2027-01-04T00:00:00Z",
			due: "2027-01-04T08:00:00Z", expires: "2027-01-11T08:00:00Z",
		},
		{
			name: "a week in which the clock changes",
			zone: "America/New_York", at: "2026-03-09T08:00:00-04:00", hour: 8, weekly: true, weekday: 1,
			period: "2026-W10", start: "2026-03-02T00:00:00-05:00", end: "2026-03-09T00:00:00-04:00",
			due: "2026-03-09T08:00:00-04:00", expires: "2026-03-16T08:00:00-04:00",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := Schedule{Zone: zone(t, c.zone), Weekly: c.weekly, Hour: c.hour, Weekday: c.weekday}
			p := s.LatestDue(moment(t, c.at))
			require.Equal(t, c.period, p.Name)
			for _, boundary := range []struct {
				name, want string
				got        time.Time
			}{
				{"start", c.start, p.Start},
				{"end", c.end, p.End},
				{"due", c.due, p.Due},
				{"expires", c.expires, p.Expires},
			} {
				require.True(t, moment(t, boundary.want).Equal(boundary.got), "%s: %s", boundary.name, boundary.got)
			}
		})
	}
}

// The spans have the changes of clocks that are hardest to get right.
func TestPeriodsAreContiguous(t *testing.T) {
	t.Parallel()
	for _, span := range []struct{ zone, from, until string }{
		{"Europe/Berlin", "2026-03-20T00:00:00Z", "2026-04-05T00:00:00Z"},
		{"Europe/Berlin", "2026-10-20T00:00:00Z", "2026-11-05T00:00:00Z"},
		{"America/New_York", "2026-03-01T00:00:00Z", "2026-03-20T00:00:00Z"},
		{"Asia/Kolkata", "2026-03-01T00:00:00Z", "2026-03-12T00:00:00Z"},
		{"Australia/Lord_Howe", "2026-09-28T00:00:00Z", "2026-10-12T00:00:00Z"},
		{"Australia/Lord_Howe", "2026-03-30T00:00:00Z", "2026-04-12T00:00:00Z"},
		{"Pacific/Apia", "2011-12-20T00:00:00Z", "2012-01-10T00:00:00Z"},
		{"America/St_Johns", "2010-11-01T00:00:00Z", "2010-11-14T00:00:00Z"},
		{"Africa/Cairo", "2026-04-18T00:00:00Z", "2026-05-02T00:00:00Z"},
		{"America/Havana", "2026-10-25T00:00:00Z", "2026-11-08T00:00:00Z"},
		{"Pacific/Kwajalein", "1993-08-15T00:00:00Z", "1993-08-28T00:00:00Z"},
		{"Asia/Manila", "1844-12-25T00:00:00Z", "1845-01-06T00:00:00Z"},
		{"America/Sao_Paulo", "2018-02-12T00:00:00Z", "2018-02-25T00:00:00Z"},
		{"America/Sao_Paulo", "2018-10-29T00:00:00Z", "2018-11-12T00:00:00Z"},
	} {
		for _, weekly := range []bool{false, true} {
			for _, hour := range []int{0, 2, 8, 23} {
				s := Schedule{Zone: zone(t, span.zone), Weekly: weekly, Hour: hour, Weekday: 1 + hour%7}
				name := fmt.Sprintf("%s from %s, weekly %t, at %d", span.zone, span.from[:10], weekly, hour)
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					requireContiguous(t, s, moment(t, span.from), moment(t, span.until))
				})
			}
		}
	}
}

// requireContiguous checks every half hour: one period is due, it closed before it was due, the windows
// touch, and each period is due exactly once.
func requireContiguous(t *testing.T, s Schedule, at, until time.Time) {
	t.Helper()
	last := s.LatestDue(at)
	for ; at.Before(until); at = at.Add(30 * time.Minute) {
		p := s.LatestDue(at)
		require.False(t, p.Due.After(at), at)
		require.True(t, p.Expires.After(at), at)
		require.False(t, p.Due.Before(p.End), at)
		require.True(t, p.Start.Before(p.End), at)
		if p.Name != last.Name {
			require.True(t, p.Start.Equal(last.End), "%s does not begin where %s ends", p.Name, last.Name)
			require.True(t, p.Due.Equal(last.Expires), "%s is not due where %s expires", p.Name, last.Name)
			last = p
		}
		require.False(t, s.LatestClosed(at).End.After(at), "a closed period has ended")
		current := s.Running(at)
		require.True(t, current.End.After(at), "the period after it has not")
	}
}

func TestEarliestIsTwoWeeksByTheCalendar(t *testing.T) {
	t.Parallel()
	s := Schedule{Zone: zone(t, "Europe/Berlin"), Hour: 8}
	p := s.LatestClosed(moment(t, "2026-11-01T08:00:00+01:00"))
	require.True(t, moment(t, "2026-10-18T00:00:00+02:00").Equal(p.Earliest), "two weeks and an hour")
	s.Weekly = true
	p = s.LatestClosed(moment(t, "2026-11-23T08:00:00+01:00"))
	require.True(t, moment(t, "2026-11-09T00:00:00+01:00").Equal(p.Earliest), "the week and the one before")
}

func TestWindowDescribe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ start, end, zone, want string }{
		{"2026-11-20T00:00:00Z", "2026-11-21T00:00:00Z", "UTC", "Friday, 20 November 2026"},
		{"2026-11-16T00:00:00Z", "2026-11-23T00:00:00Z", "UTC", "16 to 22 November 2026"},
		{"2026-11-30T00:00:00Z", "2026-12-07T00:00:00Z", "UTC", "30 November to 6 December 2026"},
		{"2026-12-28T00:00:00Z", "2027-01-04T00:00:00Z", "UTC", "28 December 2026 to 3 January 2027"},
		{"2026-11-20T03:00:00-08:00", "2026-11-22T00:00:00-08:00", "America/Los_Angeles", "20 to 21 November 2026"},
		{"2026-11-20T00:00:00Z", "2026-11-21T00:00:00Z", "Europe/Nowhere", "Friday, 20 November 2026"},
	} {
		w := Window{Start: moment(t, c.start), End: moment(t, c.end), Zone: c.zone}
		require.Equal(t, c.want, w.Describe())
	}
}
