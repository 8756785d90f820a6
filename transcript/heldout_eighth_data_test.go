package transcript_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// jsonMap is one JSON object.
type jsonMap = map[string]any

// eighthData returns the styles of the data of services, and of tables.
func eighthData() []eighthStyle {
	letters, numbers := []string{"Speaker A", "Speaker B"}, []string{"Speaker 0", "Speaker 1"}
	spk := []string{"spk_0", "spk_1"}
	ms := time.Millisecond
	return []eighthStyle{
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
		{"csv, dovetail", "en-clinic en-panel tr-kafe", nil, time.Second,
			columns(',', "Timestamp,Speaker,Transcript",
				func(_ int, s eighthTurn) []string { return []string{s.at.hms(), s.speaker, s.text} })},
		{"csv, descript", "en-invoices en-panel", nil, ms, columns(',', "Speaker Name,Start Time,End Time,Text",
			func(_ int, s eighthTurn) []string {
				return []string{s.speaker, s.at.ms("."), s.end.ms("."), s.text}
			})},
		{"csv, semicolons", "de-werkstatt fr-boulangerie nl-fietsen", nil, time.Second, columns(';',
			"Nr.;Zeit;Sprecher;Text",
			func(i int, s eighthTurn) []string { return []string{fmt.Sprint(i + 1), s.at.hms(), s.speaker, s.text} })},
		{"csv, codes beside the words", "en-clinic en-founder", nil, time.Second, columns(',',
			"ID,Participant,Start,Quote,Tags,Sentiment,Notes", func(i int, s eighthTurn) []string {
				tag := []string{"", "pain point", "workaround; paper"}[i%3]
				return []string{fmt.Sprint(100 + i), s.speaker, s.at.mmss(), s.text, tag, "neutral", ""}
			})},
		{"csv, no headings", "en-clinic es-tienda", nil, time.Second, columns(',', "",
			func(_ int, s eighthTurn) []string { return []string{s.at.hms(), s.speaker, s.text} })},
		{"csv, seconds", "en-invoices pl-apteka", nil, 10 * ms, columns(',', "start,end,speaker,text",
			func(_ int, s eighthTurn) []string {
				return []string{s.at.seconds(), s.end.seconds(), s.speaker, s.text}
			})},
		{"tsv, whisper", "en-clinic ru-salon", nil, ms, unspoken(columns('\t', "start\tend\ttext",
			func(_ int, s eighthTurn) []string {
				return []string{millis(s.at), millis(s.end), s.text}
			}))},
		{"tsv, copied from a sheet", "en-panel zh-huadian", nil, time.Second,
			columns('\t', "Time\tWho\tWhat was said",
				func(_ int, s eighthTurn) []string { return []string{s.at.mss(), s.speaker, s.text} })},
		{"csv, speaker and words only", "en-clinic ko-hakwon", nil, 0, columns(',', "speaker,text",
			func(_ int, s eighthTurn) []string { return []string{s.speaker, s.text} })},
		{"markdown table", "en-invoices en-founder", nil, time.Second, framed(
			"| Time | Speaker | Text |\n|---|---|---|\n", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("| %s | %s | %s |\n", s.at.mmss(), s.speaker, s.text)
			})},
		{"jsonl", "en-clinic de-werkstatt", nil, ms, func(f *eighthFile) {
			for _, s := range f.turns {
				f.raw("%s\n",
					encode(jsonMap{"speaker": s.speaker, "start": secs(s.at), "end": secs(s.end), "text": s.text}))
				f.said(s)
			}
		}},
	}
}

func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func secs(t eighthTime) float64 { return float64(time.Duration(t).Milliseconds()) / 1000 }

func millis(t eighthTime) string { return fmt.Sprint(time.Duration(t).Milliseconds()) }

func number(s eighthTurn) int { return int(s.speaker[len(s.speaker)-1] - '0') }

// unspoken returns a style's write for files without speakers.
func unspoken(write func(*eighthFile)) func(*eighthFile) {
	return func(f *eighthFile) {
		for i := range f.turns {
			f.turns[i].speaker = ""
		}
		write(f)
	}
}

