package transcript_test

import (
	"fmt"
	"strings"
	"time"
)

// captionStyles are captions and subtitles.
var captionStyles = styles{
	bakery: []style{
		{"TTML, agents", "", lines, timed, ttmlAgents, nil},
		{"TTML, labels", "", lines, timed, func(turns []said) []byte {
			paragraphs := between(ttmlHead+"<body><div>\n", "", func(_ int, s said) string {
				return fmt.Sprintf(`<p begin="%s" end="%s">%s: %s</p>`+"\n",
					seconds(s.start), seconds(s.end), ttmlText(s.speaker), ttmlText(s.text))
			})(turns)
			return append(paragraphs, "</div></body></tt>"...)
		}, nil},
		{"VTT", "", lines, timed, between("WEBVTT\n\n", "", func(i int, s said) string {
			return fmt.Sprintf("%d\n%s\n%s: %s\n\n", i+1, s.times(" --> ", "."), s.speaker, s.text)
		}), nil},
		{"VTT, voices", "", lines, timed, between("WEBVTT\n\n", "", func(_ int, s said) string {
			return fmt.Sprintf("%s\n<v %s>%s</v>\n\n", s.times(" --> ", "."), s.speaker, vttEscape.Replace(s.text))
		}), nil},
		{"VTT, names as ids", "", lines, timed, between("WEBVTT\n\n", "", func(_ int, s said) string {
			return fmt.Sprintf("%s\n%s\n%s\n\n", s.speaker, s.times(" --> ", "."), s.text)
		}), nil},
		{"VTT, numbered names as ids", "", lines, timed, between("WEBVTT\n\n", "", func(i int, s said) string {
			return fmt.Sprintf("%d \"%s\" (123456)\n%s\n%s\n\n", i+1, s.speaker, s.times(" --> ", "."), s.text)
		}), nil},
		{"VTT, brackets", "", lines, timed, between("WEBVTT\n\n", "", func(_ int, s said) string {
			return fmt.Sprintf("%s\n(%s)\n%s\n\n", s.times(" --> ", "."), s.speaker, s.text)
		}), nil},
		{"SRT", "", lines, timed, between("", "", func(i int, s said) string {
			return fmt.Sprintf("%d\n%s\n%s: %s\n\n", i+1, s.times(" --> ", ","), s.speaker, s.text)
		}), nil},
		{"SRT, square brackets", "", lines, timed, between("", "", func(i int, s said) string {
			return fmt.Sprintf("%d\n%s\n[%s] %s\n\n", i+1, s.times(" --> ", ","), s.speaker, s.text)
		}), nil},
		{"SRT, name above", "", lines, timed, between("", "", func(i int, s said) string {
			return fmt.Sprintf("%d\n%s\n%s:\n%s\n\n", i+1, s.times(" --> ", ","), s.speaker, s.text)
		}), nil},
		{"SBV", "", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s,%s\n%s: %s\n\n",
				clockMS(s.start, ".")[1:], clockMS(s.end, ".")[1:], s.speaker, s.text)
		}), nil},
		{"ASS", "", lines, timed, between(assHead, "", func(_ int, s said) string {
			return fmt.Sprintf("Dialogue: 0,%s,%s,Default,%s,0,0,0,,%s\n", ass(s.start), ass(s.end),
				strings.ReplaceAll(s.speaker, ",", ";"), strings.ReplaceAll(s.text, "\n", `\N`))
		}), func(label string, _ int) string { return strings.ReplaceAll(label, ",", ";") }},
		{"Teams cues in text", "", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s --> %s\n%s\n%s\n\n", unpadded(s.start), unpadded(s.end), s.speaker, s.text)
		}), nil},
	},
	stories: []style{
		{"Zoom VTT", "people accounts guests", lines, timed, eachCue("WEBVTT\r\n",
			func(i int, c captionCue) string {
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
			"WEBVTT - Bakery\nKind: captions\nLanguage: en\n\nSTYLE\n::cue(v) { color: red }\n\n"+
				"NOTE\nmade by hand\n\n",
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
				late := said{c.speaker, c.start, c.end + 3*time.Second, c.text, c.language}
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
		}), nobody},
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
	},
	ward: []style{
		{"YouTube's XML", "firsts", oneLiners, timed, between(`<?xml version="1.0" encoding="utf-8" ?><transcript>`,
			"</transcript>",
			func(_ int, s said) string {
				return fmt.Sprintf(`<text start="%.2f" dur="%.2f">%s</text>`, s.start.Seconds(),
					(s.end - s.start).Seconds(), vttEscape.Replace(s.text))
			}), nobody},
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
		{"VTT, voices on first cues", "people numbered", lines, timed,
			eachCue("WEBVTT\n\n", func(_ int, c captionCue) string {
				return fmt.Sprintf("%s\n%s%s\n\n", vttTimes(c.said), firstOnly(c, "<v "+c.speaker+">"),
					vttEscape.Replace(c.text))
			}), nil},
		{"SRT, capitals first with dash", "capitals", lines, timed, eachCue("", func(i int, c captionCue) string {
			return fmt.Sprintf("%d\n%s\n%s%s\n\n", i+1, srtTimes(c.said), firstOnly(c, "- "+c.speaker+": "), c.text)
		}), nil},
		{"SRT, names above on first cues", "people firsts", lines, timed,
			eachCue("", func(i int, c captionCue) string {
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
		{"VTT, speakers as classes", "firsts", lines, timed, eachCue("WEBVTT\n\n",
			func(_ int, c captionCue) string {
				return fmt.Sprintf("%s\n<c.speaker>%s:</c> %s\n\n", vttTimes(c.said), c.speaker, c.text)
			}), nil},
		{"SBV, names on first cues", "people", lines, timed, eachCue("", func(_ int, c captionCue) string {
			return fmt.Sprintf("%s,%s\n%s%s\n\n", clockMS(c.start, ".")[1:], clockMS(c.end, ".")[1:], firstOnly(c,
				c.speaker+": "),
				c.text)
		}), nil},
		{"LRC", "firsts", oneLiners, timed, between("[ti:Interview 7]\n[by:Tool]\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("[%02d:%02d.%02d]%s: %s\n", int(s.start.Minutes()), int(s.start.Seconds())%60,
					s.start.Milliseconds()%1000/10, s.speaker, s.text)
			}), nil},
		{"MicroDVD", "firsts", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("{%d}{%d}%s\n", s.start*25/time.Second, s.end*25/time.Second, s.text)
		}), nobody},
		{"YouTube, chevrons and names", "capitals", capitals, timed,
			eachCue("WEBVTT\nKind: captions\nLanguage: en\n\n",
				func(_ int, c captionCue) string {
					return fmt.Sprintf("%s align:start position:0%%\n%s%s\n\n", vttTimes(c.said), firstOnly(c, "&gt;&gt; "+
						c.speaker+": "),
						vttEscape.Replace(c.text))
				}), nil},
		{"Zoom captions with clock", "people", oneLiners, dayTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s\n%s\n\n", s.speaker, stampAt(s.start, "15:04:05"), s.text)
		}), nil},
		{"ASS without styles", "people", oneLiners, timed,
			between("[Script Info]\nTitle: Interview 7\n\n[Events]\n"+
				"Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n", "",
				func(_ int, s said) string {
					stamp := func(d time.Duration) string { return clockMS(d, ".")[1:11] }
					return fmt.Sprintf("Dialogue: 0,%s,%s,Default,%s,0,0,0,,%s\n", stamp(s.start), stamp(s.end),
						strings.ReplaceAll(s.speaker, ",", ""), s.text)
				}), nil},
	},
	wardRare: []style{
		{"SRT, names with bars first", "people", lines, timed, eachCue("", func(i int, c captionCue) string {
			return fmt.Sprintf("%d\n%s\n%s%s\n\n", i+1, srtTimes(c.said), firstOnly(c, c.speaker+" | "), c.text)
		}), nil},
		{"SRT, chevrons and names above", "capitals", lines, timed, eachCue("", func(i int, c captionCue) string {
			return fmt.Sprintf("%d\n%s\n%s%s\n\n", i+1, srtTimes(c.said), firstOnly(c, ">> "+c.speaker+"\n"), c.text)
		}), nil},
		{"SRT, bold names above first", "people", lines, timed, eachCue("", func(i int, c captionCue) string {
			return fmt.Sprintf("%d\n%s\n%s%s\n\n", i+1, srtTimes(c.said), firstOnly(c, "<b>"+c.speaker+"</b>\n"),
				c.text)
		}), nil},
		{"VTT, identifiers on first cues", "people", lines, timed,
			eachCue("WEBVTT\n\n", func(_ int, c captionCue) string {
				return fmt.Sprintf("%s%s\n%s\n\n", firstOnly(c, c.speaker+"\n"), vttTimes(c.said), c.text)
			}), nil},
		{"VTT, names in curly brackets", "people numbered", lines, timed,
			eachCue("WEBVTT\n\n", func(_ int, c captionCue) string {
				return fmt.Sprintf("%s\n{%s} %s\n\n", vttTimes(c.said), c.speaker, c.text)
			}), nil},
		{"VTT, language tags", "people", lines, timed, eachCue("WEBVTT\n\n", func(_ int, c captionCue) string {
			return fmt.Sprintf("%s\n<lang en><v %s>%s</v></lang>\n\n", vttTimes(c.said), c.speaker,
				vttEscape.Replace(c.text))
		}), nil},
	},
	clinic: []style{
		{"SRT, names in round brackets", "firsts people", oneLiners, timed,
			eachCue("", func(i int, c captionCue) string {
				return fmt.Sprintf("%d\n%s\n%s%s\n\n", i+1, srtTimes(c.said), firstOnly(c, "("+c.speaker+") "), c.text)
			}), nil},
		{"VTT, names on a line of their own", "capitals", oneLiners, timed,
			eachCue("WEBVTT\n\n", func(_ int, c captionCue) string {
				return fmt.Sprintf("%s\n%s%s\n\n", vttTimes(c.said), firstOnly(c, c.speaker+":\n"), c.text)
			}), nil},
	},
	desk: []style{
		{"Otter SRT", "people numbered", oneLiners, timed, eachCue("", func(i int, c captionCue) string {
			return fmt.Sprintf("%d\n%s\n%s%s\n\n", i+1, srtTimes(c.said), firstOnly(c, c.speaker+": "), c.text)
		}), nil},
		{"Zoom VTT", "people guests", oneLiners, timed, crlf(eachCue("WEBVTT\n", func(i int, c captionCue) string {
			return fmt.Sprintf("\n%d\n%s\n%s: %s\n", i+1, vttTimes(c.said), c.speaker, c.text)
		})), nil},
		{"Teams VTT", "people guests", oneLiners, timed, eachCue("WEBVTT\n\n", func(i int, c captionCue) string {
			return fmt.Sprintf("9f1c7c0e-1b2a-4c3d-8e4f-aa12bb34cc56/%d-%d\n%s\n<v %s>%s</v>\n\n", i, i%3,
				vttTimes(c.said), c.speaker, vttEscape.Replace(c.text))
		}), nil},
		{"Webex VTT", "people", oneLiners, timed, eachCue("WEBVTT\n", func(i int, c captionCue) string {
			return fmt.Sprintf("\n%d %q (3291847104)\n%s\n%s\n", i+1, c.speaker, vttTimes(c.said), c.text)
		}), nil},
		{"chevrons with names", "capitals", oneLiners, timed, eachCue("", func(i int, c captionCue) string {
			return fmt.Sprintf("%d\n%s\n%s%s\n\n", i+1, srtTimes(c.said), firstOnly(c, ">> "+c.speaker+": "), c.text)
		}), nil},
		{"chevrons without names", "people", oneLiners, timed, eachCue("", func(i int, c captionCue) string {
			return fmt.Sprintf("%d\n%s\n%s%s\n\n", i+1, srtTimes(c.said), firstOnly(c, ">> "), c.text)
		}), nobody},
		{"chevrons in text", "people", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return ">> " + s.text + "\n\n"
		}), nobody},
		{"dashes in cues", "people", oneLiners, timed, eachCue("", func(i int, c captionCue) string {
			return fmt.Sprintf("%d\n%s\n%s%s\n\n", i+1, srtTimes(c.said), firstOnly(c, "- "), c.text)
		}), nobody},
		{"Meet captions SBV", "people", oneLiners, timed, eachCue("", func(_ int, c captionCue) string {
			return fmt.Sprintf("%s,%s\n%s%s\n\n", clockMS(c.start, ".")[1:], clockMS(c.end, ".")[1:],
				firstOnly(c, "("+c.speaker+")\n"), c.text)
		}), nil},
		{"VTT with settings and notes", "people firsts", oneLiners, timed, eachCue(
			"WEBVTT - Interview 12\nKind: captions\nLanguage: en\n\nNOTE Created by an editor\n\n"+
				"STYLE\n::cue { color: white }\n\n",
			func(_ int, c captionCue) string {
				return fmt.Sprintf("%s align:start position:0%%\n<v.first %s>%s\n\n", vttTimes(c.said), c.speaker,
					vttEscape.Replace(c.text))
			}), nil},
	},
}

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
				strings.Join(words[i:end], " "), s.language}
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

