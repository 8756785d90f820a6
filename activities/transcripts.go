package activities

import (
	"context"
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

// A transcriptCache keeps the transcripts that were used last, because every chunk of an import needs the
// whole text. Concurrent loads of a transcript are coalesced. It is safe for concurrent use.
type transcriptCache struct {
	entries *ttlcache.Cache[uuid.UUID, *transcript.Transcript]
	loads   singleflight.Group
}

func newTranscriptCache() *transcriptCache {
	size := func(item ttlcache.CostItem[uuid.UUID, *transcript.Transcript]) uint64 {
		// The text, the utterances' copy of it, and the utterances themselves.
		return uint64(2*len(item.Value.Text) + 128*len(item.Value.Utterances))
	}
	return &transcriptCache{entries: ttlcache.New(ttlcache.WithMaxCost(maxCachedBytes, size))}
}

// get returns a cached transcript, or loads it. Errors are not cached.
func (c *transcriptCache) get(
	id uuid.UUID, load func() (*transcript.Transcript, error),
) (*transcript.Transcript, error) {
	if entry := c.entries.Get(id); entry != nil {
		return entry.Value(), nil
	}
	loaded, err, _ := c.loads.Do(id.String(), func() (any, error) {
		t, err := load()
		if err == nil {
			c.entries.Set(id, t, ttlcache.NoTTL)
		}
		return t, err
	})
	return loaded.(*transcript.Transcript), err
}

// loadTranscript returns the transcript of an import, from the cache if possible: it never changes.
func (a *Imports) loadTranscript(ctx context.Context, id uuid.UUID) (*transcript.Transcript, error) {
	return a.transcripts.get(id, func() (*transcript.Transcript, error) {
		return db.AsService(ctx, a.store, func(q *db.Queries) (*transcript.Transcript, error) {
			row, err := q.GetImport(ctx, id)
			if err != nil {
				return nil, err
			}
			body, err := q.GetTranscriptBody(ctx, id)
			if err != nil {
				return nil, err
			}
			spans, err := q.ListUtteranceSpans(ctx, id)
			if err != nil {
				return nil, err
			}
			return transcriptOf(row, string(body), spans), nil
		})
	})
}

func transcriptOf(row db.Import, text string, spans []db.ListUtteranceSpansRow) *transcript.Transcript {
	t := &transcript.Transcript{
		Format: transcript.Format(row.Format), Language: row.Language, Text: text,
		Utterances: make([]transcript.Utterance, len(spans)),
	}
	for i, s := range spans {
		u := transcript.Utterance{
			Speaker: s.Speaker, Text: text[s.ByteStart:s.ByteEnd],
			ByteStart: int(s.ByteStart), ByteEnd: int(s.ByteEnd),
		}
		if s.StartMs != nil {
			u.Timed = true
			u.Start = time.Duration(*s.StartMs) * time.Millisecond
			u.End = time.Duration(*s.EndMs) * time.Millisecond
		}
		t.Utterances[i] = u
	}
	return t
}
