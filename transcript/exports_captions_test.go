package transcript_test

import (
	"fmt"
	"strings"
	"time"
)

// A captionCue is a part of a turn, as captions divide it.
type captionCue struct {
	said

	first bool // of its turn
}

// cuesOf divides the turns into cues of at most seven words.
func cuesOf(turns []said) []captionCue {
	var cues []captionCue
	for _, s := range turns {
		words := strings.Fields(s.text)
		length := (s.end - s.start) / time.Duration(len(words))
		for i := 0; i < len(words); i += 7 {
			end := min(i+7, len(words))
			part := said{s.speaker, s.start + time.Duration(i)*length, s.start + time.Duration(end)*length,
				strings.Join(words[i:end], " ")}
			cues = append(cues, captionCue{part, i == 0})
		}
	}
	return cues
}

// eachCue writes the cues one after the other.
func eachCue(head string, write func(i int, c captionCue) string) func([]said) []byte {
	return func(turns []said) []byte {
		var b strings.Builder
		b.WriteString(head)
		for i, c := range cuesOf(turns) {
			b.WriteString(write(i, c))
		}
		return []byte(b.String())
	}
}

func srtTimes(s said) string { return s.times(" --> ", ",") }

func vttTimes(s said) string { return s.times(" --> ", ".") }

// firstOnly writes a label before the first cue of a turn.
func firstOnly(c captionCue, label string) string {
	if c.first {
		return label
	}
	return ""
}

