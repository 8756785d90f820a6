package main

import (
	"fmt"
	"time"

	"research/transcript"
)

// A comparison counts how the words of a file were read.
type comparison struct {
	total   int // words that somebody says
	another int // of these, those under another speaker than who says them
	renamed int // of another, those whose speaker has another name throughout
	without int // of these, those whose speaker is not known
	missing int
	nobody  int // words that nobody says, and that have a speaker
	extra   int // words of the reading that are not in the reference

	times      int // turns whose time is known
	wrongTimes int

	trusted, trustedWrong int // words in turns of high confidence; of these, those under another speaker

	first map[string]string // the first word of each kind, and whose it is
}

// isTrusted is the confidence from which the speaker of a turn counts as confirmed.
const isTrusted = 0.9

// A saidWord is a word of a reference, and a readWord one of a reading.
type (
	saidWord struct{ turn int }
	readWord struct {
		utterance int
		opens     bool
	}
)

// compare compares the reading of a file with its reference.
func compare(want reference, got *transcript.Transcript) comparison {
	var saidText, readText []string
	var said []saidWord
	var read []readWord
	for i, t := range want.Turns {
		for _, w := range words(t.Text) {
			saidText, said = append(saidText, w), append(said, saidWord{i})
		}
	}
	for i, u := range got.Utterances {
		for n, w := range words(u.Text) {
			readText, read = append(readText, w), append(read, readWord{i, n == 0})
		}
	}
	pairs := align(saidText, readText)
	c := comparison{first: map[string]string{}}
	paired := make([]bool, len(read))
	names := map[string]map[string]int{} // of the reading, and whose words have them how often
	for i, s := range said {
		t := want.Turns[s.turn]
		if pairs[i] < 0 {
			c.countMissing(t, saidText[i])
			continue
		}
		paired[pairs[i]] = true
		u := got.Utterances[read[pairs[i]].utterance]
		c.count(t, u, saidText[i])
		if t.Speaker != nil && u.Speaker != "" {
			if names[u.Speaker] == nil {
				names[u.Speaker] = map[string]int{}
			}
			names[u.Speaker][*t.Speaker]++
		}
	}
	for i, r := range read {
		if !paired[i] {
			c.extra++
			if u := got.Utterances[r.utterance]; u.Speaker != "" {
				c.nobody++
				c.note("nobody", readText[i], u.Speaker)
			}
		}
	}
	c.countRenamed(want, names)
	c.compareTimes(want, got, said, read, pairs)
	return c
}

// note keeps the first word that is read wrong in a way, and the speaker that it has.
func (c *comparison) note(way, word, speaker string) {
	if _, ok := c.first[way]; !ok {
		c.first[way] = fmt.Sprintf("%q of %q", word, speaker)
	}
}

func (c *comparison) countMissing(t turn, word string) {
	if t.Speaker != nil {
		c.total++
		c.missing++
		c.note("missing", word, *t.Speaker)
	}
}

func (c *comparison) count(t turn, u transcript.Utterance, word string) {
	right := t.isBy(u.Speaker)
	if t.Speaker == nil {
		if !right {
			c.nobody++
			c.note("nobody", word, u.Speaker)
		}
		return
	}
	c.total++
	trusted := u.Confidence >= isTrusted
	if trusted {
		c.trusted++
	}
	switch {
	case right:
	case u.Speaker == "":
		c.without++
		c.note("without", word, *t.Speaker)
	default:
		c.another++
		c.note("another", word, u.Speaker)
		if trusted {
			c.trustedWrong++
		}
	}
}

// countRenamed counts the words of speakers who have only another name: nobody else's words are under it.
func (c *comparison) countRenamed(want reference, names map[string]map[string]int) {
	for name, whose := range names {
		if len(whose) != 1 {
			continue
		}
		for speaker, n := range whose {
			if speaker != "" && !want.isNameOf(speaker, name) {
				c.renamed += n
			}
		}
	}
}

// isNameOf reports whether a speaker of the reference may be called so.
func (r reference) isNameOf(speaker, name string) bool {
	for _, t := range r.Turns {
		if t.Speaker != nil && *t.Speaker == speaker && t.isBy(name) {
			return true
		}
	}
	return false
}

// compareTimes compares the starts of turns with those of the utterances that they open. Times of day may
// count from the first one.
func (c *comparison) compareTimes(
	want reference, got *transcript.Transcript, said []saidWord, read []readWord, pairs []int,
) {
	var wanted, found []time.Duration
	for i, s := range said {
		t := want.Turns[s.turn]
		if i > 0 && said[i-1].turn == s.turn || t.StartMs == nil || pairs[i] < 0 || !read[pairs[i]].opens {
			continue
		}
		c.times++
		u := got.Utterances[read[pairs[i]].utterance]
		if !u.Timed {
			c.wrongTimes++
			continue
		}
		wanted = append(wanted, time.Duration(*t.StartMs)*time.Millisecond)
		found = append(found, u.Start)
	}
	if len(found) > 0 {
		c.wrongTimes += min(wrongTimes(wanted, found, 0), wrongTimes(wanted, found, found[0]-wanted[0]))
	}
}

func wrongTimes(wanted, found []time.Duration, offset time.Duration) int {
	wrong := 0
	for i := range wanted {
		if (found[i] - wanted[i] - offset).Abs() > time.Second {
			wrong++
		}
	}
	return wrong
}
