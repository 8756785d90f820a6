package activities

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"research/activities/extract"
	"research/db"
	"research/outcome"
	"research/transcript"
	"research/transcript/craft"
)

// CheckSpeakersResult says what a check did, for readers of Temporal's UI.
type CheckSpeakersResult struct {
	Asked  bool // the model was called, now or by an earlier attempt
	Labels int  // in doubt that it knows
}

const (
	// checkTimeout bounds the call: the question and its answer are short.
	checkTimeout = 5 * time.Minute
	// maxCheckAttempts is how often an import waits for a model that fails before it goes on.
	maxCheckAttempts = 5
)

// CheckSpeakers asks the model, once, about the labels of an import that are in doubt, and reads its file
// again with the answers, before the chunks are planned. The answers shift the weights of readings; what a
// person has decided holds, and turns that stay doubtful stay so. It does nothing if no check is wanted any
// more: somebody has decided, the workspace does not allow it, or there is evidence.
//
// The answers are stored under a key made from the file, the question, the model and the prompt before they
// are used, so that neither a retry nor a later run pays for them again; storing a reading again changes
// nothing. A failure is the error of the activity, and no reason for an import to fail.
func (a *Imports) CheckSpeakers(ctx context.Context, ref ParseRef) (CheckSpeakersResult, error) {
	defer heartbeat(ctx, nil)()
	if a.cfg.Speakers == nil {
		return CheckSpeakersResult{}, nil
	}
	c := &speakerCheck{imports: a, ref: ref}
	result, err := c.run(ctx)
	return result, c.end(ctx, err)
}

// A speakerCheck is an attempt to check the speakers of an import.
type speakerCheck struct {
	imports  *Imports
	ref      ParseRef
	file     db.GetSpeakerFileRow
	question extract.SpeakerQuestion
	key      responseKey
}

func (c *speakerCheck) run(ctx context.Context) (CheckSpeakersResult, error) {
	var result CheckSpeakersResult
	wanted, err := c.load(ctx)
	if err != nil || !wanted {
		return result, err
	}
	stored, found, err := c.find(ctx)
	if err != nil {
		return result, err
	}
	if !found {
		if stored, err = c.ask(ctx); err != nil {
			return result, err
		}
	}
	result = CheckSpeakersResult{Asked: true, Labels: len(stored.Labels)}
	return result, c.apply(ctx, stored.Advice())
}

// load locks the import for the run, and makes the question. It reports false if nothing is to be asked.
func (c *speakerCheck) load(ctx context.Context) (wanted bool, err error) {
	err = c.imports.store.AsService(ctx, func(q *db.Queries) error {
		wanted, err = c.isWanted(ctx, q)
		if err == nil && wanted {
			c.file, err = q.GetSpeakerFile(ctx, c.ref.ImportID)
		}
		return err
	})
	if err != nil || !wanted {
		return false, failed(ctx, c.imports.log, "load a file", err, "import_id", c.ref.ImportID)
	}
	read, err := transcript.Read(c.file.Data, transcript.Reading{})
	if err != nil { // it could be read when it was uploaded
		c.imports.log.WarnContext(ctx, "a stored file cannot be read", "import_id", c.ref.ImportID)
		return false, nil
	}
	if c.question, wanted = extract.AskAboutSpeakers(read); !wanted {
		return false, nil
	}
	c.key, err = speakersKey(c.imports.cfg.Speakers, c.file.Sha256, c.question)
	return true, err
}

// isWanted locks the import, and reports whether a check is still wanted.
func (c *speakerCheck) isWanted(ctx context.Context, q *db.Queries) (bool, error) {
	locked, err := lockImport(ctx, q, c.ref, activityRun(ctx))
	if err != nil || locked.BegunAt != nil || !locked.Import.Status.Open() {
		return false, err
	}
	return q.HasSpeakersInDoubt(ctx, c.ref.ImportID)
}

// speakersKey is the key of the answers to a question. It is made from everything that they depend on.
func speakersKey(s SpeakerChecker, sha256File string, q extract.SpeakerQuestion) (responseKey, error) {
	q.Transcript = nil // it is what the file is read as
	question, err := json.Marshal(q)
	if err != nil {
		return responseKey{}, fmt.Errorf("encode a question: %w", err)
	}
	return sha256.Sum256(fmt.Appendf(nil, "speakers %s\n%s\n%s\n%s\n%s",
		sha256File, s.Name(), s.Model(), s.SpeakersPromptVersion(), question)), nil
}

