// Package grouping makes themes of the labels of what interviews say.
//
// A model says which labels belong together, and forgets some, repeats others or invents them. The package
// asks it in requests that it can answer, and makes sure that each label is in one theme or in none. It is
// pure: the calls are those of a function that it is given.
package grouping

import (
	"slices"

	"research/activities/extract"
	"research/internal/words"
	"research/outcome"
)

const (
	// maxThemes is how many themes are proposed. Of more, those with the most labels are.
	maxThemes = 60
	// minLabels is how many labels a theme has at least. Fewer are no theme.
	minLabels = 2
	// minSplit is the number of labels below which a request that failed is not divided.
	minSplit = 20
	// maxLevels bounds how often groups are grouped. With 400 labels in a request, three levels are enough for
	// millions.
	maxLevels = 4
)

// A Theme is labels that belong together, by their indexes and in their order.
type Theme struct {
	Name, Description string
	Labels            []int
}

// A Result has each label once: in a theme or in Rest.
type Result struct {
	Themes []Theme
	Rest   []int // not grouped, in their order
	// Failed is why labels could not be grouped, or "". It says nothing of the other ones.
	Failed outcome.Code
}

// Ask asks a model about labels. A failed code means that the same request would fail again. An error ends
// the grouping.
type Ask func(labels []string) (groups []extract.Group, failed outcome.Code, err error)

// Group groups labels, at most size of them by one request. If they take several requests, the groups of
// these are grouped again by their names. The same labels and answers have the same result.
func Group(labels []string, size int, ask Ask) (Result, error) {
	g := grouper{ask: ask}
	items := make([]item, len(labels))
	for i, label := range labels {
		items[i] = item{text: label, labels: []int{i}}
	}
	for level := range maxLevels {
		batches := slices.Collect(slices.Chunk(items, max(size, 1)))
		g.requests = 0
		var next []item
		for _, batch := range batches {
			groups, err := g.group(batch, level > 0)
			if err != nil {
				return Result{}, err
			}
			next = append(next, groups...)
		}
		isProgress := level == 0 || len(next) < len(items)
		items = next
		if g.requests <= 1 || !isProgress || len(items) < 2 {
			break
		}
	}
	return g.result(items, len(labels)), nil
}

// An item is a label, or a group of labels.
type item struct {
	text              string
	name, description string // of a group
	labels            []int
}

type grouper struct {
	ask      Ask
	requests int // of the level, that were answered or failed
	failed   outcome.Code
}

// group returns the groups of items. Of groups, those that belong to no other one stay as they are; labels
// that do are dropped. A request that fails is made in halves.
func (g *grouper) group(items []item, areGroups bool) ([]item, error) {
	if len(items) < 2 {
		if areGroups {
			return items, nil
		}
		return nil, nil
	}
	texts := make([]string, len(items))
	for i, it := range items {
		texts[i] = it.text
	}
	groups, failed, err := g.ask(texts)
	if err != nil {
		return nil, err
	}
	if failed == "" {
		g.requests++
		return join(items, groups, areGroups), nil
	}
	if isOfLength(failed) && len(items) >= minSplit {
		half := len(items) / 2
		first, err := g.group(items[:half], areGroups)
		if err != nil {
			return nil, err
		}
		second, err := g.group(items[half:], areGroups)
		return append(first, second...), err
	}
	g.requests++
	g.failed = failed
	if areGroups {
		return items, nil
	}
	return nil, nil
}

// isOfLength reports whether a shorter request may succeed where another one failed.
func isOfLength(failed outcome.Code) bool {
	return failed == outcome.CodeModelTooLong || failed == outcome.CodeModelBadAnswer
}

// join makes groups of items. An item is in the first group that has it, and in no other one. Groups with the
// same name are one.
func join(items []item, groups []extract.Group, areGroups bool) []item {
	taken := make([]bool, len(items))
	byName := map[string]int{}
	var joined []item
	for _, group := range groups {
		made := item{name: group.Name, description: group.Description}
		for _, i := range group.Labels {
			if i >= 0 && i < len(items) && !taken[i] {
				taken[i] = true
				made.labels = append(made.labels, items[i].labels...)
			}
		}
		if len(made.labels) == 0 {
			continue
		}
		made.text = made.name
		if made.description != "" {
			made.text += ": " + made.description
		}
		if same, ok := byName[words.Fold(made.name)]; ok {
			joined[same].labels = append(joined[same].labels, made.labels...)
			continue
		}
		byName[words.Fold(made.name)] = len(joined)
		joined = append(joined, made)
	}
	if areGroups {
		for i, it := range items {
			if !taken[i] {
				joined = append(joined, it)
			}
		}
	}
	return joined
}

// result returns the themes of the items, and the labels that are in none.
func (g *grouper) result(items []item, labels int) Result {
	r := Result{Failed: g.failed}
	byName := map[string]int{}
	for _, it := range items {
		name := words.Fold(it.name)
		if same, ok := byName[name]; ok {
			r.Themes[same].Labels = append(r.Themes[same].Labels, it.labels...)
			continue
		}
		byName[name] = len(r.Themes)
		r.Themes = append(r.Themes, Theme{it.name, it.description, it.labels})
	}
	r.Themes = slices.DeleteFunc(r.Themes, func(t Theme) bool { return len(t.Labels) < minLabels })
	slices.SortStableFunc(r.Themes, func(a, b Theme) int { return len(b.Labels) - len(a.Labels) })
	r.Themes = r.Themes[:min(len(r.Themes), maxThemes)]
	isGrouped := make([]bool, labels)
	for _, t := range r.Themes {
		slices.Sort(t.Labels)
		for _, label := range t.Labels {
			isGrouped[label] = true
		}
	}
	for label, grouped := range isGrouped {
		if !grouped {
			r.Rest = append(r.Rest, label)
		}
	}
	return r
}
