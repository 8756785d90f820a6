package activities

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"research/activities/extract"
	"research/db"
	"research/outcome"
)

// Kinds of changes, as the database has them.
const (
	changeAdded   = "added"
	changeChanged = "changed" // the same words about the same hypothesis, with another stance or strength
	changeGone    = "gone"
)

// An evidenceChange is a change that a run made to one hypothesis.
type evidenceChange struct {
	kind       string
	evidence   uuid.UUID
	hypothesis uuid.UUID
	before     judgement // zero for added
	after      judgement // zero for gone
	quote      string    // of what is gone
	kept       bool      // it is no longer found, but a person accepted or edited it
}

// A judgement is what evidence says about a hypothesis.
type judgement struct {
	stance   outcome.Stance
	strength outcome.Strength
}

// evidenceChanges are the changes of a run.
type evidenceChanges []evidenceChange

func (c evidenceChanges) count(kind string) int32 {
	n := int32(0)
	for _, change := range c {
		if change.kind == kind {
			n++
		}
	}
	return n
}

func (c evidenceChanges) record(ctx context.Context, q *db.Queries, claim uuid.UUID) error {
	if len(c) == 0 {
		return nil
	}
	rows := db.RecordRunChangesParams{ClaimID: claim}
	for _, change := range c {
		rows.EvidenceIds = append(rows.EvidenceIds, change.evidence)
		rows.HypothesisIds = append(rows.HypothesisIds, change.hypothesis)
		rows.Kinds = append(rows.Kinds, change.kind)
		rows.StancesBefore = append(rows.StancesBefore, string(change.before.stance))
		rows.StancesAfter = append(rows.StancesAfter, string(change.after.stance))
		rows.StrengthsBefore = append(rows.StrengthsBefore, string(change.before.strength))
		rows.StrengthsAfter = append(rows.StrengthsAfter, string(change.after.strength))
		rows.Quotes = append(rows.Quotes, change.quote)
		rows.Kept = append(rows.Kept, change.kept)
	}
	return q.RecordRunChanges(ctx, rows)
}

// An evidenceDiff holds the changes that make the evidence of an import equal to the findings of a run.
type evidenceDiff struct {
	written []writtenEvidence
	stale   []uuid.UUID // suggestions to delete
	changes evidenceChanges
}

// made returns the changes that came about, given the ids of the evidence that was written. The id of a
// finding may be that of a row that a person has moved to other words, or taken from the hypothesis: it
// stays, and the finding changes nothing.
func (d evidenceDiff) made(ids []uuid.UUID) evidenceChanges {
	refused := map[uuid.UUID]bool{}
	for _, w := range d.written {
		refused[w.id] = true
	}
	for _, id := range ids {
		delete(refused, id)
	}
	return slices.DeleteFunc(slices.Clone(d.changes), func(c evidenceChange) bool {
		return c.kind != changeGone && refused[c.evidence]
	})
}

// writtenEvidence is evidence with the ids of its rows.
type writtenEvidence struct {
	extract.Evidence
	id, hypothesis uuid.UUID
}

func newEvidence(importID uuid.UUID, text cachedTranscript, e extract.Evidence) (writtenEvidence, error) {
	hypothesis, err := hypothesisID(e.HypothesisID)
	return writtenEvidence{e, evidenceID(importID, text, e), hypothesis}, err
}

