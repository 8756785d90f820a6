package openai

import (
	"context"
	_ "embed"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"research/activities/extract"
	"research/activities/extract/mask"
	"research/outcome"
)

//go:embed prompts/ask1.compose.txt
var composePrompt string

// expectedAnswer is the size of a usual answer, in tokens: eight sentences, each with its quotes.
const expectedAnswer = 800

// ExpectCompose returns the tokens of the prompt and of a usual answer.
func (o *Extractor) ExpectCompose(r extract.ComposeRequest) extract.Usage {
	return extract.Usage{
		InputTokens:  expectedTokens(composePrompt + composeUserPrompt(r, nil)),
		OutputTokens: min(expectedAnswer, int64(o.responseTokens())),
	}
}

// Compose asks once for the sentences of an answer, as a stream, and in another dialect if the server rejects
// the request. A server that does not stream answers whole. The sentences that a response had before it broke
// off, or reached a limit, were given to each. Without a call, a prompt that exceeds the model's context is
// too long. The error is an *Error, the context's error, or that of each.
func (o *Extractor) Compose(
	ctx context.Context, r extract.ComposeRequest, each func(extract.AnswerLine) error,
) (extract.Usage, error) {
	if o.cfg.Context > 0 && o.ExpectCompose(r).InputTokens > int64(o.cfg.Context-o.responseTokens()) {
		return extract.Usage{}, &extract.Error{Code: outcome.CodeModelTooLong}
	}
	masker := o.answerMasker(r)
	user := composeUserPrompt(r, masker)
	lines := newAnswerLines(masker.Unmask, each)
	used, err := o.ask(ctx, question{system: composePrompt, user: user, size: len(user), lines: lines})
	var failed *extract.Error
	isFailed := errors.As(err, &failed)
	switch {
	case lines.failed != nil && isFailed:
		return failed.Usage, lines.failed
	case lines.failed != nil:
		return used, lines.failed
	case isFailed && failed.Code == outcome.CodeModelUnavailable && lines.ended > 0:
		return failed.Usage, nil // it broke off after the last line
	}
	return used, err
}

// answerMasker returns what masks the personal data of a request, or nil.
func (o *Extractor) answerMasker(r extract.ComposeRequest) *mask.Masker {
	if !o.cfg.Mask {
		return nil
	}
	return mask.New(r.Transcripts...)
}

// composeUserPrompt writes the passages and then the question. Words of interviews are within the fence only,
// and never begin a line of the prompt, so that none of them passes for an id. m may be nil.
func composeUserPrompt(r extract.ComposeRequest, m *mask.Masker) string {
	var b strings.Builder
	write := writerTo(&b)
	write("<transcripts>\n")
	for _, s := range r.Sources {
		write("[", s.ID, "] interview ", strconv.Itoa(s.Transcript+1), "\n")
		writePassage(&b, r, s, m)
	}
	write("</transcripts>\n\nQuestion: ", sanitize(m.Mask(r.Question)), "\n\nAnswer in JSON Lines.")
	return b.String()
}

// writePassage writes the utterances of a passage, a line each, and what reading it has found.
func writePassage(w io.StringWriter, r extract.ComposeRequest, s extract.AnswerSource, m *mask.Masker) {
	write := writerTo(w)
	var interviewers []string
	if s.Transcript < len(r.Interviewers) {
		interviewers = r.Interviewers[s.Transcript]
	}
	for _, u := range r.Transcripts[s.Transcript].Utterances[s.From:s.To] {
		sign := "> "
		if u.Speaker != "" && slices.Contains(interviewers, u.Speaker) {
			sign = "| "
		}
		write(sign)
		if u.Speaker != "" {
			write(sanitize(m.Mask(u.Speaker)), ": ")
		}
		write(sanitize(m.Mask(u.Text)), "\n")
	}
	if s.Claim != "" {
		write("= ", sanitize(m.Mask(s.Claim)), "\n")
	}
}
