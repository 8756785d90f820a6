package activities

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"

	"research/activities/extract"
	"research/activities/extract/ask"
	"research/db"
	"research/outcome"
)

// PlanAnswer chooses what is read for an answer: the passages that match the question best, or all chunks of
// all interviews. Of a quick answer it first asks the model, once, for other wordings of the question; if
// that fails, the question is looked for as it is. Passages that nobody reads are written at once. A
// retry and a run that continues keep the plan of the claim.
//
// The error has the type TypeSuperseded if the claim is not the latest, and that of outcome.CodeTokenLimit if
// reading would exceed what the answer may use.
func (a *Answers) PlanAnswer(ctx context.Context, ref AnswerRef) (AnswerPlan, error) {
	defer heartbeat(ctx, nil)()
	p := &answerPlanning{answers: a, ref: ref}
	plan, err := p.run(ctx)
	return plan, a.end(ctx, ref, err)
}

// An answerPlanning is an attempt to plan an answer.
type answerPlanning struct {
	answers  *Answers
	ref      AnswerRef
	answer   db.Answer
	wordings []string // the question, and other wordings of it

	rows  []db.ListScopeImportsRow
	scope interviews
	parts []plannedPart
}

// A plannedPart is a passage or a chunk that is read.
type plannedPart struct {
	interview int // its index in the scope
	extract.Chunk
	best int // of a passage: its utterance that matches best
}

func (p *answerPlanning) run(ctx context.Context) (AnswerPlan, error) {
	planned, err := p.begin(ctx)
	if err != nil || planned {
		return p.plan(ctx, err)
	}
	if p.wordings, err = p.reword(ctx); err != nil {
		return AnswerPlan{}, err
	}
	if err := p.load(ctx); err != nil {
		return AnswerPlan{}, err
	}
	p.choose()
	return p.plan(ctx, p.write(ctx))
}

// begin moves the answer to reading. It reports true if the claim has a plan.
func (p *answerPlanning) begin(ctx context.Context) (planned bool, err error) {
	run := activityRun(ctx)
	by := p.answers.reader()
	err = p.answers.imports.store.AsService(ctx, func(q *db.Queries) error {
		if p.answer, err = p.ref.lock(ctx, q); err != nil {
			return err
		}
		if modeOf(p.answer) == outcome.ModePassages {
			by = reader{Extractor: keywordExtractor}
		} else if err := p.answers.needModel(); err != nil {
			return err
		}
		begun, err := q.BeginAnswer(ctx, db.BeginAnswerParams{
			AnswerID: p.ref.AnswerID, ClaimID: p.ref.ClaimID, WorkflowID: run.workflowID, RunID: run.runID,
			Extractor: by.Extractor, Model: by.Model, PromptVersion: by.PromptVersion,
		})
		if err != nil {
			return err
		}
		if begun == 0 {
			return errSuperseded()
		}
		parts, err := q.ListAnswerParts(ctx, db.ListAnswerPartsParams(p.ref))
		planned = len(parts) > 0
		return err
	})
	return planned, failed(ctx, p.answers.imports.log, "begin an answer", err, p.ref.attributes()...)
}

// needModel returns an error if there is no model: a run may have been planned by a worker that had one.
func (a *Answers) needModel() error {
	if a.answerer == nil {
		return temporal.NewNonRetryableApplicationError("no model is configured",
			string(outcome.CodeModelNotFound), nil)
	}
	return nil
}

// reader returns what answers with a model.
func (a *Answers) reader() reader {
	if a.answerer == nil {
		return reader{}
	}
	return reader{a.answerer.Name(), a.answerer.Model(), a.answerer.AnswerPromptVersion()}
}

// rewordTimeout bounds the call for other wordings: somebody waits, and the question itself finds most.
const rewordTimeout = 15 * time.Second

