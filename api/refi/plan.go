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

	// These bound the work of a plan. Files of other programs repeat a selection for each of its codes.
	maxSelections = 50_000
	maxSelected   = 128 << 20 // bytes of all selections
	maxNoteRefs   = 20_000
	maxNoteTexts  = 32 << 20 // bytes

	maxSkippedName = 120 // characters
)

var (
	errCodes  = tooLarge("It has more than %d codes.", maxCodes)
	errQuotes = tooLarge("It has more than %d quotes, or more than %d codings of them.", maxNewQuotes, maxLinks)
	errWork   = tooLarge("It has more than %d selections, or selections of more than %d MB.", maxSelections,
		maxSelected>>20)
	errNotes = tooLarge("It has notes of more than %d MB, or more than %d references to them.", maxNoteTexts>>20,
		maxNoteRefs)
)

func tooLarge(format string, args ...any) *qdpx.Error {
	return &qdpx.Error{Reason: fmt.Sprintf(format, args...), TooLarge: true}
}

// A plan is what comes of a file: it is complete before anything is stored.
type plan struct {
	sources, users int
	themes         []*theme      // parents before their children
	hypotheses     []*hypothesis // that are new
	interviews     []*interview
	imports        map[uuid.UUID]bool // that the project had
	skipped        []skipped          // at most maxListed of a kind
	skippedCount   int
	warnings       []string // at most maxListed
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
	isArchived        bool // its quotes come there, but no new themes below it
	depth             int  // 1 at the top
}

// A hypothesis is what a code of one of our own files becomes.
type hypothesis struct {
	id          uuid.UUID
	statement   string
	falsifiedIf string
}

// An interview is what a source becomes.
type interview struct {
	id       uuid.UUID // zero until it is stored
	isKnown  bool      // the project has it
	title    string
	filename string
	data     []byte
	text     string // the data
	on       time.Time
	layout   transcript.Layout
	reading  transcript.Reading
	read     *transcript.Transcript // nil if the project has it
	body     string
	quotes   []*quote
	kept     int // of them, as they are in the project
	bySpan   map[qdpx.Span]*quote
}

// A quote is what a selection becomes, or several of the same words.
type quote struct {
	id        uuid.UUID
	isKnown   bool // the project has it
	isUsed    bool // a selection of the file is it
	isKept    bool // the file says something else of it than the project
	span      qdpx.Span
	summary   string
	rationale string
	memo      string
	themes    []uuid.UUID // new
	stances   []stanceOf  // new

	isRejected bool                         // the project has rejected it
	coded      map[uuid.UUID]outcome.Stance // themes, with "", and hypotheses that it has, or gets
	rejected   map[uuid.UUID]bool           // themes that it was taken from
}

type stanceOf struct {
	hypothesis uuid.UUID
	stance     outcome.Stance
}

// add adds texts that are not there yet.
func add(text, more string) string {
	more = strings.TrimSpace(more)
	switch {
	case more == "" || len(more) <= len(text) && strings.Contains(text, more):
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

// countCodings counts what quotes that the project has are newly coded as.
func (p *plan) countCodings() int {
	n := 0
	for _, i := range p.interviews {
		for _, q := range i.quotes {
			if q.isKnown {
				n += len(q.themes) + len(q.stances)
			}
		}
	}
	return n
}

func (b *builder) skip(what, name, reason string) {
	b.skippedCount++
	if b.listed[what]++; b.listed[what] > maxListed {
		return
	}
	name = name[:min(len(name), 8*maxSkippedName)] // it may be a whole interview
	name = cut(strings.Join(strings.Fields(strings.ToValidUTF8(name, "")), " "), maxSkippedName)
	b.skipped = append(b.skipped, skipped{what, name, reason})
}

func (b *builder) warn(format string, args ...any) {
	if len(b.warnings) < maxListed {
		b.warnings = append(b.warnings, fmt.Sprintf(format, args...))
	}
}

// A builder makes a plan of a file.
type builder struct {
	plan
	projectID uuid.UUID
	file      *qdpx.File
	project   *qdpx.Project

	has    existing
	folded map[string]string // names of codes as names are compared
	listed map[string]int    // what is skipped, by kind

	targets map[qdpx.GUID]target // of codes
	taken   map[string]bool      // folded names of themes that codes of this file have
	notes   map[qdpx.GUID]*note
	people  map[qdpx.GUID][]string // names of the cases of each source
	authors map[qdpx.GUID]string   // names of users
	used    map[uuid.UUID]bool     // imports of the project that sources of this file are
	unread  int64                  // bytes of texts that may still be read

	unreadNotes int64                // bytes of notes that may still be read
	unselected  int                  // bytes that may still be selected
	selections  int                  // that were planned
	newQuotes   int                  // of all interviews
	links       int                  // of all quotes
	noteRefs    int                  // that were followed
	added       map[string]uuid.UUID // hypotheses that are new, by their folded statements
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
		used: map[uuid.UUID]bool{}, listed: map[string]int{}, added: map[string]uuid.UUID{},
		unread: maxTexts, unreadNotes: maxNoteTexts, unselected: maxSelected,
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

// foldNames asks the database how names of codes are compared.
func (b *builder) foldNames(ctx context.Context, q *db.Queries) error {
	if countCodes(b.project.Codes) > maxCodes {
		return errCodes
	}
	names := candidateNames(b.project.Codes)
	folded, err := q.FoldNames(ctx, names)
	b.folded = map[string]string{}
	for i, name := range folded {
		b.folded[names[i]] = name
	}
	return err
}

// finish lists what is left, and returns the plan.
func (b *builder) finish() *plan {
	b.skipRest()
	return &b.plan
}

// skipRest lists what is not imported from any file.
func (b *builder) skipRest() {
	p := b.project
	if text := strings.TrimSpace(p.Description); text != "" && text != strings.TrimSpace(b.has.description) {
		b.skip("note", "Description of the project", "The project here keeps its own.")
	}
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
