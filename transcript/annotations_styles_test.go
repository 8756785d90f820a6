package transcript_test

import (
	"fmt"
	"strings"
	"time"
)

// annotationStyles are exports of programs for analysis and annotation.
var annotationStyles = styles{
	bakery: []style{
		{"f4 at the start", "", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("#%s-%d# %s: %s\n", clockS(s.start), s.start.Milliseconds()/100%10, s.speaker, s.text)
		}), nil},
		{"f4 at the end", "", lines, endTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s: %s #%s-%d#\n", s.speaker, s.text, clockS(s.end), s.end.Milliseconds()/100%10)
		}), nil},
	},
	stories: []style{
		{"NVivo table", "people", oneLiners, timed, between("Timespan\tContent\tSpeaker\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s - %s\t%s\t%s\n", clockMS(s.start, ".")[3:10],
					clockMS(s.end, ".")[3:10], s.text, s.speaker)
			}), nil},
		{"ELAN", "firsts", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s\t\t%s\t%s\t%s\t%s\n", s.speaker, clockMS(s.start, "."), clockMS(s.end, "."),
				clockMS(s.end-s.start, "."), s.text)
		}), nil},
		{"NVivo", "people numbered", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s\t[%s]\n%s\n\n", s.speaker, clockS(s.start), s.text)
		}), nil},
		{"MAXQDA, times at the end in brackets", "letters initials", oneLiners, endTimed, between("", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s: %s #%s#\n\n", s.speaker, s.text, clockMS(s.end, "-")[:10])
			}), nil},
		{"f4x", "letters firsts", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[#%s#] %s: %s\n", clockS(s.start), s.speaker, s.text)
		}), nil},
		{"oTranscribe", "firsts letters initials", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s %s: %s\n\n", mmss(s.start), s.speaker, s.text)
		}), nil},
		{"InqScribe", "capitals firsts", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s.%02d] %s: %s\n\n", clockS(s.start),
				s.start.Milliseconds()/10%100, s.speaker, s.text)
		}), nil},
		{"CLAN", "capitals", oneLiners, untimed, between(
			"@Begin\n@Languages:\teng\n@Participants:\tDAN Dana Adult, SAM Sam Adult\n", "@End\n",
			func(_ int, s said) string {
				return fmt.Sprintf("*%s:\t%s\n", s.speaker, s.text)
			}), nil},
	},
	ward: []style{
		{"ELAN, a column per tier", "firsts", oneLiners, timed, func(turns []said) []byte {
			var b strings.Builder
			names := []string{}
			for _, s := range turns {
				if indexOf(turns, s.speaker) == len(names) {
					names = append(names, s.speaker)
				}
			}
			b.WriteString("Begin Time - hh:mm:ss.ms\tEnd Time - hh:mm:ss.ms\t" + strings.Join(names, "\t") + "\n")
			for _, s := range turns {
				cells := make([]string, len(names))
				cells[indexOf(turns, s.speaker)] = s.text
				fmt.Fprintf(&b, "%s\t%s\t%s\n", clockMS(s.start, "."), clockMS(s.end, "."), strings.Join(cells, "\t"))
			}
			return []byte(b.String())
		}, nil},
		{"NVivo, tabs", "people letters", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s\t%s\t%s\n", clockMS(s.start, ".")[:10], s.speaker, s.text)
		}), nil},
		{"Atlas.ti", "people letters", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s: %s\n", clockMS(s.start, ".")[:11], s.speaker, s.text)
		}), nil},
		{"MAXQDA, marks before", "letters firsts", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("#%s-%d# %s: %s\n\n", clockS(s.start), s.start.Milliseconds()%1000/100, s.speaker,
				s.text)
		}), nil},
		{"MAXQDA, marks after", "letters roles", oneLiners, endTimed, between("Abschrift 7\n\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s: %s #%s-%d#\n\n", s.speaker, s.text, clockS(s.end), s.end.Milliseconds()%1000/100)
			}), nil},
		{"InqScribe, tabs", "firsts letters", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s]\t%s:\t%s\n\n", clockMS(s.start, ".")[:11], s.speaker, s.text)
		}), nil},
		{"Express Scribe", "firsts roles", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s - %s: %s\n\n", clockS(s.start), s.speaker, s.text)
		}), nil},
	},
	wardRare: []style{
		{"Transana", "letters firsts", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("¤<%d>%s: %s\n", s.start.Milliseconds(), s.speaker, s.text)
		}), nil},
		{"Transana, hours", "letters firsts", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("(%s) %s: %s\n", clockMS(s.start, ".")[1:9], s.speaker, s.text)
		}), nil},
		{"EXMARaLDA", "initials letters", oneLiners, untimed, between("", "", func(i int, s said) string {
			return fmt.Sprintf("[%d]\n%s [v]\t%s\n\n", i+1, s.speaker, s.text)
		}), func(label string, _ int) string { return label + " [v]" }},
	},
	desk: []style{
		{"numbered paragraphs of MAXQDA", "codes people", oneLiners, untimed,
			between("", "", func(i int, s said) string {
				return fmt.Sprintf("%d   %s: %s\n", i+1, s.speaker, s.text)
			}), nil},
		{"f4, rich text", "codes", oneLiners, endTimed, rtfTurns(func(s said) string {
			return rtfText(fmt.Sprintf("%s: %s #%s-%d#", s.speaker, s.text, clockS(s.end),
				s.end.Milliseconds()%1000/100)) + "\\par\n"
		}), nil},
		{"easytranscript", "codes firsts", oneLiners, endTimed, afterTitlePage("", func(_ int, s said) string {
			return fmt.Sprintf("%s: %s #%s-%d#\n", s.speaker, s.text, clockS(s.end), s.end.Milliseconds()%1000/100)
		}), nil},
		{"oTranscribe", "codes firsts", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s %s: %s\n", mmss(s.start), s.speaker, s.text)
		}), nil},
		{"oTranscribe Markdown", "codes firsts", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("*%s* **%s:** %s\n\n", mmss(s.start), s.speaker, s.text)
		}), nil},
		{"oTranscribe file", "codes firsts", oneLiners, timed, func(turns []said) []byte {
			var b strings.Builder
			for _, s := range turns {
				fmt.Fprintf(&b, `<p><span class="timestamp" data-timestamp="%.6f">%s</span>&nbsp;%s: %s<br></p>`,
					s.start.Seconds(), short(s.start), htmlText(s.speaker), htmlText(s.text))
			}
			return encodeJSON(object{"text": b.String(), "media": "interview12.mp3", "media-time": 2530.11})
		}, nil},
		{"InqScribe", "codes firsts", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s: %s\n\n", clockMS(s.start, ".")[:11], s.speaker, s.text)
		}), nil},
		{"NVivo", "people codes", oneLiners, timed, between("Timespan\tContent\tSpeaker\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s - %s\t%s\t%s\n", tenths(s.start), tenths(s.end), s.text, s.speaker)
			}), nil},
		{"overlaps and pauses", "codes firsts", oneLiners, untimed, func(turns []said) []byte {
			for i := range turns {
				turns[i].text = "(.) //" + turns[i].text + "// (2.0) ((lacht))"
			}
			return joined("", ": ", "\n")(turns)
		}, nil},
		{"GAT with numbers", "codes firsts", oneLiners, untimed, between("", "", func(i int, s said) string {
			return fmt.Sprintf("%02d   %-6s %s\n", i+1, s.speaker+":", s.text)
		}), nil},
		{"CHAT", "machine", oneLiners, timed, func(turns []said) []byte {
			var b strings.Builder
			b.WriteString("@UTF8\n@Begin\n@Languages:\teng\n@Participants:\tMAY Maya Interviewer, DEV Devon " +
				"Participant\n@ID:\teng|interview|MAY|||||Interviewer|||\n@ID:\teng|interview|DEV|||||Participant|||\n" +
				"@Media:\tinterview12, audio\n@Comment:\trecorded in the kitchen\n")
			for i, s := range turns {
				fmt.Fprintf(&b, "*%s:\t%s \x15%d_%d\x15\n", chatCode(i, turns), wrapAt(s.text, 70, "\t"),
					s.start.Milliseconds(), s.end.Milliseconds())
				if i%3 == 0 {
					b.WriteString("%com:\tlooks at the door\n")
				}
			}
			return append([]byte(b.String()), "@End\n"...)
		}, func(_ string, index int) string { return []string{"MAY", "DEV", "RUT", "TUN"}[index] }},
		{"ELAN, a row per annotation", "codes firsts", oneLiners, timed,
			between("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s\t\t%s\t%.3f\t%s\t%.3f\t%s\t%.3f\t%s\n", s.speaker, clockMS(s.start, "."),
					s.start.Seconds(), clockMS(s.end, "."), s.end.Seconds(), clockMS(s.end-s.start, "."),
					(s.end - s.start).Seconds(), s.text)
			}), nil},
		{"ELAN, a column per tier", "codes firsts people", oneLiners, timed, func(turns []said) []byte {
			names := speakersOf(turns)
			var b strings.Builder
			b.WriteString("Begin Time - hh:mm:ss.ms\tEnd Time - hh:mm:ss.ms\tDuration - hh:mm:ss.ms\t" +
				strings.Join(names, "\t") + "\n")
			for _, s := range turns {
				cells := make([]string, len(names))
				cells[indexOf(turns, s.speaker)] = s.text
				fmt.Fprintf(&b, "%s\t%s\t%s\t%s\n", clockMS(s.start, "."), clockMS(s.end, "."),
					clockMS(s.end-s.start, "."), strings.Join(cells, "\t"))
			}
			return []byte(b.String())
		}, nil},
		{"ELAN, traditional", "codes firsts", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%-8s%s\n\n", s.speaker, s.text)
		}), nil},
		{"Praat TextGrid", "firsts", oneLiners, timed, func(turns []said) []byte {
			names := speakersOf(turns)
			last := turns[len(turns)-1].end.Seconds()
			var b strings.Builder
			fmt.Fprintf(&b, "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\nxmin = 0 \nxmax = %g \n"+
				"tiers? <exists> \nsize = %d \nitem []: \n", last, len(names))
			for n, name := range names {
				fmt.Fprintf(&b, "    item [%d]:\n        class = \"IntervalTier\" \n        name = %q \n"+
					"        xmin = 0 \n        xmax = %g \n", n+1, name, last)
				var spoken []said
				for _, s := range turns {
					if s.speaker == name {
						spoken = append(spoken, s)
					}
				}
				fmt.Fprintf(&b, "        intervals: size = %d \n", len(spoken))
				for i, s := range spoken {
					fmt.Fprintf(&b, "        intervals [%d]:\n            xmin = %g \n            xmax = %g \n"+
						"            text = \"%s\" \n", i+1, s.start.Seconds(), s.end.Seconds(),
						strings.ReplaceAll(s.text, `"`, `""`))
				}
			}
			return []byte(b.String())
		}, nil},
		{"EXMARaLDA, score", "codes firsts", oneLiners, untimed, between("", "", func(i int, s said) string {
			return fmt.Sprintf("[%d]\n%s [v]\t%s\n\n", i+1, s.speaker, s.text)
		}), func(label string, _ int) string { return label + " [v]" }},
		{"ELAN file", "firsts", oneLiners, timed, func(turns []said) []byte {
			var slots, tiers strings.Builder
			for i, s := range turns {
				fmt.Fprintf(&slots, `<TIME_SLOT TIME_SLOT_ID="ts%d" TIME_VALUE="%d"/>`+
					`<TIME_SLOT TIME_SLOT_ID="ts%d" TIME_VALUE="%d"/>`,
					2*i, s.start.Milliseconds(), 2*i+1, s.end.Milliseconds())
			}
			for _, name := range speakersOf(turns) {
				fmt.Fprintf(&tiers, `<TIER LINGUISTIC_TYPE_REF="default-lt" TIER_ID="%s">`, htmlText(name))
				for i, s := range turns {
					if s.speaker == name {
						fmt.Fprintf(&tiers, `<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a%d" TIME_SLOT_REF1="ts%d"`+
							` TIME_SLOT_REF2="ts%d"><ANNOTATION_VALUE>%s</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>`,
							i, 2*i, 2*i+1, vttEscape.Replace(s.text))
					}
				}
				tiers.WriteString("</TIER>\n")
			}
			return []byte(`<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="" DATE="2024-03-05T10:02:15+01:00" FORMAT="3.0" VERSION="3.0">
<HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"/><TIME_ORDER>` +
				slots.String() + "</TIME_ORDER>\n" + tiers.String() +
				`<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="default-lt" TIME_ALIGNABLE="true"/></ANNOTATION_DOCUMENT>`)
		}, nil},
	},
}

