package query

import "strings"

// parseLogic reads the value of and= and or=: (a.eq.1,not.or(b.gt.2,c.is.null))
func parseLogic(value string, anyPart, negated bool) (Condition, error) {
	s := &scanner{parameter: "logic tree", text: value}
	parts, err := s.conditions(0)
	if err != nil {
		return Condition{}, err
	}
	if !s.done() {
		return Condition{}, s.fail("")
	}
	return Condition{Any: anyPart, Negated: negated, Parts: parts}, nil
}

// conditions reads conditions in parentheses.
func (s *scanner) conditions(depth int) ([]Condition, error) {
	const expecting = fieldName + ", negation operator (not) or logic operator (and, or)"
	if depth > maxDepth || !s.take("(") {
		return nil, s.fail(expecting)
	}
	var parts []Condition
	for {
		s.spaces()
		part, ok, err := s.condition(depth)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, s.fail(expecting)
		}
		parts = append(parts, part)
		s.spaces()
		switch {
		case s.take(","):
		case s.take(")"):
			return parts, nil
		default:
			return nil, s.fail(expecting)
		}
	}
}

// condition reads a filter, or and(…), or(…), not.and(…), not.or(…).
func (s *scanner) condition(depth int) (c Condition, ok bool, err error) {
	start := s.at
	c.Negated = s.take("not.")
	if s.next("and(") || s.next("or(") {
		c.Any = s.take("or")
		if !c.Any {
			s.take("and")
		}
		c.Parts, err = s.conditions(depth + 1)
		return c, true, err
	}
	s.at = start
	filter, ok := s.filter()
	return Condition{Filter: filter}, ok, nil
}

func (s *scanner) spaces() {
	for s.take(" ") {
	}
}

// filter reads column.operator.value. The value ends at a comma or parenthesis unless it is quoted, a list or
// an array.
func (s *scanner) filter() (*Filter, bool) {
	name, ok := s.name()
	if !ok {
		return nil, false
	}
	path, ok := s.jsonPath()
	if !ok || !s.take(".") {
		return nil, false
	}
	operation, ok := s.operation()
	if !ok {
		return nil, false
	}
	value, ok := s.value(strings.HasSuffix(operation, "in."))
	if !ok {
		return nil, false
	}
	f, err := parseOperation(operation + value)
	if err != nil {
		return nil, false
	}
	f.Column = Column{name, path}
	return &f, true
}

// operation reads not.operator(argument). with its full stops.
func (s *scanner) operation() (string, bool) {
	start := s.at
	s.take("not.")
	s.until(".,)(")
	if s.peek() == '(' {
		s.until(")")
		if !s.take(")") {
			return "", false
		}
	}
	if !s.take(".") {
		return "", false
	}
	return s.text[start:s.at], true
}

// value reads the operand of a filter. Only the operator in has lists in parentheses.
func (s *scanner) value(isList bool) (string, bool) {
	start := s.at
	switch s.peek() {
	case '"':
		return s.quoted()
	case '(':
		if !isList {
			return "", false
		}
		s.at++
		_, ok := s.list()
		return s.text[start:s.at], ok
	case '{', '[':
		if !s.balanced() {
			return "", false
		}
		return s.text[start:s.at], true
	}
	return s.until(",)"), true
}

// balanced moves past brackets and what is in between. Brackets within quotes do not count, and any bracket
// closes any other, since a range may open with [ and close with ).
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
