package activities

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"research/activities/extract"
	"research/db"
	"research/outcome"
)

// evidenceNamespace is the namespace of the ids of evidence and of suggested questions (RFC 9562 §5.5).
var evidenceNamespace = uuid.MustParse("5b1c3f0e-8a57-5d0b-9d2e-2f6f2a1f7c11")

func evidenceID(importID uuid.UUID, e extract.Evidence) uuid.UUID {
	return uuid.NewSHA1(evidenceNamespace,
		fmt.Appendf(nil, "%s %d-%d %s %s", importID, e.ByteStart, e.ByteEnd, e.HypothesisID, e.Stance))
}

// writeEvidence upserts what was found, and deletes suggestions of earlier runs that were not found again.
// What a person entered, reviewed or edited is unchanged, and is not suggested a second time.
func (a *Imports) writeEvidence(
	ctx context.Context, q *db.Queries, imported db.Import,
	hypotheses []extract.Hypothesis, evidence []extract.Evidence,
) error {
	reviewed, err := q.ListReviewedSpans(ctx, imported.ID)
	if err != nil {
		return err
	}
	kept := []uuid.UUID{}
	for _, e := range evidence {
		if isReviewed(reviewed, e) {
			continue
		}
		id := evidenceID(imported.ID, e)
		kept = append(kept, id)
		if err := a.upsertEvidence(ctx, q, id, imported, e); err != nil {
			return err
		}
	}
	ids := make([]uuid.UUID, len(hypotheses))
	for i, h := range hypotheses {
		if ids[i], err = hypothesisID(h.ID); err != nil {
			return err
		}
	}
	_, err = q.DeleteStaleEvidence(ctx, db.DeleteStaleEvidenceParams{
		ImportID: imported.ID, HypothesisIds: ids, Kept: kept,
	})
	return err
}

func (a *Imports) upsertEvidence(
	ctx context.Context, q *db.Queries, id uuid.UUID, imported db.Import, e extract.Evidence,
) error {
	hypothesis, err := hypothesisID(e.HypothesisID)
	if err != nil {
		return err
	}
	origin := db.EvidenceOriginAi
	if a.extractor.Name() == "keyword" {
		origin = db.EvidenceOriginKeyword
	}
	start, end := int32(e.ByteStart), int32(e.ByteEnd)
	_, err = q.UpsertEvidence(ctx, db.UpsertEvidenceParams{
		ID: id, WorkspaceID: imported.WorkspaceID, ProjectID: imported.ProjectID, ImportID: &imported.ID,
		Quote: e.Quote, Summary: e.Summary, Rationale: e.Rationale, ByteStart: &start, ByteEnd: &end,
		Match: db.EvidenceMatch(e.Match), Confidence: e.Confidence, Origin: origin,
		Model: nullable(a.extractor.Model()), PromptVersion: nullable(a.extractor.PromptVersion()),
	})
	if err != nil {
		return err
	}
	return q.UpsertEvidenceHypothesis(ctx, db.UpsertEvidenceHypothesisParams{
		EvidenceID: id, HypothesisID: hypothesis,
		Stance: outcome.Stance(e.Stance), Strength: outcome.Strength(e.Strength),
	})
}

// isReviewed reports whether a person has entered, reviewed or edited evidence with the same span, hypothesis
// and stance.
func isReviewed(reviewed []db.ListReviewedSpansRow, e extract.Evidence) bool {
	for _, r := range reviewed {
		if r.HypothesisID.String() == e.HypothesisID && r.Stance == outcome.Stance(e.Stance) &&
			extract.SameSpan(int(*r.ByteStart), int(*r.ByteEnd), e.ByteStart, e.ByteEnd) {
			return true
		}
	}
	return false
}

// suggestQuestions adds the open questions that the responses suggest. Their ids are made from hypothesis and
// text.
func suggestQuestions(ctx context.Context, q *db.Queries, responses []extract.ChunkResult) error {
	for _, s := range extract.Suggest(responses) {
		hypothesis, err := hypothesisID(s.HypothesisID)
		if err != nil {
			return err
		}
		_, err = q.SuggestQuestion(ctx, db.SuggestQuestionParams{
			ID:           uuid.NewSHA1(evidenceNamespace, []byte("question "+s.HypothesisID+" "+s.Text)),
			HypothesisID: hypothesis, Text: s.Text,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func hypothesisID(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil, fmt.Errorf("parse the id of a hypothesis: %w", err)
	}
	return id, nil
}
