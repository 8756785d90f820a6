package transcript_test

import (
	"fmt"
	"strings"
)

// fifthSet returns the styles of the fifth set.
func fifthSet() []fieldStyle {
	var styles []fieldStyle
	for _, group := range [][]fieldStyle{fifthTools, fifthSpeech, fifthCaptions, fifthTyped, fifthRecords,
		fifthChats, fifthData, fifthDocuments} {
		styles = append(styles, group...)
	}
	return styles
}

// fifthTools are exports of services that record meetings.
var fifthTools = []fieldStyle{
	{"Otter", "people numbered guests", timed, fieldTurns("", "Transcribed by https://otter.ai\n",
		func(_ int, s said) string { return fmt.Sprintf("%s  %s  \n%s\n\n", s.speaker, short(s.start), s.text) }),
		nil, false},
	{"Otter, combined paragraphs", "people numbered", untimed, fieldTurns("Interview 12\n\n", "", func(_ int,
		s said) string {
		return fmt.Sprintf("%s  \n%s\n\n", s.speaker, s.text)
	}), nil, false},
	{"Otter SRT", "people numbered", timed, plainField(eachCue("", func(i int, c captionCue) string {
		return fmt.Sprintf("%d\n%s\n%s%s\n\n", i+1, srtTimes(c.said), firstOnly(c, c.speaker+": "), c.text)
	})), nil, false},
	{"Zoom VTT", "people guests", timed, plainField(crlf(eachCue("WEBVTT\n", func(i int, c captionCue) string {
		return fmt.Sprintf("\n%d\n%s\n%s: %s\n", i+1, vttTimes(c.said), c.speaker, c.text)
	}))), nil, false},
	{"Zoom closed captions", "people guests", dayTimed, plainField(crlf(eachCue("", func(_ int,
		c captionCue) string {
		return fmt.Sprintf("[%s] %s\n%s\n\n", c.speaker, dayClock(c.start), c.text)
	}))), nil, false},
	{"Zoom chat with tabs", "people guests", clockTimed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s\t From  %s : %s\r\n", dayClock(s.start), s.speaker, s.text)
	}), nil, false},
	{"Zoom chat to everyone", "people guests", clockTimed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s From %s to Everyone:\r\n\t%s\r\n", dayClock(s.start), s.speaker, s.text)
	}), nil, false},
	{"Teams VTT", "people guests", timed, plainField(eachCue("WEBVTT\n\n", func(i int, c captionCue) string {
		return fmt.Sprintf("9f1c7c0e-1b2a-4c3d-8e4f-aa12bb34cc56/%d-%d\n%s\n<v %s>%s</v>\n\n", i, i%3,
			vttTimes(c.said), c.speaker, vttEscape.Replace(c.text))
	})), nil, false},
	{"Teams, copied from the page", "people guests", timed, fieldTurns("", "", func(_ int, s said) string {
		initials := ""
		for _, word := range strings.Fields(s.speaker) {
			initials += string([]rune(word)[0])
		}
		return fmt.Sprintf("%s\n%s\n%s\n%s\n", initials, s.speaker, short(s.start), s.text)
	}), nil, false},
	{"Meet transcript", "people guests", untimed, func(f fieldFile) []byte {
		var b strings.Builder
		b.WriteString("\ufeffUser interview (2024-03-05 10:02 GMT+1) - Transcript\r\nAttendees\r\n" +
			strings.Join(speakersOf(f.turns), ", ") + "\r\nTranscript\r\n")
		for _, s := range f.turns {
			b.WriteString(s.speaker + ": " + s.text + "\r\n")
		}
		return []byte(b.String())
	}, nil, false},
	{"Meet with Gemini", "people", untimed, func(f fieldFile) []byte {
		var b strings.Builder
		b.WriteString("📖 Transcript\n\nMar 5, 2024\n\nUser interview - Transcript\n\n00:00:00\n \n")
		for _, s := range f.turns {
			b.WriteString(s.speaker + ": " + s.text + "\n")
		}
		return append([]byte(b.String()), "\nTranscription ended after 00:42:10\n\nThis editable transcript was "+
			"computer generated and might contain errors. People can also change the text after it was created.\n"...)
	}, nil, false},
	{"Rev", "people roles numbered", timed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s (%s):\n%s\n\n", s.speaker, mmss(s.start), s.text)
	}), nil, false},
	{"Rev, plain", "people roles numbered", untimed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s:\n%s\n\n", s.speaker, s.text)
	}), nil, false},
	{"Rev, times inside", "people roles", untimed, fieldTurns("", "", func(i int, s said) string {
		mark := ""
		if i%4 == 3 {
			mark = "[" + clockS(s.start) + "] "
		}
		return fmt.Sprintf("%s: %s%s\n\n", s.speaker, mark, s.text)
	}), nil, false},
	{"Descript text", "people firsts", timed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s: %s\n\n", clockS(s.start), s.speaker, s.text)
	}), nil, false},
	{"Descript Markdown", "people firsts", untimed, fieldTurns("# User interview\n\n", "", func(_ int,
		s said) string {
		return fmt.Sprintf("**%s:** %s\n\n", s.speaker, s.text)
	}), nil, false},
	{"Trint", "people numbered", timed, fieldTurns("User interview 12\n\n", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s\n%s\n\n", clockS(s.start), s.speaker, s.text)
	}), nil, false},
	{"Sonix", "people numbered", timed, fieldTurns("interview_12.mp3\n\n", "", func(_ int, s said) string {
		return fmt.Sprintf("%s: [%s] %s\n\n", s.speaker, clockS(s.start), s.text)
	}), nil, false},
	{"Happy Scribe", "numbered people", timed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s] - %s\n%s\n\n", clockMS(s.start, "."), s.speaker, s.text)
	}), nil, false},
	{"Fireflies", "people guests", timed, fieldTurns(
		"Weekly interview\nMeeting started: Mar 5, 2024, 10:02:15 AM\nMeeting duration: 42 mins\n\nTranscript\n\n",
		"", func(_ int, s said) string { return fmt.Sprintf("%s - %s\n%s\n\n", s.speaker, mmss(s.start), s.text) }),
		nil, false},
	{"Grain", "people", timed, fieldTurns("# User interview\n\nRecorded on March 5, 2024\n\n", "", func(_ int,
		s said) string {
		return fmt.Sprintf("**%s** (%s)\n%s\n\n", s.speaker, mmss(s.start), s.text)
	}), nil, false},
	{"Fathom, copied", "people guests", timed, fieldTurns("User interview - March 05\nVIEW RECORDING - 42 mins "+
		"(No highlights): https://fathom.video/share/abc123\n\n---\n\n", "", func(_ int, s said) string {
		return fmt.Sprintf("%s - %s\n  %s\n\n", short(s.start), s.speaker, s.text)
	}), nil, false},
	{"tl;dv", "people", timed, fieldTurns("User interview\n5 March 2024\n\n", "", func(_ int, s said) string {
		return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
	}), nil, false},
	{"Gong", "people guests", timed, fieldTurns("User interview\nRecorded on Mar 5, 2024 via Zoom, 42m\n\n"+
		"Participants\n\nContoso\nMaya Chen, Researcher\n\nTranscript\n\n", "", func(_ int, s said) string {
		return fmt.Sprintf("%s | %s\n%s\n\n", short(s.start), s.speaker, s.text)
	}), nil, false},
	{"Chorus", "people", timed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s (%s) %s\n\n", s.speaker, mmss(s.start), s.text)
	}), nil, false},
	{"Tactiq", "people", timed, fieldTurns("User interview\nMeeting started: 3/5/2024, 10:02:15 AM\n"+
		"Duration: 42 minutes\nParticipants: Maya Chen, Devon Clarke\nView original transcript at Tactiq.\n\n"+
		"Transcript\n\n", "", func(_ int, s said) string {
		return fmt.Sprintf("%s %s: %s\n", mmss(s.start), s.speaker, s.text)
	}), nil, false},
	{"Dovetail", "people roles", timed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s\n%s\n%s\n\n", s.speaker, clockS(s.start), s.text)
	}), nil, false},
	{"Condens", "numbered roles", timed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s %s\n%s\n\n", clockS(s.start), s.speaker, s.text)
	}), nil, false},
	{"Looppanel", "people numbered", timed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s | %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
	}), nil, false},
	{"Marvin", "people roles", timed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s [%s]\n%s\n\n", s.speaker, clockS(s.start), s.text)
	}), nil, false},
	{"Notta", "numbered people", timed, fieldTurns("User interview\n2024-03-05 10:02 | 42min 10s\n\n", "",
		func(_ int, s said) string { return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, mmss(s.start), s.text) }),
		nil, false},
	{"Read AI", "people", timed, fieldTurns("User interview\nTue, Mar 5, 2024\n\n", "", func(_ int,
		s said) string {
		return fmt.Sprintf("%s - %s\n\n%s\n\n", mmss(s.start), s.speaker, s.text)
	}), nil, false},
	{"Plaud", "numbered people", timed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s %s\n%s\n\n", clockS(s.start), s.speaker, s.text)
	}), nil, false},
	{"Granola", "two", untimed, fieldTurns("# User interview\n\nTue, 5 Mar 24\n\n### Transcript\n\n", "",
		func(_ int, s said) string { return fmt.Sprintf("%s: %s  \n", s.speaker, s.text) }), nil, false},
	{"Notion AI, paragraphs", "people", untimed, fieldTurns("# User interview\n\n### Transcript\n\n", "",
		func(_ int, s said) string { return s.text + "\n\n" }), nobody, false},
	{"Transkriptor", "numbered", timed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s: %s\n\n", clockS(s.start)[1:], s.speaker, s.text)
	}), nil, false},
	{"Amberscript", "numbered people", timed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s %s: %s\n\n", clockS(s.start)[1:], s.speaker, s.text)
	}), nil, false},
	{"Samsung", "numbered", timed, fieldTurns("Voice 012\n5 Mar 2024 10:02\n\n", "", func(_ int, s said) string {
		return fmt.Sprintf("%s (%s)\n%s\n\n", s.speaker, mmss(s.start), s.text)
	}), nil, false},
	{"Pixel Recorder", "numbered", untimed, fieldTurns("User interview\n\n", "", func(_ int, s said) string {
		return fmt.Sprintf("%s\n%s\n\n", s.speaker, s.text)
	}), nil, false},
	{"Voice Memos", "people", untimed, fieldTurns("", "", func(_ int, s said) string { return s.text + " " }),
		nobody, false},
	{"YouTube, copied", "people", timed, plainField(eachCue("", func(_ int, c captionCue) string {
		return fmt.Sprintf("%s\n%s\n", short(c.start), c.text)
	})), nobody, false},
	{"YouTube, copied with words for times", "people", timed, plainField(eachCue("Transcript\n", func(_ int,
		c captionCue) string {
		total := int(c.start.Seconds())
		spoken := fmt.Sprintf("%d seconds", total)
		if total >= 60 {
			spoken = fmt.Sprintf("%d minutes, %d seconds", total/60, total%60)
		}
		return fmt.Sprintf("%s\n%s\n%s\n", short(c.start), spoken, c.text)
	})), nobody, false},
	{"Loom", "people", timed, plainField(eachCue("", func(_ int, c captionCue) string {
		return fmt.Sprintf("%s\n%s\n\n", short(c.start), c.text)
	})), nobody, false},
	{"dscout", "roles people", timed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s - %s\n%s\n\n", clockS(s.start), s.speaker, s.text)
	}), nil, false},
	{"Reduct", "people", timed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s [%s]: %s\n\n", s.speaker, clockS(s.start), s.text)
	}), nil, false},
	{"Webex VTT", "people", timed, plainField(eachCue("WEBVTT\n", func(i int, c captionCue) string {
		return fmt.Sprintf("\n%d %q (3291847104)\n%s\n%s\n", i+1, c.speaker, vttTimes(c.said), c.text)
	})), nil, false},
}

