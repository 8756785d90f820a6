package activities

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"

	"research/activities/extract"
	"research/db"
	"research/transcript"
)

// Imports are the activities that parse transcripts. Their methods are registered with Temporal by name.
type Imports struct {
	store     *db.Store
	extractor extract.Extractor
	limits    Limits
	log       *slog.Logger
	texts     *textCache
}

// Limits bound the parsing of one import.
type Limits struct {
	Concurrency int           // chunks in flight
	Timeout     time.Duration // of a whole parse
	MaxTokens   int64         // 0: no limit
}

// NewImports makes the activities. All dependencies are required.
func NewImports(store *db.Store, extractor extract.Extractor, limits Limits, log *slog.Logger) (*Imports, error) {
	if store == nil || extractor == nil || log == nil || limits.Concurrency < 1 || limits.Timeout <= 0 {
		return nil, errors.New("activities: a dependency of Imports is missing")
	}
	return &Imports{store: store, extractor: extractor, limits: limits, log: log, texts: newTextCache()}, nil
}

// A ParseRef names an import and the request to parse it: writes for another request change nothing.
type ParseRef struct {
	ImportID uuid.UUID
	ClaimID  uuid.UUID
}

// BeginParseInput is what BeginParse takes.
type BeginParseInput struct{ ParseRef }

// BeginParseResult says what there is to do.
type BeginParseResult struct {
	Chunks      int           // of the plan
	Concurrency int           // how many of them at once
	Timeout     time.Duration // of the whole
}

// BeginParse moves the import to parsing, chooses the hypotheses and writes the plan of chunks, all in one transaction. Repeating it
// finds the plan there. It fails with TypeSuperseded where the claim is no longer the latest.
func (a *Imports) BeginParse(ctx context.Context, in BeginParseInput) (BeginParseResult, error) {
	run := activity.GetInfo(ctx).WorkflowExecution
	text, err := a.load(ctx, in.ImportID)
	if err != nil {
		return BeginParseResult{}, dbError("load the transcript", err)
	}
	result := BeginParseResult{Concurrency: a.limits.Concurrency, Timeout: a.limits.Timeout}
	err = a.store.AsService(ctx, func(q *db.Queries) error {
		imported, err := q.BeginParse(ctx, db.BeginParseParams{
			ImportID: in.ImportID, ClaimID: in.ClaimID, WorkflowID: run.ID, RunID: run.RunID,
			Extractor: a.extractor.Name(), Model: a.extractor.Model(), PromptVersion: a.extractor.PromptVersion(),
		})
		if err != nil {
			return err
		}
		if err := q.ChooseHypotheses(ctx, in.ImportID); err != nil {
			return err
		}
		if err := q.DropUnchosenHypotheses(ctx, in.ImportID); err != nil {
			return err
		}
		if err := q.DeleteOtherPlans(ctx, db.DeleteOtherPlansParams{ImportID: in.ImportID, ClaimID: in.ClaimID}); err != nil {
			return err
		}
		planned, err := q.CountChunks(ctx, db.CountChunksParams{ImportID: in.ImportID, ClaimID: in.ClaimID})
		if err != nil {
			return err
		}
		if planned == 0 {
			hypotheses, err := chosen(ctx, q, in.ImportID)
			if err != nil {
				return err
			}
			plan := a.extractor.Plan(text, hypotheses)
			r := &reading{a: a, ref: in.ParseRef, text: text, sha256: imported.Sha256, hypotheses: hypotheses}
			if err := r.checkPlan(ctx, q, plan); err != nil {
				return err
			}
			var rows []db.PlanChunksParams
			for i, c := range plan {
				rows = append(rows, db.PlanChunksParams{
					ImportID: in.ImportID, ClaimID: in.ClaimID, Ordinal: int32(i),
					UtteranceFrom: int32(c.From), UtteranceTo: int32(c.To), ByteStart: int32(c.ByteStart), ByteEnd: int32(c.ByteEnd),
				})
			}
			if _, err := q.PlanChunks(ctx, rows); err != nil {
				return err
			}
			planned = int64(len(rows))
		}
		result.Chunks = int(planned)
		return q.SetImportProgress(ctx, db.SetImportProgressParams{ImportID: in.ImportID, ClaimID: in.ClaimID})
	})
	if err != nil {
		return BeginParseResult{}, failed(ctx, a.log, "begin the parse", err, "import_id", in.ImportID)
	}
	return result, nil
}

