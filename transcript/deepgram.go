package transcript

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
)

// readDeepgram reads Deepgram's "results": utterances if they were asked for, else the sentences of the paragraphs, else the
// words, else the bare transcript; in seconds, with speakers numbered from 0.
func readDeepgram(doc document) (ts turns, language string, ok bool) {
	results, found := doc.inner("results")
	if !found || !results.has("utterances") && !results.has("channels") {
		return ts, "", false
	}
	type utterance struct {
		Start      value   `json:"start"`
		End        value   `json:"end"`
		Transcript *string `json:"transcript"`
		Speaker    value   `json:"speaker"`
		Channel    value   `json:"channel"`
	}
	type channel struct {
		Language     string          `json:"detected_language"`
		Alternatives json.RawMessage `json:"alternatives"`
	}
	type alternative struct {
		Transcript string          `json:"transcript"`
		Words      json.RawMessage `json:"words"`
		Paragraphs struct {
			Paragraphs json.RawMessage `json:"paragraphs"`
		} `json:"paragraphs"`
	}
	var channels []channel
	each(results.members["channels"], func(c channel) bool {
		channels = append(channels, c)
		return len(channels) < 32
	})
	if len(channels) > 0 {
		language = channels[0].Language
	}
	if results.has("utterances") {
		ok = each(results.members["utterances"], func(u utterance) bool {
			if u.Transcript == nil {
				return false
			}
			start, timed := u.Start.seconds()
			end, ended := u.End.seconds()
			t := u.Speaker.turn(*u.Transcript, start, end, timed, ended)
			if t.speaker == "" && len(channels) > 1 {
				t.speaker = "Channel " + u.Channel.text
			}
			ts.add(t)
			return !ts.full
		})
		if ok && len(ts.list) > 0 || ts.full {
			return ts, language, true
		}
		ts = turns{}
	}
	type paragraph struct {
		Speaker   value           `json:"speaker"`
		Sentences json.RawMessage `json:"sentences"`
	}
	type line struct {
		Text  string `json:"text"`
		Start value  `json:"start"`
		End   value  `json:"end"`
	}
	type spoken struct {
		Word       string `json:"word"`
		Punctuated string `json:"punctuated_word"`
		Start      value  `json:"start"`
		End        value  `json:"end"`
		Speaker    value  `json:"speaker"`
	}
	for i, c := range channels {
		var best alternative // the first one
		each(c.Alternatives, func(a alternative) bool {
			best = a
			return false
		})
		before := len(ts.list)
		each(best.Paragraphs.Paragraphs, func(p paragraph) bool {
			each(p.Sentences, func(l line) bool {
				start, timed := l.Start.seconds()
				end, ended := l.End.seconds()
				ts.add(p.Speaker.turn(l.Text, start, end, timed, ended))
				return !ts.full
			})
			return !ts.full
		})
		build := sentence{ts: &ts}
		if len(ts.list) > before {
			best.Words, best.Transcript = nil, ""
		}
		each(best.Words, func(w spoken) bool {
			if w.Punctuated == "" {
				w.Punctuated = w.Word
			}
			start, timed := w.Start.seconds()
			end, _ := w.End.seconds()
			build.add(word{text: w.Punctuated, speaker: w.Speaker, start: start, end: end, timed: timed})
			return !ts.full
		})
		build.end()
		if len(ts.list) == before {
			prose(&ts, normalise(best.Transcript))
		}
		for j := before; j < len(ts.list) && len(channels) > 1; j++ {
			if ts.list[j].speaker == "" {
				ts.list[j].speaker = "Channel " + strconv.Itoa(i)
			}
		}
	}
	if len(channels) > 1 {
		// Each channel has its own order; together they are a conversation.
		slices.SortStableFunc(ts.list, func(a, b turn) int { return cmp.Compare(a.start, b.start) })
	}
	return ts, language, true
}
