package mcp

import (
	"context"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"research/api/token"
	"research/db"
)

// maxThemes is how many themes a result has.
const maxThemes = 100

type listThemesIn struct {
	Project string `json:"project" jsonschema:"The id of a project"`
	Cursor  string `json:"cursor,omitempty" jsonschema:"The cursor of the result before, for more themes"`
}

type listThemesOut struct {
	Notice string     `json:"notice"`
	Themes []themeRow `json:"themes" jsonschema:"As people sorted them"`
	More   bool       `json:"more" jsonschema:"Whether there are others: call again with cursor"`
	Cursor string     `json:"cursor,omitempty"`
}

type themeRow struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty" jsonschema:"What belongs to it"`
	PartOf      string `json:"part_of,omitempty" jsonschema:"The name of the theme that it is a part of"`
	Status      string `json:"status" jsonschema:"proposed by a model, or active"`
	Origin      string `json:"origin" jsonschema:"Who added it"`
	People      int64  `json:"people" jsonschema:"People who say it or a part of it. A person counts once"`
	Quotes      int64  `json:"quotes" jsonschema:"Quotes of it and of its parts"`
	OneVoice    bool   `json:"one_voice,omitempty" jsonschema:"Fewer than two people: hardly a theme"`
	URL         string `json:"url"`
}

func (s *server) addListThemes(m *mcp.Server) {
	addTool(s, m, &mcp.Tool{
		Name: "list_themes", Title: "List themes",
		Description: "Lists the themes of a project, which group quotes by what they are about, whether or not " +
			"a hypothesis foresaw it: how many people and quotes each has, and what belongs to it.",
		Annotations: readOnly("List themes"),
	}, token.ScopeRead, nil, s.listThemes)
}

func (s *server) listThemes(
	ctx context.Context, _ *mcp.CallToolRequest, in listThemesIn,
) (out listThemesOut, err error) {
	project, err := parseRef(kindProject, in.Project)
	if err != nil {
		return out, err
	}
	at, err := readCursor(in.Cursor, "list_themes", project.String())
	if err != nil {
		return out, err
	}
	rows, err := asCaller(ctx, s, func(q *db.Queries) ([]db.ListThemesForAssistantsRow, error) {
		p, err := q.GetProject(ctx, project)
		if err != nil {
			return nil, err
		}
		note(ctx, p.WorkspaceID, p.ID)
		return q.ListThemesForAssistants(ctx, db.ListThemesForAssistantsParams{
			ProjectID: project, Skip: int32(at.part), Most: maxThemes + 1, //nolint:gosec // below maxPart
		})
	})
	if err != nil {
		return out, err
	}
	all := make([]themeRow, len(rows))
	for i, row := range rows {
		all[i] = s.themeRow(project, row)
	}
	n := min(fit(all), maxThemes)
	out.Notice, out.Themes, out.More = notice, all[:n], n < len(all)
	if out.More {
		out.Cursor = place{part: at.part + n}.cursor("list_themes", project.String())
	}
	return out, nil
}

func (s *server) themeRow(project uuid.UUID, row db.ListThemesForAssistantsRow) themeRow {
	return themeRow{
		Name: oneLine(row.Name, titleLength), Description: cut(row.Description, textLength),
		PartOf: oneLine(row.PartOf, titleLength), Status: string(row.Status), Origin: string(row.Origin),
		People: row.People, Quotes: row.Quotes, OneVoice: row.People < 2,
		URL: s.themeURL(project, row.ID),
	}
}
