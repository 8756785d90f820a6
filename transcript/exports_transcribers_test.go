package transcript_test

import (
	"fmt"
	"strings"
)

// transcriberExports are the texts of services that transcribe recordings, and of tools for research.
var transcriberExports = []exportStyle{
	{"Rev", "numbered people", paragraphs, timed, eachExportTurn(
		"This transcript was exported on Mar 05, 2024 - view latest version here.\n\n", "",
		func(_ int, s said) string {
			return fmt.Sprintf("%s (%s):\n%s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
	{"Rev without colons", "numbered people", lines, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s (%s)\n%s\n\n", s.speaker, mmss(s.start), s.text)
	}), nil},
	{"Rev, human", "people firsts", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s:\t[%s] %s\n\n", s.speaker, clockS(s.start), s.text)
	}), nil},
	{"Descript", "people firsts numbered", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s: %s\n\n", clockS(s.start), s.speaker, s.text)
	}), nil},
	{"Descript in Markdown", "people firsts", oneLiners, timed, eachExportTurn("# Bakery\n\n", "",
		func(_ int, s said) string {
			return fmt.Sprintf("**%s:** [%s]%s\n\n", s.speaker, clockS(s.start), s.text)
		}), nil},
	{"Trint", "people firsts", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s [%s] %s [%s][%.1f]\n\n", s.speaker, clockS(s.start), s.text, clockS(s.end),
			(s.end - s.start).Seconds())
	}), nil},
	{"Trint, bare", "people numbered", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s [%s] %s\n\n", s.speaker, clockS(s.start), s.text)
	}), nil},
	{"Sonix", "numbered people", lines, timed, eachExportTurn(
		"Bakery.mp3: this mp3 audio file was automatically transcribed by Sonix with the best speech-to-text "+
			"algorithms. This transcript may contain errors.\n\n", "", func(_ int, s said) string {
			return fmt.Sprintf("%s:\n[%s] %s\n\n", s.speaker, clockS(s.start), s.text)
		}), nil},
	{"Sonix without times", "numbered people", lines, untimed, eachExportTurn(
		"Sonix is the best online audio transcription software in 2024.\n\nBakery.mp3 - powered by Sonix.ai\n\n",
		"", func(_ int, s said) string { return s.speaker + ":\n" + s.text + "\n\n" }), nil},
	{"Happy Scribe", "numbered people", lines, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s] - %s\n%s\n\n", clockMS(s.start, "."), s.speaker, s.text)
	}), nil},
	{"Riverside", "people firsts", lines, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s (%s.%03d)\n%s\n\n", s.speaker, mmss(s.start), s.start.Milliseconds()%1000, s.text)
	}), nil},
	{"Dovetail", "people numbered", lines, timed, eachExportTurn("# Bakery\n\n", "", func(_ int, s said) string {
		return fmt.Sprintf("**%s** _%s_\n\n%s\n\n", s.speaker, mmss(s.start), s.text)
	}), nil},
	{"Dovetail, plain", "people numbered", lines, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s %s\n%s\n\n", mmss(s.start), s.speaker, s.text)
	}), nil},
	{"Condens", "people numbered", lines, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s [%s]\n%s\n\n", s.speaker, clockS(s.start), s.text)
	}), nil},
	{"WhisperX text", "numbered", oneLiners, untimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s]: %s\n", s.speaker, s.text)
	}), nil},
	{"noScribe", "numbered initials", oneLiners, timed, eachExportTurn(
		"Transcribed with noScribe vers. 0.6\nAudio source: bakery.mp3\n\n", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s: %s\n", clockS(s.start), s.speaker, s.text)
		}), nil},
	{"aTrain", "numbered", lines, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s\n[%s - %s] %s\n\n", s.speaker, clockS(s.start), clockS(s.end), s.text)
	}), nil},
	{"Deepgram text", "numbered", oneLiners, untimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s\n\n", strings.Replace(s.speaker, " ", ":", 1), s.text)
	}), func(label string, _ int) string { return strings.Replace(label, " ", ":", 1) }},
	{"Azure text", "roles numbered", oneLiners, untimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s: %s\n", strings.ReplaceAll(s.speaker, " ", "-"), s.text)
	}), func(label string, _ int) string { return strings.ReplaceAll(label, " ", "-") }},
	{"NVivo", "people numbered", lines, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s\t[%s]\n%s\n\n", s.speaker, clockS(s.start), s.text)
	}), nil},
	{"MAXQDA, times at the end in brackets", "letters initials", oneLiners, endTimed, eachExportTurn("", "",
		func(_ int, s said) string {
			return fmt.Sprintf("%s: %s #%s#\n\n", s.speaker, s.text, clockMS(s.end, "-")[:10])
		}), nil},
	{"f4x", "letters firsts", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[#%s#] %s: %s\n", clockS(s.start), s.speaker, s.text)
	}), nil},
	{"times at the end in brackets", "letters firsts roles", oneLiners, endTimed, eachExportTurn("", "",
		func(_ int, s said) string {
			return fmt.Sprintf("%s: %s [%s]\n\n", s.speaker, s.text, clockS(s.end))
		}), nil},
	{"oTranscribe", "firsts letters initials", oneLiners, timed,
		eachExportTurn("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s %s: %s\n\n", mmss(s.start), s.speaker, s.text)
		}), nil},
	{"InqScribe", "capitals firsts", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s.%02d] %s: %s\n\n", clockS(s.start),
			s.start.Milliseconds()/10%100, s.speaker, s.text)
	}), nil},
	{"CLAN", "capitals", oneLiners, untimed, eachExportTurn(
		"@Begin\n@Languages:\teng\n@Participants:\tDAN Dana Adult, SAM Sam Adult\n", "@End\n",
		func(_ int, s said) string {
			return fmt.Sprintf("*%s:\t%s\n", s.speaker, s.text)
		}), nil},
	{"Temi", "numbered people", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s:\t%s\t%s\n\n", s.speaker, mmss(s.start), s.text)
	}), nil},
	{"GoTranscript", "people roles", oneLiners, untimed, eachExportTurn("[music]\n\n", "[END OF AUDIO]\n",
		func(_ int, s said) string { return s.speaker + ": " + s.text + "\n\n" }), nil},
	{"Amberscript text", "numbered people", lines, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s %s:\n%s\n\n", mmss(s.start), s.speaker, s.text)
	}), nil},
	{"Simon Says", "people", lines, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s:00 - %s:00\t%s\n%s\n\n", clockS(s.start), clockS(s.end), s.speaker, s.text)
	}), nil},
	{"MacWhisper", "numbered people", lines, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s - %s] %s\n%s\n\n", mmss(s.start), mmss(s.end), s.speaker, s.text)
	}), nil},
	{"VoxScript", "firsts", lines, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s, %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
	}), nil},
	{"time in the label", "firsts numbered roles", oneLiners, timed,
		eachExportTurn("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s %s: %s\n", s.speaker, mmss(s.start), s.text)
		}), nil},
	{"time and bars", "letters firsts", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s | %s | %s\n", mmss(s.start), s.speaker, s.text)
	}), nil},
	{"[time] letter", "letters", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s: %s\n", clockS(s.start), s.speaker, s.text)
	}), nil},
	{"name (time) on one line", "numbered people", oneLiners, timed,
		eachExportTurn("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s (%s) %s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
	{"minutes and seconds in words", "people", oneLiners, timed,
		eachExportTurn("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%dm%02ds] %s: %s\n", int(s.start.Minutes()),
				int(s.start.Seconds())%60, s.speaker, s.text)
		}), nil},
}
