package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"research/api/token"
	"research/db"
)

// maxProjects is how many projects a result has.
const maxProjects = 50

// descriptionLength is how much of a description is listed, in characters.
const descriptionLength = 300

type listProjectsIn struct {
	Cursor string `json:"cursor,omitempty" jsonschema:"The cursor of the result before, for more projects"`
}

type listProjectsOut struct {
	Notice   string       `json:"notice"`
	Projects []projectRow `json:"projects" jsonschema:"The newest first"`
	More     bool         `json:"more" jsonschema:"Whether there are others: call again with cursor"`
	Cursor   string       `json:"cursor,omitempty"`
}

type projectRow struct {
	ID          string `json:"id" jsonschema:"For the argument project of other tools"`
	Name        string `json:"name"`
	Workspace   string `json:"workspace"`
	Description string `json:"description,omitempty"`
	Stage       string `json:"stage"`
	Status      string `json:"status"`
	Interviews  int64  `json:"interviews"`
	Hypotheses  int64  `json:"hypotheses"`
	Balance     string `json:"balance" jsonschema:"What the evidence says, in one line"`
	URL         string `json:"url"`
}

func (s *server) addListProjects(m *mcp.Server) {
	addTool(s, m, &mcp.Tool{
		Name: "list_projects", Title: "List projects",
		Description: "Lists the research projects that the user can see, with the number of interviews and " +
			"hypotheses, and the balance of the evidence. Other tools take the id of a project.",
		Annotations: readOnly("List projects"),
	}, token.ScopeRead, nil, s.listProjects)
}

// readOnly are the annotations of tools that change nothing, and look at nothing but the workspace.
func readOnly(title string) *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{
		Title: title, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: new(false),
		OpenWorldHint: new(false),
	}
}

func (s *server) listProjects(
	ctx context.Context, _ *mcp.CallToolRequest, in listProjectsIn,
) (out listProjectsOut, err error) {
	at, err := readCursor(in.Cursor, "list_projects")
	if err != nil {
		return out, err
	}
	rows, err := asCaller(ctx, s, func(q *db.Queries) ([]db.ListProjectsForAssistantsRow, error) {
		return q.ListProjectsForAssistants(ctx, db.ListProjectsForAssistantsParams{
			Skip: int32(at.part), Most: maxProjects + 1, //nolint:gosec // below maxPart
		})
	})
	if err != nil {
		return out, err
	}
	all := make([]projectRow, len(rows))
	for i, row := range rows {
		all[i] = s.projectRow(row)
	}
	n := min(fit(all), maxProjects)
	out.Notice, out.Projects, out.More = notice, all[:n], n < len(all)
	if out.More {
		out.Cursor = place{part: at.part + n}.cursor("list_projects")
	}
	for _, row := range rows[:n] {
		note(ctx, row.WorkspaceID, uuid.Nil)
	}
	return out, nil
}

func (s *server) projectRow(row db.ListProjectsForAssistantsRow) projectRow {
	return projectRow{
		ID: row.ID.String(), Name: oneLine(row.Name, titleLength), Workspace: oneLine(row.Workspace, titleLength),
		Description: oneLine(row.Description, descriptionLength),
		Stage:       string(row.Stage), Status: string(row.Status),
		Interviews: row.Interviews, Hypotheses: row.Hypotheses, Balance: balanceOf(row),
		URL: s.projectURL(row.ID),
	}
}

// balanceOf sums up a project in one line.
func balanceOf(row db.ListProjectsForAssistantsRow) string {
	if row.Hypotheses == 0 {
		return "No hypotheses yet."
	}
	parts := []string{fmt.Sprintf("%d of %s validated, %d invalidated", row.Validated,
		count(row.Hypotheses, "hypothesis", "hypotheses"), row.Invalidated)}
	if quotes := row.Supports + row.Contradicts + row.Neutral; quotes > 0 {
		parts = append(parts, fmt.Sprintf("%s: %d for, %d against, %d neutral, %d not reviewed",
			count(quotes, "quote", "quotes"), row.Supports, row.Contradicts, row.Neutral, row.Suggested))
	} else {
		parts = append(parts, "no evidence yet")
	}
	return strings.Join(parts, "; ") + "."
}

// count is a number of things, in words.
func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
