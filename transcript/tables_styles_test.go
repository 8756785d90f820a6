package transcript_test

import (
	"encoding/csv"
	"fmt"
	"strings"
	"time"
)

// tableStyles are tables of commas, tabs and cells.
var tableStyles = styles{
	bakery: []style{
		{"CSV", "", lines, timed, csvOf(',', rowsOf([]string{"Start", "End", "Speaker", "Text"}, timeSpeakerText)),
			nil},
		{"CSV, two columns", "", lines, untimed, csvOf(',',
			rowsOf([]string{"speaker", "transcript"}, speakerAndText)), nil},
		{"CSV, two columns without heading", "", lines, untimed, csvOf(',', rowsOf(nil, speakerAndText)), nil},
		{"CSV, semicolons", "", lines, timed, csvOf(';', rowsOf(nil, timeSpeakerText)), nil},
		{"TSV in milliseconds", "", lines, timed, csvOf('\t', rowsOf([]string{"start_ms", "speaker", "utterance"},
			func(_ int, s said) []string {
				return []string{fmt.Sprint(s.start.Milliseconds()), s.speaker, oneLine(s.text)}
			})), nil},
		{"CSV in seconds", "", lines, timed, csvOf(',',
			rowsOf([]string{"id", "speaker", "start_time", "end_time", "content"},
				func(i int, s said) []string {
					return []string{
						fmt.Sprint(i), s.speaker, fmt.Sprint(s.start.Seconds()), fmt.Sprint(s.end.Seconds()), s.text,
					}
				})), nil},
		{"XLSX", "", lines, timed, xlsxOf(rowsOf([]string{"Zeit", "Ende", "Sprecher", "Inhalt"}, timeSpeakerText)),
			nil},
		{"XLSX, two columns", "", lines, untimed, xlsxOf(rowsOf(nil, speakerAndText)), nil},
	},
	stories: []style{
		{"Fireflies CSV", "people", lines, timed, between("speaker_name,time,endTime,sentence\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s,%s,%s,%s\n", csvCell(s.speaker), mmss(s.start), mmss(s.end), csvCell(s.text))
			}), nil},
		{"Dovetail CSV", "people firsts", lines, timed, between("Start time,End time,Speaker,Transcript\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s,%s,%s,%s\n", clockS(s.start), clockS(s.end), csvCell(s.speaker), csvCell(s.text))
			}), nil},
		{"Discord CSV", "accounts", lines, clockTimed, between(
			"AuthorID,Author,Date,Content,Attachments,Reactions\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("\"1\",%s,%s,%s,\"\",\"\"\n", csvCell(s.speaker),
					csvCell(stampAt(s.start, "2006-01-02T15:04:05.0000000+00:00")), csvCell(s.text))
			}), nil},
		{"Premiere CSV", "people numbered", lines, timed, between("Speaker Name,Start Time,End Time,Text\r\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s,%s,%s,%s\r\n", csvCell(s.speaker), csvCell(clockS(s.start)+":00"),
					csvCell(clockS(s.end)+":00"), csvCell(s.text))
			}), nil},
		{"MacWhisper CSV", "numbered", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s,%s,%s,%s\n", csvCell(clockMS(s.start, ".")), csvCell(clockMS(s.end, ".")),
				csvCell(s.speaker), csvCell(s.text))
		}), nil},
		{"CSV after a title", "people", lines, timed, between("Bakery interview\n\nSpeaker;Start;Text\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s;%s;%s\n", s.speaker, clockS(s.start), csvCell(s.text))
			}), nil},
	},
	ward: []style{
		{"CSV, timestamp and utterance", "people roles", lines, timed, csvOf(',', rowsOf([]string{"Timestamp",
			"Until", "Speaker", "Utterance"}, timeSpeakerText)), nil},
		{"CSV in French", "people", lines, timed, csvOf(';', rowsOf([]string{"Début", "Fin", "Locuteur", "Texte"},
			func(_ int, s said) []string {
				return []string{clockMS(s.start, ","), clockMS(s.end, ","), s.speaker, s.text}
			})), nil},
		{"CSV in milliseconds", "numbered", lines, timed, csvOf(',', rowsOf([]string{"id", "start_ms", "end_ms",
			"speaker_id", "text"}, func(i int, s said) []string {
			return []string{fmt.Sprint(i), fmt.Sprint(s.start.Milliseconds()),
				fmt.Sprint(s.end.Milliseconds()), s.speaker, s.text}
		})), nil},
		{"TSV, spkr", "letters", oneLiners, timed, csvOf('\t', rowsOf([]string{"begin", "end", "spkr",
			"transcription"}, func(_ int, s said) []string {
			return []string{fmt.Sprintf("%.3f", s.start.Seconds()), fmt.Sprintf("%.3f", s.end.Seconds()), s.speaker,
				s.text}
		})), nil},
		{"CSV with codes", "roles letters", lines, untimed, csvOf(',', rowsOf([]string{"Turn", "Who", "Quote"},
			func(i int, s said) []string {
				return []string{fmt.Sprint(i + 1), s.speaker, s.text}
			})), nil},
		{"CSV, role and message", "roles", lines, untimed, csvOf(',', rowsOf([]string{"role", "message"},
			speakerAndText)), nil},
		{"XLSX, time, name, text", "people", lines, timed, xlsxOf(rowsOf([]string{"Timecode In", "Timecode Out",
			"Name", "Dialogue"}, timeSpeakerText)), nil},
	},
	wardRare: []style{
		{"CSV, milliseconds and initials", "letters", lines, timed, csvOf(',', rowsOf([]string{"in", "out", "who",
			"what"},
			func(_ int, s said) []string {
				return []string{fmt.Sprint(s.start.Milliseconds()), fmt.Sprint(s.end.Milliseconds()),
					s.speaker, s.text}
			})), nil},
		{"CSV, one time", "people", lines, timed, csvOf(';', rowsOf([]string{"Zeitmarke", "Person", "Wortlaut"},
			func(_ int, s said) []string { return []string{clockS(s.start), s.speaker, s.text} })), nil},
		{"CSV without heading", "people", lines, timed, csvOf(',', rowsOf(nil, func(_ int, s said) []string {
			return []string{s.speaker, mmss(s.start), s.text}
		})), nil},
	},
	clinic: []style{
		{"LinkedIn messages", "people", oneLiners, clockTimed, func(turns []said) []byte {
			headings := []string{"CONVERSATION ID", "FROM", "TO", "DATE", "SUBJECT", "CONTENT", "FOLDER"}
			return csvOf(',', rowsOf(headings, func(_ int, s said) []string {
				at := stampAt(s.start, "2006-01-02 15:04:05 UTC")
				return []string{"2-abc==", s.speaker, "Somebody Else", at, "", s.text, "INBOX"}
			}))(turns)
		}, nil},
		{"Condens XLSX", "people roles", oneLiners, timed,
			xlsxOf(rowsOf([]string{"Session", "Timestamp", "Speaker", "Content", "Tags"},
				func(_ int, s said) []string {
					return []string{"Interview 3", clockS(s.start), s.speaker, s.text, "pain"}
				})), nil},
		{"CSV of a chat", "firsts", oneLiners, clockTimed, csvOf(',',
			rowsOf([]string{"created_at", "user", "message"}, func(_ int, s said) []string {
				return []string{stampAt(s.start, "2006-01-02T15:04:05Z"), s.speaker, s.text}
			})), nil},
		{"CSV, turn and tokens", "codes", oneLiners, untimed,
			csvOf(',', rowsOf([]string{"turn_id", "spk", "tokens", "utt"},
				func(i int, s said) []string {
					return []string{fmt.Sprint(i), s.speaker, fmt.Sprint(len(strings.Fields(s.text))), s.text}
				})), nil},
	},
	desk: []style{
		{"CSV of Descript", "people", lines, timed, csvOf(',',
			rowsOf([]string{"Speaker Name", "Start Time", "End Time", "Transcript"},
				func(_ int, s said) []string {
					return []string{s.speaker, clockS(s.start), clockS(s.end), s.text}
				})), nil},
		{"CSV of Fireflies", "people", oneLiners, timed, csvOf(',',
			rowsOf([]string{"Sentence", "Start Time", "End Time", "Speaker"},
				func(_ int, s said) []string {
					return []string{s.text, mmss(s.start), mmss(s.end), s.speaker}
				})), nil},
		{"CSV of a survey tool", "people roles", lines, timed, csvOf(',', rowsOf([]string{
			"#", "Timecode", "Duration", "Speaker", "Dialogue", "Annotations", "Error Type",
		}, func(i int, s said) []string {
			return []string{
				fmt.Sprint(i + 1), clockMS(s.start, "."), clockMS(s.end-s.start, "."), s.speaker, s.text, "", "",
			}
		})), nil},
		{"CSV with notes", "codes people", lines, untimed, csvOf(',',
			rowsOf([]string{"Participant", "Quote", "Code", "Notes"},
				func(i int, s said) []string {
					return []string{s.speaker, s.text, []string{"pain point", "workaround", "tools"}[i%3], "check"}
				})), nil},
		{"CSV with semicolons in German", "people roles", lines, timed,
			csvOf(';', rowsOf([]string{"Nr.", "Zeit von", "Zeit bis", "Person", germanTranscript},
				func(i int, s said) []string {
					return []string{fmt.Sprint(i + 1), clockS(s.start), clockS(s.end), s.speaker, s.text}
				})), nil},
		{"XLSX, in and out", "people", lines, timed,
			xlsxOf(rowsOf([]string{"TC In", "TC Out", "Speaker", "Text"}, timeSpeakerText)), nil},
		{"XLSX with a title", "people roles", lines, untimed, xlsxOf(func(turns []said) [][]string {
			rows := [][]string{{"Interview 12"}, {"Date", "2024-03-05"}, {}, {"Speaker", "Utterance"}}
			for _, s := range turns {
				rows = append(rows, []string{s.speaker, s.text})
			}
			return rows
		}), nil},
	},
}

