package transcript_test

import (
	"fmt"
	"strings"
	"time"
)

// speechStyles are the texts of programs that recognize speech.
var speechStyles = styles{
	stories: []style{
		{"YouTube's page", "firsts", oneLiners, timed, eachCue("", func(_ int, c captionCue) string {
			return fmt.Sprintf("%s\n%s\n", short(c.start), c.text)
		}), nobody},
		{"WhisperX text", "numbered", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s]: %s\n", s.speaker, s.text)
		}), nil},
		{"noScribe", "numbered initials", oneLiners, timed, between(
			"Transcribed with noScribe vers. 0.6\nAudio source: bakery.mp3\n\n", "", func(_ int, s said) string {
				return fmt.Sprintf("[%s] %s: %s\n", clockS(s.start), s.speaker, s.text)
			}), nil},
		{"aTrain", "numbered", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s\n[%s - %s] %s\n\n", s.speaker, clockS(s.start), clockS(s.end), s.text)
		}), nil},
		{"Deepgram text", "numbered", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s\n\n", strings.Replace(s.speaker, " ", ":", 1), s.text)
		}), func(label string, _ int) string { return strings.Replace(label, " ", ":", 1) }},
		{"Azure text", "roles numbered", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s: %s\n", strings.ReplaceAll(s.speaker, " ", "-"), s.text)
		}), func(label string, _ int) string { return strings.ReplaceAll(label, " ", "-") }},
		{"MacWhisper", "numbered people", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s - %s] %s\n%s\n\n", mmss(s.start), mmss(s.end), s.speaker, s.text)
		}), nil},
		{"VoxScript", "firsts", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s, %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
	},
	ward: []style{
		{"Whisper lines with speakers in brackets", "numbered", oneLiners, timed, between("", "",
			func(_ int, s said) string {
				return fmt.Sprintf("[%s --> %s]  [%s] %s\n", minuteMS(s.start), minuteMS(s.end), s.speaker, s.text)
			}), nil},
		{"pyannote with Whisper", "numbered", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%.2f %.2f %s %s\n", s.start.Seconds(), s.end.Seconds(), strings.ReplaceAll(s.speaker,
				" ", "_"),
				s.text)
		}), func(label string, _ int) string { return strings.ReplaceAll(label, " ", "_") }},
		{"MacWhisper, ranges in brackets", "numbered firsts", oneLiners, timed, between("", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s (%s - %s): %s\n\n", s.speaker, short(s.start), short(s.end), s.text)
			}), nil},
		{"Aiko", "firsts", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s -> %s] %s\n", clockS(s.start), clockS(s.end), s.text)
		}), nobody},
	},
	desk: []style{
		{"Plaud", "numbered people", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s %s\n%s\n\n", clockS(s.start), s.speaker, s.text)
		}), nil},
		{"Samsung", "numbered", oneLiners, timed, between("Voice 012\n5 Mar 2024 10:02\n\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s (%s)\n%s\n\n", s.speaker, mmss(s.start), s.text)
			}), nil},
		{"Pixel Recorder", "numbered", oneLiners, untimed, between("User interview\n\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s\n%s\n\n", s.speaker, s.text)
			}), nil},
		{"Voice Memos", "people", oneLiners, untimed, between("", "",
			func(_ int, s said) string { return s.text + " " }), nobody},
		{"YouTube, copied", "people", oneLiners, timed, eachCue("", func(_ int, c captionCue) string {
			return fmt.Sprintf("%s\n%s\n", short(c.start), c.text)
		}), nobody},
		{"YouTube, copied with words for times", "people", oneLiners, timed,
			eachCue("Transcript\n", func(_ int, c captionCue) string {
				total := int(c.start.Seconds())
				spoken := fmt.Sprintf("%d seconds", total)
				if total >= 60 {
					spoken = fmt.Sprintf("%d minutes, %d seconds", total/60, total%60)
				}
				return fmt.Sprintf("%s\n%s\n%s\n", short(c.start), spoken, c.text)
			}), nobody},
		{"Loom", "people", oneLiners, timed, eachCue("", func(_ int, c captionCue) string {
			return fmt.Sprintf("%s\n%s\n\n", short(c.start), c.text)
		}), nobody},
		{"MacWhisper text", "people", oneLiners, untimed, eachCue("", func(_ int, c captionCue) string {
			return c.text + "\n"
		}), nobody},
		{"MacWhisper, names and times", "numbered people", oneLiners, timed,
			between("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s\n%s\n%s\n\n", s.speaker, mmss(s.start), s.text)
			}), nil},
		{"whisper.cpp on the screen", "people", oneLiners, timed, eachCue("\n", func(_ int, c captionCue) string {
			return fmt.Sprintf("[%s]   %s\n", c.times(" --> ", "."), c.text)
		}), nobody},
		{"whisper.cpp with speakers", "machine", oneLiners, timed, eachCue("", func(_ int, c captionCue) string {
			return fmt.Sprintf("[%s]  (%s) %s\n", c.times(" --> ", "."), c.speaker, c.text)
		}), nil},
		{"faster-whisper on the screen", "people", oneLiners, timed, eachCue(
			"Detected language 'en' with probability 0.998\n", func(_ int, c captionCue) string {
				return fmt.Sprintf("[%.2fs -> %.2fs]  %s\n", c.start.Seconds(), c.end.Seconds(), c.text)
			}), nobody},
		{"Whisper TSV", "people", oneLiners, timed, eachCue("start\tend\ttext\n", func(_ int, c captionCue) string {
			return fmt.Sprintf("%d\t%d\t%s\n", c.start.Milliseconds(), c.end.Milliseconds(), c.text)
		}), nobody},
		{"WhisperX SRT", "machine", oneLiners, timed, eachCue("", func(i int, c captionCue) string {
			return fmt.Sprintf("%d\n%s\n[%s]: %s\n\n", i+1, srtTimes(c.said), c.speaker, c.text)
		}), nil},
		{"WhisperX text", "machine", oneLiners, untimed, eachCue("", func(_ int, c captionCue) string {
			return fmt.Sprintf("[%s]: %s\n", c.speaker, c.text)
		}), nil},
		{"WhisperX TSV", "machine", oneLiners, timed, eachCue("start\tend\tspeaker\ttext\n",
			func(_ int, c captionCue) string {
				return fmt.Sprintf("%d\t%d\t%s\t%s\n", c.start.Milliseconds(), c.end.Milliseconds(), c.speaker, c.text)
			}), nil},
		{"whisper-diarization", "numbered", oneLiners, untimed, between("\ufeff", "", func(_ int, s said) string {
			return s.speaker + ": " + s.text + " \n\n"
		}), nil},
		{"noScribe text", "machine", oneLiners, untimed,
			between("Interview_12.m4a\n\nTranscribed with noScribe vers. 0.5\n"+
				"Audio source: /home/maya/Interview_12.m4a\n(Start: 00:00:00)\n\n", "", func(_ int, s said) string {
				return s.speaker + ": " + s.text + "\n"
			}), nil},
		{"noScribe HTML", "machine", oneLiners, untimed,
			between("<!DOCTYPE HTML><html><head><meta charset=\"utf-8\"/>"+
				"<meta name=\"audio_source\" content=\"/home/maya/Interview_12.m4a\"/>"+
				"<style>p, li { white-space: pre-wrap; }</style></head><body>\n<p style=\"font-weight:600;\">"+
				"Interview_12.m4a</p>\n<p style=\"color: #909090\">Transcribed with noScribe vers. 0.5</p>\n",
				"</body></html>", func(i int, s said) string {
					return fmt.Sprintf("<p><a name=\"ts_%d_%d_%s\">%s: %s</a></p>\n", s.start.Milliseconds(),
						s.end.Milliseconds(), s.speaker, s.speaker, htmlText(s.text))
				}), nil},
		{"pyannote lines", "machine", oneLiners, timed, eachCue("", func(_ int, c captionCue) string {
			return fmt.Sprintf("%s %s %s\n", mmss(c.start), c.speaker, c.text)
		}), nil},
		{"Vibe", "numbered", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s --> %s\n%s: %s\n\n", mmss(s.start), mmss(s.end), s.speaker, s.text)
		}), nil},
		{"Buzz", "people", oneLiners, timed, eachCue("", func(_ int, c captionCue) string {
			return fmt.Sprintf("%s --> %s\n%s\n\n", clockMS(c.start, "."), clockMS(c.end, "."), c.text)
		}), nobody},
	},
}

