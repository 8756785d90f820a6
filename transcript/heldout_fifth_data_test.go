package transcript_test

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// fifthChats are exports of chats.
var fifthChats = []fieldStyle{
	{"WhatsApp on iOS", "people firsts", clockTimed,
		fieldTurns("[05.03.24, 10:01:12] Maya: \u200eMessages and calls are end-to-end encrypted. "+
			"Only people in this chat can read, listen to, or share them.\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("[%s] %s: %s\n", stampAt(s.start, "02.01.06, 15:04:05"), s.speaker, s.text)
			}), nil, true},
	{"WhatsApp on Android in Spanish", "people", chatTimed, func(f fieldFile) []byte {
		return eachExportTurn(minuteAt(f.turns[0].start, "2/1/06, 15:04")+
			" - Los mensajes y las llamadas están cifrados de extremo a extremo.\n", "", func(_ int, s said) string {
			return fmt.Sprintf("%s - %s: %s\n", minuteAt(s.start, "2/1/06, 15:04"), s.speaker, s.text)
		})(f.turns)
	}, nil, true},
	{"WhatsApp with phone numbers", "guests", chatTimed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s - %s: %s\n", minuteAt(s.start, "1/2/06, 3:04\u202fPM"), s.speaker, s.text)
	}), nil, true},
	{"Telegram, copied", "people firsts", chatTimed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s, [%s]\n%s\n\n", s.speaker, minuteAt(s.start, "Jan 2, 2006 at 15:04"), s.text)
	}), nil, true},
	{"Telegram HTML", "people firsts", chatTimed,
		fieldTurns("<!DOCTYPE html><html><head><meta charset=\"utf-8\"/><title>Exported Data</title></head><body>"+
			"<div class=\"page_wrap\"><div class=\"page_header\"><div class=\"content\"><div class=\"text bold\">"+
			"Maya</div></div></div><div class=\"history\">\n", "</div></div></body></html>",
			func(i int, s said) string {
				return fmt.Sprintf("<div class=\"message default clearfix\" id=\"message%d\"><div class=\"body\">"+
					"<div class=\"pull_right date details\" title=\"%s UTC+01:00\">%s</div><div class=\"from_name\">"+
					"%s</div><div class=\"text\">%s</div></div></div>\n", i, minuteAt(s.start, "02.01.2006 15:04:05"),
					minuteAt(s.start, "15:04"), htmlText(s.speaker), htmlText(s.text))
			}), nil, false},
	{"Signal", "people firsts", chatTimed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s: %s\n", minuteAt(s.start, "2006-01-02 15:04"), s.speaker, s.text)
	}), nil, false},
	{"Slack, copied", "people firsts", chatTimed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s\n  %s\n%s\n", s.speaker, minuteAt(s.start, "3:04 PM"), s.text)
	}), nil, false},
	{"Slack, copied in Firefox", "people firsts", chatTimed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s  [%s]\n%s\n\n", s.speaker, minuteAt(s.start, "3:04 PM"), s.text)
	}), nil, false},
	{"Discord, copied", "firsts people", chatTimed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s — %s\n%s\n", s.speaker, minuteAt(s.start, "02.01.2006 15:04"), s.text)
	}), nil, false},
	{"Teams chat, copied", "people", chatTimed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s\n%s\n%s\n\n", s.speaker, minuteAt(s.start, "02/01/2006 15:04"), s.text)
	}), nil, false},
	{"WeChat, copied", "people", untimed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s:\n%s\n\n", s.speaker, s.text)
	}), nil, false},
	{"KakaoTalk", "people", chatTimed, fieldTurns("박준영 님과 카카오톡 대화\n저장한 날짜 : 2024-03-05 12:00:00\n\n"+
		"--------------- 2024년 3월 5일 화요일 ---------------\n", "", func(_ int, s said) string {
		at := corpusBase.Add(s.start * chatSlowness)
		half := "오전"
		if at.Hour() >= 12 {
			half = "오후"
		}
		return fmt.Sprintf("[%s] [%s %s] %s\n", s.speaker, half, at.Format("3:04"), s.text)
	}), nil, false},
}

