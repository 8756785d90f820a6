package service

import (
	"encoding/json"
	"strconv"
	"time"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
)

// plausibleUnit returns the unit of the times of a list, by how many words a second they make of it: seconds
// or milliseconds. It returns the usual unit of the format if the list does not say.
func plausibleUnit(raw json.RawMessage, usual clock.Unit) clock.Unit {
	words, length := 0.0, 0.0
	first, last := -1.0, 0.0
	sample := clock.MaxSample
	Each(raw, func(s speechSegment) bool {
		if sample--; sample < 0 {
			return false
		}
		text := s.said()
		if text == "" && s.parts() != nil {
			return true // its parts have times of their own
		}
		start, declared := s.start()
		if declared {
			return false
		}
		from, err := strconv.ParseFloat(start.text, 64)
		if err != nil {
			return true
		}
		words += plain.CountWords(text)
		if first < 0 {
			first = from
		}
		last = max(last, from)
		if to, err := strconv.ParseFloat(s.end().text, 64); err == nil && to > from {
			length += to - from
		}
		return true
	})
	if length == 0 {
		length = last - first
	}
	return clock.UnitByRate(words, length, usual)
}

// Numbers from these on are not the times of a recording, but seconds or milliseconds since 1970.
const (
	firstUnixSecond      = 1e9  // in 2001
	firstUnixMillisecond = 1e12 // the same instant
)

// instant reads an instant as RFC 3339 has it, or in seconds or milliseconds since 1970.
func instant(text string) (at time.Time, ok bool) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, true
	}
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil, !(n >= firstUnixSecond && n < firstUnixMillisecond*10):
		return time.Time{}, false
	case n < firstUnixMillisecond:
		n *= 1000
	}
	return time.UnixMilli(int64(n)), true
}

// sinceFirst reads instants as the time since the first one, and other times in the unit.
func sinceFirst(unit clock.Unit) clock.Unit {
	var first time.Time
	return func(text string) (time.Duration, bool) {
		at, ok := instant(text)
		if !ok {
			return unit(text)
		}
		if first.IsZero() {
			first = at
		}
		return clock.FromChatSeconds(max(0, at.Sub(first)).Seconds())
	}
}
