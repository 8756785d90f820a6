package refi

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"research/api/refi/qdpx"
	"research/db"
	"research/outcome"
)

// Limits of themes and hypotheses in the database, in characters.
const (
	maxThemeName   = 120
	maxDescription = 2000
	maxStatement   = 2000
	maxDepth       = 4
)

// themeName returns the name of a code as a theme can have it.
func themeName(name string) string {
	name = strings.Join(strings.Fields(name), " ")
	if name == "" {
		name = "Unnamed code"
	}
	return cut(name, maxThemeName)
}

// nameWithin returns a name that tells a code from others of its name.
func nameWithin(name, parent string) string {
	const most = maxThemeName/2 - 2
	return cut(name, most) + " (" + cut(parent, most) + ")"
}

// countCodes counts codes at all levels.
func countCodes(codes []qdpx.Code) int {
	n := len(codes)
	for _, c := range codes {
		n += countCodes(c.Codes)
	}
	return n
}

// candidateNames lists the names that the themes of codes may have.
func candidateNames(codes []qdpx.Code) []string {
	var names []string
	var walk func(codes []qdpx.Code, parent string)
	walk = func(codes []qdpx.Code, parent string) {
		for _, c := range codes {
			name := themeName(c.Name)
			names = append(names, name, c.Name)
			if parent != "" {
				names = append(names, nameWithin(name, parent))
			}
			walk(c.Codes, name)
		}
	}
	walk(codes, "")
	return names
}

