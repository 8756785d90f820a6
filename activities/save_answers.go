package activities

import (
	"context"
	"encoding/hex"
	"errors"
	"strings"
	"sync"
	"time"

	"research/db"
)

// An answerSaver stores the answers of one run. Answers that arrive at about the same time, or while others are being
// stored, are stored together, in one transaction: each one locks the row of the import. It is safe for concurrent use,
// for one answer of a chunk at a time.
type answerSaver struct {
	store *db.Store
	ref   ParseRef
	calls func() int    // of the run whose answers are not stored yet; nil means that no answer waits for others
	most  time.Duration // that an answer waits for others
	turn  sync.Mutex    // held while answers are gathered and stored

	arrived chan struct{} // has a value if an answer arrived
	mu      sync.Mutex
	waiting []*unsavedAnswer
}

// gatherTime is how long an answer waits for those of the other calls of its run before it is stored. It is short
// compared with a call, and with the time that a transaction may take, in which a killed worker loses the answer too.
const gatherTime = 10 * time.Millisecond

func newAnswerSaver(store *db.Store, ref ParseRef, calls func() int) *answerSaver {
	return &answerSaver{store: store, ref: ref, calls: calls, most: gatherTime, arrived: make(chan struct{}, 1)}
}

// An unsavedAnswer is an answer to a request about a chunk, and the state of the chunk after it.
type unsavedAnswer struct {
	ordinal int32
	key     answerKey
	answer  storedAnswer
	next    chunkState

	// Guarded by answerSaver.turn.
	saved    bool // or it failed with err
	isLatest bool // the claim is the latest
	err      error
}

// save stores an answer. It reports whether the claim of the run is the latest.
func (s *answerSaver) save(ctx context.Context, a *unsavedAnswer) (isLatest bool, err error) {
	s.mu.Lock()
	s.waiting = append(s.waiting, a)
	s.mu.Unlock()
	select {
	case s.arrived <- struct{}{}:
	default: // there is a value
	}
	s.turn.Lock()
	defer s.turn.Unlock()
	if a.saved {
		return a.isLatest, a.err
	}
	s.gather(ctx)
	s.mu.Lock()
	answers := s.waiting
	s.waiting = nil
	s.mu.Unlock()
	s.saveAll(ctx, answers)
	return a.isLatest, a.err
}

// gather waits until every call of the run has its answer, for at most s.most.
func (s *answerSaver) gather(ctx context.Context) {
	if s.calls == nil {
		return
	}
	timer := time.NewTimer(s.most)
	defer timer.Stop()
	for {
		s.mu.Lock()
		complete := len(s.waiting) >= s.calls()
		s.mu.Unlock()
		if complete {
			return
		}
		select {
		case <-s.arrived:
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// saveAll stores answers in one transaction. If the database rejects one of them, each is stored on its own.
func (s *answerSaver) saveAll(ctx context.Context, answers []*unsavedAnswer) {
	isLatest, err := s.write(ctx, answers)
	if err != nil && len(answers) > 1 && ctx.Err() == nil && !errors.Is(err, db.ErrUnavailable) {
		for i := range answers {
			s.saveAll(ctx, answers[i:i+1])
		}
		return
	}
	for _, a := range answers {
		a.saved, a.isLatest, a.err = true, isLatest, err
	}
}

func (s *answerSaver) write(ctx context.Context, answers []*unsavedAnswer) (isLatest bool, err error) {
	params := db.StoreAnswersParams{ImportID: s.ref.ImportID, ClaimID: s.ref.ClaimID}
	for _, a := range answers {
		raw, err := encodeAnswer(a.answer)
		if err != nil {
			return false, err
		}
		keys, unread, err := a.next.columns()
		if err != nil {
			return false, err
		}
		params.Ordinals = append(params.Ordinals, a.ordinal)
		params.Keys = append(params.Keys, a.key[:])
		params.Answers = append(params.Answers, raw)
		params.InputTokens = append(params.InputTokens, a.answer.Usage.InputTokens)
		params.OutputTokens = append(params.OutputTokens, a.answer.Usage.OutputTokens)
		params.CallSeconds = append(params.CallSeconds, a.answer.took.Seconds())
		params.AnswerKeys = append(params.AnswerKeys, byteaArray(keys))
		params.Unread = append(params.Unread, unread)
		params.AreLast = append(params.AreLast, a.next.done())
		params.ModelAnswered = params.ModelAnswered || a.answer.Failed == "" || a.answer.repeats()
	}
	return db.OnceAsServiceByKey(ctx, s.store, func(q *db.Queries) (bool, error) {
		return q.StoreAnswers(ctx, params)
	})
}

// byteaArray writes values as PostgreSQL reads a bytea[]: {"\\x00ff","\\x01"}.
func byteaArray(values [][]byte) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = `"\\x` + hex.EncodeToString(value) + `"`
	}
	return "{" + strings.Join(texts, ",") + "}"
}
