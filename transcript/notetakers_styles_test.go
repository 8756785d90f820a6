package transcript_test

import (
	"fmt"
	"strings"
)

// notetakerStyles are the texts of tools that record meetings.
var notetakerStyles = styles{
	bakery: []style{
		{"Otter", "", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, short(s.start), s.text)
		}), nil},
		{"Otter with its title", "", lines, timed, between(otterTitle, "", func(_ int, s said) string {
			return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, short(s.start), s.text)
		}), nil},
		{"Fireflies", "", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s - %s\n%s\n\n", s.speaker, short(s.start), s.text)
		}), nil},
	},
	stories: []style{
		{"Otter", "people numbered odd accounts", paragraphs, timed, between(
			"Bakery\nTue, Mar 5, 2024 10:02AM • 14:20\n\nSUMMARY KEYWORDS\nbread, oven, list\n\nSPEAKERS\n"+
				"Dana, Sam\n\n",
			"Transcribed by https://otter.ai\n", func(_ int, s said) string {
				return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
			}), nil},
		{"Otter with CRLF", "people odd firsts", lines, timed, crlf(between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s  %s  \n%s\n\n", s.speaker, short(s.start), s.text)
		})), nil},
		{"Zoom captions", "people accounts firsts", lines, dayTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s\n%s\n\n", s.speaker, dayClock(s.start), s.text)
		}), nil},
		{"Meet", "people firsts", oneLiners, untimed, between(
			"Mar 5, 2024\nBakery (2024-03-05 10:02 GMT+1) - Transcript\nAttendees\nDana Weber, Sam Okafor\n"+
				"Transcript\n\n",
			"\nTranscription ended after 00:32:10\n\nThis editable transcript was computer generated and might "+
				"contain errors. People can also change the text after it was created.\n", func(_ int, s said) string {
				return fmt.Sprintf("%s: %s\n\n", s.speaker, s.text)
			}), nil},
		{"Meet in Markdown", "people", oneLiners, untimed, between(
			"# 📖 Transcript\n\nMar 5, 2024\n\n## Bakery \\- Transcript\n\n### 00:00:00\n\n",
			"\n### Transcription ended after 00:32:10\n\n*This editable transcript was computer generated and might "+
				"contain errors. People can also change the text after it was created.*\n", func(_ int, s said) string {
				return fmt.Sprintf("**%s:** %s  \n", s.speaker, s.text)
			}), nil},
		{"Fireflies", "people numbered guests", lines, timed, between("Bakery - transcript\n\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s - %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
			}), nil},
		{"Fathom", "people guests firsts", lines, timed, between(
			"Bakery interview - March 05\nVIEW RECORDING - 32 mins (No highlights): "+
				"https://fathom.video/share/abc\n\n---\n\n",
			"", func(_ int, s said) string {
				return fmt.Sprintf("%s - %s\n  %s\n\n", short(s.start), s.speaker, s.text)
			}), nil},
		{"Fathom with marks", "people", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("@%s - **%s**\n\n%s\n\n", short(s.start), s.speaker, s.text)
		}), nil},
		{"Grain", "people firsts", lines, timed, between("Bakery interview\n\n", "", func(_ int, s said) string {
			return fmt.Sprintf("%s\n%s\n%s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
		{"tl;dv", "people firsts guests", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s\n%s: %s\n\n", mmss(s.start), s.speaker, s.text)
		}), nil},
		{"tl;dv in brackets", "people numbered", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s: %s\n", mmss(s.start), s.speaker, s.text)
		}), nil},
		{"Gong", "firsts people", lines, timed, between(
			"Bakery discovery call\nRecorded on Mar 5, 2024 via Zoom, 32m\n\nParticipants\n\nLumen\n"+
				"Dana Weber, Researcher\n\nBakery\nSam Okafor, Owner\n\nTranscript\n\n", "", func(_ int, s said) string {
				return fmt.Sprintf("%s | %s\n%s\n\n", short(s.start), s.speaker, s.text)
			}), nil},
		{"Read.ai", "people", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s   %s\n%s\n\n", mmss(s.start), s.speaker, s.text)
		}), nil},
		{"Avoma", "people firsts", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s: (%s)\n%s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
		{"Teams, copied", "people guests", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s\n%s %s\n%s\n", s.speaker, s.speaker, inWords(s.start, " "), s.text)
		}), nil},
		{"Notta", "numbered people", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
		{"Granola", "roles firsts", oneLiners, untimed, between(
			"Meeting Title: Bakery\nDate: Mar 5\n\nTranscript:\n \n", "",
			func(_ int, s said) string { return s.speaker + ": " + s.text + "  \n" }), nil},
		{"Webex", "people", lines, timed, between("WEBVTT\n\n", "", func(i int, s said) string {
			return fmt.Sprintf("%d \"%s\" (%d)\n%s\n%s\n\n", i+1, s.speaker, 2147483+i%2, s.times(" --> ", "."),
				s.text)
		}), nil},
		{"GoTo", "people", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s (%s)\n%s\n", s.speaker, mmss(s.start), s.text)
		}), nil},
		{"RingCentral", "people", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s %s\n%s\n\n", clockS(s.start), s.speaker, s.text)
		}), nil},
	},
	ward: []style{
		{"Otter with keywords", "people numbered", paragraphs, timed, between(
			"Interview 7\nTue, Mar 5, 2024 10:02AM • 32:10\n\nSUMMARY KEYWORDS\nward, printer, list, office\n\n"+
				"SPEAKERS\nPriya Raman, Tom Hendriks\n\n", "", func(_ int, s said) string {
				return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
			}), nil},
		{"Riverside with milliseconds", "people", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s (%s)\n%s\n\n", s.speaker, minuteMS(s.start), s.text)
		}), nil},
		{"Webex text", "people guests", oneLiners, timed, between("Transcript for meeting Interview 7\n\n",
			"",
			func(_ int, s said) string {
				return fmt.Sprintf("%s  %s\n%s\n", s.speaker, mmss(s.start), s.text)
			}), nil},
		{"Fathom with a link", "people", oneLiners, timed, between("Impromptu Meeting - March 05\n"+
			"VIEW RECORDING - 32 mins (No highlights): https://fathom.example/share/xyz\n\n---\n\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s - %s\n  %s\n\n", short(s.start), s.speaker, s.text)
			}), nil},
		{"Fathom with companies", "people", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s - %s (Acme Corp)\n  %s\n\n", short(s.start), s.speaker, s.text)
		}), func(label string, _ int) string { return label + " (Acme Corp)" }},
		{"tl;dv page", "people firsts", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s\n%s\n\n", mmss(s.start), s.speaker, s.text)
		}), nil},
		{"Gong, bars", "people", oneLiners, timed, between(
			"Interview 7\nRecorded on Mar 5, 2024 via Zoom, 32m\n\nParticipants\n\nAcme\nPriya Raman\n\n"+
				"Transcript\n\n", "",
			func(_ int, s said) string { return fmt.Sprintf("%s | %s\n%s\n\n", short(s.start), s.speaker, s.text) }),
			nil},
		{"Looppanel, dots", "people roles", paragraphs, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s • %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
		{"Notta, name and time", "people numbered", paragraphs, timed, between(
			"Interview 7\n2024-03-05 10:02:15|32 min|Priya\n\nTranscript\n", "", func(_ int, s said) string {
				return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
			}), nil},
		{"Tactiq", "people", oneLiners, timed, between(
			"Interview 7\n\ndate: 2024-03-05\nlink: https://meet.example.com/abc\n\nTranscript:\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s %s: %s\n", clockS(s.start), s.speaker, s.text)
			}), nil},
		{"Marvin", "people roles", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s [%s]: %s\n\n", s.speaker, clockS(s.start), s.text)
		}), nil},
		{"CLOVA Note", "people numbered", oneLiners, timed,
			between("새로운 노트\n2024.03.05 화 오전 10:02 ・ 32분 10초\n김민수\n\n", "",
				func(_ int, s said) string { return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, mmss(s.start), s.text) }),
			nil},
		{"Feishu", "people numbered", oneLiners, timed,
			between("2024年3月5日 10:02|32分钟 10秒\n\n关键词:\n病房、打印机\n\n文字记录:\n", "",
				func(_ int, s said) string { return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, clockS(s.start), s.text) }),
			nil},
		{"a title of tool at the foot", "people", oneLiners, untimed, between("",
			"\nTranscribed by https://otter.ai\n",
			func(_ int, s said) string { return fmt.Sprintf("%s: %s\n\n", s.speaker, s.text) }), nil},
		{"summary, then transcript", "people", oneLiners, timed,
			between("Summary\nThey talk about lists.\n\nAction items\n"+
				"- Tom: send the list\n- Priya: call the office\n\nTranscript\n\n", "", func(_ int, s said) string {
				return fmt.Sprintf("[%s] %s: %s\n", clockS(s.start), s.speaker, s.text)
			}), nil},
	},
	wardRare: []style{
		{"Granola notes", "people", oneLiners, untimed, between("Interview 7\n\nTranscript:\n\n", "",
			func(_ int, s said) string { return s.speaker + ":  " + s.text + "\n" }), nil},
		{"Supernormal", "people", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s · %s\n%s\n\n", s.speaker, short(s.start), s.text)
		}), nil},
		{"Grain clips", "people", paragraphs, timed, between("# Interview 7\n", "", func(_ int, s said) string {
			return fmt.Sprintf("\n**%s** (%s)\n\n%s\n", s.speaker, mmss(s.start), s.text)
		}), nil},
		{"Reduct", "people firsts", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s [%s]\n%s\n\n", strings.ToUpper(s.speaker), clockS(s.start), s.text)
		}), func(label string, _ int) string { return strings.ToUpper(label) }},
		{"Airgram", "people numbered", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s (%s - %s)\n\n%s\n\n", s.speaker, clockS(s.start), clockS(s.end), s.text)
		}), nil},
		{"Jamie", "people", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("- **%s** [%s]: %s\n", s.speaker, mmss(s.start), s.text)
		}), nil},
		{"Bluedot", "people", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s\n%s\n%s\n\n", mmss(s.start), s.speaker, s.text)
		}), nil},
		{"Vimeo", "people", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s  %s: %s\n", mmss(s.start), s.speaker, s.text)
		}), nil},
	},
	clinic: []style{
		{"Avoma", "people", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s: %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
		{"MeetGeek", "people", oneLiners, timed, between("Meeting Transcript\n\n", "", func(_ int, s said) string {
			return fmt.Sprintf("%s - %s:\n%s\n\n", clockS(s.start), s.speaker, s.text)
		}), nil},
		{"Circleback", "people", oneLiners, timed, between("# Weekly sync\n\n", "", func(_ int, s said) string {
			return fmt.Sprintf("**%s** _(%s)_\n%s\n\n", s.speaker, short(s.start), s.text)
		}), nil},
		{"Sembly", "people", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s\n  %s\n\n", clockS(s.start)[1:], s.speaker, s.text)
		}), nil},
		{"Clova Note", "people numbered", oneLiners, timed,
			between("새로운 노트\n2024.03.05 화 오전 10:02 ・ 42분 10초\n정하늘\n\n", "",
				func(_ int, s said) string {
					return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
				}), nil},
		{"Lark Minutes", "people numbered", oneLiners, timed,
			between("2024年3月5日 上午 10:02|42分钟 10秒\n\n关键词:\n文件、班车、预算\n\n文字记录:\n", "", func(_ int, s said) string {
				return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
			}), nil},
		{"Tencent Meeting", "people", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s(%s): %s\n", s.speaker, clockS(s.start), s.text)
		}), nil},
	},
	desk: []style{
		{"Otter", "people numbered guests", oneLiners, timed, between("", "Transcribed by https://otter.ai\n",
			func(_ int, s said) string { return fmt.Sprintf("%s  %s  \n%s\n\n", s.speaker, short(s.start), s.text) }),
			nil},
		{"Otter, combined paragraphs", "people numbered", oneLiners, untimed,
			between("Interview 12\n\n", "", func(_ int, s said) string {
				return fmt.Sprintf("%s  \n%s\n\n", s.speaker, s.text)
			}), nil},
		{"Zoom closed captions", "people guests", oneLiners, dayTimed,
			crlf(eachCue("", func(_ int, c captionCue) string {
				return fmt.Sprintf("[%s] %s\n%s\n\n", c.speaker, dayClock(c.start), c.text)
			})), nil},
		{"Teams, copied from the page", "people guests", oneLiners, timed,
			between("", "", func(_ int, s said) string {
				initials := ""
				for _, word := range strings.Fields(s.speaker) {
					initials += string([]rune(word)[0])
				}
				return fmt.Sprintf("%s\n%s\n%s\n%s\n", initials, s.speaker, short(s.start), s.text)
			}), nil},
		{"Meet transcript", "people guests", oneLiners, untimed, func(turns []said) []byte {
			var b strings.Builder
			b.WriteString("\ufeffUser interview (2024-03-05 10:02 GMT+1) - Transcript\r\nAttendees\r\n" +
				strings.Join(speakersOf(turns), ", ") + "\r\nTranscript\r\n")
			for _, s := range turns {
				b.WriteString(s.speaker + ": " + s.text + "\r\n")
			}
			return []byte(b.String())
		}, nil},
		{"Meet with Gemini", "people", oneLiners, untimed, func(turns []said) []byte {
			var b strings.Builder
			b.WriteString("📖 Transcript\n\nMar 5, 2024\n\nUser interview - Transcript\n\n00:00:00\n \n")
			for _, s := range turns {
				b.WriteString(s.speaker + ": " + s.text + "\n")
			}
			return append([]byte(b.String()), "\nTranscription ended after 00:42:10\n\nThis editable transcript was "+
				"computer generated and might contain errors. People can also change the text after it was created.\n"...)
		}, nil},
		{"Fireflies", "people guests", oneLiners, timed, between(
			"Weekly interview\nMeeting started: Mar 5, 2024, 10:02:15 AM\nMeeting duration: 42 mins\n\nTranscript\n\n",
			"", func(_ int, s said) string {
				return fmt.Sprintf("%s - %s\n%s\n\n", s.speaker, mmss(s.start),
					s.text)
			}), nil},
		{"Grain", "people", oneLiners, timed, between("# User interview\n\nRecorded on March 5, 2024\n\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("**%s** (%s)\n%s\n\n", s.speaker, mmss(s.start), s.text)
			}), nil},
		{"Fathom, copied", "people guests", oneLiners, timed,
			between("User interview - March 05\nVIEW RECORDING - 42 mins "+
				"(No highlights): https://fathom.video/share/abc123\n\n---\n\n", "", func(_ int, s said) string {
				return fmt.Sprintf("%s - %s\n  %s\n\n", short(s.start), s.speaker, s.text)
			}), nil},
		{"tl;dv", "people", oneLiners, timed, between("User interview\n5 March 2024\n\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
			}), nil},
		{"Gong", "people guests", oneLiners, timed,
			between("User interview\nRecorded on Mar 5, 2024 via Zoom, 42m\n\n"+
				"Participants\n\nContoso\nMaya Chen, Researcher\n\nTranscript\n\n", "", func(_ int, s said) string {
				return fmt.Sprintf("%s | %s\n%s\n\n", short(s.start), s.speaker, s.text)
			}), nil},
		{"Chorus", "people", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s (%s) %s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
		{"Tactiq", "people", oneLiners, timed, between("User interview\nMeeting started: 3/5/2024, 10:02:15 AM\n"+
			"Duration: 42 minutes\nParticipants: Maya Chen, Devon Clarke\nView original transcript at Tactiq.\n\n"+
			"Transcript\n\n", "", func(_ int, s said) string {
			return fmt.Sprintf("%s %s: %s\n", mmss(s.start), s.speaker, s.text)
		}), nil},
		{"Notta", "numbered people", oneLiners, timed, between("User interview\n2024-03-05 10:02 | 42min 10s\n\n",
			"",
			func(_ int, s said) string { return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, mmss(s.start), s.text) }),
			nil},
		{"Read AI", "people", oneLiners, timed, between("User interview\nTue, Mar 5, 2024\n\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s - %s\n\n%s\n\n", mmss(s.start), s.speaker, s.text)
			}), nil},
		{"Granola", "two", oneLiners, untimed, between("# User interview\n\nTue, 5 Mar 24\n\n### Transcript\n\n",
			"",
			func(_ int, s said) string { return fmt.Sprintf("%s: %s  \n", s.speaker, s.text) }), nil},
		{"Notion AI, paragraphs", "people", oneLiners, untimed,
			between("# User interview\n\n### Transcript\n\n", "",
				func(_ int, s said) string { return s.text + "\n\n" }), nobody},
	},
}
