package refi

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"research/api/refi/qdpx"
	"research/db"
	"research/outcome"
	"research/transcript"
)

// What an import has at most. The limit of quotes keeps it below what the database lets a user write in a
// minute, so that a large import does not fail at its end.
const (
	maxSources   = 2000
	maxTexts     = 32 << 20 // bytes of all texts
	maxNewQuotes = 8000
	maxLinks     = 10_000
	maxCodes     = 2000

	maxSkippedName = 120 // characters
)

// A plan is what comes of a file: it is complete before anything is stored.
type plan struct {
	sources, users int
	themes         []*theme      // parents before their children
	hypotheses     []*hypothesis // that are new
	interviews     []*interview
	imports        map[uuid.UUID]bool // that the project had
	skipped        []skipped
	warnings       []string
}

// Skipped is something of a file that does not come, and why.
type skipped struct {
	What   string `json:"what"` // source, coding, code, note, case, link, set, graph or recording
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// A theme is what a code becomes.
type theme struct {
	id, parent        uuid.UUID
	name, description string
	memo, color       string
	isKnown           bool // the project has it
	depth             int  // 1 at the top
}

// A hypothesis is what a code of one of our own files becomes.
type hypothesis struct {
	id        uuid.UUID
	statement string
}

// An interview is what a source becomes.
type interview struct {
	id       uuid.UUID // zero until it is stored
	isKnown  bool      // the project has it
	title    string
	filename string
	data     []byte
	on       time.Time
	layout   transcript.Layout
	reading  transcript.Reading
	read     *transcript.Transcript // nil if the project has it
	body     string
	quotes   []*quote
	bySpan   map[qdpx.Span]*quote
}

// A quote is what a selection becomes, or several of the same words.
type quote struct {
	id        uuid.UUID
	isKnown   bool // the project has it
	span      qdpx.Span
	summary   string
	rationale string
	memo      string
	themes    []uuid.UUID
	stances   []stanceOf
}

type stanceOf struct {
	hypothesis uuid.UUID
	stance     outcome.Stance
}

// add adds texts that are not there yet.
func add(text, more string) string {
	more = strings.TrimSpace(more)
	switch {
	case more == "" || strings.Contains(text, more):
		return text
	case text == "":
		return more
	}
	return text + "\n\n" + more
}

func (p *plan) imported() int {
	n := 0
	for _, i := range p.interviews {
		if !i.isKnown {
			n++
		}
	}
	return n
}

func (p *plan) countQuotes() int {
	n := 0
	for _, i := range p.interviews {
		n += i.newQuotes()
	}
	return n
}

func (i *interview) newQuotes() int {
	n := 0
	for _, q := range i.quotes {
		if !q.isKnown {
			n++
		}
	}
	return n
}

func (p *plan) skip(what, name, reason string) {
	name = cut(strings.Join(strings.Fields(name), " "), maxSkippedName)
	p.skipped = append(p.skipped, skipped{what, name, reason})
}

// A builder makes a plan of a file.
type builder struct {
	plan
	projectID uuid.UUID
	file      *qdpx.File
	project   *qdpx.Project

	themesOf     []db.ListRefiThemesRow // of the project
	hypothesesOf []db.ListRefiHypothesesRow
	importsOf    []db.ListRefiImportsRow
	folded       map[string]string // names of codes as names are compared

	targets map[qdpx.GUID]target // of codes
	taken   map[string]bool      // folded names of themes that codes of this file have
	notes   map[qdpx.GUID]*note
	people  map[qdpx.GUID][]string // names of the cases of each source
	authors map[qdpx.GUID]string   // names of users
	used    map[uuid.UUID]bool     // imports of the project that sources of this file are
	unread  int64                  // bytes of texts that may still be read

	themeGUIDs, hypothesisGUIDs, importGUIDs map[qdpx.GUID]int // of what the project has
}

// A target is what a coding with a code becomes.
type target struct {
	theme      *theme
	hypothesis uuid.UUID
	stance     outcome.Stance
	reason     string // why it becomes nothing
}

func newBuilder(id uuid.UUID, file *qdpx.File) *builder {
	p := file.Project
	b := &builder{
		projectID: id, file: file, project: p, targets: map[qdpx.GUID]target{}, taken: map[string]bool{},
		notes: map[qdpx.GUID]*note{}, people: map[qdpx.GUID][]string{}, authors: map[qdpx.GUID]string{},
		used: map[uuid.UUID]bool{}, unread: maxTexts,
	}
	b.users = len(p.Users)
	for _, u := range p.Users {
		b.authors[u.GUID] = u.Name
	}
	for i := range p.Notes {
		b.notes[p.Notes[i].GUID] = &note{source: &p.Notes[i]}
	}
	for _, c := range p.Cases {
		for _, ref := range c.SourceRefs {
			b.people[ref.Target] = append(b.people[ref.Target], c.Name)
		}
	}
	return b
}

// readProject reads what the project has. Its error is db.ErrNotFound if the caller does not see it.
func (b *builder) readProject(ctx context.Context, q *db.Queries) (err error) {
	if _, err = q.GetProject(ctx, b.projectID); err != nil {
		return err
	}
	const most = maxRows + 1
	b.themesOf, err = few(q.ListRefiThemes(ctx, db.ListRefiThemesParams{ProjectID: b.projectID, Most: most}))
	if err != nil {
		return err
	}
	b.hypothesesOf, err = few(q.ListRefiHypotheses(ctx, db.ListRefiHypothesesParams{
		ProjectID: b.projectID, Most: most,
	}))
	if err != nil {
		return err
	}
	b.importsOf, err = few(q.ListRefiImports(ctx, db.ListRefiImportsParams{ProjectID: b.projectID, Most: most}))
	if err != nil {
		return err
	}
	b.themeGUIDs = indexed("theme", b.themesOf, func(r db.ListRefiThemesRow) uuid.UUID { return r.ID })
	b.hypothesisGUIDs = indexed("hypothesis", b.hypothesesOf, func(r db.ListRefiHypothesesRow) uuid.UUID {
		return r.ID
	})
	b.imports = map[uuid.UUID]bool{}
	for _, row := range b.importsOf {
		b.imports[row.ID] = true
	}
	b.importGUIDs = indexed("import", b.importsOf, func(r db.ListRefiImportsRow) uuid.UUID { return r.ID })
	return b.foldNames(ctx, q)
}

// indexed returns the places of rows by their guids in exports.
func indexed[T any](kind string, rows []T, id func(T) uuid.UUID) map[qdpx.GUID]int {
	places := make(map[qdpx.GUID]int, len(rows))
	for i, row := range rows {
		places[guidOf(kind, id(row))] = i
	}
	return places
}

// foldNames asks the database how names of codes are compared.
func (b *builder) foldNames(ctx context.Context, q *db.Queries) error {
	names := candidateNames(b.project.Codes)
	if len(names) > 8*maxCodes {
		return &qdpx.Error{Reason: fmt.Sprintf("It has more than %d codes.", maxCodes), TooLarge: true}
	}
	folded, err := q.FoldNames(ctx, names)
	b.folded = map[string]string{}
	for i, name := range folded {
		b.folded[names[i]] = name
	}
	return err
}

// finish checks the limits, lists what is left, and returns the plan.
func (b *builder) finish() (*plan, error) {
	links := 0
	for _, i := range b.interviews {
		for _, q := range i.quotes {
			links += len(q.themes) + len(q.stances)
		}
	}
	switch {
	case len(b.targets) > maxCodes:
		return nil, &qdpx.Error{Reason: fmt.Sprintf("It has more than %d codes.", maxCodes), TooLarge: true}
	case b.countQuotes() > maxNewQuotes || links > maxLinks:
		return nil, &qdpx.Error{TooLarge: true, Reason: fmt.Sprintf(
			"It has more than %d quotes, or more than %d codings of them.", maxNewQuotes, maxLinks)}
	}
	b.skipRest()
	return &b.plan, nil
}

// skipRest lists what is not imported from any file.
func (b *builder) skipRest() {
	p := b.project
	for _, source := range p.Pictures {
		b.skip("source", source.Name, "Pictures are not imported.")
	}
	if n := len(p.Cases); n > 0 {
		b.skip("case", counted(n, "case", "cases"),
			"People come from the labels of the transcripts. Persona and attributes are set there.")
	}
	for _, kind := range []struct {
		what string
		all  []qdpx.Named
	}{{"link", p.Links}, {"set", p.Sets}, {"graph", p.Graphs}} {
		if n := len(kind.all); n > 0 {
			b.skip(kind.what, counted(n, kind.what, kind.what+"s"), "There is nothing here that it could become.")
		}
	}
	for _, n := range p.Notes {
		if one := b.notes[n.GUID]; !one.isUsed {
			b.skip("note", cmp.Or(n.Name, "Note"), "It is about no quote and no code that comes.")
		}
	}
	slices.SortStableFunc(b.plan.skipped, func(a, c skipped) int {
		return cmp.Compare(rank(a.What), rank(c.What))
	})
}

// rank sorts what is skipped: the most important first.
func rank(what string) int {
	order := []string{"source", "coding", "code", "note"}
	if place := slices.Index(order, what); place >= 0 {
		return place
	}
	return len(order)
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
