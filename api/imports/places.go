package imports

import (
	"sort"
	"strings"

	"research/transcript"
)

const (
	// nearBytes is how far from its old place a quote is searched for first. Without it, each quote of a large
	// transcript would take time in proportion to the whole.
	nearBytes = 64 << 10
	// maxOccurrences bounds how many places of a quote are compared.
	maxOccurrences = 1000
	// contextBytes is how much of the text before and after a quote is compared.
	contextBytes = 64
	// enoughContext is how much of it must be the same. Labels and lines that another reading takes out or
	// leaves in are beside few quotes, and hardly ever on both sides.
	enoughContext = 8
)

// A text is a transcript to be searched: its turns, and its words with spaces for line feeds. Another reading
// may end a turn where this one has a space; the length is the same.
type text struct {
	turns []transcript.Utterance
	words string
}

func newText(turns []transcript.Utterance, joined string) text {
	return text{turns, strings.ReplaceAll(joined, "\n", " ")}
}

// within returns the turns that have a part of a range of bytes.
func (t text) within(start, end int) []transcript.Utterance {
	from := sort.Search(len(t.turns), func(i int) bool { return t.turns[i].ByteEnd > start })
	to := sort.Search(len(t.turns), func(i int) bool { return t.turns[i].ByteStart >= end })
	return t.turns[from:max(from, to)]
}

// ofOneSpeaker reports whether all turns have the same speaker.
func ofOneSpeaker(turns []transcript.Utterance) bool {
	for _, u := range turns {
		if u.Speaker != turns[0].Speaker {
			return false
		}
	}
	return true
}

// place returns where the words of a range of bytes are in another reading: of several places, the one with
// the most of the same text around it, and of those the nearest. Words of one speaker have no place where
// several speakers say them.
func (t text) place(start, end int, after text) (int, bool) {
	quote := t.words[start:end]
	from, to := max(0, start-nearBytes), min(len(after.words), end+nearBytes)
	best := -1
	if from < to {
		best = t.choose(start, end, after, from, to)
	}
	if best < 0 || t.agreement(start, end, after, best) < enoughContext {
		best = t.choose(start, end, after, 0, len(after.words))
	}
	if best < 0 || !t.isAlone(start, quote) && t.agreement(start, end, after, best) < enoughContext {
		return 0, false
	}
	if ofOneSpeaker(t.within(start, end)) && !ofOneSpeaker(after.within(best, best+len(quote))) {
		return 0, false
	}
	return best, true
}

// choose returns the best place of a quote within a range of bytes of another reading, or -1.
func (t text) choose(start, end int, after text, from, to int) int {
	quote := t.words[start:end]
	best, score, distance := -1, -1, 0
	for range maxOccurrences {
		i := strings.Index(after.words[from:to], quote)
		if i < 0 {
			break
		}
		at := from + i
		agrees, far := t.agreement(start, end, after, at), max(at-start, start-at)
		if agrees > score || agrees == score && far < distance {
			best, score, distance = at, agrees, far
		}
		from = at + 1
	}
	return best
}

// agreement counts the bytes before and after a quote that are the same in both readings.
func (t text) agreement(start, end int, after text, at int) int {
	same := 0
	for i := 1; i <= contextBytes && i <= start && i <= at && t.words[start-i] == after.words[at-i]; i++ {
		same++
	}
	to := at + end - start
	for i := 0; i < contextBytes && end+i < len(t.words) && to+i < len(after.words) &&
		t.words[end+i] == after.words[to+i]; i++ {
		same++
	}
	return same
}

// isAlone reports whether a quote is only at its place.
func (t text) isAlone(start int, quote string) bool {
	return strings.Index(t.words, quote) == start && !strings.Contains(t.words[start+1:], quote)
}

// find returns the only place of words that had lost their place, as words of one speaker.
func (t text) find(quote string) (int, bool) {
	quote = strings.ReplaceAll(quote, "\n", " ")
	at := strings.Index(t.words, quote)
	if at < 0 || !t.isAlone(at, quote) || !ofOneSpeaker(t.within(at, at+len(quote))) {
		return 0, false
	}
	return at, true
}

// A sameRange is a range of turns, with the white space after them, that another reading has unchanged.
type sameRange struct{ oldStart, oldEnd, newStart int }

// maxSkipped is how many turns of the other reading may lie between two that are unchanged. With more, a
// short turn would be found far away, and none of those between.
const maxSkipped = 200

// unchanged returns the turns that have the same speaker and the same words in another reading, in the same
// order. Neighbours are one range.
func (t text) unchanged(after text) (ranges []sameRange) {
	isSame := func(a, b transcript.Utterance) bool { return a.Speaker == b.Speaker && a.Text == b.Text }
	old, fresh := t.turns, after.turns
	tail := 0
	for tail < min(len(old), len(fresh)) && isSame(old[len(old)-1-tail], fresh[len(fresh)-1-tail]) {
		tail++
	}
	add := func(a, b transcript.Utterance) {
		n := len(ranges)
		if n > 0 && ranges[n-1].oldEnd == a.ByteStart &&
			ranges[n-1].newStart+a.ByteStart-ranges[n-1].oldStart == b.ByteStart {
			ranges[n-1].oldEnd = a.ByteEnd + 1
			return
		}
		ranges = append(ranges, sameRange{a.ByteStart, a.ByteEnd + 1, b.ByteStart})
	}
	next, end := 0, len(fresh)-tail
	for _, u := range old[:len(old)-tail] {
		for i := next; i < min(end, next+maxSkipped); i++ {
			if isSame(u, fresh[i]) {
				add(u, fresh[i])
				next = i + 1
				break
			}
		}
	}
	for i := tail; i > 0; i-- {
		add(old[len(old)-i], fresh[len(fresh)-i])
	}
	return ranges
}
