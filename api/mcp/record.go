package mcp

import (
	"context"
	"time"

	"github.com/google/uuid"

	"research/db"
)

// note remembers that a call is about a workspace, and a project of it or none, for the audit log. Only what
// the user may see is noted. A call about several projects is one about their workspace.
func note(ctx context.Context, workspace, project uuid.UUID) {
	v := visitOf(ctx)
	v.mu.Lock()
	defer v.mu.Unlock()
	if other, noted := v.workspaces[workspace]; noted && other != project {
		project = uuid.Nil
	}
	v.workspaces[workspace] = project
}

// recordTimeout bounds the record of a call that has ended.
const recordTimeout = 5 * time.Second

// record writes a call into the audit logs of the workspaces that it was about, with the app or the token
// that made it. What was asked, and what was found, is not recorded. Where the database is read-only, what
// can be read can still be read by assistants, and the log of the service has the record.
func (s *server) record(ctx context.Context, tool, code string) {
	v := visitOf(ctx)
	params := db.RecordToolCallParams{
		ActorID: v.principal.Subject.UserID, Tool: tool, ClientID: v.principal.ClientID, Error: code,
	}
	if id := v.principal.PersonalToken; id != uuid.Nil {
		params.TokenID = &id
	}
	if id, err := uuid.Parse(v.principal.ClientID); err == nil {
		params.Client = &id
	}
	v.mu.Lock()
	for workspace, project := range v.workspaces {
		params.Workspaces, params.Projects = append(params.Workspaces, workspace), append(params.Projects, project)
	}
	v.mu.Unlock()
	if len(params.Workspaces) == 0 {
		return
	}
	// What was done is recorded also if the client has gone.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	err := s.Store.AsService(ctx, func(q *db.Queries) error { return q.RecordToolCall(ctx, params) })
	if err != nil {
		s.Log.ErrorContext(ctx, "tool call not recorded", "tool", tool, "user_id", params.ActorID,
			"client_id", params.ClientID, "token_id", v.principal.PersonalToken, "workspaces", params.Workspaces,
			"error", err)
	}
}
