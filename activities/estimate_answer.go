package activities

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/google/uuid"

	"research/activities/extract"
	"research/db"
	"research/outcome"
)

// An AnswerEstimator estimates answers, as a worker with the same settings would plan them. It is safe for
// concurrent use.
type AnswerEstimator struct {
	answers *Answers
}

// NewAnswerEstimator returns an estimator. answerer is nil without a model, and is never asked; passages is
// how many a quick answer reads.
func NewAnswerEstimator(store *db.Store, answerer extract.Answerer, passages int) *AnswerEstimator {
	return &AnswerEstimator{&Answers{
		imports:  &Imports{store: store, log: slog.New(slog.DiscardHandler)},
		answerer: answerer, cfg: AnswersConfig{Passages: passages},
		indexes: newIndexCache(newTranscriptCache(store)),
	}}
}

// ErrScopeTooLarge means that the interviews of an answer are too many or too long to be read together.
var ErrScopeTooLarge = errors.New("activities: the scope of the answer is too large")

// An AnswerEstimate is the expected size of an answer.
type AnswerEstimate struct {
	Estimate

	Imports  int // in the scope
	Passages int // that would be read, whether or not they were
}

// Estimate estimates what it would take to answer again in a mode, and starts nothing. Chunks whose response
// is stored cost nothing; the wordings and the sentences are expected to be asked for.
//
// Errors: db.ErrNotFound if there is no such answer, ErrScopeTooLarge, and those of db.Store.
func (e *AnswerEstimator) Estimate(
	ctx context.Context, id uuid.UUID, mode outcome.AnswerMode,
) (AnswerEstimate, error) {
	p, err := e.read(ctx, id, mode)
	if isType(err, string(outcome.CodeTokenLimit)) {
		return AnswerEstimate{}, ErrScopeTooLarge
	}
	if err != nil {
		return AnswerEstimate{}, fmt.Errorf("estimate answer %s: %w", id, err)
	}
	sum := AnswerEstimate{Imports: len(p.scope.all)}
	if mode != outcome.ModePassages && e.answers.answerer == nil {
		return sum, nil
	}
	p.choose()
	sum.Passages = len(p.parts)
	if mode == outcome.ModePassages || len(p.parts) == 0 {
		return sum, nil
	}
	if mode == outcome.ModeThorough {
		chunks := p.parts
		sum.Passages = p.scope.index.Passages()
		sum.Estimate, err = db.AsService(ctx, e.answers.imports.store, func(q *db.Queries) (Estimate, error) {
			return e.answers.estimate(ctx, q, p.scope.all, chunks, p.answer.Question)
		})
		if err != nil {
			return sum, fmt.Errorf("estimate answer %s: %w", id, err)
		}
		// What reading finds is not known. It is expected to be as long as what a quick answer reads.
		p.answer.Mode, p.parts = db.AnswerMode(outcome.ModeQuick), nil
		p.choose()
	} else {
		sum.add(e.answers.answerer.ExpectReword(p.answer.Question))
	}
	sum.add(e.answers.answerer.ExpectCompose(p.expectedRequest()))
	return sum, nil
}

// add adds a call.
func (e *AnswerEstimate) add(expected extract.Usage) {
	e.Calls++
	e.Usage = e.Usage.Add(expected)
}

// read loads an answer, as if it were asked in a mode, and the interviews of its scope.
func (e *AnswerEstimator) read(
	ctx context.Context, id uuid.UUID, mode outcome.AnswerMode,
) (*answerPlanning, error) {
	p := &answerPlanning{answers: e.answers}
	err := e.answers.imports.store.AsService(ctx, func(q *db.Queries) error {
		row, err := q.GetAnswer(ctx, id)
		if err != nil {
			return err
		}
		p.answer = row.Answer
		p.answer.Mode, p.wordings = db.AnswerMode(mode), []string{p.answer.Question}
		p.rows, err = listScope(ctx, q, p.answer)
		return err
	})
	if err != nil {
		return nil, err
	}
	p.scope, err = e.answers.indexes.load(ctx, p.rows)
	return p, err
}

// expectedRequest is a request for the sentences of an answer to the parts.
func (p *answerPlanning) expectedRequest() extract.ComposeRequest {
	request := extract.ComposeRequest{Question: p.answer.Question}
	request.Transcripts, request.Interviewers = transcriptsOf(p.scope.all)
	for i, part := range p.parts {
		request.Sources = append(request.Sources, extract.AnswerSource{
			ID: fmt.Sprint("p", i+1), Transcript: part.interview, From: part.From, To: part.To,
		})
	}
	return request
}
