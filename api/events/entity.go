package events

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"research/api/problem"
	"research/db"
)

// An entity is what a stream follows, if not all that happens in workspaces.
type entity struct {
	*kind

	id uuid.UUID
}

// A kind is a kind of entities that streams follow.
type kind struct {
	parameter string         // of the route
	missing   *problem.Error // the response if there is no such entity
	ends      []string       // types of events after which nothing more happens
	find      func(ctx context.Context, q *db.Queries, id uuid.UUID) (found, error)
}

// A found entity.
type found struct {
	workspace uuid.UUID
	ended     bool // nothing more happens to it
}

// kinds lists the kinds of entities.
var kinds = []*kind{imports, answers}

var imports = &kind{
	parameter: "importId", missing: errNoSuchImport, ends: []string{"import.deleted"},
	find: func(ctx context.Context, q *db.Queries, id uuid.UUID) (found, error) {
		row, err := q.GetImport(ctx, id)
		return found{workspace: row.WorkspaceID}, err
	},
}

var answers = &kind{
	parameter: "answerId", missing: errNoSuchAnswer,
	ends: []string{"answer.finished", "answer.failed", "answer.canceled", "answer.deleted"},
	find: func(ctx context.Context, q *db.Queries, id uuid.UUID) (found, error) {
		row, err := q.GetAnswer(ctx, id)
		return found{row.Answer.WorkspaceID, row.Answer.FinishedAt != nil}, err
	},
}

// endsWith reports whether one of the events ends what happens to the entity. A nil entity has no end.
func (e *entity) endsWith(rows []db.ReadEventsRow) bool {
	return e != nil && slices.ContainsFunc(rows, func(row db.ReadEventsRow) bool {
		return slices.Contains(e.ends, row.Type)
	})
}

// as returns the id of the entity for a query about one of the kind with a parameter, or nil.
func (e *entity) as(parameter string) *uuid.UUID {
	if e == nil || e.parameter != parameter {
		return nil
	}
	return &e.id
}
