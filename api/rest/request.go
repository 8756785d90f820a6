package rest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A request is what a client asks, read but not yet checked against the schema.
type request struct {
	method   string
	table    string // or
	function string
	schema   string

	root       node     // what is selected, filtered and ordered
	columns    []string // ?columns=
	onConflict []string // ?on_conflict=
	arguments  []argument
	prefer     preferences
	accept     []mediaType
	rows       window // of Range and of limit and offset together
	body       []byte
	bodyType   string
	query      string // canonical, for Content-Location
	headers    http.Header
	path       string
	profiled   bool // the client named a schema
	resolves   bool // an insert has keys by which rows can be told to be there already
}

// An argument is a query parameter of a function called by GET.
type argument struct{ name, value string }

// A node is a resource: the one that is asked for, or one that is embedded in it.
type node struct {
	name     string // of the relation, the foreign key, or the column
	alias    string
	hint     string
	inner    bool // !inner
	left     bool // !left
	spread   bool
	children []*node
	filter   condition
	order    []orderTerm
	limit    *int64
	offset   int64
	items    []any // *field or *node, in the order of ?select=
}

// key is how filters name an embedded resource.
func (n *node) key() string {
	if n.alias != "" {
		return n.alias
	}
	return n.name
}

// A field is a selected column.
type field struct {
	column
	alias     string
	cast      string
	aggregate string // sum, avg, count, max, min
	aggCast   string
}

// A column is a name with a path into its JSON.
type column struct {
	name string
	path []step
}

// A step of a JSON path: ->key, ->0, ->>key.
type step struct {
	key    string
	index  bool
	asText bool
}

// A condition is a tree of filters.
type condition struct {
	negated bool
	any     bool // or; else and
	parts   []condition
	filter  *filter // a leaf
}

func (c condition) empty() bool { return c.filter == nil && len(c.parts) == 0 }

// fixes tells whether the condition gives a column one value.
func (c condition) fixes(column string) bool {
	if f := c.filter; f != nil {
		return !c.negated && !f.negated && f.operator == "eq" && f.quantity == "" && f.column.name == column && len(f.column.path) == 0
	}
	return !c.negated && !c.any && slices.ContainsFunc(c.parts, func(part condition) bool { return part.fixes(column) })
}

// A filter compares a column.
type filter struct {
	column   column
	negated  bool
	operator string
	quantity string // any, all
	language string // of a full text search
	value    string
	list     []string // of in
}

// An orderTerm sorts by a column, of an embedded resource where relation is given.
type orderTerm struct {
	column    column
	relation  string
	direction string // asc, desc
	nulls     string // first, last
}

// A window is a range of rows.
type window struct {
	offset int64
	limit  *int64
	ranged bool // by the Range header
	capped bool // limit is ours: the client asked for more, or for all
}

// The operators that compare a column with a value: their SQL. To add one, add it here.
var operators = map[string]string{
	"eq": "=", "gte": ">=", "gt": ">", "lte": "<=", "lt": "<", "neq": "<>", "like": "like", "ilike": "ilike", "match": "~", "imatch": "~*",
	"cs": "@>", "cd": "<@", "ov": "&&", "sl": "<<", "sr": ">>", "nxr": "&<", "nxl": "&>", "adj": "-|-",
}

// quantified operators take (any) and (all).
var quantified = []string{"eq", "gte", "gt", "lte", "lt", "like", "ilike", "match", "imatch"}

// searches are the operators of full text search: the function that makes the query.
var searches = map[string]string{"fts": "to_tsquery", "plfts": "plainto_tsquery", "phfts": "phraseto_tsquery", "wfts": "websearch_to_tsquery"}

// A pair is a query parameter in the order given.
type pair struct{ key, value string }

// readPairs cuts a raw query. Unlike net/url it loses nothing: ";" is a character like any other.
func readPairs(raw string) ([]pair, error) {
	var pairs []pair
	for _, part := range strings.Split(raw, "&") {
		if part == "" {
			continue
		}
		key, value, _ := strings.Cut(part, "=")
		k, v := unescape(key), unescape(value)
		if strings.ContainsRune(k, 0) || strings.ContainsRune(v, 0) || !utf8.ValidString(k) || !utf8.ValidString(v) {
			return nil, failure(http.StatusBadRequest, "PGRST100", "The query string is not well-formed").with("It must be UTF-8 without a zero byte.", nil)
		}
		pairs = append(pairs, pair{k, v})
	}
	return pairs, nil
}

