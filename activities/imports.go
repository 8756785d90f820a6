package activities

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"research/activities/extract"
	"research/db"
)

// Imports are the activities that parse transcripts. Temporal knows them by the names of the methods.
type Imports struct {
	store       *db.Store
	calls       *Calls
	extractor   extract.Extractor
	cfg         ImportsConfig
	log         *slog.Logger
	transcripts *transcriptCache
}

// ImportsConfig configures how imports are parsed. Concurrency and Timeout are required.
type ImportsConfig struct {
	Concurrency int           // chunks of one import in flight, and of one activity
	Timeout     time.Duration // of a whole parse, from its first call to the extractor
	MaxTokens   int64         // of one import; 0 means no limit
	// ChunkEnded is called for each chunk that is done; nil means no call.
	ChunkEnded func(context.Context, ChunkEnd)
}

// A ChunkEnd is the result of reading a chunk.
type ChunkEnd struct {
	Calls  int // to the extractor; 0 if every response was stored
	Unread int // ranges that could not be read
}

// NewImports returns the activities. All dependencies are required.
func NewImports(store *db.Store, calls *Calls, cfg ImportsConfig, log *slog.Logger) (*Imports, error) {
	if store == nil || calls == nil || log == nil || cfg.Concurrency < 1 || cfg.Timeout <= 0 {
		return nil, errors.New("activities: a dependency of Imports is missing")
	}
	return &Imports{
		store: store, calls: calls, extractor: calls.extractor, cfg: cfg, log: log,
		transcripts: newTranscriptCache(),
	}, nil
}

func (a *Imports) chunkEnded(ctx context.Context, end ChunkEnd) {
	if a.cfg.ChunkEnded != nil {
		a.cfg.ChunkEnded(ctx, end)
	}
}

// A ParseRef names an import and the request to parse it. A write for a request that is not the latest
// changes nothing.
type ParseRef struct {
	ImportID uuid.UUID
	ClaimID  uuid.UUID
}

// nullable returns nil for an empty text.
func nullable(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// valueOf returns an empty text for nil.
func valueOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// chunkOf is a row of the plan.
func chunkOf(row db.PrivateImportChunk) extract.Chunk {
	return extract.Chunk{
		From: int(row.UtteranceFrom), To: int(row.UtteranceTo),
		ByteStart: int(row.ByteStart), ByteEnd: int(row.ByteEnd),
	}
}
