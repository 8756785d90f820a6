// Package eval measures an extractor on transcripts whose evidence is known, so that models can be compared.
//
// It extracts as the service does, chunk by chunk, verifies and merges the findings, and compares the
// evidence with spans that people marked. Set is a small set of interviews that is part of the program;
// docs/extraction.md describes the format of others.
package eval

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"research/activities/extract"
	"research/outcome"
	"research/transcript"
)

//go:embed gold
var embedded embed.FS

// Set returns the embedded set: four interviews in four formats and three languages.
func Set() fs.FS {
	set, err := fs.Sub(embedded, "gold")
	if err != nil {
		panic(err) // the name is a constant
	}
	return set
}

// Options configure Run.
type Options struct {
	Concurrency int           // transcripts at once; less than 1 means 1
	RetryDelay  time.Duration // before the first retry of a failed call, unless the server requests another
	Budget      *Budget       // nil means no limits
	Journal     *Journal      // nil means that no response is kept
}

// Errors of Run, beside the *extract.Error of a call. A report comes with both.
var (
	ErrNothingRead = errors.New("nothing could be read")
	ErrTokenLimit  = errors.New("the limit of tokens was reached")
	ErrCostLimit   = errors.New("the limit of costs was reached")
)

// maxAttempts is how often a request is made that fails temporarily.
const maxAttempts = 4