// segments returns a style's write for a list of segments with these keys, with times in seconds.
func segments(list, start, end, text, speaker string) func(*eighthFile) {
	return func(f *eighthFile) {
		var all []jsonMap
		for i, s := range f.turns {
			o := jsonMap{"id": i, start: secs(s.at), end: secs(s.end), text: s.text}
			if speaker != "" {
				o[speaker] = s.speaker
			}
			all = append(all, o)
			f.said(s)
		}
		f.raw("%s", encode(jsonMap{list: all}))
	}
}

func fathomData(f *eighthFile) {
	var all []jsonMap
	for _, s := range f.turns {
		all = append(all,
			jsonMap{"speaker": jsonMap{"display_name": s.speaker, "matched_calendar_invitee_email": nil},
				"text": s.text, "timestamp": s.at.hms()})
		f.said(s)
	}
	f.raw("%s",
		encode(jsonMap{"title": "Discovery call", "url": "https://fathom.video/calls/1", "transcript": all,
			"action_items": []jsonMap{{"description": "Send the report", "completed": false,
				"recording_timestamp": "00:01:20", "assignee": jsonMap{"name": "Priya Raman"}}}}))
}

func listInMilliseconds(f *eighthFile) {
	var all []jsonMap
	for _, s := range f.turns {
		all = append(all, jsonMap{"start": time.Duration(s.at).Milliseconds(),
			"end": time.Duration(s.end).Milliseconds(), "text": s.text, "speaker": s.speaker, "participant_id": "p1"})
		f.said(s)
	}
	f.raw("%s", encode(all))
}

func assemblyData(f *eighthFile) {
	var all []jsonMap
	var text []string
	for _, s := range f.turns {
		all = append(all, jsonMap{"confidence": 0.97, "start": time.Duration(s.at).Milliseconds(),
			"end": time.Duration(s.end).Milliseconds(), "speaker": s.speaker[len(s.speaker)-1:], "text": s.text})
		text = append(text, s.text)
		f.said(s)
	}
	f.raw("%s",
		encode(jsonMap{"id": "t1", "status": "completed", "language_code": "en_us", "audio_duration": 180,
			"text": strings.Join(text, " "), "utterances": all}))
}

func deepgramData(f *eighthFile) {
	var all []jsonMap
	for i, s := range f.turns {
		all = append(all, jsonMap{"start": secs(s.at), "end": secs(s.end), "confidence": 0.98, "channel": 0,
			"transcript": s.text, "speaker": number(s), "id": fmt.Sprint("u", i)})
		f.said(s)
	}
	f.raw("%s", encode(jsonMap{"metadata": jsonMap{"duration": 180.2, "channels": 1},
		"results": jsonMap{"channels": []jsonMap{{"alternatives": []jsonMap{{"transcript": "",
			"words": []jsonMap{}}}}},
			"utterances": all}}))
}

func awsData(f *eighthFile) {
	var all []jsonMap
	for i, s := range f.turns {
		all = append(all, jsonMap{"id": i, "transcript": s.text, "start_time": fmt.Sprintf("%.3f", secs(s.at)),
			"end_time": fmt.Sprintf("%.3f", secs(s.end)), "speaker_label": s.speaker, "items": []int{i}})
		f.said(s)
	}
	f.raw("%s", encode(jsonMap{"jobName": "i7", "accountId": "1", "status": "COMPLETED", "results": jsonMap{
		"transcripts": []jsonMap{}, "items": []jsonMap{}, "audio_segments": all}}))
}

func azureData(f *eighthFile) {
	var all []jsonMap
	for _, s := range f.turns {
		all = append(all, jsonMap{"recognitionStatus": "Success", "channel": 0, "speaker": number(s),
			"offsetInTicks":   time.Duration(s.at).Nanoseconds() / 100,
			"durationInTicks": time.Duration(s.end-s.at).Nanoseconds() / 100,
			"offset":          fmt.Sprintf("PT%.3fS", secs(s.at)),
			"duration":        fmt.Sprintf("PT%.3fS", secs(s.end-s.at)),
			"nBest":           []jsonMap{{"confidence": 0.9, "lexical": strings.ToLower(s.text), "display": s.text}}})
		f.said(s)
	}
	f.raw("%s", encode(jsonMap{"source": "https://storage.example/i7.wav", "timestamp": "2024-03-05T10:02:15Z",
		"combinedRecognizedPhrases": []jsonMap{}, "recognizedPhrases": all}))
}