// ExtractChunkInput names a chunk of the plan.
type ExtractChunkInput struct {
	ParseRef
	Chunk int
}

// ExtractChunkResult counts what was said, before anything is proven.
type ExtractChunkResult struct {
	Findings int
	Calls    int // to the extractor; 0 where all answers were there already
	Unread   int // parts that could not be read
}

// ExtractChunk asks the extractor about one chunk and stores each answer under its key before it completes, so that a retry, a new run or a kill does
// not pay for it again. A chunk that does not fit is halved. It heartbeats while it waits.
func (a *Imports) ExtractChunk(ctx context.Context, in ExtractChunkInput) (ExtractChunkResult, error) {
	stop := heartbeat(ctx)
	defer stop()
	text, err := a.load(ctx, in.ImportID)
	if err != nil {
		return ExtractChunkResult{}, dbError("load the transcript", err)
	}
	var chunk db.PrivateImportChunk
	r := &reading{a: a, ref: in.ParseRef, chunk: in.Chunk, text: text, keys: [][]byte{}, unread: []gap{}}
	err = a.store.AsService(ctx, func(q *db.Queries) error {
		imported, err := hold(ctx, q, in.ParseRef, attemptOf(ctx))
		if err != nil {
			return err
		}
		r.sha256 = imported.Sha256
		if chunk, err = q.GetChunk(ctx, db.GetChunkParams{ImportID: in.ImportID, ClaimID: in.ClaimID, Ordinal: int32(in.Chunk)}); err != nil {
			return err
		}
		r.hypotheses, err = chosen(ctx, q, in.ImportID)
		return err
	})
	if err != nil {
		return ExtractChunkResult{}, failed(ctx, a.log, "load the chunk", err, "import_id", in.ImportID)
	}
	if chunk.DoneAt != nil {
		return ExtractChunkResult{}, nil
	}
	whole := extract.Chunk{From: int(chunk.UtteranceFrom), To: int(chunk.UtteranceTo), ByteStart: int(chunk.ByteStart), ByteEnd: int(chunk.ByteEnd)}
	if err := r.read(ctx, whole); err != nil {
		return ExtractChunkResult{}, err
	}
	unread, err := json.Marshal(r.unread)
	if err != nil {
		return ExtractChunkResult{}, fmt.Errorf("encode what was not read: %w", err)
	}
	if err := a.finishChunk(ctx, in, r.keys, unread); err != nil {
		return ExtractChunkResult{}, err
	}
	return ExtractChunkResult{Findings: r.findings, Calls: r.calls, Unread: len(r.unread)}, nil
}

// SkipChunkInput names a chunk that could not be read, and why: the type of the error.
type SkipChunkInput struct {
	ParseRef
	Chunk  int
	Reason string
}

// SkipChunkResult is empty.
type SkipChunkResult struct{}

// SkipChunk records that a chunk was not read, so that the import says so. Repeating it changes nothing.
func (a *Imports) SkipChunk(ctx context.Context, in SkipChunkInput) (SkipChunkResult, error) {
	var chunk db.PrivateImportChunk
	err := a.store.AsService(ctx, func(q *db.Queries) (err error) {
		chunk, err = q.GetChunk(ctx, db.GetChunkParams{ImportID: in.ImportID, ClaimID: in.ClaimID, Ordinal: int32(in.Chunk)})
		return err
	})
	if err != nil {
		return SkipChunkResult{}, dbError("load the chunk", err)
	}
	unread, err := json.Marshal([]gap{{int(chunk.UtteranceFrom), int(chunk.UtteranceTo) - 1, in.Reason, int(chunk.ByteStart), int(chunk.ByteEnd)}})
	if err != nil {
		return SkipChunkResult{}, fmt.Errorf("encode what was not read: %w", err)
	}
	return SkipChunkResult{}, a.finishChunk(ctx, ExtractChunkInput{in.ParseRef, in.Chunk}, [][]byte{}, unread)
}

