package activities

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"

	"research/activities/extract"
	"research/activities/extract/ask"
	"research/db"
	"research/outcome"
)

// maxSentences bounds an answer.
const maxSentences = 50

// ComposeAnswer asks the model for the sentences of an answer. Each is proven as soon as it is complete, and
// written with its quotes and its event; a sentence that its quotes do not prove is only counted. The first
// one of an attempt replaces those of earlier attempts.
//
// The response is stored under its key before the activity ends, so that neither a retry nor the same
// question over the same sources pays for it again. Without sources no call is made. If nothing was proven,
// the passages that match the question best are written instead.
func (a *Answers) ComposeAnswer(ctx context.Context, ref AnswerRef) (Composition, error) {
	if err := a.needModel(); err != nil {
		return Composition{}, err
	}
	defer heartbeat(ctx, nil)()
	c := &composing{answers: a, ref: ref}
	composed, err := c.run(ctx)
	return composed, a.end(ctx, ref, err)
}

// A composing is an attempt to compose an answer.
type composing struct {
	answers *Answers
	ref     AnswerRef
	answer  db.Answer
	all     []interview // that the sources are of
	parts   []db.PrivateAnswerPart
	sources []extract.AnswerSource
	prover  *ask.Prover

	partial   bool                 // the model was not sent, or did not read, all that was found
	lines     []extract.AnswerLine // that the model has written
	end       extract.AnswerLine   // the last one
	replaced  bool                 // the text of earlier attempts is gone
	sentences int
	flaws     struct{ unsupported, rejected int }
	err       error // the first write that failed: the response is stored, and written by the next attempt
}

// A storedComposition is the response of a model as it is stored. The names of its fields must not change.
type storedComposition struct {
	Lines   []extract.AnswerLine `json:"lines"`
	Partial bool                 `json:"partial,omitempty"` // it was cut off, or its prompt was
}

func (c *composing) run(ctx context.Context) (Composition, error) {
	if err := c.load(ctx); err != nil {
		return Composition{}, err
	}
	for {
		err := c.compose(ctx)
		// Fewer sources may fit.
		var failure *extract.Error
		if errors.As(err, &failure) && failure.Code == outcome.CodeModelTooLong && len(c.sources) > 1 {
			c.halve()
			continue
		}
		if err != nil {
			return Composition{}, err
		}
		break
	}
	if err := c.finish(ctx); err != nil {
		return Composition{}, err
	}
	composed := Composition{
		Result: knownResult(c.end.Result), Sentences: c.sentences, Unsupported: c.flaws.unsupported,
		Partial: c.partial,
	}
	if modeOf(c.answer) == outcome.ModeQuick {
		composed.Unsent = len(c.parts) - len(c.sources)
	}
	return composed, nil
}

// halve leaves out half of the sources: the worse passages of a quick answer, and every second finding of a
// thorough one, so that each interview still has a say.
func (c *composing) halve() {
	c.partial = true
	if modeOf(c.answer) != outcome.ModeThorough {
		c.sources = c.sources[:len(c.sources)/2]
		return
	}
	var kept []extract.AnswerSource
	for i := 0; i < len(c.sources); i += 2 {
		kept = append(kept, c.sources[i])
	}
	c.sources = kept
}

// knownResult returns what a model says of its answer, if it is a result.
func knownResult(said string) outcome.AnswerResult {
	for _, result := range outcome.AnswerResults {
		if said == string(result) {
			return result
		}
	}
	return ""
}

