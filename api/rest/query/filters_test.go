package query

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOperations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Filter{
		"eq.5":                   {Operator: "eq", Value: "5"},
		"eq.":                    {Operator: "eq"},
		"not.eq.a.b":             {Operator: "eq", Value: "a.b", Negated: true},
		"in.(1,\"a,b\",)":        {Operator: "in", Value: "(1,\"a,b\",)", List: []string{"1", "a,b", ""}},
		`in.(")`:                 {Operator: "in", Value: `(")`, List: []string{`"`}},
		`in.("a"b")`:             {Operator: "in", Value: `("a"b")`, List: []string{`"a"b"`}},
		`in.("a"b,c")`:           {Operator: "in", Value: `("a"b,c")`, List: []string{`"a"b`, `c"`}},
		`in.("a\"b","c)d")`:      {Operator: "in", Value: `("a\"b","c)d")`, List: []string{`a"b`, "c)d"}},
		"in.()":                  {Operator: "in", Value: "()", List: []string{}},
		"is.NULL":                {Operator: "is", Value: "null"},
		"not.is.not_null":        {Operator: "is", Value: "not_null", Negated: true},
		"isdistinct.1":           {Operator: "isdistinct", Value: "1"},
		"like(any).{a*,*b}":      {Operator: "like", Quantifier: "any", Value: "{a*,*b}"},
		"fts(english).word":      {Operator: "fts", Language: "english", Value: "word"},
		"wfts(pg.simple).a or b": {Operator: "wfts", Language: "pg.simple", Value: "a or b"},
	} {
		got, err := parseOperation(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for text, details := range map[string]string{
		"5":           `unexpected "5" expecting "not" or operator (eq, gt, ...)`,
		"nothing.5":   `unexpected "n" expecting "not" or operator (eq, gt, ...)`,
		"eq(some).5":  `unexpected "e" expecting "not" or operator (eq, gt, ...)`,
		"neq(any).5":  `unexpected "n" expecting "not" or operator (eq, gt, ...)`,
		"in.1":        `unexpected "1" expecting "("`,
		"in.(\"a,b":   `unexpected "(" expecting "("`,
		"is.nothing":  `unexpected "n" expecting null, not_null, true, false or unknown`,
		"not.not.eq.": `unexpected "n" expecting "not" or operator (eq, gt, ...)`,
	} {
		_, err := parseOperation(text)
		var rejected *Error
		require.ErrorAs(t, err, &rejected, text)
		require.Equal(t, details, rejected.Details, text)
	}
}

func TestLogic(t *testing.T) {
	t.Parallel()
	filter := func(name string, f Filter) Condition {
		f.Column = Column{Name: name}
		return Condition{Filter: &f}
	}
	a := filter("a", Filter{Operator: "eq", Value: "1"})
	for text, want := range map[string][]Condition{
		"(a.eq.1)": {a},
		"( a.eq.1 , b.eq.2)": {
			filter("a", Filter{Operator: "eq", Value: "1 "}), filter("b", Filter{Operator: "eq", Value: "2"}),
		},
		`(a.eq."x,)")`: {filter("a", Filter{Operator: "eq", Value: "x,)"})},
		`(a.in.("),b.eq.1)`: {
			filter("a", Filter{Operator: "in", Value: `(")`, List: []string{`"`}}),
			filter("b", Filter{Operator: "eq", Value: "1"}),
		},
		"(a.in.(1,2))":          {filter("a", Filter{Operator: "in", Value: "(1,2)", List: []string{"1", "2"}})},
		"(a.cs.{x,y})":          {filter("a", Filter{Operator: "cs", Value: "{x,y}"})},
		"(a.sl.[1,2))":          {filter("a", Filter{Operator: "sl", Value: "[1,2)"})},
		"(not.or(a.eq.1))":      {{Negated: true, Any: true, Parts: []Condition{a}}},
		"(and(a.eq.1,or.eq.2))": {{Parts: []Condition{a, filter("or", Filter{Operator: "eq", Value: "2"})}}},
		"(a.not.like(all).{x})": {
			filter("a", Filter{Operator: "like", Quantifier: "all", Value: "{x}", Negated: true}),
		},
		"(a.fts(pg.simple).x y)": {filter("a", Filter{Operator: "fts", Language: "pg.simple", Value: "x y"})},
	} {
		got, err := parseLogic(text, true, false)
		require.NoError(t, err, text)
		require.Equal(t, Condition{Any: true, Parts: want}, got, text)
	}
	for _, text := range []string{
		"", "()", "(a.eq.1", "a.eq.1", "(a)", "(a.eq.1)x", "(a.eq.(1))", "(a.eq.\"x)", "(a.cs.{x)",
	} {
		_, err := parseLogic(text, false, false)
		require.Error(t, err, text)
	}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	parse := func(text string) Condition {
		c, err := parseLogic(text, false, false)
		require.NoError(t, err, text)
		return c
	}
	require.True(t, parse("(id.eq.1,b.eq.2)").Fixes("id"))
	require.True(t, parse("(and(id.eq.1,b.eq.2))").Fixes("b"))
	for _, text := range []string{
		"(or(id.eq.1,b.eq.2))", "(not.and(id.eq.1))", "(id.not.eq.1)", "(id.gt.1)", "(id.eq(any).{1,2})",
		"(id->a.eq.1)",
	} {
		require.False(t, parse(text).Fixes("id"), text)
	}
	require.Len(t, parse("(a.eq.1,or(b.eq.2,c.eq.3))").Filters(), 3)
	require.True(t, Condition{}.Empty())
}

func TestOrder(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]OrderTerm{
		"":  nil,
		"a": {{Column: Column{Name: "a"}}},
		"a.desc.nullslast,b.asc": {
			{Column: Column{Name: "a"}, Direction: "desc", Nulls: "last"},
			{Column: Column{Name: "b"}, Direction: "asc"},
		},
		"a.nullsfirst":       {{Column: Column{Name: "a"}, Nulls: "first"}},
		"authors(name).desc": {{Column: Column{Name: "name"}, Relation: "authors", Direction: "desc"}},
		"facts->n.desc":      {{Column: Column{"facts", []Step{{Key: "n"}}}, Direction: "desc"}},
		"authors(facts->>n)": {{Column: Column{"facts", []Step{{Key: "n", AsText: true}}}, Relation: "authors"}},
	} {
		got, err := parseOrder(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for text, want := range map[string]struct{ at, details string }{
		"a.up":           {"column 3", `unexpected "u" expecting "asc", "desc", "nullsfirst" or "nullslast"`},
		"a.asc.up":       {"column 7", `unexpected "u" expecting "nullsfirst" or "nullslast"`},
		"a.asc.nulls":    {"column 7", `unexpected "n" expecting "nullsfirst" or "nullslast"`},
		"a.ascx":         {"column 6", `unexpected 'x' expecting delimiter (.), "," or end of input`},
		"a.nullslast.b":  {"column 12", `unexpected '.' expecting "," or end of input`},
		"a,":             {"column 3", `unexpected end of input expecting field name (* or [a..z0..9_$])`},
		"authors(name.x": {"column 13", `unexpected "."`},
	} {
		_, err := parseOrder(text)
		message := `"failed to parse order (` + text + `)" (line 1, ` + want.at + `)`
		requireError(t, err, CodeSyntax, message, want.details)
	}
}
