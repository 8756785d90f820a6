package transcript_test

import (
	"fmt"
	"strings"
	"time"
)

// serviceTalks returns the styles of the data of services.
func serviceTalks() []talkStyle {
	letters, numbers := []string{"Speaker A", "Speaker B"}, []string{"Speaker 0", "Speaker 1"}
	spk := []string{"spk_0", "spk_1"}
	return []talkStyle{
		{"json, whisper", "en-clinic ja-ryokan", nil, ms,
			unspoken(segments("segments", "start", "end", "text", ""))},
		{"json, whisperx", "en-clinic de-werkstatt es-tienda", []string{"SPEAKER_00", "SPEAKER_01"}, ms,
			segments("segments", "start", "end", "text", "speaker")},
		{"json, fathom", "en-clinic en-panel", nil, time.Second, rendered(fathomData)},
		{"json, tl;dv", "en-invoices fr-boulangerie", nil, ms,
			segments("data", "startTime", "endTime", "text", "speaker")},
		{"json, grain", "en-panel it-agriturismo", nil, ms, rendered(eachServiceTurn(
			func(s serviceTurn) object {
				return object{"start": s.start.Milliseconds(), "end": s.end.Milliseconds(), "text": s.text,
					"speaker": s.speaker, "participant_id": "p1"}
			}, bare))},
		{"json, assemblyai", "en-clinic pt-entregas", letters, ms, rendered(assemblyData)},
		{"json, deepgram", "en-clinic nl-fietsen", numbers, ms, rendered(deepgramData)},
		{"json, aws", "en-invoices de-werkstatt", spk, ms, rendered(awsData)},
		{"json, azure", "en-clinic sv-skola", []string{"Speaker 1", "Speaker 2"}, ms, rendered(azureData)},
		{"json, rev.ai", "en-founder es-tienda", numbers, ms, rendered(revData)},
		{"json, speechmatics", "en-clinic it-agriturismo", []string{"S1", "S2"}, ms, rendered(speechmaticsData)},
		{"json, fireflies", "en-clinic en-panel", nil, ms, rendered(firefliesData)},
		{"json, recall", "en-clinic en-panel", nil, ms, rendered(recallData)},
		{"jsonl", "en-clinic de-werkstatt", nil, ms, rendered(between("", "", func(_ int, s said) string {
			return string(encodeJSON(object{"speaker": s.speaker, "start": secs(s.start), "end": secs(s.end),
				"text": s.text})) + "\n"
		}))},
	}
}

func secs(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 }

// segments returns a style's write for a list of segments with these keys, with times in seconds.
func segments(list, start, end, text, speaker string) func(*file) {
	return rendered(eachServiceTurn(func(s serviceTurn) object {
		o := object{"id": s.number, start: secs(s.start), end: secs(s.end), text: s.text}
		if speaker != "" {
			o[speaker] = s.speaker
		}
		return o
	}, member(list, nil)))
}

var fathomData = eachServiceTurn(func(s serviceTurn) object {
	return object{"speaker": object{"display_name": s.speaker, "matched_calendar_invitee_email": nil},
		"text": s.text, "timestamp": clockS(s.start)}
}, member("transcript", object{"title": "Discovery call", "url": "https://fathom.video/calls/1",
	"action_items": []object{{"description": "Send the report", "completed": false,
		"recording_timestamp": "00:01:20", "assignee": object{"name": "Priya Raman"}}}}))

var assemblyData = eachServiceTurn(func(s serviceTurn) object {
	return object{"confidence": 0.97, "start": s.start.Milliseconds(), "end": s.end.Milliseconds(),
		"speaker": s.speaker[len(s.speaker)-1:], "text": s.text}
}, func(list []object) any {
	var text []string
	for _, o := range list {
		text = append(text, fmt.Sprint(o["text"]))
	}
	return object{"id": "t1", "status": "completed", "language_code": "en_us", "audio_duration": 180,
		"text": strings.Join(text, " "), "utterances": list}
})

