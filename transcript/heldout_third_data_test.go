package transcript_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// document encodes a value that has only strings, numbers, lists and objects.
func document(value any) []byte {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		panic(err)
	}
	return data
}

func objectsOf(turns []said, turn func(i int, s said) object) []object {
	var list []object
	for i, s := range turns {
		list = append(list, turn(i, s))
	}
	return list
}

func iso(d time.Duration) string { return "PT" + strconv.FormatFloat(d.Seconds(), 'f', 2, 64) + "S" }

// indexOf returns the number of a speaker in the order of first turns.
func indexOf(turns []said, speaker string) int {
	seen := map[string]int{}
	for _, s := range turns {
		if _, known := seen[s.speaker]; !known {
			seen[s.speaker] = len(seen)
		}
	}
	return seen[speaker]
}

// thirdData are tables and data.
var thirdData = []exportStyle{
	{"CSV, timestamp and utterance", "people roles", lines, timed, csvOf(',', rowsOf([]string{"Timestamp",
		"Until", "Speaker", "Utterance"}, timeSpeakerText)), nil},
	{"CSV in French", "people", lines, timed, csvOf(';', rowsOf([]string{"Début", "Fin", "Locuteur", "Texte"},
		func(_ int, s said) []string {
			return []string{clockMS(s.start, ","), clockMS(s.end, ","), s.speaker, s.text}
		})), nil},
	{"CSV in milliseconds", "numbered", lines, timed, csvOf(',', rowsOf([]string{"id", "start_ms", "end_ms",
		"speaker_id", "text"}, func(i int, s said) []string {
		return []string{strconv.Itoa(i), strconv.FormatInt(s.start.Milliseconds(), 10),
			strconv.FormatInt(s.end.Milliseconds(), 10), s.speaker, s.text}
	})), nil},
	{"TSV, spkr", "letters", oneLiners, timed, csvOf('\t', rowsOf([]string{"begin", "end", "spkr",
		"transcription"}, func(_ int, s said) []string {
		return []string{fmt.Sprintf("%.3f", s.start.Seconds()), fmt.Sprintf("%.3f", s.end.Seconds()), s.speaker,
			s.text}
	})), nil},
	{"CSV with codes", "roles letters", lines, untimed, csvOf(',', rowsOf([]string{"Turn", "Who", "Quote"},
		func(i int, s said) []string {
			return []string{strconv.Itoa(i + 1), s.speaker, s.text}
		})), nil},
	{"CSV, role and message", "roles", lines, untimed, csvOf(',', rowsOf([]string{"role", "message"},
		speakerAndText)), nil},
	{"ELAN, a column per tier", "firsts", oneLiners, timed, func(turns []said) []byte {
		var b strings.Builder
		names := []string{}
		for _, s := range turns {
			if indexOf(turns, s.speaker) == len(names) {
				names = append(names, s.speaker)
			}
		}
		b.WriteString("Begin Time - hh:mm:ss.ms\tEnd Time - hh:mm:ss.ms\t" + strings.Join(names, "\t") + "\n")
		for _, s := range turns {
			cells := make([]string, len(names))
			cells[indexOf(turns, s.speaker)] = s.text
			fmt.Fprintf(&b, "%s\t%s\t%s\n", clockMS(s.start, "."), clockMS(s.end, "."), strings.Join(cells, "\t"))
		}
		return []byte(b.String())
	}, nil},
	{"XLSX, time, name, text", "people", lines, timed, xlsxOf(rowsOf([]string{"Timecode In", "Timecode Out",
		"Name", "Dialogue"}, timeSpeakerText)), nil},
	{"JSON, clocks", "people", lines, timed, func(turns []said) []byte {
		return document(object{"title": "Interview 7", "transcript": objectsOf(turns, func(_ int, s said) object {
			return object{"speaker": s.speaker, "text": s.text, "timestamp": clockS(s.start)}
		})})
	}, nil},
	{"JSON, who and content", "people", lines, timed, func(turns []said) []byte {
		return document(object{"segments": objectsOf(turns, func(_ int, s said) object {
			return object{"from": s.start.Seconds(), "to": s.end.Seconds(), "who": s.speaker, "content": s.text}
		})})
	}, nil},
	{"JSON of Teams", "people", lines, timed, func(turns []said) []byte {
		return document(object{"version": "1.0.0", "type": "Transcript", "entries": objectsOf(turns, func(i int,
			s said) object {
			return object{"id": strconv.Itoa(i), "speakerDisplayName": s.speaker, "speakerId": "x" +
				strconv.Itoa(indexOf(turns, s.speaker)), "text": s.text,
				"confidence": 0.8, "startOffset": clockMS(s.start, ".") + "0000", "endOffset": clockMS(s.end, ".") +
					"0000", "spokenLanguageTag": "en-us"}
		})})
	}, nil},
	{"JSON, ISO durations", "people", lines, timed, func(turns []said) []byte {
		return document(object{"items": objectsOf(turns, func(_ int, s said) object {
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
		return document(object{"speakers": names, "segments": objectsOf(turns, func(_ int, s said) object {
			return object{"speaker_id": indexOf(turns, s.speaker), "start": s.start.Seconds(),
				"end": s.end.Seconds(), "text": s.text}
		})})
	}, nil},
	{"JSON of Meet's API", "people", lines, clockTimed, func(turns []said) []byte {
		return document(object{"transcriptEntries": objectsOf(turns, func(i int, s said) object {
			return object{"name": fmt.Sprintf("conferenceRecords/1/transcripts/2/entries/%d", i),
				"participant": "conferenceRecords/1/participants/" + s.speaker,
				"text":        s.text, "languageCode": "en-US", "startTime": stampAt(s.start, "2006-01-02T15:04:05.000Z"),
				"endTime": stampAt(s.end, "2006-01-02T15:04:05.000Z")}
		})})
	}, func(label string, _ int) string { return "conferenceRecords/1/participants/" + label }},
	{"JSON of Symbl", "people", lines, clockTimed, func(turns []said) []byte {
		return document(object{"messages": objectsOf(turns, func(i int, s said) object {
			return object{"id": strconv.Itoa(i), "text": s.text, "from": object{"id": "u", "name": s.speaker,
				"email": "a@example.org"},
				"startTime": stampAt(s.start, "2006-01-02T15:04:05.000Z"), "endTime": stampAt(s.end,
					"2006-01-02T15:04:05.000Z"), "conversationId": "7"}
		})})
	}, nil},
	{"JSON, words in turns", "people", oneLiners, timed, func(turns []said) []byte {
		return document(objectsOf(turns, func(_ int, s said) object {
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
		return document(object{"interview": object{"turns": objectsOf(turns, func(_ int, s said) object {
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
	{"YouTube's XML", "firsts", oneLiners, timed,
		eachExportTurn(`<?xml version="1.0" encoding="utf-8" ?><transcript>`, "</transcript>",
			func(_ int, s said) string {
				return fmt.Sprintf(`<text start="%.2f" dur="%.2f">%s</text>`, s.start.Seconds(),
					(s.end - s.start).Seconds(), vttEscape.Replace(s.text))
			}), nobody},
	{"HTML, paragraphs with times", "people", oneLiners, timed,
		eachExportTurn("<html><head><title>Interview 7</title></head><body>", "</body></html>",
			func(_ int, s said) string {
				return fmt.Sprintf("<p><span class=\"t\">[%s]</span> <b>%s:</b> %s</p>\n", clockS(s.start),
					vttEscape.Replace(s.speaker), vttEscape.Replace(s.text))
			}), nil},
}
