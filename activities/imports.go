package activities

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"golang.org/x/sync/singleflight"

	"research/activities/extract"
	"research/db"
)

// Imports are the activities that parse transcripts. Temporal knows them by the names of the methods.
type Imports struct {
	store     *db.Store
	extractor extract.Extractor
	breaker   modelBreaker
	calls     singleflight.Group // open calls by claim and key
	cfg       ImportsConfig
	log       *slog.Logger
	ender     *importEnder
}

// ImportsConfig configures how imports are parsed. Concurrency and Timeout are required.
type ImportsConfig struct {
	Concurrency int           // chunks of one import in flight
	Timeout     time.Duration // of a whole parse, without what it waits; see CheckDeadline
	MaxTokens   int64         // of one import; 0 means no limit
	// Speakers asks who speaks where that is in doubt; nil means that nobody does.
	Speakers SpeakerChecker
	// ChunkEnded is called for each chunk that is done; nil means no call.
	ChunkEnded func(context.Context, ChunkEnd)
	// CallRepeated is called for each response to a call that another worker has made as well; nil means no
	// call.
	CallRepeated func(context.Context)
}

// A ChunkEnd is the result of reading a chunk.
type ChunkEnd struct {
	Called bool // the extractor, by the last activity; false if every response was stored
	Unread int  // ranges that could not be read
}

// NewImports returns the activities. All dependencies are required.
func NewImports(
	store *db.Store, extractor extract.Extractor, cfg ImportsConfig, log *slog.Logger,
) (*Imports, error) {
	if store == nil || extractor == nil || log == nil || cfg.Concurrency < 1 || cfg.Timeout <= 0 {
		return nil, errors.New("activities: a dependency of Imports is missing")
	}
	return &Imports{
		store: store, extractor: extractor, cfg: cfg, log: log,
		ender: newImportEnder(store, log),
	}, nil
}

func (a *Imports) chunkEnded(ctx context.Context, end ChunkEnd) {
	if a.cfg.ChunkEnded != nil {
		a.cfg.ChunkEnded(ctx, end)
	}
}

func (a *Imports) callRepeated(ctx context.Context) {
	if a.cfg.CallRepeated != nil {
		a.cfg.CallRepeated(ctx)
	}
}
