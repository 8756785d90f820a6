package sqlgen

import (
	"math"
	"strconv"

	"research/api/rest/plan"
)

// OverflowRoutine is the function of PostgreSQL whose error means that rows are larger than their answer may
// be.
const OverflowRoutine = "float_overflow_error"

// bounded returns an aggregate that fails as soon as the rows it has read are larger than most bytes, instead
// of when PostgreSQL has made the whole text of them. The sizes are added as fractions of the largest number
// of type real, so that the sum overflows: no function of ours need exist in the database. used is the size
// of what exists beside the rows; it may be empty.
func bounded(aggregate, rows, used string, most int64) string {
	if most == 0 {
		return aggregate
	}
	return "case when coalesce(sum(" + sizeSQL(rows, most) + "), 0)" + used + " >= 0 then " + aggregate + " end"
}

// sizeSQL is the size of a value. The values of most bytes add up to the largest real.
func sizeSQL(value string, most int64) string {
	unit := strconv.FormatFloat(math.MaxFloat32/float64(most), 'e', 6, 64)
	return "pg_column_size(" + value + ")::real * '" + unit + "'::real"
}

// boundedList is the list of an embedded selection's rows, or another aggregate of them. A list within the
// row of another list may have half of its size, so that all lists which PostgreSQL makes at the same time
// have twice the size of an answer at most. Lists in the same row share what one may have.
func (b *builder) boundedList(e *plan.Selection, aggregate string) string {
	most := b.most
	for s := e; s != nil && s.Relationship != nil; s = s.Parent {
		if !s.Relationship.ToOne() {
			most /= 2
		}
	}
	if b.most > 0 {
		most = max(most, 1)
	}
	used := ""
	for s := e; most > 0 && s.Parent != nil; s = s.Parent {
		for _, before := range s.Parent.Embeds {
			if before == s {
				break
			}
			if value := listsOf(before); value != "" {
				used += " + coalesce(" + sizeSQL(value, most) + ", 0)"
			}
		}
	}
	return bounded(aggregate, quote(e.Join), used, most)
}

// listsOf is the value of an embedded selection that contains lists, or "".
func listsOf(e *plan.Selection) string {
	switch {
	case !e.Relationship.ToOne():
		return quote(e.Join) + "." + quote(e.Join)
	case hasLists(e):
		return quote(e.Join)
	}
	return ""
}

func hasLists(s *plan.Selection) bool {
	for _, e := range s.Embeds {
		if !e.Relationship.ToOne() || hasLists(e) {
			return true
		}
	}
	return false
}
