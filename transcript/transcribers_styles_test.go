package transcript_test

import (
	"fmt"
)

// transcriberStyles are the texts of services that transcribe recordings, and of tools for research.
var transcriberStyles = styles{
	bakery: []style{
		{"Rev", "", lines, timed, between(revTitle, "", func(_ int, s said) string {
			return fmt.Sprintf("%s (%s):\n%s\n\n", s.speaker, clockS(s.start), s.text)
		}), nil},
		{"Rev on one line", "", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s (%s): %s\n\n", s.speaker, clockS(s.start), s.text)
		}), nil},
	},
	stories: []style{
		{"Rev", "numbered people", paragraphs, timed, between(
			"This transcript was exported on Mar 05, 2024 - view latest version here.\n\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s (%s):\n%s\n\n", s.speaker, mmss(s.start), s.text)
			}), nil},
		{"Rev without colons", "numbered people", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s (%s)\n%s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
		{"Rev, human", "people firsts", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s:\t[%s] %s\n\n", s.speaker, clockS(s.start), s.text)
		}), nil},
		{"Descript", "people firsts numbered", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s: %s\n\n", clockS(s.start), s.speaker, s.text)
		}), nil},
		{"Descript in Markdown", "people firsts", oneLiners, timed, between("# Bakery\n\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("**%s:** [%s]%s\n\n", s.speaker, clockS(s.start), s.text)
			}), nil},
		{"Trint", "people firsts", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s [%s] %s [%s][%.1f]\n\n", s.speaker, clockS(s.start), s.text, clockS(s.end),
				(s.end - s.start).Seconds())
		}), nil},
		{"Trint, bare", "people numbered", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s [%s] %s\n\n", s.speaker, clockS(s.start), s.text)
		}), nil},
		{"Sonix", "numbered people", lines, timed, between(
			"Bakery.mp3: this mp3 audio file was automatically transcribed by Sonix with the best speech-to-text "+
				"algorithms. This transcript may contain errors.\n\n", "", func(_ int, s said) string {
				return fmt.Sprintf("%s:\n[%s] %s\n\n", s.speaker, clockS(s.start), s.text)
			}), nil},
		{"Sonix without times", "numbered people", lines, untimed, between(
			"Sonix is the best online audio transcription software in 2024.\n\nBakery.mp3 - powered by Sonix.ai\n\n",
			"", func(_ int, s said) string { return s.speaker + ":\n" + s.text + "\n\n" }), nil},
		{"Happy Scribe", "numbered people", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] - %s\n%s\n\n", clockMS(s.start, "."), s.speaker, s.text)
		}), nil},
		{"Riverside", "people firsts", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s (%s.%03d)\n%s\n\n", s.speaker, mmss(s.start), s.start.Milliseconds()%1000, s.text)
		}), nil},
		{"Dovetail", "people numbered", lines, timed, between("# Bakery\n\n", "", func(_ int, s said) string {
			return fmt.Sprintf("**%s** _%s_\n\n%s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
		{"Dovetail, plain", "people numbered", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s %s\n%s\n\n", mmss(s.start), s.speaker, s.text)
		}), nil},
		{"Condens", "people numbered", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s [%s]\n%s\n\n", s.speaker, clockS(s.start), s.text)
		}), nil},
		{"Temi", "numbered people", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s:\t%s\t%s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
		{"GoTranscript", "people roles", oneLiners, untimed, between("[music]\n\n", "[END OF AUDIO]\n",
			func(_ int, s said) string { return s.speaker + ": " + s.text + "\n\n" }), nil},
		{"Amberscript text", "numbered people", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s %s:\n%s\n\n", mmss(s.start), s.speaker, s.text)
		}), nil},
		{"Simon Says", "people", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s:00 - %s:00\t%s\n%s\n\n", clockS(s.start), clockS(s.end), s.speaker, s.text)
		}), nil},
	},
	ward: []style{
		{"Descript, bold names and times", "people firsts", lines, timed, between("# Interview 7\n\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("**%s:** [%s] %s\n\n", s.speaker, clockS(s.start), s.text)
			}), nil},
		{"Happy Scribe, dash", "people numbered", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] - %s\n%s\n\n", clockMS(s.start, "."), s.speaker, s.text)
		}), nil},
		{"Sonix, name then time", "people numbered", paragraphs, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s: [%s]\n%s\n\n", s.speaker, clockS(s.start), s.text)
		}), nil},
		{"Trint, time in its own line", "people numbered", paragraphs, timed,
			between("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s\n[%s]\n%s\n\n", s.speaker, clockS(s.start), s.text)
			}), nil},
		{"Amberscript, range below", "numbered people", oneLiners, timed,
			between("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s\n%s - %s\n%s\n\n", s.speaker, clockS(s.start), clockS(s.end), s.text)
			}), nil},
		{"Trint in German", "people", paragraphs, timed, between("Dateiname: interview7.mp3\nDauer: 00:32:10\n\n",
			"",
			func(_ int, s said) string { return fmt.Sprintf("%s [%s]\n%s\n\n", s.speaker, clockS(s.start), s.text) }),
			nil},
	},
	clinic: []style{
		{"TurboScribe", "numbered people", oneLiners, timed,
			between("(Transcribed by TurboScribe. Go Unlimited to remove this message.)\n\n", "",
				func(_ int, s said) string {
					return fmt.Sprintf("[%s] (%s - %s)\n%s\n\n", s.speaker, short(s.start), short(s.end), s.text)
				}), nil},
		{"Temi", "numbered", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s: (%s)\n%s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
		{"Verbit", "capitals", oneLiners, untimed, joined("", ":  ", "\n\n"), nil},
		{"3Play", "capitals", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s: %s\n\n", clockMS(s.start, ".")[:11], s.speaker, s.text)
		}), nil},
		{"Good Tape", "numbered", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s]\n%s: %s\n\n", clockS(s.start), s.speaker, s.text)
		}), nil},
		{"CastingWords", "people firsts", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("**%s:** [%s] %s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
		{"Resolve", "numbered", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s:12 - %s:05]\n%s\n %s\n\n", clockS(s.start), clockS(s.end), s.speaker, s.text)
		}), nil},
	},
	desk: []style{
		{"Rev", "people roles numbered", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s (%s):\n%s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
		{"Rev, plain", "people roles numbered", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s:\n%s\n\n", s.speaker, s.text)
		}), nil},
		{"Rev, times inside", "people roles", oneLiners, untimed, between("", "", func(i int, s said) string {
			mark := ""
			if i%4 == 3 {
				mark = "[" + clockS(s.start) + "] "
			}
			return fmt.Sprintf("%s: %s%s\n\n", s.speaker, mark, s.text)
		}), nil},
		{"Descript text", "people firsts", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s: %s\n\n", clockS(s.start), s.speaker, s.text)
		}), nil},
		{"Descript Markdown", "people firsts", oneLiners, untimed,
			between("# User interview\n\n", "", func(_ int, s said) string {
				return fmt.Sprintf("**%s:** %s\n\n", s.speaker, s.text)
			}), nil},
		{"Trint", "people numbered", oneLiners, timed, between("User interview 12\n\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("[%s] %s\n%s\n\n", clockS(s.start), s.speaker, s.text)
			}), nil},
		{"Sonix", "people numbered", oneLiners, timed, between("interview_12.mp3\n\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s: [%s] %s\n\n", s.speaker, clockS(s.start), s.text)
			}), nil},
		{"Happy Scribe", "numbered people", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] - %s\n%s\n\n", clockMS(s.start, "."), s.speaker, s.text)
		}), nil},
		{"Dovetail", "people roles", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s\n%s\n%s\n\n", s.speaker, clockS(s.start), s.text)
		}), nil},
		{"Condens", "numbered roles", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s %s\n%s\n\n", clockS(s.start), s.speaker, s.text)
		}), nil},
		{"Looppanel", "people numbered", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s | %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
		{"Marvin", "people roles", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s [%s]\n%s\n\n", s.speaker, clockS(s.start), s.text)
		}), nil},
		{"Transkriptor", "numbered", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s: %s\n\n", clockS(s.start)[1:], s.speaker, s.text)
		}), nil},
		{"Amberscript", "numbered people", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s %s: %s\n\n", clockS(s.start)[1:], s.speaker, s.text)
		}), nil},
		{"dscout", "roles people", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s - %s\n%s\n\n", clockS(s.start), s.speaker, s.text)
		}), nil},
		{"Reduct", "people", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s [%s]: %s\n\n", s.speaker, clockS(s.start), s.text)
		}), nil},
		{"GoTranscript", "roles people", oneLiners, timed, between("", "\n[silence]\n\n[00:59:10] [END OF AUDIO]\n",
			func(_ int, s said) string {
				return fmt.Sprintf("[%s]\n\n%s: %s\n\n", clockS(s.start), s.speaker, s.text)
			}), nil},
		{"Scribie", "numbered people", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s %s: %s\n\n", clockMS(s.start, ".")[1:10], s.speaker, s.text)
		}), nil},
		{"TranscribeMe", "machine", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s: %s %s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
	},
}
