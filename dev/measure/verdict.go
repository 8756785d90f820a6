package main

import "research/transcript"

// A verdict says how a file was read.
type verdict string

const (
	right   verdict = "right"
	refused verdict = "refused"
	said    verdict = "wrong, and says so"
	silent  verdict = "silently wrong"
)

// A result is the reading of an example.
type result struct {
	example
	comparison
	verdict    verdict
	kind       string // what is wrong, see kinds
	reason     string // why it was refused
	confidence float64
	needsLook  bool
	warned     bool
}

// kinds are what may be wrong about a reading.
var kinds = []struct{ kind, meaning string }{
	{"a", "words under another speaker"},
	{"b", "words that nobody said have a speaker"},
	{"c", "speech is missing"},
	{"d", "a speaker has another name or is not read"},
	{"e", "times are wrong"},
	{"f", "garbled text"},
}

// measure reads an example.
func measure(e example) result {
	got, err := transcript.Parse(e.data)
	if err != nil {
		return result{example: e, verdict: refused, reason: err.Error()}
	}
	r := result{
		example: e, comparison: compare(e.reference, got), verdict: right,
		confidence: got.Confidence, needsLook: got.NeedsLook, warned: len(got.Warnings) > 0,
	}
	r.kind = r.worst()
	switch {
	case r.kind == "":
	case r.needsLook || r.warned:
		r.verdict = said
	default:
		r.verdict = silent
	}
	return r
}

// share returns what share of the words of a file n words are.
func (c comparison) share(n int) float64 { return float64(n) / float64(max(1, c.total)) }

// isMisattributed reports whether more than 1 % of the words are under another speaker.
func (c comparison) isMisattributed() bool { return c.share(c.another) > 0.01 }

// worst returns the kind of what is wrong with most words, or "": a file is wrong if more than 1 % of its
// words have another speaker, or more than 2 % have none, are missing, or are said by nobody and yet have a
// speaker.
func (c comparison) worst() string {
	if c.isMisattributed() && c.another >= max(c.without, c.missing, c.nobody) {
		if c.share(c.another-c.renamed) <= 0.01 {
			return "d"
		}
		return "a"
	}
	if c.share(c.without+c.missing+c.nobody) > 0.02 {
		switch max(c.without, c.missing, c.nobody) {
		case c.without:
			return "d"
		case c.missing:
			if c.share(c.extra) > 0.02 {
				return "f"
			}
			return "c"
		}
		return "b"
	}
	switch {
	case c.isMisattributed():
		return "a"
	case c.times > 0 && float64(c.wrongTimes) > 0.02*float64(c.times):
		return "e"
	}
	return ""
}
