package service

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"research/transcript/internal/clock"
	"research/transcript/internal/turn"
)

// readTimedParagraphs reads a list of words beside one of paragraphs that have only a speaker, a start and an
// end, as editors of transcripts save them.
func readTimedParagraphs(doc Document) (list turn.List, language string, ok bool) {
	type word struct {
		Text  *string `json:"text"`
		Start scalar  `json:"start"`
		End   scalar  `json:"end"`
	}
	unit := plausibleUnit(doc.members["words"], clock.Seconds)
	paragraphs := timedParagraphs(doc.members["paragraphs"], unit)
	if len(paragraphs) == 0 {
		return turn.List{}, "", false
	}
	var words []string
	var current turn.Turn
	at := -1 // the paragraph of the words, or -1 if they are in none
	finish := func() {
		if current.Text = strings.Join(words, " "); current.Text != "" {
			list.Add(current)
		}
		words = words[:0]
	}
	ok = Each(doc.members["words"], func(w word) bool {
		if w.Text == nil {
			return false
		}
		said := newTurn(unit, scalar{}, "", w.Start, w.End)
		if i := findParagraph(paragraphs, said); i != at || len(words) == 0 {
			finish()
			current, at = said, i
			if i >= 0 {
				current.Speaker = paragraphs[i].Speaker
			}
		}
		words = append(words, strings.TrimSpace(*w.Text))
		current.End = max(current.End, said.End)
		return !list.Exceeded
	})
	finish()
	return list, doc.Text("language"), ok && len(list.Turns) > 0 || list.Exceeded
}

// timedParagraphs returns the paragraphs in the order of their times, or none if one has words of its own.
func timedParagraphs(raw json.RawMessage, unit clock.Unit) []turn.Turn {
	type paragraph struct {
		Start   scalar          `json:"start"`
		End     scalar          `json:"end"`
		Speaker looseName       `json:"speaker"`
		Text    json.RawMessage `json:"text"`
		Words   json.RawMessage `json:"words"`
	}
	var found []turn.Turn
	whole := Each(raw, func(p paragraph) bool {
		t := newTurn(unit, scalar{p.Speaker.text}, "", p.Start, p.End)
		found = append(found, t)
		return p.Text == nil && p.Words == nil && t.Timed && t.Ended && len(found) <= turn.Max
	})
	if !whole {
		return nil
	}
	slices.SortStableFunc(found, func(a, b turn.Turn) int { return cmp.Compare(a.Start, b.Start) })
	return found
}

// findParagraph returns the index of the paragraph in which a word starts, or -1.
func findParagraph(paragraphs []turn.Turn, word turn.Turn) int {
	after, _ := slices.BinarySearchFunc(paragraphs, word, func(p, w turn.Turn) int {
		if p.Start <= w.Start {
			return -1
		}
		return 1
	})
	if i := after - 1; word.Timed && i >= 0 && word.Start < paragraphs[i].End {
		return i
	}
	return -1
}