func (a *Imports) finishChunk(ctx context.Context, in ExtractChunkInput, keys [][]byte, unread []byte) error {
	err := a.store.AsService(ctx, func(q *db.Queries) error {
		if _, err := q.LockImport(ctx, db.LockImportParams{ImportID: in.ImportID, ClaimID: in.ClaimID}); err != nil {
			return err
		}
		if err := q.FinishChunk(ctx, db.FinishChunkParams{
			ImportID: in.ImportID, ClaimID: in.ClaimID, Ordinal: int32(in.Chunk), AnswerKeys: keys, Unread: unread,
		}); err != nil {
			return err
		}
		return q.SetImportProgress(ctx, db.SetImportProgressParams{ImportID: in.ImportID, ClaimID: in.ClaimID})
	})
	return failed(ctx, a.log, "finish the chunk", err, "import_id", in.ImportID)
}

// A gap is a part that was not read; From and To are ordinals of utterances, both included.
type gap struct {
	From      int    `json:"from"`
	To        int    `json:"to"`
	Reason    string `json:"reason"`
	ByteStart int    `json:"byte_start"`
	ByteEnd   int    `json:"byte_end"`
}

// A reading asks about one chunk, in halves where it must.
type reading struct {
	a          *Imports
	ref        ParseRef
	chunk      int
	text       *transcript.Transcript
	sha256     string
	hypotheses []extract.Hypothesis

	keys     [][]byte
	unread   []gap
	findings int
	calls    int
}

func (r *reading) read(ctx context.Context, chunk extract.Chunk) error {
	answer, key, err := r.ask(ctx, chunk)
	var failed *extract.Error
	switch {
	case err == nil:
		r.keys = append(r.keys, key)
		r.findings += len(answer.Findings)
		return nil
	case !errors.As(err, &failed):
		return err
	case failed.Kind == extract.TooLong, failed.Kind == extract.BadAnswer:
		if left, right, ok := extract.Split(r.text, chunk); ok {
			if err := r.read(ctx, left); err != nil {
				return err
			}
			return r.read(ctx, right)
		}
		fallthrough
	case failed.Kind == extract.Refused:
		r.unread = append(r.unread, gap{chunk.From, chunk.To - 1, string(failed.Kind), chunk.ByteStart, chunk.ByteEnd})
		return nil
	}
	return modelError(failed, activity.GetInfo(ctx).Attempt)
}

// ask returns the stored answer, or asks and stores. Refusals and answers that were too long cost tokens as well; they are counted under a key of their own.
func (r *reading) ask(ctx context.Context, chunk extract.Chunk) (extract.Answer, []byte, error) {
	key := r.key(chunk)
	stored, err := r.stored(ctx, key)
	if err == nil {
		var answer storedAnswer
		if err := json.Unmarshal(stored, &answer); err != nil {
			return extract.Answer{}, nil, fmt.Errorf("read a stored answer: %w", err)
		}
		if answer.Failed != "" {
			return extract.Answer{}, nil, &extract.Error{Kind: answer.Failed}
		}
		return answer.Answer, key, nil
	}
	if !errors.Is(err, db.ErrNotFound) {
		return extract.Answer{}, nil, dbError("look for a stored answer", err)
	}
	q := extract.Question{Transcript: r.text, Chunk: chunk, Hypotheses: r.hypotheses}
	if err := r.reserve(ctx, q); err != nil {
		return extract.Answer{}, nil, err
	}
	if stopping(ctx) {
		return extract.Answer{}, nil, errHandedOver()
	}
	r.calls++
	answer, err := r.a.extractor.Ask(ctx, q)
	keep := storedAnswer{Answer: answer}
	var failed *extract.Error
	if errors.As(err, &failed) {
		keep.Failed, keep.Usage = failed.Kind, failed.Usage
		switch failed.Kind {
		case extract.Refused, extract.TooLong, extract.BadAnswer: // the same question would be answered the same way
		case extract.RateLimited, extract.Unavailable:
			if failed.Usage == (extract.Usage{}) {
				return extract.Answer{}, nil, err
			}
			key = r.attemptKey(ctx, key) // it cost something, and the question is asked again
		default:
			return extract.Answer{}, nil, err
		}
	} else if err != nil {
		return extract.Answer{}, nil, err
	}
	if storeErr := r.keep(ctx, key, keep); storeErr != nil {
		return extract.Answer{}, nil, dbError("store an answer", storeErr)
	}
	return answer, key, err
}

