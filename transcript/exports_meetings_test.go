package transcript_test

import "fmt"

// meetingExports are the texts of tools that record meetings.
var meetingExports = []exportStyle{
	{"Otter", "people numbered odd accounts", paragraphs, timed, eachExportTurn(
		"Bakery\nTue, Mar 5, 2024 10:02AM • 14:20\n\nSUMMARY KEYWORDS\nbread, oven, list\n\nSPEAKERS\n"+
			"Dana, Sam\n\n",
		"Transcribed by https://otter.ai\n", func(_ int, s said) string {
			return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
	{"Otter with CRLF", "people odd firsts", lines, timed,
		crlf(eachExportTurn("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s  %s  \n%s\n\n", s.speaker, short(s.start), s.text)
		})), nil},
	{"Zoom captions", "people accounts firsts", lines, dayTimed,
		eachExportTurn("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s\n%s\n\n", s.speaker, dayClock(s.start), s.text)
		}), nil},
	{"Meet", "people firsts", oneLiners, untimed, eachExportTurn(
		"Mar 5, 2024\nBakery (2024-03-05 10:02 GMT+1) - Transcript\nAttendees\nDana Weber, Sam Okafor\n"+
			"Transcript\n\n",
		"\nTranscription ended after 00:32:10\n\nThis editable transcript was computer generated and might "+
			"contain errors. People can also change the text after it was created.\n", func(_ int, s said) string {
			return fmt.Sprintf("%s: %s\n\n", s.speaker, s.text)
		}), nil},
	{"Meet in Markdown", "people", oneLiners, untimed, eachExportTurn(
		"# 📖 Transcript\n\nMar 5, 2024\n\n## Bakery \\- Transcript\n\n### 00:00:00\n\n",
		"\n### Transcription ended after 00:32:10\n\n*This editable transcript was computer generated and might "+
			"contain errors. People can also change the text after it was created.*\n", func(_ int, s said) string {
			return fmt.Sprintf("**%s:** %s  \n", s.speaker, s.text)
		}), nil},
	{"Fireflies", "people numbered guests", lines, timed, eachExportTurn("Bakery - transcript\n\n", "",
		func(_ int, s said) string {
			return fmt.Sprintf("%s - %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
	{"Fathom", "people guests firsts", lines, timed, eachExportTurn(
		"Bakery interview - March 05\nVIEW RECORDING - 32 mins (No highlights): "+
			"https://fathom.video/share/abc\n\n---\n\n",
		"", func(_ int, s said) string {
			return fmt.Sprintf("%s - %s\n  %s\n\n", short(s.start), s.speaker, s.text)
		}), nil},
	{"Fathom with marks", "people", lines, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("@%s - **%s**\n\n%s\n\n", short(s.start), s.speaker, s.text)
	}), nil},
	{"Grain", "people firsts", lines, timed,
		eachExportTurn("Bakery interview\n\n", "", func(_ int, s said) string {
			return fmt.Sprintf("%s\n%s\n%s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
	{"tl;dv", "people firsts guests", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s\n%s: %s\n\n", mmss(s.start), s.speaker, s.text)
	}), nil},
	{"tl;dv in brackets", "people numbered", oneLiners, timed,
		eachExportTurn("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s: %s\n", mmss(s.start), s.speaker, s.text)
		}), nil},
	{"Gong", "firsts people", lines, timed, eachExportTurn(
		"Bakery discovery call\nRecorded on Mar 5, 2024 via Zoom, 32m\n\nParticipants\n\nLumen\n"+
			"Dana Weber, Researcher\n\nBakery\nSam Okafor, Owner\n\nTranscript\n\n", "", func(_ int, s said) string {
			return fmt.Sprintf("%s | %s\n%s\n\n", short(s.start), s.speaker, s.text)
		}), nil},
	{"Read.ai", "people", lines, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s   %s\n%s\n\n", mmss(s.start), s.speaker, s.text)
	}), nil},
	{"Avoma", "people firsts", lines, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s: (%s)\n%s\n\n", s.speaker, mmss(s.start), s.text)
	}), nil},
	{"Teams, copied", "people guests", lines, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s\n%s %s\n%s\n", s.speaker, s.speaker, minutesSeconds(s), s.text)
	}), nil},
	{"Notta", "numbered people", lines, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
	}), nil},
	{"Granola", "roles firsts", oneLiners, untimed, eachExportTurn(
		"Meeting Title: Bakery\nDate: Mar 5\n\nTranscript:\n \n", "",
		func(_ int, s said) string { return s.speaker + ": " + s.text + "  \n" }), nil},
	{"Webex", "people", lines, timed, eachExportTurn("WEBVTT\n\n", "", func(i int, s said) string {
		return fmt.Sprintf("%d \"%s\" (%d)\n%s\n%s\n\n", i+1, s.speaker, 2147483+i%2, s.times(" --> ", "."), s.text)
	}), nil},
	{"GoTo", "people", lines, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s (%s)\n%s\n", s.speaker, mmss(s.start), s.text)
	}), nil},
	{"RingCentral", "people", lines, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s %s\n%s\n\n", clockS(s.start), s.speaker, s.text)
	}), nil},
}

// minutesSeconds formats "0 minutes 3 seconds".
func minutesSeconds(s said) string {
	minutes, seconds := int(s.start.Minutes()), int(s.start.Seconds())%60
	if minutes == 0 {
		return fmt.Sprintf("%d seconds", seconds)
	}
	return fmt.Sprintf("%d minutes %d seconds", minutes, seconds)
}
