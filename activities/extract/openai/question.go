package openai

import (
	"context"

	"research/activities/extract"
	"research/outcome"
)

// A question is what is asked of the model.
type question struct {
	system, user string
	schema       namedSchema
	size         int  // of the part of the transcript, in bytes
	again        bool // the answer to the first request could not be read

	// read reads what the model wrote. Its error is errNotJSON or errCut.
	read func(text string) error
	// lines reads what the model writes in JSON Lines, in the place of read. Such a question has no schema.
	lines *answerLines
}

// in returns the dialect of a question's requests: JSON Lines are streamed, and have no format.
func (q question) in(d dialect) dialect {
	if q.lines != nil {
		d.format, d.streams = formatPrompt, true
	}
	return d
}

// learned returns what a dialect in which a question was answered says of the one before, for other
// questions.
func (q question) learned(d, before dialect) dialect {
	if q.lines != nil {
		d.format, d.streams = before.format, before.streams
		if same := before; same.steps < d.steps {
			if same.steps = d.steps; d == same {
				return before
			}
		}
	}
	return d
}

// ask asks once, in as many dialects as it takes for the server to accept the request. It returns the tokens
// of an answer that was read. The error is an *Error, which has those of the calls, or the context's error.
func (o *Extractor) ask(ctx context.Context, q question) (extract.Usage, error) {
	dialect, release := o.dialect.begin(ctx)
	defer release()
	used, failed, err := o.askIn(ctx, q, dialect)
	switch {
	case err != nil:
		return extract.Usage{}, err
	case failed != nil:
		if q.again && failed.Code == outcome.CodeModelBadRequest {
			failed = &extract.Error{Code: outcome.CodeModelBadAnswer}
		}
		failed.Usage = used
		return extract.Usage{}, failed
	}
	return used, nil
}

// maxForms is more than the dialects that any server needs.
const maxForms = 10

// askIn asks in a dialect first. Its error is the context's.
func (o *Extractor) askIn(
	ctx context.Context, q question, known dialect,
) (used extract.Usage, failed *extract.Error, err error) {
	if o.dialect.isTooLarge(q.size) {
		return used, &extract.Error{Code: outcome.CodeModelTooLong}, nil
	}
	dialect := q.in(known)
	var before *failure
	times := 0 // that the server rejected the request in the same words
	for forms := 1; ; forms++ {
		got, err := o.complete(ctx, q, dialect)
		if err != nil {
			return used, nil, err
		}
		used = used.Add(got.usage)
		if learned := q.learned(dialect, known); got.answer.hasChoice && o.dialect.accept(learned, q.size) &&
			o.cfg.Log != nil {
			o.cfg.Log.InfoContext(ctx, "requests to the model take another form for an hour", learned.attributes()...)
		}
		failed := got.read(q)
		if failed == nil || q.lines != nil && q.lines.check() == nil { // what was read is not asked for again
			return used, failed, nil
		}
		if times++; !got.rejected.sameAs(before) {
			times = 1
		}
		before = got.rejected
		if o.dialect.isHopeless(got.rejected) {
			times = noStep
		}
		next, ok := dialect.after(failed, got.rejected, times)
		if got.thoughtTooLong && o.cfg.Context == 0 {
			next, ok = dialect.raised()
		}
		if !ok || forms == maxForms {
			return used, o.believed(q, failed, got.rejected), nil
		}
		dialect = next
	}
}

// believed returns the error of a request that fails in every dialect. A rejection of a large chunk may be
// one of its length: it is believed once a part is rejected, too.
func (o *Extractor) believed(q question, failed *extract.Error, rejected *failure) *extract.Error {
	if failed.Code != outcome.CodeModelBadRequest {
		return failed
	}
	o.dialect.despair(rejected, q.size)
	if q.size > largeChunk {
		return &extract.Error{Code: outcome.CodeModelTooLong, Status: failed.Status}
	}
	return failed
}
