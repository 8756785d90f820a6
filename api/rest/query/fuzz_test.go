package query

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireRejected requires an error that a client can act on.
func requireRejected(t *testing.T, err error) {
	t.Helper()
	var rejected *Error
	require.True(t, errors.As(err, &rejected), "%v", err)
	require.NotEmpty(t, rejected.Code)
	require.NotEmpty(t, rejected.Message)
}

func FuzzSelect(f *testing.F) {
	for _, seed := range []string{
		"*", "a,b:c->>d::text,...e!f!inner(g,h(*))", "count(),x.sum()::int", `"a""b"`, `"a\"b":c`, "a(", "a)", "!",
		"a!!b()", "->", "...",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		root := &Resource{}
		if err := parseSelect(text, root); err != nil {
			requireRejected(t, err)
			return
		}
		embeds := 0
		var depth func(*Resource) int
		depth = func(r *Resource) int {
			deepest := 0
			for _, e := range r.Embeds {
				embeds++
				deepest = max(deepest, depth(e))
			}
			return deepest + 1
		}
		require.LessOrEqual(t, depth(root), maxDepth+1)
		require.LessOrEqual(t, embeds, maxEmbeds)
	})
}

func FuzzLogic(f *testing.F) {
	for _, seed := range []string{
		"(a.eq.1)", "(a.eq.1,or(b.in.(1,2),not.and(c.is.null,d.cs.{x,y})))", `(a.eq."x,)y")`, "(((",
		"(a.fts(english).x)", "()", "(a->>b.like.*x*)", "(and(and(a.eq.1)))",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := parseLogic(text, true, false)
		if err != nil {
			requireRejected(t, err)
			return
		}
		require.False(t, tree.Empty(), "every row would meet a condition without a filter: %q", text)
		var check func(Condition)
		check = func(c Condition) {
			require.True(t, c.Filter != nil || len(c.Parts) > 0, "%q", text)
			for _, part := range c.Parts {
				check(part)
			}
		}
		check(tree)
	})
}

func FuzzFilter(f *testing.F) {
	for _, seed := range []string{
		"eq.1", "not.in.(1,2)", "like(any).{a,b}", "is.not_null", "fts(a.b).x", "in.()", "eq", ".", "in.(\"",
		"not.not.eq.1", "wfts(english", "eq(any)",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := parseOperation(text)
		if err != nil {
			requireRejected(t, err)
			return
		}
		o := parsed.Operator
		require.True(t, o.isComparison() || o.isSearch() || o == OperatorIn || o == OperatorIs, text)
	})
}

func FuzzPrefer(f *testing.F) {
	for _, seed := range []string{
		"return=representation, count=exact", "handling=strict,foo", "max-affected=5",
		"max-affected=99999999999999999999", "timezone=Europe/Berlin", ",,", "return=;x", "tx=commit",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		p := parsePreferences([]string{header})
		require.Contains(t, []string{"", ReturnRepresentation, ReturnHeadersOnly, ReturnMinimal}, p.Return)
		require.Contains(t, []string{"", CountExact, CountPlanned, CountEstimated}, p.Count)
		require.NotEmpty(t, parseAccept([]string{header}))
	})
}
