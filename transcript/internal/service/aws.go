package service

import (
	"cmp"
	"encoding/json"
	"slices"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// readAWSItems reads Amazon Transcribe's words. Newer files name the speaker of each word; older ones list
// the times of the words of each speaker, or have the words of each channel in a list of its own.
func readAWSItems(doc Document) (list turn.List, language string, ok bool) {
	results, ok := doc.inner("results")
	if !ok {
		return turn.List{}, "", false
	}
	language = doc.Text("language_code")
	if list, ok := readAWSChannels(results); ok {
		return list, language, true
	}
	voices := awsVoices(results)
	if len(voices) == 0 {
		ok = readSpeech(&list, results.members["items"], nil)
		return list, language, ok
	}
	words := sentenceBuilder{list: &list, unit: clock.Seconds}
	ok = Each(results.members["items"], func(s speechSegment) bool {
		if s.attaches() {
			words.attach(s.said())
			return true
		}
		text, who := s.said(), s.who()
		start, _ := s.start()
		if who.text == "" {
			who.text = voices[start.text]
		}
		words.add(text, who, start, s.end())
		return !list.Exceeded
	})
	words.finish()
	return list, language, ok && len(list.Turns) > 0 || list.Exceeded
}

// awsVoices returns the speakers of the words by the times at which these start.
func awsVoices(results Document) map[string]string {
	type item struct {
		Start   scalarOrNone `json:"start_time"`
		Speaker looseName    `json:"speaker_label"`
	}
	type segment struct {
		Items json.RawMessage `json:"items"`
	}
	labels, ok := results.inner("speaker_labels")
	if !ok {
		return nil
	}
	voices := map[string]string{}
	Each(labels.members["segments"], func(s segment) bool {
		Each(s.Items, func(i item) bool {
			voices[i.Start.text] = i.Speaker.text
			return len(voices) <= turn.Max
		})
		return len(voices) <= turn.Max
	})
	return voices
}

// readAWSChannels reads the words of two or more channels: people who talk at the same time each have one.
func readAWSChannels(results Document) (list turn.List, ok bool) {
	type channel struct {
		Label looseName       `json:"channel_label"`
		Items json.RawMessage `json:"items"`
	}
	labels, ok := results.inner("channel_labels")
	if !ok {
		return turn.List{}, false
	}
	channels := 0
	Each(labels.members["channels"], func(c channel) bool {
		before := len(list.Turns)
		if readSpeech(&list, c.Items, nil) {
			channels++
		}
		for i := before; i < len(list.Turns); i++ {
			list.Turns[i].Speaker = cmp.Or(list.Turns[i].Speaker, c.Label.text)
		}
		return channels < maxChannels && !list.Exceeded
	})
	slices.SortStableFunc(list.Turns, func(a, b turn.Turn) int { return cmp.Compare(a.Start, b.Start) })
	return list, channels > 1
}

// readAWSCalls reads the turns of Amazon's Call Analytics and Contact Lens, which name people by their roles.
func readAWSCalls(doc Document) (list turn.List, language string, ok bool) {
	type participant struct {
		ID   looseName `json:"ParticipantId"`
		Role looseName `json:"ParticipantRole"`
	}
	type segment struct {
		participant

		Name    looseName    `json:"DisplayName"`
		Content looseText    `json:"Content"`
		At      looseText    `json:"AbsoluteTime"` // in chats
		Start   scalarOrNone `json:"BeginOffsetMillis"`
		End     scalarOrNone `json:"EndOffsetMillis"`
	}
	roles := map[string]string{}
	Each(doc.members["Participants"], func(p participant) bool {
		if p.ID.text != "" {
			roles[p.ID.text] = p.Role.text
		}
		return len(roles) < plain.MaxLabels
	})
	named, unit := 0, sinceFirst(clock.Milliseconds)
	ok = Each(doc.members["Transcript"], func(s segment) bool {
		who := cmp.Or(s.Name.text, s.Role.text, roles[s.ID.text], s.ID.text)
		if s.Content.text == "" {
			return true // somebody joins or leaves
		}
		if who != "" {
			named++
		}
		start := cmp.Or(s.Start.text, s.At.text)
		list.Add(newTurn(unit, scalar{who}, s.Content.text, scalar{start}, scalar{s.End.text}))
		return !list.Exceeded
	})
	return list, doc.Text("LanguageCode"), ok && named > 0 || list.Exceeded
}
