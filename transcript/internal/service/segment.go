package service

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// Most services return a list of segments. They disagree about the names of its members, and about which of
// them contain others. A speechSegment has the names of all.
type speechSegment struct {
	Text       looseText `json:"text"`
	Transcript looseText `json:"transcript"`
	Content    looseText `json:"content"`
	Sentence   looseText `json:"sentence"`
	Body       looseText `json:"body"`
	Display    looseText `json:"display"`
	Punctuated looseText `json:"punctuated_word"`
	Word       looseText `json:"word"`
	Value      looseText `json:"value"`
	Utterance  looseText `json:"utterance"`
	Quote      looseText `json:"quote"`
	Message    looseText `json:"message"`
	Line       looseText `json:"line"`
	Speech     looseText `json:"speech"`
	Said       looseText `json:"said"`
	Say        looseText `json:"say"`
	Says       looseText `json:"says"`

	Speaker      looseName `json:"speaker"`
	SpeakerName  looseName `json:"speaker_name"`
	SpeakerInfo  looseName `json:"speaker_info"`
	NameOfVoice  looseName `json:"speakerName"`
	SpeakerLabel looseName `json:"speaker_label"`
	LabelOfVoice looseName `json:"speakerLabel"`
	ChannelLabel looseName `json:"channel_label"`
	Designation  looseName `json:"speakerDesignation"`
	SpeakerTag   looseName `json:"speakerTag"`
	SpeakerID    looseName `json:"speaker_id"`
	IDOfVoice    looseName `json:"speakerId"`
	Participant  looseName `json:"participant"`
	From         looseName `json:"from"`
	Who          looseName `json:"who"`
	DisplayName  looseName `json:"speakerDisplayName"`
	NameOfGuest  looseName `json:"participantName"`
	Username     looseName `json:"username"`
	Users        looseName `json:"users"`
	Source       looseName `json:"source"`
	Character    looseName `json:"character"`
	Person       looseName `json:"person"`
	Author       looseName `json:"author"`
	Sender       looseName `json:"sender"`
	Role         looseName `json:"role"`
	Name         looseName `json:"name"`

	Start          looseTime `json:"start"`
	StartTime      looseTime `json:"start_time"`
	TimeOfStart    looseTime `json:"startTime"`
	StartOffset    looseTime `json:"startOffset"`
	StartTimestamp looseTime `json:"start_timestamp"`
	Timestamp      looseTime `json:"timestamp"`
	Offset         looseTime `json:"offset"`
	TS             looseTime `json:"ts"`

	Begin looseTime `json:"begin"`

	End          looseTime `json:"end"`
	To           looseTime `json:"to"`
	EndTime      looseTime `json:"end_time"`
	TimeOfEnd    looseTime `json:"endTime"`
	EndOffset    looseTime `json:"endOffset"`
	EndTimestamp looseTime `json:"end_timestamp"`
	EndTS        looseTime `json:"end_ts"`
	Stop         looseTime `json:"stop"`
	Duration     looseTime `json:"duration"`

	StartMS    scalarOrNone `json:"start_ms"`
	MSOfStart  scalarOrNone `json:"startMs"`
	OffsetMS   scalarOrNone `json:"offsetMilliseconds"`
	EndMS      scalarOrNone `json:"end_ms"`
	MSOfEnd    scalarOrNone `json:"endMs"`
	DurationMS scalarOrNone `json:"durationMilliseconds"`

	Words        json.RawMessage `json:"words"`
	Elements     json.RawMessage `json:"elements"`
	Sentences    json.RawMessage `json:"sentences"`
	Blocks       json.RawMessage `json:"text_blocks"`
	Alternatives json.RawMessage `json:"alternatives"`
	Best         json.RawMessage `json:"nBest"`

	Type looseText `json:"type"`
}

// ownText returns the text of a segment.
func (s *speechSegment) ownText() string {
	var words looseText // Read AI has a text there
	if len(s.Words) > 0 && s.Words[0] == '"' {
		_ = words.UnmarshalJSON(s.Words) // it is a string
	}
	for _, t := range []looseText{
		s.Text, s.Transcript, s.Content, s.Sentence, s.Body, s.Display, s.Punctuated, s.Word, s.Value, s.Utterance,
		s.Quote, s.Message, s.Line, s.Speech, s.Said, s.Say, s.Says, words,
	} {
		if t.text != "" {
			return t.text
		}
	}
	return ""
}

// said returns the text of a segment, or that of its best alternative.
func (s *speechSegment) said() string {
	if text := s.ownText(); text != "" {
		return text
	}
	for _, alternatives := range []json.RawMessage{s.Alternatives, s.Best} {
		var best speechSegment
		Each(alternatives, func(a speechSegment) bool {
			best = a
			return false // the first one is the best
		})
		if text := best.ownText(); text != "" {
			s.Speaker.text = cmp.Or(s.Speaker.text, best.Speaker.text)
			return text
		}
	}
	return ""
}

// who returns the speaker of a segment. Names come before numbers.
func (s *speechSegment) who() scalar {
	return scalar{cmp.Or(s.SpeakerName.text, s.NameOfVoice.text, s.DisplayName.text, s.NameOfGuest.text,
		s.SpeakerInfo.text, s.Speaker.text, s.Who.text, s.Participant.text, s.SpeakerLabel.text,
		s.LabelOfVoice.text, s.Designation.text, s.SpeakerTag.text, s.SpeakerID.text, s.IDOfVoice.text, s.From.text,
		s.Username.text, s.Users.text, s.Source.text, s.Character.text, s.Person.text, s.Author.text,
		s.Sender.text, s.Role.text, s.Name.text, s.ChannelLabel.text)}
}

