package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"research/api/token"
	"research/db"
	"research/outcome"
)

const (
	maxHypotheses    = 20   // of one call
	strongestQuotes  = 3    // of each side
	quoteLength      = 600  // of one among several, in characters
	textLength       = 1000 // of other texts, in characters; fetch has all of them
	fetchedQuotes    = 20   // of each side, where one hypothesis is read
	fetchedQuoteSize = 2000
)

type getHypothesesIn struct {
	Project string `json:"project" jsonschema:"The id of a project"`
	Status  string `json:"status,omitempty" jsonschema:"Only hypotheses with this verdict"`
	Cursor  string `json:"cursor,omitempty" jsonschema:"The cursor of the result before, for more hypotheses"`
}

type getHypothesesOut struct {
	Notice     string          `json:"notice"`
	Hypotheses []hypothesisRow `json:"hypotheses" jsonschema:"The oldest first"`
	More       bool            `json:"more" jsonschema:"Whether there are others: call again with cursor"`
	Cursor     string          `json:"cursor,omitempty"`
}

type hypothesisRow struct {
	ID             string `json:"id" jsonschema:"For get_evidence and fetch"`
	Statement      string `json:"statement"`
	Status         string `json:"status" jsonschema:"The verdict, which people give"`
	Category       string `json:"category"`
	Importance     string `json:"importance"`
	Persona        string `json:"persona,omitempty" jsonschema:"Whom it is about; only they are counted"`
	FalsifiedIf    string `json:"falsified_if" jsonschema:"What would prove it wrong; empty if nobody said"`
	DecisionReason string `json:"decision_reason,omitempty"`

	Result         string `json:"result" jsonschema:"What the evidence says; undecided: neutral quotes only"`
	Summary        string `json:"summary" jsonschema:"The same in words, with what was not found"`
	PeopleFor      int64  `json:"people_for" jsonschema:"People who only support it. A person counts once"`
	PeopleAgainst  int64  `json:"people_against" jsonschema:"People who only contradict it"`
	PeopleMixed    int64  `json:"people_mixed" jsonschema:"People who do both"`
	NothingFoundIn int64  `json:"nothing_found_in" jsonschema:"Interviews that were read without a finding"`
	Interviews     int64  `json:"interviews" jsonschema:"Interviews of the project"`

	For     []quoteRow `json:"for" jsonschema:"The strongest proven quotes that support it"`
	Against []quoteRow `json:"against" jsonschema:"The strongest proven quotes that contradict it"`
	URL     string     `json:"url"`
}

// A quoteRow is a quote that an interview has word by word.
type quoteRow struct {
	ID              string `json:"id" jsonschema:"For fetch"`
	Quote           string `json:"quote" jsonschema:"What was said; … where it is longer, which fetch reads"`
	Speaker         string `json:"speaker"`
	SpeakerDoubtful bool   `json:"speaker_doubtful,omitempty" jsonschema:"Nobody confirmed who says it"`
	Interview       string `json:"interview"`
	Start           string `json:"start,omitempty" jsonschema:"The time in the recording"`
	Stance          string `json:"stance"`
	Strength        string `json:"strength"`
	Review          string `json:"review"`
	URL             string `json:"url"`
}

func (s *server) addGetHypotheses(m *mcp.Server) {
	addTool(s, m, &mcp.Tool{
		Name: "get_hypotheses", Title: "Read hypotheses",
		Description: "Reads the hypotheses of a project: how many people support and contradict each, what the " +
			"evidence says, the strongest quotes of both sides, what would prove it wrong, and in how many " +
			"interviews nothing was found. get_evidence has all quotes.",
		Annotations: readOnly("Read hypotheses"),
	}, token.ScopeRead, map[string]about{"status": {values: valuesOf(
		db.HypothesisStatusUntested, db.HypothesisStatusTesting, db.HypothesisStatusValidated,
		db.HypothesisStatusInvalidated, db.HypothesisStatusInconclusive, db.HypothesisStatusParked,
	)}}, s.getHypotheses)
}