// reword returns the question and, for a quick answer, other wordings of it. A model that fails leaves the
// question alone.
func (p *answerPlanning) reword(ctx context.Context) ([]string, error) {
	wordings := []string{p.answer.Question}
	if modeOf(p.answer) != outcome.ModeQuick {
		return wordings, nil
	}
	a := p.answers
	c := answerCall{
		ref: p.ref, ordinal: rewordOrdinal, expected: a.answerer.ExpectReword(p.answer.Question),
		key: a.questionKey("reword", p.answer.Question),
	}
	var stored extract.Rewordings
	found, err := a.find(ctx, c, p.answer, &stored)
	if err != nil {
		return nil, err
	}
	if !found {
		stored, err = p.askWordings(ctx, c)
		if errors.As(err, new(*extract.Error)) {
			return wordings, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return append(wordings, stored.Wordings[:min(len(stored.Wordings), extract.MaxWordings)]...), nil
}

// askWordings asks the model for other wordings, and keeps them.
func (p *answerPlanning) askWordings(ctx context.Context, c answerCall) (said extract.Rewordings, err error) {
	a := p.answers
	names, err := db.AsService(ctx, a.imports.store, func(q *db.Queries) ([]string, error) {
		return q.ListNames(ctx, p.answer.ProjectID)
	})
	if err != nil {
		return said, failed(ctx, a.imports.log, "list the names of a project", err, p.ref.attributes()...)
	}
	usage, err := a.make(ctx, c, func(ctx context.Context) (extract.Usage, error) {
		timed, stop := context.WithTimeout(ctx, rewordTimeout)
		defer stop()
		said, err = a.answerer.Reword(timed, p.answer.Question, names)
		if err != nil && timed.Err() != nil && ctx.Err() == nil {
			err = &extract.Error{Code: outcome.CodeModelUnavailable}
		}
		return said.Usage, err
	})
	if err != nil {
		return said, err
	}
	return said, a.keep(ctx, c, said, usage)
}

// questionKey is the key of a response about a question alone, or the start of that of another one. Letters'
// case and white space make no difference.
func (a *Answers) questionKey(kind, question string) responseKey {
	folded := strings.ToLower(strings.Join(strings.Fields(question), " "))
	return sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%s\n%q",
		kind, a.answerer.Name(), a.answerer.Model(), a.answerer.AnswerPromptVersion(), folded))
}

// load loads the interviews of the scope.
func (p *answerPlanning) load(ctx context.Context) error {
	a := p.answers
	err := a.imports.store.AsService(ctx, func(q *db.Queries) (err error) {
		p.rows, err = listScope(ctx, q, p.answer)
		return err
	})
	if err == nil {
		p.scope, err = a.loadScope(ctx, p.rows)
	}
	return failed(ctx, a.imports.log, "load the interviews of an answer", err, p.ref.attributes()...)
}

// loadScope loads interviews. If one of them is gone, the next attempt lists the scope again.
func (a *Answers) loadScope(ctx context.Context, rows []db.ListScopeImportsRow) (interviews, error) {
	scope, err := a.indexes.load(ctx, rows)
	if isSuperseded(err) {
		err = errChanged()
	}
	return scope, err
}

// choose chooses what is read.
func (p *answerPlanning) choose() {
	if len(p.scope.all) == 0 {
		return
	}
	limits := ask.Limits{
		Passages: p.answers.cfg.Passages, OfOne: ask.PassagesOfOne, Transcripts: ask.BestTranscripts,
	}
	switch modeOf(p.answer) {
	case outcome.ModeThorough:
		for i, of := range p.scope.all {
			for _, chunk := range p.answers.answerer.PlanQuestion(of.text.Transcript, p.answer.Question) {
				p.parts = append(p.parts, plannedPart{interview: i, Chunk: chunk})
			}
		}
		return
	case outcome.ModePassages:
		limits.Passages = ask.BarePassages
	}
	for _, passage := range p.scope.index.Find(p.wordings, limits) {
		t := p.scope.all[passage.Transcript].text
		p.parts = append(p.parts, plannedPart{passage.Transcript, extract.Chunk{
			From: passage.From, To: passage.To,
			ByteStart: t.Utterances[passage.From].ByteStart, ByteEnd: t.Utterances[passage.To-1].ByteEnd,
		}, passage.Best})
	}
}

// errChanged lets a plan be made again whose interviews changed meanwhile.
func errChanged() error {
	return benignError("the interviews changed meanwhile", "changed", 100*time.Millisecond)
}

// write writes the plan, and the passages that are shown as they are.
func (p *answerPlanning) write(ctx context.Context) error {
	thorough := modeOf(p.answer) == outcome.ModeThorough
	err := p.answers.imports.store.AsService(ctx, func(q *db.Queries) error {
		locked, err := p.ref.lock(ctx, q)
		if err != nil {
			return err
		}
		rows, err := listScope(ctx, q, locked)
		if err != nil {
			return err
		}
		if !isSameScope(rows, p.rows) {
			return errChanged()
		}
		if thorough {
			if err := p.checkTokenLimit(ctx, q, locked); err != nil {
				return err
			}
		}
		if err := p.insert(ctx, q, !thorough); err != nil {
			return err
		}
		if modeOf(p.answer) != outcome.ModePassages {
			return nil
		}
		var passages []ask.Passage
		for _, part := range p.parts {
			passages = append(passages, ask.Passage{
				Transcript: part.interview, From: part.From, To: part.To, Best: part.best,
			})
		}
		return writePassages(ctx, q, p.ref, p.scope.all, p.answer.Question, passages)
	})
	return failed(ctx, p.answers.imports.log, "plan an answer", err, p.ref.attributes()...)
}

