// Package trial tries an extractor with an interview in which everything is known, before anybody's own
// interviews are read and paid for.
//
// A short request has a quote to find, a statement that the interview denies, and one of which nobody speaks.
// A long one has a chunk of the usual size, with a quote near each of its ends.
package trial

import (
	"context"
	"errors"
	"net/http/httptrace"
	"slices"
	"sync/atomic"
	"time"

	"research/activities/extract"
	"research/activities/extract/quote"
	"research/outcome"
	"research/transcript"
)

// A Result says what an extractor did.
type Result struct {
	Short, Long Call
	Requests    int // to the server, with those that it rejected

	Found   bool   // the quote that was planted
	Denied  Denied // how the denial was taken
	Made    bool   // evidence about what nobody speaks of
	Quotes  int    // in all
	Refused int    // quotes that are not in the interview, which never become evidence

	Beginning, End bool // of the long chunk: its quote was found
}

// A Call is what happened to one request.
type Call struct {
	Asked    bool
	Failed   *extract.Error // nil if it was answered
	Duration time.Duration
	Usage    extract.Usage
	Expected extract.Usage
	Words    int // of the chunk
}

// Denied is how an extractor takes a statement that the interview denies.
type Denied string

// The ways, the best first.
const (
	DeniedContradicts Denied = "contradicts"
	DeniedSilent      Denied = "silent"
	DeniedNeutral     Denied = "neutral"
	DeniedSupports    Denied = "supports" // wrong
)

// Usage returns the tokens of both calls.
func (r Result) Usage() extract.Usage { return r.Short.Usage.Add(r.Long.Usage) }

// Run makes the short call, and the long one if the first was answered. Its error is the context's.
func Run(ctx context.Context, extractor extract.Extractor) (Result, error) {
	var requests atomic.Int64
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { requests.Add(1) },
	})
	var result Result
	short := shortInterview()
	evidence, err := result.ask(ctx, extractor, &result.Short, short)
	if err == nil && result.Short.Failed == nil {
		result.judgeShort(short, evidence)
		long := longInterview(extractor)
		if evidence, err = result.ask(ctx, extractor, &result.Long, long); err == nil {
			result.Beginning = slices.ContainsFunc(evidence, long.isPlanted(0))
			result.End = slices.ContainsFunc(evidence, long.isPlanted(1))
		}
	}
	result.Requests = int(requests.Load())
	return result, err
}

// An evidence is a finding whose quote is in the interview.
type evidence struct {
	extract.Finding
	from, to int // utterances, both inclusive
}

// ask makes one request and proves its quotes.
func (r *Result) ask(
	ctx context.Context, extractor extract.Extractor, call *Call, i interview,
) ([]evidence, error) {
	request := extract.Request{Transcript: i.transcript, Chunk: i.chunk, Hypotheses: i.hypotheses}
	*call = Call{Asked: true, Expected: extractor.Expect(request)}
	for _, u := range i.transcript.Utterances[i.chunk.From:i.chunk.To] {
		call.Words += u.Words()
	}
	began := time.Now()
	response, err := extractor.Extract(ctx, request)
	call.Duration, call.Usage = time.Since(began), response.Usage
	if err != nil {
		if ctx.Err() != nil || !errors.As(err, &call.Failed) {
			return nil, err
		}
		call.Usage = call.Failed.Usage
		return nil, nil
	}
	aligner := quote.NewAligner(i.transcript)
	var proven []evidence
	for _, f := range response.Findings {
		r.Quotes++
		span, reason := aligner.Align(f.Quote, f.Utterances, i.chunk.From, i.chunk.To)
		if reason != "" {
			r.Refused++
			continue
		}
		proven = append(proven, evidence{f, span.UtteranceFrom, span.UtteranceTo})
	}
	return proven, nil
}

// judgeShort compares the evidence of the short interview with what is known.
func (r *Result) judgeShort(i interview, all []evidence) {
	r.Found = slices.ContainsFunc(all, i.isPlanted(hypothesisFound))
	r.Denied = DeniedSilent
	stances := map[outcome.Stance]bool{}
	for _, e := range all {
		switch e.HypothesisID {
		case i.hypotheses[hypothesisSilent].ID:
			r.Made = true
		case i.hypotheses[hypothesisDenied].ID:
			stances[e.Stance] = true
		}
	}
	switch {
	case stances[outcome.StanceSupports]:
		r.Denied = DeniedSupports
	case stances[outcome.StanceContradicts]:
		r.Denied = DeniedContradicts
	case stances[outcome.StanceNeutral]:
		r.Denied = DeniedNeutral
	}
}

// An interview is a transcript, the chunk of it that is read, and what is known about the hypotheses.
type interview struct {
	transcript *transcript.Transcript
	chunk      extract.Chunk
	hypotheses []extract.Hypothesis
	planted    []int // the utterance of each hypothesis, or -1
}

// isPlanted reports whether evidence supports a hypothesis with its planted quote.
func (i interview) isPlanted(hypothesis int) func(evidence) bool {
	return func(e evidence) bool {
		at := i.planted[hypothesis]
		return e.HypothesisID == i.hypotheses[hypothesis].ID && e.from <= at && at <= e.to &&
			e.Stance != outcome.StanceContradicts
	}
}
