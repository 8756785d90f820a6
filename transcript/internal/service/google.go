package service

import (
	"encoding/json"

	"research/transcript/internal/turn"
)

// readGoogle reads Google's results. With speakers, the last result has the words of all again, with the
// numbers of their speakers.
func readGoogle(doc Document) (list turn.List, language string, ok bool) {
	type alternative struct {
		Transcript looseText       `json:"transcript"`
		Words      json.RawMessage `json:"words"`
	}
	type result struct {
		Alternatives []alternative `json:"alternatives"`
		Language     looseText     `json:"languageCode"`
	}
	if operation, ok := doc.inner("response"); ok {
		doc = operation // as the status of a long-running operation has it
	}
	if !isList(doc.members["results"]) {
		return turn.List{}, "", false
	}
	var spoken, attributed turn.List
	whole := Each(doc.members["results"], func(r result) bool {
		if r.Language.text != "" {
			language = r.Language.text
		}
		if len(r.Alternatives) == 0 {
			return true
		}
		best := r.Alternatives[0] // the first one is the best
		var words turn.List
		if isList(best.Words) && readSpeech(&words, best.Words, nil) {
			if words.Turns[0].Speaker != "" {
				attributed.Turns = append(attributed.Turns, words.Turns...)
			}
			spoken.Turns = append(spoken.Turns, words.Turns...)
			spoken.Exceeded = spoken.Exceeded || words.Exceeded
		} else {
			spoken.AddText(best.Transcript.text)
		}
		return len(spoken.Turns) <= turn.Max
	})
	if len(attributed.Turns) > 0 {
		attributed.Exceeded = spoken.Exceeded
		return attributed, language, true
	}
	return spoken, language, whole && len(spoken.Turns) > 0
}
