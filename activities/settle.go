package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/google/uuid"

	"research/activities/extract"
	"research/db"
)

// FinishParseInput is what FinishParse takes.
type FinishParseInput struct{ ParseRef }

// ParseEnd says how a parse ended.
type ParseEnd struct {
	Status    string // parsed, failed, canceled or timed_out
	ErrorCode string // "" for parsed
	Evidence  int
	Rejected  int
	Coverage  float64
}

// FinishParse proves and merges what the chunks' answers said, and writes the evidence, the answer to each hypothesis and the import's end in one
// transaction. An import of which nothing could be read fails, with the reason. Evidence has an id made of import, span, hypothesis and stance, so that repeating
// it changes nothing.
func (a *Imports) FinishParse(ctx context.Context, in FinishParseInput) (ParseEnd, error) {
	stop := heartbeat(ctx)
	defer stop()
	end, _, err := a.settle(ctx, in.ParseRef, ParseEnd{Status: string(db.ImportStatusParsed)}, attemptOf(ctx))
	return end, err
}

// FailImportInput says how a run ended.
type FailImportInput struct {
	ParseRef
	Status    string // failed, canceled or timed_out
	ErrorCode string
}

// FailImport ends the import of a run that did not finish. What was found is kept as suggestions. Repeating it changes nothing.
func (a *Imports) FailImport(ctx context.Context, in FailImportInput) (ParseEnd, error) {
	stop := heartbeat(ctx)
	defer stop()
	end, _, err := a.settle(ctx, in.ParseRef, ParseEnd{Status: in.Status, ErrorCode: in.ErrorCode}, attemptOf(ctx))
	return end, err
}

// settle is the one place where an import ends after its run began: by the run itself, or, by nil, for it. ended is false where another write was first: then its end is returned.
func (a *Imports) settle(ctx context.Context, ref ParseRef, end ParseEnd, by *attempt) (_ ParseEnd, ended bool, err error) {
	text, err := a.load(ctx, ref.ImportID)
	if err != nil {
		return ParseEnd{}, false, dbError("load the transcript", err)
	}
	err = a.store.AsService(ctx, func(q *db.Queries) error {
		imported, err := hold(ctx, q, ref, by)
		if err != nil {
			return err
		}
		if imported.Status != db.ImportStatusQueued && imported.Status != db.ImportStatusParsing {
			// Perhaps this activity's own write.
			end = ParseEnd{Status: string(imported.Status), Evidence: int(imported.EvidenceCount), Rejected: int(imported.RejectedCount), Coverage: imported.Coverage}
			return nil
		}
		hypotheses, err := chosen(ctx, q, ref.ImportID)
		if err != nil {
			return err
		}
		found, err := readResults(ctx, q, ref)
		if err != nil {
			return err
		}
		evidence, refused := extract.Merge(text, found.readings, hypotheses)
		for _, n := range refused {
			end.Rejected += n
		}
		if err := a.writeEvidence(ctx, q, imported, hypotheses, evidence); err != nil {
			return err
		}
		if err := suggestQuestions(ctx, q, found.readings); err != nil {
			return err
		}
		if end.Coverage = found.coverage(len(text.Text)); end.Status == string(db.ImportStatusParsed) && found.nothingRead() {
			end.Status, end.ErrorCode = string(db.ImportStatusFailed), found.unread[0].Reason
		}
		if err := q.CountStances(ctx, db.CountStancesParams{ImportID: ref.ImportID, Answered: end.Status == string(db.ImportStatusParsed)}); err != nil {
			return err
		}
		count, err := q.CountEvidence(ctx, ref.ImportID)
		if err != nil {
			return err
		}
		end.Evidence = int(count)
		unread, err := json.Marshal(found.unread)
		if err != nil {
			return err
		}
		_, err = q.EndImport(ctx, db.EndImportParams{
			ImportID: ref.ImportID, ClaimID: ref.ClaimID, Status: db.ImportStatus(end.Status), ErrorCode: nonEmpty(end.ErrorCode),
			ErrorMessage: nonEmpty(messageFor(end.ErrorCode)), EvidenceCount: int32(end.Evidence), RejectedCount: int32(end.Rejected),
			Coverage: end.Coverage, Unread: unread,
		})
		ended = err == nil
		return err
	})
	if err != nil {
		return ParseEnd{}, false, failed(ctx, a.log, "settle the import", err, "import_id", ref.ImportID)
	}
	if ended {
		a.log.InfoContext(ctx, "import ended", "import_id", ref.ImportID, "status", end.Status, "error_code", end.ErrorCode,
			"evidence", end.Evidence, "rejected", end.Rejected, "coverage", end.Coverage)
	}
	return end, ended, nil
}

// An attempt is an activity of a run, to tell it from those of other runs of the same claim: an operator may reset a run, even one that ended.
type attempt struct {
	runID       string
	scheduledAt time.Time
}

func attemptOf(ctx context.Context) *attempt {
	info := activity.GetInfo(ctx)
	return &attempt{runID: info.WorkflowExecution.RunID, scheduledAt: info.ScheduledTime}
}

