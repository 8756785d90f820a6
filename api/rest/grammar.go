package rest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A scanner reads a parameter from left to right.
type scanner struct {
	text   string
	at     int
	embeds int    // resources that are embedded so far
	wanted string // where the text stops being what it should: what that is, if it is known
}

func (s *scanner) done() bool { return s.at >= len(s.text) }

func (s *scanner) peek() byte {
	if s.done() {
		return 0
	}
	return s.text[s.at]
}

// take moves past a text if it is next.
func (s *scanner) take(text string) bool {
	if strings.HasPrefix(s.text[s.at:], text) {
		s.at += len(text)
		return true
	}
	return false
}

// quoted reads "…" with \" and \\ inside.
func (s *scanner) quoted() (string, bool) {
	var b strings.Builder
	for i := s.at + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '\\' && i+1 < len(s.text):
			i++
			b.WriteByte(s.text[i])
		case c == '"':
			s.at = i + 1
			return b.String(), true
		default:
			b.WriteByte(c)
		}
	}
	s.at = len(s.text)
	return "", false
}

// name reads an identifier: quoted, or of letters, digits, "_", "$", spaces, and "-" where it begins no arrow.
func (s *scanner) name() (string, bool) {
	if s.peek() == '"' {
		return s.quoted()
	}
	start := s.at
	for !s.done() {
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		if r == '-' && strings.HasPrefix(s.text[s.at:], "->") {
			break
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) && r != '_' && r != '$' && r != ' ' && r != '-' && r != '\t' {
			break
		}
		s.at += size
	}
	name := strings.TrimSpace(s.text[start:s.at])
	return name, name != ""
}

// jsonPath reads ->key->0->>key.
func (s *scanner) jsonPath() ([]step, bool) {
	var path []step
	for strings.HasPrefix(s.text[s.at:], "->") {
		s.at += 2
		one := step{asText: s.take(">")}
		s.wanted = `"-", digit or any non reserved character different from: .,>()`
		if s.peek() == '"' {
			key, ok := s.quoted()
			if !ok {
				return nil, false
			}
			one.key = key
			path = append(path, one)
			continue
		}
		start := s.at
		for !s.done() && !strings.ContainsRune(",.():", rune(s.peek())) && !strings.HasPrefix(s.text[s.at:], "->") {
			s.at++
		}
		one.key = s.text[start:s.at]
		if one.key == "" {
			return nil, false
		}
		digits, negative := strings.CutPrefix(one.key, "-")
		_, err := strconv.ParseUint(digits, 10, 31)
		if one.index = err == nil; negative && !one.index { // a key that begins so is quoted
			s.at, s.wanted = start+1, "digit"
			return nil, false
		}
		path = append(path, one)
	}
	s.wanted = ""
	return path, true
}

const (
	selectParameter = "select parameter"
	fieldExpected   = "expecting field name (* or [a..z0..9_$])"
)

// parseSelect reads ?select= into a node's items.
func parseSelect(value string, into *node) error {
	s := &scanner{text: value}
	if err := s.items(into, 0); err != nil {
		return err
	}
	if strings.Trim(value[s.at:], ")") != "" { // PostgREST lets a parenthesis too many pass
		return unparsable(selectParameter, value, s.at, "unexpected "+s.unexpected())
	}
	return nil
}

// How deep resources may be embedded, and how many: PostgreSQL plans each.
const (
	maxDepth  = 20
	maxEmbeds = 100
)

func (s *scanner) items(into *node, depth int) error {
	if depth > maxDepth {
		return unparsable(selectParameter, s.text, s.at, "resources are embedded too deeply")
	}
	if s.done() || s.peek() == ')' {
		return nil
	}
	for {
		if err := s.item(into, depth); err != nil {
			return err
		}
		if !s.take(",") {
			return nil
		}
	}
}

var aggregates = []string{"sum", "avg", "count", "max", "min"}

