package activities

import (
	"context"
	"encoding/json"
	"time"

	"research/activities/extract"
	"research/db"
	"research/outcome"
	"research/transcript"
)

// ParseEnd is the end of a parse, as the import records it.
type ParseEnd struct {
	Status    outcome.Status
	ErrorCode outcome.Code // empty for parsed
	Evidence  int
	Rejected  int
	Coverage  float64

	// How long the import waited for its run to begin, and how long the run took. A duration is 0 if the import
	// never was in that state.
	Queued  time.Duration
	Parsing time.Duration
}

// FinishParseInput is the input of FinishParse.
type FinishParseInput struct{ ParseRef }

// FinishParse proves and merges the findings of all chunks, and writes the evidence, the result for each
// hypothesis and the end of the import in one transaction. An import of which nothing could be read fails
// with the reason. Evidence has an id made from import, span, hypothesis and stance, so that a retry changes
// nothing.
func (a *Imports) FinishParse(ctx context.Context, in FinishParseInput) (ParseEnd, error) {
	defer heartbeat(ctx)()
	end, _, err := a.finishImport(ctx, in.ParseRef, activityRun(ctx), outcome.StatusParsed, "")
	return end, err
}

// FailImportInput says how a run ended.
type FailImportInput struct {
	ParseRef
	Status    outcome.Status // failed, canceled or timed_out
	ErrorCode outcome.Code
}

// FailImport ends the import of a run that did not finish. What was found is kept as suggestions. A retry
// changes nothing.
func (a *Imports) FailImport(ctx context.Context, in FailImportInput) (ParseEnd, error) {
	defer heartbeat(ctx)()
	end, _, err := a.finishImport(ctx, in.ParseRef, activityRun(ctx), in.Status, in.ErrorCode)
	return end, err
}

// finishImport ends an import, on behalf of its run or of the reconciler. Every import that has had a run
// ends here. If the import has already ended, finishImport returns that end and false.
func (a *Imports) finishImport(
	ctx context.Context, ref ParseRef, run importRun, status outcome.Status, code outcome.Code,
) (end ParseEnd, wrote bool, err error) {
	text, err := a.loadTranscript(ctx, ref.ImportID)
	if err != nil {
		return ParseEnd{}, false, dbError("load the transcript", err)
	}
	err = a.store.AsService(ctx, func(q *db.Queries) error {
		imported, err := lockImport(ctx, q, ref, run)
		if err != nil {
			return err
		}
		if imported.Status.Open() {
			if imported, err = a.writeEnd(ctx, q, ref, imported, text, status, code); err != nil {
				return err
			}
			wrote = true
		}
		end = endOf(imported)
		return nil
	})
	if err != nil {
		return ParseEnd{}, false, failed(ctx, a.log, "finish the import", err, "import_id", ref.ImportID)
	}
	if wrote {
		a.log.InfoContext(ctx, "import ended", "import_id", ref.ImportID, "status", end.Status,
			"error_code", end.ErrorCode, "evidence", end.Evidence, "rejected", end.Rejected, "coverage", end.Coverage)
	}
	return end, wrote, nil
}

// writeEnd merges what the chunks of a plan found, and writes it with the end of the import.
func (a *Imports) writeEnd(
	ctx context.Context, q *db.Queries, ref ParseRef, imported db.Import, text *transcript.Transcript,
	status outcome.Status, code outcome.Code,
) (db.Import, error) {
	hypotheses, err := chosenHypotheses(ctx, q, ref.ImportID)
	if err != nil {
		return imported, err
	}
	results, err := loadChunkResults(ctx, q, ref)
	if err != nil {
		return imported, err
	}
	if status == outcome.StatusParsed && results.nothingRead() {
		status, code = outcome.StatusFailed, results.unread[0].Reason
	}
	evidence, rejectedByReason := extract.Merge(text, results.responses, hypotheses)
	rejected := 0
	for _, n := range rejectedByReason {
		rejected += n
	}
	if err := a.writeEvidence(ctx, q, imported, hypotheses, evidence); err != nil {
		return imported, err
	}
	if err := suggestQuestions(ctx, q, results.responses); err != nil {
		return imported, err
	}
	err = q.UpdateHypothesisResults(ctx, db.UpdateHypothesisResultsParams{
		ImportID: ref.ImportID, Complete: status == outcome.StatusParsed,
	})
	if err != nil {
		return imported, err
	}
	count, err := q.CountEvidence(ctx, ref.ImportID)
	if err != nil {
		return imported, err
	}
	unreadJSON, err := json.Marshal(results.unread)
	if err != nil {
		return imported, err
	}
	return q.EndImport(ctx, db.EndImportParams{
		ImportID: ref.ImportID, ClaimID: ref.ClaimID, Status: status,
		ErrorCode: nullable(string(code)), ErrorMessage: nullable(code.Message()),
		EvidenceCount: int32(count), RejectedCount: int32(rejected),
		Coverage: results.coverage(len(text.Text)), Unread: unreadJSON,
	})
}

// endOf returns the end that the row of an import records.
func endOf(row db.Import) ParseEnd {
	end := ParseEnd{
		Status: row.Status, Coverage: row.Coverage,
		Evidence: int(row.EvidenceCount), Rejected: int(row.RejectedCount),
	}
	if row.ErrorCode != nil {
		end.ErrorCode = outcome.Code(*row.ErrorCode)
	}
	if row.QueuedAt == nil || row.FinishedAt == nil {
		return end
	}
	if row.StartedAt == nil { // no worker took the run
		end.Queued = row.FinishedAt.Sub(*row.QueuedAt)
		return end
	}
	end.Queued, end.Parsing = row.StartedAt.Sub(*row.QueuedAt), row.FinishedAt.Sub(*row.StartedAt)
	return end
}