// storedAnswers are answers about speakers, or the code of a failure whose tokens count.
type storedAnswers struct {
	extract.SpeakerAnswers
	Failed outcome.Code `json:"failed,omitempty"`
}

// find returns the stored answers.
func (c *speakerCheck) find(ctx context.Context) (stored storedAnswers, found bool, err error) {
	err = c.imports.store.AsService(ctx, func(q *db.Queries) error {
		rows, err := q.ListChunkResponses(ctx, db.ListChunkResponsesParams{
			ImportID: c.ref.ImportID, Keys: [][]byte{c.key[:]},
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		found = true
		if err := json.Unmarshal(rows[0].Response, &stored); err != nil {
			return fmt.Errorf("decode stored answers: %w", err)
		}
		return nil
	})
	return stored, found, failed(ctx, c.imports.log, "look for stored answers", err, "import_id", c.ref.ImportID)
}

// ask asks the model, and stores what was paid for.
func (c *speakerCheck) ask(ctx context.Context) (storedAnswers, error) {
	if stopping(ctx) {
		return storedAnswers{}, errHandedOver()
	}
	if err := c.reserveTokens(ctx); err != nil {
		return storedAnswers{}, err
	}
	admitted, refusal := c.imports.breaker.admit()
	if refusal != nil {
		return storedAnswers{}, refusal
	}
	callCtx, cancel := detached(ctx, func() bool { return isCanceled(ctx) || stopping(ctx) })
	defer cancel()
	timed, stop := context.WithTimeout(callCtx, checkTimeout)
	defer stop()
	answers, err := c.imports.cfg.Speakers.AskSpeakers(timed, c.question)
	if err != nil && timed.Err() != nil && callCtx.Err() == nil {
		err = &extract.Error{Code: outcome.CodeModelUnavailable}
	}
	err = c.imports.breaker.record(admitted, err)
	key, stored := c.key, storedAnswers{SpeakerAnswers: answers}
	var failure *extract.Error
	switch {
	case errors.As(err, &failure):
		if failure.Usage == (extract.Usage{}) {
			return stored, failure
		}
		key, stored = attemptKey(ctx, key), storedAnswers{Failed: failure.Code}
		stored.Usage = failure.Usage
	case err != nil:
		return stored, err
	case answers.Usage == extract.Usage{}: // the server counts nothing, and limits must hold
		stored.Usage = c.imports.cfg.Speakers.ExpectSpeakers(c.question)
	}
	if err := c.store(ctx, key, stored); err != nil {
		return stored, err
	}
	if failure != nil {
		return stored, failure
	}
	return stored, nil
}

// apply reads the file again with advice, and keeps both.
func (c *speakerCheck) apply(ctx context.Context, advice transcript.Advice) error {
	read, err := transcript.ReadAdvised(c.file.Data, transcript.Reading{}, advice)
	if err != nil {
		return temporal.NewNonRetryableApplicationError("the file cannot be read with advice", "advice", nil)
	}
	params, err := advisedImport(c.ref.ImportID, read)
	if err != nil {
		return err
	}
	kept, err := json.Marshal(advice)
	if err != nil {
		return fmt.Errorf("encode advice: %w", err)
	}
	err = c.imports.store.AsService(ctx, func(q *db.Queries) error {
		wanted, err := c.isWanted(ctx, q)
		if err != nil || !wanted { // somebody has decided meanwhile
			return err
		}
		if err := q.AdviseImport(ctx, params); err != nil {
			return err
		}
		return q.KeepAdvice(ctx, db.KeepAdviceParams{ImportID: c.ref.ImportID, Advice: kept})
	})
	return failed(ctx, c.imports.log, "read a file again", err, "import_id", c.ref.ImportID)
}

// advisedImport returns a reading as the database has it.
func advisedImport(id uuid.UUID, read *transcript.Transcript) (db.AdviseImportParams, error) {
	p := db.AdviseImportParams{
		ImportID: id, Body: []byte(read.Text), Confidence: read.Confidence, NeedsLook: read.NeedsLook,
	}
	for _, u := range read.Utterances {
		start, end := int64(-1), int64(-1)
		if u.Timed {
			start, end = u.Start.Milliseconds(), u.End.Milliseconds()
		}
		p.Speakers, p.Texts = append(p.Speakers, u.Speaker), append(p.Texts, u.Text)
		p.Starts, p.Ends = append(p.Starts, start), append(p.Ends, end)
		p.ByteStarts = append(p.ByteStarts, int32(u.ByteStart))
		p.ByteEnds = append(p.ByteEnds, int32(u.ByteEnd))
		p.Confidences = append(p.Confidences, u.Confidence)
	}
	p.Craft = craft.NewSurvey(p.Texts).JSON()
	warnings := read.Warnings
	if warnings == nil {
		warnings = []transcript.Warning{}
	}
	var err error
	if p.Warnings, err = json.Marshal(warnings); err != nil {
		return p, fmt.Errorf("encode warnings: %w", err)
	}
	return p, nil
}

// checkOrdinal stands for the check among the ordinals of chunks.
const checkOrdinal = -1

// reserveTokens reserves the tokens of a call. An import that may not take as many goes on without it.
func (c *speakerCheck) reserveTokens(ctx context.Context) error {
	expected := c.imports.cfg.Speakers.ExpectSpeakers(c.question)
	wanted, limit := expected.InputTokens+expected.OutputTokens, c.imports.cfg.MaxTokens
	err := c.imports.store.AsService(ctx, func(q *db.Queries) error {
		if _, err := q.LockImport(ctx, db.LockImportParams(c.ref)); err != nil {
			return err
		}
		used, err := q.SumTokens(ctx, c.ref.ImportID)
		switch {
		case err != nil:
			return err
		case limit > 0 && used+wanted > limit:
			return errTokenLimit()
		}
		reserved, err := q.ReserveTokenBudget(ctx, db.ReserveTokenBudgetParams{
			ClaimID: c.ref.ClaimID, Ordinal: checkOrdinal, Wanted: wanted,
		})
		if err == nil && !reserved { // it need not wait for the next day twice
			return temporal.NewNonRetryableApplicationError("the tokens of the day are used up", TypeTokenBudget, nil)
		}
		return err
	})
	return failed(ctx, c.imports.log, "reserve tokens", err, "import_id", c.ref.ImportID)
}

// store stores answers with what they cost.
func (c *speakerCheck) store(ctx context.Context, key responseKey, stored storedAnswers) error {
	raw, err := json.Marshal(stored)
	if err != nil {
		return fmt.Errorf("encode answers: %w", err)
	}
	used := stored.Usage
	attrs := []any{"import_id", c.ref.ImportID}
	return c.imports.keepResponse(ctx, attrs, func(ctx context.Context, q *db.Queries) (bool, error) {
		isNew, err := q.StoreResponse(ctx, db.StoreResponseParams{
			ImportID: c.ref.ImportID, ClaimID: c.ref.ClaimID, Ordinal: checkOrdinal, Key: key[:], Response: raw,
			InputTokens: used.InputTokens, OutputTokens: used.OutputTokens,
		})
		if err != nil || !isNew {
			return isNew, err
		}
		return true, q.CountCheck(ctx, db.CountCheckParams{
			ClaimID: c.ref.ClaimID, InputTokens: used.InputTokens, OutputTokens: used.OutputTokens,
		})
	})
}

// end converts the error of an attempt for Temporal. What will not pass soon is not retried: the import goes
// on without a check.
func (c *speakerCheck) end(ctx context.Context, err error) error {
	attempt := int(activity.GetInfo(ctx).Attempt)
	var failure *extract.Error
	switch {
	case errors.As(err, &failure) && (attempt >= maxCheckAttempts || !isTransient(failure.Code)):
		return temporal.NewNonRetryableApplicationError(failure.Error(), string(failure.Code), nil)
	case failure != nil:
		return modelError(failure, modelDelay(failure, attempt))
	case err != nil && isCanceled(ctx):
		return context.Cause(ctx)
	case err != nil && ctx.Err() != nil: // the worker stops, or Temporal is away
		return errHandedOver()
	}
	return err
}