func revData(f *eighthFile) {
	var all []jsonMap
	for _, s := range f.turns {
		words := strings.Fields(s.text)
		var elements []jsonMap
		for i, w := range words {
			step := (s.end - s.at) / eighthTime(len(words))
			at := s.at + step*eighthTime(i)
			elements = append(elements, jsonMap{"type": "text", "value": w, "ts": secs(at), "end_ts": secs(at + step),
				"confidence": 0.9})
			if i < len(words)-1 {
				elements = append(elements, jsonMap{"type": "punct", "value": " "})
			}
		}
		all = append(all, jsonMap{"speaker": number(s), "elements": elements})
		f.said(s)
	}
	f.raw("%s", encode(jsonMap{"monologues": all}))
}

func speechmaticsData(f *eighthFile) {
	var all []jsonMap
	for _, s := range f.turns {
		words := strings.Fields(s.text)
		for i, w := range words {
			step := (s.end - s.at) / eighthTime(len(words))
			at := s.at + step*eighthTime(i)
			bare := strings.TrimRight(w, ".?,!")
			all = append(all, jsonMap{"type": "word", "start_time": secs(at), "end_time": secs(at + step),
				"alternatives": []jsonMap{{"content": bare, "confidence": 0.99, "language": "en", "speaker": s.speaker}}})
			for _, p := range w[len(bare):] {
				all = append(all, jsonMap{"type": "punctuation", "attaches_to": "previous", "start_time": secs(at + step),
					"end_time": secs(at + step), "alternatives": []jsonMap{{"content": string(p), "confidence": 1,
						"speaker": s.speaker}}})
			}
		}
		f.said(s)
	}
	f.raw("%s", encode(jsonMap{"format": "2.9", "job": jsonMap{"id": "i7"},
		"metadata": jsonMap{"type": "transcription"}, "results": all}))
}

func firefliesData(f *eighthFile) {
	var all []jsonMap
	for i, s := range f.turns {
		all = append(all, jsonMap{"index": i, "speaker_name": s.speaker, "speaker_id": 0, "text": s.text,
			"raw_text":   s.text,
			"start_time": secs(s.at), "end_time": secs(s.end)})
		f.said(s)
	}
	f.raw("%s", encode(jsonMap{"data": jsonMap{"transcript": jsonMap{"title": "Discovery call", "sentences": all,
		"summary": jsonMap{"overview": "Works on paper.",
			"action_items": "**Priya Raman**\nSend the consent form (01:20)"}}}}))
}

func recallData(f *eighthFile) {
	var all []jsonMap
	for _, s := range f.turns {
		words := strings.Fields(s.text)
		var list []jsonMap
		for i, w := range words {
			step := (s.end - s.at) / eighthTime(len(words))
			at := s.at + step*eighthTime(i)
			list = append(list, jsonMap{"text": w, "start_timestamp": jsonMap{"relative": secs(at)},
				"end_timestamp": jsonMap{"relative": secs(at + step)}})
		}
		all = append(all,
			jsonMap{"participant": jsonMap{"id": 100, "name": s.speaker, "is_host": false}, "words": list})
		f.said(s)
	}
	f.raw("%s", encode(all))
}

// columns returns a style's write for a table with these headings.
func columns(comma rune, head string, row func(i int, s eighthTurn) []string) func(*eighthFile) {
	return func(f *eighthFile) {
		w := csv.NewWriter(&f.text)
		w.Comma = comma
		rows := [][]string{strings.Split(head, string(comma))}
		if head == "" {
			rows = nil
		}
		for i, s := range f.turns {
			rows = append(rows, row(i, s))
			f.said(s)
		}
		if err := w.WriteAll(rows); err != nil {
			panic(err)
		}
	}
}
