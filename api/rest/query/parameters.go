package query

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A pair is a parameter of a query string.
type pair struct{ key, value string }

// parsePairs splits a query string. Unlike net/url, it treats ";" as an ordinary character, so that no filter
// is lost.
func parsePairs(raw string) ([]pair, error) {
	var pairs []pair
	for part := range strings.SplitSeq(raw, "&") {
		if part == "" {
			continue
		}
		key, value, _ := strings.Cut(part, "=")
		p := pair{unescape(key), unescape(value)}
		for _, text := range []string{p.key, p.value} {
			if strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
				return nil, newError(CodeSyntax, "The query string is not well-formed").
					with("It must be UTF-8 without a zero byte.", "")
			}
		}
		pairs = append(pairs, p)
	}
	return pairs, nil
}

// unescape decodes %xx and "+". A percent sign that does not begin an escape is kept.
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

// Escape encodes a name or value of a query string.
func Escape(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// canonical writes the parameters sorted by name.
func canonical(pairs []pair) string {
	sorted := slices.Clone(pairs)
	slices.SortStableFunc(sorted, func(a, b pair) int { return strings.Compare(a.key, b.key) })
	var parts []string
	for _, p := range sorted {
		parts = append(parts, Escape(p.key)+"="+Escape(p.value))
	}
	return strings.Join(parts, "&")
}

// parseParameters reads the query string.
func (r *Request) parseParameters(raw string) error {
	pairs, err := parsePairs(raw)
	if err != nil {
		return err
	}
	r.Canonical = canonical(pairs)

	// select is first, since the other parameters refer to the resources in it. The last one counts.
	selected := ""
	for _, p := range pairs {
		if p.key == "select" {
			selected = p.value
		}
	}
	if selected == "" {
		selected = Star
	}
	if err := parseSelect(selected, r.Root); err != nil {
		return err
	}
	for _, p := range pairs {
		if err := r.parseParameter(p); err != nil {
			return err
		}
	}
	return r.checkBounds()
}

func (r *Request) parseParameter(p pair) (err error) {
	switch p.key {
	case "select":
		return nil
	case "columns":
		r.Columns, err = parseColumns("columns parameter", p.value)
		return err
	case "on_conflict":
		r.OnConflict, err = parseColumns("on_conflict parameter", p.value)
		return err
	}
	path, last := splitPath(p.key)
	switch last {
	case "order", "limit", "offset":
		return r.parsePaging(p.value, path, last)
	case "and", "or":
		return r.parseTree(p.value, path, last)
	}
	return r.parseFilter(p, path, last)
}

// splitPath splits a.b.column at its dots, but not within quotes.
func splitPath(key string) (path []string, last string) {
	s := scanner{text: key}
	start := 0
	for !s.done() {
		switch s.peek() {
		case '"':
			_, _ = s.quoted() // the filter fails at quotes that are not closed
		case '.':
			path = append(path, strings.Trim(key[start:s.at], `"`))
			s.at++
			start = s.at
		default:
			s.at++
		}
	}
	return path, key[start:]
}

// parsePaging reads order, limit or offset of the resource that the path names.
func (r *Request) parsePaging(value string, path []string, name string) error {
	resource, err := r.find(path)
	if err != nil {
		return err
	}
	if name == "order" {
		resource.Order, err = parseOrder(value)
		return err
	}
	number, err := strconv.ParseInt(value, 10, 64)
	switch {
	case err != nil: // PostgREST ignores values that are not numbers
	case name == "limit":
		resource.Limit = &number
	default:
		resource.Offset = number
	}
	return nil
}

// parseTree reads and, or, not.and or not.or of the resource that the path names.
func (r *Request) parseTree(value string, path []string, name string) error {
	negated := len(path) > 0 && path[len(path)-1] == "not"
	if negated {
		path = path[:len(path)-1]
	}
	resource, err := r.find(path)
	if err != nil {
		return err
	}
	tree, err := parseLogic(value, name == "or", negated)
	if err != nil {
		return err
	}
	resource.Filter.Parts = append(resource.Filter.Parts, tree)
	return nil
}

// parseFilter reads column=operator.value of the resource that the path names. For a function that is called
// by GET, a parameter that is not a filter is an argument.
func (r *Request) parseFilter(p pair, path []string, name string) error {
	callable := r.Target.Kind == TargetFunction && r.Reads()
	column, err := parseColumn(name)
	if err != nil {
		if callable {
			r.Arguments = append(r.Arguments, Argument{p.key, p.value})
			return nil
		}
		return err
	}
	filter, err := parseOperation(p.value)
	if err != nil {
		if callable && len(path) == 0 {
			r.Arguments = append(r.Arguments, Argument{p.key, p.value})
			return nil
		}
		return err
	}
	filter.Column = column
	resource, err := r.find(path)
	if err != nil {
		return err
	}
	resource.Filter.Parts = append(resource.Filter.Parts, Condition{Filter: &filter})
	return nil
}

// find follows a path of embedded resources from the root.
func (r *Request) find(path []string) (*Resource, error) {
	found := r.Root
	for _, name := range path {
		i := slices.IndexFunc(found.Embeds, func(e *Resource) bool { return e.Key() == name })
		if i < 0 {
			return nil, notEmbedded(found, name)
		}
		found = found.Embeds[i]
	}
	return found, nil
}

func notEmbedded(in *Resource, name string) error {
	e := newError(CodeNotEmbedded, fmt.Sprintf("'%s' is not an embedded resource in this request", name))
	i := slices.IndexFunc(in.Embeds, func(e *Resource) bool { return e.Name == name })
	if i >= 0 { // it has an alias
		return e.with("Target names are not allowed in filters if they have an alias",
			fmt.Sprintf("Change '%s' to '%s' in filters, orders or limits.", name, in.Embeds[i].Alias))
	}
	return e.with(nil, fmt.Sprintf("Verify that '%s' is included in the 'select' query parameter.", name))
}
