package service

import (
	"encoding/json"

	"research/transcript/internal/clock"
	"research/transcript/internal/turn"
)

// readAssemblyAI reads AssemblyAI's transcript, in milliseconds: its utterances with speakers, or its words
// if speakers were not requested. Sentences and paragraphs are responses of their own.
func readAssemblyAI(doc Document) (list turn.List, language string, ok bool) {
	type segment struct {
		Start   scalar  `json:"start"`
		End     scalar  `json:"end"`
		Text    *string `json:"text"`
		Speaker scalar  `json:"speaker"`

		Words json.RawMessage `json:"words"`
	}
	for _, name := range []string{"utterances", "sentences", "paragraphs"} {
		if !doc.Has(name) {
			continue
		}
		list = turn.List{}
		unit := plausibleUnit(doc.members[name], clock.Milliseconds)
		ok = Each(doc.members[name], func(s segment) bool {
			if s.Text == nil || s.Start.text == "" {
				return false
			}
			for _, t := range splitByVoices(newTurn(unit, s.Speaker, *s.Text, s.Start, s.End), s.Words, unit) {
				list.Add(t)
			}
			return !list.Exceeded
		})
		if ok && len(list.Turns) > 0 || list.Exceeded {
			return list, doc.Text("language_code"), true
		}
	}
	list = turn.List{}
	if !doc.Has("words") || doc.Has("segments") || !doc.Has("text") {
		return list, "", false
	}
	unit := plausibleUnit(doc.members["words"], clock.Milliseconds)
	sentences := sentenceBuilder{list: &list, unit: unit}
	ok = Each(doc.members["words"], func(s segment) bool {
		if s.Text == nil {
			return false
		}
		sentences.add(*s.Text, s.Speaker, s.Start, s.End)
		return !list.Exceeded
	})
	sentences.finish()
	return list, doc.Text("language_code"), ok || list.Exceeded
}
