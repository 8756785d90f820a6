package activities

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jellydator/ttlcache/v3"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"research/activities/extract/ask"
	"research/db"
	"research/transcript"
)

const (
	// maxScopeImports, maxScopeBytes and maxScopeTurns bound the interviews that a question is asked of: some
	// two thousand of an hour. The index takes twice the memory of their texts, and each turn some more.
	maxScopeImports = 2000
	maxScopeBytes   = 120 << 20
	maxScopeTurns   = 1 << 20
	// indexConcurrency is how many scopes are loaded and indexed at the same time.
	indexConcurrency = 2
	// indexTimeout bounds loading and indexing, with the wait for others.
	indexTimeout = 2 * time.Minute
	// maxIndexedBytes bounds the text of the indexes that a process keeps: a thousand interviews of an hour.
	maxIndexedBytes = 64 << 20
	// loadConcurrency is how many transcripts are loaded at the same time.
	loadConcurrency = 4
)

// An interview is a transcript that a question is asked of.
type interview struct {
	importID     uuid.UUID
	text         cachedTranscript
	interviewers []string
}

// interviews are those of a scope, with an index of their passages.
type interviews struct {
	all   []interview
	index *ask.Index
}

// transcriptsOf returns the transcripts, and for each the speakers whose words prove nothing.
func transcriptsOf(all []interview) (transcripts []*transcript.Transcript, interviewers [][]string) {
	for _, i := range all {
		transcripts = append(transcripts, i.text.Transcript)
		interviewers = append(interviewers, i.interviewers)
	}
	return transcripts, interviewers
}

// listScope lists the interviews of an answer's scope.
func listScope(ctx context.Context, q *db.Queries, answer db.Answer) ([]db.ListScopeImportsRow, error) {
	rows, err := q.ListScopeImports(ctx, db.ListScopeImportsParams{
		ProjectID: answer.ProjectID, Scope: answer.Scope, Most: maxScopeImports + 1,
	})
	if err != nil {
		return nil, err
	}
	return rows, checkScope(rows)
}

// checkScope returns an error with the type of outcome.CodeTokenLimit if a scope exceeds what a process may
// load.
func checkScope(rows []db.ListScopeImportsRow) error {
	var bytes, turns int64
	for _, row := range rows {
		bytes, turns = bytes+row.Bytes, turns+row.Turns
	}
	switch {
	case len(rows) > maxScopeImports:
		return tokenLimitError("the scope has too many interviews: ask about fewer")
	case bytes > maxScopeBytes || turns > maxScopeTurns:
		return tokenLimitError("the interviews of the scope are too long together: ask about fewer")
	}
	return nil
}

// An indexCache keeps the indexes of the scopes that were asked last. Concurrent loads of a scope are
// coalesced. It is safe for concurrent use.
type indexCache struct {
	transcripts *transcriptCache
	entries     *ttlcache.Cache[string, indexedTexts]
	loads       singleflight.Group
	slots       chan struct{} // of those that load and index
}

// indexedTexts are the texts of a scope, in its order.
type indexedTexts struct {
	texts []cachedTranscript
	index *ask.Index
}

func newIndexCache(transcripts *transcriptCache) *indexCache {
	size := func(item ttlcache.CostItem[string, indexedTexts]) uint64 {
		sum := 0
		for _, t := range item.Value.texts {
			sum += len(t.Text)
		}
		return uint64(sum)
	}
	return &indexCache{
		transcripts: transcripts, entries: ttlcache.New(ttlcache.WithMaxCost(maxIndexedBytes, size)),
		slots: make(chan struct{}, indexConcurrency),
	}
}

// load returns the interviews of a scope. The texts are those of the versions that the rows name, or of later
// ones: the caller compares the rows before it writes.
func (c *indexCache) load(ctx context.Context, rows []db.ListScopeImportsRow) (interviews, error) {
	sum := sha256.New()
	for _, row := range rows {
		fmt.Fprintf(sum, "%s %s\n", row.ID, row.Version)
	}
	key := string(sum.Sum(nil))
	if entry := c.entries.Get(key); entry != nil {
		return entry.Value().with(rows), nil
	}
	loaded, err, _ := c.loads.Do(key, func() (any, error) {
		// Others wait for the same: it does not end with the caller that came first.
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), indexTimeout)
		defer stop()
		return c.index(ctx, key, rows)
	})
	return loaded.(indexedTexts).with(rows), err
}

// index loads and indexes the interviews of a scope.
func (c *indexCache) index(
	ctx context.Context, key string, rows []db.ListScopeImportsRow,
) (indexedTexts, error) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return indexedTexts{}, ctx.Err()
	}
	all, err := loadInterviews(ctx, c.transcripts, rows)
	if err != nil {
		return indexedTexts{}, err
	}
	var indexed indexedTexts
	for _, of := range all {
		indexed.texts = append(indexed.texts, of.text)
	}
	transcripts, _ := transcriptsOf(all)
	indexed.index = ask.NewIndex(transcripts)
	c.entries.Set(key, indexed, ttlcache.NoTTL)
	return indexed, nil
}

// with returns the interviews of the rows from which the texts were loaded.
func (t indexedTexts) with(rows []db.ListScopeImportsRow) interviews {
	if len(t.texts) != len(rows) {
		return interviews{}
	}
	all := make([]interview, len(rows))
	for i, row := range rows {
		all[i] = interview{row.ID, t.texts[i], row.Interviewers}
	}
	return interviews{all, t.index}
}

// loadInterviews loads interviews, in the order of their rows.
func loadInterviews(
	ctx context.Context, transcripts *transcriptCache, rows []db.ListScopeImportsRow,
) ([]interview, error) {
	all := make([]interview, len(rows))
	each, ctx := errgroup.WithContext(ctx)
	each.SetLimit(loadConcurrency)
	for i, row := range rows {
		each.Go(func() error {
			text, err := transcripts.load(ctx, versionRef(row.ID, row.Version))
			all[i] = interview{row.ID, text, row.Interviewers}
			return err
		})
	}
	return all, each.Wait()
}

// versionNamespace is the namespace of the ids of a transcript's versions (RFC 9562 §5.5).
var versionNamespace = uuid.MustParse("0f1b7f5e-5c3b-5a0e-8b5e-6a1f0c5d9b21")

// versionRef names a version of a transcript for the cache, where that of a parse has its claim.
func versionRef(importID uuid.UUID, version string) ParseRef {
	return ParseRef{ImportID: importID, ClaimID: uuid.NewSHA1(versionNamespace, []byte(version))}
}

// isSameScope reports whether a scope has the same interviews, in the same versions.
func isSameScope(a, b []db.ListScopeImportsRow) bool {
	return slices.EqualFunc(a, b, func(x, y db.ListScopeImportsRow) bool {
		return x.ID == y.ID && x.Version == y.Version
	})
}