// compare compares the findings of a run with the existing evidence. Two pieces of evidence are the same if
// they are about the same words and hypothesis. What a person judged, entered or edited decides about its
// words: whatever stance the run takes, the row stays, and nothing is suggested beside it. A suggestion keeps
// its row if the stance is the same. What the run itself has shown while it was in progress keeps its row,
// and counts as if it were written now.
func (e *importEnd) compare(
	existing []db.ListEvidenceOfHypothesesRow, found []extract.Evidence,
) (evidenceDiff, error) {
	var diff evidenceDiff
	matched := make([]bool, len(existing))
	var rest []writtenEvidence
	for _, f := range found {
		w, err := newEvidence(e.ref.ImportID, e.text, f)
		if err != nil {
			return diff, err
		}
		if w.isDecided(existing, matched) {
			continue
		}
		i := w.find(existing, func(i int) bool { return existing[i].Stance == f.Stance && !matched[i] })
		if i < 0 {
			rest = append(rest, w)
			continue
		}
		matched[i] = true
		row := existing[i]
		w.id = row.ID
		if row.InProgress {
			rest = append(rest, w)
			continue
		}
		diff.written = append(diff.written, w)
		if row.Strength != f.Strength {
			diff.changes = append(diff.changes, w.change(row))
		}
	}
	for _, w := range rest {
		diff.written = append(diff.written, w)
		i := w.find(existing, func(i int) bool {
			row := existing[i]
			return !matched[i] && !row.OfPerson && !row.InProgress && e.isReplaced(row)
		})
		if i < 0 {
			diff.changes = append(diff.changes, evidenceChange{
				kind: changeAdded, evidence: w.id, hypothesis: w.hypothesis, after: w.judgement(),
			})
			continue
		}
		matched[i] = true
		diff.stale = append(diff.stale, existing[i].ID)
		diff.changes = append(diff.changes, w.change(existing[i]))
	}
	for i, row := range existing {
		if row.InProgress {
			switch {
			case row.OfPerson: // a person judged meanwhile what the run has shown
				diff.changes = append(diff.changes, evidenceChange{
					kind: changeAdded, evidence: row.ID, hypothesis: row.HypothesisID,
					after: judgement{row.Stance, row.Strength},
				})
			case !matched[i]:
				diff.stale = append(diff.stale, row.ID)
			}
			continue
		}
		if matched[i] || row.Origin == db.EvidenceOriginHuman || row.Review == db.EvidenceReviewRejected ||
			!e.isReplaced(row) {
			continue
		}
		if !row.OfPerson {
			diff.stale = append(diff.stale, row.ID)
		}
		diff.changes = append(diff.changes, evidenceChange{
			kind: changeGone, evidence: row.ID, hypothesis: row.HypothesisID,
			before: judgement{row.Stance, row.Strength}, quote: row.Quote, kept: row.OfPerson,
		})
	}
	return diff, nil
}

// isDecided reports whether a person decided about the words of a finding. All rows in which that was done
// are matched.
func (w writtenEvidence) isDecided(existing []db.ListEvidenceOfHypothesesRow, matched []bool) bool {
	decided := false
	for i, row := range existing {
		if row.OfPerson && w.isAbout(row) {
			matched[i], decided = true, true
		}
	}
	return decided
}

// isReplaced reports whether a run read the words of earlier evidence again: for a refresh, or because the
// reading that found them does not count any more.
func (e *importEnd) isReplaced(row db.ListEvidenceOfHypothesesRow) bool {
	span := extract.Range{Start: int(row.ByteStart), End: int(row.ByteEnd)}
	id := row.HypothesisID.String()
	return e.results.read[id].ToWords(e.text.Transcript).Covers(span) &&
		(e.locked.Refresh || !e.before[id].countingFor(valueOf(e.locked.Extractor)).Covers(span))
}

// find returns the first existing evidence about the same words and hypothesis that fulfils a condition, or
// -1.
func (w writtenEvidence) find(existing []db.ListEvidenceOfHypothesesRow, condition func(i int) bool) int {
	for i, row := range existing {
		if w.isAbout(row) && condition(i) {
			return i
		}
	}
	return -1
}

// isAbout reports whether existing evidence is about the same words and hypothesis.
func (w writtenEvidence) isAbout(row db.ListEvidenceOfHypothesesRow) bool {
	return row.HypothesisID == w.hypothesis &&
		extract.SameSpan(int(row.ByteStart), int(row.ByteEnd), w.ByteStart, w.ByteEnd)
}

func (w writtenEvidence) judgement() judgement {
	return judgement{w.Stance, w.Strength}
}

// change is the change from earlier evidence.
func (w writtenEvidence) change(row db.ListEvidenceOfHypothesesRow) evidenceChange {
	return evidenceChange{
		kind: changeChanged, evidence: w.id, hypothesis: w.hypothesis,
		before: judgement{row.Stance, row.Strength}, after: w.judgement(),
	}
}