// insert writes the parts of the plan.
func (p *answerPlanning) insert(ctx context.Context, q *db.Queries, done bool) error {
	plan := db.PlanAnswerParams{
		AnswerID: p.ref.AnswerID, ClaimID: p.ref.ClaimID, ProgressTotal: 1, Imports: []uuid.UUID{},
	}
	for _, of := range p.scope.all {
		plan.Imports = append(plan.Imports, of.importID)
	}
	if p.scope.index != nil {
		plan.PassagesTotal = int32(p.scope.index.Passages())
	}
	parts := db.InsertAnswerPartsParams{AnswerID: p.ref.AnswerID, ClaimID: p.ref.ClaimID, Done: done}
	for i, part := range p.parts {
		parts.Ordinals = append(parts.Ordinals, int32(i))
		parts.Imports = append(parts.Imports, p.scope.all[part.interview].importID)
		parts.UtteranceFroms = append(parts.UtteranceFroms, int32(part.From))
		parts.UtteranceTos = append(parts.UtteranceTos, int32(part.To))
		parts.ByteStarts = append(parts.ByteStarts, int32(part.ByteStart))
		parts.ByteEnds = append(parts.ByteEnds, int32(part.ByteEnd))
	}
	if !done {
		plan.ProgressTotal += int32(len(p.parts)) // the last step composes the answer
	}
	if planned, err := q.PlanAnswer(ctx, plan); err != nil || planned == 0 {
		return errors.Join(err, errSuperseded())
	}
	return q.InsertAnswerParts(ctx, parts)
}

// plan returns what is left of the plan, unless planning has failed.
func (p *answerPlanning) plan(ctx context.Context, err error) (AnswerPlan, error) {
	if err != nil {
		return AnswerPlan{}, err
	}
	plan := AnswerPlan{
		Concurrency: p.answers.imports.cfg.Concurrency, Compose: modeOf(p.answer) != outcome.ModePassages,
	}
	type all = []db.PrivateAnswerPart
	parts, err := db.AsService(ctx, p.answers.imports.store, func(q *db.Queries) (all, error) {
		return q.ListAnswerParts(ctx, db.ListAnswerPartsParams(p.ref))
	})
	if modeOf(p.answer) == outcome.ModeThorough {
		plan.Total = len(parts)
	}
	for _, part := range parts {
		if part.DoneAt == nil {
			plan.Chunks = append(plan.Chunks, int(part.Ordinal))
		}
	}
	return plan, failed(ctx, p.answers.imports.log, "list the parts of an answer", err, p.ref.attributes()...)
}

// checkTokenLimit rejects a thorough answer whose requests would exceed what it may use, before the first of
// them is paid for. Chunks whose response is stored cost nothing.
func (p *answerPlanning) checkTokenLimit(ctx context.Context, q *db.Queries, locked db.Answer) error {
	if p.answers.cfg.MaxTokens == 0 {
		return nil
	}
	estimate, err := p.answers.estimate(ctx, q, p.scope.all, p.parts, p.answer.Question)
	if err != nil {
		return err
	}
	total := locked.InputTokens + locked.OutputTokens + estimate.Usage.InputTokens + estimate.Usage.OutputTokens
	if total > p.answers.cfg.MaxTokens {
		return errAnswerTokenLimit()
	}
	return nil
}

// estimate adds up the requests about chunks whose response is not stored.
func (a *Answers) estimate(
	ctx context.Context, q *db.Queries, all []interview, parts []plannedPart, question string,
) (Estimate, error) {
	keys := db.ListPartResponsesParams{Imports: []uuid.UUID{}, Keys: [][]byte{}}
	requests := make([]extract.Request, len(parts))
	byKey := make([]responseKey, len(parts))
	for i, part := range parts {
		of := all[part.interview]
		requests[i] = questionRequest(of, part.Chunk, question)
		byKey[i] = a.chunkKey(of.text, requests[i])
		keys.Imports, keys.Keys = append(keys.Imports, of.importID), append(keys.Keys, byKey[i][:])
	}
	rows, err := q.ListPartResponses(ctx, keys)
	if err != nil {
		return Estimate{}, err
	}
	stored := map[responseKey]bool{}
	for _, row := range rows {
		stored[responseKey(row.Key)] = true
	}
	var sum Estimate
	for i, request := range requests {
		if !stored[byKey[i]] {
			sum.Calls++
			sum.Usage = sum.Usage.Add(a.answerer.ExpectQuestion(request))
		}
	}
	return sum, nil
}