func chatCode(i int, turns []said) string {
	return []string{"MAY", "DEV", "RUT", "TUN"}[indexOf(turns, turns[i].speaker)]
}

// annotationTalks returns the styles of programs for analysis.
func annotationTalks() []talkStyle {
	return []talkStyle{
		{"otranscribe", "en-clinic nl-fietsen de-werkstatt", []string{"I", "R"}, time.Second,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s %s: %s\n\n", mmss(s.start), s.speaker, s.text)
			})},
		{"otranscribe, markdown", "en-invoices fr-boulangerie", []string{"Q", "A"}, time.Second,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("[%s](#%d) **%s:** %s\n\n", mmss(s.start),
					int(s.start.Seconds()), s.speaker, s.text)
			})},
		{"f4", "de-werkstatt en-clinic nl-fietsen", []string{"I", "B"}, 0, f4Ends},
		{"f4, times in front", "de-werkstatt en-invoices", []string{"I", "B"}, time.Second,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("#%s-1# %s: %s\n\n", clockS(s.start), s.speaker, s.text)
			})},
		{"nvivo, columns", "en-clinic en-panel es-tienda", nil, time.Second,
			framed("Timespan\tContent\tSpeaker\n", "", func(_ int, s said) string {
				return fmt.Sprintf("%s.1 - %s.0\t%s\t%s\n", short(s.start), short(s.end), s.text, s.speaker)
			})},
		{"atlas.ti", "en-founder de-werkstatt", nil, 0, func(f *file) {
			for _, s := range f.turns {
				f.raw("%s: %s #%s#\n\n", s.speaker, s.text, clockS(s.end))
				f.saidSometime(s)
			}
		}},
		{"elan, tab-delimited", "en-clinic nl-fietsen tr-kafe", nil, ms,
			framed("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s\t\t%s\t%s\t%s\t%s\n", s.speaker, clockMS(s.start, "."), clockMS(s.end, "."),
					clockMS(s.end-s.start, "."), s.text)
			})},
		{"inqscribe", "en-clinic en-panel it-agriturismo", nil, time.Second,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("[%s.05] %s: %s\n\n", clockS(s.start), s.speaker, s.text)
			})},
		{"express scribe", "en-invoices en-clinic pl-apteka", []string{"INTERVIEWER", "RESPONDENT"}, 0,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s:\t%s\r\n\r\n", s.speaker, s.text)
			})},
	}
}

func f4Ends(f *file) {
	for _, s := range f.turns {
		f.raw("%s: %s #%s-%d#\n\n", s.speaker, s.text, clockS(s.end), s.end.Milliseconds()/100%10)
		f.saidSometime(s)
	}
}
