package query

import (
	"math"
	"strconv"
	"strings"
)

// A Range is a range of rows. The zero value is all rows.
type Range struct {
	Offset int64
	Limit  *int64 // nil means no limit
}

// parseRange reads a Range header like 0-9, in units of rows. Like PostgREST it ignores other values.
func parseRange(header string) (Range, error) {
	from, to, ok := strings.Cut(strings.TrimPrefix(header, "items="), "-")
	if !ok {
		return Range{}, nil
	}
	start, err := strconv.ParseInt(from, 10, 64)
	if err != nil || start < 0 {
		return Range{}, nil
	}
	if to == "" {
		return Range{Offset: start}, nil
	}
	end, err := strconv.ParseInt(to, 10, 64)
	if err != nil {
		return Range{}, nil
	}
	if end < start {
		return Range{}, invalidRange(
			"The lower boundary must be lower than or equal to the upper boundary in the Range header.")
	}
	n := add(end-start, 1)
	return Range{Offset: start, Limit: &n}, nil
}

// Page returns the range of a Range header, narrowed by limit and offset.
func (r Range) Page(limit *int64, offset int64) (Range, error) {
	if limit != nil && *limit < 0 {
		return Range{}, invalidRange("Limit should be greater than or equal to zero.")
	}
	page := Range{Offset: max(r.Offset, offset)}
	end := int64(math.MaxInt64)
	if r.Limit != nil {
		end = min(end, add(r.Offset, *r.Limit))
	}
	if limit != nil {
		end = min(end, add(offset, *limit))
	}
	if r.Limit != nil || limit != nil {
		n := max(end-page.Offset, 0)
		page.Limit = &n
	}
	return page, nil
}

func invalidRange(details string) error {
	return newError(CodeInvalidRange, "Requested range not satisfiable").with(details, "")
}

// add adds numbers that are not negative, up to the largest number.
func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