// isRange reports whether "from" and "to" are times.
func (s *speechSegment) isRange() bool {
	from, fromErr := strconv.ParseFloat(s.From.text, 64)
	to, toErr := strconv.ParseFloat(s.To.text, 64)
	return fromErr == nil && toErr == nil && to >= from && s.who().text != s.From.text
}

// start returns the time of a segment, which is in seconds if its unit is declared.
func (s *speechSegment) start() (at scalar, declared bool) {
	if ms := cmp.Or(s.OffsetMS.text, s.StartMS.text, s.MSOfStart.text); ms != "" {
		return millisecondsAsSeconds(ms), true
	}
	at = scalar{cmp.Or(s.Start.text, s.StartTime.text, s.TimeOfStart.text, s.StartOffset.text,
		s.StartTimestamp.text, s.Timestamp.text, s.Offset.text, s.TS.text, s.Begin.text)}
	if at.text == "" && s.isRange() {
		at.text = s.From.text
	}
	return at, false
}

// end returns the end of a segment, or what its duration makes of it.
func (s *speechSegment) end() scalar {
	if ms := cmp.Or(s.EndMS.text, s.MSOfEnd.text); ms != "" {
		return millisecondsAsSeconds(ms)
	}
	if s.DurationMS.text != "" {
		start, startErr := strconv.ParseFloat(cmp.Or(s.OffsetMS.text, s.StartMS.text), 64)
		length, lengthErr := strconv.ParseFloat(s.DurationMS.text, 64)
		if startErr == nil && lengthErr == nil {
			return millisecondsAsSeconds(strconv.FormatFloat(start+length, 'f', -1, 64))
		}
	}
	end := cmp.Or(s.End.text, s.EndTime.text, s.TimeOfEnd.text, s.EndOffset.text, s.EndTimestamp.text,
		s.EndTS.text, s.Stop.text, s.Timestamp.end)
	if end == "" && s.isRange() {
		end = s.To.text
	}
	if end == "" && s.Duration.text != "" {
		from, _ := s.start()
		start, startErr := strconv.ParseFloat(strings.TrimSuffix(from.text, "s"), 64)
		length, lengthErr := strconv.ParseFloat(strings.TrimSuffix(s.Duration.text, "s"), 64)
		if startErr == nil && lengthErr == nil {
			end = strconv.FormatFloat(start+length, 'f', -1, 64)
		}
	}
	return scalar{end}
}

func millisecondsAsSeconds(ms string) scalar {
	n, err := strconv.ParseFloat(ms, 64)
	if err != nil {
		return scalar{}
	}
	return scalar{strconv.FormatFloat(n/1000, 'f', -1, 64)}
}

// parts returns the list of words or sentences that a segment without a text of its own has.
func (s *speechSegment) parts() json.RawMessage {
	for _, list := range []json.RawMessage{s.Elements, s.Words, s.Sentences, s.Blocks} {
		if len(list) > 0 && list[0] == '[' {
			return list
		}
	}
	return nil
}

// isWord reports whether a segment is a word, a punctuation mark or a space among words.
func (s *speechSegment) isWord() bool {
	switch s.Type.text {
	case "word", "pronunciation", "punctuation", "punct", "spacing", "audio_event":
		return true
	}
	return s.Word.text != "" || s.Punctuated.text != ""
}

// attaches reports whether a segment continues the word before it: a punctuation mark.
func (s *speechSegment) attaches() bool {
	return s.Type.text == "punctuation" || s.Type.text == "punct"
}

// readSpeech reads a list of segments. It returns false for a list of anything else.
func readSpeech(list *turn.List, raw json.RawMessage, names map[string]string) bool {
	found := false
	unit := sinceFirst(plausibleUnit(raw, clock.Seconds))
	words := sentenceBuilder{list: list, unit: unit}
	ok := Each(raw, func(s speechSegment) bool {
		text := s.said()
		who := s.who()
		if name := names[who.text]; name != "" {
			who.text = name
		}
		start, declared := s.start()
		switch {
		case s.isWord():
			found = found || !plain.IsBlank(text)
			if s.attaches() {
				words.attach(text)
			} else if s.Type.text != "spacing" {
				words.add(text, who, start, s.end())
			}
		case text == "" && s.parts() != nil:
			words.finish()
			found = readParts(list, s.parts(), who) || found
		default:
			words.finish()
			found = found || text != ""
			turnUnit := unit
			if declared {
				turnUnit = clock.Seconds
			}
			for _, t := range splitByVoices(newTurn(turnUnit, who, text, start, s.end()), s.Words, unit) {
				if name := names[t.Speaker]; name != "" {
					t.Speaker = name
				}
				list.Add(t)
			}
		}
		return !list.Exceeded
	})
	words.finish()
	return found && ok || list.Exceeded
}

// readParts reads the words or sentences of one speaker.
func readParts(list *turn.List, raw json.RawMessage, who scalar) bool {
	unit := plausibleUnit(raw, clock.Seconds)
	words := sentenceBuilder{list: list, unit: unit}
	found := false
	Each(raw, func(s speechSegment) bool {
		text := s.said()
		start, declared := s.start()
		switch {
		case text == "" || plain.IsBlank(text):
		case s.attaches():
			words.attach(text)
		case strings.ContainsAny(strings.TrimSpace(text), " ") && !s.isWord():
			found = true
			words.finish()
			turnUnit := unit
			if declared {
				turnUnit = clock.Seconds
			}
			list.Add(newTurn(turnUnit, who, text, start, s.end()))
		default:
			found = true
			words.add(text, who, start, s.end())
		}
		return !list.Exceeded
	})
	words.finish()
	return found
}