// hold locks the import's row for the claim. Where the import ended by another run before this activity was even scheduled, its run was reset: the import goes on.
func hold(ctx context.Context, q *db.Queries, ref ParseRef, by *attempt) (db.Import, error) {
	imported, err := q.LockImport(ctx, db.LockImportParams{ImportID: ref.ImportID, ClaimID: ref.ClaimID})
	if err != nil || by == nil {
		return imported, err
	}
	switch imported.Status {
	case db.ImportStatusFailed, db.ImportStatusCanceled, db.ImportStatusTerminated, db.ImportStatusTimedOut:
	default:
		return imported, nil
	}
	if imported.RunID != nil && *imported.RunID == by.runID || imported.FinishedAt == nil || !imported.FinishedAt.Before(by.scheduledAt) {
		return imported, nil
	}
	return q.ReopenImport(ctx, db.ReopenImportParams{ImportID: ref.ImportID, ClaimID: ref.ClaimID, RunID: by.runID})
}

// results are what the chunks of a plan came to.
type results struct {
	readings []extract.Reading
	unread   []gap
	read     [][2]int // bytes that were read, from and to; they overlap as chunks do
}

func readResults(ctx context.Context, q *db.Queries, ref ParseRef) (results, error) {
	found := results{unread: []gap{}}
	chunks, err := q.ListChunks(ctx, db.ListChunksParams{ImportID: ref.ImportID, ClaimID: ref.ClaimID})
	if err != nil {
		return found, err
	}
	var keys [][]byte
	for _, c := range chunks {
		keys = append(keys, c.AnswerKeys...)
	}
	rows, err := q.ListChunkAnswers(ctx, db.ListChunkAnswersParams{ImportID: ref.ImportID, Keys: keys})
	if err != nil {
		return found, err
	}
	answers := map[string]json.RawMessage{}
	for _, row := range rows {
		answers[string(row.Key)] = row.Answer
	}
	for _, c := range chunks {
		var gaps []gap
		if err := json.Unmarshal(c.Unread, &gaps); err != nil {
			return found, fmt.Errorf("read a chunk's gaps: %w", err)
		}
		found.unread = append(found.unread, gaps...)
		if c.DoneAt != nil {
			from := int(c.ByteStart)
			for _, g := range append(gaps, gap{ByteStart: int(c.ByteEnd)}) { // in order: a chunk is read from left to right
				if g.ByteStart > from+1 { // between two gaps there is a line feed, which nobody read
					found.read = append(found.read, [2]int{from, g.ByteStart})
				}
				from = g.ByteEnd
			}
		}
		for _, key := range c.AnswerKeys {
			var answer extract.Answer
			if err := json.Unmarshal(answers[string(key)], &answer); err != nil {
				return found, fmt.Errorf("read a stored answer: %w", err)
			}
			found.readings = append(found.readings, extract.Reading{
				Chunk:  extract.Chunk{From: int(c.UtteranceFrom), To: int(c.UtteranceTo), ByteStart: int(c.ByteStart), ByteEnd: int(c.ByteEnd)},
				Answer: answer,
			})
		}
	}
	return found, nil
}

// nothingRead tells whether there were questions and not one was answered.
func (r results) nothingRead() bool { return len(r.readings) == 0 && len(r.unread) > 0 }

// coverage is the part of the transcript's bytes that was read, rounded to a thousandth.
func (r results) coverage(total int) float64 {
	slices.SortFunc(r.read, func(a, b [2]int) int { return a[0] - b[0] })
	bytes, end := 0, 0
	for _, span := range r.read {
		if end > 0 && span[0] == end+1 {
			bytes++ // the line feed between two utterances belongs to neither chunk
		}
		bytes += max(0, span[1]-max(span[0], end))
		end = max(end, span[1])
	}
	if total == 0 {
		return 0
	}
	return math.Round(1000*min(float64(bytes)/float64(total), 1)) / 1000
}

// evidenceNamespace makes evidence's ids from what they are about (RFC 9562 §5.5).
var evidenceNamespace = uuid.MustParse("5b1c3f0e-8a57-5d0b-9d2e-2f6f2a1f7c11")

func evidenceID(importID uuid.UUID, e extract.Evidence) uuid.UUID {
	return uuid.NewSHA1(evidenceNamespace, fmt.Appendf(nil, "%s %d-%d %s %s", importID, e.ByteStart, e.ByteEnd, e.HypothesisID, e.Stance))
}

