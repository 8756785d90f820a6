package transcript_test

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"research/transcript"
)

// A said is a turn of a conversation.
type said struct {
	speaker    string
	start, end time.Duration
	text       string
	language   string
}

// A file is a conversation in one form, and what must be read from it.
type file struct {
	name  string
	turns []said        // the conversation, for those who write the file
	grain time.Duration // how exact the times of the file are; 0 if it has none
	text  strings.Builder
	data  []byte // instead of text

	exactly []string // the turns that must be read, or
	want    []wanted // what must be read, word by word

	within    time.Duration // times may differ by so much
	ends      bool          // the file has the ends of turns, and not their starts
	fromFirst bool          // times count from that of the first turn
	anyNames  bool          // the file numbers its speakers, who may have any names
	words     func(text string) []string
}

const (
	// noTime means that the file has no time for a turn.
	noTime time.Duration = -1
	// anyTime means that the file has times of its own, which are not those of the turns.
	anyTime time.Duration = -2
)

// A wanted is what must be read next.
type wanted struct {
	speakers []string // any of these is right
	at       time.Duration
	text     string
	// aside words are not part of the conversation. They may be left out, or be read without a speaker.
	aside bool
	// loose words are asides that may also be part of the turn before them, such as [laughter].
	loose bool
	// title means that any words are an aside.
	title bool
}

// raw writes what nobody says.
func (f *file) raw(format string, args ...any) {
	fmt.Fprintf(&f.text, format, args...)
}

// aside writes lines that are not part of the conversation.
func (f *file) aside(text string) {
	f.text.WriteString(text)
	f.want = append(f.want, wanted{text: text, aside: true})
}

// loose writes lines that may also be part of the turn before them.
func (f *file) loose(text string) {
	f.text.WriteString(text)
	f.want = append(f.want, wanted{text: text, aside: true, loose: true})
}

// said records that a turn must be read, with its speaker or one of the other names.
func (f *file) said(s said, others ...string) {
	at := s.start
	if f.grain == 0 {
		at = noTime
	}
	f.want = append(f.want, wanted{speakers: append(others, s.speaker), at: at, text: s.text})
}

// saidSometime records that a turn must be read, whose time is not in the file.
func (f *file) saidSometime(s said) {
	f.want = append(f.want, wanted{speakers: []string{s.speaker}, at: anyTime, text: s.text})
}

// A readWord is a word as it is read.
type readWord struct {
	text string
	of   transcript.Utterance
	// opens is true for the first word of an utterance.
	opens bool
}

// A comparison goes through the words of a reading.
type comparison struct {
	*file

	words []readWord        // that were not compared yet
	names map[string]string // of the speakers in a file with any names
	base  time.Duration     // from which times count
	begun bool
}

// compare returns what is wrong about the reading of a file, or "".
func (f *file) compare(got *transcript.Transcript) string {
	if f.exactly != nil {
		return differenceOf(f.exactly, turnsOf(got))
	}
	if f.words == nil {
		f.words = strings.Fields
	}
	c := comparison{file: f, names: map[string]string{}}
	for _, u := range got.Utterances {
		for i, w := range f.words(u.Text) {
			c.words = append(c.words, readWord{w, u, i == 0})
		}
	}
	for want := f.want; len(want) > 0; {
		n := slices.IndexFunc(want, func(w wanted) bool { return !w.aside })
		if n < 0 {
			n = len(want)
		}
		if n > 0 {
			if wrong := c.skip(want[:n], want[n:]); wrong != "" {
				return wrong
			}
		}
		if want = want[n:]; len(want) > 0 {
			if wrong := c.turn(want[0]); wrong != "" {
				return wrong
			}
			want = want[1:]
		}
	}
	if len(c.words) > 0 {
		return fmt.Sprintf("words at the end that nobody said: %q of %q", c.words[0].text, c.words[0].of.Speaker)
	}
	return ""
}

