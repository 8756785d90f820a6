package transcript_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// serviceStyles are the JSON of services and models.
var serviceStyles = styles{
	bakery: []style{
		{"WhisperX", "", lines, timed, eachServiceTurn(func(s serviceTurn) object {
			return object{"start": s.start.Seconds(), "end": s.end.Seconds(), "text": " " + s.text,
				"speaker": s.speaker}
		}, member("segments", object{"language": "en"})), numberedIfShort},
		{"bare list in milliseconds", "", lines, timed, eachServiceTurn(func(s serviceTurn) object {
			return object{
				"start": s.start.Milliseconds(), "end": s.end.Milliseconds(), "text": s.text, "speaker": s.speaker,
			}
		}, bare), numberedIfShort},
		{"AssemblyAI", "", lines, timed, eachServiceTurn(func(s serviceTurn) object {
			return object{
				"start": s.start.Milliseconds(), "end": s.end.Milliseconds(), "text": s.text,
				"speaker": string(rune('A' + s.index)), "confidence": 0.9,
			}
		}, member("utterances", object{"id": "1", "text": "", "language_code": "en", "words": []int{}})),
			func(_ string, index int) string { return "Speaker " + string(rune('A'+index)) }},
		{"Rev.ai", "", lines, timed, eachServiceTurn(func(s serviceTurn) object {
			var elements []object
			for _, w := range s.words() {
				elements = append(elements,
					object{"type": "text", "value": w.text, "ts": w.start.Seconds(), "end_ts": w.end.Seconds()},
					object{"type": "punct", "value": " "})
			}
			return object{"speaker": s.index, "elements": elements}
		}, member("monologues", nil)), speakerNumber},
		{"AWS items", "", lines, timed, eachServiceWord(func(s serviceTurn) []object {
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
		}), namedBy("spk_%d")},
		{"AWS segments", "", lines, timed, eachServiceTurn(func(s serviceTurn) object {
			return object{
				"id": 1, "transcript": s.text, "speaker_label": fmt.Sprintf("spk_%d", s.index), "items": []int{1},
				"start_time": fmt.Sprintf("%.3f", s.start.Seconds()), "end_time": fmt.Sprintf("%.3f", s.end.Seconds()),
			}
		}, func(list []object) any {
			return object{"jobName": "a", "results": object{"audio_segments": list, "items": []object{}}}
		}), namedBy("spk_%d")},
		{"Google", "", lines, timed, eachServiceWord(func(s serviceTurn) []object {
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
		}), func(_ string, index int) string { return fmt.Sprintf("Speaker %d", index+1) }},
		{"Google, version 2", "", lines, timed, eachServiceWord(func(s serviceTurn) []object {
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
		}), func(_ string, index int) string { return fmt.Sprintf("Speaker %d", index+1) }},
		{"Azure", "", lines, timed, eachServiceTurn(func(s serviceTurn) object {
			return object{
				"channel": 0, "speaker": s.index, "offset": "PT" + strings.ToUpper(seconds(s.start)),
				"duration":      "PT" + strings.ToUpper(seconds(s.end-s.start)),
				"offsetInTicks": s.start.Nanoseconds() / 100, "durationInTicks": (s.end - s.start).Nanoseconds() / 100,
				"nBest": []object{{"confidence": 0.9, "lexical": "x", "display": s.text}, {"display": "y"}},
			}
		}, member("recognizedPhrases",
			object{"source": "a", "combinedRecognizedPhrases": []object{{"display": "x"}}})), speakerNumber},
		{"Azure, fast", "", lines, timed, eachServiceTurn(func(s serviceTurn) object {
			return object{
				"speaker": s.index, "offsetMilliseconds": s.start.Milliseconds(),
				"durationMilliseconds": (s.end - s.start).Milliseconds(), "text": s.text, "locale": "en-US",
				"words": []object{{"text": "x", "offsetMilliseconds": 3, "durationMilliseconds": 3}},
			}
		}, member("phrases", object{"durationMilliseconds": 1, "combinedPhrases": []object{{"text": "x"}}})),
			speakerNumber},
		{"Speechmatics", "", lines, timed, eachServiceWord(func(s serviceTurn) []object {
			return s.wordObjects(func(w timedWord) object {
				return object{
					"type": "word", "start_time": w.start.Seconds(), "end_time": w.end.Seconds(),
					"alternatives": []object{{"content": w.text, "speaker": fmt.Sprintf("S%d", s.index+1),
						"language": "en"}},
				}
			})
		}, member("results", object{"format": "2.9", "metadata": object{"type": "transcription"}})),
			func(_ string, index int) string { return fmt.Sprintf("S%d", index+1) }},
		{"ElevenLabs", "", lines, timed, eachServiceWord(func(s serviceTurn) []object {
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
			namedBy("speaker_%d")},
		{"Gladia", "", lines, timed, eachServiceTurn(func(s serviceTurn) object {
			return object{
				"text": s.text, "language": "en", "start": s.start.Seconds(), "end": s.end.Seconds(),
				"channel": 0, "speaker": s.index, "words": []object{{"word": "x", "start": 0.1, "end": 0.2}},
			}
		}, func(list []object) any {
			transcription := object{"full_transcript": "all of it", "languages": []string{"en"}, "utterances": list}
			return object{"id": "1", "status": "done", "result": object{"transcription": transcription}}
		}), speakerNumber},
		{"Grain", "", lines, timed, eachServiceTurn(func(s serviceTurn) object {
			return object{
				"participant_id": nil, "speaker": s.speaker, "text": s.text,
				"start": s.start.Milliseconds(), "end": s.end.Milliseconds(),
			}
		}, bare), numberedIfShort},
		{"Fathom", "", lines, timed, eachServiceTurn(func(s serviceTurn) object {
			return object{
				"speaker": object{"display_name": s.speaker, "matched_calendar_invitee_email": nil},
				"text":    s.text, "timestamp": clockS(s.start),
			}
		}, member("transcript", nil)), numberedIfShort},
		{"tl;dv", "", lines, timed, eachServiceTurn(func(s serviceTurn) object {
			return object{
				"speaker": s.speaker, "text": s.text, "startTime": s.start.Seconds(), "endTime": s.end.Seconds(),
			}
		}, member("data", object{"id": "1", "meetingId": "2"})), numberedIfShort},
		{"Gong", "", lines, timed, eachServiceTurn(func(s serviceTurn) object {
			return object{"speakerId": fmt.Sprintf("80324567%d", s.index), "topic": nil, "sentences": []object{
				{"start": s.start.Milliseconds(), "end": s.end.Milliseconds(), "text": s.text},
			}}
		}, func(list []object) any {
			return object{"requestId": "1", "callTranscripts": []object{{"callId": "7", "transcript": list}}}
		}), func(_ string, index int) string { return fmt.Sprintf("Speaker 80324567%d", index) }},
		{"Recall", "", lines, timed, eachServiceTurn(func(s serviceTurn) object {
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
		}, bare), numberedIfShort},
		{"Recall, old", "", lines, timed, eachServiceTurn(func(s serviceTurn) object {
			return object{"speaker": s.speaker, "speaker_id": 1, "words": s.wordObjects(func(w timedWord) object {
				return object{"text": w.text, "start_timestamp": w.start.Seconds(), "end_timestamp": w.end.Seconds()}
			})}
		}, bare), numberedIfShort},
		{"Sonix", "", lines, timed, eachServiceTurn(func(s serviceTurn) object {
			return object{
				"speaker": s.speaker, "text": s.text, "start_time": s.start.Seconds(), "end_time": s.end.Seconds(),
				"words": []object{{"text": "x", "start_time": 0.1, "end_time": 0.2}},
			}
		}, member("transcript", object{"code": "1", "name": "a.mp3"})), numberedIfShort},
		{"Amberscript", "", lines, timed, func(turns []said) []byte {
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
		}, numberedIfShort},
		{"Hugging Face", "", lines, timed, eachServiceTurn(func(s serviceTurn) object {
			return object{
				"timestamp": []float64{s.start.Seconds(), s.end.Seconds()}, "text": s.text, "speaker": s.speaker,
			}
		}, member("chunks", object{"text": "all of it"})), numberedIfShort},
		{"podcast namespace", "", lines, timed, eachServiceTurn(func(s serviceTurn) object {
			return object{
				"speaker": s.speaker, "body": s.text, "startTime": s.start.Seconds(), "endTime": s.end.Seconds(),
			}
		}, member("segments", object{"version": "1.0.0"})), numberedIfShort},
		{"Slack's JSON", "", lines, clockTimed, eachServiceTurn(func(s serviceTurn) object {
			return object{
				"type": "message", "user": "U1", "user_profile": object{"real_name": s.speaker, "name": "x"},
				"text": s.text, "ts": fmt.Sprintf("%d.000100", meetingDay.Add(s.start).Unix()),
			}
		}, bare), nil},
	},
	stories: []style{
		{"insanely-fast-whisper", "numbered", lines, timed, eachServiceTurn(func(s serviceTurn) object {
			return object{"speaker": s.speaker, "timestamp": []float64{s.start.Seconds(), s.end.Seconds()},
				"text": " " + s.text}
		}, func(list []object) any { return object{"speakers": list, "chunks": list, "text": "…"} }), nil},
		{"VAPI", "roles", lines, timed, eachServiceTurn(func(s serviceTurn) object {
			return object{"role": s.speaker, "message": s.text, "secondsFromStart": s.start.Seconds(),
				"time": meetingDay.Add(s.start).UnixMilli()}
		}, func(list []object) any { return object{"messages": list} }), nil},
		{"chat of a model", "roles", lines, untimed, eachServiceTurn(func(s serviceTurn) object {
			return object{"role": s.speaker, "content": s.text}
		}, func(list []object) any { return list }), nil},
		{"lines of JSON", "people", lines, timed, func(turns []said) []byte {
			var b strings.Builder
			for _, s := range turns {
				b.Write(encodeJSON(object{"speaker": s.speaker, "start": s.start.Seconds(),
					"end": s.end.Seconds(), "text": s.text}))
				b.WriteByte('\n')
			}
			return []byte(b.String())
		}, nil},
		{"Zoom JSON", "people", lines, timed, eachServiceTurn(func(s serviceTurn) object {
			return object{"username": s.speaker, "ts": clockMS(s.start, "."),
				"end_ts": clockMS(s.end, "."), "text": s.text}
		}, func(list []object) any { return object{"timeline": list} }), nil},
	},
	ward: []style{
		{"JSON, clocks", "people", lines, timed, func(turns []said) []byte {
			return encodeJSON(object{"title": "Interview 7", "transcript": objectsOf(turns,
				func(_ int, s said) object {
					return object{"speaker": s.speaker, "text": s.text, "timestamp": clockS(s.start)}
				})})
		}, nil},
		{"JSON, who and content", "people", lines, timed, func(turns []said) []byte {
			return encodeJSON(object{"segments": objectsOf(turns, func(_ int, s said) object {
				return object{"from": s.start.Seconds(), "to": s.end.Seconds(), "who": s.speaker, "content": s.text}
			})})
		}, nil},
		{"JSON of Teams", "people", lines, timed, func(turns []said) []byte {
			return encodeJSON(object{"version": "1.0.0", "type": "Transcript",
				"entries": objectsOf(turns, func(i int, s said) object {
					return object{"id": fmt.Sprint(i), "speakerDisplayName": s.speaker, "speakerId": "x" +
						fmt.Sprint(indexOf(turns, s.speaker)), "text": s.text,
						"confidence": 0.8, "startOffset": clockMS(s.start, ".") + "0000", "endOffset": clockMS(s.end, ".") +
							"0000", "spokenLanguageTag": "en-us"}
				})})
		}, nil},
		{"JSON, ISO durations", "people", lines, timed, func(turns []said) []byte {
			return encodeJSON(object{"items": objectsOf(turns, func(_ int, s said) object {
				return object{"begin": iso(s.start), "end": iso(s.end), "speaker": object{"name": s.speaker},
					"text": s.text}
			})})
		}, nil},
		{"JSON, speakers apart", "people", lines, timed, func(turns []said) []byte {
			names := []object{}
			for _, s := range turns {
				if indexOf(turns, s.speaker) == len(names) {
					names = append(names, object{"id": len(names), "name": s.speaker})
				}
			}
			return encodeJSON(object{"speakers": names, "segments": objectsOf(turns, func(_ int, s said) object {
				return object{"speaker_id": indexOf(turns, s.speaker), "start": s.start.Seconds(),
					"end": s.end.Seconds(), "text": s.text}
			})})
		}, nil},
		{"JSON of Meet's API", "people", lines, clockTimed, func(turns []said) []byte {
			return encodeJSON(object{"transcriptEntries": objectsOf(turns, func(i int, s said) object {
				return object{"name": fmt.Sprintf("conferenceRecords/1/transcripts/2/entries/%d", i),
					"participant": "conferenceRecords/1/participants/" + s.speaker,
					"text":        s.text, "languageCode": "en-US", "startTime": stampAt(s.start,
						"2006-01-02T15:04:05.000Z"),
					"endTime": stampAt(s.end, "2006-01-02T15:04:05.000Z")}
			})})
		}, func(label string, _ int) string { return "conferenceRecords/1/participants/" + label }},
		{"JSON of Symbl", "people", lines, clockTimed, func(turns []said) []byte {
			return encodeJSON(object{"messages": objectsOf(turns, func(i int, s said) object {
				return object{"id": fmt.Sprint(i), "text": s.text, "from": object{"id": "u", "name": s.speaker,
					"email": "a@example.org"},
					"startTime": stampAt(s.start, "2006-01-02T15:04:05.000Z"), "endTime": stampAt(s.end,
						"2006-01-02T15:04:05.000Z"), "conversationId": "7"}
			})})
		}, nil},
		{"JSON, words in turns", "people", oneLiners, timed, func(turns []said) []byte {
			return encodeJSON(objectsOf(turns, func(_ int, s said) object {
				var words []object
				fields := strings.Fields(s.text)
				step := (s.end - s.start) / time.Duration(len(fields))
				for i, w := range fields {
					at := s.start + time.Duration(i)*step
					words = append(words, object{"word": w, "start_time": at.Seconds(), "end_time": (at + step).Seconds()})
				}
				return object{"speaker_name": s.speaker, "words": words}
			}))
		}, nil},
		{"JSON of Outset", "roles", lines, timed, func(turns []said) []byte {
			return encodeJSON(object{"interview": object{"turns": objectsOf(turns, func(_ int, s said) object {
				return object{"participantName": s.speaker, "startMs": s.start.Milliseconds(),
					"endMs": s.end.Milliseconds(), "transcript": s.text}
			})}})
		}, nil},
		{"JSON Lines, clocks", "numbered", lines, timed, func(turns []said) []byte {
			var b strings.Builder
			for _, s := range turns {
				line, err := json.Marshal(object{"spk": s.speaker, "ts": clockMS(s.start, "."), "txt": s.text})
				if err != nil {
					panic(err)
				}
				b.Write(append(line, '\n'))
			}
			return []byte(b.String())
		}, nil},
	},
	wardRare: []style{
		{"JSON, names and lines", "people", lines, untimed, func(turns []said) []byte {
			return encodeJSON(object{"dialogue": objectsOf(turns, func(_ int, s said) object {
				return object{"name": s.speaker, "line": s.text}
			})})
		}, nil},
		{"JSON, seconds as texts", "people", lines, timed, func(turns []said) []byte {
			return encodeJSON(object{"utterances": objectsOf(turns, func(_ int, s said) object {
				return object{"speaker": s.speaker, "text": s.text, "start_time": fmt.Sprintf("%.2fs", s.start.Seconds())}
			})})
		}, nil},
		{"JSON, a map of speakers", "people", lines, timed, func(turns []said) []byte {
			names := object{}
			for _, s := range turns {
				names[fmt.Sprint(indexOf(turns, s.speaker))] = s.speaker
			}
			return encodeJSON(object{"speakers": names, "segments": objectsOf(turns, func(_ int, s said) object {
				return object{"speaker": indexOf(turns, s.speaker), "start": s.start.Seconds(), "end": s.end.Seconds(),
					"text": s.text}
			})})
		}, nil},
		{"JSON, nanoseconds", "people", lines, timed, func(turns []said) []byte {
			return encodeJSON(object{"segments": objectsOf(turns, func(_ int, s said) object {
				return object{"speaker": s.speaker, "start": int64(s.start), "end": int64(s.end / time.Nanosecond),
					"text": s.text}
			})})
		}, nil},
	},
	clinic: []style{
		{"JSON of Riverside", "people", oneLiners, timed, func(turns []said) []byte {
			return encodeJSON(objectsOf(turns, func(i int, s said) object {
				return object{"id": i, "speaker": s.speaker, "startTime": s.start.Seconds(), "endTime": s.end.Seconds(),
					"text": s.text}
			}))
		}, nil},
		{"JSON of Chorus", "people", oneLiners, timed, func(turns []said) []byte {
			return encodeJSON(object{"recording": object{"utterances": objectsOf(turns, func(_ int, s said) object {
				return object{"speaker_name": s.speaker, "snippet": s.text, "snippet_time": s.start.Seconds()}
			})}})
		}, nil},
		{"JSON of Avoma", "people", oneLiners, timed, func(turns []said) []byte {
			var speakers []object
			for i, name := range speakersOf(turns) {
				speakers = append(speakers, object{"id": i, "name": name, "email": nil, "is_rep": i == 0})
			}
			return encodeJSON(object{"speakers": speakers, "transcript": objectsOf(turns, func(_ int, s said) object {
				return object{"speaker_id": indexOf(turns, s.speaker), "transcript": s.text, "start": s.start.Seconds(),
					"end": s.end.Seconds()}
			})})
		}, nil},
	},
	desk: []style{
		{"JSON of Whisper with speakers", "machine", oneLiners, timed, func(turns []said) []byte {
			return encodeJSON(object{"text": "", "language": turns[0].language,
				"segments": objectsOf(turns, func(i int, s said) object {
					return object{"id": i, "seek": 0, "start": s.start.Seconds(), "end": s.end.Seconds(),
						"text":   " " + s.text,
						"tokens": []int{1, 2}, "temperature": 0, "avg_logprob": -0.2, "no_speech_prob": 0.01,
						"speaker": s.speaker}
				})})
		}, nil},
		{"JSON of Rev with names", "people", oneLiners, timed, func(turns []said) []byte {
			var speakers []object
			for i, name := range speakersOf(turns) {
				speakers = append(speakers, object{"id": i, "name": name})
			}
			var monologues []object
			for _, s := range turns {
				var elements []object
				words := strings.Fields(s.text)
				step := (s.end - s.start) / time.Duration(len(words))
				for j, word := range words {
					if j > 0 {
						elements = append(elements, object{"type": "punct", "value": " "})
					}
					at := s.start + time.Duration(j)*step
					elements = append(elements, object{"type": "text", "value": word, "ts": at.Seconds(),
						"end_ts": (at + step).Seconds(), "confidence": 0.9})
				}
				monologues = append(monologues, object{"speaker": indexOf(turns, s.speaker), "elements": elements})
			}
			return encodeJSON(object{"speakers": speakers, "monologues": monologues})
		}, nil},
		{"JSON of a bot", "people", lines, timed, func(turns []said) []byte {
			return encodeJSON(object{"meeting_title": "Interview", "date": "2024-03-05", "transcript": objectsOf(turns,
				func(_ int, s said) object {
					return object{"speaker_name": s.speaker, "start_time": s.start.Seconds(), "end_time": s.end.Seconds(),
						"text": s.text}
				})})
		}, nil},
		{"JSON of Granola", "two", oneLiners, clockTimed, func(turns []said) []byte {
			return encodeJSON(objectsOf(turns, func(_ int, s said) object {
				return object{"document_id": "1", "source": s.speaker, "text": s.text, "is_final": true,
					"start_timestamp": stampAt(s.start, "2006-01-02T15:04:05.000Z"),
					"end_timestamp":   stampAt(s.end, "2006-01-02T15:04:05.000Z")}
			}))
		}, nil},
		{"JSON of Vexa", "people", oneLiners, timed, func(turns []said) []byte {
			return encodeJSON(object{"id": 7, "platform": "google_meet",
				"segments": objectsOf(turns, func(_ int, s said) object {
					return object{"start": s.start.Seconds(), "end": s.end.Seconds(), "text": s.text,
						"language": turns[0].language,
						"speaker":  s.speaker, "created_at": "2024-03-05T10:02:15"}
				})})
		}, nil},
	},
}
