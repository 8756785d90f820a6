package query

import "fmt"

// PostgreSQL checks for cancel requests and timeouts between rows. What it does with one row is bounded here,
// together with the lengths of the values that the database stores.
const (
	maxFields   = 500 // selected, in all resources
	maxCasts    = 50  // of selected fields
	maxOrder    = 50  // terms, in all resources
	maxFilters  = 300 // and groups of filters, in all resources
	maxSearches = 20  // filters by a pattern or by full text search
	maxPath     = 20  // steps into the JSON of a column
	// maxPatternBytes bounds all patterns together: a pattern is compared at each position of a text.
	maxPatternBytes = 500
	// maxOperandBytes bounds all arrays, JSON, ranges and searches together: each part of one is compared with
	// each part of a value.
	maxOperandBytes = 8 << 10
	// maxRows is of a body. An empty object is three bytes of a body, and a thousand times as much in memory.
	maxRows = 20_000
)

// An amount is how much of what is bounded a request has.
type amount struct{ fields, casts, order, filters, searches, path, pattern, operand int }

// checkBounds rejects a request that asks for more than PostgreSQL can do at once.
func (r *Request) checkBounds() error {
	var a amount
	a.addResource(r.Root)
	for _, bound := range []struct {
		got, most int
		what      string
	}{
		{a.fields, maxFields, "The request selects more than %d columns"},
		{a.casts, maxCasts, "The request casts more than %d columns"},
		{a.order, maxOrder, "The request sorts by more than %d columns"},
		{a.filters, maxFilters, "The request has more than %d filters"},
		{a.searches, maxSearches, "The request has more than %d patterns and full text searches"},
		{a.path, maxPath, "A path into JSON has more than %d steps"},
		{a.pattern, maxPatternBytes, "The patterns of the request have more than %d bytes"},
		{a.operand, maxOperandBytes, "The arrays, JSON, ranges and searches in filters have more than %d bytes"},
	} {
		if bound.got > bound.most {
			return newError(CodeSyntax, fmt.Sprintf(bound.what, bound.most))
		}
	}
	return nil
}

func (a *amount) addResource(r *Resource) {
	a.fields += len(r.Fields)
	a.order += len(r.Order)
	for _, f := range r.Fields {
		a.path = max(a.path, len(f.Path))
		if !f.Cast.IsZero() || !f.AggregateCast.IsZero() {
			a.casts++
		}
	}
	for _, o := range r.Order {
		a.path = max(a.path, len(o.Column.Path))
	}
	a.addCondition(r.Filter)
	for _, embedded := range r.Embeds {
		a.addResource(embedded)
	}
}

func (a *amount) addCondition(c Condition) {
	a.filters += len(c.Parts)
	for _, part := range c.Parts {
		a.addCondition(part)
	}
	f := c.Filter
	if f == nil {
		return
	}
	a.path = max(a.path, len(f.Column.Path))
	switch f.Operator {
	case OperatorLike, OperatorILike, "match", "imatch":
		a.searches++
		a.pattern += len(f.Value)
	case "cs", "cd", "ov", "sl", "sr", "nxr", "nxl", "adj":
		a.operand += len(f.Value)
	case "fts", "plfts", "phfts", "wfts":
		a.searches++
		a.operand += len(f.Value)
	}
}

// checkRows rejects a body with more rows than PostgreSQL can keep in memory. It counts the objects within an
// array of JSON without reading them.
func checkRows(raw []byte) error {
	depth, rows, inString := 0, 0, false
	for i := 0; i < len(raw) && rows <= maxRows; i++ {
		switch c := raw[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth == 1 {
				rows++
			}
			depth++
		case c == '}' || c == ']':
			depth--
		}
	}
	if rows > maxRows {
		return tooManyRows()
	}
	return nil
}

func tooManyRows() error {
	return invalidBody(fmt.Sprintf("The body has more than %d rows", maxRows))
}