var deepgramData = eachServiceTurn(func(s serviceTurn) object {
	return object{"start": secs(s.start), "end": secs(s.end), "confidence": 0.98, "channel": 0,
		"transcript": s.text, "speaker": s.index, "id": fmt.Sprint("u", s.number)}
}, func(list []object) any {
	return object{"metadata": object{"duration": 180.2, "channels": 1}, "results": object{"utterances": list,
		"channels": []object{{"alternatives": []object{{"transcript": "", "words": []object{}}}}}}}
})

var awsData = eachServiceTurn(func(s serviceTurn) object {
	return object{"id": s.number, "transcript": s.text, "start_time": fmt.Sprintf("%.3f", secs(s.start)),
		"end_time": fmt.Sprintf("%.3f", secs(s.end)), "speaker_label": s.speaker, "items": []int{s.number}}
}, func(list []object) any {
	return object{"jobName": "i7", "accountId": "1", "status": "COMPLETED", "results": object{
		"transcripts": []object{}, "items": []object{}, "audio_segments": list}}
})

var azureData = eachServiceTurn(func(s serviceTurn) object {
	lasts := s.end - s.start
	return object{"recognitionStatus": "Success", "channel": 0, "speaker": s.index + 1,
		"offsetInTicks": s.start.Nanoseconds() / 100, "durationInTicks": lasts.Nanoseconds() / 100,
		"offset": fmt.Sprintf("PT%.3fS", secs(s.start)), "duration": fmt.Sprintf("PT%.3fS", secs(lasts)),
		"nBest": []object{{"confidence": 0.9, "lexical": strings.ToLower(s.text), "display": s.text}}}
}, member("recognizedPhrases", object{"source": "https://storage.example/i7.wav",
	"timestamp": "2024-03-05T10:02:15Z", "combinedRecognizedPhrases": []object{}}))

var revData = eachServiceTurn(func(s serviceTurn) object {
	var elements []object
	for i, w := range s.words() {
		if i > 0 {
			elements = append(elements, object{"type": "punct", "value": " "})
		}
		elements = append(elements, object{"type": "text", "value": w.text, "ts": secs(w.start),
			"end_ts": secs(w.end), "confidence": 0.9})
	}
	return object{"speaker": s.index, "elements": elements}
}, member("monologues", nil))

var speechmaticsData = eachServiceWord(func(s serviceTurn) []object {
	var all []object
	for _, w := range s.words() {
		bare := strings.TrimRight(w.text, ".?,!")
		all = append(all, object{"type": "word", "start_time": secs(w.start), "end_time": secs(w.end),
			"alternatives": []object{{"content": bare, "confidence": 0.99, "language": "en", "speaker": s.speaker}}})
		for _, p := range w.text[len(bare):] {
			all = append(all, object{"type": "punctuation", "attaches_to": "previous", "start_time": secs(w.end),
				"end_time": secs(w.end), "alternatives": []object{{"content": string(p), "confidence": 1,
					"speaker": s.speaker}}})
		}
	}
	return all
}, member("results", object{"format": "2.9", "job": object{"id": "i7"},
	"metadata": object{"type": "transcription"}}))

var firefliesData = eachServiceTurn(func(s serviceTurn) object {
	return object{"index": s.number, "speaker_name": s.speaker, "speaker_id": 0, "text": s.text,
		"raw_text": s.text, "start_time": secs(s.start), "end_time": secs(s.end)}
}, func(list []object) any {
	return object{"data": object{"transcript": object{"title": "Discovery call", "sentences": list,
		"summary": object{"overview": "Works on paper.",
			"action_items": "**Priya Raman**\nSend the consent form (01:20)"}}}}
})

var recallData = eachServiceTurn(func(s serviceTurn) object {
	return object{"participant": object{"id": 100, "name": s.speaker, "is_host": false},
		"words": s.wordObjects(func(w timedWord) object {
			return object{"text": w.text, "start_timestamp": object{"relative": secs(w.start)},
				"end_timestamp": object{"relative": secs(w.end)}}
		})}
}, bare)