// writeEvidence upserts what was found, and removes suggestions of earlier runs that were not found again. What a person judged or edited stays, and is
// not suggested a second time.
func (a *Imports) writeEvidence(ctx context.Context, q *db.Queries, imported db.Import, hypotheses []extract.Hypothesis, evidence []extract.Evidence) error {
	judged, err := q.ListJudgedSpans(ctx, imported.ID)
	if err != nil {
		return err
	}
	kept := []uuid.UUID{}
	origin := db.EvidenceOriginAi
	if a.extractor.Name() == "keyword" {
		origin = db.EvidenceOriginKeyword
	}
	for _, e := range evidence {
		if isJudged(judged, e) {
			continue
		}
		id := evidenceID(imported.ID, e)
		kept = append(kept, id)
		start, end := int32(e.ByteStart), int32(e.ByteEnd)
		if _, err := q.UpsertEvidence(ctx, db.UpsertEvidenceParams{
			ID: id, WorkspaceID: imported.WorkspaceID, ProjectID: imported.ProjectID, ImportID: &imported.ID,
			Quote: e.Quote, Summary: e.Summary, Rationale: e.Rationale, ByteStart: &start, ByteEnd: &end,
			Match: db.EvidenceMatch(e.Match), Confidence: e.Confidence, Origin: origin,
			Model: nonEmpty(a.extractor.Model()), PromptVersion: nonEmpty(a.extractor.PromptVersion()),
		}); err != nil {
			return err
		}
		hypothesis, err := uuid.Parse(e.HypothesisID)
		if err != nil {
			return fmt.Errorf("read a hypothesis id: %w", err)
		}
		if err := q.UpsertEvidenceHypothesis(ctx, db.UpsertEvidenceHypothesisParams{
			EvidenceID: id, HypothesisID: hypothesis, Stance: db.EvidenceStance(e.Stance), Strength: db.EvidenceStrength(e.Strength),
		}); err != nil {
			return err
		}
	}
	ids := make([]uuid.UUID, len(hypotheses))
	for i, h := range hypotheses {
		ids[i] = uuid.MustParse(h.ID) // made from a uuid by chosen
	}
	_, err = q.DeleteStaleEvidence(ctx, db.DeleteStaleEvidenceParams{ImportID: imported.ID, HypothesisIds: ids, Kept: kept})
	return err
}

func isJudged(judged []db.ListJudgedSpansRow, e extract.Evidence) bool {
	for _, j := range judged {
		if j.HypothesisID.String() == e.HypothesisID && string(j.Stance) == e.Stance &&
			extract.SameSpan(int(*j.ByteStart), int(*j.ByteEnd), e.ByteStart, e.ByteEnd) {
			return true
		}
	}
	return false
}

// suggestQuestions adds the open questions that the answers suggest. Their ids are made of hypothesis and words.
func suggestQuestions(ctx context.Context, q *db.Queries, readings []extract.Reading) error {
	for _, s := range extract.Suggest(readings) {
		hypothesis, err := uuid.Parse(s.HypothesisID)
		if err != nil {
			return fmt.Errorf("read a hypothesis id: %w", err)
		}
		if _, err := q.SuggestQuestion(ctx, db.SuggestQuestionParams{
			ID: uuid.NewSHA1(evidenceNamespace, []byte("question "+s.HypothesisID+" "+s.Text)), HypothesisID: hypothesis, Text: s.Text,
		}); err != nil {
			return err
		}
	}
	return nil
}

// messages say, in words for a person, why an import did not become "parsed", and what to do.
var messages = map[string]string{
	string(extract.BadKey):        "The model's server does not accept our key. Ask the operator to check OPENAI_API_KEY, then parse again.",
	string(extract.NoCredit):      "The account at the model's provider is empty. Ask the operator to top it up, then parse again.",
	string(extract.ModelNotFound): "The model's server does not know the configured model. Ask the operator to check OPENAI_MODEL, then parse again.",
	string(extract.BadRequest):    "The model's server does not understand our questions. Ask the operator to check OPENAI_BASE_URL and OPENAI_MODEL.",
	string(extract.RateLimited):   "The model's provider asked us to wait for too long. Parse again later; what was read already is not asked for again.",
	string(extract.Unavailable):   "The model's server could not be reached or failed. Parse again later; what was read already is not asked for again.",
	string(extract.TooLong):       "The model's context is too small even for short passages. Ask the operator for a model with a larger one.",
	string(extract.BadAnswer):     "The model's answers could not be understood. Ask the operator for another model, then parse again.",
	string(extract.Refused):       "The model refused to read this transcript.",
	TypeTokenLimit:                "Reading on would use more tokens than one import may (MAX_TOKENS_PER_IMPORT). What was found is kept.",
	"canceled":                    "Parsing was cancelled. What was found is kept.",
	"timed_out":                   "Parsing took longer than it may (PARSE_TIMEOUT). Parse again; what was read already is not asked for again.",
	codeHistoryDeleted:            "The record of the parsing was deleted in Temporal. What was found is kept; parse again.",
	"terminated":                  "An operator ended the parsing. Parse again; what was read already is not asked for again.",
	"internal":                    "Something went wrong on our side. Parse again; if it happens again, tell the operator the import's id.",
}

// codeHistoryDeleted: Temporal knows nothing any more of the run that was parsing.
const codeHistoryDeleted = "history_deleted"

// messageFor gives the words for an error code.
func messageFor(code string) string {
	if code == "" {
		return ""
	}
	if message, known := messages[code]; known {
		return message
	}
	return messages["internal"]
}

func nonEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
