package refi

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"research/api/admission"
	"research/api/refi/qdpx"
	"research/api/token"
	"research/db"
)

// exportProject responds with a project as a .qdpx.
func (s *server) exportProject(w http.ResponseWriter, r *http.Request) error {
	return s.export(w, r, "qdpx", "application/zip", func(ctx context.Context, p *project) error {
		return s.writeProject(ctx, w, p)
	})
}

// exportCodebook responds with the themes and hypotheses of a project as a .qdc.
func (s *server) exportCodebook(w http.ResponseWriter, r *http.Request) error {
	return s.export(w, r, "qdc", "application/xml", func(_ context.Context, p *project) error {
		return qdpx.WriteCodebook(w, origin, p.codes())
	})
}

// export reads a project, records its export, and responds with what write writes.
func (s *server) export(
	w http.ResponseWriter, r *http.Request, format, contentType string,
	write func(context.Context, *project) error,
) error {
	ctx := r.Context()
	id, err := projectID(r)
	if err != nil {
		return err
	}
	ticket, err := s.exports.Enter(ctx, admission.Caller{User: token.From(ctx).UserID})
	if err != nil {
		return err
	}
	defer ticket.Leave()
	p := &project{id: id, at: time.Now()}
	err = s.as(ctx, func(q *db.Queries) error {
		if err := p.read(ctx, q); err != nil || r.Method == http.MethodHead {
			return err
		}
		recorded, err := q.RecordExport(ctx, db.RecordExportParams{
			ProjectID: id, Format: format, Quotes: int32(p.quotes),
		})
		if err == nil && !recorded {
			err = errNoProject // the caller has left the workspace since
		}
		return err
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Disposition", `attachment; filename="project.`+format+`"`)
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		return nil
	}
	if err := write(ctx, p); err != nil {
		s.Log.WarnContext(ctx, "export of a project ended early", "project_id", id, "error", err)
		panic(http.ErrAbortHandler) // the client sees that the file is incomplete
	}
	return nil
}

// writeProject writes a .qdpx. Each interview is read in a transaction of its own, so that a slow client does
// not occupy a connection of the database.
func (s *server) writeProject(ctx context.Context, w http.ResponseWriter, p *project) error {
	out := qdpx.NewWriter(w, p.at)
	described := p.describe()
	for _, i := range p.imports {
		source, text, err := s.readSource(ctx, p, i, described)
		if err != nil {
			return err
		}
		if source.PlainTextPath, err = out.AddText(source.GUID, text); err != nil {
			return err
		}
		described.Texts = append(described.Texts, source)
	}
	loose, err := s.readQuotes(ctx, p, nil)
	if err != nil {
		return err
	}
	for _, q := range loose.quotes {
		described.NoteRefs = append(described.NoteRefs, p.noteUnplaced(described, q)...)
	}
	p.addSelections(described)
	return out.Close(described)
}

// readSource reads an interview with its quotes.
func (s *server) readSource(
	ctx context.Context, p *project, i db.ListRefiImportsRow, described *qdpx.Project,
) (qdpx.Source, string, error) {
	var row db.GetRefiTurnsRow
	var quoted quoted
	err := s.as(ctx, func(q *db.Queries) (err error) {
		if row, err = q.GetRefiTurns(ctx, i.ID); err != nil {
			return err
		}
		quoted, err = p.readQuotes(ctx, q, &i.ID)
		return err
	})
	if err != nil {
		return qdpx.Source{}, "", err
	}
	source, text := p.source(i, row, quoted, described)
	return source, text, nil
}

func (s *server) readQuotes(ctx context.Context, p *project, importID *uuid.UUID) (read quoted, err error) {
	err = s.as(ctx, func(q *db.Queries) error {
		read, err = p.readQuotes(ctx, q, importID)
		return err
	})
	return read, err
}

// as runs a transaction as the caller, when it is the caller's turn.
func (s *server) as(ctx context.Context, work func(*db.Queries) error) error {
	subject := token.From(ctx)
	caller := admission.Caller{User: subject.UserID, Trusted: subject.Role == db.RoleService}
	return s.Statements.Do(ctx, caller, func() error { return s.Store.AsUser(ctx, subject, work) })
}

// A project is what is exported of one, without its interviews.
type project struct {
	id uuid.UUID
	at time.Time

	name, description string
	quotes            int64
	users             []db.ListRefiUsersRow
	themes            []db.ListRefiThemesRow
	hypotheses        []db.ListRefiHypothesesRow
	people            []db.ListRefiParticipantsRow
	imports           []db.ListRefiImportsRow
	speakers          map[uuid.UUID][]db.ListRefiSpeakersRow // by import
	comments          map[uuid.UUID][]db.ListRefiCommentsRow // by quote or theme
	questions         []db.ListRefiQuestionsRow

	known      map[uuid.UUID]bool        // users, themes and hypotheses that are described
	selections map[uuid.UUID][]qdpx.GUID // of the quotes of each person
}

// read reads the project. Its error is db.ErrNotFound if the caller does not see it.
func (p *project) read(ctx context.Context, q *db.Queries) error {
	row, err := q.GetProject(ctx, p.id)
	if err != nil {
		return err
	}
	p.name, p.description = row.Name, row.Description
	if p.quotes, err = q.CountRefiQuotes(ctx, db.CountRefiQuotesParams{
		ProjectID: p.id, Most: maxQuotes + 1,
	}); err != nil {
		return err
	}
	if p.quotes > maxQuotes {
		return errProjectTooLarge
	}
	const most = maxRows + 1
	p.users, err = few(q.ListRefiUsers(ctx, db.ListRefiUsersParams{ProjectID: p.id, Most: most}))
	if err != nil {
		return err
	}
	themes, err := few(q.ListRefiThemes(ctx, db.ListRefiThemesParams{ProjectID: p.id, Most: most}))
	if err != nil {
		return err
	}
	p.themes = slices.DeleteFunc(themes, func(t db.ListRefiThemesRow) bool {
		return t.Status != db.ThemeStatusActive
	})
	if p.hypotheses, err = few(q.ListRefiHypotheses(ctx, db.ListRefiHypothesesParams{
		ProjectID: p.id, Most: most,
	})); err != nil {
		return err
	}
	if p.people, err = few(q.ListRefiParticipants(ctx, db.ListRefiParticipantsParams{
		ProjectID: p.id, Most: most,
	})); err != nil {
		return err
	}
	if p.imports, err = few(q.ListRefiImports(ctx, db.ListRefiImportsParams{
		ProjectID: p.id, Most: most,
	})); err != nil {
		return err
	}
	return p.readRest(ctx, q)
}

func (p *project) readRest(ctx context.Context, q *db.Queries) error {
	speakers, err := q.ListRefiSpeakers(ctx, db.ListRefiSpeakersParams{ProjectID: p.id, Most: maxQuotes})
	if err != nil {
		return err
	}
	p.speakers = map[uuid.UUID][]db.ListRefiSpeakersRow{}
	for _, one := range speakers {
		p.speakers[one.ImportID] = append(p.speakers[one.ImportID], one)
	}
	comments, err := few(q.ListRefiComments(ctx, db.ListRefiCommentsParams{ProjectID: p.id, Most: maxRows + 1}))
	if err != nil {
		return err
	}
	p.comments = map[uuid.UUID][]db.ListRefiCommentsRow{}
	for _, c := range comments {
		subject := c.ThemeID
		if c.EvidenceID != nil {
			subject = c.EvidenceID
		}
		p.comments[*subject] = append(p.comments[*subject], c)
	}
	p.questions, err = few(q.ListRefiQuestions(ctx, db.ListRefiQuestionsParams{
		ProjectID: p.id, Most: maxRows + 1,
	}))
	p.selections, p.known = map[uuid.UUID][]qdpx.GUID{}, map[uuid.UUID]bool{}
	for _, m := range p.users {
		p.known[m.UserID] = true
	}
	for _, t := range p.themes {
		p.known[t.ID] = true
	}
	for _, h := range p.hypotheses {
		p.known[h.ID] = true
	}
	return err
}

// quoted are quotes with what they are coded as.
type quoted struct {
	quotes  []db.ListRefiQuotesRow
	stances map[uuid.UUID][]db.ListRefiStancesRow    // by quote
	themes  map[uuid.UUID][]db.ListRefiThemeLinksRow // by quote
}

// readQuotes reads the quotes of an import, or those of none.
func (p *project) readQuotes(
	ctx context.Context, q *db.Queries, importID *uuid.UUID,
) (read quoted, err error) {
	read.quotes, err = q.ListRefiQuotes(ctx, db.ListRefiQuotesParams{
		ProjectID: p.id, ImportID: importID, Most: maxQuotes,
	})
	if err != nil {
		return read, err
	}
	ids := make([]uuid.UUID, len(read.quotes))
	for i, one := range read.quotes {
		ids[i] = one.ID
	}
	stances, err := q.ListRefiStances(ctx, ids)
	if err != nil {
		return read, err
	}
	read.stances = map[uuid.UUID][]db.ListRefiStancesRow{}
	for _, l := range stances {
		read.stances[l.EvidenceID] = append(read.stances[l.EvidenceID], l)
	}
	links, err := q.ListRefiThemeLinks(ctx, ids)
	read.themes = map[uuid.UUID][]db.ListRefiThemeLinksRow{}
	for _, l := range links {
		read.themes[l.EvidenceID] = append(read.themes[l.EvidenceID], l)
	}
	return read, err
}
