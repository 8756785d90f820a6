package service

import (
	"encoding/json"

	"research/transcript/internal/boilerplate"
	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// readWhisper reads the JSON of Whisper's implementations: OpenAI's "verbose_json" and "diarized_json",
// openai-whisper, faster-whisper and WhisperX ("segments" or a bare array of them, in seconds; WhisperX and
// diarized_json with speakers), and whisper.cpp ("transcription", in milliseconds). OpenAI's "json" has only
// the text.
func readWhisper(doc Document) (list turn.List, language string, ok bool) {
	switch {
	case doc.list != nil:
		list, ok = readWhisperSegments(doc.list)
		return list, "", ok && len(list.Turns) > 0
	case doc.Has("transcription"):
		return readWhisperCPP(doc)
	case doc.Has("segments"):
		list, ok = readWhisperSegments(doc.members["segments"])
		return list, doc.Text("language"), ok
	case !doc.Has("text") || !isWhisperText(doc):
		return list, "", false
	}
	var text string
	if json.Unmarshal(doc.members["text"], &text) != nil {
		return list, "", false
	}
	boilerplate.AddParagraphs(&list, plain.UnifyLineBreaks(text))
	return list, doc.Text("language"), true
}

// isWhisperText reports whether an object has a text and nothing that Whisper does not write beside it.
func isWhisperText(doc Document) bool {
	for name := range doc.members {
		switch name {
		case "text", "task", "language", "duration", "words", "segments", "logprobs", "usage":
		default:
			return false
		}
	}
	return true
}

func readWhisperSegments(raw json.RawMessage) (list turn.List, ok bool) {
	type segment struct {
		Start   scalar  `json:"start"`
		End     scalar  `json:"end"`
		Text    *string `json:"text"`
		Speaker scalar  `json:"speaker"`

		Words json.RawMessage `json:"words"`
	}
	unit := plausibleUnit(raw, clock.Seconds)
	ok = Each(raw, func(s segment) bool {
		if s.Text == nil {
			return false
		}
		for _, t := range splitByVoices(newTurn(unit, s.Speaker, *s.Text, s.Start, s.End), s.Words, unit) {
			list.Add(t)
		}
		return !list.Exceeded
	})
	return list, ok || list.Exceeded
}

func readWhisperCPP(doc Document) (list turn.List, language string, ok bool) {
	type segment struct {
		Offsets struct {
			From scalar `json:"from"`
			To   scalar `json:"to"`
		} `json:"offsets"`
		Text *string `json:"text"`
	}
	ok = Each(doc.members["transcription"], func(s segment) bool {
		if s.Text == nil {
			return false
		}
		list.Add(newTurn(clock.Milliseconds, scalar{}, *s.Text, s.Offsets.From, s.Offsets.To))
		return !list.Exceeded
	})
	if result, found := doc.inner("result"); found {
		language = result.Text("language")
	}
	return list, language, ok || list.Exceeded
}