// load loads the sources. The answer no longer waits for what ended an earlier attempt.
func (c *composing) load(ctx context.Context) error {
	a := c.answers
	var rows []db.ListPartInterviewsRow
	var responses []db.ListPartResponsesRow
	err := a.imports.store.AsService(ctx, func(q *db.Queries) (err error) {
		if c.answer, err = c.ref.lock(ctx, q); err != nil {
			return err
		}
		if _, err = q.SetAnswerWaiting(ctx, db.SetAnswerWaitingParams{
			AnswerID: c.ref.AnswerID, ClaimID: c.ref.ClaimID,
		}); err != nil {
			return err
		}
		if c.parts, err = q.ListAnswerParts(ctx, db.ListAnswerPartsParams(c.ref)); err != nil {
			return err
		}
		if rows, err = q.ListPartInterviews(ctx, db.ListPartInterviewsParams(c.ref)); err != nil {
			return err
		}
		if modeOf(c.answer) == outcome.ModeThorough {
			responses, err = listPartResponses(ctx, q, c.parts)
		}
		return err
	})
	if err == nil {
		err = c.loadInterviews(ctx, rows)
	}
	if err == nil {
		err = c.choose(responses)
	}
	return failed(ctx, a.imports.log, "load the sources of an answer", err, c.ref.attributes()...)
}

func (c *composing) loadInterviews(ctx context.Context, rows []db.ListPartInterviewsRow) error {
	for _, row := range rows {
		text, err := c.answers.imports.ender.transcripts.load(ctx, versionRef(row.ID, row.Version))
		if err != nil {
			return err
		}
		c.all = append(c.all, interview{row.ID, text, row.Interviewers})
	}
	transcripts, interviewers := transcriptsOf(c.all)
	c.prover = ask.NewProver(c.answer.Question, transcripts, interviewers)
	return nil
}

// choose chooses the sources: the passages of a quick answer, or what the chunks of a thorough one say.
func (c *composing) choose(responses []db.ListPartResponsesRow) error {
	if modeOf(c.answer) == outcome.ModeThorough {
		sources, cut, err := findingsOf(c.all, c.parts, responses)
		c.sources, c.partial = sources, cut
		return err
	}
	for _, part := range c.parts {
		i := indexOf(c.all, part.ImportID)
		if i < 0 || int(part.UtteranceTo) > len(c.all[i].text.Utterances) {
			continue
		}
		c.sources = append(c.sources, extract.AnswerSource{
			ID: "p" + strconv.Itoa(len(c.sources)+1), Transcript: i,
			From: int(part.UtteranceFrom), To: int(part.UtteranceTo),
		})
	}
	return nil
}

func indexOf(all []interview, importID uuid.UUID) int {
	for i, of := range all {
		if of.importID == importID {
			return i
		}
	}
	return -1
}

func (c *composing) request() extract.ComposeRequest {
	transcripts, interviewers := transcriptsOf(c.all)
	return extract.ComposeRequest{
		Question: c.answer.Question, Transcripts: transcripts, Interviewers: interviewers, Sources: c.sources,
	}
}

// key is the key of the response. It is made from everything that the response depends on.
func (c *composing) key() responseKey {
	sum := sha256.New()
	fmt.Fprintf(sum, "%x\n", c.answers.questionKey("compose", c.answer.Question))
	for _, s := range c.sources {
		of := c.all[s.Transcript]
		fmt.Fprintf(sum, "%s %s %s %d-%d %q %q\n",
			s.ID, of.importID, of.text.sha256, s.From, s.To, s.Claim, of.interviewers)
	}
	return responseKey(sum.Sum(nil))
}

// compose writes the sentences of a stored response, or of a call to the model.
func (c *composing) compose(ctx context.Context) error {
	if len(c.sources) == 0 {
		return nil
	}
	c.lines, c.end, c.flaws.unsupported, c.flaws.rejected = nil, extract.AnswerLine{}, 0, 0
	a, request := c.answers, c.request()
	call := answerCall{
		ref: c.ref, ordinal: composeOrdinal, key: c.key(), expected: a.answerer.ExpectCompose(request),
	}
	var stored storedComposition
	found, err := a.find(ctx, call, c.answer, &stored)
	if err != nil {
		return err
	}
	if found {
		return c.replay(ctx, stored)
	}
	// The call of an earlier attempt may still be open in this process.
	called := false
	_, err, _ = a.imports.calls.Do(fmt.Sprintf("%s %x", c.ref.ClaimID, call.key), func() (any, error) {
		called = true
		return nil, c.call(ctx, call, request)
	})
	switch {
	case err != nil:
		return err
	case !called:
		return c.compose(ctx) // from its response
	}
	return c.err
}