func (s *scanner) item(into *node, depth int) error {
	if s.take("*") {
		f := &field{column: column{name: "*"}}
		into.items = append(into.items, f)
		return nil
	}
	spread := s.take("...")
	start := s.at
	name, ok := s.name()
	if !ok {
		return unparsable(selectParameter, s.text, s.at, "unexpected "+s.unexpected()+" "+fieldExpected)
	}
	alias := ""
	if s.peek() == ':' && !strings.HasPrefix(s.text[s.at:], "::") {
		s.at++
		alias = name
		if name, ok = s.name(); !ok {
			return unparsable(selectParameter, s.text, s.at, "unexpected "+s.unexpected()+" "+fieldExpected)
		}
	}
	// An embedded resource: name!hint!inner(…)
	save := s.at
	child := &node{name: name, alias: alias, spread: spread}
	for s.take("!") {
		hint, ok := s.name()
		if !ok {
			return unparsable(selectParameter, s.text, s.at, "unexpected "+s.unexpected())
		}
		switch hint {
		case "inner":
			child.inner = true
		case "left":
			child.left = true
		default:
			child.hint = hint
		}
	}
	if s.peek() == '(' && !(name == "count" && strings.HasPrefix(s.text[s.at:], "()") && s.at == save) {
		s.at++
		if s.embeds++; s.embeds > maxEmbeds {
			return unparsable(selectParameter, s.text, s.at, fmt.Sprintf("more than %d resources are embedded", maxEmbeds))
		}
		if err := s.items(child, depth+1); err != nil {
			return err
		}
		if !s.take(")") {
			return unparsable(selectParameter, s.text, s.at, "unexpected "+s.unexpected()+" expecting \",\" or \")\"")
		}
		into.items = append(into.items, child)
		into.children = append(into.children, child)
		return nil
	}
	if spread || s.at != save {
		s.at = start
		return unparsable(selectParameter, s.text, save, "unexpected "+s.unexpected())
	}
	f := &field{column: column{name: name}, alias: alias}
	if name == "count" && s.take("()") {
		f.name, f.aggregate = "*", "count"
		f.aggCast = s.cast()
		into.items = append(into.items, f)
		return nil
	}
	if f.path, ok = s.jsonPath(); !ok {
		return unparsable(selectParameter, s.text, s.at, "unexpected "+s.unexpected())
	}
	f.cast = s.cast()
	if s.peek() == '.' {
		s.at++
		agg, _ := s.name()
		if !slices.Contains(aggregates, agg) || !s.take("()") {
			return unparsable(selectParameter, s.text, s.at, "unexpected "+s.unexpected()+" expecting an aggregate: sum(), avg(), count(), max() or min()")
		}
		f.aggregate = agg
		f.aggCast = s.cast()
	}
	if !s.done() && s.peek() != ',' && s.peek() != ')' {
		return unparsable(selectParameter, s.text, s.at, "unexpected "+s.unexpected())
	}
	into.items = append(into.items, f)
	return nil
}

// unexpected says what is next, and what should be if that is known.
func (s *scanner) unexpected() string {
	next := "end of input"
	if !s.done() {
		r, _ := utf8.DecodeRuneInString(s.text[s.at:])
		next = `"` + string(r) + `"`
	}
	if s.wanted != "" {
		next += " expecting " + s.wanted
	}
	return next
}

// cast reads ::type.
func (s *scanner) cast() string {
	if !s.take("::") {
		return ""
	}
	start := s.at
	for !s.done() && !strings.ContainsRune(",).(", rune(s.peek())) {
		s.at++
	}
	return strings.TrimSpace(s.text[start:s.at])
}

// parseColumn reads a name with a JSON path, to the end.
func parseColumn(text string) (column, error) {
	s := &scanner{text: text}
	name, ok := s.name()
	if !ok {
		return column{}, unparsable("filter", text, s.at, "unexpected "+s.unexpected())
	}
	path, ok := s.jsonPath()
	if !ok || !s.done() {
		return column{}, unparsable("filter", text, s.at, "unexpected "+s.unexpected())
	}
	return column{name, path}, nil
}

func parseColumns(parameter, value string) ([]string, error) {
	s := &scanner{text: value}
	var names []string
	for {
		name, ok := s.name()
		if !ok {
			return nil, unparsable(parameter, value, s.at, "unexpected "+s.unexpected()+" "+fieldExpected)
		}
		names = append(names, name)
		if s.done() {
			return names, nil
		}
		if !s.take(",") {
			return nil, unparsable(parameter, value, s.at, "unexpected "+s.unexpected())
		}
	}
}