// addCodes plans what becomes of the codes.
func (b *builder) addCodes(ctx context.Context) error {
	for _, c := range b.project.Codes {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch c.GUID {
		case themesRoot:
			b.targets[c.GUID] = target{reason: "It is coded as all themes together."}
			if err := b.addThemes(ctx, c.Codes, nil); err != nil {
				return err
			}
		case hypothesesRoot:
			b.targets[c.GUID] = target{reason: "It is coded as all hypotheses together."}
			b.addHypotheses(c.Codes)
		default:
			if err := b.addThemes(ctx, []qdpx.Code{c}, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// addThemes plans themes below a parent, or at the top.
func (b *builder) addThemes(ctx context.Context, codes []qdpx.Code, parent *theme) error {
	for _, c := range codes {
		if err := ctx.Err(); err != nil {
			return err
		}
		t := b.themeOf(c, parent)
		if t == nil {
			t = b.newTheme(c, parent)
		}
		b.targets[c.GUID] = target{theme: t}
		b.themes = append(b.themes, t)
		err := b.takeNotes(c.NoteRefs, &t.memo, t.isKnown, "the theme "+quoteName(t.name))
		if err == nil {
			err = b.addThemes(ctx, c.Codes, t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// themeOf returns the theme of the project that a code is: one that was exported, or one of its name.
func (b *builder) themeOf(c qdpx.Code, parent *theme) *theme {
	if row, ok := b.has.themes.byGUID[c.GUID]; ok && !b.taken[row.Folded] {
		return b.known(c, row)
	}
	for _, name := range b.namesOf(c, parent) {
		folded := b.fold(name)
		if b.taken[folded] {
			continue
		}
		if row, ok := b.has.themes.byName[folded]; ok {
			return b.known(c, row)
		}
		return nil
	}
	return nil
}

// known returns a theme of the project, or the one that it was merged into.
func (b *builder) known(c qdpx.Code, row db.ListRefiThemesRow) *theme {
	b.taken[row.Folded] = true
	now := b.has.current(row)
	t := &theme{
		id: now.ID, name: now.Name, memo: now.Memo, isKnown: true, depth: b.has.depthOf(now),
		isArchived: now.Status == db.ThemeStatusArchived,
	}
	switch {
	case t.isArchived:
		b.warn("The theme %s is archived. Its quotes come there.", quoteName(now.Name))
	case now.ID != row.ID:
		b.warn("The theme %s was merged into %s. Its quotes come there.", quoteName(row.Name), quoteName(now.Name))
	}
	if text := strings.TrimSpace(c.Description); text != "" && text != strings.TrimSpace(now.Description) {
		b.warn("The theme %s is here already and keeps its description.", quoteName(now.Name))
	}
	return t
}

// namesOf returns the names that the theme of a code may have, the best first.
func (b *builder) namesOf(c qdpx.Code, parent *theme) []string {
	name := themeName(c.Name)
	names := []string{name}
	if parent != nil {
		names = append(names, nameWithin(name, parent.name))
	}
	for n := 2; n <= 50; n++ {
		names = append(names, fmt.Sprintf("%s (%d)", cut(name, maxThemeName-5), n))
	}
	return names
}

// fold returns a name as names are compared.
func (b *builder) fold(name string) string {
	if folded, ok := b.folded[name]; ok {
		return folded
	}
	// A name with a number: its letters are those of a name that the database has folded.
	return strings.ToLower(name)
}

func (b *builder) newTheme(c qdpx.Code, parent *theme) *theme {
	t := &theme{id: uuid.New(), description: strings.TrimSpace(c.Description), color: colorOf(c.Color), depth: 1}
	for _, name := range b.namesOf(c, parent) {
		if folded := b.fold(name); !b.taken[folded] {
			b.taken[folded], t.name = true, name
			break
		}
	}
	if t.name == "" {
		t.name = cut(t.id.String()+" "+themeName(c.Name), maxThemeName)
	}
	if t.name != strings.TrimSpace(c.Name) {
		b.warn("The code %s becomes the theme %s.", quoteName(c.Name), quoteName(t.name))
	}
	if cut(t.description, maxDescription) != t.description {
		b.warn("The description of the theme %s is cut to %d characters.", quoteName(t.name), maxDescription)
		t.description = cut(t.description, maxDescription)
	}
	if parent == nil || parent.isArchived {
		return t // below an archived theme, nobody would see it
	}
	t.parent, t.depth = parent.id, parent.depth+1
	if t.depth > maxDepth {
		t.parent, t.depth = b.above(parent), maxDepth
		b.warn("The code %s is moved up to the fourth level, which is the deepest.", quoteName(t.name))
	}
	return t
}

// above returns the parent of a theme that is as deep as a theme can be.
func (b *builder) above(t *theme) uuid.UUID {
	if row, ok := b.has.themes.byID[t.id]; ok && row.ParentID != nil {
		return *row.ParentID
	}
	return t.parent
}

// colorOf returns a color as #rrggbb, or "" for what is none.
func colorOf(color string) string {
	digits, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(color)), "#")
	if !ok || strings.Trim(digits, "0123456789abcdef") != "" {
		return ""
	}
	switch len(digits) {
	case 6:
		return "#" + digits
	case 3:
		return "#" + strings.Repeat(digits[:1], 2) + strings.Repeat(digits[1:2], 2) + strings.Repeat(digits[2:], 2)
	}
	return ""
}

// addHypotheses plans the hypotheses of one of our own files.
func (b *builder) addHypotheses(codes []qdpx.Code) {
	for _, c := range codes {
		id, ok := b.hypothesisOf(c)
		if !ok {
			statement := cut(strings.TrimSpace(c.Name), maxStatement)
			if statement == "" {
				b.skip("code", "Unnamed hypothesis", "It has no statement.")
				continue
			}
			id = b.newHypothesis(c, statement)
		}
		b.targets[c.GUID] = target{hypothesis: id, stance: outcome.StanceNeutral}
		for _, ref := range c.NoteRefs {
			b.skipNote(ref.Target, "Hypotheses have no memo.")
		}
		for _, side := range c.Codes {
			stance := outcome.Stance(strings.ToLower(strings.TrimSpace(side.Name)))
			if !isStance(stance) {
				b.targets[side.GUID] = target{reason: "This code is none of supports, contradicts and neutral."}
				b.skip("code", side.Name, "A hypothesis has the codes supports, contradicts and neutral only.")
				continue
			}
			b.targets[side.GUID] = target{hypothesis: id, stance: stance}
		}
	}
}

func isStance(s outcome.Stance) bool {
	for _, side := range stances {
		if side.stance == s {
			return true
		}
	}
	return false
}

// hypothesisOf returns the hypothesis of the project, or of a code before, that a code is.
func (b *builder) hypothesisOf(c qdpx.Code) (uuid.UUID, bool) {
	row, ok := b.has.hypotheses.byGUID[c.GUID]
	if !ok {
		row, ok = b.has.hypotheses.byName[b.fold(c.Name)]
	}
	if !ok {
		id, ok := b.added[b.fold(c.Name)]
		return id, ok
	}
	if text := strings.TrimSpace(c.Description); text != "" && text != strings.TrimSpace(verdictOf(row)) {
		b.warn("The hypothesis %s is here already and keeps its verdict, and what would refute it.",
			quoteName(row.Statement))
	}
	return row.ID, true
}

// newHypothesis plans a hypothesis. What would refute it comes with it, but no verdict: that is a decision of
// those who know the evidence here.
func (b *builder) newHypothesis(c qdpx.Code, statement string) uuid.UUID {
	h := &hypothesis{id: uuid.New(), statement: statement}
	decided := c.Description
	if before, after, ok := strings.Cut("\n"+c.Description, "\n"+wrongIf); ok {
		decided, h.falsifiedIf = before, cut(strings.TrimSpace(after), maxText)
	}
	open := verdictOf(db.ListRefiHypothesesRow{Status: db.HypothesisStatusUntested})
	if text := strings.TrimSpace(decided); text != "" && text != open {
		b.warn("The hypothesis %s comes without its verdict: %s", quoteName(statement), quoteName(text))
	}
	b.hypotheses = append(b.hypotheses, h)
	b.added[b.fold(c.Name)] = h.id
	return h.id
}

// quoteName returns a name for a sentence.
func quoteName(name string) string {
	return "“" + cut(strings.Join(strings.Fields(name), " "), 80) + "”"
}
