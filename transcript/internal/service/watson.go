package service

import (
	"encoding/json"

	"research/transcript/internal/clock"
	"research/transcript/internal/turn"
)

// readWatson reads the JSON of IBM Watson, which has the words with their times in one list and the speakers
// of these times in another.
func readWatson(doc Document) (list turn.List, language string, ok bool) {
	type label struct {
		From    scalarOrNone `json:"from"`
		Speaker looseName    `json:"speaker"`
	}
	voices := map[string]string{}
	Each(doc.members["speaker_labels"], func(l label) bool {
		voices[l.From.text] = l.Speaker.text
		return len(voices) <= turn.Max
	})
	if len(voices) == 0 {
		return turn.List{}, "", false
	}
	type alternative struct {
		Words []json.RawMessage `json:"timestamps"`
	}
	type result struct {
		Alternatives []alternative `json:"alternatives"`
	}
	words := sentenceBuilder{list: &list, unit: clock.Seconds}
	ok = Each(doc.members["results"], func(r result) bool {
		if len(r.Alternatives) == 0 {
			return true
		}
		for _, raw := range r.Alternatives[0].Words { // the first one is the best
			var word string
			var start, end scalar
			if json.Unmarshal(raw, &[]any{&word, &start, &end}) != nil {
				return false
			}
			words.add(word, scalar{text: voices[start.text]}, start, end)
		}
		words.finish()
		return !list.Exceeded
	})
	return list, "", ok && len(list.Turns) > 0 || list.Exceeded
}
