package transcript_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// A jsonTurn is a turn as the services have it: with a number for its speaker, and with words.
type serviceTurn struct {
	said

	index int
}

type timedWord struct {
	text       string
	start, end time.Duration
}

// words divides a turn into words of equal length.
func (s serviceTurn) words() []timedWord {
	fields := strings.Fields(s.text)
	length := (s.end - s.start) / time.Duration(len(fields))
	var words []timedWord
	for i, f := range fields {
		at := s.start + time.Duration(i)*length
		words = append(words, timedWord{f, at, at + length})
	}
	return words
}

// wordObjects returns an object for each word.
func (s serviceTurn) wordObjects(word func(timedWord) object) []object {
	var list []object
	for _, w := range s.words() {
		list = append(list, word(w))
	}
	return list
}

func encodeJSON(v any) []byte {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return out
}

// eachServiceTurn writes a document with an object for each turn.
func eachServiceTurn(turn func(s serviceTurn) object, document func(list []object) any) func([]said) []byte {
	return func(turns []said) []byte {
		var list []object
		for _, s := range numberTurns(turns) {
			list = append(list, turn(s))
		}
		return encodeJSON(document(list))
	}
}

// eachServiceWord writes a document with objects for the words of all turns.
func eachServiceWord(
	words func(s serviceTurn) []object, document func(list []object) any,
) func([]said) []byte {
	return func(turns []said) []byte {
		var list []object
		for _, s := range numberTurns(turns) {
			list = append(list, words(s)...)
		}
		return encodeJSON(document(list))
	}
}

func numberTurns(turns []said) []serviceTurn {
	indexes := map[string]int{}
	var numbered []serviceTurn
	for _, s := range turns {
		if _, known := indexes[s.speaker]; !known {
			indexes[s.speaker] = len(indexes)
		}
		s.text = oneLine(s.text)
		numbered = append(numbered, serviceTurn{s, indexes[s.speaker]})
	}
	return numbered
}

// member returns a function that puts a list into an object with other members.
func member(name string, others object) func([]object) any {
	return func(list []object) any {
		document := object{name: list}
		for k, v := range others {
			document[k] = v
		}
		return document
	}
}

func bare(list []object) any { return list }

func speakerNumber(_ string, index int) string { return fmt.Sprintf("Speaker %d", index) }

func namedBy(format string) func(string, int) string {
	return func(_ string, index int) string { return fmt.Sprintf(format, index) }
}

