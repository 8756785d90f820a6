package mcp

import (
	"context"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"research/api/token"
	"research/db"
	"research/outcome"
)

const (
	maxEvidence    = 50   // of one call
	evidenceLength = 3000 // of a quote, in characters
)

type getEvidenceIn struct {
	Hypothesis string `json:"hypothesis" jsonschema:"The id of a hypothesis"`
	Stance     string `json:"stance,omitempty" jsonschema:"Only quotes that do this"`
	Review     string `json:"review,omitempty" jsonschema:"Only these; by default all that nobody rejected"`
	Cursor     string `json:"cursor,omitempty" jsonschema:"The cursor of the result before, for more quotes"`
}

type getEvidenceOut struct {
	Notice    string        `json:"notice"`
	Statement string        `json:"statement" jsonschema:"The hypothesis"`
	Evidence  []evidenceRow `json:"evidence" jsonschema:"Support first; of each stance, the strongest first"`
	NotProven int64         `json:"not_proven" jsonschema:"Quotes that no interview has; they are not listed"`
	More      bool          `json:"more" jsonschema:"Whether there are others: call again with cursor"`
	Cursor    string        `json:"cursor,omitempty"`
}

type evidenceRow struct {
	quoteRow

	Summary   string `json:"summary,omitempty"`
	Rationale string `json:"rationale,omitempty"`
	Asked     string `json:"asked,omitempty" jsonschema:"leading or hypothetical: the question says less for it"`
	Turns     string `json:"turns,omitempty" jsonschema:"The id of the turns, for fetch"`
}

func (s *server) addGetEvidence(m *mcp.Server) {
	addTool(s, m, &mcp.Tool{
		Name: "get_evidence", Title: "Read evidence",
		Description: "Reads the quotes for and against a hypothesis, with who said them, where, and how people " +
			"reviewed them. Each is proven: the interview has it word by word.",
		Annotations: readOnly("Read evidence"),
	}, token.ScopeRead, map[string]about{
		"stance": {values: valuesOf(outcome.StanceSupports, outcome.StanceContradicts, outcome.StanceNeutral)},
		"review": {values: valuesOf(
			db.EvidenceReviewSuggested, db.EvidenceReviewAccepted, db.EvidenceReviewRejected)},
	}, s.getEvidence)
}

func (s *server) getEvidence(
	ctx context.Context, _ *mcp.CallToolRequest, in getEvidenceIn,
) (out getEvidenceOut, err error) {
	hypothesis, err := parseRef(kindHypothesis, in.Hypothesis)
	if err != nil {
		return out, err
	}
	of := []string{"get_evidence", hypothesis.String(), in.Stance, in.Review}
	at, err := readCursor(in.Cursor, of...)
	if err != nil {
		return out, err
	}
	params := db.ListProvenEvidenceParams{
		HypothesisID: hypothesis, Most: maxEvidence + 1, Skip: int32(at.part), //nolint:gosec // below maxPart
	}
	if in.Stance != "" {
		params.Stance = new(db.EvidenceStance(in.Stance))
	}
	if in.Review != "" {
		params.Review = new(db.EvidenceReview(in.Review))
	}
	rows, err := asCaller(ctx, s, func(q *db.Queries) ([]db.ListProvenEvidenceRow, error) {
		row, err := q.GetHypothesis(ctx, hypothesis)
		if err != nil {
			return nil, err
		}
		h := row.Hypothesis
		note(ctx, h.WorkspaceID, h.ProjectID)
		out.Statement = cut(h.Statement, textLength)
		if out.NotProven, err = q.CountUnprovenEvidence(ctx, hypothesis); err != nil {
			return nil, err
		}
		return q.ListProvenEvidence(ctx, params)
	})
	if err != nil {
		return out, err
	}
	all := make([]evidenceRow, len(rows))
	for i, row := range rows {
		all[i] = s.evidenceRow(row)
	}
	n := min(fit(all), maxEvidence)
	out.Notice, out.Evidence, out.More = notice, all[:n], n < len(all)
	if out.More {
		out.Cursor = place{part: at.part + n}.cursor(of...)
	}
	return out, nil
}

func (s *server) evidenceRow(row db.ListProvenEvidenceRow) evidenceRow {
	one := evidenceRow{
		quoteRow: quoteRow{
			ID: id{kind: kindEvidence, of: row.ID}.String(), Quote: cut(row.Quote, evidenceLength),
			Speaker: oneLine(row.Speaker, nameLength), SpeakerDoubtful: !row.SpeakerConfirmed,
			Interview: oneLine(row.Title, titleLength), Start: clock(row.StartMs), Stance: string(row.Stance),
			Strength: string(row.Strength), Review: string(row.Review),
			URL: s.evidenceURL(uuid.Nil, row.ImportID, row.ID),
		},
		Summary: cut(row.Summary, textLength), Rationale: cut(row.Rationale, textLength), Asked: row.AskedKind,
	}
	if row.UtteranceFrom >= 0 {
		one.Turns = turnsID(row.ImportID, row.UtteranceFrom, row.UtteranceTo)
	}
	return one
}
