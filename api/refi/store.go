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
	if err := addThemes(ctx, q, id, p.themes); err != nil {
		return err
	}
	if err := addHypotheses(ctx, q, id, p.hypotheses); err != nil {
		return err
	}
	for _, i := range p.interviews {
		if err := s.storeInterview(ctx, q, id, i); err != nil {
			return err
		}
		if err := addQuotes(ctx, q, id, i); err != nil {
			return err
		}
	}
	return addCodings(ctx, q, id, p.interviews)
}

// addThemes stores the new themes, a level in a statement: each statement is kept to be undone.
func addThemes(ctx context.Context, q *db.Queries, project uuid.UUID, themes []*theme) error {
	for depth := 1; depth <= maxDepth; depth++ {
		level := db.AddRefiThemesParams{ProjectID: project}
		for _, t := range themes {
			if t.isKnown || t.depth != depth {
				continue
			}
			level.Ids = append(level.Ids, t.id)
			level.ParentIds = append(level.ParentIds, t.parent)
			level.Names = append(level.Names, t.name)
			level.Descriptions = append(level.Descriptions, t.description)
			level.Memos = append(level.Memos, t.memo)
			level.Colors = append(level.Colors, t.color)
		}
		if len(level.Ids) == 0 {
			continue
		}
		if err := q.AddRefiThemes(ctx, level); err != nil {
			return err
		}
	}
	return nil
}

func addHypotheses(ctx context.Context, q *db.Queries, project uuid.UUID, hypotheses []*hypothesis) error {
	if len(hypotheses) == 0 {
		return nil
	}
	all := db.AddRefiHypothesesParams{ProjectID: project}
	for _, h := range hypotheses {
		all.Ids = append(all.Ids, h.id)
		all.Statements = append(all.Statements, h.statement)
		all.FalsifiedIfs = append(all.FalsifiedIfs, h.falsifiedIf)
	}
	return q.AddRefiHypotheses(ctx, all)
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

// addQuotes stores the new quotes of an interview.
func addQuotes(ctx context.Context, q *db.Queries, project uuid.UUID, i *interview) error {
	quotes := db.AddRefiQuotesParams{ProjectID: project, ImportID: i.id}
	for _, one := range i.quotes {
		if one.isKnown {
			continue
		}
		quotes.Ids = append(quotes.Ids, one.id)
		quotes.Quotes = append(quotes.Quotes, i.body[one.span.Start:one.span.End])
		quotes.Summaries = append(quotes.Summaries, one.summary)
		quotes.Rationales = append(quotes.Rationales, one.rationale)
		quotes.Memos = append(quotes.Memos, one.memo)
		quotes.ByteStarts = append(quotes.ByteStarts, int32(one.span.Start))
		quotes.ByteEnds = append(quotes.ByteEnds, int32(one.span.End))
	}
	if len(quotes.Ids) == 0 {
		return nil
	}
	return q.AddRefiQuotes(ctx, quotes)
}

// addCodings stores what quotes are newly coded as, all in a statement: each is kept to be undone.
func addCodings(ctx context.Context, q *db.Queries, project uuid.UUID, interviews []*interview) error {
	themes := db.LinkRefiThemesParams{ProjectID: project}
	hypotheses := db.LinkRefiHypothesesParams{ProjectID: project}
	for _, i := range interviews {
		for _, one := range i.quotes {
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
