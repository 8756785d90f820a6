package projects

import (
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"research/api/projects/guide"
	"research/db"
)

// What is read of a project at most. A project has dozens.
const (
	maxHypotheses = 2000
	maxPlanned    = 2000
	maxPersonas   = 200
)

// getGuide responds with the guide of the next interview, as JSON or as Markdown.
func (s *server) getGuide(w http.ResponseWriter, r *http.Request) error {
	asMarkdown, err := wantsMarkdown(r)
	if err != nil {
		return err
	}
	var project guide.Project
	var name string
	err = s.read(r, func(q *db.Queries, id uuid.UUID) (err error) {
		project, name, err = readProject(r.Context(), q, id)
		return err
	})
	if err != nil {
		return err
	}
	made := guide.Make(project)
	w.Header().Add("Vary", "Accept")
	if !asMarkdown {
		s.edge.WriteJSON(w, http.StatusOK, made)
		return nil
	}
	w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, made.Markdown(name)) // the client is gone
	return nil
}

// Guide returns the guide of the next interview of a project as Markdown, for another edge that reads as its
// caller. The error is db.ErrNotFound if the caller does not see the project.
func Guide(ctx context.Context, q *db.Queries, project uuid.UUID) (string, error) {
	read, name, err := readProject(ctx, q, project)
	if err != nil {
		return "", err
	}
	return guide.Make(read).Markdown(name), nil
}

// wantsMarkdown reports which form a request asks for: by the parameter or, without it, by its Accept header.
func wantsMarkdown(r *http.Request) (bool, error) {
	formats, given := r.URL.Query()["format"]
	if !given {
		return strings.HasPrefix(r.Header.Get("Accept"), "text/markdown"), nil
	}
	if len(formats) != 1 || formats[0] != "json" && formats[0] != "markdown" {
		return false, errFormat
	}
	return formats[0] == "markdown", nil
}

// readProject reads what the guide is made of, and the name of the project.
func readProject(ctx context.Context, q *db.Queries, id uuid.UUID) (p guide.Project, name string, err error) {
	row, err := q.GetProject(ctx, id)
	if err != nil {
		return p, "", err
	}
	p.ID = id
	if p.Hypotheses, err = readHypotheses(ctx, q, id); err != nil {
		return p, "", err
	}
	planned, err := q.ListOpenQuestions(ctx, db.ListOpenQuestionsParams{ProjectID: id, Most: maxPlanned})
	if err != nil {
		return p, "", err
	}
	for _, one := range planned {
		p.Planned = append(p.Planned, guide.Planned{
			ID: one.ID, HypothesisID: one.HypothesisID, Text: one.Text, Priority: string(one.Priority),
		})
	}
	people, err := q.CountProjectPeople(ctx, id)
	if err != nil {
		return p, "", err
	}
	p.People = int(people)
	p.Personas, err = readPersonas(ctx, q, id, p.Hypotheses)
	return p, row.Name, err
}

func readHypotheses(ctx context.Context, q *db.Queries, id uuid.UUID) ([]guide.Hypothesis, error) {
	rows, err := q.ListGuideHypotheses(ctx, db.ListGuideHypothesesParams{ProjectID: id, Most: maxHypotheses})
	read := make([]guide.Hypothesis, len(rows))
	for i, h := range rows {
		read[i] = guide.Hypothesis{
			ID: h.ID, PersonaID: h.PersonaID, Statement: h.Statement, Category: string(h.Category),
			Importance: string(h.Importance), Status: string(h.Status), Falsifiable: h.Ready,
			People: int(h.Participants), Supporting: int(h.Supporting), Contradicting: int(h.Contradicting),
			Mixed: int(h.Mixed), Silent: int(h.Silent), Reopened: h.Reopened,
		}
	}
	return read, err
}

// readPersonas reads the personas of a project, and how many people of each were heard about what matters
// most.
func readPersonas(
	ctx context.Context, q *db.Queries, id uuid.UUID, hypotheses []guide.Hypothesis,
) ([]guide.Persona, error) {
	top := []uuid.UUID{}
	for _, r := range guide.Rank(hypotheses) {
		if len(top) < guide.Top {
			top = append(top, r.ID)
		}
	}
	rows, err := q.ListGuidePersonas(ctx, db.ListGuidePersonasParams{
		ProjectID: id, HypothesisIds: top, Most: maxPersonas,
	})
	read := make([]guide.Persona, len(rows))
	for i, p := range rows {
		read[i] = guide.Persona{ID: p.ID, Name: p.Name, People: int(p.People), Heard: int(p.Heard)}
	}
	return read, err
}
