package activities

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jellydator/ttlcache/v3"
	"golang.org/x/sync/singleflight"

	"research/db"
	"research/transcript"
)

// maxCachedBytes bounds the cached transcripts: some fifty interviews of an hour, or three of the largest
// files.
const maxCachedBytes = 32 << 20

// A cachedTranscript is a transcript with the hash of its turns, which is part of the key of every answer.
type cachedTranscript struct {
	*transcript.Transcript
	sha256 string
}

func hashed(t *transcript.Transcript) cachedTranscript {
	sum := sha256.New()
	for _, u := range t.Utterances {
		fmt.Fprintf(sum, "%d %d\n%s%s\n", len(u.Speaker), len(u.Text), u.Speaker, u.Text)
	}
	return cachedTranscript{t, hex.EncodeToString(sum.Sum(nil))}
}

// A transcriptCache keeps the transcripts that were used last, because every step of a parse needs the whole
// text. Concurrent loads of a transcript are coalesced. It is safe for concurrent use.
type transcriptCache struct {
	store   *db.Store
	entries *ttlcache.Cache[ParseRef, cachedTranscript]
	loads   singleflight.Group
}

func newTranscriptCache(store *db.Store) *transcriptCache {
	size := func(item ttlcache.CostItem[ParseRef, cachedTranscript]) uint64 {
		// The text, and the utterances, which share its bytes.
		return uint64(len(item.Value.Text) + 128*len(item.Value.Utterances))
	}
	return &transcriptCache{store: store, entries: ttlcache.New(ttlcache.WithMaxCost(maxCachedBytes, size))}
}

// get returns a cached transcript, or loads it. Errors are not cached.
func (c *transcriptCache) get(
	ref ParseRef, load func() (*transcript.Transcript, error),
) (cachedTranscript, error) {
	if entry := c.entries.Get(ref); entry != nil {
		return entry.Value(), nil
	}
	loaded, err, _ := c.loads.Do(ref.ImportID.String()+ref.ClaimID.String(), func() (any, error) {
		t, err := load()
		if err != nil {
			return cachedTranscript{}, err
		}
		cached := hashed(t)
		c.entries.Set(ref, cached, ttlcache.NoTTL)
		return cached, nil
	})
	return loaded.(cachedTranscript), err
}

// load returns the transcript of a claimed import, from the cache if possible: it never changes while it is
// claimed.
func (c *transcriptCache) load(ctx context.Context, ref ParseRef) (cachedTranscript, error) {
	return c.get(ref, func() (*transcript.Transcript, error) {
		row, err := db.AsService(ctx, c.store, func(q *db.Queries) (db.GetTranscriptRow, error) {
			return q.GetTranscript(ctx, ref.ImportID)
		})
		if err != nil {
			return nil, dbError("load the transcript", err)
		}
		return transcriptOf(row), nil
	})
}

// TranscriptLoader returns a function that loads the transcript of an import by its id, and its interviewers.
// The error is db.ErrNotFound if there is none.
func TranscriptLoader(
	ctx context.Context, store *db.Store,
) func(importID string) (t *transcript.Transcript, interviewers []string, err error) {
	return func(importID string) (t *transcript.Transcript, interviewers []string, err error) {
		id, err := uuid.Parse(importID)
		if err != nil {
			return nil, nil, db.ErrNotFound
		}
		t, err = db.AsService(ctx, store, func(q *db.Queries) (*transcript.Transcript, error) {
			row, err := q.GetTranscript(ctx, id)
			if err != nil {
				return nil, err
			}
			interviewers, err = q.ListInterviewers(ctx, id)
			return transcriptOf(row), err
		})
		return t, interviewers, err
	}
}

func transcriptOf(row db.GetTranscriptRow) *transcript.Transcript {
	t := &transcript.Transcript{
		Format: transcript.Format(row.Format), Language: row.Language, Text: string(row.Body),
		Utterances: make([]transcript.Utterance, len(row.Speakers)),
	}
	for i := range t.Utterances {
		start, end := int(row.ByteStarts[i]), int(row.ByteEnds[i])
		u := transcript.Utterance{
			Speaker: row.Speakers[i], Text: t.Text[start:end], ByteStart: start, ByteEnd: end,
		}
		if row.Starts[i] >= 0 {
			u.Timed = true
			u.Start = time.Duration(row.Starts[i]) * time.Millisecond
			u.End = time.Duration(row.Ends[i]) * time.Millisecond
		}
		t.Utterances[i] = u
	}
	return t
}
