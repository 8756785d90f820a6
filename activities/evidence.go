package activities

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"research/activities/extract"
	"research/db"
)

// evidenceNamespace is the namespace of the ids of evidence and of suggested questions (RFC 9562 §5.5).
var evidenceNamespace = uuid.MustParse("5b1c3f0e-8a57-5d0b-9d2e-2f6f2a1f7c11")

// evidenceID makes the id of evidence. Other words may be at the same bytes once the file was read again.
func evidenceID(importID uuid.UUID, text cachedTranscript, e extract.Evidence) uuid.UUID {
	return uuid.NewSHA1(evidenceNamespace, fmt.Appendf(nil, "%s %s %d-%d %s %s",
		importID, text.sha256, e.ByteStart, e.ByteEnd, e.HypothesisID, e.Stance))
}

// diff compares the findings of a run with the existing evidence. Evidence that a person entered, reviewed or
// edited is unchanged, and not suggested again.
func (e *importEnd) diff(ctx context.Context, q *db.Queries, found []extract.Evidence) (evidenceDiff, error) {
	existing, err := existingEvidence(ctx, q, e.ref.ImportID, e.hypotheses)
	if err != nil {
		return evidenceDiff{}, err
	}
	return e.compare(existing, found)
}

// existingEvidence returns the evidence of an import about some hypotheses.
func existingEvidence(
	ctx context.Context, q *db.Queries, importID uuid.UUID, hypotheses []extract.Hypothesis,
) ([]db.ListEvidenceOfHypothesesRow, error) {
	params := db.ListEvidenceOfHypothesesParams{ImportID: importID, HypothesisIds: []uuid.UUID{}}
	for _, h := range hypotheses {
		id, err := hypothesisID(h.ID)
		if err != nil {
			return nil, err
		}
		params.HypothesisIds = append(params.HypothesisIds, id)
	}
	return q.ListEvidenceOfHypotheses(ctx, params)
}

// writeEvidence writes the findings of a run, deletes suggestions that it no longer found, and records and
// returns the changes.
func (e *importEnd) writeEvidence(
	ctx context.Context, q *db.Queries, diff evidenceDiff,
) (evidenceChanges, error) {
	if len(diff.stale) > 0 {
		if err := q.DeleteSuggestions(ctx, diff.stale); err != nil {
			return nil, err
		}
	}
	by := originOf(e.locked)
	written, err := upsertEvidence(ctx, q, e.ref.ImportID, by, false, diff.written)
	if err != nil {
		return nil, err
	}
	if err := q.SettleEvidence(ctx, e.ref.ImportID); err != nil {
		return nil, err
	}
	changes := diff.made(written)
	return changes, changes.record(ctx, q, e.ref.ClaimID)
}

// An evidenceOrigin is what found a piece of evidence.
type evidenceOrigin struct {
	origin               db.EvidenceOrigin
	model, promptVersion *string
}

// originOf returns the origin of what the run of an import finds: the worker that began it recorded it.
func originOf(locked db.LockImportRow) evidenceOrigin {
	by := evidenceOrigin{db.EvidenceOriginAi, locked.Model, locked.PromptVersion}
	if !readerOf(locked).isModel() {
		by.origin = db.EvidenceOriginKeyword
	}
	return by
}

// readerOf returns what reads for the run of an import.
func readerOf(locked db.LockImportRow) reader {
	return reader{valueOf(locked.Extractor), valueOf(locked.Model), valueOf(locked.PromptVersion)}
}

// upsertEvidence writes evidence of an import and its links, and returns the ids of what it wrote: what a
// person decided stays as it is. Its plans do not depend on when the tables were
// last analyzed: a first bulk of imports fills tables that never were.
func upsertEvidence(
	ctx context.Context, q *db.Queries, importID uuid.UUID, by evidenceOrigin, inProgress bool,
	written []writtenEvidence,
) ([]uuid.UUID, error) {
	if len(written) == 0 {
		return nil, nil
	}
	rows := db.UpsertEvidenceParams{
		ImportID: importID, Origin: by.origin, Model: by.model, PromptVersion: by.promptVersion,
		InProgress: inProgress,
	}
	var links db.UpsertEvidenceHypothesesParams
	for _, w := range written {
		rows.Ids = append(rows.Ids, w.id)
		rows.Quotes = append(rows.Quotes, w.Quote)
		rows.Summaries = append(rows.Summaries, w.Summary)
		rows.Rationales = append(rows.Rationales, w.Rationale)
		rows.ByteStarts = append(rows.ByteStarts, int32(w.ByteStart))
		rows.ByteEnds = append(rows.ByteEnds, int32(w.ByteEnd))
		rows.Matches = append(rows.Matches, string(w.Match))
		rows.Confidences = append(rows.Confidences, w.Confidence)
		links.EvidenceIds = append(links.EvidenceIds, w.id)
		links.HypothesisIds = append(links.HypothesisIds, w.hypothesis)
		links.Stances = append(links.Stances, string(w.Stance))
		links.Strengths = append(links.Strengths, string(w.Strength))
	}
	if err := q.ReadByIndexOnly(ctx); err != nil {
		return nil, err
	}
	ids, err := q.UpsertEvidence(ctx, rows)
	if err != nil {
		return nil, err
	}
	return ids, q.UpsertEvidenceHypotheses(ctx, links)
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
