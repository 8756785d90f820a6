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
		{"json, fathom", "en-clinic en-panel", nil, time.Second, fathomData},
		{"json, tl;dv", "en-invoices fr-boulangerie", nil, ms,
			segments("data", "startTime", "endTime", "text", "speaker")},
		{"json, grain", "en-panel it-agriturismo", nil, ms, listInMilliseconds},
		{"json, assemblyai", "en-clinic pt-entregas", letters, ms, assemblyData},
		{"json, deepgram", "en-clinic nl-fietsen", numbers, ms, deepgramData},
		{"json, aws", "en-invoices de-werkstatt", spk, ms, awsData},
		{"json, azure", "en-clinic sv-skola", []string{"Speaker 1", "Speaker 2"}, ms, azureData},
		{"json, rev.ai", "en-founder es-tienda", numbers, ms, revData},
		{"json, speechmatics", "en-clinic it-agriturismo", []string{"S1", "S2"}, ms, speechmaticsData},
		{"json, fireflies", "en-clinic en-panel", nil, ms, firefliesData},
		{"json, recall", "en-clinic en-panel", nil, ms, recallData},
		{"jsonl", "en-clinic de-werkstatt", nil, ms, func(f *file) {
			for _, s := range f.turns {
				f.raw("%s\n",
					encodeJSON(object{"speaker": s.speaker, "start": secs(s.start), "end": secs(s.end), "text": s.text}))
				f.said(s)
			}
		}},
	}
}

func secs(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 }

func number(s said) int { return int(s.speaker[len(s.speaker)-1] - '0') }

// segments returns a style's write for a list of segments with these keys, with times in seconds.
func segments(list, start, end, text, speaker string) func(*file) {
	return func(f *file) {
		var all []object
		for i, s := range f.turns {
			o := object{"id": i, start: secs(s.start), end: secs(s.end), text: s.text}
			if speaker != "" {
				o[speaker] = s.speaker
			}
			all = append(all, o)
			f.said(s)
		}
		f.raw("%s", encodeJSON(object{list: all}))
	}
}

func fathomData(f *file) {
	var all []object
	for _, s := range f.turns {
		all = append(all,
			object{"speaker": object{"display_name": s.speaker, "matched_calendar_invitee_email": nil},
				"text": s.text, "timestamp": clockS(s.start)})
		f.said(s)
	}
	f.raw("%s",
		encodeJSON(object{"title": "Discovery call", "url": "https://fathom.video/calls/1", "transcript": all,
			"action_items": []object{{"description": "Send the report", "completed": false,
				"recording_timestamp": "00:01:20", "assignee": object{"name": "Priya Raman"}}}}))
}

func listInMilliseconds(f *file) {
	var all []object
	for _, s := range f.turns {
		all = append(all, object{"start": s.start.Milliseconds(),
			"end": s.end.Milliseconds(), "text": s.text, "speaker": s.speaker, "participant_id": "p1"})
		f.said(s)
	}
	f.raw("%s", encodeJSON(all))
}

func assemblyData(f *file) {
	var all []object
	var text []string
	for _, s := range f.turns {
		all = append(all, object{"confidence": 0.97, "start": s.start.Milliseconds(),
			"end": s.end.Milliseconds(), "speaker": s.speaker[len(s.speaker)-1:], "text": s.text})
		text = append(text, s.text)
		f.said(s)
	}
	f.raw("%s",
		encodeJSON(object{"id": "t1", "status": "completed", "language_code": "en_us", "audio_duration": 180,
			"text": strings.Join(text, " "), "utterances": all}))
}

func deepgramData(f *file) {
	var all []object
	for i, s := range f.turns {
		all = append(all, object{"start": secs(s.start), "end": secs(s.end), "confidence": 0.98, "channel": 0,
			"transcript": s.text, "speaker": number(s), "id": fmt.Sprint("u", i)})
		f.said(s)
	}
	f.raw("%s", encodeJSON(object{"metadata": object{"duration": 180.2, "channels": 1},
		"results": object{"channels": []object{{"alternatives": []object{{"transcript": "",
			"words": []object{}}}}},
			"utterances": all}}))
}