// tableTalks returns the styles of tables.
func tableTalks() []talkStyle {
	return []talkStyle{
		{"csv, dovetail", "en-clinic en-panel tr-kafe", nil, time.Second,
			columns(',', "Timestamp,Speaker,Transcript",
				func(_ int, s said) []string { return []string{clockS(s.start), s.speaker, s.text} })},
		{"csv, descript", "en-invoices en-panel", nil, ms, columns(',', "Speaker Name,Start Time,End Time,Text",
			func(_ int, s said) []string {
				return []string{s.speaker, clockMS(s.start, "."), clockMS(s.end, "."), s.text}
			})},
		{"csv, semicolons", "de-werkstatt fr-boulangerie nl-fietsen", nil, time.Second, columns(';',
			"Nr.;Zeit;Sprecher;Text",
			func(i int, s said) []string { return []string{fmt.Sprint(i + 1), clockS(s.start), s.speaker, s.text} })},
		{"csv, codes beside the words", "en-clinic en-founder", nil, time.Second, columns(',',
			"ID,Participant,Start,Quote,Tags,Sentiment,Notes", func(i int, s said) []string {
				tag := []string{"", "pain point", "workaround; paper"}[i%3]
				return []string{fmt.Sprint(100 + i), s.speaker, mmss(s.start), s.text, tag, "neutral", ""}
			})},
		{"csv, no headings", "en-clinic es-tienda", nil, time.Second, columns(',', "",
			func(_ int, s said) []string { return []string{clockS(s.start), s.speaker, s.text} })},
		{"csv, seconds", "en-invoices pl-apteka", nil, 10 * ms, columns(',', "start,end,speaker,text",
			func(_ int, s said) []string {
				return []string{hundredths(s.start), hundredths(s.end), s.speaker, s.text}
			})},
		{"tsv, whisper", "en-clinic ru-salon", nil, ms, unspoken(columns('\t', "start\tend\ttext",
			func(_ int, s said) []string {
				return []string{millis(s.start), millis(s.end), s.text}
			}))},
		{"tsv, copied from a sheet", "en-panel zh-huadian", nil, time.Second,
			columns('\t', "Time\tWho\tWhat was said",
				func(_ int, s said) []string { return []string{short(s.start), s.speaker, s.text} })},
		{"csv, speaker and words only", "en-clinic ko-hakwon", nil, 0, columns(',', "speaker,text",
			func(_ int, s said) []string { return []string{s.speaker, s.text} })},
		{"markdown table", "en-invoices en-founder", nil, time.Second, framed(
			"| Time | Speaker | Text |\n|---|---|---|\n", "", func(_ int, s said) string {
				return fmt.Sprintf("| %s | %s | %s |\n", mmss(s.start), s.speaker, s.text)
			})},
	}
}

// columns returns a style's write for a table with these headings.
func columns(comma rune, head string, row func(i int, s said) []string) func(*file) {
	return func(f *file) {
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

func millis(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }
