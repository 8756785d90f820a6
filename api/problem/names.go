package problem

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// CheckQuery rejects a query that has another parameter than those named: what a client means by it would be
// ignored.
func CheckQuery(r *http.Request, names ...string) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return Invalid("query", "The query of the address is not well-formed: escape the values of its parameters.")
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(names, name) {
			return unknown("parameter", name, names)
		}
	}
	return nil
}

// maxNameBytes is the longest unknown name that an error repeats.
const maxNameBytes = 64

// UnknownField is the response to a request with a field that it does not have.
func UnknownField(name string, names []string) *Error { return unknown("field", name, names) }

// unknown is the response to a request with a parameter or field that it does not have. It names the nearest
// one or, if none is near, all.
func unknown(kind, name string, names []string) *Error {
	if len(name) > maxNameBytes {
		name = strings.ToValidUTF8(name[:maxNameBytes], "") + "…"
	}
	text := fmt.Sprintf("%s is not a %s of this request", name, kind)
	switch near := nearest(name, names); {
	case near != "":
		text += "; " + near + " is."
	case len(names) > 0:
		text += ". It has: " + strings.Join(names, ", ") + "."
	default:
		text += ", which has none."
	}
	return Invalid(name, text)
}

// nearest returns the name that somebody who wrote another one most likely meant, or "".
func nearest(name string, names []string) (near string) {
	best := 3 // a name with more mistakes is another one
	for _, candidate := range names {
		if d := distance(folded(name), folded(candidate)); d < best && d < len(candidate)/2 {
			near, best = candidate, d
		}
	}
	return near
}

// folded makes names of different styles equal.
func folded(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
}

// distance is the number of bytes to insert, delete or replace.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			next := diagonal
			if a[i] != b[j] {
				next = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