// call calls the model, writes its sentences and stores its response.
func (c *composing) call(ctx context.Context, call answerCall, request extract.ComposeRequest) error {
	a := c.answers
	usage, err := a.make(ctx, call, func(ctx context.Context) (extract.Usage, error) {
		return a.answerer.Compose(ctx, request, func(line extract.AnswerLine) error { return c.take(ctx, line) })
	})
	response := storedComposition{Lines: c.lines}
	if response.Partial, err = c.accept(ctx, err); err != nil {
		return err
	}
	c.partial = c.partial || response.Partial
	return a.keep(ctx, call, response, usage)
}

// replay writes the sentences of a stored response.
func (c *composing) replay(ctx context.Context, stored storedComposition) error {
	c.partial = c.partial || stored.Partial
	for _, line := range stored.Lines {
		if err := c.take(ctx, line); err != nil {
			return err
		}
	}
	return c.err
}

// accept accepts a response that was cut off after sentences that are proven: they are a part of the answer.
// So are those of a model whose server has cut the prompt. A response that cannot be read is asked for a
// second time.
func (c *composing) accept(ctx context.Context, err error) (partial bool, _ error) {
	var failure *extract.Error
	if !errors.As(err, &failure) || !extract.IsUnreadable(failure.Code) {
		return false, err
	}
	if c.sentences > 0 {
		return true, nil
	}
	if failure.Code == outcome.CodeModelBadAnswer && activity.GetInfo(ctx).Attempt == 1 {
		return false, benignError("the response could not be read", string(failure.Code), firstModelDelay)
	}
	return false, err
}

// take takes a line of the model. Its error ends the call: nobody waits for the answer any more. A line that
// cannot be written for another reason does not: it is written by the next attempt.
func (c *composing) take(ctx context.Context, line extract.AnswerLine) error {
	if line.Result != "" {
		c.end = line
	} else if len(c.lines) >= maxSentences {
		return nil
	}
	c.lines = append(c.lines, line)
	if line.Text == "" || c.err != nil {
		return nil
	}
	sentence, proven := c.prover.Prove(line, c.sources)
	c.flaws.rejected += sentence.Rejected
	if !proven {
		c.flaws.unsupported++
		return nil
	}
	err := failed(ctx, c.answers.imports.log, "write a sentence", c.write(ctx, sentence), c.ref.attributes()...)
	if isSuperseded(err) {
		return err
	}
	c.err = err
	return nil
}

// write writes a sentence with its quotes and its event.
func (c *composing) write(ctx context.Context, sentence ask.Sentence) error {
	row := db.WriteSentenceParams{AnswerID: c.ref.AnswerID, Ordinal: int32(c.sentences), Text: sentence.Text}
	for _, quote := range sentence.Quotes {
		row.Imports = append(row.Imports, c.all[quote.Transcript].importID)
		row.Quotes = append(row.Quotes, quote.Text)
		row.ByteStarts = append(row.ByteStarts, int32(quote.ByteStart))
		row.ByteEnds = append(row.ByteEnds, int32(quote.ByteEnd))
		row.Matches = append(row.Matches, string(quote.Match))
	}
	err := c.answers.imports.store.AsService(ctx, func(q *db.Queries) error {
		if err := c.lock(ctx, q); err != nil {
			return err
		}
		_, err := q.WriteSentence(ctx, row)
		return err
	})
	if err == nil {
		c.replaced = true
		c.sentences++
	}
	return err
}

