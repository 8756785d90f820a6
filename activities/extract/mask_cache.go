package extract

import (
	"hash/maphash"
	"sync"

	"research/transcript"
)

// maxMaskers is how many transcripts are kept: those whose chunks are in progress.
const maxMaskers = 32

// maskers keeps the maskers of the last transcripts.
type maskers struct {
	seed  maphash.Seed
	mu    sync.Mutex
	byKey map[uint64]func() *masker // made at the first call
	order []uint64                  // the oldest first
}

func newMaskers() *maskers {
	return &maskers{seed: maphash.MakeSeed(), byKey: map[uint64]func() *masker{}}
}

// of returns the masker of a transcript and of statements, whose personal data is numbered after that of the
// transcript.
func (all *maskers) of(t *transcript.Transcript, statements []string) *masker {
	var hash maphash.Hash
	hash.SetSeed(all.seed)
	_, _ = hash.WriteString(t.Text) // never fails
	for _, speaker := range t.Speakers() {
		_, _ = hash.WriteString("\x00" + speaker)
	}
	for _, statement := range statements {
		_, _ = hash.WriteString("\x01" + statement)
	}
	return all.get(hash.Sum64(), func() *masker {
		made := newMasker(t)
		for _, statement := range statements {
			made.mask(statement)
		}
		return made
	})()
}

// get returns the masker with a key. Concurrent callers wait for the one that makes it.
func (all *maskers) get(key uint64, build func() *masker) func() *masker {
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
