package service

import (
	"cmp"
	"encoding/json"

	"research/transcript/internal/clock"
	"research/transcript/internal/turn"
)

// readSegmentation reads the words of BBC Kaldi, which editors of transcripts (octo, DPE, autoEdit) also
// have, beside a segmentation by speakers: each segment has a start, a duration and the id of a speaker.
func readSegmentation(doc Document) (list turn.List, language string, ok bool) {
	if inner, found := doc.inner("retval"); found {
		doc = inner
	}
	segmentation, found := doc.inner("segmentation")
	if !found {
		segmentation, found = doc.inner("speakers")
	}
	if !found || !isList(doc.members["words"]) {
		return turn.List{}, "", false
	}
	segments := voiceSegments(segmentation.members["segments"])
	if len(segments) == 0 {
		return turn.List{}, "", false
	}
	type word struct {
		Punct looseText `json:"punct"`
		Word  looseText `json:"word"`
		Text  looseText `json:"text"`
		Start scalar    `json:"start"`
		End   scalar    `json:"end"`
	}
	sentences := sentenceBuilder{list: &list, unit: clock.Seconds}
	at := 0
	ok = Each(doc.members["words"], func(w word) bool {
		start, _ := clock.Seconds(w.Start.text)
		for at+1 < len(segments) && segments[at+1].Start <= start {
			at++
		}
		sentences.add(cmp.Or(w.Punct.text, w.Word.text, w.Text.text), scalar{segments[at].Speaker}, w.Start, w.End)
		return !list.Exceeded
	})
	sentences.finish()
	return list, doc.Text("language"), ok && len(list.Turns) > 0 || list.Exceeded
}

// voiceSegments returns the speakers of a segmentation, in the order of the file.
func voiceSegments(raw json.RawMessage) []turn.Turn {
	type segment struct {
		Start   scalar `json:"start"`
		Speaker struct {
			ID scalarOrNone `json:"@id"`
		} `json:"speaker"`
	}
	var found []turn.Turn
	whole := Each(raw, func(s segment) bool {
		start, timed := clock.Seconds(s.Start.text)
		found = append(found, turn.Turn{Speaker: s.Speaker.ID.text, Start: start})
		return timed && s.Speaker.ID.text != "" && len(found) <= turn.Max
	})
	if !whole {
		return nil
	}
	return found
}
