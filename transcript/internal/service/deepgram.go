package service

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	"research/transcript/internal/boilerplate"
	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// readDeepgram reads Deepgram's results, in seconds, with speakers numbered from 0: the utterances if they
// were requested, else what the channels have.
func readDeepgram(doc Document) (list turn.List, language string, ok bool) {
	results, found := doc.inner("results")
	if !found || !results.Has("utterances") && !results.Has("channels") {
		return list, "", false
	}
	channels := readDeepgramChannels(results)
	if len(channels) > 0 {
		language = channels[0].Language
	}
	if results.Has("utterances") {
		if list, ok := readDeepgramUtterances(results, len(channels)); ok {
			return list, language, true
		}
	}
	for i, c := range channels {
		before := len(list.Turns)
		c.addTurns(&list)
		for j := before; j < len(list.Turns) && len(channels) > 1; j++ {
			if list.Turns[j].Speaker == "" {
				list.Turns[j].Speaker = channelName(strconv.Itoa(i))
			}
		}
	}
	if len(channels) > 1 {
		// Each channel has its own order; together they are a conversation.
		slices.SortStableFunc(list.Turns, func(a, b turn.Turn) int { return cmp.Compare(a.Start, b.Start) })
	}
	return list, language, true
}

func channelName(number string) string { return "Channel " + number }

// readDeepgramUtterances returns false if there are no utterances.
func readDeepgramUtterances(results Document, channels int) (list turn.List, ok bool) {
	type utterance struct {
		Start      scalar  `json:"start"`
		End        scalar  `json:"end"`
		Transcript *string `json:"transcript"`
		Speaker    scalar  `json:"speaker"`
		Channel    scalar  `json:"channel"`

		Words json.RawMessage `json:"words"`
	}
	ok = Each(results.members["utterances"], func(u utterance) bool {
		if u.Transcript == nil {
			return false
		}
		t := newTurn(clock.Seconds, u.Speaker, *u.Transcript, u.Start, u.End)
		if t.Speaker == "" && channels > 1 {
			t.Speaker = channelName(u.Channel.text)
		}
		for _, part := range splitByVoices(t, u.Words, clock.Seconds) {
			list.Add(part)
		}
		return !list.Exceeded
	})
	return list, ok && len(list.Turns) > 0 || list.Exceeded
}

type deepgramChannel struct {
	Language     string          `json:"detected_language"`
	Alternatives json.RawMessage `json:"alternatives"`
}

type deepgramAlternative struct {
	Transcript string          `json:"transcript"`
	Words      json.RawMessage `json:"words"`
	Paragraphs struct {
		Paragraphs json.RawMessage `json:"paragraphs"`
	} `json:"paragraphs"`
}

const maxChannels = 32

func readDeepgramChannels(results Document) []deepgramChannel {
	var channels []deepgramChannel
	Each(results.members["channels"], func(c deepgramChannel) bool {
		channels = append(channels, c)
		return len(channels) < maxChannels
	})
	return channels
}

// addTurns adds the sentences of the channel's paragraphs, else its words, else its bare transcript.
func (c deepgramChannel) addTurns(list *turn.List) {
	var best deepgramAlternative
	Each(c.Alternatives, func(a deepgramAlternative) bool {
		best = a
		return false // the first one is the best
	})
	before := len(list.Turns)
	best.addSentences(list)
	if len(list.Turns) > before {
		return
	}
	best.addWords(list)
	if len(list.Turns) > before {
		return
	}
	boilerplate.AddParagraphs(list, plain.UnifyLineBreaks(best.Transcript))
}

func (a deepgramAlternative) addSentences(list *turn.List) {
	type paragraph struct {
		Speaker   scalar          `json:"speaker"`
		Sentences json.RawMessage `json:"sentences"`
	}
	type sentence struct {
		Text  string `json:"text"`
		Start scalar `json:"start"`
		End   scalar `json:"end"`
	}
	Each(a.Paragraphs.Paragraphs, func(p paragraph) bool {
		Each(p.Sentences, func(s sentence) bool {
			list.Add(newTurn(clock.Seconds, p.Speaker, s.Text, s.Start, s.End))
			return !list.Exceeded
		})
		return !list.Exceeded
	})
}

func (a deepgramAlternative) addWords(list *turn.List) {
	type word struct {
		Word       string `json:"word"`
		Punctuated string `json:"punctuated_word"`
		Start      scalar `json:"start"`
		End        scalar `json:"end"`
		Speaker    scalar `json:"speaker"`
	}
	sentences := sentenceBuilder{list: list, unit: clock.Seconds}
	Each(a.Words, func(w word) bool {
		sentences.add(cmp.Or(w.Punctuated, w.Word), w.Speaker, w.Start, w.End)
		return !list.Exceeded
	})
	sentences.finish()
}
