package transcript

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// flash is the length of the cues that a rolling caption shows between two lines (YouTube writes 10 ms).
const flash = 50 * time.Millisecond

// unroll removes what rolling captions repeat. Their cues show the line before once more above the new one (YouTube), or
// grow by a word each (live captions). Files that only have a few equal neighbours ("Yes." – "Yes.") are left alone.
func unroll(cues []cue, karaoke bool) []cue {
	rolls, grows, prev := 0, 0, ""
	for _, c := range cues {
		now := strings.TrimSpace(c.text)
		if now == "" {
			continue
		}
		if fresh, ok := overlap(prev, now); ok && (fresh != "" || c.end-c.start <= flash) {
			rolls++
		} else if grown(prev, now) {
			grows++
		}
		prev = now
	}
	switch {
	case rolls > 0 && (karaoke || rolls > 1 && rolls*4 >= len(cues)):
		return unrollLines(cues)
	case grows > 1 && grows*4 >= len(cues):
		return unrollGrowth(cues)
	}
	return cues
}

func unrollLines(cues []cue) []cue {
	out, prev := cues[:0], ""
	for _, c := range cues {
		now := strings.TrimSpace(c.text)
		if now == "" {
			continue
		}
		fresh, ok := overlap(prev, now)
		prev = now
		if !ok {
			out = append(out, c)
			continue
		}
		if fresh == "" {
			if last := &out[len(out)-1]; c.end > last.end {
				last.end = c.end
			}
			continue
		}
		c.text = fresh
		out = append(out, c)
	}
	return out
}

func unrollGrowth(cues []cue) []cue {
	out := cues[:0]
	for _, c := range cues {
		if n := len(out); n > 0 {
			if prev := strings.TrimSpace(out[n-1].text); prev != "" && (grown(prev, strings.TrimSpace(c.text)) || prev == strings.TrimSpace(c.text)) {
				out[n-1].text, out[n-1].end = c.text, max(c.end, out[n-1].end)
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

// maxRows is how many rows of a caption can stay on the screen.
const maxRows = 4

// overlap says whether now begins with the last lines of prev, and what is new below them.
func overlap(prev, now string) (fresh string, ok bool) {
	if prev == "" {
		return now, false
	}
	tail := len(prev)
	for range maxRows {
		at := strings.LastIndexByte(prev[:tail], '\n')
		lines := prev[at+1:]
		if rest, found := strings.CutPrefix(now, lines); found && (rest == "" || rest[0] == '\n') {
			fresh, ok = strings.TrimSpace(rest), true
		}
		if at < 0 {
			break
		}
		tail = at
	}
	return fresh, ok
}

// grown says whether now is prev and more words.
func grown(prev, now string) bool {
	rest, ok := strings.CutPrefix(now, prev)
	if prev == "" || !ok || rest == "" {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsSpace(r)
}