// captionExports are subtitles whose turns have several cues.
var captionExports = []exportStyle{
	{"Zoom VTT", "people accounts guests", lines, timed, eachCue("WEBVTT\r\n", func(i int, c captionCue) string {
		return fmt.Sprintf("\r\n%d\r\n%s\r\n%s: %s\r\n", i+1, vttTimes(c.said), c.speaker, c.text)
	}), nil},
	{"Teams VTT", "people guests", lines, timed, eachCue("WEBVTT\r\n\r\n", func(i int, c captionCue) string {
		return fmt.Sprintf("8f2c1a77-3b0e-4d55-9b1f-0a6f1b7f1c11/%d-%d\r\n%s\r\n<v %s>%s</v>\r\n\r\n",
			i*7+12, i%2, vttTimes(c.said), c.speaker, vttEscape.Replace(wrap(c.text)))
	}), nil},
	{"Teams VTT without ends", "people odd", lines, timed,
		eachCue("\uFEFFWEBVTT\n\n", func(_ int, c captionCue) string {
			return fmt.Sprintf("%s\n<v %s>%s\n\n", vttTimes(c.said), c.speaker, vttEscape.Replace(c.text))
		}), nil},
	{"styled VTT", "people firsts", lines, timed, eachCue(
		"WEBVTT - Bakery\nKind: captions\nLanguage: en\n\nSTYLE\n::cue(v) { color: red }\n\nNOTE\nmade by hand\n\n",
		func(_ int, c captionCue) string {
			return fmt.Sprintf("%s align:start position:10%%\n<v.loud %s><i>%s</i>\n\n", vttTimes(c.said), c.speaker,
				vttEscape.Replace(c.text))
		}), nil},
	{"VTT, names on first cues", "people firsts capitals", lines, timed, eachCue("WEBVTT\n\n",
		func(_ int, c captionCue) string {
			return fmt.Sprintf("%s\n%s%s\n\n", vttTimes(c.said), firstOnly(c, c.speaker+": "), c.text)
		}), nil},
	{"SRT, names on first cues", "people numbered capitals", lines, timed,
		eachCue("", func(i int, c captionCue) string {
			return fmt.Sprintf("%d\n%s\n%s%s\n\n", i+1, srtTimes(c.said), firstOnly(c, c.speaker+": "), wrap(c.text))
		}), nil},
	{"SRT, names in brackets on first cues", "people numbered", lines, timed, eachCue("",
		func(i int, c captionCue) string {
			return fmt.Sprintf("%d\n%s\n%s%s\n\n", i+1, srtTimes(c.said), firstOnly(c, "["+c.speaker+"]\n"), c.text)
		}), nil},
	{"WhisperX SRT", "numbered", lines, timed, eachCue("", func(i int, c captionCue) string {
		return fmt.Sprintf("%d\n%s\n[%s]: %s\n\n", i+1, srtTimes(c.said), c.speaker, c.text)
	}), nil},
	{"Deepgram VTT", "numbered", lines, timed, eachCue("WEBVTT\n\nNOTE\nTranscription provided by Deepgram\n"+
		"Request Id: 1\nCreated: 2024-03-05\nDuration: 10\nChannels: 1\n\n", func(_ int, c captionCue) string {
		return fmt.Sprintf("%s\n<v %s>%s\n\n", vttTimes(c.said), c.speaker, c.text)
	}), nil},
	{"SRT with colours", "people capitals", lines, timed, eachCue("", func(i int, c captionCue) string {
		return fmt.Sprintf("%d\n%s\n<font color=\"#ffff00\">%s:</font> %s\n\n", i+1,
			srtTimes(c.said), c.speaker, c.text)
	}), nil},
	{"SRT with bold names", "people firsts", lines, timed, eachCue("", func(i int, c captionCue) string {
		return fmt.Sprintf("%d\n%s\n<b>%s</b>: %s\n\n", i+1, srtTimes(c.said), c.speaker, c.text)
	}), nil},
	{"VTT with empty cues", "people numbered", lines, timed,
		eachCue("WEBVTT\n\n", func(i int, c captionCue) string {
			empty := fmt.Sprintf("%s\n\n\n", vttTimes(c.said))
			return fmt.Sprintf("%s%d\n%s\n%s: %s\n\n", empty, i+1, vttTimes(c.said), c.speaker, c.text)
		}), nil},
	{"VTT with overlapping cues", "people", lines, timed,
		eachCue("WEBVTT\n\n", func(i int, c captionCue) string {
			late := said{c.speaker, c.start, c.end + 3*time.Second, c.text}
			return fmt.Sprintf("%d\n%s\n%s: %s\n\n", i+1, vttTimes(late), c.speaker, c.text)
		}), nil},
	{"VTT in short times", "people", lines, timed, eachCue("WEBVTT\n\n", func(_ int, c captionCue) string {
		short := func(d time.Duration) string { return clockMS(d, ".")[3:] }
		return fmt.Sprintf("%s --> %s\n<v %s>%s</v>\n\n", short(c.start), short(c.end), c.speaker,
			vttEscape.Replace(c.text))
	}), nil},
	{"live captions", "capitals", capitals, timed, eachCue("", func(i int, c captionCue) string {
		return fmt.Sprintf("%d\n%s\n%s%s\n\n", i+1, srtTimes(c.said), firstOnly(c, ">> "+c.speaker+": "),
			c.text)
	}), nil},
	{"captions without names", "firsts", lines, timed, eachCue("", func(i int, c captionCue) string {
		return fmt.Sprintf("%d\n%s\n%s\n\n", i+1, srtTimes(c.said), c.text)
	}), func(string, int) string { return "" }},
	{"YouTube's page", "firsts", oneLiners, timed, eachCue("", func(_ int, c captionCue) string {
		return fmt.Sprintf("%s\n%s\n", short(c.start), c.text)
	}), func(string, int) string { return "" }},
	{"Meet VTT", "people", lines, timed, eachCue("WEBVTT\n\n", func(_ int, c captionCue) string {
		return fmt.Sprintf("%s\n(%s)\n%s\n\n", vttTimes(c.said), c.speaker, c.text)
	}), nil},
	{"SRT with dashes of names", "people firsts", lines, timed, eachCue("", func(i int, c captionCue) string {
		return fmt.Sprintf("%d\n%s\n%s - %s\n\n", i+1, srtTimes(c.said), c.speaker, c.text)
	}), nil},
	{"SRT with names in round brackets", "numbered people", lines, timed,
		eachCue("", func(i int, c captionCue) string {
			return fmt.Sprintf("%d\n%s\n(%s) %s\n\n", i+1, srtTimes(c.said), c.speaker, c.text)
		}), nil},
}
