package refi

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"research/api/admission"
	"research/api/token"
	"research/db"
)

// store stores a plan in one transaction as the caller: all of it, or nothing.
func (s *server) store(ctx context.Context, id uuid.UUID, p *plan) error {
	subject := token.From(ctx)
	caller := admission.Caller{User: subject.UserID}
	err := s.Statements.Do(ctx, caller, func() error {
		return s.Store.AsUser(ctx, subject, func(q *db.Queries) error { return s.storePlan(ctx, q, id, p) })
	})
	if errors.Is(err, db.ErrConflict) {
		err = errChanged // such as a theme of the same name
	}
	return err
}

func (s *server) storePlan(ctx context.Context, q *db.Queries, id uuid.UUID, p *plan) error {
	switch _, err := q.LockProject(ctx, id); {
	case errors.Is(err, db.ErrNotFound):
		return errForbidden // the caller has lost the right since
	case err != nil:
		return err
	}
	if err := checkUnchanged(ctx, q, id, p); err != nil {
		return err
	}
	for _, t := range p.themes {
		if t.isKnown {
			continue
		}
		params := db.AddRefiThemeParams{
			ID: t.id, ProjectID: id, Name: t.name, Description: t.description, Memo: t.memo, Color: t.color,
		}
		if t.parent != uuid.Nil {
			params.ParentID = &t.parent
		}
		if err := q.AddRefiTheme(ctx, params); err != nil {
			return err
		}
	}
	for _, h := range p.hypotheses {
		err := q.AddRefiHypothesis(ctx, db.AddRefiHypothesisParams{ID: h.id, ProjectID: id, Statement: h.statement})
		if err != nil {
			return err
		}
	}
	for _, i := range p.interviews {
		if err := s.storeInterview(ctx, q, id, i); err != nil {
			return err
		}
		if err := storeQuotes(ctx, q, id, i); err != nil {
			return err
		}
	}
	return nil
}

// checkUnchanged rejects a plan if one of its interviews has come meanwhile, such as with the same file.
func checkUnchanged(ctx context.Context, q *db.Queries, id uuid.UUID, p *plan) error {
	hashes := map[string]bool{}
	for _, i := range p.interviews {
		if !i.isKnown {
			hashes[hashOf(i.data)] = true
		}
	}
	rows, err := few(q.ListRefiImports(ctx, db.ListRefiImportsParams{ProjectID: id, Most: maxRows + 1}))
	if err != nil {
		return err
	}
	for _, row := range rows {
		if hashes[row.Sha256] && !p.imports[row.ID] {
			return errChanged
		}
	}
	return nil
}

// storeInterview stores an interview that the project does not have.
func (s *server) storeInterview(
	ctx context.Context, q *db.Queries, project uuid.UUID, i *interview,
) (err error) {
	if i.isKnown {
		return nil
	}
	i.id, err = s.StoreInterview(ctx, q, Interview{
		ProjectID: project, Title: i.title, Filename: i.filename, Data: i.data, Layout: i.layout,
		Reading: i.reading, Transcript: i.read, InterviewedOn: i.on,
	})
	return err
}

// storeQuotes stores the quotes of an interview with what they are coded as.
func storeQuotes(ctx context.Context, q *db.Queries, project uuid.UUID, i *interview) error {
	quotes := db.AddRefiQuotesParams{ProjectID: project, ImportID: i.id}
	themes := db.LinkRefiThemesParams{ProjectID: project}
	hypotheses := db.LinkRefiHypothesesParams{ProjectID: project}
	for _, one := range i.quotes {
		if !one.isKnown {
			quotes.Ids = append(quotes.Ids, one.id)
			quotes.Quotes = append(quotes.Quotes, i.body[one.span.Start:one.span.End])
			quotes.Summaries = append(quotes.Summaries, one.summary)
			quotes.Rationales = append(quotes.Rationales, one.rationale)
			quotes.Memos = append(quotes.Memos, one.memo)
			quotes.ByteStarts = append(quotes.ByteStarts, int32(one.span.Start))
			quotes.ByteEnds = append(quotes.ByteEnds, int32(one.span.End))
		}
		for _, theme := range one.themes {
			themes.EvidenceIds = append(themes.EvidenceIds, one.id)
			themes.ThemeIds = append(themes.ThemeIds, theme)
		}
		for _, side := range one.stances {
			hypotheses.EvidenceIds = append(hypotheses.EvidenceIds, one.id)
			hypotheses.HypothesisIds = append(hypotheses.HypothesisIds, side.hypothesis)
			hypotheses.Stances = append(hypotheses.Stances, string(side.stance))
		}
	}
	if len(quotes.Ids) > 0 {
		if err := q.AddRefiQuotes(ctx, quotes); err != nil {
			return err
		}
	}
	if len(themes.EvidenceIds) > 0 {
		if _, err := q.LinkRefiThemes(ctx, themes); err != nil {
			return err
		}
	}
	if len(hypotheses.EvidenceIds) > 0 {
		if _, err := q.LinkRefiHypotheses(ctx, hypotheses); err != nil {
			return err
		}
	}
	return nil
}
