package transcript_test

import (
	"fmt"
	"strings"
	"time"
)

// thirdSet returns the styles of the third set.
func thirdSet() []exportStyle {
	var styles []exportStyle
	for _, group := range [][]exportStyle{thirdTools, thirdCaptions, thirdTyped, thirdRecords, thirdPages,
		thirdChats, thirdData} {
		styles = append(styles, group...)
	}
	return styles
}

// thirdTools are texts of programs that transcribe or analyse.
var thirdTools = []exportStyle{
	{"Otter with keywords", "people numbered", paragraphs, timed, eachExportTurn(
		"Interview 7\nTue, Mar 5, 2024 10:02AM • 32:10\n\nSUMMARY KEYWORDS\nward, printer, list, office\n\n"+
			"SPEAKERS\nPriya Raman, Tom Hendriks\n\n", "", func(_ int, s said) string {
			return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
	{"Riverside with milliseconds", "people", oneLiners, timed, eachExportTurn("", "", func(_ int,
		s said) string {
		return fmt.Sprintf("%s (%s)\n%s\n\n", s.speaker, minuteMS(s.start), s.text)
	}), nil},
	{"Descript, bold names and times", "people firsts", lines, timed, eachExportTurn("# Interview 7\n\n", "",
		func(_ int, s said) string {
			return fmt.Sprintf("**%s:** [%s] %s\n\n", s.speaker, clockS(s.start), s.text)
		}), nil},
	{"Webex text", "people guests", oneLiners, timed, eachExportTurn("Transcript for meeting Interview 7\n\n",
		"",
		func(_ int, s said) string {
			return fmt.Sprintf("%s  %s\n%s\n", s.speaker, mmss(s.start), s.text)
		}), nil},
	{"Fathom with a link", "people", oneLiners, timed, eachExportTurn("Impromptu Meeting - March 05\n"+
		"VIEW RECORDING - 32 mins (No highlights): https://fathom.example/share/xyz\n\n---\n\n", "",
		func(_ int, s said) string {
			return fmt.Sprintf("%s - %s\n  %s\n\n", short(s.start), s.speaker, s.text)
		}), nil},
	{"Fathom with companies", "people", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s - %s (Acme Corp)\n  %s\n\n", short(s.start), s.speaker, s.text)
	}), func(label string, _ int) string { return label + " (Acme Corp)" }},
	{"tl;dv page", "people firsts", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s\n%s\n\n", mmss(s.start), s.speaker, s.text)
	}), nil},
	{"Gong, bars", "people", oneLiners, timed, eachExportTurn(
		"Interview 7\nRecorded on Mar 5, 2024 via Zoom, 32m\n\nParticipants\n\nAcme\nPriya Raman\n\n"+
			"Transcript\n\n", "",
		func(_ int, s said) string { return fmt.Sprintf("%s | %s\n%s\n\n", short(s.start), s.speaker, s.text) }),
		nil},
	{"Looppanel, dots", "people roles", paragraphs, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s • %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
	}), nil},
	{"Notion, code times", "people firsts numbered", paragraphs, timed, eachExportTurn("# Interview 7\n\n", "",
		func(_ int, s said) string {
			return fmt.Sprintf("`%s` **%s**\n\n%s\n\n", mmss(s.start), s.speaker, s.text)
		}), nil},
	{"bold names, code times", "people roles", oneLiners, timed, eachExportTurn("", "", func(_ int,
		s said) string {
		return fmt.Sprintf("**%s** `%s`\n%s\n\n", s.speaker, mmss(s.start), s.text)
	}), nil},
	{"headings of names and times", "people numbered", paragraphs, timed, eachExportTurn("# Interview 7\n\n", "",
		func(_ int, s said) string {
			return fmt.Sprintf("### %s (%s)\n\n%s\n\n", s.speaker, clockS(s.start), s.text)
		}), nil},
	{"Happy Scribe, dash", "people numbered", lines, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s] - %s\n%s\n\n", clockMS(s.start, "."), s.speaker, s.text)
	}), nil},
	{"Sonix, name then time", "people numbered", paragraphs, timed, eachExportTurn("", "", func(_ int,
		s said) string {
		return fmt.Sprintf("%s: [%s]\n%s\n\n", s.speaker, clockS(s.start), s.text)
	}), nil},
	{"Trint, time in its own line", "people numbered", paragraphs, timed, eachExportTurn("", "", func(_ int,
		s said) string {
		return fmt.Sprintf("%s\n[%s]\n%s\n\n", s.speaker, clockS(s.start), s.text)
	}), nil},
	{"Amberscript, range below", "numbered people", oneLiners, timed, eachExportTurn("", "", func(_ int,
		s said) string {
		return fmt.Sprintf("%s\n%s - %s\n%s\n\n", s.speaker, clockS(s.start), clockS(s.end), s.text)
	}), nil},
	{"NVivo, tabs", "people letters", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s\t%s\t%s\n", clockMS(s.start, ".")[:10], s.speaker, s.text)
	}), nil},
	{"Atlas.ti", "people letters", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s: %s\n", clockMS(s.start, ".")[:11], s.speaker, s.text)
	}), nil},
	{"MAXQDA, marks before", "letters firsts", oneLiners, timed, eachExportTurn("", "", func(_ int,
		s said) string {
		return fmt.Sprintf("#%s-%d# %s: %s\n\n", clockS(s.start), s.start.Milliseconds()%1000/100, s.speaker,
			s.text)
	}), nil},
	{"MAXQDA, marks after", "letters roles", oneLiners, endTimed, eachExportTurn("Abschrift 7\n\n", "",
		func(_ int, s said) string {
			return fmt.Sprintf("%s: %s #%s-%d#\n\n", s.speaker, s.text, clockS(s.end), s.end.Milliseconds()%1000/100)
		}), nil},
	{"InqScribe, tabs", "firsts letters", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s]\t%s:\t%s\n\n", clockMS(s.start, ".")[:11], s.speaker, s.text)
	}), nil},
	{"Express Scribe", "firsts roles", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s - %s: %s\n\n", clockS(s.start), s.speaker, s.text)
	}), nil},
	{"Whisper lines with speakers in brackets", "numbered", oneLiners, timed, eachExportTurn("", "",
		func(_ int, s said) string {
			return fmt.Sprintf("[%s --> %s]  [%s] %s\n", minuteMS(s.start), minuteMS(s.end), s.speaker, s.text)
		}), nil},
	{"pyannote with Whisper", "numbered", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%.2f %.2f %s %s\n", s.start.Seconds(), s.end.Seconds(), strings.ReplaceAll(s.speaker,
			" ", "_"),
			s.text)
	}), func(label string, _ int) string { return strings.ReplaceAll(label, " ", "_") }},
	{"MacWhisper, ranges in brackets", "numbered firsts", oneLiners, timed, eachExportTurn("", "",
		func(_ int, s said) string {
			return fmt.Sprintf("%s (%s - %s): %s\n\n", s.speaker, short(s.start), short(s.end), s.text)
		}), nil},
	{"Aiko", "firsts", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s -> %s] %s\n", clockS(s.start), clockS(s.end), s.text)
	}), nobody},
	{"Notta, name and time", "people numbered", paragraphs, timed, eachExportTurn(
		"Interview 7\n2024-03-05 10:02:15|32 min|Priya\n\nTranscript\n", "", func(_ int, s said) string {
			return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
	{"Tactiq", "people", oneLiners, timed, eachExportTurn(
		"Interview 7\n\ndate: 2024-03-05\nlink: https://meet.example.com/abc\n\nTranscript:\n", "", func(_ int,
			s said) string {
			return fmt.Sprintf("%s %s: %s\n", clockS(s.start), s.speaker, s.text)
		}), nil},
	{"Marvin", "people roles", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s [%s]: %s\n\n", s.speaker, clockS(s.start), s.text)
	}), nil},
	{"CLOVA Note", "people numbered", oneLiners, timed,
		eachExportTurn("새로운 노트\n2024.03.05 화 오전 10:02 ・ 32분 10초\n김민수\n\n", "",
			func(_ int, s said) string { return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, mmss(s.start), s.text) }),
		nil},
	{"Feishu", "people numbered", oneLiners, timed,
		eachExportTurn("2024年3月5日 10:02|32分钟 10秒\n\n关键词:\n病房、打印机\n\n文字记录:\n", "",
			func(_ int, s said) string { return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, clockS(s.start), s.text) }),
		nil},
	{"Trint in German", "people", paragraphs, timed,
		eachExportTurn("Dateiname: interview7.mp3\nDauer: 00:32:10\n\n", "",
			func(_ int, s said) string { return fmt.Sprintf("%s [%s]\n%s\n\n", s.speaker, clockS(s.start), s.text) }),
		nil},
	{"times in words before names", "firsts people", oneLiners, timed, eachExportTurn("", "", func(_ int,
		s said) string {
		m, sec := int(s.start.Minutes()), int(s.start.Seconds())%60
		return fmt.Sprintf("%s (%dm%02ds): %s\n\n", s.speaker, m, sec, s.text)
	}), nil},
	{"seconds in brackets", "numbered firsts", oneLiners, timed, eachExportTurn("", "", func(_ int,
		s said) string {
		return fmt.Sprintf("[%.1fs - %.1fs] %s: %s\n", s.start.Seconds(), s.end.Seconds(), s.speaker, s.text)
	}), nil},
	{"numbered segments", "people numbered", oneLiners, timed, eachExportTurn("", "", func(i int,
		s said) string {
		return fmt.Sprintf("%d\n%s\n%s\n%s\n\n", i+1, clockS(s.start), s.speaker, s.text)
	}), nil},
	{"a title of tool at the foot", "people", oneLiners, untimed, eachExportTurn("",
		"\nTranscribed by https://otter.ai\n",
		func(_ int, s said) string { return fmt.Sprintf("%s: %s\n\n", s.speaker, s.text) }), nil},
	{"summary, then transcript", "people", oneLiners, timed,
		eachExportTurn("Summary\nThey talk about lists.\n\nAction items\n"+
			"- Tom: send the list\n- Priya: call the office\n\nTranscript\n\n", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s: %s\n", clockS(s.start), s.speaker, s.text)
		}), nil},
}

