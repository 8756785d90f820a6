package activities

import (
	"context"

	"github.com/google/uuid"

	"research/activities/extract/grouping"
	"research/db"
)

// minProposed is how many quotes a proposed theme has at least.
const minProposed = 2

// A suggestedTheme is a group of labels with the theme that it becomes, or joins.
type suggestedTheme struct {
	id       uuid.UUID // of a theme that is proposed; uuid.Nil for one that stays as it is
	folded   string    // its name, as names are compared
	evidence []uuid.UUID
}

// writeThemes proposes the groups that are new, and suggests the quotes of those that are named like a theme
// of the project for that one. What is named like a hypothesis or an archived theme is not proposed.
func (w *themeWriting) writeThemes(ctx context.Context) error {
	names, err := w.loadNames(ctx)
	if err != nil {
		return err
	}
	w.used = map[uuid.UUID]bool{}
	kept := []uuid.UUID{}
	var suggested []suggestedTheme
	for i, theme := range w.grouped.Themes {
		s, ok := names.suggest(i, w.evidenceOf(theme))
		if !ok {
			continue
		}
		if s.id != uuid.Nil {
			if err := w.q.ProposeTheme(ctx, db.ProposeThemeParams{
				ID: s.id, ProjectID: w.run.ProjectID, Name: theme.Name, Description: theme.Description,
			}); err != nil {
				return err
			}
			kept = append(kept, s.id)
		}
		suggested = append(suggested, s)
	}
	w.proposed = len(kept)
	err = w.q.DeleteProposals(ctx, db.DeleteProposalsParams{ProjectID: w.run.ProjectID, Kept: kept})
	if err != nil {
		return err
	}
	for _, s := range suggested {
		if err := w.link(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// evidenceOf returns the quotes of a group that are suggested, each once.
func (w *themeWriting) evidenceOf(theme grouping.Theme) []uuid.UUID {
	var evidence []uuid.UUID
	seen := map[uuid.UUID]bool{uuid.Nil: true}
	for _, label := range theme.Labels {
		if id := w.ids[label]; !seen[id] {
			seen[id] = true
			evidence = append(evidence, id)
		}
	}
	return evidence
}

// link suggests quotes for a theme. A proposed one keeps no other suggestions.
func (w *themeWriting) link(ctx context.Context, s suggestedTheme) error {
	if s.id != uuid.Nil {
		err := w.q.UnlinkSuggestions(ctx, db.UnlinkSuggestionsParams{ThemeID: s.id, Kept: s.evidence})
		if err != nil {
			return err
		}
	}
	for _, id := range s.evidence {
		w.used[id] = true
	}
	return w.q.SuggestForTheme(ctx, db.SuggestForThemeParams{
		ProjectID: w.run.ProjectID, Folded: s.folded, EvidenceIds: s.evidence,
	})
}

// projectNames are the names that a project has, as names are compared, and those of groups.
type projectNames struct {
	groups     []string
	themes     map[string]db.ListThemesOfProjectRow
	byID       map[uuid.UUID]db.ListThemesOfProjectRow
	statements map[string]bool
}

func (w *themeWriting) loadNames(ctx context.Context) (projectNames, error) {
	names := projectNames{
		themes: map[string]db.ListThemesOfProjectRow{}, byID: map[uuid.UUID]db.ListThemesOfProjectRow{},
		statements: map[string]bool{},
	}
	texts := []string{}
	for _, theme := range w.grouped.Themes {
		texts = append(texts, theme.Name)
	}
	var err error
	if names.groups, err = w.q.FoldTexts(ctx, texts); err != nil {
		return names, err
	}
	statements, err := w.q.ListKnownStatements(ctx, w.run.ProjectID)
	if err != nil {
		return names, err
	}
	for _, row := range statements {
		names.statements[row.Folded] = true
	}
	themes, err := w.q.ListThemesOfProject(ctx, w.run.ProjectID)
	for _, row := range themes {
		names.themes[row.Folded], names.byID[row.ID] = row, row
	}
	return names, err
}

// suggest returns what becomes of a group. It reports false if nothing is suggested.
func (n projectNames) suggest(group int, evidence []uuid.UUID) (s suggestedTheme, ok bool) {
	s = suggestedTheme{folded: n.groups[group], evidence: evidence}
	row, exists := n.themes[s.folded]
	for range len(n.byID) { // a merged theme has its quotes elsewhere
		if !exists || row.MergedInto == nil {
			break
		}
		row, exists = n.byID[*row.MergedInto]
	}
	switch {
	case len(evidence) == 0 || exists && row.Status == db.ThemeStatusArchived:
		return s, false
	case !exists:
		s.id = uuid.New() // one made from the name could be that of a theme that was renamed
		return s, len(evidence) >= minProposed && !n.statements[s.folded]
	case row.Status == db.ThemeStatusProposed && row.Origin == db.ThemeOriginAi && !row.IsTouched:
		s.id = row.ID
		return s, len(evidence) >= minProposed
	}
	s.folded = row.Folded
	return s, true
}