// speakersOf returns the labels in the order of their first turns.
func speakersOf(turns []said) []string {
	var names []string
	for _, s := range turns {
		if indexOf(turns, s.speaker) == len(names) {
			names = append(names, s.speaker)
		}
	}
	return names
}

// fifthSpeech are outputs of programs that recognize speech.
var fifthSpeech = []fieldStyle{
	{"MacWhisper text", "people", untimed, plainField(eachCue("", func(_ int, c captionCue) string {
		return c.text + "\n"
	})), nobody, false},
	{"MacWhisper, names and times", "numbered people", timed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s\n%s\n%s\n\n", s.speaker, mmss(s.start), s.text)
	}), nil, false},
	{"whisper.cpp on the screen", "people", timed, plainField(eachCue("\n", func(_ int, c captionCue) string {
		return fmt.Sprintf("[%s]   %s\n", c.times(" --> ", "."), c.text)
	})), nobody, false},
	{"whisper.cpp with speakers", "machine", timed, plainField(eachCue("", func(_ int, c captionCue) string {
		return fmt.Sprintf("[%s]  (%s) %s\n", c.times(" --> ", "."), c.speaker, c.text)
	})), nil, false},
	{"faster-whisper on the screen", "people", timed, plainField(eachCue(
		"Detected language 'en' with probability 0.998\n", func(_ int, c captionCue) string {
			return fmt.Sprintf("[%.2fs -> %.2fs]  %s\n", c.start.Seconds(), c.end.Seconds(), c.text)
		})), nobody, false},
	{"Whisper TSV", "people", timed, plainField(eachCue("start\tend\ttext\n", func(_ int,
		c captionCue) string {
		return fmt.Sprintf("%d\t%d\t%s\n", c.start.Milliseconds(), c.end.Milliseconds(), c.text)
	})), nobody, false},
	{"WhisperX SRT", "machine", timed, plainField(eachCue("", func(i int, c captionCue) string {
		return fmt.Sprintf("%d\n%s\n[%s]: %s\n\n", i+1, srtTimes(c.said), c.speaker, c.text)
	})), nil, false},
	{"WhisperX text", "machine", untimed, plainField(eachCue("", func(_ int, c captionCue) string {
		return fmt.Sprintf("[%s]: %s\n", c.speaker, c.text)
	})), nil, false},
	{"WhisperX TSV", "machine", timed, plainField(eachCue("start\tend\tspeaker\ttext\n", func(_ int,
		c captionCue) string {
		return fmt.Sprintf("%d\t%d\t%s\t%s\n", c.start.Milliseconds(), c.end.Milliseconds(), c.speaker, c.text)
	})), nil, false},
	{"whisper-diarization", "numbered", untimed, fieldTurns("\ufeff", "", func(_ int, s said) string {
		return s.speaker + ": " + s.text + " \n\n"
	}), nil, false},
	{"noScribe text", "machine", untimed, fieldTurns("Interview_12.m4a\n\nTranscribed with noScribe vers. 0.5\n"+
		"Audio source: /home/maya/Interview_12.m4a\n(Start: 00:00:00)\n\n", "", func(_ int, s said) string {
		return s.speaker + ": " + s.text + "\n"
	}), nil, false},
	{"noScribe HTML", "machine", untimed, fieldTurns("<!DOCTYPE HTML><html><head><meta charset=\"utf-8\"/>"+
		"<meta name=\"audio_source\" content=\"/home/maya/Interview_12.m4a\"/>"+
		"<style>p, li { white-space: pre-wrap; }</style></head><body>\n<p style=\"font-weight:600;\">"+
		"Interview_12.m4a</p>\n<p style=\"color: #909090\">Transcribed with noScribe vers. 0.5</p>\n",
		"</body></html>", func(i int, s said) string {
			return fmt.Sprintf("<p><a name=\"ts_%d_%d_%s\">%s: %s</a></p>\n", s.start.Milliseconds(),
				s.end.Milliseconds(), s.speaker, s.speaker, htmlText(s.text))
		}), nil, false},
	{"pyannote lines", "machine", timed, plainField(eachCue("", func(_ int, c captionCue) string {
		return fmt.Sprintf("%s %s %s\n", mmss(c.start), c.speaker, c.text)
	})), nil, false},
	{"Vibe", "numbered", timed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s --> %s\n%s: %s\n\n", mmss(s.start), mmss(s.end), s.speaker, s.text)
	}), nil, false},
	{"Buzz", "people", timed, plainField(eachCue("", func(_ int, c captionCue) string {
		return fmt.Sprintf("%s --> %s\n%s\n\n", clockMS(c.start, "."), clockMS(c.end, "."), c.text)
	})), nobody, false},
}

