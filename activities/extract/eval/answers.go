package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"research/activities/extract"
	"research/activities/extract/ask"
	"research/outcome"
	"research/transcript"
)

// An AnswerReport measures the answers of a model to questions about meetings.
type AnswerReport struct {
	Model         string `json:"model"`
	PromptVersion string `json:"promptVersion"`

	// Own are questions to the meetings that they are about, and Other to meetings that they are not about.
	Own   AnswerScore   `json:"own"`
	Other AnswerScore   `json:"other"`
	Usage extract.Usage `json:"usage"`
}

// An AnswerScore counts the answers to questions, as the product would show them.
type AnswerScore struct {
	Questions   int `json:"questions"`
	Answered    int `json:"answered"`
	Partly      int `json:"partly"`
	NotFound    int `json:"notFound"`
	Failed      int `json:"failed"` // a response could not be read, or was refused
	Sentences   int `json:"sentences"`
	Unsupported int `json:"unsupported"` // sentences that were not stored
	Rejected    int `json:"rejected"`    // quotes that were not proven
	Quoted      int `json:"quoted"`      // utterances with a quote
	Marked      int `json:"marked"`      // of these, utterances that people marked
}

// answeredMeetings is how many meetings a question is put to.
const answeredMeetings = 5

// Answers asks the questions of cases: of the meeting that each is about and some others, and of as many
// others alone. It ends with the error of a call, or that of the budget, with the report so far.
func Answers(
	ctx context.Context, answerer extract.Answerer, cases []Case, options Options,
) (AnswerReport, error) {
	r := AnswerReport{Model: answerer.Model(), PromptVersion: answerer.AnswerPromptVersion()}
	for i, c := range cases {
		own, other := newRespondent(answerer, cases, i, options), newRespondent(answerer, cases, i+1, options)
		other.isOther = true
		for _, h := range c.Hypotheses {
			err := errors.Join(own.ask(ctx, h, &r.Own, &r.Usage), other.ask(ctx, h, &r.Other, &r.Usage))
			if err != nil {
				return r, err
			}
		}
	}
	return r, nil
}

// A respondent answers questions by meetings.
type respondent struct {
	answerer     extract.Answerer
	options      Options
	transcripts  []*transcript.Transcript // the first is the one that questions are about, unless isOther
	interviewers [][]string
	index        *ask.Index
	isOther      bool
}

// newRespondent takes meetings from one on, around the end, and never the one before the first.
func newRespondent(answerer extract.Answerer, cases []Case, first int, options Options) *respondent {
	r := &respondent{answerer: answerer, options: options}
	for n := range min(answeredMeetings, len(cases)-1) {
		c := cases[(first+n)%len(cases)]
		r.transcripts = append(r.transcripts, c.Transcript)
		r.interviewers = append(r.interviewers, c.Interviewers)
	}
	r.index = ask.NewIndex(r.transcripts)
	return r
}

// ask puts a question, and adds what is shown for it to a score.
func (r *respondent) ask(ctx context.Context, h Hypothesis, score *AnswerScore, used *extract.Usage) error {
	if err := r.options.Budget.exhausted(); err != nil {
		return err
	}
	request := r.request(h.Statement)
	score.Questions++
	if len(request.Sources) == 0 {
		score.NotFound++
		return nil
	}
	answer, usage, err := r.compose(ctx, request)
	r.options.Budget.spend(usage)
	*used = used.Add(usage)
	if isUnreadable(err) {
		score.Failed++
		return nil
	}
	if err != nil {
		return err
	}
	score.add(answer)
	for _, q := range answer.quotes {
		for u := q.From; u < q.To; u++ {
			score.Quoted++
			if !r.isOther && q.Transcript == 0 && isMarked(r.transcripts[0].Utterances[u], h.Gold) {
				score.Marked++
			}
		}
	}
	return nil
}

// request takes the passages that match a question.
func (r *respondent) request(question string) extract.ComposeRequest {
	request := extract.ComposeRequest{
		Question: question, Transcripts: r.transcripts, Interviewers: r.interviewers,
	}
	for i, p := range r.index.Find([]string{question}, serviceLimits) {
		request.Sources = append(request.Sources, extract.AnswerSource{
			ID: fmt.Sprintf("p%d", i+1), Transcript: p.Transcript, From: p.From, To: p.To,
		})
	}
	return request
}

// isUnreadable reports whether a call failed for its own sake, so that others may succeed.
func isUnreadable(err error) bool {
	var failed *extract.Error
	return errors.As(err, &failed) && slices.Contains([]outcome.Code{
		outcome.CodeModelTooLong, outcome.CodeModelBadAnswer, outcome.CodeModelRefused,
	}, failed.Code)
}

// A shownAnswer is what the product would show.
type shownAnswer struct {
	sentences, unsupported, rejected int
	quotes                           []ask.Quote
	result                           string
}

// compose asks the model, and again if it fails temporarily.
func (r *respondent) compose(
	ctx context.Context, request extract.ComposeRequest,
) (answer shownAnswer, used extract.Usage, err error) {
	for attempt := 1; ; attempt++ {
		answer = shownAnswer{}
		prover := ask.NewProver(request.Question, r.transcripts, r.interviewers)
		usage, err := r.answerer.Compose(ctx, request, func(line extract.AnswerLine) error {
			answer.add(prover, line, request.Sources)
			return nil
		})
		used = used.Add(usage)
		var failed *extract.Error
		if !errors.As(err, &failed) || attempt == maxAttempts ||
			failed.Code != outcome.CodeModelRateLimited && failed.Code != outcome.CodeModelUnavailable {
			return answer, used, err
		}
		used = used.Add(failed.Usage)
		if err := pause(ctx, max(failed.RetryAfter, time.Duration(attempt)*r.options.RetryDelay)); err != nil {
			return answer, used, err
		}
	}
}

// add proves a line.
func (a *shownAnswer) add(prover *ask.Prover, line extract.AnswerLine, sources []extract.AnswerSource) {
	if line.Result != "" {
		a.result = line.Result
		return
	}
	sentence, ok := prover.Prove(line, sources)
	a.rejected += sentence.Rejected
	if !ok {
		a.unsupported++
		return
	}
	a.sentences++
	a.quotes = append(a.quotes, sentence.Quotes...)
}

// add counts an answer. Without a sentence nothing is answered, whatever the model says.
func (s *AnswerScore) add(a shownAnswer) {
	s.Sentences += a.sentences
	s.Unsupported += a.unsupported
	s.Rejected += a.rejected
	switch {
	case a.sentences == 0:
		s.NotFound++
	case a.result == "answered":
		s.Answered++
	default:
		s.Partly++
	}
}