// parseOrder reads ?order=a.desc.nullslast,rel(b).asc
func parseOrder(value string) ([]orderTerm, error) {
	if value == "" {
		return nil, nil
	}
	const parameter = "order"
	s := &scanner{text: value}
	var terms []orderTerm
	for {
		var t orderTerm
		name, ok := s.name()
		if !ok {
			return nil, unparsable(parameter, value, s.at, "unexpected "+s.unexpected()+" "+fieldExpected)
		}
		if s.take("(") {
			t.relation = name
			if name, ok = s.name(); !ok {
				return nil, unparsable(parameter, value, s.at, "unexpected "+s.unexpected())
			}
		}
		t.column.name = name
		if t.column.path, ok = s.jsonPath(); !ok {
			return nil, unparsable(parameter, value, s.at, "unexpected "+s.unexpected())
		}
		if t.relation != "" && !s.take(")") {
			return nil, unparsable(parameter, value, s.at, "unexpected "+s.unexpected())
		}
		for t.nulls == "" && s.take(".") {
			switch {
			case t.direction == "" && s.take("asc"):
				t.direction = "asc"
			case t.direction == "" && s.take("desc"):
				t.direction = "desc"
			case s.take("nullsfirst"):
				t.nulls = "first"
			case s.take("nullslast"):
				t.nulls = "last"
			case t.direction == "":
				return nil, unparsable(parameter, value, s.at, "unexpected "+s.unexpected()+` expecting "asc", "desc", "nullsfirst" or "nullslast"`)
			default:
				return nil, unparsable(parameter, value, s.at, "unexpected "+s.unexpected()+` expecting "nullsfirst" or "nullslast"`)
			}
		}
		terms = append(terms, t)
		if s.done() {
			return terms, nil
		}
		if !s.take(",") {
			expecting := `delimiter (.), "," or end of input`
			if t.nulls != "" {
				expecting = `"," or end of input`
			}
			return nil, unparsable(parameter, value, s.at, "unexpected "+strings.ReplaceAll(s.unexpected(), `"`, "'")+" expecting "+expecting)
		}
	}
}

// parseOperation reads `not.eq.5`, `in.(1,2)`, `fts(english).word`, `like(any).{a*,b*}`; the value goes to the end.
func parseOperation(value string) (filter, error) {
	var f filter
	rest := value
	if after, ok := strings.CutPrefix(rest, "not."); ok {
		f.negated, rest = true, after
	}
	operation, operand, found := strings.Cut(rest, ".")
	name, argument := operation, ""
	if i := strings.IndexByte(operation, '('); i >= 0 && strings.HasSuffix(operation, ")") {
		name, argument = operation[:i], operation[i+1:len(operation)-1]
	} else if i >= 0 { // a point within the parentheses
		if j := strings.Index(rest, ")."); j > i {
			name, argument, operand, found = rest[:i], rest[i+1:j], rest[j+2:], true
		}
	}
	problem := func() (filter, error) {
		return f, unparsable("filter", value, 0, "unexpected "+(&scanner{text: value}).unexpected()+" expecting \"not\" or operator (eq, gt, ...)")
	}
	if !found {
		return problem()
	}
	f.operator, f.value = name, operand
	_, isSearch := searches[name]
	isOperator := operators[name] != "" || name == "isdistinct"
	switch {
	case name == "in" && argument == "":
		if !strings.HasPrefix(operand, "(") || !strings.HasSuffix(operand, ")") {
			return f, unparsable("filter", value, len(value)-len(operand), "unexpected "+(&scanner{text: operand}).unexpected()+" expecting \"(\"")
		}
		s := &scanner{text: operand, at: 1}
		list, ok := s.list()
		if !ok || !s.done() {
			return f, unparsable("filter", value, len(value)-len(operand)+s.at, "unexpected "+s.unexpected())
		}
		f.list = list
	case name == "is" && argument == "":
		lower := strings.ToLower(operand)
		if !slices.Contains([]string{"null", "not_null", "true", "false", "unknown"}, lower) {
			return f, unparsable("filter", value, len(value)-len(operand), "unexpected "+(&scanner{text: operand}).unexpected()+" expecting null, not_null, true, false or unknown")
		}
		f.value = lower
	case isSearch:
		f.language = argument
	case isOperator && argument == "":
	case isOperator && (argument == "any" || argument == "all") && slices.Contains(quantified, name):
		f.quantity = argument
	default:
		return problem()
	}
	return f, nil
}

