package mask

import (
	"hash/maphash"
	"sync"

	"research/transcript"
)

// maxMaskers is how many transcripts are kept: those whose chunks are in progress.
const maxMaskers = 32

// A Cache keeps the maskers of the last transcripts.
type Cache struct {
	seed  maphash.Seed
	mu    sync.Mutex
	byKey map[uint64]func() *Masker // made at the first call
	order []uint64                  // the oldest first
}

// NewCache returns an empty cache.
func NewCache() *Cache {
	return &Cache{seed: maphash.MakeSeed(), byKey: map[uint64]func() *Masker{}}
}

// Of returns the masker of a transcript and of statements, whose personal data is numbered after that of the
// transcript.
func (all *Cache) Of(t *transcript.Transcript, statements []string) *Masker {
	var hash maphash.Hash
	hash.SetSeed(all.seed)
	_, _ = hash.WriteString(t.Text) // never fails
	for _, speaker := range t.Speakers() {
		_, _ = hash.WriteString("\x00" + speaker)
	}
	for _, statement := range statements {
		_, _ = hash.WriteString("\x01" + statement)
	}
	return all.get(hash.Sum64(), func() *Masker {
		made := newMasker(t)
		for _, statement := range statements {
			made.Mask(statement)
		}
		return made
	})()
}

// get returns the masker with a key. Concurrent callers wait for the one that makes it.
func (all *Cache) get(key uint64, build func() *Masker) func() *Masker {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.byKey[key] == nil {
		if all.order = append(all.order, key); len(all.order) > maxMaskers {
			delete(all.byKey, all.order[0])
			all.order = all.order[1:]
		}
		all.byKey[key] = sync.OnceValue(build)
	}
	return all.byKey[key]
}