func (s *server) getHypotheses(
	ctx context.Context, _ *mcp.CallToolRequest, in getHypothesesIn,
) (out getHypothesesOut, err error) {
	project, err := parseRef(kindProject, in.Project)
	if err != nil {
		return out, err
	}
	at, err := readCursor(in.Cursor, "get_hypotheses", project.String(), in.Status)
	if err != nil {
		return out, err
	}
	params := db.ListHypothesisBalancesParams{
		ProjectID: project, Most: maxHypotheses + 1, Skip: int32(at.part), //nolint:gosec // below maxPart
	}
	if in.Status != "" {
		params.Status = new(db.HypothesisStatus(in.Status))
	}
	all, err := asCaller(ctx, s, func(q *db.Queries) ([]hypothesisRow, error) {
		p, err := q.GetProject(ctx, project)
		if err != nil {
			return nil, err
		}
		note(ctx, p.WorkspaceID, p.ID)
		return s.hypotheses(ctx, q, params, strongestQuotes, quoteLength)
	})
	if err != nil {
		return out, err
	}
	n := min(fit(all), maxHypotheses)
	out.Notice, out.Hypotheses, out.More = notice, all[:n], n < len(all)
	if out.More {
		out.Cursor = place{part: at.part + n}.cursor("get_hypotheses", project.String(), in.Status)
	}
	return out, nil
}

// hypotheses reads hypotheses with so many quotes of each side, of at most so many characters.
func (s *server) hypotheses(
	ctx context.Context, q *db.Queries, params db.ListHypothesisBalancesParams, quotes int32, length int,
) ([]hypothesisRow, error) {
	rows, err := q.ListHypothesisBalances(ctx, params)
	if err != nil {
		return nil, err
	}
	all, ids := make([]hypothesisRow, len(rows)), make([]uuid.UUID, len(rows))
	of := map[uuid.UUID]*hypothesisRow{}
	for i, row := range rows {
		all[i], ids[i] = s.hypothesisRow(row), row.ID
		of[row.ID] = &all[i]
	}
	strongest, err := q.ListStrongestQuotes(ctx, db.ListStrongestQuotesParams{Hypotheses: ids, Most: quotes})
	if err != nil {
		return nil, err
	}
	for _, row := range strongest {
		quote := quoteRow{
			ID: id{kind: kindEvidence, of: row.ID}.String(), Quote: cut(row.Quote, length),
			Speaker: oneLine(row.Speaker, nameLength), SpeakerDoubtful: !row.SpeakerConfirmed,
			Interview: oneLine(row.Title, titleLength), Start: clock(row.StartMs), Stance: string(row.Stance),
			Strength: string(row.Strength), Review: string(row.Review),
			URL: s.evidenceURL(uuid.Nil, row.ImportID, row.ID),
		}
		side := &of[row.HypothesisID].For
		if row.Stance == outcome.StanceContradicts {
			side = &of[row.HypothesisID].Against
		}
		*side = append(*side, quote)
	}
	return all, nil
}

func (s *server) hypothesisRow(row db.ListHypothesisBalancesRow) hypothesisRow {
	return hypothesisRow{
		ID: id{kind: kindHypothesis, of: row.ID}.String(), Statement: cut(row.Statement, textLength),
		Status: string(row.Status), Category: string(row.Category), Importance: string(row.Importance),
		Persona: oneLine(row.Persona, titleLength), FalsifiedIf: cut(row.FalsifiedIf, textLength),
		DecisionReason: cut(row.DecisionReason, textLength),
		Result:         resultOf(row), Summary: summaryOf(row),
		PeopleFor: row.Supporting, PeopleAgainst: row.Contradicting, PeopleMixed: row.Mixed,
		NothingFoundIn: row.NothingFound + row.NothingMatched, Interviews: row.Interviews,
		For: []quoteRow{}, Against: []quoteRow{}, URL: s.hypothesisURL(row.ProjectID, row.ID),
	}
}

// resultOf is what people say about a hypothesis, in the words that interviews have for theirs.
func resultOf(row db.ListHypothesisBalancesRow) string {
	switch {
	case row.Mixed > 0 || row.Supporting > 0 && row.Contradicting > 0:
		return string(outcome.ResultMixed)
	case row.Supporting > 0:
		return string(outcome.ResultSupports)
	case row.Contradicting > 0:
		return string(outcome.ResultContradicts)
	case row.Neutral > 0:
		return string(outcome.ResultUndecided)
	case row.NothingFound+row.NothingMatched > 0:
		return string(outcome.ResultNothingFound)
	}
	return string(outcome.ResultPending)
}

