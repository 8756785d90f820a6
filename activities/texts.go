package activities

import (
	"container/list"
	"sync"

	"github.com/google/uuid"

	"research/transcript"
)

// maxCachedBytes bounds the transcripts that are kept: some fifty interviews of an hour, or three of the largest files.
const maxCachedBytes = 32 << 20

// A textCache keeps the transcripts used last, since each chunk of an import needs the whole one. Many chunks that ask at once share one load.
type textCache struct {
	mu      sync.Mutex
	entries map[uuid.UUID]*list.Element
	order   *list.List // the one used last in front
	bytes   int
}

type cachedText struct {
	id   uuid.UUID
	once sync.Once
	text *transcript.Transcript
	err  error
	size int
}

func newTextCache() *textCache {
	return &textCache{entries: map[uuid.UUID]*list.Element{}, order: list.New()}
}

func (c *textCache) get(id uuid.UUID, load func() (*transcript.Transcript, error)) (*transcript.Transcript, error) {
	c.mu.Lock()
	element, known := c.entries[id]
	if !known {
		element = c.order.PushFront(&cachedText{id: id})
		c.entries[id] = element
	}
	c.order.MoveToFront(element)
	entry := element.Value.(*cachedText)
	c.mu.Unlock()

	entry.once.Do(func() {
		entry.text, entry.err = load()
		c.mu.Lock()
		defer c.mu.Unlock()
		if entry.err != nil {
			c.drop(id, element)
			return
		}
		entry.size = 2*len(entry.text.Text) + 128*len(entry.text.Utterances)
		c.bytes += entry.size
		for c.bytes > maxCachedBytes && c.order.Len() > 1 {
			oldest := c.order.Back()
			c.drop(oldest.Value.(*cachedText).id, oldest)
		}
	})
	return entry.text, entry.err
}

// drop removes an entry; c.mu is held.
func (c *textCache) drop(id uuid.UUID, element *list.Element) {
	if c.entries[id] != element {
		return
	}
	delete(c.entries, id)
	c.order.Remove(element)
	c.bytes -= element.Value.(*cachedText).size
}
