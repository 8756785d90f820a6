package transcript

import "encoding/json"

// readWhisper reads the JSON of Whisper and its kin: OpenAI's "verbose_json" and "diarized_json", openai-whisper, faster-whisper and
// WhisperX ("segments", or a bare list of them; seconds; WhisperX adds speakers), and whisper.cpp ("transcription", whose
// offsets are milliseconds).
func readWhisper(doc document) (ts turns, language string, ok bool) {
	type segment struct {
		Start   value   `json:"start"`
		End     value   `json:"end"`
		Text    *string `json:"text"`
		Speaker value   `json:"speaker"`
	}
	take := func(s segment) bool {
		if s.Text == nil {
			return false
		}
		start, timed := s.Start.seconds()
		end, ended := s.End.seconds()
		ts.add(s.Speaker.turn(*s.Text, start, end, timed, ended))
		return !ts.full
	}
	if doc.list != nil {
		ok = each(doc.list, take)
		return ts, "", (ok || ts.full) && len(ts.list) > 0
	}
	if doc.has("transcription") {
		type line struct {
			Offsets struct {
				From value `json:"from"`
				To   value `json:"to"`
			} `json:"offsets"`
			Text *string `json:"text"`
		}
		ok = each(doc.members["transcription"], func(l line) bool {
			if l.Text == nil {
				return false
			}
			start, timed := l.Offsets.From.milliseconds()
			end, ended := l.Offsets.To.milliseconds()
			ts.add(value{}.turn(*l.Text, start, end, timed, ended))
			return !ts.full
		})
		if result, found := doc.inner("result"); found {
			language = result.text("language")
		}
		return ts, language, ok || ts.full
	}
	if !doc.has("segments") {
		// "json" as the response format leaves the text alone.
		if !doc.has("text") || doc.others > 0 {
			return ts, "", false
		}
		var text string
		if json.Unmarshal(doc.members["text"], &text) != nil {
			return ts, "", false
		}
		prose(&ts, normalise(text))
		return ts, doc.text("language"), true
	}
	ok = each(doc.members["segments"], take)
	return ts, doc.text("language"), ok || ts.full
}
