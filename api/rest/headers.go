package rest

import (
	"math"
	"net/http"
	"strconv"
	"strings"
)

// preferences are what the Prefer header asks for (RFC 7240; https://docs.postgrest.org/en/stable/references/api/preferences.html).
type preferences struct {
	representation string // full, headers-only, minimal
	resolution     string // merge-duplicates, ignore-duplicates
	count          string // exact, planned, estimated
	transaction    string // commit, rollback
	missing        string // default, null
	handling       string // strict, lenient
	timezone       string
	maxAffected    *int64
	invalid        []string
}

func readPreferences(h http.Header) preferences {
	var p preferences
	set := func(into *string, value string) {
		if *into == "" {
			*into = value
		}
	}
	for _, line := range h.Values("Prefer") {
		for _, one := range strings.Split(line, ",") {
			one = strings.TrimSpace(one)
			name, value, _ := strings.Cut(one, "=")
			switch {
			case one == "return=representation":
				set(&p.representation, "full")
			case one == "return=headers-only", one == "return=minimal":
				set(&p.representation, value)
			case one == "resolution=merge-duplicates", one == "resolution=ignore-duplicates":
				set(&p.resolution, value)
			case one == "count=exact", one == "count=planned", one == "count=estimated":
				set(&p.count, value)
			case one == "tx=commit", one == "tx=rollback":
				set(&p.transaction, value)
			case one == "missing=default", one == "missing=null":
				set(&p.missing, value)
			case one == "handling=strict", one == "handling=lenient":
				set(&p.handling, value)
			case name == "timezone" && value != "":
				set(&p.timezone, value)
			case name == "max-affected":
				if n, err := strconv.ParseInt(value, 10, 64); err == nil && p.maxAffected == nil {
					p.maxAffected = &n
				}
			case one == "":
			default:
				p.invalid = append(p.invalid, one)
			}
		}
	}
	return p
}

// readRange reads `Range: 0-9` in units of rows; it counts for GET only (RFC 9110 §14.2).
func readRange(r *http.Request) (window, error) {
	var w window
	if r.Method != http.MethodGet {
		return w, nil
	}
	value := strings.TrimPrefix(r.Header.Get("Range"), "items=")
	from, to, ok := strings.Cut(value, "-")
	if !ok {
		return w, nil
	}
	start, err := strconv.ParseInt(from, 10, 64)
	if err != nil || start < 0 {
		return w, nil // what is no range of ours is ignored
	}
	w.offset, w.ranged = start, true
	if to == "" {
		return w, nil
	}
	end, err := strconv.ParseInt(to, 10, 64)
	if err != nil {
		return window{}, nil // as above
	}
	if end < start {
		return w, failure(http.StatusRequestedRangeNotSatisfiable, "PGRST103", "Requested range not satisfiable").
			with("The lower boundary must be lower than or equal to the upper boundary in the Range header.", nil)
	}
	n := plus(end-start, 1)
	w.limit = &n
	return w, nil
}

// plus adds what is not negative, up to the largest number there is.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// narrow intersects the range of the header with limit and offset, and both with the most rows that an answer has.
func (w window) narrow(limit *int64, offset int64, most int64) (window, error) {
	if limit != nil && *limit < 0 {
		return w, failure(http.StatusRequestedRangeNotSatisfiable, "PGRST103", "Requested range not satisfiable").with("Limit should be greater than or equal to zero.", nil)
	}
	start := max(w.offset, offset)
	var end *int64 // exclusive
	lower := func(e int64) {
		if end == nil || e < *end {
			end = &e
		}
	}
	if w.limit != nil {
		lower(plus(w.offset, *w.limit))
	}
	if limit != nil {
		lower(plus(offset, *limit))
	}
	out := window{offset: start, ranged: w.ranged}
	if end != nil {
		n := max(*end-start, 0)
		out.limit = &n
	}
	if most > 0 && (out.limit == nil || *out.limit > most) {
		out.limit, out.capped = &most, true
	}
	return out, nil
}