// fifthData are tables and data.
var fifthData = []fieldStyle{
	{"CSV of Descript", "people", timed,
		plainField(csvOf(',', rowsOf([]string{"Speaker Name", "Start Time", "End Time", "Transcript"},
			func(_ int, s said) []string {
				return []string{s.speaker, clockS(s.start), clockS(s.end), s.text}
			}))), nil, true},
	{"CSV of Fireflies", "people", timed,
		plainField(csvOf(',', rowsOf([]string{"Sentence", "Start Time", "End Time", "Speaker"},
			func(_ int, s said) []string {
				return []string{s.text, mmss(s.start), mmss(s.end), s.speaker}
			}))), nil, false},
	{"CSV of a survey tool", "people roles", timed,
		plainField(csvOf(',', rowsOf([]string{
			"#", "Timecode", "Duration", "Speaker", "Dialogue", "Annotations", "Error Type",
		}, func(i int, s said) []string {
			return []string{
				strconv.Itoa(i + 1), clockMS(s.start, "."), clockMS(s.end-s.start, "."), s.speaker, s.text, "", "",
			}
		}))), nil, true},
	{"CSV with notes", "codes people", untimed,
		plainField(csvOf(',', rowsOf([]string{"Participant", "Quote", "Code", "Notes"},
			func(i int, s said) []string {
				return []string{s.speaker, s.text, []string{"pain point", "workaround", "tools"}[i%3], "check"}
			}))), nil, true},
	{"CSV with semicolons in German", "people roles", timed,
		plainField(csvOf(';', rowsOf([]string{"Nr.", "Zeit von", "Zeit bis", "Person", germanTranscript},
			func(i int, s said) []string {
				return []string{strconv.Itoa(i + 1), clockS(s.start), clockS(s.end), s.speaker, s.text}
			}))), nil, true},
	{"XLSX, in and out", "people", timed,
		plainField(xlsxOf(rowsOf([]string{"TC In", "TC Out", "Speaker", "Text"}, timeSpeakerText))), nil, true},
	{"XLSX with a title", "people roles", untimed, plainField(xlsxOf(func(turns []said) [][]string {
		rows := [][]string{{"Interview 12"}, {"Date", "2024-03-05"}, {}, {"Speaker", "Utterance"}}
		for _, s := range turns {
			rows = append(rows, []string{s.speaker, s.text})
		}
		return rows
	})), nil, true},
	{"JSON of Whisper with speakers", "machine", timed, func(f fieldFile) []byte {
		return document(object{"text": "", "language": f.language, "segments": objectsOf(f.turns, func(i int,
			s said) object {
			return object{"id": i, "seek": 0, "start": s.start.Seconds(), "end": s.end.Seconds(), "text": " " + s.text,
				"tokens": []int{1, 2}, "temperature": 0, "avg_logprob": -0.2, "no_speech_prob": 0.01,
				"speaker": s.speaker}
		})})
	}, nil, false},
	{"JSON of Rev with names", "people", timed, func(f fieldFile) []byte {
		var speakers []object
		for i, name := range speakersOf(f.turns) {
			speakers = append(speakers, object{"id": i, "name": name})
		}
		var monologues []object
		for _, s := range f.turns {
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
			monologues = append(monologues, object{"speaker": indexOf(f.turns, s.speaker), "elements": elements})
		}
		return document(object{"speakers": speakers, "monologues": monologues})
	}, nil, false},
	{"JSON of a bot", "people", timed, func(f fieldFile) []byte {
		return document(object{"meeting_title": "Interview", "date": "2024-03-05", "transcript": objectsOf(f.turns,
			func(_ int, s said) object {
				return object{"speaker_name": s.speaker, "start_time": s.start.Seconds(), "end_time": s.end.Seconds(),
					"text": s.text}
			})})
	}, nil, true},
	{"JSON of Granola", "two", clockTimed, func(f fieldFile) []byte {
		return document(objectsOf(f.turns, func(_ int, s said) object {
			return object{"document_id": "1", "source": s.speaker, "text": s.text, "is_final": true,
				"start_timestamp": stampAt(s.start, "2006-01-02T15:04:05.000Z"),
				"end_timestamp":   stampAt(s.end, "2006-01-02T15:04:05.000Z")}
		}))
	}, nil, false},
	{"JSON of Vexa", "people", timed, func(f fieldFile) []byte {
		return document(object{"id": 7, "platform": "google_meet", "segments": objectsOf(f.turns, func(_ int,
			s said) object {
			return object{"start": s.start.Seconds(), "end": s.end.Seconds(), "text": s.text, "language": f.language,
				"speaker": s.speaker, "created_at": "2024-03-05T10:02:15"}
		})})
	}, nil, false},
}