// fifthCaptions are subtitles.
var fifthCaptions = []fieldStyle{
	{"chevrons with names", "capitals", timed, plainField(eachCue("", func(i int, c captionCue) string {
		return fmt.Sprintf("%d\n%s\n%s%s\n\n", i+1, srtTimes(c.said), firstOnly(c, ">> "+c.speaker+": "), c.text)
	})), nil, false},
	{"chevrons without names", "people", timed, plainField(eachCue("", func(i int, c captionCue) string {
		return fmt.Sprintf("%d\n%s\n%s%s\n\n", i+1, srtTimes(c.said), firstOnly(c, ">> "), c.text)
	})), nobody, false},
	{"chevrons in text", "people", untimed, fieldTurns("", "", func(_ int, s said) string {
		return ">> " + s.text + "\n\n"
	}), nobody, false},
	{"dashes in cues", "people", timed, plainField(eachCue("", func(i int, c captionCue) string {
		return fmt.Sprintf("%d\n%s\n%s%s\n\n", i+1, srtTimes(c.said), firstOnly(c, "- "), c.text)
	})), nobody, false},
	{"Meet captions SBV", "people", timed, plainField(eachCue("", func(_ int, c captionCue) string {
		return fmt.Sprintf("%s,%s\n%s%s\n\n", clockMS(c.start, ".")[1:], clockMS(c.end, ".")[1:],
			firstOnly(c, "("+c.speaker+")\n"), c.text)
	})), nil, false},
	{"VTT with settings and notes", "people firsts", timed, plainField(eachCue(
		"WEBVTT - Interview 12\nKind: captions\nLanguage: en\n\nNOTE Created by an editor\n\n"+
			"STYLE\n::cue { color: white }\n\n",
		func(_ int, c captionCue) string {
			return fmt.Sprintf("%s align:start position:0%%\n<v.first %s>%s\n\n", vttTimes(c.said), c.speaker,
				vttEscape.Replace(c.text))
		})), nil, false},
}
