// Package eval measures an extractor by transcripts whose evidence is known, so that a model can be compared before it is trusted.
//
// It asks as the service does, chunk by chunk, proves and merges what was said, and compares the evidence with spans that people marked. Set is
// a small set of interviews that comes with the program; docs/extraction.md says how to make one's own.
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
	"research/transcript"
)

//go:embed gold
var shipped embed.FS

// Set is the folder that comes with the program: interviews in four formats and three languages, written for it.
func Set() fs.FS {
	set, err := fs.Sub(shipped, "gold")
	if err != nil {
		panic(err) // the name is a constant
	}
	return set
}

// Options say how to ask.
type Options struct {
	Concurrency int           // calls in flight; 1 where it is less
	Patience    time.Duration // before a failed call is made again, where the server does not say
}

// attempts is how often a question is asked that fails for reasons that may pass.
const attempts = 4

// Run asks an extractor about all cases. What it cannot be asked, such as with a bad key, ends it with an *extract.Error; a chunk that it cannot answer is
// counted as unread.
func Run(ctx context.Context, extractor extract.Extractor, cases []Case, options Options) (Report, error) {
	report := Report{Extractor: extractor.Name(), Model: extractor.Model(), PromptVersion: extractor.PromptVersion(), Transcripts: make([]Score, len(cases))}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(options.Concurrency, 1))
	began := time.Now()
	for i, c := range cases {
		group.Go(func() error {
			asked := &asker{extractor: extractor, patience: options.Patience, text: c.Transcript}
			for j, h := range c.Hypotheses {
				asked.hypotheses = append(asked.hypotheses, extract.Hypothesis{ID: strconv.Itoa(j), Statement: h.Statement})
			}
			for _, chunk := range extractor.Plan(c.Transcript, asked.hypotheses) {
				if err := asked.ask(ctx, chunk); err != nil {
					return err
				}
			}
			report.Transcripts[i] = asked.score(c)
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
	report.finish()
	return report, nil
}

// An asker asks about one transcript.
type asker struct {
	extractor  extract.Extractor
	patience   time.Duration
	text       *transcript.Transcript
	hypotheses []extract.Hypothesis

	readings []extract.Reading
	usage    extract.Usage
	calls    int
	unread   int
}

// ask halves what is too long, waits where waiting may help, and goes on where the model will not answer, as the service does.
func (a *asker) ask(ctx context.Context, chunk extract.Chunk) error {
	for attempt := 1; ; attempt++ {
		a.calls++
		answer, err := a.extractor.Ask(ctx, extract.Question{Transcript: a.text, Chunk: chunk, Hypotheses: a.hypotheses})
		var failed *extract.Error
		if err != nil && !errors.As(err, &failed) {
			return err
		}
		if failed == nil {
			a.usage = a.usage.Add(answer.Usage)
			a.readings = append(a.readings, extract.Reading{Chunk: chunk, Answer: answer})
			return nil
		}
		a.usage = a.usage.Add(failed.Usage)
		switch failed.Kind {
		case extract.RateLimited, extract.Unavailable:
			if attempt == attempts {
				return failed
			}
			wait := failed.RetryAfter
			if wait == 0 {
				wait = time.Duration(attempt) * a.patience
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(wait):
			}
		case extract.TooLong, extract.BadAnswer:
			left, right, ok := extract.Split(a.text, chunk)
			if !ok {
				a.unread++
				return nil
			}
			if err := a.ask(ctx, left); err != nil {
				return err
			}
			return a.ask(ctx, right)
		case extract.Refused:
			a.unread++
			return nil
		default:
			return failed
		}
	}
}

// touches tells whether evidence and gold share at least half of the shorter of the two.
func touches(e extract.Evidence, g Gold) bool {
	shared := min(e.ByteEnd, g.ByteEnd) - max(e.ByteStart, g.ByteStart)
	return shared > 0 && 2*shared >= min(e.ByteEnd-e.ByteStart, g.ByteEnd-g.ByteStart)
}

func (a *asker) score(c Case) Score {
	s := Score{Name: c.Name, Hypotheses: len(c.Hypotheses), InputTokens: a.usage.InputTokens, OutputTokens: a.usage.OutputTokens, Calls: a.calls, Unread: a.unread}
	evidence, refused := extract.Merge(a.text, a.readings, a.hypotheses)
	s.Refused = map[extract.Refusal]int{}
	for reason, n := range refused {
		s.Refused[reason] = n
		s.Rejected += n
	}
	for _, r := range a.readings {
		s.Quotes += len(r.Answer.Findings)
	}
	for i, h := range c.Hypotheses {
		found := make([]bool, len(h.Gold))
		claims := 0
		for _, e := range evidence {
			if e.HypothesisID != strconv.Itoa(i) {
				continue
			}
			claims++
			right, judged, agreed := false, false, false
			for j, g := range h.Gold {
				if touches(e, g) {
					right, found[j] = true, true
					judged = judged || g.Stance != ""
					agreed = agreed || g.Stance != "" && g.Stance == e.Stance
				}
			}
			s.Evidence++
			s.Right += count(right)
			switch {
			case !right || !judged:
			case agreed:
				s.Agreed++
			case e.Stance == extract.Neutral:
				s.Abstained++
			default:
				s.Opposed++
			}
		}
		s.Gold += len(h.Gold)
		for _, f := range found {
			s.Found += count(f)
		}
		if len(h.Gold) == 0 {
			s.Silent++
			s.Silence += count(claims == 0)
		}
	}
	return s
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