// numberedIfShort is what becomes of labels in places where services have numbers.
func numberedIfShort(label string, _ int) string {
	if len(label) == 1 {
		return "Speaker " + label
	}
	return label
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3fs", d.Seconds()) }

// serviceLayouts are the JSON of services and models.
var serviceLayouts = []corpusLayout{
	{"WhisperX", timed, eachServiceTurn(func(s serviceTurn) object {
		return object{"start": s.start.Seconds(), "end": s.end.Seconds(), "text": " " + s.text,
			"speaker": s.speaker}
	}, member("segments", object{"language": "en"})), numberedIfShort, ""},
	{"bare list in milliseconds", timed, eachServiceTurn(func(s serviceTurn) object {
		return object{
			"start": s.start.Milliseconds(), "end": s.end.Milliseconds(), "text": s.text, "speaker": s.speaker,
		}
	}, bare), numberedIfShort, ""},
	{"AssemblyAI", timed, eachServiceTurn(func(s serviceTurn) object {
		return object{
			"start": s.start.Milliseconds(), "end": s.end.Milliseconds(), "text": s.text,
			"speaker": string(rune('A' + s.index)), "confidence": 0.9,
		}
	}, member("utterances", object{"id": "1", "text": "", "language_code": "en", "words": []int{}})),
		func(_ string, index int) string { return "Speaker " + string(rune('A'+index)) }, ""},
	{"Rev.ai", timed, eachServiceTurn(func(s serviceTurn) object {
		var elements []object
		for _, w := range s.words() {
			elements = append(elements,
				object{"type": "text", "value": w.text, "ts": w.start.Seconds(), "end_ts": w.end.Seconds()},
				object{"type": "punct", "value": " "})
		}
		return object{"speaker": s.index, "elements": elements}
	}, member("monologues", nil)), speakerNumber, ""},
	{"AWS items", timed, eachServiceWord(func(s serviceTurn) []object {
		return s.wordObjects(func(w timedWord) object {
			return object{
				"type": "pronunciation", "speaker_label": fmt.Sprintf("spk_%d", s.index),
				"alternatives": []object{{"confidence": "0.99", "content": w.text}},
				"start_time":   fmt.Sprintf("%.3f", w.start.Seconds()),
				"end_time":     fmt.Sprintf("%.3f", w.end.Seconds()),
			}
		})
	}, func(list []object) any {
		results := object{"items": list, "transcripts": []object{{"transcript": "all of it"}}}
		return object{"jobName": "a", "accountId": "1", "status": "COMPLETED", "results": results}
	}), namedBy("spk_%d"), ""},
	{"AWS segments", timed, eachServiceTurn(func(s serviceTurn) object {
		return object{
			"id": 1, "transcript": s.text, "speaker_label": fmt.Sprintf("spk_%d", s.index), "items": []int{1},
			"start_time": fmt.Sprintf("%.3f", s.start.Seconds()), "end_time": fmt.Sprintf("%.3f", s.end.Seconds()),
		}
	}, func(list []object) any {
		return object{"jobName": "a", "results": object{"audio_segments": list, "items": []object{}}}
	}), namedBy("spk_%d"), ""},
	{"Google", timed, eachServiceWord(func(s serviceTurn) []object {
		return s.wordObjects(func(w timedWord) object {
			return object{
				"word": w.text, "speakerTag": s.index + 1,
				"startTime": seconds(w.start), "endTime": seconds(w.end),
			}
		})
	}, func(list []object) any {
		return object{"results": []object{
			{"alternatives": []object{{"transcript": "all of it"}}},
			{"alternatives": []object{{"words": list}}, "languageCode": "en-us"},
		}}
	}), func(_ string, index int) string { return fmt.Sprintf("Speaker %d", index+1) }, ""},
	{"Google, version 2", timed, eachServiceWord(func(s serviceTurn) []object {
		return s.wordObjects(func(w timedWord) object {
			return object{
				"word": w.text, "speakerLabel": fmt.Sprint(s.index + 1),
				"startOffset": seconds(w.start), "endOffset": seconds(w.end),
			}
		})
	}, func(list []object) any {
		return object{"results": []object{{
			"alternatives": []object{{"transcript": "all of it", "words": list}}, "languageCode": "en-us",
		}}}
	}), func(_ string, index int) string { return fmt.Sprintf("Speaker %d", index+1) }, ""},
	{"Azure", timed, eachServiceTurn(func(s serviceTurn) object {
		return object{
			"channel": 0, "speaker": s.index, "offset": "PT" + strings.ToUpper(seconds(s.start)),
			"duration":      "PT" + strings.ToUpper(seconds(s.end-s.start)),
			"offsetInTicks": s.start.Nanoseconds() / 100, "durationInTicks": (s.end - s.start).Nanoseconds() / 100,
			"nBest": []object{{"confidence": 0.9, "lexical": "x", "display": s.text}, {"display": "y"}},
		}
	}, member("recognizedPhrases",
		object{"source": "a", "combinedRecognizedPhrases": []object{{"display": "x"}}})),
		speakerNumber, ""},
	{"Azure, fast", timed, eachServiceTurn(func(s serviceTurn) object {
		return object{
			"speaker": s.index, "offsetMilliseconds": s.start.Milliseconds(),
			"durationMilliseconds": (s.end - s.start).Milliseconds(), "text": s.text, "locale": "en-US",
			"words": []object{{"text": "x", "offsetMilliseconds": 3, "durationMilliseconds": 3}},
		}
	}, member("phrases", object{"durationMilliseconds": 1, "combinedPhrases": []object{{"text": "x"}}})),
		speakerNumber, ""},
	{"Speechmatics", timed, eachServiceWord(func(s serviceTurn) []object {
		return s.wordObjects(func(w timedWord) object {
			return object{
				"type": "word", "start_time": w.start.Seconds(), "end_time": w.end.Seconds(),
				"alternatives": []object{{"content": w.text, "speaker": fmt.Sprintf("S%d", s.index+1), "language": "en"}},
			}
		})
	}, member("results", object{"format": "2.9", "metadata": object{"type": "transcription"}})),
		func(_ string, index int) string { return fmt.Sprintf("S%d", index+1) }, ""},
	{"ElevenLabs", timed, eachServiceWord(func(s serviceTurn) []object {
		var list []object
		for _, w := range s.words() {
			speaker := fmt.Sprintf("speaker_%d", s.index)
			list = append(list,
				object{
					"text": w.text, "type": "word", "speaker_id": speaker,
					"start": w.start.Seconds(), "end": w.end.Seconds(),
				},
				object{
					"text": " ", "type": "spacing", "speaker_id": speaker,
					"start": w.end.Seconds(), "end": w.end.Seconds(),
				})
		}
		return list
	}, member("words", object{"language_code": "eng", "language_probability": 0.9, "text": "all of it"})),
		namedBy("speaker_%d"), ""},
	{"Gladia", timed, eachServiceTurn(func(s serviceTurn) object {
		return object{
			"text": s.text, "language": "en", "start": s.start.Seconds(), "end": s.end.Seconds(),
			"channel": 0, "speaker": s.index, "words": []object{{"word": "x", "start": 0.1, "end": 0.2}},
		}
	}, func(list []object) any {
		transcription := object{"full_transcript": "all of it", "languages": []string{"en"}, "utterances": list}
		return object{"id": "1", "status": "done", "result": object{"transcription": transcription}}
	}), speakerNumber, ""},
	{"Grain", timed, eachServiceTurn(func(s serviceTurn) object {
		return object{
			"participant_id": nil, "speaker": s.speaker, "text": s.text,
			"start": s.start.Milliseconds(), "end": s.end.Milliseconds(),
		}
	}, bare), numberedIfShort, ""},
	{"Fathom", timed, eachServiceTurn(func(s serviceTurn) object {
		return object{
			"speaker": object{"display_name": s.speaker, "matched_calendar_invitee_email": nil},
			"text":    s.text, "timestamp": clockS(s.start),
		}
	}, member("transcript", nil)), numberedIfShort, ""},
	{"tl;dv", timed, eachServiceTurn(func(s serviceTurn) object {
		return object{
			"speaker": s.speaker, "text": s.text, "startTime": s.start.Seconds(), "endTime": s.end.Seconds(),
		}
	}, member("data", object{"id": "1", "meetingId": "2"})), numberedIfShort, ""},
	{"Gong", timed, eachServiceTurn(func(s serviceTurn) object {
		return object{"speakerId": fmt.Sprintf("80324567%d", s.index), "topic": nil, "sentences": []object{
			{"start": s.start.Milliseconds(), "end": s.end.Milliseconds(), "text": s.text},
		}}
	}, func(list []object) any {
		return object{"requestId": "1", "callTranscripts": []object{{"callId": "7", "transcript": list}}}
	}), func(_ string, index int) string { return fmt.Sprintf("Speaker 80324567%d", index) }, ""},
	{"Recall", timed, eachServiceTurn(func(s serviceTurn) object {
		return object{
			"participant": object{"id": s.index, "name": s.speaker, "is_host": true},
			"words": s.wordObjects(func(w timedWord) object {
				return object{
					"text":            w.text,
					"start_timestamp": object{"relative": w.start.Seconds(), "absolute": "2024-03-05T10:02:15Z"},
					"end_timestamp":   object{"relative": w.end.Seconds(), "absolute": "2024-03-05T10:02:15Z"},
				}
			}),
		}
	}, bare), numberedIfShort, ""},
	{"Recall, old", timed, eachServiceTurn(func(s serviceTurn) object {
		return object{"speaker": s.speaker, "speaker_id": 1, "words": s.wordObjects(func(w timedWord) object {
			return object{"text": w.text, "start_timestamp": w.start.Seconds(), "end_timestamp": w.end.Seconds()}
		})}
	}, bare), numberedIfShort, ""},
	{"Sonix", timed, eachServiceTurn(func(s serviceTurn) object {
		return object{
			"speaker": s.speaker, "text": s.text, "start_time": s.start.Seconds(), "end_time": s.end.Seconds(),
			"words": []object{{"text": "x", "start_time": 0.1, "end_time": 0.2}},
		}
	}, member("transcript", object{"code": "1", "name": "a.mp3"})), numberedIfShort, ""},
	{"Amberscript", timed, func(turns []said) []byte {
		names := map[string]bool{}
		var segments, speakers []object
		for _, s := range numberTurns(turns) {
			id := fmt.Sprintf("spk%d", s.index)
			if !names[id] {
				names[id] = true
				speakers = append(speakers, object{"spkid": id, "name": s.speaker})
			}
			segments = append(segments, object{"speaker": id, "words": s.wordObjects(func(w timedWord) object {
				return object{
					"text": w.text, "start": w.start.Seconds(), "end": w.end.Seconds(), "duration": 0.4, "conf": 0.9,
				}
			})})
		}
		return encodeJSON(object{"id": "1", "recordId": "2", "segments": segments, "speakers": speakers})
	}, numberedIfShort, ""},
	{"Hugging Face", timed, eachServiceTurn(func(s serviceTurn) object {
		return object{
			"timestamp": []float64{s.start.Seconds(), s.end.Seconds()}, "text": s.text, "speaker": s.speaker,
		}
	}, member("chunks", object{"text": "all of it"})), numberedIfShort, ""},
	{"podcast namespace", timed, eachServiceTurn(func(s serviceTurn) object {
		return object{
			"speaker": s.speaker, "body": s.text, "startTime": s.start.Seconds(), "endTime": s.end.Seconds(),
		}
	}, member("segments", object{"version": "1.0.0"})), numberedIfShort, ""},
	{"Slack's JSON", clockTimed, eachServiceTurn(func(s serviceTurn) object {
		return object{
			"type": "message", "user": "U1", "user_profile": object{"real_name": s.speaker, "name": "x"},
			"text": s.text, "ts": fmt.Sprintf("%d.000100", corpusBase.Add(s.start).Unix()),
		}
	}, bare), nil, ""},
}
