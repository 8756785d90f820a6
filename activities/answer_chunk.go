package activities

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"research/activities/extract"
	"research/db"
	"research/outcome"
)

// ReadForAnswer reads a chunk for a thorough answer with one call to the model, as ReadChunk does for a
// parse. What a chunk says about a question is stored with its import, so that asking again costs nothing.
func (a *Answers) ReadForAnswer(ctx context.Context, in ReadForAnswerInput) (ReadChunkResult, error) {
	if err := a.needModel(); err != nil {
		return ReadChunkResult{}, err
	}
	of := &answerChunk{answers: a, ref: in.AnswerRef, ordinal: int32(in.Ordinal)}
	return a.imports.readChunk(ctx, of, in.ClaimID, in.Ordinal)
}

// An answerChunk is a chunk that is read for an answer: the owner of an attempt to read it.
type answerChunk struct {
	answers *Answers
	ref     AnswerRef
	ordinal int32
}

// questionRequest asks what a chunk says about a question.
func questionRequest(of interview, chunk extract.Chunk, question string) extract.Request {
	return extract.Request{
		Transcript: of.text.Transcript, Chunk: chunk, Interviewers: of.interviewers,
		Hypotheses: []extract.Hypothesis{{ID: extract.QuestionID, Statement: question}},
	}
}

// chunkKey is the key of the response to a request about a question.
func (a *Answers) chunkKey(text cachedTranscript, r extract.Request) responseKey {
	return sha256.Sum256(fmt.Appendf(nil, "%x\n%s\n%d-%d\n%q", a.questionKey("read", r.Hypotheses[0].Statement),
		text.sha256, r.Chunk.ByteStart, r.Chunk.ByteEnd, r.Interviewers))
}

func (c *answerChunk) attributes() []any { return c.ref.attributes() }

func (c *answerChunk) load(ctx context.Context, r *chunkReading) (done bool, err error) {
	store, log := c.answers.imports.store, c.answers.imports.log
	var version string
	err = store.AsService(ctx, func(q *db.Queries) error {
		answer, err := c.ref.lock(ctx, q)
		if err != nil {
			return err
		}
		part, err := q.StartAnswerPart(ctx, db.StartAnswerPartParams{
			AnswerID: c.ref.AnswerID, ClaimID: c.ref.ClaimID, Ordinal: c.ordinal,
		})
		if errors.Is(err, db.ErrNotFound) { // it is done
			done = true
			return nil
		}
		if err != nil {
			return err
		}
		r.importID, r.interviewers, version = part.ImportID, part.Interviewers, part.Version
		r.chunk = extract.Chunk{
			From: int(part.UtteranceFrom), To: int(part.UtteranceTo),
			ByteStart: int(part.ByteStart), ByteEnd: int(part.ByteEnd),
		}
		r.hypotheses = []extract.Hypothesis{{ID: extract.QuestionID, Statement: answer.Question}}
		return nil
	})
	if err == nil && !done {
		r.text, err = c.answers.imports.ender.transcripts.load(ctx, versionRef(r.importID, version))
	}
	r.state = newChunkState(r.chunk)
	return done, failed(ctx, log, "load a chunk", err, c.attributes()...)
}

func (c *answerChunk) key(r *chunkReading, request extract.Request) responseKey {
	return c.answers.chunkKey(r.text, request)
}

func (c *answerChunk) estimate(request extract.Request) int64 {
	expected := c.answers.answerer.ExpectQuestion(request)
	return expected.InputTokens + expected.OutputTokens
}

func (c *answerChunk) ask(ctx context.Context, request extract.Request) (extract.Response, error) {
	ctx, stop := c.answers.imports.whileClaimed(ctx, c.ref.isClaimed)
	defer stop()
	response, err := c.answers.answerer.ReadForQuestion(ctx, request)
	if isSuperseded(context.Cause(ctx)) {
		err = context.Cause(ctx)
	}
	return response, err
}

func (c *answerChunk) reserveTokens(ctx context.Context, wanted int64) error {
	limit := c.answers.cfg.MaxTokens
	return c.answers.reserveTokens(ctx, c.ref, wanted, func(q *db.Queries, spent int64) (bool, error) {
		reserved, err := q.ReserveTokenBudget(ctx, db.ReserveTokenBudgetParams{
			ClaimID: c.ref.ClaimID, Ordinal: c.ordinal, Wanted: wanted,
		})
		if err != nil || !reserved || limit == 0 {
			return reserved, err
		}
		rows, err := q.ReserveAnswerTokens(ctx, db.ReserveAnswerTokensParams{
			AnswerID: c.ref.AnswerID, ClaimID: c.ref.ClaimID, Ordinal: c.ordinal,
			Wanted: wanted, Spent: spent, MaxTokens: limit,
		})
		return rows > 0, err
	})
}

// decide asks about every part: endRequest bounds how many there are.
func (*answerChunk) decide(
	context.Context, *chunkReading, extract.Part,
) (decision extract.Decision, exhausted bool, err error) {
	return extract.Ask, false, nil
}

// endRequest allows a second request about a chunk whose response could not be read, and no smaller parts:
// somebody waits. What is too long is read in parts.
func (*answerChunk) endRequest(
	_ context.Context, p extract.Part, failed outcome.Code,
) (exhausted bool, err error) {
	return failed == outcome.CodeModelBadAnswer && p.Failed != "", nil
}

func (c *answerChunk) store(ctx context.Context, q *db.Queries, response keyedResponse) (bool, error) {
	return q.StorePartResponse(ctx, db.StorePartResponseParams{
		AnswerID: c.ref.AnswerID, ClaimID: c.ref.ClaimID, Ordinal: c.ordinal,
		Key: response.key[:], Response: response.raw,
		InputTokens: response.usage.InputTokens, OutputTokens: response.usage.OutputTokens,
	})
}

func (c *answerChunk) finish(ctx context.Context, r *chunkReading) error {
	keys, unread, err := r.state.columns()
	if err != nil {
		return err
	}
	err = c.answers.imports.store.AsService(ctx, func(q *db.Queries) error {
		if _, err := c.ref.lock(ctx, q); err != nil {
			return err
		}
		_, err := q.FinishAnswerPart(ctx, db.FinishAnswerPartParams{
			AnswerID: c.ref.AnswerID, ClaimID: c.ref.ClaimID, Ordinal: c.ordinal, ResponseKeys: keys, Unread: unread,
		})
		return err
	})
	return failed(ctx, c.answers.imports.log, "finish a chunk", err, c.attributes()...)
}

func (c *answerChunk) see(ctx context.Context, q *db.Queries) error {
	return q.SeeAnswerPart(ctx, db.SeeAnswerPartParams{
		AnswerID: c.ref.AnswerID, ClaimID: c.ref.ClaimID, Ordinal: c.ordinal,
	})
}

func (c *answerChunk) wait(ctx context.Context, q *db.Queries, reason string) error {
	return q.EndAnswerPart(ctx, db.EndAnswerPartParams{
		AnswerID: c.ref.AnswerID, ClaimID: c.ref.ClaimID, Ordinal: c.ordinal, WaitingReason: reason,
	})
}

func (c *answerChunk) suspect(ctx context.Context, q *db.Queries) error {
	return q.SuspectAnswer(ctx, c.ref.ClaimID)
}
