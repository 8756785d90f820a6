// Package fairqueue lets requests wait so that their keys take turns, such as the workspaces or networks that
// the requests are for.
//
// Requests with the same key wait in the order of their arrival. Each turn goes to the next key, so that a
// key with many requests delays the others by one request at a time. The package only orders what waits: the
// caller knows how much is free, and bounds how many may wait and for how long.
package fairqueue

import "slices"

// A Queue holds the requests that wait, by key. The zero value is empty. It is not safe for concurrent use:
// the caller guards it with the mutex of what is waited for.
type Queue[K comparable] struct {
	waiting map[K][]chan struct{} // no list is empty
	turns   []K                   // the keys of waiting, the next one first
	length  int
}

// Push adds a request. The channel is closed when its turn has come.
func (q *Queue[K]) Push(key K) (turn chan struct{}) {
	if q.waiting == nil {
		q.waiting = map[K][]chan struct{}{}
	}
	if len(q.waiting[key]) == 0 {
		q.turns = append(q.turns, key)
	}
	turn = make(chan struct{})
	q.waiting[key] = append(q.waiting[key], turn)
	q.length++
	return turn
}

// Next ends the waiting of one request: the first of the next key. It returns the key, or false if none
// waits.
func (q *Queue[K]) Next() (key K, found bool) {
	return q.NextOf(func(K) bool { return true })
}

// NextOf is Next among the keys for which may returns true. The others keep their places.
func (q *Queue[K]) NextOf(may func(K) bool) (key K, found bool) {
	place := slices.IndexFunc(q.turns, may)
	if place < 0 {
		return key, false
	}
	key = q.turns[place]
	close(q.waiting[key][0])
	q.remove(key, 0)
	q.turns = slices.Delete(q.turns, place, place+1)
	if q.Waiting(key) > 0 {
		q.turns = append(q.turns, key)
	}
	return key, true
}

// Leave removes a request that no longer waits. It returns false if its turn has come in the meantime.
func (q *Queue[K]) Leave(key K, turn chan struct{}) bool {
	i := slices.Index(q.waiting[key], turn)
	if i < 0 {
		return false
	}
	q.remove(key, i)
	if q.Waiting(key) == 0 {
		q.turns = slices.DeleteFunc(q.turns, func(other K) bool { return other == key })
	}
	return true
}

func (q *Queue[K]) remove(key K, i int) {
	q.length--
	if q.waiting[key] = slices.Delete(q.waiting[key], i, i+1); len(q.waiting[key]) == 0 {
		delete(q.waiting, key)
	}
}

// Waiting returns the number of requests of a key.
func (q *Queue[K]) Waiting(key K) int { return len(q.waiting[key]) }

// Len returns the number of all requests.
func (q *Queue[K]) Len() int { return q.length }
