package sqlgen

import (
	"slices"
	"strings"

	"research/api/rest/plan"
	"research/api/rest/query"
)

// The SQL of the operators that compare a column with one value.
var comparisons = map[query.Operator]string{
	"eq": "=", "gte": ">=", "gt": ">", "lte": "<=", "lt": "<", "neq": "<>",
	"like": "like", "ilike": "ilike", "match": "~", "imatch": "~*", "isdistinct": "is distinct from",
	"cs": "@>", "cd": "<@", "ov": "&&", "sl": "<<", "sr": ">>", "nxr": "&<", "nxl": "&>", "adj": "-|-",
}

// The functions that create the query of a full text search.
var searches = map[query.Operator]string{
	"fts": "to_tsquery", "plfts": "plainto_tsquery", "phfts": "phraseto_tsquery", "wfts": "websearch_to_tsquery",
}

// columnSQL is a column, with its JSON path. What is not JSON is converted first, so that paths also reach
// into composites and arrays.
func (b *builder) columnSQL(s *plan.Selection, c query.Column) string {
	sql := quote(s.Alias) + "." + quote(c.Name)
	if len(c.Path) == 0 {
		return sql
	}
	if known := s.Column(c.Name); known == nil || known.BaseType != "json" && known.BaseType != "jsonb" {
		sql = "to_jsonb(" + sql + ")"
	}
	for _, step := range c.Path {
		arrow := "->"
		if step.AsText {
			arrow = "->>"
		}
		sql += arrow + b.param(step.Key)
		if step.Index {
			sql += "::int"
		}
	}
	return "(" + sql + ")"
}

// shownSQL is a column as an answer shows it: converted by the function of its domain where there is one.
func (b *builder) shownSQL(s *plan.Selection, c query.Column) string {
	sql := b.columnSQL(s, c)
	if known := s.Column(c.Name); known != nil && known.ToJSON != "" {
		return known.ToJSON + "(" + sql + ")"
	}
	return sql
}

// fromText is the function that converts a filter's text to the column's domain, or "".
func fromText(s *plan.Selection, c query.Column) string {
	if known := s.Column(c.Name); known != nil {
		return known.FromText
	}
	return ""
}

// conditionSQL is a tree of filters, or "" where every row meets it. present writes whether an embedded
// selection has rows.
func (b *builder) conditionSQL(
	s *plan.Selection, c query.Condition, present func(*plan.Selection) string,
) string {
	if c.Filter != nil {
		embedded := s.Presence(c.Filter)
		switch {
		case embedded == nil:
			return b.filterSQL(s, c.Filter)
		case c.Filter.Negated: // not.is.null
			return present(embedded)
		}
		return "not (" + present(embedded) + ")"
	}
	var parts []string
	for _, part := range c.Parts {
		if sql := b.conditionSQL(s, part, present); sql != "" {
			parts = append(parts, sql)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	conjunction, not := " and ", ""
	if c.Any {
		conjunction = " or "
	}
	if c.Negated {
		not = "not "
	}
	return not + "(" + strings.Join(parts, conjunction) + ")"
}

// filterSQL returns one comparison.
func (b *builder) filterSQL(s *plan.Selection, f *query.Filter) string {
	if slices.Contains(query.Searches, f.Operator) {
		return b.searchSQL(s, f)
	}
	left := b.columnSQL(s, f.Column)
	if f.Negated {
		left = "not " + left
	}
	switch f.Operator {
	case query.OperatorIn:
		list := b.param(arrayLiteral(f.List))
		if convert := fromText(s, f.Column); convert != "" {
			return left + " = any (select " + convert + "(unnest(" + list + "::text[])))"
		}
		return left + " = any (" + list + ")"
	case query.OperatorIs:
		return left + " is " + strings.ReplaceAll(f.Value, "_", " ") // one of the grammar's five words
	case query.OperatorIsDistinct:
		return left + " " + comparisons[f.Operator] + " " + b.param(f.Value)
	}
	return left + " " + comparisons[f.Operator] + " " + b.operandSQL(s, f)
}

// operandSQL is the value that a column is compared with.
func (b *builder) operandSQL(s *plan.Selection, f *query.Filter) string {
	var sql string
	convert := fromText(s, f.Column)
	switch {
	case f.Operator == query.OperatorLike || f.Operator == query.OperatorILike:
		sql = b.param(strings.ReplaceAll(f.Value, "*", "%"))
	case convert != "":
		sql = convert + "(" + b.param(f.Value) + ")"
	default:
		sql = b.param(f.Value)
	}
	if f.Quantifier != "" {
		sql = f.Quantifier + " (" + sql + ")"
	}
	return sql
}

// searchSQL is a full text search.
func (b *builder) searchSQL(s *plan.Selection, f *query.Filter) string {
	left := b.columnSQL(s, f.Column)
	language := ""
	if f.Language != "" {
		language = b.param(f.Language) + ", "
	}
	if known := s.Column(f.Column.Name); known == nil || known.BaseType != "tsvector" {
		left = "to_tsvector(" + language + left + ")"
	}
	if f.Negated {
		left = "not " + left
	}
	return left + " @@ " + searches[f.Operator] + "(" + language + b.param(f.Value) + ")"
}
