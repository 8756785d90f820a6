package activities

import (
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
	extractor   extract.Extractor
	limits      Limits
	log         *slog.Logger
	transcripts *transcriptCache
}

// Limits bound the parsing of one import.
type Limits struct {
	Concurrency int           // chunks in flight
	Timeout     time.Duration // of a whole parse
	MaxTokens   int64         // 0 means no limit
}

// NewImports returns the activities. All dependencies are required.
func NewImports(
	store *db.Store, extractor extract.Extractor, limits Limits, log *slog.Logger,
) (*Imports, error) {
	if store == nil || extractor == nil || log == nil || limits.Concurrency < 1 || limits.Timeout <= 0 {
		return nil, errors.New("activities: a dependency of Imports is missing")
	}
	return &Imports{
		store: store, extractor: extractor, limits: limits, log: log, transcripts: newTranscriptCache(),
	}, nil
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