// keep stores what was paid for, even if the run is cancelled right now. While the database is away it goes on trying for as long as the activity may run: giving up would mean to
// pay again.
func (r *reading) keep(ctx context.Context, key []byte, answer storedAnswer) error {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		apart, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		err := r.store(apart, key, answer)
		cancel()
		if !errors.Is(err, db.ErrUnavailable) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
	}
}

// A storedAnswer is an answer, or the kind of failure that would only repeat.
type storedAnswer struct {
	extract.Answer
	Failed extract.Kind `json:"failed,omitempty"`
}

func (r *reading) stored(ctx context.Context, key []byte) (answer json.RawMessage, err error) {
	err = r.a.store.AsService(ctx, func(q *db.Queries) error {
		row, err := q.GetChunkAnswer(ctx, db.GetChunkAnswerParams{Key: key, ImportID: r.ref.ImportID})
		answer = row.Answer
		return err
	})
	return answer, err
}

func (r *reading) store(ctx context.Context, key []byte, answer storedAnswer) error {
	raw, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return r.a.store.AsService(ctx, func(q *db.Queries) error {
		if err := q.StoreChunkAnswer(ctx, db.StoreChunkAnswerParams{
			Key: key, ImportID: r.ref.ImportID, Answer: raw, InputTokens: answer.Usage.InputTokens, OutputTokens: answer.Usage.OutputTokens,
		}); err != nil {
			return err
		}
		return q.ReleaseTokens(ctx, db.ReleaseTokensParams{ImportID: r.ref.ImportID, ClaimID: r.ref.ClaimID, Ordinal: int32(r.chunk)})
	})
}

// reserve takes from the import's limit what the call will take at least, before it is made: calls at once, by any worker, cannot pass the limit together
// but by their answers.
func (r *reading) reserve(ctx context.Context, question extract.Question) error {
	if r.a.limits.MaxTokens == 0 {
		return nil
	}
	wanted := r.a.extractor.Estimate(question)
	err := r.a.store.AsService(ctx, func(q *db.Queries) error {
		if _, err := q.LockImport(ctx, db.LockImportParams{ImportID: r.ref.ImportID, ClaimID: r.ref.ClaimID}); err != nil {
			return err
		}
		reserved, err := q.ReserveTokens(ctx, db.ReserveTokensParams{
			ImportID: r.ref.ImportID, ClaimID: r.ref.ClaimID, Ordinal: int32(r.chunk), Wanted: wanted, Most: r.a.limits.MaxTokens,
		})
		if err == nil && reserved == 0 {
			err = errTokenLimit()
		}
		return err
	})
	return dbError("reserve tokens", err)
}

