package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/google/uuid"

	"research/activities/extract"
	"research/db"
	"research/outcome"
)

// FinishAnswer ends an answer with what was written and read. A retry changes nothing.
func (a *Answers) FinishAnswer(ctx context.Context, in FinishAnswerInput) (AnswerEnd, error) {
	defer heartbeat(ctx, nil)()
	return a.ender.finish(ctx, in)
}

// FailAnswer ends the answer of a run that did not finish. What was written stays. A retry changes nothing.
func (a *Answers) FailAnswer(ctx context.Context, in FailAnswerInput) (AnswerEnd, error) {
	defer heartbeat(ctx, nil)()
	end, _, err := a.ender.fail(ctx, in)
	return end, err
}

// An answerEnder ends answers, on behalf of their runs or of the reconciler.
type answerEnder struct {
	store *db.Store
	log   *slog.Logger
}

// finish ends an answer. If everything that was to be read failed, the answer fails with the reason.
func (e *answerEnder) finish(ctx context.Context, in FinishAnswerInput) (AnswerEnd, error) {
	ref := in.AnswerRef
	end, wrote, err := e.end(ctx, ref, func(q *db.Queries, answer db.Answer) (db.Answer, error) {
		parts, err := q.ListAnswerParts(ctx, db.ListAnswerPartsParams(ref))
		if err != nil {
			return answer, err
		}
		read, err := readingOf(answer, parts[:max(len(parts)-in.Unsent, 0)])
		if err != nil {
			return answer, err
		}
		if read.coverage == 0 && read.reason != "" {
			return q.EndAnswer(ctx, endParams(FailAnswerInput{ref, outcome.AnswerFailed, read.reason}))
		}
		written, err := q.CountAnswerText(ctx, ref.AnswerID)
		if err != nil {
			return answer, err
		}
		return q.FinishAnswer(ctx, db.FinishAnswerParams{
			AnswerID: ref.AnswerID, ClaimID: ref.ClaimID,
			Result:      dbResult(resultOf(modeOf(answer), in, read.coverage, written)),
			ImportsRead: int32(read.imports), PassagesRead: int32(read.passages), Coverage: read.coverage,
		})
	})
	if err == nil && wrote {
		e.log.InfoContext(ctx, "answer ended", "answer_id", ref.AnswerID, "status", end.Status,
			"result", end.Result, "sentences", end.Sentences, "unsupported", end.Unsupported)
	}
	return end, err
}

// fail ends an answer without success.
func (e *answerEnder) fail(ctx context.Context, in FailAnswerInput) (end AnswerEnd, wrote bool, err error) {
	end, wrote, err = e.end(ctx, in.AnswerRef, func(q *db.Queries, _ db.Answer) (db.Answer, error) {
		return q.EndAnswer(ctx, endParams(in))
	})
	if err == nil && wrote {
		e.log.InfoContext(ctx, "answer ended", "answer_id", in.AnswerID, "status", end.Status,
			"error_code", end.ErrorCode)
	}
	return end, wrote, err
}

func endParams(in FailAnswerInput) db.EndAnswerParams {
	return db.EndAnswerParams{
		AnswerID: in.AnswerID, ClaimID: in.ClaimID, Status: db.AnswerStatus(in.Status),
		ErrorCode: string(in.ErrorCode), ErrorMessage: in.ErrorCode.AnswerMessage(),
	}
}

// end locks an answer and ends it. If it has already ended, end returns that end and false.
func (e *answerEnder) end(
	ctx context.Context, ref AnswerRef, write func(*db.Queries, db.Answer) (db.Answer, error),
) (end AnswerEnd, wrote bool, err error) {
	err = e.store.AsService(ctx, func(q *db.Queries) error {
		answer, err := ref.lock(ctx, q)
		wrote = err == nil
		switch {
		case errors.Is(err, db.ErrNotFound):
			answer, err = q.GetEndedAnswer(ctx, db.GetEndedAnswerParams(ref))
		case err == nil:
			answer, err = write(q, answer)
		}
		if err != nil {
			return err
		}
		end, err = answerEndOf(ctx, q, answer)
		return err
	})
	if err != nil {
		return AnswerEnd{}, false, failed(ctx, e.log, "finish an answer", err, ref.attributes()...)
	}
	return end, wrote, nil
}