// differenceOf returns the first difference between turns, or "".
func differenceOf(want, got []string) string {
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(got):
			return fmt.Sprintf("turn %d is missing: %q", i, want[i])
		case i >= len(want):
			return fmt.Sprintf("turn %d is too much: %q", i, got[i])
		case want[i] != got[i]:
			return fmt.Sprintf("turn %d is %q instead of %q", i, got[i], want[i])
		}
	}
	return ""
}

func isNoLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// skip goes through the words before the next turn, and returns what is wrong about them.
func (c *comparison) skip(asides, turns []wanted) string {
	var known []string
	loose, title := true, false
	for _, a := range asides {
		for _, w := range c.file.words(a.text) {
			known = append(known, strings.FieldsFunc(w, isNoLetter)...)
		}
		loose, title = loose && a.loose, title || a.title
	}
	n := len(c.words)
	if len(turns) > 0 {
		next := c.file.words(turns[0].text)
		next = next[:min(6, len(next))]
		for n = 0; n+len(next) <= len(c.words); n++ {
			isSame := func(w readWord, s string) bool { return w.text == s }
			if slices.EqualFunc(c.words[n:n+len(next)], next, isSame) {
				break
			}
		}
		if n+len(next) > len(c.words) {
			return fmt.Sprintf("the words %q are missing", strings.Join(next, " "))
		}
	}
	for _, w := range c.words[:n] {
		if w.of.Speaker != "" && !loose {
			return fmt.Sprintf("%s says %q, which nobody said", w.of.Speaker, w.text)
		}
		for _, part := range strings.FieldsFunc(w.text, isNoLetter) {
			at := slices.Index(known, part)
			if at < 0 && !title {
				return fmt.Sprintf("%q is in no line of the file there", w.text)
			}
			known = known[at+1:]
		}
	}
	c.words = c.words[n:]
	return ""
}

// turn compares a turn with the words at its place, and returns what is wrong about it.
func (c *comparison) turn(want wanted) string {
	words := c.file.words(want.text)
	for i, w := range words {
		if len(c.words) == 0 {
			return fmt.Sprintf("ends before %q of %s", w, want.speakers)
		}
		at := c.words[0]
		if at.text != w {
			return fmt.Sprintf("%q instead of %q of %s, in %q", at.text, w, want.speakers, want.text)
		}
		if !c.isBy(at.of.Speaker, want) {
			return fmt.Sprintf("%q is of %q instead of %s", want.text, at.of.Speaker, want.speakers)
		}
		if c.ends && i == len(words)-1 || !c.ends && i == 0 && at.opens {
			if wrong := c.time(at.of, want); wrong != "" {
				return wrong
			}
		}
		c.words = c.words[1:]
	}
	return ""
}

func (c *comparison) isBy(speaker string, want wanted) bool {
	if !c.anyNames {
		return slices.Contains(want.speakers, speaker)
	}
	for name, meant := range c.names {
		if (name == speaker) != (meant == want.speakers[0]) {
			return false
		}
	}
	c.names[speaker] = want.speakers[0]
	return speaker != ""
}

// time compares the time of a turn with that of the utterance which it opens.
func (c *comparison) time(u transcript.Utterance, want wanted) string {
	at := u.Start
	if c.ends {
		at = u.End
	}
	if c.fromFirst && !c.begun {
		c.base = at - want.at
	}
	c.begun = true
	switch {
	case want.at == anyTime:
	case want.at == noTime && u.Timed:
		return fmt.Sprintf("%q has the time %s, which is not in the file", want.text, at)
	case want.at >= 0 && !u.Timed:
		return fmt.Sprintf("%q has no time", want.text)
	case want.at >= 0 && (at-c.base-want.at).Abs() > c.within:
		return fmt.Sprintf("%q has the time %s instead of %s", want.text, at, c.base+want.at)
	}
	return ""
}
