package transcript

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxFlash is the length of the cues that rolling captions show between two lines; YouTube's have 10 ms.
const maxFlash = 50 * time.Millisecond

// unroll removes the repetitions of rolling captions. Their cues show the previous line again above the new
// one, as YouTube's do, or grow by a word each, as live captions do. Files in which only a few neighbours are
// equal ("Yes." – "Yes.") are unchanged. wordTimes reports that words have times of their own, as in
// YouTube's captions.
func unroll(cues []cue, wordTimes bool) []cue {
	rolling, growing, prev := 0, 0, ""
	for _, c := range cues {
		now := strings.TrimSpace(c.text)
		if now == "" {
			continue
		}
		added, overlaps := cutOverlap(prev, now)
		switch {
		case overlaps && (added != "" || c.end-c.start <= maxFlash):
			rolling++
		case isGrowth(prev, now):
			growing++
		}
		prev = now
	}
	switch {
	case rolling > 0 && (wordTimes || rolling > 1 && rolling*4 >= len(cues)):
		return unrollLines(cues)
	case growing > 1 && growing*4 >= len(cues):
		return unrollGrowth(cues)
	}
	return cues
}

// unrollLines removes the lines that a cue repeats from the one before.
func unrollLines(cues []cue) []cue {
	out, prev := cues[:0], ""
	for _, c := range cues {
		now := strings.TrimSpace(c.text)
		if now == "" {
			continue
		}
		added, overlaps := cutOverlap(prev, now)
		prev = now
		switch {
		case !overlaps:
			out = append(out, c)
		case added == "":
			last := &out[len(out)-1]
			last.end = max(last.end, c.end)
		default:
			c.text = added
			out = append(out, c)
		}
	}
	return out
}

// unrollGrowth keeps the last of cues that grow.
func unrollGrowth(cues []cue) []cue {
	out := cues[:0]
	for _, c := range cues {
		if n := len(out); n > 0 {
			prev, now := strings.TrimSpace(out[n-1].text), strings.TrimSpace(c.text)
			if prev != "" && (isGrowth(prev, now) || prev == now) {
				out[n-1].text, out[n-1].end = c.text, max(c.end, out[n-1].end)
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

// maxRows is how many rows of captions stay on the screen.
const maxRows = 4

// cutOverlap reports whether now begins with the last lines of prev, and returns what is added below them.
func cutOverlap(prev, now string) (added string, ok bool) {
	if prev == "" {
		return now, false
	}
	tail := len(prev)
	for range maxRows {
		at := strings.LastIndexByte(prev[:tail], '\n')
		lines := prev[at+1:]
		if rest, found := strings.CutPrefix(now, lines); found && (rest == "" || rest[0] == '\n') {
			added, ok = strings.TrimSpace(rest), true
		}
		if at < 0 {
			break
		}
		tail = at
	}
	return added, ok
}

// isGrowth reports whether now is prev with more words.
func isGrowth(prev, now string) bool {
	rest, ok := strings.CutPrefix(now, prev)
	if prev == "" || !ok || rest == "" {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsSpace(r)
}
