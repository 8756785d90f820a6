package service

import (
	"research/transcript/internal/clock"
	"research/transcript/internal/turn"
)

// readFireflies reads Fireflies' sentences, in seconds: as its API returns them ({"data": {"transcript":
// {"sentences": […]}}}, or an inner part of that) and as its page exports them (an array with "sentence",
// "startTime" and "endTime").
func readFireflies(doc Document) (list turn.List, language string, ok bool) {
	for range 2 {
		for _, name := range []string{"data", "transcript"} {
			if inner, found := doc.inner(name); found {
				doc = inner
			}
		}
	}
	bare := doc.list != nil
	sentences := doc.list
	if !bare {
		if !doc.Has("sentences") {
			return list, "", false
		}
		sentences = doc.members["sentences"]
	}
	unit := plausibleUnit(sentences, clock.Seconds)
	ok = Each(sentences, func(s firefliesSentence) bool {
		text := s.text()
		if text == nil || bare && !s.isDistinct() {
			return false
		}
		list.Add(s.turn(*text, unit))
		return !list.Exceeded
	})
	return list, "", (ok || list.Exceeded) && len(list.Turns) > 0
}

type firefliesSentence struct {
	Text      *string `json:"text"`
	Raw       *string `json:"raw_text"`
	Sentence  *string `json:"sentence"`
	Speaker   *string `json:"speaker_name"`
	SpeakerID scalar  `json:"speaker_id"`
	Start     scalar  `json:"start_time"`
	End       scalar  `json:"end_time"`
	From      scalar  `json:"startTime"`
	To        scalar  `json:"endTime"`
}

func (s firefliesSentence) text() *string {
	switch {
	case s.Text != nil:
		return s.Text
	case s.Sentence != nil:
		return s.Sentence
	}
	return s.Raw
}

// isDistinct reports whether a sentence has members that only Fireflies uses: a bare array may be another
// service's.
func (s firefliesSentence) isDistinct() bool {
	named := s.Speaker != nil && (s.Start.text != "" || s.From.text != "") ||
		s.SpeakerID.text != "" && s.Start.text != ""
	return s.Sentence != nil || s.Raw != nil || named
}

func (s firefliesSentence) turn(text string, unit clock.Unit) turn.Turn {
	speaker := s.SpeakerID
	if s.Speaker != nil && *s.Speaker != "" {
		speaker = scalar{*s.Speaker}
	}
	start, end := s.Start, s.End
	if _, ok := clock.Seconds(start.text); !ok {
		start = s.From
	}
	if _, ok := clock.Seconds(end.text); !ok {
		end = s.To
	}
	return newTurn(unit, speaker, text, start, end)
}