func awsData(f *file) {
	var all []object
	for i, s := range f.turns {
		all = append(all, object{"id": i, "transcript": s.text, "start_time": fmt.Sprintf("%.3f", secs(s.start)),
			"end_time": fmt.Sprintf("%.3f", secs(s.end)), "speaker_label": s.speaker, "items": []int{i}})
		f.said(s)
	}
	f.raw("%s", encodeJSON(object{"jobName": "i7", "accountId": "1", "status": "COMPLETED", "results": object{
		"transcripts": []object{}, "items": []object{}, "audio_segments": all}}))
}

func azureData(f *file) {
	var all []object
	for _, s := range f.turns {
		all = append(all, object{"recognitionStatus": "Success", "channel": 0, "speaker": number(s),
			"offsetInTicks":   s.start.Nanoseconds() / 100,
			"durationInTicks": (s.end - s.start).Nanoseconds() / 100,
			"offset":          fmt.Sprintf("PT%.3fS", secs(s.start)),
			"duration":        fmt.Sprintf("PT%.3fS", secs(s.end-s.start)),
			"nBest":           []object{{"confidence": 0.9, "lexical": strings.ToLower(s.text), "display": s.text}}})
		f.said(s)
	}
	f.raw("%s", encodeJSON(object{"source": "https://storage.example/i7.wav",
		"timestamp":                 "2024-03-05T10:02:15Z",
		"combinedRecognizedPhrases": []object{}, "recognizedPhrases": all}))
}

func revData(f *file) {
	var all []object
	for _, s := range f.turns {
		words := strings.Fields(s.text)
		var elements []object
		for i, w := range words {
			step := (s.end - s.start) / time.Duration(len(words))
			at := s.start + step*time.Duration(i)
			elements = append(elements, object{"type": "text", "value": w, "ts": secs(at), "end_ts": secs(at + step),
				"confidence": 0.9})
			if i < len(words)-1 {
				elements = append(elements, object{"type": "punct", "value": " "})
			}
		}
		all = append(all, object{"speaker": number(s), "elements": elements})
		f.said(s)
	}
	f.raw("%s", encodeJSON(object{"monologues": all}))
}

func speechmaticsData(f *file) {
	var all []object
	for _, s := range f.turns {
		words := strings.Fields(s.text)
		for i, w := range words {
			step := (s.end - s.start) / time.Duration(len(words))
			at := s.start + step*time.Duration(i)
			bare := strings.TrimRight(w, ".?,!")
			all = append(all, object{"type": "word", "start_time": secs(at), "end_time": secs(at + step),
				"alternatives": []object{{"content": bare, "confidence": 0.99, "language": "en", "speaker": s.speaker}}})
			for _, p := range w[len(bare):] {
				all = append(all, object{"type": "punctuation", "attaches_to": "previous", "start_time": secs(at + step),
					"end_time": secs(at + step), "alternatives": []object{{"content": string(p), "confidence": 1,
						"speaker": s.speaker}}})
			}
		}
		f.said(s)
	}
	f.raw("%s", encodeJSON(object{"format": "2.9", "job": object{"id": "i7"},
		"metadata": object{"type": "transcription"}, "results": all}))
}

func firefliesData(f *file) {
	var all []object
	for i, s := range f.turns {
		all = append(all, object{"index": i, "speaker_name": s.speaker, "speaker_id": 0, "text": s.text,
			"raw_text":   s.text,
			"start_time": secs(s.start), "end_time": secs(s.end)})
		f.said(s)
	}
	f.raw("%s", encodeJSON(object{"data": object{"transcript": object{"title": "Discovery call",
		"sentences": all,
		"summary": object{"overview": "Works on paper.",
			"action_items": "**Priya Raman**\nSend the consent form (01:20)"}}}}))
}

func recallData(f *file) {
	var all []object
	for _, s := range f.turns {
		words := strings.Fields(s.text)
		var list []object
		for i, w := range words {
			step := (s.end - s.start) / time.Duration(len(words))
			at := s.start + step*time.Duration(i)
			list = append(list, object{"text": w, "start_timestamp": object{"relative": secs(at)},
				"end_timestamp": object{"relative": secs(at + step)}})
		}
		all = append(all,
			object{"participant": object{"id": 100, "name": s.speaker, "is_host": false}, "words": list})
		f.said(s)
	}
	f.raw("%s", encodeJSON(all))
}
