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
}

// maxAttempts is how often a request is made that fails temporarily.
const maxAttempts = 4

// Run measures an extractor on all cases. A chunk that the extractor cannot read counts as unread. Any other
// failure, such as a rejected key, ends the run with an *extract.Error.
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
	for i, c := range cases {
		group.Go(func() error {
			r := &reader{extractor: extractor, retryDelay: options.RetryDelay, text: c.Transcript}
			for j, h := range c.Hypotheses {
				r.hypotheses = append(r.hypotheses, extract.Hypothesis{ID: strconv.Itoa(j), Statement: h.Statement})
			}
			for _, chunk := range extractor.Plan(c.Transcript, r.hypotheses) {
				if err := r.read(ctx, chunk); err != nil {
					return err
				}
			}
			report.Transcripts[i] = r.score(c)
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
	report.computeShares()
	return report, nil
}

// A reader extracts from one transcript.
type reader struct {
	extractor  extract.Extractor
	retryDelay time.Duration
	text       *transcript.Transcript
	hypotheses []extract.Hypothesis

	results []extract.ChunkResult
	usage   extract.Usage
	calls   int
	unread  int
}

// read extracts from a chunk as the service does: it retries temporary failures, splits what is too long, and
// skips what the model refuses.
func (r *reader) read(ctx context.Context, chunk extract.Chunk) error {
	request := extract.Request{Transcript: r.text, Chunk: chunk, Hypotheses: r.hypotheses}
	for attempt := 1; ; attempt++ {
		r.calls++
		response, err := r.extractor.Extract(ctx, request)
		var failed *extract.Error
		if err != nil && !errors.As(err, &failed) {
			return err
		}
		if failed == nil {
			r.usage = r.usage.Add(response.Usage)
			r.results = append(r.results, extract.ChunkResult{Chunk: chunk, Response: response})
			return nil
		}
		r.usage = r.usage.Add(failed.Usage)
		switch failed.Code {
		case outcome.CodeModelRateLimited, outcome.CodeModelUnavailable:
			if attempt == maxAttempts {
				return failed
			}
			if err := r.wait(ctx, failed.RetryAfter, attempt); err != nil {
				return err
			}
		case outcome.CodeModelTooLong, outcome.CodeModelBadAnswer:
			return r.readHalves(ctx, chunk)
		case outcome.CodeModelRefused:
			r.unread++
			return nil
		default:
			return failed
		}
	}
}

func (r *reader) wait(ctx context.Context, requested time.Duration, attempt int) error {
	delay := requested
	if delay == 0 {
		delay = time.Duration(attempt) * r.retryDelay
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(delay):
		return nil
	}
}

func (r *reader) readHalves(ctx context.Context, chunk extract.Chunk) error {
	left, right, ok := extract.Split(r.text, chunk)
	if !ok {
		r.unread++
		return nil
	}
	if err := r.read(ctx, left); err != nil {
		return err
	}
	return r.read(ctx, right)
}

// score compares the evidence with the gold spans.
func (r *reader) score(c Case) Score {
	evidence, rejected := extract.Merge(r.text, r.results, r.hypotheses)
	s := Score{
		Name:          c.Name,
		Hypotheses:    len(c.Hypotheses),
		Rejected:      rejected.Total(),
		RejectReasons: rejected,
		Calls:         r.calls,
		Unread:        r.unread,
		InputTokens:   r.usage.InputTokens,
		OutputTokens:  r.usage.OutputTokens,
	}
	for _, result := range r.results {
		s.Quotes += len(result.Response.Findings)
	}
	for i, h := range c.Hypotheses {
		s.addHypothesis(h, evidenceFor(evidence, strconv.Itoa(i)))
	}
	return s
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

// addHypothesis adds the evidence about one hypothesis to the score.
func (s *Score) addHypothesis(h Hypothesis, evidence []extract.Evidence) {
	found := make([]bool, len(h.Gold))
	for _, e := range evidence {
		right, judged, agreed := false, false, false
		for j, g := range h.Gold {
			if !touches(e, g) {
				continue
			}
			right, found[j] = true, true
			judged = judged || g.Stance != ""
			agreed = agreed || g.Stance != "" && g.Stance == e.Stance
		}
		s.Evidence++
		if right {
			s.Right++
		}
		switch {
		case !right || !judged:
		case agreed:
			s.Agreed++
		case e.Stance == outcome.StanceNeutral:
			s.Abstained++
		default:
			s.Opposed++
		}
	}
	s.Gold += len(h.Gold)
	for _, f := range found {
		if f {
			s.Found++
		}
	}
	if len(h.Gold) == 0 {
		s.Silent++
		if len(evidence) == 0 {
			s.Silence++
		}
	}
}

// touches reports whether evidence and gold share at least half of the shorter of the two.
func touches(e extract.Evidence, g Gold) bool {
	shared := min(e.ByteEnd, g.ByteEnd) - max(e.ByteStart, g.ByteStart)
	return shared > 0 && 2*shared >= min(e.ByteEnd-e.ByteStart, g.ByteEnd-g.ByteStart)
}
