package refi

import (
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
func (b *builder) addCodes() {
	for _, c := range b.project.Codes {
		switch c.GUID {
		case themesRoot:
			b.targets[c.GUID] = target{reason: "It is coded as all themes together."}
			b.addThemes(c.Codes, nil)
		case hypothesesRoot:
			b.targets[c.GUID] = target{reason: "It is coded as all hypotheses together."}
			b.addHypotheses(c.Codes)
		default:
			b.addThemes([]qdpx.Code{c}, nil)
		}
	}
}

// addThemes plans themes below a parent, or at the top.
func (b *builder) addThemes(codes []qdpx.Code, parent *theme) {
	for _, c := range codes {
		t := b.themeOf(c, parent)
		if t == nil {
			t = b.newTheme(c, parent)
		}
		b.targets[c.GUID] = target{theme: t}
		b.themes = append(b.themes, t)
		b.takeNotes(c.NoteRefs, &t.memo, t.isKnown, "the theme "+quoteName(t.name))
		b.addThemes(c.Codes, t)
	}
}

// themeOf returns the theme of the project that a code is: one that was exported, or one of its name.
func (b *builder) themeOf(c qdpx.Code, parent *theme) *theme {
	if place, ok := b.themeGUIDs[c.GUID]; ok && !b.taken[b.themesOf[place].Folded] {
		return b.known(b.themesOf[place])
	}
	for _, name := range b.namesOf(c, parent) {
		folded := b.fold(name)
		if b.taken[folded] {
			continue
		}
		for _, row := range b.themesOf {
			if row.Folded == folded {
				return b.known(row)
			}
		}
		return nil
	}
	return nil
}

func (b *builder) known(row db.ListRefiThemesRow) *theme {
	b.taken[row.Folded] = true
	t := &theme{id: row.ID, name: row.Name, memo: row.Memo, isKnown: true, depth: b.depthOf(row)}
	if row.Status == db.ThemeStatusArchived && row.MergedInto == nil {
		b.warn("The theme %s is archived. Its quotes come there.", quoteName(row.Name))
	}
	return t
}

// depthOf returns how deep a theme of the project is.
func (b *builder) depthOf(row db.ListRefiThemesRow) int {
	for depth := 1; depth < maxDepth; depth++ {
		if row.ParentID == nil {
			return depth
		}
		for _, other := range b.themesOf {
			if other.ID == *row.ParentID {
				row = other
				break
			}
		}
	}
	return maxDepth
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
	if parent != nil {
		t.parent, t.depth = parent.id, parent.depth+1
	}
	if t.depth > maxDepth {
		t.parent, t.depth = b.above(parent), maxDepth
		b.warn("The code %s is nested more than %d deep, and comes one level higher.", quoteName(t.name), maxDepth)
	}
	return t
}

// above returns the parent of a theme that is as deep as a theme can be.
func (b *builder) above(t *theme) uuid.UUID {
	if !t.isKnown {
		return t.parent
	}
	for _, row := range b.themesOf {
		if row.ID == t.id && row.ParentID != nil {
			return *row.ParentID
		}
	}
	return uuid.Nil
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
			id = uuid.New()
			b.hypotheses = append(b.hypotheses, &hypothesis{id, statement})
		}
		b.targets[c.GUID] = target{hypothesis: id, stance: outcome.StanceNeutral}
		for _, ref := range c.NoteRefs {
			b.skipNote(ref.Target, "Hypotheses have no memo.")
		}
		for _, side := range c.Codes {
			stance := outcome.Stance(strings.ToLower(strings.TrimSpace(side.Name)))
			if !isStance(stance) {
				b.targets[side.GUID] = target{reason: "It is coded as no side of a hypothesis."}
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

// hypothesisOf returns the hypothesis of the project that a code is.
func (b *builder) hypothesisOf(c qdpx.Code) (uuid.UUID, bool) {
	if place, ok := b.hypothesisGUIDs[c.GUID]; ok {
		return b.hypothesesOf[place].ID, true
	}
	for _, row := range b.hypothesesOf {
		if row.Folded == b.fold(c.Name) {
			return row.ID, true
		}
	}
	for _, h := range b.hypotheses {
		if h.statement == c.Name {
			return h.id, true
		}
	}
	return uuid.Nil, false
}

func (b *builder) warn(format string, args ...any) {
	b.warnings = append(b.warnings, fmt.Sprintf(format, args...))
}

// quoteName returns a name for a sentence.
func quoteName(name string) string {
	return "“" + cut(strings.Join(strings.Fields(name), " "), 80) + "”"
}