const assHead = "[Script Info]\nTitle: Interview\nScriptType: v4.00+\n\n[V4+ Styles]\n" +
	"Format: Name, Fontname, Fontsize\nStyle: Default,Arial,20\n\n[Events]\n" +
	"Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"

const ttmlHead = `<?xml version="1.0" encoding="UTF-8"?>
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttm="http://www.w3.org/ns/ttml#metadata" xml:lang="en">
`

func ttmlText(s string) string { return strings.ReplaceAll(vttEscape.Replace(s), "\n", "<br/>") }

// ttmlAgents writes Timed Text whose speakers are agents.
func ttmlAgents(turns []said) []byte {
	var head strings.Builder
	for i, name := range speakersOf(turns) {
		fmt.Fprintf(&head, `<ttm:agent xml:id="a%d" type="person"><ttm:name type="full">%s</ttm:name></ttm:agent>`,
			i+1, vttEscape.Replace(name))
	}
	return between(ttmlHead+"<head><metadata>"+head.String()+"</metadata></head><body><div>",
		"</div></body></tt>", func(_ int, s said) string {
			return fmt.Sprintf(`<p begin="%s" end="%s" ttm:agent="a%d">%s</p>`+"\n",
				clockMS(s.start, "."), clockMS(s.end, "."), indexOf(turns, s.speaker)+1, ttmlText(s.text))
		})(turns)
}