// thirdCaptions are captions and subtitles.
var thirdCaptions = []exportStyle{
	{"Webex VTT", "people guests", lines, timed, eachCue("WEBVTT\n\n", func(i int, c captionCue) string {
		return fmt.Sprintf("%d \"%s\" (3425611776)\n%s\n%s\n\n", i+1, c.speaker, vttTimes(c.said), c.text)
	}), nil},
	{"VTT, two voices in a cue", "people", oneLiners, untimed, func(turns []said) []byte {
		var b strings.Builder
		b.WriteString("WEBVTT\n\n")
		for i := 0; i < len(turns); i += 2 {
			s := turns[i]
			last := s
			text := fmt.Sprintf("<v %s>%s</v>", s.speaker, vttEscape.Replace(s.text))
			if i+1 < len(turns) {
				last = turns[i+1]
				text += fmt.Sprintf("\n<v %s>%s</v>", last.speaker, vttEscape.Replace(last.text))
			}
			fmt.Fprintf(&b, "%s --> %s\n%s\n\n", clockMS(s.start, "."), clockMS(last.end, "."), text)
		}
		return []byte(b.String())
	}, nil},
	{"VTT, voices on first cues", "people numbered", lines, timed, eachCue("WEBVTT\n\n", func(_ int,
		c captionCue) string {
		return fmt.Sprintf("%s\n%s%s\n\n", vttTimes(c.said), firstOnly(c, "<v "+c.speaker+">"),
			vttEscape.Replace(c.text))
	}), nil},
	{"SRT, capitals first with dash", "capitals", lines, timed, eachCue("", func(i int, c captionCue) string {
		return fmt.Sprintf("%d\n%s\n%s%s\n\n", i+1, srtTimes(c.said), firstOnly(c, "- "+c.speaker+": "), c.text)
	}), nil},
	{"SRT, names above on first cues", "people firsts", lines, timed, eachCue("", func(i int,
		c captionCue) string {
		return fmt.Sprintf("%d\n%s\n%s%s\n\n", i+1, srtTimes(c.said), firstOnly(c, c.speaker+":\n"), wrap(c.text))
	}), nil},
	{"SRT, bracketed capitals first", "capitals", lines, timed, eachCue("", func(i int, c captionCue) string {
		return fmt.Sprintf("%d\n%s\n%s%s\n\n", i+1, srtTimes(c.said), firstOnly(c, "["+c.speaker+"] "),
			wrap(c.text))
	}), nil},
	{"SRT, round brackets first", "people firsts", lines, timed, eachCue("", func(i int, c captionCue) string {
		return fmt.Sprintf("%d\n%s\n%s%s\n\n", i+1, srtTimes(c.said), firstOnly(c, "("+c.speaker+") "), c.text)
	}), nil},
	{"SRT, dashes of speech", "firsts", lines, timed, eachCue("", func(i int, c captionCue) string {
		return fmt.Sprintf("%d\n%s\n%s%s\n\n", i+1, srtTimes(c.said), firstOnly(c, "- "), c.text)
	}), nobody},
	{"SRT, chevrons without names", "firsts", lines, timed, eachCue("", func(i int, c captionCue) string {
		return fmt.Sprintf("%d\n%s\n%s%s\n\n", i+1, srtTimes(c.said), firstOnly(c, ">> "), c.text)
	}), nobody},
	{"SRT, italic names first", "people", lines, timed, eachCue("", func(i int, c captionCue) string {
		return fmt.Sprintf("%d\n%s\n%s%s\n\n", i+1, srtTimes(c.said), firstOnly(c, "<i>"+c.speaker+":</i> "),
			c.text)
	}), nil},
	{"SRT with positions", "numbered people", lines, timed, eachCue("", func(i int, c captionCue) string {
		return fmt.Sprintf("%d\n%s\n{\\an8}%s: %s\n\n", i+1, srtTimes(c.said), c.speaker, c.text)
	}), nil},
	{"SRT in points", "people", lines, timed, eachCue("", func(i int, c captionCue) string {
		return fmt.Sprintf("%d\n%s\n%s: %s\n\n", i+1, vttTimes(c.said), c.speaker, c.text)
	}), nil},
	{"VTT with bars", "people", lines, timed, eachCue("WEBVTT\n\n", func(_ int, c captionCue) string {
		return fmt.Sprintf("%s\n%s | %s\n\n", vttTimes(c.said), c.speaker, c.text)
	}), nil},
	{"VTT with chapters in notes", "people", lines, timed, eachCue("WEBVTT\n\nNOTE Chapter: Intro\n\n",
		func(i int, c captionCue) string {
			note := ""
			if i%9 == 8 {
				note = "NOTE Confidence: 0.87\n\n"
			}
			return fmt.Sprintf("%s%s\n%s: %s\n\n", note, vttTimes(c.said), c.speaker, c.text)
		}), nil},
	{"VTT, speakers as classes", "firsts", lines, timed, eachCue("WEBVTT\n\n", func(_ int, c captionCue) string {
		return fmt.Sprintf("%s\n<c.speaker>%s:</c> %s\n\n", vttTimes(c.said), c.speaker, c.text)
	}), nil},
	{"SBV, names on first cues", "people", lines, timed, eachCue("", func(_ int, c captionCue) string {
		return fmt.Sprintf("%s,%s\n%s%s\n\n", clockMS(c.start, ".")[1:], clockMS(c.end, ".")[1:], firstOnly(c,
			c.speaker+": "),
			c.text)
	}), nil},
	{"LRC", "firsts", oneLiners, timed, eachExportTurn("[ti:Interview 7]\n[by:Tool]\n", "", func(_ int,
		s said) string {
		return fmt.Sprintf("[%02d:%02d.%02d]%s: %s\n", int(s.start.Minutes()), int(s.start.Seconds())%60,
			s.start.Milliseconds()%1000/10, s.speaker, s.text)
	}), nil},
	{"MicroDVD", "firsts", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("{%d}{%d}%s\n", s.start*25/time.Second, s.end*25/time.Second, s.text)
	}), nobody},
	{"YouTube, chevrons and names", "capitals", capitals, timed,
		eachCue("WEBVTT\nKind: captions\nLanguage: en\n\n",
			func(_ int, c captionCue) string {
				return fmt.Sprintf("%s align:start position:0%%\n%s%s\n\n", vttTimes(c.said), firstOnly(c, "&gt;&gt; "+
					c.speaker+": "),
					vttEscape.Replace(c.text))
			}), nil},
	{"Zoom captions with clock", "people", oneLiners, dayTimed, eachExportTurn("", "", func(_ int,
		s said) string {
		return fmt.Sprintf("[%s] %s\n%s\n\n", s.speaker, stampAt(s.start, "15:04:05"), s.text)
	}), nil},
	{"ASS without styles", "people", oneLiners, timed,
		eachExportTurn("[Script Info]\nTitle: Interview 7\n\n[Events]\n"+
			"Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n", "", func(_ int,
			s said) string {
			stamp := func(d time.Duration) string { return clockMS(d, ".")[1:11] }
			return fmt.Sprintf("Dialogue: 0,%s,%s,Default,%s,0,0,0,,%s\n", stamp(s.start), stamp(s.end),
				strings.ReplaceAll(s.speaker, ",", ""), s.text)
		}), nil},
}
