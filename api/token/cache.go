package token

import "sync"

// A cache remembers a bounded number of values: at most twice its size. When the young half is full it becomes the old one, and the old one is dropped; what is
// read moves back to the young. It is safe for concurrent use.
type cache[V any] struct {
	size int

	mu         sync.Mutex
	young, old map[cacheKey]V
}

type cacheKey [32]byte

func newCache[V any](size int) *cache[V] {
	return &cache[V]{size: size, young: map[cacheKey]V{}}
}

func (c *cache[V]) get(key cacheKey) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, found := c.young[key]
	if found {
		return v, true
	}
	if v, found = c.old[key]; found {
		c.addLocked(key, v)
	}
	return v, found
}

func (c *cache[V]) add(key cacheKey, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.addLocked(key, v)
}

func (c *cache[V]) addLocked(key cacheKey, v V) {
	if len(c.young) >= c.size {
		c.young, c.old = map[cacheKey]V{}, c.young
	}
	c.young[key] = v
}

func (c *cache[V]) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.young, c.old = map[cacheKey]V{}, nil
}
