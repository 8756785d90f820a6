package query

import "strings"

// parseOrder reads ?order=a.desc.nullslast,resource(b).asc
func parseOrder(value string) ([]OrderTerm, error) {
	if value == "" {
		return nil, nil
	}
	s := &scanner{parameter: "order", text: value}
	var terms []OrderTerm
	for {
		t, err := s.orderTerm()
		if err != nil {
			return nil, err
		}
		terms = append(terms, t)
		if s.done() {
			return terms, nil
		}
		if !s.take(",") {
			expecting := `delimiter (.), "," or end of input`
			if t.Nulls != "" {
				expecting = `"," or end of input`
			}
			unexpected := strings.ReplaceAll(s.unexpected(), `"`, "'") // as PostgREST has it, here alone
			return nil, syntaxError(s.parameter, value, s.at, "unexpected "+unexpected+" expecting "+expecting)
		}
	}
}

// orderTerm reads column.direction.nulls.
func (s *scanner) orderTerm() (OrderTerm, error) {
	var t OrderTerm
	name, ok := s.name()
	if !ok {
		return t, s.fail(fieldName)
	}
	if s.take("(") {
		t.Relation = name
		if name, ok = s.name(); !ok {
			return t, s.fail("")
		}
	}
	t.Column.Name = name
	if t.Column.Path, ok = s.jsonPath(); !ok || t.Relation != "" && !s.take(")") {
		return t, s.fail("")
	}
	for t.Nulls == "" && s.take(".") {
		switch {
		case t.Direction == "" && s.take("asc"):
			t.Direction = "asc"
		case t.Direction == "" && s.take("desc"):
			t.Direction = "desc"
		case s.take("nullsfirst"):
			t.Nulls = "first"
		case s.take("nullslast"):
			t.Nulls = "last"
		case t.Direction == "":
			return t, s.fail(`"asc", "desc", "nullsfirst" or "nullslast"`)
		default:
			return t, s.fail(`"nullsfirst" or "nullslast"`)
		}
	}
	return t, nil
}