// Run measures an extractor on all cases. A chunk that the extractor cannot read counts as unread, and what
// people marked there as neither found nor missed. Any other failure, such as a rejected key, ends the run
// with an *extract.Error. If nothing was read or the tokens were used up, the error comes with the report so
// far.
func Run(ctx context.Context, extractor extract.Extractor, cases []Case, options Options) (Report, error) {
	report := Report{
		Extractor:     extractor.Name(),
		Model:         extractor.Model(),
		PromptVersion: extractor.PromptVersion(),
		Transcripts:   make([]Score, len(cases)),
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(options.Concurrency, 1))
	began := time.Now()
	hypotheses := make([][]HypothesisScore, len(cases))
	for i, c := range cases {
		group.Go(func() error {
			r := &reader{
				extractor: extractor, retryDelay: options.RetryDelay, text: c.Transcript,
				interviewers: c.Interviewers, budget: options.Budget, journal: options.Journal,
			}
			for j, h := range c.Hypotheses {
				r.hypotheses = append(r.hypotheses, extract.Hypothesis{ID: strconv.Itoa(j), Statement: h.Statement})
			}
			chunks := extractor.Plan(c.Transcript, r.hypotheses)
			r.recovery = extract.NewRecovery(len(chunks))
			for i, chunk := range chunks {
				err := r.read(ctx, i, chunk)
				if errors.Is(err, ErrTokenLimit) || errors.Is(err, ErrCostLimit) {
					r.unread++
					break
				}
				if err != nil {
					return err
				}
			}
			report.Transcripts[i], hypotheses[i] = r.score(c)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return Report{}, err
	}
	report.Seconds = time.Since(began).Seconds()
	report.Total.Name = "total"
	for _, s := range report.Transcripts {
		report.Total.add(s)
	}
	report.Hypotheses = slices.Concat(hypotheses...)
	report.computeShares()
	switch err := options.Budget.exhausted(); {
	case err != nil:
		return report, err
	case report.Total.Read == 0:
		return report, ErrNothingRead
	}
	return report, nil
}

// A reader extracts from one transcript.
type reader struct {
	extractor    extract.Extractor
	retryDelay   time.Duration
	text         *transcript.Transcript
	hypotheses   []extract.Hypothesis
	interviewers []string
	budget       *Budget  // of all transcripts
	journal      *Journal // of all transcripts

	recovery extract.Recovery
	results  []extract.ChunkResult
	usage    extract.Usage
	calls    int
	unread   int
}

// read extracts from a chunk as the service does: it asks again about what could not be read, or about its
// parts, and skips what the model refuses.
func (r *reader) read(ctx context.Context, chunk int, whole extract.Chunk) error {
	for parts := []extract.Part{{Chunk: whole}}; len(parts) > 0; {
		part := parts[0]
		failure, err := r.readPart(ctx, chunk, part)
		if err != nil {
			return err
		}
		parts = parts[1:]
		if failure.Code == "" {
			continue
		}
		instead := part.After(r.text, failure)
		if len(instead) == 0 {
			r.unread++
		}
		parts = append(instead, parts...)
	}
	return nil
}

// readPart extracts from a part of a chunk. It retries temporary failures.
func (r *reader) readPart(ctx context.Context, chunk int, part extract.Part) (extract.PartFailure, error) {
	if r.recovery.Decide(r.text, chunk, part) != extract.Ask { // nothing else is under way
		return extract.PartFailure{Code: part.Failed, Skipped: true, Final: r.recovery.Exhausted()}, nil
	}
	request := extract.Request{
		Transcript: r.text, Chunk: part.Chunk, Hypotheses: r.hypotheses, Interviewers: r.interviewers,
		Again: part.Again,
	}
	for attempt := 1; ; attempt++ {
		response, failed, err := r.respond(ctx, request)
		if err != nil {
			return extract.PartFailure{}, err
		}
		if failed == nil {
			r.recovery.End(chunk, part, "")
			r.usage = r.usage.Add(response.Usage)
			r.results = append(r.results, extract.ChunkResult{Chunk: part.Chunk, Response: response})
			return extract.PartFailure{}, nil
		}
		r.usage = r.usage.Add(failed.Usage)
		switch failed.Code {
		case outcome.CodeModelRateLimited, outcome.CodeModelUnavailable:
			if attempt == maxAttempts {
				return extract.PartFailure{}, failed
			}
			if err := r.wait(ctx, failed.RetryAfter, attempt); err != nil {
				return extract.PartFailure{}, err
			}
		case outcome.CodeModelTooLong, outcome.CodeModelBadAnswer, outcome.CodeModelRefused:
			r.recovery.End(chunk, part, failed.Code)
			return extract.PartFailure{Code: failed.Code, Final: r.recovery.Exhausted()}, nil
		default:
			return extract.PartFailure{}, failed
		}
	}
}

// respond returns the response that the journal has, or makes the request. The budget is for the latter
// alone.
func (r *reader) respond(
	ctx context.Context, request extract.Request,
) (extract.Response, *extract.Error, error) {
	key, err := r.journal.key(r.extractor, request)
	if err != nil {
		return extract.Response{}, nil, err
	}
	if response, failed, ok := r.journal.take(key); ok {
		r.calls++
		return response, failed, nil
	}
	if err := r.budget.exhausted(); err != nil {
		return extract.Response{}, nil, err
	}
	r.calls++
	response, err := r.extractor.Extract(ctx, request)
	var failed *extract.Error
	if err != nil && !errors.As(err, &failed) {
		return response, nil, err
	}
	used := response.Usage
	if failed != nil {
		used = failed.Usage
	}
	r.budget.spend(used)
	return response, failed, r.journal.keep(key, response, failed)
}

// isRead reports whether at least half of a gold span was in a chunk that was read.
func (r *reader) isRead(g Gold) bool {
	return slices.ContainsFunc(r.results, func(result extract.ChunkResult) bool {
		shared := min(g.ByteEnd, result.Chunk.ByteEnd) - max(g.ByteStart, result.Chunk.ByteStart)
		return 2*shared >= g.ByteEnd-g.ByteStart
	})
}

func (r *reader) wait(ctx context.Context, requested time.Duration, attempt int) error {
	delay := requested
	if delay == 0 {
		delay = time.Duration(attempt) * r.retryDelay
	}
	return pause(ctx, delay)
}

func pause(ctx context.Context, delay time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(delay):
		return nil
	}
}

// score compares the evidence with the gold spans.
func (r *reader) score(c Case) (Score, []HypothesisScore) {
	evidence, discarded := extract.Merge(r.text, r.results, r.hypotheses, r.interviewers)
	s := Score{
		Name:          c.Name,
		Rejected:      len(discarded),
		RejectReasons: extract.Count(discarded),
		Calls:         r.calls,
		Read:          len(r.results),
		Unread:        r.unread,
		InputTokens:   r.usage.InputTokens,
		OutputTokens:  r.usage.OutputTokens,
	}
	for _, result := range r.results {
		s.Quotes += len(result.Response.Findings)
	}
	refused := r.refused()
	hypotheses := make([]HypothesisScore, len(c.Hypotheses))
	for i, h := range c.Hypotheses {
		id := strconv.Itoa(i)
		isSilent := len(h.Gold) == 0 && r.unread == 0 && !c.Judged
		h.Gold = slices.DeleteFunc(slices.Clone(h.Gold), func(g Gold) bool { return !r.isRead(g) })
		hypotheses[i] = s.scoreHypothesis(c, h, evidenceFor(evidence, id), isSilent)
		hypotheses[i].Refused = refused[id]
		s.count(hypotheses[i].Counts)
	}
	return s, hypotheses
}

func evidenceFor(evidence []extract.Evidence, hypothesisID string) []extract.Evidence {
	var out []extract.Evidence
	for _, e := range evidence {
		if e.HypothesisID == hypothesisID {
			out = append(out, e)
		}
	}
	return out
}

// touches reports whether evidence and gold share at least half of the shorter of the two.
func touches(e extract.Evidence, g Gold) bool {
	shared := min(e.ByteEnd, g.ByteEnd) - max(e.ByteStart, g.ByteStart)
	return shared > 0 && 2*shared >= min(e.ByteEnd-e.ByteStart, g.ByteEnd-g.ByteStart)
}
