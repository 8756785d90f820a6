package transcript_test

import (
	"fmt"
	"strings"
)

func csvCell(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// otherExports are tables, documents and data.
var otherExports = []exportStyle{
	{"Fireflies CSV", "people", lines, timed, eachExportTurn("speaker_name,time,endTime,sentence\n", "",
		func(_ int, s said) string {
			return fmt.Sprintf("%s,%s,%s,%s\n", csvCell(s.speaker), mmss(s.start), mmss(s.end), csvCell(s.text))
		}), nil},
	{"Dovetail CSV", "people firsts", lines, timed,
		eachExportTurn("Start time,End time,Speaker,Transcript\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s,%s,%s,%s\n", clockS(s.start), clockS(s.end), csvCell(s.speaker), csvCell(s.text))
			}), nil},
	{"NVivo table", "people", oneLiners, timed, eachExportTurn("Timespan\tContent\tSpeaker\n", "",
		func(_ int, s said) string {
			return fmt.Sprintf("%s - %s\t%s\t%s\n", clockMS(s.start, ".")[3:10],
				clockMS(s.end, ".")[3:10], s.text, s.speaker)
		}), nil},
	{"Discord CSV", "accounts", lines, clockTimed, eachExportTurn(
		"AuthorID,Author,Date,Content,Attachments,Reactions\n", "",
		func(_ int, s said) string {
			return fmt.Sprintf("\"1\",%s,%s,%s,\"\",\"\"\n", csvCell(s.speaker),
				csvCell(stampAt(s.start, "2006-01-02T15:04:05.0000000+00:00")), csvCell(s.text))
		}), nil},
	{"ELAN", "firsts", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s\t\t%s\t%s\t%s\t%s\n", s.speaker, clockMS(s.start, "."), clockMS(s.end, "."),
			clockMS(s.end-s.start, "."), s.text)
	}), nil},
	{"Premiere CSV", "people numbered", lines, timed,
		eachExportTurn("Speaker Name,Start Time,End Time,Text\r\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s,%s,%s,%s\r\n", csvCell(s.speaker), csvCell(clockS(s.start)+":00"),
					csvCell(clockS(s.end)+":00"), csvCell(s.text))
			}), nil},
	{"MacWhisper CSV", "numbered", lines, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s,%s,%s,%s\n", csvCell(clockMS(s.start, ".")), csvCell(clockMS(s.end, ".")),
			csvCell(s.speaker), csvCell(s.text))
	}), nil},
	{"table in Markdown", "people letters", oneLiners, timed, eachExportTurn(
		"| Time | Who | What was said |\n|------|-----|------|\n", "", func(_ int, s said) string {
			return fmt.Sprintf("| %s | **%s** | %s |\n", mmss(s.start), s.speaker,
				strings.ReplaceAll(s.text, "|", `\|`))
		}), nil},
	{"table after a title", "people letters", oneLiners, timed, eachExportTurn(
		"# Bakery\n\nTranscribed on March 5.\n\n| Time | Speaker | Text |\n|------|-----|------|\n", "",
		func(_ int, s said) string {
			return fmt.Sprintf("| %s | %s | %s |\n", mmss(s.start), s.speaker, strings.ReplaceAll(s.text, "|", `\|`))
		}), nil},
	{"CSV after a title", "people", lines, timed, eachExportTurn("Bakery interview\n\nSpeaker;Start;Text\n", "",
		func(_ int, s said) string {
			return fmt.Sprintf("%s;%s;%s\n", s.speaker, clockS(s.start), csvCell(s.text))
		}), nil},
	{"Podcasting 2.0 in HTML", "people firsts", lines, timed, eachExportTurn("<!DOCTYPE html>\n<html><body>\n",
		"</body></html>\n", func(_ int, s said) string {
			return fmt.Sprintf("<cite>%s:</cite>\n<time>%s</time>\n<p>%s</p>\n",
				vttEscape.Replace(s.speaker), short(s.start), vttEscape.Replace(s.text))
		}), nil},
	{"page with definition lists", "people", lines, untimed,
		eachExportTurn("<html><body><dl>\n", "</dl></body></html>\n",
			func(_ int, s said) string {
				return fmt.Sprintf("<dt>%s</dt>\n<dd>%s</dd>\n", vttEscape.Replace(s.speaker), vttEscape.Replace(s.text))
			}), nil},
	{"page with bold names", "people firsts", lines, untimed,
		eachExportTurn("<html><body>\n", "</body></html>\n",
			func(_ int, s said) string {
				return fmt.Sprintf("<p><strong>%s:</strong> %s</p>\n", vttEscape.Replace(s.speaker),
					vttEscape.Replace(s.text))
			}), nil},
	{"Telegram HTML", "people", lines, chatTimed,
		eachExportTurn("<!DOCTYPE html><html><body><div class=\"history\">\n",
			"</div></body></html>\n", func(_ int, s said) string {
				return fmt.Sprintf("<div class=\"message default clearfix\"><div class=\"pull_right date details\" "+
					"title=\"%s\">%s</div><div class=\"from_name\">%s</div><div class=\"text\">%s</div></div>\n",
					minuteAt(s.start, "02.01.2006 15:04:05"), minuteAt(s.start, "15:04"), vttEscape.Replace(s.speaker),
					vttEscape.Replace(s.text))
			}), nil},
	{"Word, names and breaks", "people numbered", lines, untimed, func(turns []said) []byte {
		var all []string
		for _, s := range turns {
			all = append(all, s.speaker+":\n"+s.text)
		}
		return docx(all...)
	}, nil},
	{"Word, tabs", "letters firsts", oneLiners, untimed, func(turns []said) []byte {
		var body strings.Builder
		for _, s := range turns {
			fmt.Fprintf(&body, "<w:p><w:r><w:t>%s:</w:t></w:r><w:r><w:tab/></w:r>"+
				"<w:r><w:t xml:space=\"preserve\">%s</w:t></w:r></w:p>",
				vttEscape.Replace(s.speaker), vttEscape.Replace(s.text))
		}
		return docxOf(body.String())
	}, nil},
	{"Word, names in paragraphs", "people", lines, untimed, func(turns []said) []byte {
		all := []string{"Interview with a bakery"}
		for _, s := range turns {
			all = append(all, s.speaker, s.text)
		}
		return docx(all...)
	}, nil},
	{"insanely-fast-whisper", "numbered", lines, timed, eachServiceTurn(func(s serviceTurn) object {
		return object{"speaker": s.speaker, "timestamp": []float64{s.start.Seconds(), s.end.Seconds()},
			"text": " " + s.text}
	}, func(list []object) any { return object{"speakers": list, "chunks": list, "text": "…"} }), nil},
	{"VAPI", "roles", lines, timed, eachServiceTurn(func(s serviceTurn) object {
		return object{"role": s.speaker, "message": s.text, "secondsFromStart": s.start.Seconds(),
			"time": corpusBase.Add(s.start).UnixMilli()}
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
}
