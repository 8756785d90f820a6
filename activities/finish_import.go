package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"

	"research/activities/extract"
	"research/activities/extract/keyword"
	"research/db"
	"research/outcome"
)

// ParseEnd is the end of a parse, as the import records it.
type ParseEnd struct {
	Status    outcome.Status
	ErrorCode outcome.Code // empty for parsed
	Evidence  int
	Rejected  int
	Coverage  float64
	Unread    int // ranges of the transcript that could not be read

	// How long the import waited for its run to begin, and how long the run took. A duration is 0 if the import
	// never was in that state.
	Queued  time.Duration
	Parsing time.Duration
}

// FinishImport proves and merges what the chunks of a run have found, and ends the import. An import of which
// nothing could be read fails with the reason. A retry changes nothing.
func (a *Imports) FinishImport(ctx context.Context, ref ParseRef) (ParseEnd, error) {
	defer heartbeat(ctx, nil)()
	end, _, err := a.ender.finishImport(ctx, ref, activityRun(ctx), outcome.StatusParsed, "")
	return end, err
}

// FailImportInput describes how a run ended.
type FailImportInput struct {
	ParseRef
	Status    outcome.Status // failed, canceled or timed_out
	ErrorCode outcome.Code
}

// FailImport ends the import of a run that did not finish. Its findings are kept as suggestions. A retry
// changes nothing.
func (a *Imports) FailImport(ctx context.Context, in FailImportInput) (ParseEnd, error) {
	defer heartbeat(ctx, nil)()
	end, _, err := a.ender.finishImport(ctx, in.ParseRef, activityRun(ctx), in.Status, in.ErrorCode)
	return end, err
}

// An importEnder ends imports, on behalf of their runs or of the reconciler.
type importEnder struct {
	store       *db.Store
	log         *slog.Logger
	transcripts *transcriptCache
}

func newImportEnder(store *db.Store, log *slog.Logger) *importEnder {
	return &importEnder{store, log, newTranscriptCache(store)}
}

// finishImport proves and merges the findings of all chunks, and writes the evidence, the result for each
// hypothesis and the end of the import in one transaction: on behalf of its run or of the reconciler. Every
// import that has had a run ends here. An import of which nothing could be read fails with the reason. If the
// import has already ended, finishImport returns that end and false.
func (e *importEnder) finishImport(
	ctx context.Context, ref ParseRef, run importRun, status outcome.Status, code outcome.Code,
) (end ParseEnd, wrote bool, err error) {
	text, err := e.transcripts.load(ctx, ref)
	if err != nil {
		return ParseEnd{}, false, err
	}
	end, err = db.AsService(ctx, e.store, func(q *db.Queries) (ParseEnd, error) {
		locked, err := lockImport(ctx, q, ref, run)
		if err != nil {
			return ParseEnd{}, err
		}
		if locked.Import.Status.Open() {
			end := importEnd{ref: ref, locked: locked, text: text, status: status, code: code}
			if locked.Import, err = end.write(ctx, q); err != nil {
				return ParseEnd{}, err
			}
			wrote = true
		}
		return endOf(locked.Import)
	})
	if err != nil {
		return ParseEnd{}, false, failed(ctx, e.log, "finish the import", err, "import_id", ref.ImportID)
	}
	if wrote {
		e.log.InfoContext(ctx, "import ended", "import_id", ref.ImportID, "status", end.Status,
			"error_code", end.ErrorCode, "evidence", end.Evidence, "rejected", end.Rejected, "coverage", end.Coverage)
	}
	return end, wrote, nil
}

// An importEnd writes the findings of a run and its end.
type importEnd struct {
	ref    ParseRef
	locked db.LockImportRow
	text   cachedTranscript
	status outcome.Status
	code   outcome.Code

	hypotheses []extract.Hypothesis // of the request
	before     map[string]readings  // by hypothesis
	results    chunkResults
	discarded  json.RawMessage // as discardedJSON returns it
}

// write merges the findings of a plan's chunks, and writes them with the end of the import. A run that could
// read nothing of what it was asked fails, whatever earlier runs have read.
func (e *importEnd) write(ctx context.Context, q *db.Queries) (db.Import, error) {
	if err := e.load(ctx, q); err != nil {
		return db.Import{}, err
	}
	evidence, discarded := extract.Merge(
		e.text.Transcript, e.results.responses, e.hypotheses, e.locked.Interviewers)
	diff, err := e.diff(ctx, q, evidence)
	if err != nil {
		return db.Import{}, err
	}
	readings, err := e.readings()
	if err != nil {
		return db.Import{}, err
	}
	if e.status == outcome.StatusParsed && len(e.results.unread) > 0 && !readings.any() {
		e.status, e.code = outcome.StatusFailed, e.results.unread[0].Reason
	}
	if e.discarded, err = discardedJSON(discarded, e.hypotheses); err != nil {
		return db.Import{}, err
	}
	if err := e.writeRows(ctx, q, diff, readings); err != nil {
		return db.Import{}, err
	}
	unreadJSON, err := json.Marshal(e.stillUnread(readings))
	if err != nil {
		return db.Import{}, err
	}
	rejected := len(discarded)
	if !e.locked.Refresh || !readings.any() {
		rejected += int(e.locked.RejectedBefore)
	}
	params := db.EndImportParams{
		ImportID: e.ref.ImportID, ClaimID: e.ref.ClaimID, Status: e.status,
		ErrorCode: nullable(string(e.code)), ErrorMessage: nullable(e.code.Message()),
		RejectedCount: int32(rejected), Coverage: readings.least(), Unread: unreadJSON,
	}
	if best, ok := readings.best(); ok {
		params.Extractor, params.Model = &best.Extractor, nullable(best.Model)
		params.PromptVersion = &best.PromptVersion
	}
	return q.EndImport(ctx, params)
}

// writeRows writes all that the run has found, and ends it.
func (e *importEnd) writeRows(
	ctx context.Context, q *db.Queries, diff evidenceDiff, readings importReadings,
) error {
	if err := q.CountAtTheEnd(ctx); err != nil {
		return err
	}
	changes, err := e.writeEvidence(ctx, q, diff)
	if err != nil {
		return err
	}
	if err := suggestQuestions(ctx, q, e.results.responses); err != nil {
		return err
	}
	if err := readings.record(ctx, q, e.ref.ImportID); err != nil {
		return err
	}
	return e.endRun(ctx, q, changes, readings)
}

// load loads the readings of the run, and those before it.
func (e *importEnd) load(ctx context.Context, q *db.Queries) error {
	chosen, err := q.ListChosenHypotheses(ctx, e.ref.ImportID)
	if err != nil {
		return err
	}
	e.hypotheses = existingHypotheses(chosen)
	if e.before, err = loadReadings(ctx, q, e.ref.ImportID, e.hypotheses); err != nil {
		return err
	}
	e.results, err = loadChunkResults(ctx, q, db.ListChunksParams(e.ref), e.hypotheses)
	return err
}

// readings returns what is read of the import once the run has ended.
func (e *importEnd) readings() (importReadings, error) {
	by := readerOf(e.locked)
	all := importReadings{changed: map[uuid.UUID]readings{}}
	for _, h := range e.hypotheses {
		id, err := hypothesisID(h.ID)
		if err != nil {
			return all, err
		}
		read := e.before[h.ID]
		if fresh := e.results.read[h.ID].ToWords(e.text.Transcript); len(fresh) > 0 {
			read = read.with(by, fresh, e.text.Transcript)
			all.changed[id] = read
		}
		described := read.describe(id, e.text.Transcript)
		if !by.isModel() { // a model reads all languages
			described.StatementLanguage = keyword.LanguageOf(h.Statement)
		}
		all.described = append(all.described, described)
	}
	return all, nil
}

// stillUnread returns the ranges that the run could not read, without those that earlier runs have read for
// all of its hypotheses.
func (e *importEnd) stillUnread(after importReadings) []unreadRange {
	unread := []unreadRange{}
	for _, u := range e.results.unread {
		isMissing := func(h hypothesisReading) bool {
			read, isChanged := after.changed[h.HypothesisID]
			if !isChanged {
				read = e.before[h.HypothesisID.String()]
			}
			return !read.all().Covers(extract.Range{Start: u.ByteStart, End: u.ByteEnd})
		}
		if slices.ContainsFunc(after.described, isMissing) {
			unread = append(unread, u)
		}
	}
	return unread
}

// endRun ends the run, and counts the results, which depend on its end.
func (e *importEnd) endRun(
	ctx context.Context, q *db.Queries, changes evidenceChanges, readings importReadings,
) error {
	err := q.EndRun(ctx, db.EndRunParams{
		ImportID: e.ref.ImportID, ClaimID: e.ref.ClaimID, Status: e.status, ErrorCode: nullable(string(e.code)),
		Discarded: e.discarded,
		Added:     changes.count(changeAdded), Changed: changes.count(changeChanged),
		Gone: changes.count(changeGone),
	})
	if err != nil {
		return err
	}
	reads, err := readings.reads()
	if err != nil {
		return err
	}
	err = q.UpdateResults(ctx, db.UpdateResultsParams{ImportID: e.ref.ImportID, Reads: reads})
	if err != nil {
		return err
	}
	return q.FollowQuestions(ctx, e.ref.ImportID)
}

// endOf returns the end that the row of an import records.
func endOf(row db.Import) (ParseEnd, error) {
	end := ParseEnd{
		Status: row.Status, Coverage: row.Coverage,
		Evidence: int(row.EvidenceCount), Rejected: int(row.RejectedCount),
		ErrorCode: outcome.Code(valueOf(row.ErrorCode)),
	}
	var unread []unreadRange
	if err := json.Unmarshal(row.Unread, &unread); err != nil {
		return ParseEnd{}, fmt.Errorf("decode the unread ranges of an import: %w", err)
	}
	end.Unread = len(unread)
	if row.QueuedAt == nil || row.FinishedAt == nil {
		return end, nil
	}
	if row.StartedAt == nil { // no worker took the run
		end.Queued = row.FinishedAt.Sub(*row.QueuedAt)
		return end, nil
	}
	end.Queued, end.Parsing = row.StartedAt.Sub(*row.QueuedAt), row.FinishedAt.Sub(*row.StartedAt)
	return end, nil
}