// summaryOf says what people say about a hypothesis, and what was read without a finding.
func summaryOf(row db.ListHypothesisBalancesRow) string {
	if row.Interviews == 0 {
		return "There are no interviews yet."
	}
	var parts []string
	say := func(n int64, one, many string) {
		if n > 0 {
			parts = append(parts, count(n, one, many))
		}
	}
	say(row.Supporting, "person supports it", "people support it")
	say(row.Contradicting, "person contradicts it", "people contradict it")
	say(row.Mixed, "person does both", "people do both")
	say(row.Neutral, "person is neutral", "people are neutral")
	say(row.Silent, "person says nothing about it", "people say nothing about it")
	say(row.Others, "person with another persona is not counted", "people with another persona are not counted")
	if len(parts) == 0 {
		parts = append(parts, "Nobody says anything about it")
	}
	text := strings.Join(parts, ", ") + "."
	if row.NothingFound > 0 {
		text += fmt.Sprintf(" Nothing found in %s.", count(row.NothingFound, "interview", "interviews"))
	}
	if row.NothingMatched > 0 {
		text += fmt.Sprintf(" Keyword matching found nothing in %s, which no model read.",
			count(row.NothingMatched, "interview", "interviews"))
	}
	if unread := row.Interviews - row.Read; unread > 0 {
		text += fmt.Sprintf(" %s not read for it.", count(unread, "interview was", "interviews were"))
	}
	return text
}

// fetchHypothesis reads a hypothesis with the strongest quotes of both sides.
func (s *server) fetchHypothesis(
	ctx context.Context, q *db.Queries, of uuid.UUID,
) (found fetched, err error) {
	wanted, err := q.GetHypothesis(ctx, of)
	if err != nil {
		return found, err
	}
	h := wanted.Hypothesis
	rows, err := s.hypotheses(ctx, q, db.ListHypothesisBalancesParams{
		ProjectID: h.ProjectID, HypothesisID: &h.ID, Most: 1,
	}, fetchedQuotes, fetchedQuoteSize)
	if err != nil {
		return found, err
	}
	if len(rows) == 0 {
		return found, db.ErrNotFound // deleted meanwhile
	}
	row, d := rows[0], &document{}
	d.add("Hypothesis: " + h.Statement)
	d.add("Verdict: " + row.Status + ". Category: " + row.Category + ". Importance: " + row.Importance + ".")
	if row.Persona != "" {
		d.add("About: " + row.Persona)
	}
	if h.DecisionReason != "" {
		d.add("Reason for the verdict: " + h.DecisionReason)
	}
	if h.FalsifiedIf != "" {
		d.add("It is wrong if: " + h.FalsifiedIf)
	}
	d.add("Result: " + row.Result + ". " + row.Summary)
	for _, side := range []struct {
		title  string
		quotes []quoteRow
	}{{"Quotes that support it", row.For}, {"Quotes that contradict it", row.Against}} {
		if len(side.quotes) == 0 {
			continue
		}
		d.add(side.title + ", the strongest first; get_evidence has all:")
		for _, quote := range side.quotes {
			d.add(fmt.Sprintf("%s (%s, %s), %s, in %s %s", quote.ID, quote.Strength, quote.Review, quote.Speaker,
				quote.Interview, quote.Start))
			d.quote(quote.Quote)
		}
	}
	found.document, found.workspace, found.project = d, h.WorkspaceID, h.ProjectID
	found.Title, found.URL = "Hypothesis: "+oneLine(h.Statement, titleLength), row.URL
	found.Metadata = fetchMetadata{Status: row.Status}
	return found, nil
}

// stanceVerb says what a quote does.
func stanceVerb(stance outcome.Stance) string {
	switch stance {
	case outcome.StanceSupports:
		return "supports"
	case outcome.StanceContradicts:
		return "contradicts"
	default:
		return "is neutral about"
	}
}