// checkPlan refuses a plan whose questions alone would pass the import's limit, before any of them is paid for. What was answered already is not asked again.
func (r *reading) checkPlan(ctx context.Context, q *db.Queries, plan []extract.Chunk) error {
	if r.a.limits.MaxTokens == 0 {
		return nil
	}
	keys := make([][]byte, len(plan))
	for i, chunk := range plan {
		keys[i] = r.key(chunk)
	}
	rows, err := q.ListChunkAnswers(ctx, db.ListChunkAnswersParams{ImportID: r.ref.ImportID, Keys: keys})
	if err != nil {
		return err
	}
	answered := map[string]bool{}
	for _, row := range rows {
		answered[string(row.Key)] = true
	}
	total, err := q.SumTokens(ctx, r.ref.ImportID)
	if err != nil {
		return err
	}
	for i, chunk := range plan {
		if !answered[string(keys[i])] {
			total += r.a.extractor.Estimate(extract.Question{Transcript: r.text, Chunk: chunk, Hypotheses: r.hypotheses})
		}
	}
	if total > r.a.limits.MaxTokens {
		return errTokenLimit()
	}
	return nil
}

// attemptKey is where an attempt that failed for reasons that may pass is counted.
func (r *reading) attemptKey(ctx context.Context, key []byte) []byte {
	info := activity.GetInfo(ctx)
	sum := sha256.New()
	fmt.Fprintf(sum, "%x %s %s %d", key, info.WorkflowExecution.RunID, info.ActivityID, info.Attempt)
	return sum.Sum(nil)
}

// key is made of everything that an answer depends on.
func (r *reading) key(chunk extract.Chunk) []byte {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%d-%d\n%s\n%s\n%s\n", r.sha256, chunk.ByteStart, chunk.ByteEnd,
		r.a.extractor.Name(), r.a.extractor.Model(), r.a.extractor.PromptVersion())
	for _, h := range r.hypotheses {
		fmt.Fprintf(sum, "%s %q\n", h.ID, h.Statement)
	}
	return sum.Sum(nil)
}

// chosen lists the hypotheses of the latest request in a fixed order.
func chosen(ctx context.Context, q *db.Queries, importID uuid.UUID) ([]extract.Hypothesis, error) {
	rows, err := q.ListChosenHypotheses(ctx, importID)
	if err != nil {
		return nil, err
	}
	hypotheses := make([]extract.Hypothesis, len(rows))
	for i, row := range rows {
		hypotheses[i] = extract.Hypothesis{ID: row.HypothesisID.String(), Statement: row.Statement}
	}
	return hypotheses, nil
}

// load reads a transcript, or takes it from the cache: it never changes.
func (a *Imports) load(ctx context.Context, id uuid.UUID) (*transcript.Transcript, error) {
	return a.texts.get(id, func() (*transcript.Transcript, error) {
		var t *transcript.Transcript
		err := a.store.AsService(ctx, func(q *db.Queries) error {
			row, err := q.GetImport(ctx, id)
			if err != nil {
				return err
			}
			body, err := q.GetTranscriptBody(ctx, id)
			if err != nil {
				return err
			}
			spans, err := q.ListUtteranceSpans(ctx, id)
			if err != nil {
				return err
			}
			t = &transcript.Transcript{Format: transcript.Format(row.Format), Language: row.Language, Text: string(body), Utterances: make([]transcript.Utterance, len(spans))}
			for i, s := range spans {
				u := transcript.Utterance{Speaker: s.Speaker, ByteStart: int(s.ByteStart), ByteEnd: int(s.ByteEnd), Text: t.Text[s.ByteStart:s.ByteEnd]}
				if s.StartMs != nil {
					u.Timed, u.Start, u.End = true, time.Duration(*s.StartMs)*time.Millisecond, time.Duration(*s.EndMs)*time.Millisecond
				}
				t.Utterances[i] = u
			}
			return nil
		})
		return t, err
	})
}

// heartbeatEvery is well below the heartbeat time-out of the activity's options.
const heartbeatEvery = 2 * time.Second

// heartbeat tells Temporal that the activity lives, until stop is called: without it a cancellation would never arrive.
func heartbeat(ctx context.Context) (stop func()) {
	done := make(chan struct{})
	go func() {
		ticker := time.NewTicker(heartbeatEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				activity.RecordHeartbeat(ctx)
			case <-done:
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { close(done) }
}