// list reads 1,"a,b",c) after the opening parenthesis.
func (s *scanner) list() ([]string, bool) {
	values := []string{}
	if end := strings.IndexByte(s.text[s.at:], ')'); end >= 0 && strings.TrimSpace(s.text[s.at:s.at+end]) == "" {
		s.at += end + 1
		return values, true
	}
	for {
		if s.peek() == '"' {
			value, ok := s.quoted()
			if !ok {
				return nil, false
			}
			values = append(values, value)
		} else {
			start := s.at
			for !s.done() && s.peek() != ',' && s.peek() != ')' {
				s.at++
			}
			values = append(values, s.text[start:s.at])
		}
		switch {
		case s.take(","):
		case s.take(")"):
			return values, true
		default:
			return nil, false
		}
	}
}

// parseLogic reads (a.eq.1,not.or(b.gt.2,c.is.null)).
func parseLogic(value string, any, negated bool) (condition, error) {
	s := &scanner{text: value}
	tree := condition{any: any, negated: negated}
	var err error
	if tree.parts, err = s.logicParts(0); err != nil {
		return tree, err
	}
	if !s.done() {
		return tree, unparsable("logic tree", value, s.at, "unexpected "+s.unexpected())
	}
	return tree, nil
}

func (s *scanner) logicParts(depth int) ([]condition, error) {
	bad := func() ([]condition, error) {
		return nil, unparsable("logic tree", s.text, s.at, "unexpected "+s.unexpected()+" expecting field name (* or [a..z0..9_$]), negation operator (not) or logic operator (and, or)")
	}
	if depth > maxDepth || !s.take("(") {
		return bad()
	}
	var parts []condition
	for {
		for s.take(" ") {
		}
		part := condition{}
		save := s.at
		part.negated = s.take("not.")
		if s.nested("and") || s.nested("or") {
			part.any = s.take("or")
			if !part.any {
				s.take("and")
			}
			var err error
			if part.parts, err = s.logicParts(depth + 1); err != nil {
				return nil, err
			}
		} else {
			s.at, part.negated = save, false
			f, ok := s.logicFilter()
			if !ok {
				return bad()
			}
			part.filter = f
		}
		parts = append(parts, part)
		for s.take(" ") {
		}
		switch {
		case s.take(","):
		case s.take(")"):
			return parts, nil
		default:
			return bad()
		}
	}
}

func (s *scanner) nested(word string) bool {
	rest, ok := strings.CutPrefix(s.text[s.at:], word)
	return ok && strings.HasPrefix(rest, "(")
}

// logicFilter reads column.operator.value, where the value ends at a comma or parenthesis unless it is quoted, a list or an array.
func (s *scanner) logicFilter() (*filter, bool) {
	name, ok := s.name()
	if !ok {
		return nil, false
	}
	path, ok := s.jsonPath()
	if !ok || !s.take(".") {
		return nil, false
	}
	start := s.at
	s.take("not.")
	for !s.done() && s.peek() != '.' && s.peek() != ',' && s.peek() != ')' && s.peek() != '(' {
		s.at++
	}
	if s.peek() == '(' {
		end := strings.IndexByte(s.text[s.at:], ')')
		if end < 0 {
			return nil, false
		}
		s.at += end + 1
	}
	if !s.take(".") {
		return nil, false
	}
	head := s.text[start:s.at]
	var value string
	switch s.peek() {
	case '"':
		if value, ok = s.quoted(); !ok {
			return nil, false
		}
	case '{', '[', '(':
		begin := s.at
		if s.peek() == '(' && !strings.HasSuffix(head, "in.") {
			return nil, false
		}
		if !s.balanced() {
			return nil, false
		}
		value = s.text[begin:s.at]
	default:
		begin := s.at
		for !s.done() && s.peek() != ',' && s.peek() != ')' {
			s.at++
		}
		value = s.text[begin:s.at]
	}
	f, err := parseOperation(head + value)
	if err != nil {
		return nil, false
	}
	f.column = column{name, path}
	return &f, true
}

// balanced moves past brackets and what is between them, quotes heeded. A range may open with [ and close with ).
func (s *scanner) balanced() bool {
	depth := 0
	for !s.done() {
		switch s.peek() {
		case '"':
			if _, ok := s.quoted(); !ok {
				return false
			}
			continue
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		}
		s.at++
		if depth == 0 {
			return true
		}
	}
	return false
}
