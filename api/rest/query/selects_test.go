package query

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSelect(t *testing.T) {
	t.Parallel()
	column := func(name string, path ...Step) Column { return Column{name, path} }
	for text, want := range map[string]Resource{
		"*":        {Fields: []Field{{Column: column("*")}}},
		"id,title": {Fields: []Field{{Column: column("id")}, {Column: column("title")}}},
		`"a b":"x,\"y"`: {Fields: []Field{
			{Column: column(`x,"y`), Alias: "a b"},
		}},
		"n:id::text": {Fields: []Field{
			{Column: column("id"), Alias: "n", Cast: TypeName{Words: []string{"text"}}},
		}},
		"at::timestamp with time zone,ids::int[]": {Fields: []Field{
			{
				Column: column("at"),
				Cast:   TypeName{Words: strings.Fields("timestamp with time zone"), Keyword: true},
			},
			{Column: column("ids"), Cast: TypeName{Words: []string{"int"}, Keyword: true, Array: true}},
		}},
		"facts->home->>0": {Fields: []Field{
			{Column: column("facts", Step{Key: "home"}, Step{Key: "0", Index: true, AsText: true})},
		}},
		"count(),pages.sum()::text": {Fields: []Field{
			{Column: column("*"), Aggregate: "count"},
			{Column: column("pages"), Aggregate: "sum", AggregateCast: TypeName{Words: []string{"text"}}},
		}},
		"by:authors!fk!inner(name),...details(*),labels!left()": {Embeds: []*Resource{
			{Name: "authors", Alias: "by", Hint: "fk", Inner: true, Fields: []Field{{Column: column("name")}}},
			{Name: "details", Spread: true, Fields: []Field{{Column: column("*")}}},
			{Name: "labels"},
		}},
		"count(id)": {Embeds: []*Resource{{Name: "count", Fields: []Field{{Column: column("id")}}}}},
		"id)":       {Fields: []Field{{Column: column("id")}}},
	} {
		var got Resource
		require.NoError(t, parseSelect(text, &got), text)
		require.Equal(t, want, got, text)
	}
}

func TestSelectErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ at, details string }{
		"id,":        {"column 4", `unexpected end of input expecting field name (* or [a..z0..9_$])`},
		"a!":         {"column 3", `unexpected end of input`},
		"a(b":        {"column 4", `unexpected end of input expecting "," or ")"`},
		"a.median()": {"column 9", `unexpected "(" expecting an aggregate: sum(), avg(), count(), max() or min()`},
		"a->": {"column 4", `unexpected end of input expecting "-", digit or any non reserved character ` +
			`different from: .,>()`},
		"...a": {"column 5", `unexpected "a"`},
		"a;b":  {"column 2", `unexpected ";"`},
	} {
		err := parseSelect(text, &Resource{})
		message := `"failed to parse select parameter (` + text + `)" (line 1, ` + want.at + `)`
		requireError(t, err, CodeSyntax, message, want.details)
	}
	for _, typ := range []string{"int;drop table a", "a b", `"x"`, "a-b", "[]", "x y z v w"} {
		_, err := parseTypeName(typ)
		require.Error(t, err, typ)
	}
}

func TestSelectIsBounded(t *testing.T) {
	t.Parallel()
	nested := strings.Repeat("a(", maxDepth) + "id" + strings.Repeat(")", maxDepth)
	require.NoError(t, parseSelect(nested, &Resource{}))
	require.Error(t, parseSelect("a("+nested+")", &Resource{}))
	wide := strings.Repeat("a(id),", maxEmbeds) + "id"
	require.NoError(t, parseSelect(wide, &Resource{}))
	require.Error(t, parseSelect("a(id),"+wide, &Resource{}))
}
