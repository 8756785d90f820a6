package query

import (
	"slices"
	"strings"
)

const filterParameter = "filter"

// parseColumn reads the name of a filter: a column with a path into its JSON.
func parseColumn(text string) (Column, error) {
	s := &scanner{parameter: filterParameter, text: text}
	name, ok := s.name()
	if !ok {
		return Column{}, s.fail("")
	}
	path, ok := s.jsonPath()
	if !ok || !s.done() {
		return Column{}, s.fail("")
	}
	return Column{name, path}, nil
}

// parseColumns reads names between commas.
func parseColumns(parameter, value string) ([]string, error) {
	s := &scanner{parameter: parameter, text: value}
	var names []string
	for {
		name, ok := s.name()
		if !ok {
			return nil, s.fail(fieldName)
		}
		names = append(names, name)
		if s.done() {
			return names, nil
		}
		if !s.take(",") {
			return nil, s.fail("")
		}
	}
}

// parseOperation reads the value of a filter: not.eq.5, in.(1,2), fts(english).word or like(any).{a*,b*}. The
// operand goes to the end.
func parseOperation(value string) (Filter, error) {
	var f Filter
	rest := value
	if after, ok := strings.CutPrefix(rest, "not."); ok {
		f.Negated, rest = true, after
	}
	name, argument, operand, ok := cutOperation(rest)
	if !ok {
		return f, operatorExpected(value)
	}
	f.Operator, f.Value = Operator(name), operand
	// fail is the error of an operand that does not follow the grammar from a position of it on.
	fail := func(at *scanner, expecting string) error {
		problem := "unexpected " + at.unexpected()
		if expecting != "" {
			problem += " expecting " + expecting
		}
		return syntaxError(filterParameter, value, len(value)-len(operand)+at.at, problem)
	}
	switch {
	case f.Operator == OperatorIn && argument == "":
		s := &scanner{text: operand}
		if !strings.HasPrefix(operand, "(") || !strings.HasSuffix(operand, ")") {
			return f, fail(s, `"("`)
		}
		s.at++
		if f.List, ok = s.list(); !ok || !s.done() {
			return f, fail(s, "")
		}
	case f.Operator == OperatorIs && argument == "":
		f.Value = strings.ToLower(operand)
		if !slices.Contains(isValues, f.Value) {
			return f, fail(&scanner{text: operand}, "null, not_null, true, false or unknown")
		}
	case f.Operator.isSearch():
		f.Language = argument
	case f.Operator.isComparison() && argument == "":
	case slices.Contains(quantified, f.Operator) && (argument == "any" || argument == "all"):
		f.Quantifier = argument
	default:
		return f, operatorExpected(value)
	}
	return f, nil
}

func operatorExpected(value string) error {
	s := &scanner{parameter: filterParameter, text: value}
	return s.fail(`"not" or operator (eq, gt, ...)`)
}

// cutOperation cuts operator(argument).operand. The argument may contain a full stop.
func cutOperation(text string) (name, argument, operand string, ok bool) {
	operation, operand, ok := strings.Cut(text, ".")
	opening := strings.IndexByte(operation, '(')
	switch {
	case opening >= 0 && strings.HasSuffix(operation, ")"):
		return operation[:opening], operation[opening+1 : len(operation)-1], operand, ok
	case opening >= 0:
		if closing := strings.Index(text, ")."); closing > opening {
			return text[:opening], text[opening+1 : closing], text[closing+2:], true
		}
	}
	return operation, "", operand, ok
}

// listed reads a value of a list. Quotes that do not surround all of it are part of it, as PostgREST has it:
// clients quote values with a comma or a parenthesis, but do not escape those with a quote.
func (s *scanner) listed() string {
	start := s.at
	if s.peek() == '"' {
		if value, closed := s.quoted(); closed && (s.done() || s.next(",") || s.next(")")) {
			return value
		}
		s.at = start
	}
	return s.until(",)")
}

// list reads the rest of a list after its opening parenthesis: 1,"a,b",c)
func (s *scanner) list() ([]string, bool) {
	values := []string{}
	if inside, _, closed := strings.Cut(s.text[s.at:], ")"); closed && strings.TrimSpace(inside) == "" {
		s.at += len(inside) + 1
		return values, true
	}
	for {
		values = append(values, s.listed())
		switch {
		case s.take(","):
		case s.take(")"):
			return values, true
		default:
			return nil, false
		}
	}
}