// unescape decodes %xx and "+"; a percent sign that begins no escape is one.
func unescape(s string) string {
	if !strings.ContainsAny(s, "%+") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		if s[i] == '+' {
			b.WriteByte(' ')
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// readQuery fills the request from the query string.
func (q *request) readQuery(raw string, rpcRead bool) error {
	pairs, err := readPairs(raw)
	if err != nil {
		return err
	}
	canonical := slices.Clone(pairs)
	slices.SortStableFunc(canonical, func(a, b pair) int { return strings.Compare(a.key, b.key) })
	var parts []string
	for _, p := range canonical {
		parts = append(parts, encodeQuery(p.key)+"="+encodeQuery(p.value))
	}
	q.query = strings.Join(parts, "&")

	// select first: it makes the tree that the other parameters name.
	selects := "*"
	for _, p := range pairs {
		if p.key == "select" {
			selects = p.value
		}
	}
	if selects == "" {
		selects = "*"
	}
	if err := parseSelect(selects, &q.root); err != nil {
		return err
	}
	for _, p := range pairs {
		path, last := splitPath(p.key)
		switch {
		case p.key == "select":
		case p.key == "columns":
			if q.columns, err = parseColumns("columns parameter", p.value); err != nil {
				return err
			}
		case p.key == "on_conflict":
			if q.onConflict, err = parseColumns("on_conflict parameter", p.value); err != nil {
				return err
			}
		case last == "order", last == "limit", last == "offset", last == "and", last == "or":
			err = q.readModifier(p, path, last)
		default:
			err = q.readFilter(p, path, last, rpcRead)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func encodeQuery(s string) string {
	return strings.ReplaceAll(url.QueryEscape(s), "+", "%20")
}

// splitPath cuts `a.b.column` at its points, but not within quotes.
func splitPath(key string) (path []string, last string) {
	var parts []string
	s := scanner{text: key}
	start := 0
	for !s.done() {
		switch s.peek() {
		case '"':
			_, _ = s.quoted() // an open quote is the filter's problem
		case '.':
			parts = append(parts, strings.Trim(key[start:s.at], `"`))
			s.at++
			start = s.at
		default:
			s.at++
		}
	}
	return parts, key[start:]
}

// readModifier reads order, limit, offset, and, or: of the root, or of what the path names.
func (q *request) readModifier(p pair, path []string, last string) error {
	negated := false
	if (last == "and" || last == "or") && len(path) > 0 && path[len(path)-1] == "not" {
		negated, path = true, path[:len(path)-1]
	}
	n, err := q.find(path)
	if err != nil {
		return err
	}
	switch last {
	case "order":
		if n.order, err = parseOrder(p.value); err != nil {
			return err
		}
	case "limit", "offset":
		number, err := strconv.ParseInt(p.value, 10, 64)
		if err != nil {
			return nil // PostgREST ignores what is no number
		}
		if last == "limit" {
			n.limit = &number
		} else {
			n.offset = number
		}
	default:
		tree, err := parseLogic(p.value, last == "or", negated)
		if err != nil {
			return err
		}
		n.filter.parts = append(n.filter.parts, tree)
	}
	return nil
}

func (q *request) readFilter(p pair, path []string, last string, rpcRead bool) error {
	col, err := parseColumn(last)
	if err != nil {
		if rpcRead {
			q.arguments = append(q.arguments, argument{p.key, p.value})
			return nil
		}
		return err
	}
	f, err := parseOperation(p.value)
	if err != nil {
		if rpcRead && len(path) == 0 {
			q.arguments = append(q.arguments, argument{p.key, p.value})
			return nil
		}
		return err
	}
	f.column = col
	n, err := q.find(path)
	if err != nil {
		return err
	}
	n.filter.parts = append(n.filter.parts, condition{filter: &f})
	return nil
}

// find follows the path of embedded resources.
func (q *request) find(path []string) (*node, error) {
	n := &q.root
	for _, name := range path {
		var next *node
		for _, c := range n.children {
			if c.key() == name {
				next = c
				break
			}
		}
		if next == nil {
			for _, c := range n.children {
				if c.name == name { // it has an alias, which must be used
					return nil, failure(http.StatusBadRequest, "PGRST108", fmt.Sprintf("'%s' is not an embedded resource in this request", name)).
						with("Target names are not allowed in filters if they have an alias", fmt.Sprintf("Change '%s' to '%s' in filters, orders or limits.", name, c.alias))
				}
			}
			return nil, failure(http.StatusBadRequest, "PGRST108", fmt.Sprintf("'%s' is not an embedded resource in this request", name)).
				with(nil, fmt.Sprintf("Verify that '%s' is included in the 'select' query parameter.", name))
		}
		n = next
	}
	return n, nil
}
