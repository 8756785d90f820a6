package quote

import (
	"iter"
	"slices"
)

// Bounds on the search for a similar quote, so that a transcript that repeats itself does not cost more.
const (
	// maxCandidates is how many locations are compared in full.
	maxCandidates = 6
	// maxPositions is how many positions of one word are looked at, half of them near where the quote is cited.
	maxPositions = 256
	// maxVotes is how many positions are looked at for one quote.
	maxVotes = 1500
	// rarePositions is how often a word may occur that votes alone.
	rarePositions = 12
	// bucketSize is the distance, in tokens, within which votes count for the same location.
	bucketSize = 8
)

// A candidate is a location at which a quote may begin, and a token of the turn that contains it. Both count
// the tokens of content.
type candidate struct{ start, token, votes int }

// candidates returns the locations with the most votes, the best first. Three words of the quote vote for
// where the quote would begin if they also stand together in the source; if they do not, two words vote, or a
// rare one. Locations in the cited areas, the first of near, gain votes.
func (a *Aligner) candidates(ids []int32, limit area, near []area, cited int) []candidate {
	b := ballot{
		aligner: a, ids: ids, limit: limit, near: near,
		votes: map[ballotKey]*candidate{}, left: maxVotes,
	}
	for _, i := range a.byRarity(ids) {
		b.vote(i)
	}
	all := make([]candidate, 0, len(b.votes))
	for key, c := range b.votes {
		sum := *c
		for _, side := range []int{-1, 1} {
			if other := b.votes[ballotKey{key.bucket + side, key.turn}]; other != nil {
				sum.votes += other.votes
			}
		}
		for i, r := range near {
			if !r.contains(sum.token) {
				continue
			}
			if i < cited { // of several similar locations, prefer the cited one
				sum.votes += sum.votes / 2
			}
			sum.votes++
		}
		all = append(all, sum)
	}
	slices.SortFunc(all, func(x, y candidate) int {
		if x.votes != y.votes {
			return y.votes - x.votes
		}
		return x.start - y.start
	})
	return all[:min(len(all), maxCandidates)]
}

// A ballot collects the votes for the locations of one quote.
type ballot struct {
	aligner *Aligner
	ids     []int32 // the words of the quote
	limit   area
	near    []area
	votes   map[ballotKey]*candidate
	left    int // positions that may still be looked at
}

// A ballotKey identifies a location: a range of beginnings within one turn.
type ballotKey struct {
	bucket int
	turn   int32
}

// vote lets the words of the quote at i vote: three together, else two, else one. The rarest is looked up and
// the others are compared.
func (b *ballot) vote(i int) {
	content := &b.aligner.content
	for n, weight := 3, 4; n >= 1 && b.left > 0; n, weight = n-1, weight/2 {
		if i+n > len(b.ids) {
			continue
		}
		part := b.ids[i : i+n]
		rarest := content.rarest(part)
		positions := content.of(part[rarest])
		if n == 1 && len(positions) > rarePositions {
			continue
		}
		found := false
		for p := range nearFirst(positions, b.limit, b.near) {
			b.left--
			at := int(p) - rarest
			if at >= b.limit.from && at+n <= b.limit.to && slices.Equal(content.ids[at:at+n], part) {
				b.count(at, i, weight)
				found = true
			}
		}
		if found {
			return
		}
	}
}

// count adds the votes of the words at the quote's position i, which stand in the source at token.
func (b *ballot) count(token, i, weight int) {
	start := token - i
	turn := b.aligner.turn[b.aligner.token[token]]
	key := ballotKey{(start + len(b.ids)) / bucketSize, turn} // the sum is never negative
	c := b.votes[key]
	if c == nil {
		c = &candidate{start: start, token: token}
		b.votes[key] = c
	}
	c.votes += weight
}

// byRarity orders the positions of a quote by the rarest of the three words that begin there, the rarest
// first: it says the most.
func (a *Aligner) byRarity(ids []int32) []int {
	type start struct{ at, positions int }
	starts := make([]start, len(ids))
	for i := range ids {
		three := ids[i:min(i+3, len(ids))]
		starts[i] = start{i, len(a.content.of(three[a.content.rarest(three)]))}
		if starts[i].positions == 0 { // a word does not occur: fewer than three words will vote
			starts[i].positions = len(a.content.of(ids[i]))
		}
	}
	slices.SortStableFunc(starts, func(x, y start) int { return x.positions - y.positions })
	order := make([]int, len(ids))
	for i, s := range starts {
		order[i] = s.at
	}
	return order
}

// nearFirst yields the positions of a word within the limit. If there are more than maxPositions, it yields
// half as many from the near areas, then half as many from the beginning.
func nearFirst(positions []int32, limit area, near []area) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		from, _ := slices.BinarySearch(positions, int32(limit.from))
		to, _ := slices.BinarySearch(positions, int32(limit.to))
		if to-from > maxPositions {
			left := maxPositions / 2
			for _, r := range near {
				first, _ := slices.BinarySearch(positions, int32(max(r.from, limit.from)))
				for _, p := range positions[first:to] {
					if int(p) >= r.to || left == 0 {
						break
					}
					left--
					if !yield(p) {
						return
					}
				}
			}
			to = from + maxPositions/2
		}
		for _, p := range positions[from:to] {
			if !yield(p) {
				return
			}
		}
	}
}
