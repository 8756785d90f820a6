package qdpx

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Turn is a part of a transcript, as it was read from the text of a source.
type Turn struct{ Speaker, Text string }

// An Alignment maps places in the text of a source to those in the transcript that was read from it: the
// texts of its turns, joined by "\n". The transcript has no labels and times, and each run of white space
// with a line break in a turn is one space.
type Alignment struct {
	source   string
	turns    []Turn
	runs     []run
	complete bool
	left     int // bytes that may still be searched for turns
}

// A run is equal bytes of both texts, or white space of the source that became one space.
type run struct {
	from, to int // in the source
	at       int // in the transcript
	isSpace  bool
	turn     int // the index of its turn
}

// maxCandidates is how many places are tried for a turn.
const maxCandidates = 64

// maxSearches is how often a source is searched from end to end for turns that it does not have.
const maxSearches = 100

// Align finds the turns in a source, in their order. It takes time in proportion to the source.
func Align(source string, turns []Turn) *Alignment {
	a := &Alignment{source: source, turns: turns, complete: true, left: (maxSearches + 1) * len(source)}
	cursor, at := 0, 0
	for n, turn := range turns {
		if runs, end, ok := a.find(cursor, at, turn); ok {
			for i := range runs {
				runs[i].turn = n
			}
			a.runs = append(a.runs, runs...)
			cursor = end
		} else {
			a.complete = false
		}
		at += len(turn.Text) + 1
	}
	return a
}

// IsComplete reports whether every turn is in the source.
func (a *Alignment) IsComplete() bool { return a.complete }

// find returns the runs of the next turn, and where it ends in the source.
func (a *Alignment) find(cursor, at int, turn Turn) (runs []run, end int, ok bool) {
	needle := turn.Text
	if i := strings.IndexFunc(needle, unicode.IsSpace); i > 0 {
		needle = needle[:i]
	}
	needle = needle[:min(len(needle), 64)]
	for range maxCandidates {
		if needle == "" || a.left <= 0 {
			return nil, 0, false
		}
		i := strings.Index(a.source[cursor:], needle)
		if i < 0 {
			a.left -= len(a.source) - cursor
			return nil, 0, false
		}
		start := cursor + i
		if !isLabel(a.source[start:], turn.Speaker) {
			if runs, end, ok := a.match(start, at, turn.Text); ok {
				return runs, end, true
			}
		}
		_, size := utf8.DecodeRuneInString(a.source[start:])
		cursor = start + size
	}
	return nil, 0, false
}

// isLabel reports whether a text begins with the label of a speaker, not with words that equal it.
func isLabel(text, speaker string) bool {
	rest, ok := strings.CutPrefix(text, speaker)
	if !ok || speaker == "" {
		return false
	}
	rest = strings.TrimLeft(rest, " \t")
	return strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "：")
}

// longTurn is the size from which a turn may be a part of a longer one, which continues in the same word.
const longTurn = 4000

// match compares a turn with the source from start on.
func (a *Alignment) match(start, at int, text string) (runs []run, end int, ok bool) {
	open := run{from: start, to: start, at: at}
	closeRun := func(next int, at int) {
		if open.to > open.from {
			runs = append(runs, open)
		}
		open = run{from: next, to: next, at: at}
	}
	p, i := start, 0
	for i < len(text) {
		if text[i] == ' ' {
			if end := breakEnd(a.source, p); end > p {
				closeRun(p, at+i)
				runs = append(runs, run{from: p, to: end, at: at + i, isSpace: true})
				p, i = end, i+1
				open = run{from: p, to: p, at: at + i}
				continue
			}
		}
		if p < len(a.source) && a.source[p] == text[i] {
			p, i = p+1, i+1
			open.to = p
			continue
		}
		skipped := markup(a.source[p:])
		if skipped == 0 {
			return nil, 0, false
		}
		p += skipped
		closeRun(p, at+i)
	}
	closeRun(p, at+i)
	next, _ := utf8.DecodeRuneInString(a.source[p:])
	return runs, p, !isWord(next) || len(text) >= longTurn
}

// breakEnd returns the end of the white space at i, or i if it has no line break.
func breakEnd(text string, i int) int {
	end, hasBreak := i, false
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if r != 0 && !unicode.IsSpace(r) {
			break
		}
		hasBreak = hasBreak || strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r)
		end += size
	}
	if !hasBreak {
		return i
	}
	return end
}

// maxAside is the length of the longest aside that readers of transcripts leave out of a turn, such as a
// time.
const maxAside = 80

// markup returns the size of what a reader leaves out of a turn: marks of emphasis, or an aside in brackets.
func markup(text string) int {
	if text == "" {
		return 0
	}
	switch text[0] {
	case 0, '*', '_', '#', '>', '`', '~', '\\':
		return 1
	case '[', '(', '<':
		closing := map[byte]string{'[': "]", '(': ")", '<': ">"}[text[0]]
		if end := strings.Index(text[:min(len(text), maxAside)], closing); end > 0 {
			size := end + 1
			for size < len(text) && text[size] == ' ' {
				size++
			}
			return size
		}
	}
	return 0
}

// A Place is what the transcript has of a part of the source.
type Place struct {
	Start, End int  // bytes of the transcript; both are 0 if it has nothing of it
	Exact      bool // all words are there: what is not is a label or a time
}

// Place returns where a part of the source is in the transcript.
func (a *Alignment) Place(s Span) Place {
	first, _ := slices.BinarySearchFunc(a.runs, s.Start, func(r run, at int) int {
		if r.to <= at {
			return -1
		}
		return 1
	})
	var p Place
	p.Exact = true
	covered, found := s.Start, false
	for i := first; i < len(a.runs) && a.runs[i].from < s.End; i++ {
		r := a.runs[i]
		isWithin := i > first && a.runs[i-1].turn == r.turn
		if !isWithin && !a.isAside(covered, r.from, a.turns[r.turn].Speaker) {
			p.Exact = false
		}
		covered = min(r.to, s.End)
		if r.isSpace {
			continue // a quote does not begin or end with a line break
		}
		from, to := max(r.from, s.Start), min(r.to, s.End)
		if !found {
			p.Start, found = r.at+from-r.from, true
		}
		p.End = r.at + to - r.from
	}
	if !found {
		return Place{}
	}
	if !a.isAside(covered, s.End, "") {
		p.Exact = false
	}
	return p
}

// isAside reports whether a part of the source has no words but the label of the turn after it. Numbers are
// no words: they are times.
func (a *Alignment) isAside(from, to int, speaker string) bool {
	if from >= to {
		return true
	}
	text := a.source[from:to]
	if speaker != "" {
		if i := strings.LastIndex(text, speaker); i >= 0 {
			text = text[:i] + text[i+len(speaker):]
		}
	}
	return !strings.ContainsFunc(text, unicode.IsLetter)
}
