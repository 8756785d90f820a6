package openai

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"research/activities/extract"
	"research/activities/extract/mask"
	"research/outcome"
)

// A completion is the outcome of one call.
type completion struct {
	answer   answer
	usage    extract.Usage
	failed   *extract.Error // nil if there is a text
	rejected *failure       // what the server says of a failed call, or nil
	// thoughtTooLong means that the model used up the limit of its response before it answered.
	thoughtTooLong bool
}

// read decodes the text.
func (c completion) read(q question) *extract.Error {
	if c.failed != nil {
		return c.failed
	}
	var err error
	if q.lines != nil {
		err = q.lines.check()
	} else {
		err = q.read(c.answer.text())
	}
	switch {
	case errors.Is(err, errCut):
		return &extract.Error{Code: outcome.CodeModelTooLong}
	case err != nil:
		return &extract.Error{Code: outcome.CodeModelBadAnswer}
	}
	return nil
}

// unmaskResponse puts back the personal data of everything that a model wrote.
func unmaskResponse(m *mask.Masker, response *extract.Response) {
	if m == nil {
		return
	}
	for i := range response.Findings {
		f := &response.Findings[i]
		f.Quote, f.Rationale, f.Summary = m.Unmask(f.Quote), m.Unmask(f.Rationale), m.Unmask(f.Summary)
	}
	for i := range response.FollowUps {
		response.FollowUps[i].Text = m.Unmask(response.FollowUps[i].Text)
	}
}

// complete makes one call. Its error is the context's.
func (o *Extractor) complete(ctx context.Context, q question, d dialect) (completion, error) {
	prompt := q.user
	params := openai.ChatCompletionNewParams{Model: o.cfg.Model}
	if !d.noEffort {
		params.ReasoningEffort = shared.ReasoningEffort(o.cfg.ReasoningEffort)
	}
	if q.again { // in the same message: the templates of some models require that roles alternate
		prompt += "\n\n" + repairPrompt
	}
	d.apply(&params, q.system, prompt, q.schema)
	got := &reply{lines: q.lines}
	if q.lines != nil {
		q.lines.reset()
	}
	timed, cancel := context.WithTimeout(context.WithValue(ctx, replyKey{}, got), o.cfg.Timeout)
	defer cancel()
	// What the reply says is more than the client's error does.
	err := o.client.Post(timed, "chat/completions", params, nil)
	if (err != nil || got.err != nil) && ctx.Err() != nil {
		return completion{}, ctx.Err()
	}
	a := readAnswer(got.body)
	c := completion{answer: a, usage: a.usage}
	if c.failed, c.rejected = got.classify(a); c.failed == nil {
		c.judge(minTokens(q.system, prompt), d.maxTokens, got.status)
	} else {
		o.notice(ctx, c.failed, c.rejected, prompt)
	}
	if q.lines != nil {
		c.endLines(got, q.system+prompt)
	}
	return c, nil
}

// endLines reads the last lines of an answer. The tokens of a stream that broke off, was not read to its end,
// or does not report them are estimated.
func (c *completion) endLines(got *reply, prompt string) {
	whole := c.answer.content
	if c.failed == nil {
		whole = c.answer.text()
	}
	err := got.lines.end(whole)
	if c.failed == nil && (got.endless || errors.Is(err, errCut)) {
		c.failed = &extract.Error{Code: outcome.CodeModelTooLong, Status: got.status}
	}
	if got.written != "" {
		c.usage.InputTokens = cmp.Or(c.usage.InputTokens, expectedTokens(prompt))
		c.usage.OutputTokens = cmp.Or(c.usage.OutputTokens, expectedTokens(got.written))
	}
}

// judge finds out whether the answer to a prompt with at least the given number of tokens is a whole one.
// limit is the highest number of tokens that it could have.
func (c *completion) judge(minTokens int, limit int64, status int) {
	fail := func(code outcome.Code) { c.failed = &extract.Error{Code: code, Status: status} }
	switch {
	case slices.Contains(lengthReasons, c.answer.finish), c.usage.OutputTokens == limit:
		c.thoughtTooLong = strings.TrimSpace(c.answer.content) == "" &&
			(c.usage.ReasoningTokens > 0 || c.answer.thoughts != "")
		fail(outcome.CodeModelTooLong)
	case slices.Contains(errorReasons, c.answer.finish):
		fail(outcome.CodeModelUnavailable)
	case c.answer.refused, slices.Contains(refusalReasons, c.answer.finish):
		fail(outcome.CodeModelRefused)
	case isTruncated(minTokens, c.usage.InputTokens, c.usage.CachedTokens):
		fail(outcome.CodeModelTooLong)
	}
}