// answerEndOf returns the end that the row of an answer records.
func answerEndOf(ctx context.Context, q *db.Queries, row db.Answer) (AnswerEnd, error) {
	written, err := q.CountAnswerText(ctx, row.ID)
	end := AnswerEnd{
		Status: outcome.AnswerStatus(row.Status), ErrorCode: outcome.Code(valueOf(row.ErrorCode)),
		Mode: modeOf(row), Sentences: int(written.Sentences), Unsupported: int(row.UnsupportedCount),
		People: int(row.PeopleCount), Coverage: row.Coverage,
	}
	if row.Result != nil {
		end.Result = outcome.AnswerResult(*row.Result)
	}
	if row.FinishedAt != nil {
		end.Took = max(row.FinishedAt.Sub(row.QueuedAt), time.Duration(0))
	}
	return end, err
}

// resultOf returns what an answer says. Without a proven sentence it never is an answer, and only an answer
// for which everything was read can say that there is none. One that is composed from a part of what was
// found is never a whole answer.
func resultOf(
	mode outcome.AnswerMode, in FinishAnswerInput, coverage float64, written db.CountAnswerTextRow,
) outcome.AnswerResult {
	switch {
	case mode == outcome.ModePassages && written.Passages > 0:
		return ""
	case written.Sentences > 0 && in.Result == outcome.ResultAnswered && !in.Partial:
		return in.Result
	case written.Sentences > 0:
		return outcome.ResultPartly
	case mode == outcome.ModeThorough && coverage >= 1 && !in.Partial:
		return outcome.ResultNotAnswered
	}
	return outcome.ResultNotFound
}

func dbResult(result outcome.AnswerResult) *db.AnswerResult {
	if result == "" {
		return nil
	}
	r := db.AnswerResult(result)
	return &r
}

// An answerReading is what was read for an answer.
type answerReading struct {
	imports, passages int
	coverage          float64
	read              map[uuid.UUID]extract.Ranges
	reason            outcome.Code // why something was not read; empty if nothing failed
}

// readingOf returns what was read of the parts of a plan. The parts of a thorough answer cover the
// interviews, and overlap; those of other answers are passages.
func readingOf(answer db.Answer, parts []db.PrivateAnswerPart) (answerReading, error) {
	reading, err := readingOfParts(parts)
	if modeOf(answer) != outcome.ModeThorough {
		reading.passages = len(parts)
		reading.coverage = share(len(parts), int(answer.PassagesTotal))
		return reading, err
	}
	reading.passages = int(math.Round(reading.coverage * float64(answer.PassagesTotal)))
	return reading, err
}

// readingOfParts returns what was read of the words that parts cover.
func readingOfParts(parts []db.PrivateAnswerPart) (answerReading, error) {
	planned := map[uuid.UUID]extract.Ranges{}
	reading := answerReading{read: map[uuid.UUID]extract.Ranges{}}
	read := reading.read
	for _, part := range parts {
		of := extract.Range{Start: int(part.ByteStart), End: int(part.ByteEnd)}
		planned[part.ImportID] = planned[part.ImportID].Union(extract.Ranges{of})
		if part.DoneAt == nil {
			continue
		}
		var unread []unreadRange
		if err := json.Unmarshal(part.Unread, &unread); err != nil {
			return reading, fmt.Errorf("decode the unread ranges of a part: %w", err)
		}
		got := extract.Ranges{of}
		for _, u := range unread {
			got = got.Minus(extract.NewRanges(extract.Range{Start: u.ByteStart, End: u.ByteEnd}))
			reading.reason = u.Reason
		}
		read[part.ImportID] = read[part.ImportID].Union(got)
	}
	for _, ranges := range read {
		if len(ranges) > 0 {
			reading.imports++
		}
	}
	reading.coverage = share(sizeOf(read), sizeOf(planned))
	return reading, nil
}

func sizeOf(all map[uuid.UUID]extract.Ranges) int {
	size := 0
	for _, ranges := range all {
		for _, r := range ranges {
			size += r.End - r.Start
		}
	}
	return size
}

// share returns a part of a whole, from 0 to 1.
func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return min(float64(part)/float64(whole), 1)
}
