package mcp

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"research/api/token"
	"research/db"
)

const (
	maxQueryLength = 1000 // characters
	maxResults     = 20   // of one call
	maxSearched    = 200  // projects that one call searches
	maxStatements  = 20   // hypotheses, and answers, with all words of a query
	maxPassages    = 60   // turns that are close to a query
	maxNamed       = 5    // interviews and speakers with its words in their names

	// aroundTurn is how many turns before and after one are part of a result, so that it has its question.
	aroundTurn = 2
	// maxWindow is how many turns one result has at most.
	maxWindow = 20
)

type searchIn struct {
	Query   string `json:"query" jsonschema:"Words that may have been said; in double quotes, beside each other"`
	Project string `json:"project,omitempty" jsonschema:"The id of a project; without one, all are searched"`
	Cursor  string `json:"cursor,omitempty" jsonschema:"The cursor of the result before, for more results"`
}

type searchOut struct {
	Notice  string      `json:"notice"`
	Results []searchHit `json:"results" jsonschema:"The closest first"`
	More    bool        `json:"more" jsonschema:"Whether there are others: call again with cursor"`
	Cursor  string      `json:"cursor,omitempty"`
}

type searchHit struct {
	ID      string `json:"id" jsonschema:"For fetch"`
	Title   string `json:"title"`
	URL     string `json:"url"`
	Excerpt string `json:"excerpt"`
}

func (s *server) addSearch(m *mcp.Server) {
	addTool(s, m, &mcp.Tool{
		Name: "search", Title: "Search interviews",
		Description: "Finds passages of interviews in which words of the query were said, with the evidence that " +
			"quotes them, and hypotheses, answers, interviews and people with these words. Use words that people " +
			"would say, in the language of the interviews: what is said in other words is not found. fetch reads " +
			"what is around a result.",
		Annotations: readOnly("Search interviews"),
	}, token.ScopeRead, nil, s.search)
}

func (s *server) search(ctx context.Context, _ *mcp.CallToolRequest, in searchIn) (out searchOut, err error) {
	query := strings.TrimSpace(in.Query)
	switch {
	case query == "":
		return out, invalid("query", "query must have a word.")
	case utf8.RuneCountInString(query) > maxQueryLength:
		return out, invalid("query", "query must have at most 1,000 characters: search for a few rare words.")
	case strings.ContainsRune(query, 0):
		return out, invalid("query", "query must not contain the character NUL.")
	}
	at, err := readCursor(in.Cursor, "search", query, in.Project)
	if err != nil {
		return out, err
	}
	project := uuid.Nil
	if in.Project != "" {
		if project, err = parseRef(kindProject, in.Project); err != nil {
			return out, err
		}
	}
	found, err := asCaller(ctx, s, func(q *db.Queries) (foundPage, error) {
		return s.searchProjects(ctx, q, query, project, at)
	})
	if err != nil {
		return out, err
	}
	out.Notice, out.Results, out.More = notice, found.hits, found.more
	if out.More {
		out.Cursor = found.next.cursor("search", query, in.Project)
	}
	return out, nil
}

// A foundPage is what one call finds. Places are projects, and results of those that are searched at once.
type foundPage struct {
	hits []searchHit
	next place
	more bool
}

// searchProjects searches one project, or all: the newest ones together, and then others.
func (s *server) searchProjects(
	ctx context.Context, q *db.Queries, query string, project uuid.UUID, at place,
) (page foundPage, err error) {
	page.hits = []searchHit{}
	projects, more, err := searchable(ctx, q, project, at)
	if err != nil || len(projects) == 0 {
		return page, err
	}
	ids := make([]uuid.UUID, len(projects))
	for i, p := range projects {
		note(ctx, p.WorkspaceID, p.ID)
		ids[i] = p.ID
	}
	hits, err := s.find(ctx, q, query, ids)
	if err != nil {
		return page, err
	}
	hits = hits[min(at.offset, len(hits)):]
	n := min(fit(hits), maxResults)
	page.hits = hits[:n]
	if page.next = (place{at.part, at.offset + n}); n == len(hits) {
		page.next = place{part: at.part + len(projects)}
	}
	page.more = n < len(hits) || more
	return page, nil
}

// searchable returns the projects to search, and whether there are others. ErrNotFound means that the caller
// does not see the one that was named.
func searchable(
	ctx context.Context, q *db.Queries, project uuid.UUID, at place,
) (projects []db.ListSearchableProjectsRow, more bool, err error) {
	if project != uuid.Nil {
		p, err := q.GetProject(ctx, project)
		if err != nil || at.part > 0 {
			return nil, false, err
		}
		return []db.ListSearchableProjectsRow{{ID: p.ID, WorkspaceID: p.WorkspaceID}}, false, nil
	}
	projects, err = q.ListSearchableProjects(ctx, db.ListSearchableProjectsParams{
		Most: maxSearched + 1, Skip: int32(at.part), //nolint:gosec // below maxPart
	})
	if len(projects) > maxSearched {
		return projects[:maxSearched], true, err
	}
	return projects, false, err
}

// find returns what projects have: hypotheses, interviews by their names, turns with the evidence that quotes
// them, and answers.
func (s *server) find(
	ctx context.Context, q *db.Queries, query string, projects []uuid.UUID,
) ([]searchHit, error) {
	hypotheses, err := q.SearchHypotheses(ctx, db.SearchHypothesesParams{
		Projects: projects, Query: query, Most: maxStatements,
	})
	if err != nil {
		return nil, err
	}
	named, err := q.FindInterviewsByName(ctx, db.FindInterviewsByNameParams{
		Projects: projects, Query: query, Most: maxNamed,
	})
	if err != nil {
		return nil, err
	}
	turns, err := q.SearchPassages(ctx, db.SearchPassagesParams{
		Projects: projects, Query: query, Most: maxPassages,
	})
	if err != nil {
		return nil, err
	}
	evidence, err := evidenceOf(ctx, q, turns)
	if err != nil {
		return nil, err
	}
	answers, err := q.SearchAnswers(ctx, db.SearchAnswersParams{
		Projects: projects, Query: query, Most: maxStatements,
	})
	if err != nil {
		return nil, err
	}
	found := newFindings(s)
	for _, row := range hypotheses {
		found.addHypothesis(row)
	}
	for _, row := range named {
		found.addInterview(row)
	}
	for _, row := range turns {
		found.addTurn(row, evidence[turnKey{row.ImportID, row.Ordinal}])
	}
	for _, row := range answers {
		found.addAnswer(row)
	}
	return found.hits(), nil
}

// A turnKey names a turn.
type turnKey struct {
	imported uuid.UUID
	ordinal  int32
}

// evidenceOf returns the quotes of turns.
func evidenceOf(
	ctx context.Context, q *db.Queries, turns []db.SearchPassagesRow,
) (map[turnKey][]db.ListEvidenceOfTurnsRow, error) {
	of := map[turnKey][]db.ListEvidenceOfTurnsRow{}
	if len(turns) == 0 {
		return of, nil
	}
	params := db.ListEvidenceOfTurnsParams{Most: maxPassages}
	for _, row := range turns {
		params.Imports, params.Ordinals = append(params.Imports, row.ImportID), append(params.Ordinals, row.Ordinal)
	}
	rows, err := q.ListEvidenceOfTurns(ctx, params)
	for _, row := range rows {
		key := turnKey{row.ImportID, row.Ordinal}
		of[key] = append(of[key], row)
	}
	return of, err
}