// speechTalks returns the styles of programs that recognize speech.
func speechTalks() []talkStyle {
	two := []string{"Speaker 1", "Speaker 2"}
	return []talkStyle{
		{"whisper, console", "en-clinic ja-ryokan ru-salon", nil, ms, whisperConsole},
		{"whisper with diarization", "en-clinic es-tienda zh-huadian", []string{"SPEAKER_00", "SPEAKER_01"},
			ms,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("[%s --> %s] [%s] %s\n", clockMS(s.start, "."), clockMS(s.end, "."), s.speaker, s.text)
			})},
		{"whisperx, text", "en-founder de-werkstatt pl-apteka", []string{"SPEAKER_00", "SPEAKER_01"}, 0,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("[%s]: %s\n", s.speaker, s.text)
			})},
		{"seconds and labels", "en-clinic pt-entregas", []string{"SPEAKER_00", "SPEAKER_01"}, 10 * ms,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("%ss - %ss %s: %s\n", hundredths(s.start), hundredths(s.end), s.speaker, s.text)
			})},
		{"pyannote's lines", "en-invoices sv-skola", []string{"SPEAKER_00", "SPEAKER_01"}, 10 * ms,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s (%s - %s): %s\n\n", s.speaker, hundredths(s.start), hundredths(s.end), s.text)
			})},
		{"noscribe", "de-werkstatt en-clinic", []string{"S00", "S01"}, 0,
			amidAsides("Transcribed with noScribe vers. 0.5\nAudio source: interview7.m4a\n\n", "",
				func(_ int, s said) string { return fmt.Sprintf("%s: %s\n", s.speaker, s.text) })},
		{"macwhisper", "en-clinic fr-boulangerie en-founder", two, time.Second,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s\n%s\n%s\n\n", mmss(s.start), s.speaker, s.text)
			})},
		{"youtube, copied", "en-clinic ja-ryokan fr-boulangerie", nil, time.Second,
			func(f *file) {
				for _, s := range f.turns {
					f.raw("%s\n%s\n", short(s.start), s.text)
					s.speaker = ""
					f.said(s)
				}
			}},
		{"youtube, copied with spoken times", "en-invoices de-werkstatt", nil, time.Second, youTubeSpoken},
		{"turboscribe", "en-founder ru-salon es-tienda", two, time.Second,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("[%s] (%s - %s)\n%s\n\n", s.speaker, short(s.start), short(s.end), s.text)
			})},
	}
}

func whisperConsole(f *file) {
	for _, s := range f.turns {
		f.raw("[%s --> %s]  %s\n", clockMS(s.start, ".")[3:], clockMS(s.end, ".")[3:], s.text)
		s.speaker = ""
		f.said(s)
	}
}

func youTubeSpoken(f *file) {
	for _, s := range f.turns {
		sec := int(s.start.Seconds())
		spoken := fmt.Sprintf("%d seconds", sec%60)
		if sec%60 == 1 {
			spoken = "1 second"
		}
		switch {
		case sec >= 120:
			spoken = fmt.Sprintf("%d minutes, %s", sec/60, spoken)
		case sec >= 60:
			spoken = "1 minute, " + spoken
		}
		f.raw("%s\n%s\n%s\n", short(s.start), spoken, s.text)
		s.speaker = ""
		f.said(s)
	}
}