// fifthDocuments are documents of word processors and pages.
var fifthDocuments = []fieldStyle{
	{"Word, bold codes and tabs", "codes roles", untimed, func(f fieldFile) []byte {
		return wordField(titlePage(f), f.turns, func(s said) string {
			return `<w:p><w:pPr><w:ind w:left="1134" w:hanging="1134"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>` +
				vttEscape.Replace(s.speaker) + `:</w:t></w:r><w:r><w:tab/><w:t xml:space="preserve">` +
				vttEscape.Replace(s.text) + `</w:t></w:r></w:p>`
		})
	}, nil, false},
	{"Word, bold codes and tabs without colons", "codes firsts", untimed, func(f fieldFile) []byte {
		return wordField("", f.turns, func(s said) string {
			return `<w:p><w:pPr><w:ind w:left="1134" w:hanging="1134"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>` +
				vttEscape.Replace(s.speaker) + `</w:t></w:r><w:r><w:tab/><w:t xml:space="preserve">` +
				vttEscape.Replace(s.text) + `</w:t></w:r></w:p>`
		})
	}, nil, false},
	{"Word, runs", "people codes", untimed, func(f fieldFile) []byte {
		return wordField("", f.turns, func(s said) string {
			half := len([]rune(s.text)) / 2
			runes := []rune(s.text)
			return `<w:p w:rsidR="00A1"><w:proofErr w:type="spellStart"/><w:r><w:rPr><w:b/></w:rPr>` +
				`<w:t xml:space="preserve">` + vttEscape.Replace(s.speaker) + `: </w:t></w:r>` +
				`<w:proofErr w:type="spellEnd"/><w:r><w:t xml:space="preserve">` +
				vttEscape.Replace(string(runes[:half])) + `</w:t></w:r><w:r w:rsidR="00B2"><w:t xml:space="preserve">` +
				vttEscape.Replace(string(runes[half:])) + `</w:t></w:r></w:p><w:p/>`
		})
	}, nil, false},
	{"Word, three columns", "codes people", timed,
		plainField(docxTable(rowsOf([]string{"Time", "Speaker", "Text"},
			func(_ int, s said) []string { return []string{mmss(s.start), s.speaker, s.text} }))), nil, true},
	{"Word, numbered table", "codes firsts", untimed, plainField(docxTable(rowsOf([]string{"No.", "Who", "What"},
		func(i int, s said) []string { return []string{strconv.Itoa(i + 1), s.speaker, s.text} }))), nil, true},
	{"Word, table without headings", "codes firsts", untimed, plainField(docxTable(rowsOf(nil, func(_ int,
		s said) []string {
		return []string{s.speaker + ":", s.text}
	}))), nil, true},
	{"Word, table with line numbers", "codes", untimed, plainField(docxTable(rowsOf(nil, func(i int,
		s said) []string {
		return []string{strconv.Itoa(i + 1), s.speaker, s.text}
	}))), nil, false},
	{"Word of Otter", "people numbered", timed, func(f fieldFile) []byte {
		return wordField("User interview\nTue, Mar 5, 2024 10:02AM • 42:10\n\nSUMMARY KEYWORDS\n"+
			"file, desk, budget, bus\n\nSPEAKERS\n"+strings.Join(speakersOf(f.turns), ", ")+"\n", f.turns,
			func(s said) string {
				return wordParagraph(s.speaker+"  "+mmss(s.start)) + wordParagraph(s.text)
			})
	}, nil, false},
	{"Word of Teams, old", "people", timed, func(f fieldFile) []byte {
		return wordField("", f.turns, func(s said) string {
			return `<w:p><w:r><w:t>` + unpadded(s.start) + ` --&gt; ` + unpadded(s.end) +
				`</w:t></w:r><w:r><w:br/><w:t>` +
				vttEscape.Replace(s.speaker) + `</w:t></w:r><w:r><w:br/><w:t xml:space="preserve">` +
				vttEscape.Replace(s.text) + `</w:t></w:r></w:p>`
		})
	}, nil, false},
	{"Word of Teams, new", "people guests", timed, func(f fieldFile) []byte {
		return wordField("User interview-20240305_100215-Meeting Recording\nMarch 5, 2024, 9:02AM\n42m 10s\n",
			f.turns, func(s said) string {
				return `<w:p><w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">` + vttEscape.Replace(s.speaker) +
					`   </w:t></w:r><w:r><w:t>` + short(s.start) + `</w:t></w:r><w:r><w:br/><w:t xml:space="preserve">` +
					vttEscape.Replace(s.text) + `</w:t></w:r></w:p>`
			})
	}, nil, false},
	{"Word of Rev", "people roles", timed, func(f fieldFile) []byte {
		return wordField("", f.turns, func(s said) string {
			return wordParagraph(fmt.Sprintf("%s (%s):", s.speaker, mmss(s.start))) + wordParagraph(s.text)
		})
	}, nil, false},
	{"Word of Amberscript", "numbered people", timed, func(f fieldFile) []byte {
		return wordField("", f.turns, func(s said) string {
			return wordParagraph(s.speaker+" ("+clockS(s.start)+")") + wordParagraph(s.text)
		})
	}, nil, false},
	{"ODT, bold names", "codes firsts", untimed, plainField(odtTurns(func(s said) string {
		return `<text:p><text:span text:style-name="T1">` + odtText(s.speaker) + `:</text:span><text:tab/>` +
			odtText(s.text) + "</text:p>"
	})), nil, false},
	{"HTML of a page", "people", timed,
		fieldTurns("<html><head><title>Interview</title><script>var a = 1;</script></head><body><nav>"+
			"<a href=\"/\">Home</a></nav><main><h1>Interview 12</h1>\n", "</main></body></html>",
			func(_ int, s said) string {
				return fmt.Sprintf("<div class=\"turn\"><h3>%s <time>%s</time></h3><p>%s</p></div>\n",
					htmlText(s.speaker), mmss(s.start), htmlText(s.text))
			}), nil, false},
	{"HTML of oTranscribe", "codes firsts", timed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf(`<p><span class="timestamp" contenteditable="false" data-timestamp="%.6f">%s</span>`+
			`&nbsp;<b>%s:</b> %s<br /></p>`+"\n", s.start.Seconds(), mmss(s.start),
			htmlText(s.speaker), htmlText(s.text))
	}), nil, false},
}

// wordField writes a Word document with paragraphs before the turns.
func wordField(before string, turns []said, turn func(s said) string) []byte {
	var b strings.Builder
	for line := range strings.Lines(before) {
		b.WriteString(wordParagraph(strings.TrimSpace(line)))
	}
	for _, s := range turns {
		b.WriteString(turn(s))
	}
	return docxOf(b.String())
}

func wordParagraph(text string) string {
	return `<w:p><w:r><w:t xml:space="preserve">` + vttEscape.Replace(text) + `</w:t></w:r></w:p>`
}
