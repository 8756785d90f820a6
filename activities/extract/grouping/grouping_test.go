package grouping_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/grouping"
	"research/outcome"
)

// answers returns what answers every request with the same groups.
func answers(groups ...extract.Group) grouping.Ask {
	return func([]string) ([]extract.Group, outcome.Code, error) { return groups, "", nil }
}

func group(name string, labels ...int) extract.Group {
	return extract.Group{Name: name, Description: name + " matters.", Labels: labels}
}

// labels returns labels of ten subjects.
func labels(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprint("subject ", i%10)
	}
	return all
}

// bySubject groups what has the same text up to a colon.
func bySubject(texts []string) ([]extract.Group, outcome.Code, error) {
	var groups []extract.Group
	for i, text := range texts {
		name, _, _ := strings.Cut(text, ":")
		at := slices.IndexFunc(groups, func(g extract.Group) bool { return g.Name == name })
		if at < 0 {
			at, groups = len(groups), append(groups, group(name))
		}
		groups[at].Labels = append(groups[at].Labels, i)
	}
	return groups, "", nil
}

func TestEachLabelIsInOneThemeOrInNone(t *testing.T) {
	t.Parallel()
	got, err := grouping.Group(labels(9), 400, answers(
		group("Small", 1, 2), group("Large", 3, 4, 5, 1, 99, -1, 3), group("Doubled", 2, 4),
		group("One", 6), group(" sMall ", 7),
	))
	require.NoError(t, err)
	require.Equal(t, grouping.Result{
		Themes: []grouping.Theme{
			{"Small", "Small matters.", []int{1, 2, 7}}, {"Large", "Large matters.", []int{3, 4, 5}},
		},
		Rest: []int{0, 6, 8},
	}, got)
}

func TestManyLabelsAreGroupedInLevels(t *testing.T) {
	t.Parallel()
	var sizes []int
	got, err := grouping.Group(labels(4000), 400, func(texts []string) ([]extract.Group, outcome.Code, error) {
		sizes = append(sizes, len(texts))
		return bySubject(texts)
	})
	require.NoError(t, err)
	require.Equal(t, 11, len(sizes))
	require.Equal(t, 100, sizes[10], "ten groups of each request")
	require.LessOrEqual(t, slices.Max(sizes), 400)
	require.Len(t, got.Themes, 10)
	for _, theme := range got.Themes {
		require.Len(t, theme.Labels, 400)
	}
	require.Empty(t, got.Rest)
}

func TestGroupsThatBelongToNoOtherOneStay(t *testing.T) {
	t.Parallel()
	level := 0
	got, err := grouping.Group(labels(40), 20, func(texts []string) ([]extract.Group, outcome.Code, error) {
		if level++; level > 2 {
			return []extract.Group{group("Two", 0, 10)}, "", nil
		}
		return bySubject(texts)
	})
	require.NoError(t, err)
	require.Empty(t, got.Rest)
	require.Len(t, got.Themes, 10, "those of the same name are one")
	require.Equal(t, grouping.Theme{Name: "Two", Description: "Two matters.", Labels: []int{0, 10, 20, 30}},
		got.Themes[slices.IndexFunc(got.Themes, func(x grouping.Theme) bool { return x.Name == "Two" })])
}

func TestRequestsThatFail(t *testing.T) {
	t.Parallel()
	t.Run("what is too long is asked in halves", func(t *testing.T) {
		t.Parallel()
		got, err := grouping.Group(labels(100), 400, func(texts []string) ([]extract.Group, outcome.Code, error) {
			if len(texts) > 60 {
				return nil, outcome.CodeModelTooLong, nil
			}
			return bySubject(texts)
		})
		require.NoError(t, err)
		require.Len(t, got.Themes, 10)
		require.Empty(t, got.Rest)
		require.Empty(t, got.Failed)
	})
	t.Run("what is refused is not grouped", func(t *testing.T) {
		t.Parallel()
		calls := 0
		got, err := grouping.Group(labels(800), 400, func(texts []string) ([]extract.Group, outcome.Code, error) {
			if calls++; calls == 1 {
				return nil, outcome.CodeModelRefused, nil
			}
			return bySubject(texts)
		})
		require.NoError(t, err)
		require.Equal(t, outcome.CodeModelRefused, got.Failed)
		require.Len(t, got.Themes, 10)
		require.Len(t, got.Rest, 400)
	})
	t.Run("garbage ends", func(t *testing.T) {
		t.Parallel()
		calls := 0
		got, err := grouping.Group(labels(400), 400, func([]string) ([]extract.Group, outcome.Code, error) {
			calls++
			return nil, outcome.CodeModelBadAnswer, nil
		})
		require.NoError(t, err)
		require.Empty(t, got.Themes)
		require.Len(t, got.Rest, 400)
		require.Less(t, calls, 100)
	})
	t.Run("an error ends it", func(t *testing.T) {
		t.Parallel()
		wanted := errors.New("later")
		_, err := grouping.Group(labels(2), 400, func([]string) ([]extract.Group, outcome.Code, error) {
			return nil, "", wanted
		})
		require.ErrorIs(t, err, wanted)
	})
}

func TestFewLabelsNeedNoRequest(t *testing.T) {
	t.Parallel()
	for n := range 2 {
		got, err := grouping.Group(labels(n), 400, nil)
		require.NoError(t, err)
		require.Empty(t, got.Themes)
		require.Len(t, got.Rest, n)
	}
}

// Whatever a model answers, no label is lost or doubled, and the number of requests is bounded.
func TestNoLabelIsLostOrDoubled(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n, size, calls := rng.IntN(300), 1+rng.IntN(60), 0
		got, err := grouping.Group(labels(n), size, func(texts []string) ([]extract.Group, outcome.Code, error) {
			calls++
			if rng.IntN(5) == 0 {
				return nil, []outcome.Code{
					outcome.CodeModelRefused, outcome.CodeModelTooLong, outcome.CodeModelBadAnswer,
				}[rng.IntN(3)], nil
			}
			var groups []extract.Group
			for range rng.IntN(len(texts) + 1) {
				g := group(fmt.Sprint("g", rng.IntN(20)))
				for range rng.IntN(5) {
					g.Labels = append(g.Labels, rng.IntN(len(texts)+4)-2)
				}
				groups = append(groups, g)
			}
			return groups, "", nil
		})
		require.NoError(t, err)
		seen := slices.Clone(got.Rest)
		for _, theme := range got.Themes {
			require.NotEmpty(t, theme.Name)
			require.GreaterOrEqual(t, len(theme.Labels), 2)
			seen = append(seen, theme.Labels...)
		}
		slices.Sort(seen)
		require.Len(t, slices.Compact(slices.Clone(seen)), n, seed)
		require.Len(t, seen, n, seed)
		require.LessOrEqual(t, calls, 16*(n/size+2), seed)
	}
}