// lock locks the answer, and removes the text of earlier attempts if that was not done yet. Its error says
// that a later attempt has done so with the text of this one.
func (c *composing) lock(ctx context.Context, q *db.Queries) error {
	if _, err := c.ref.lock(ctx, q); err != nil {
		return err
	}
	if !c.replaced {
		return q.DeleteAnswerText(ctx, c.ref.AnswerID)
	}
	written, err := q.CountAnswerText(ctx, c.ref.AnswerID)
	if err == nil && int(written.Sentences) != c.sentences {
		return errOvertaken()
	}
	return err
}

// errOvertaken ends the writing of an attempt whose text another one has changed. The call goes on, because
// its response is paid for: the next attempt writes it. It is no errSuperseded: the claim still waits.
func errOvertaken() error {
	return benignError("another attempt writes the answer", "overtaken", firstModelDelay)
}

// finish records what the composition says of itself. If nothing was proven, the closest passages are shown.
func (c *composing) finish(ctx context.Context) error {
	closest, err := c.closest(ctx)
	if err != nil {
		return err
	}
	err = c.answers.imports.store.AsService(ctx, func(q *db.Queries) error {
		if err := c.lock(ctx, q); err != nil {
			return err
		}
		if c.sentences == 0 {
			if err := writePassages(ctx, q, c.ref, c.all, c.answer.Question, closest); err != nil {
				return err
			}
		}
		return q.RecordComposition(ctx, db.RecordCompositionParams{
			AnswerID: c.ref.AnswerID, Missing: cut(extract.CleanSentence(c.end.Missing), maxMissing),
			Unsupported: int32(c.flaws.unsupported), Rejected: int32(c.flaws.rejected),
		})
	})
	return failed(ctx, c.answers.imports.log, "finish a composition", err, c.ref.attributes()...)
}

// maxMissing is how many characters are kept of what the interviews do not say.
const maxMissing = 1000

// cut returns the first characters of a text.
func cut(text string, most int) string {
	runes := []rune(text)
	return string(runes[:min(len(runes), most)])
}

// closest returns the passages that match the question best, for an answer without sentences.
func (c *composing) closest(ctx context.Context) ([]ask.Passage, error) {
	if c.sentences > 0 || len(c.all) == 0 {
		return nil, nil
	}
	if modeOf(c.answer) == outcome.ModeThorough {
		transcripts, _ := transcriptsOf(c.all)
		return ask.NewIndex(transcripts).Find([]string{c.answer.Question}, ask.Limits{
			Passages: ask.BarePassages, OfOne: ask.PassagesOfOne, Transcripts: ask.BestTranscripts,
		}), ctx.Err()
	}
	var passages []ask.Passage
	for _, s := range c.sources[:min(len(c.sources), ask.BarePassages)] {
		passages = append(passages, ask.Passage{Transcript: s.Transcript, From: s.From, To: s.To, Best: -1})
	}
	return passages, nil
}

// writePassages writes the words of participants in passages that are shown as they are, in the place of what
// the answer had. The caller holds the lock of the answer.
func writePassages(
	ctx context.Context, q *db.Queries, ref AnswerRef, all []interview, question string, passages []ask.Passage,
) error {
	if err := q.DeleteAnswerText(ctx, ref.AnswerID); err != nil {
		return err
	}
	transcripts, interviewers := transcriptsOf(all)
	rows := db.WritePassagesParams{AnswerID: ref.AnswerID}
	for _, quote := range ask.NewProver(question, transcripts, interviewers).PassageQuotes(passages) {
		rows.Imports = append(rows.Imports, all[quote.Transcript].importID)
		rows.Quotes = append(rows.Quotes, quote.Text)
		rows.ByteStarts = append(rows.ByteStarts, int32(quote.ByteStart))
		rows.ByteEnds = append(rows.ByteEnds, int32(quote.ByteEnd))
		rows.Matches = append(rows.Matches, string(quote.Match))
	}
	if len(rows.Imports) == 0 {
		return nil
	}
	return q.WritePassages(ctx, rows)
}
