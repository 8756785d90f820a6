package transcript_test

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// roman returns a small number in Roman digits, as the pages of some reports have them.
func roman(n int) string {
	return strings.Repeat("x", n/10) + []string{"", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"}[n%10]
}

// fourthSet are the styles of the fourth set, which are stranger than those of the third.
var fourthSet = []exportStyle{
	{"Granola notes", "people", oneLiners, untimed, eachExportTurn("Interview 7\n\nTranscript:\n\n", "",
		func(_ int, s said) string { return s.speaker + ":  " + s.text + "\n" }), nil},
	{"Supernormal", "people", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s · %s\n%s\n\n", s.speaker, short(s.start), s.text)
	}), nil},
	{"Grain clips", "people", paragraphs, timed, eachExportTurn("# Interview 7\n", "", func(_ int,
		s said) string {
		return fmt.Sprintf("\n**%s** (%s)\n\n%s\n", s.speaker, mmss(s.start), s.text)
	}), nil},
	{"Reduct", "people firsts", lines, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s [%s]\n%s\n\n", strings.ToUpper(s.speaker), clockS(s.start), s.text)
	}), func(label string, _ int) string { return strings.ToUpper(label) }},
	{"Airgram", "people numbered", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s (%s - %s)\n\n%s\n\n", s.speaker, clockS(s.start), clockS(s.end), s.text)
	}), nil},
	{"Jamie", "people", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("- **%s** [%s]: %s\n", s.speaker, mmss(s.start), s.text)
	}), nil},
	{"Bluedot", "people", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s\n%s\n%s\n\n", mmss(s.start), s.speaker, s.text)
	}), nil},
	{"Vimeo", "people", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s  %s: %s\n", mmss(s.start), s.speaker, s.text)
	}), nil},
	{"Transana", "letters firsts", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("¤<%d>%s: %s\n", s.start.Milliseconds(), s.speaker, s.text)
	}), nil},
	{"Transana, hours", "letters firsts", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("(%s) %s: %s\n", clockMS(s.start, ".")[1:9], s.speaker, s.text)
	}), nil},
	{"EXMARaLDA", "initials letters", oneLiners, untimed, eachExportTurn("", "", func(i int, s said) string {
		return fmt.Sprintf("[%d]\n%s [v]\t%s\n\n", i+1, s.speaker, s.text)
	}), func(label string, _ int) string { return label + " [v]" }},
	{"numbers of lines in brackets", "letters", oneLiners, untimed, eachExportTurn("", "", func(i int,
		s said) string {
		return fmt.Sprintf("[%03d] %s: %s\n", i+1, s.speaker, s.text)
	}), nil},
	{"numbers of lines at the ends", "letters firsts", oneLiners, untimed, eachExportTurn("", "",
		func(i int, s said) string { return fmt.Sprintf("%s: %s (%d)\n", s.speaker, s.text, i+1) }), nil},
	{"backslashes", "letters firsts", oneLiners, untimed, joined("", ` \ `, "\n"), nil},
	{"two tabs", "firsts letters", oneLiners, untimed, joined("", "\t\t", "\n"), nil},
	{"dots", "people", oneLiners, untimed, joined("", " ... ", "\n\n"), nil},
	{"ellipses", "letters", oneLiners, untimed, joined("", "… ", "\n\n"), nil},
	{"commas", "firsts", oneLiners, untimed, joined("", ", ", "\n\n"), nil},
	{"middle dots", "firsts people", oneLiners, untimed, joined("", " · ", "\n"), nil},
	{"black bullets", "people", oneLiners, untimed, joined("▪ ", ": ", "\n"), nil},
	{"emoji", "firsts", oneLiners, untimed, joined("🎤 ", ": ", "\n\n"), nil},
	{"double angle brackets", "firsts people", oneLiners, untimed, joined("<<", ">> ", "\n"), nil},
	{"double brackets", "people", oneLiners, untimed, joined("[[", "]] ", "\n"), nil},
	{"small capitals", "people", oneLiners, untimed, joined(`<span style="font-variant:small-caps">`,
		"</span>: ", "<br>\n"),
		nil},
	{"bold without spaces", "people", oneLiners, untimed, joined("**", "**", "\n\n"), nil},
	{"underlined names", "people roles", paragraphs, untimed, joined("<u>", "</u>\n\n", "\n\n"), nil},
	{"names below", "people", oneLiners, untimed, joinedAfter("\n— ", "\n\n"), nil},
	{"names in brackets after", "firsts", oneLiners, untimed, joinedAfter(" (", ")\n\n"), nil},
	{"times after names and dots", "people", oneLiners, timed, eachExportTurn("", "", func(_ int,
		s said) string {
		return fmt.Sprintf("%s ...... %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
	}), nil},
	{"times in curly brackets", "people", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("{%s} %s: %s\n", clockS(s.start), s.speaker, s.text)
	}), nil},
	{"times with h and min", "people", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%dh%02dm%02ds - %s: %s\n\n", int(s.start.Hours()), int(s.start.Minutes())%60,
			int(s.start.Seconds())%60, s.speaker, s.text)
	}), nil},
	{"times in points", "firsts", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s %s: %s\n", strings.ReplaceAll(clockS(s.start), ":", "."), s.speaker, s.text)
	}), nil},
	{"milliseconds", "numbered", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%d ms] %s: %s\n", s.start.Milliseconds(), s.speaker, s.text)
	}), nil},
	{"seconds and bars", "numbered", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%.2f|%.2f|%s|%s\n", s.start.Seconds(), s.end.Seconds(), s.speaker, s.text)
	}), nil},
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
	{"VTT, identifiers on first cues", "people", lines, timed, eachCue("WEBVTT\n\n", func(_ int,
		c captionCue) string {
		return fmt.Sprintf("%s%s\n%s\n\n", firstOnly(c, c.speaker+"\n"), vttTimes(c.said), c.text)
	}), nil},
	{"VTT, names in curly brackets", "people numbered", lines, timed, eachCue("WEBVTT\n\n", func(_ int,
		c captionCue) string {
		return fmt.Sprintf("%s\n{%s} %s\n\n", vttTimes(c.said), c.speaker, c.text)
	}), nil},
	{"VTT, language tags", "people", lines, timed, eachCue("WEBVTT\n\n", func(_ int, c captionCue) string {
		return fmt.Sprintf("%s\n<lang en><v %s>%s</v></lang>\n\n", vttTimes(c.said), c.speaker,
			vttEscape.Replace(c.text))
	}), nil},
	{"heads with chapters", "people letters", oneLiners, untimed, paged(21, func(page int) string {
		return fmt.Sprintf("%d | Chapter 3: The night shift\n\n", page+40)
	}, noLine, wrappedNames), nil},
	{"Roman pages", "people letters", oneLiners, untimed, paged(21, noLine, func(page int) string {
		return fmt.Sprintf("\n%s\n\n", roman(page))
	}, wrappedNames), nil},
	{"feet of dates", "people roles", oneLiners, untimed, paged(23, noLine, func(page int) string {
		return fmt.Sprintf("\n05.03.2024 %d\n\n", page)
	}, wrappedNames), nil},
	{"heads and feet with names", "people", oneLiners, timed, paged(24,
		func(int) string { return "Priya Raman\n\n" },
		func(page int) string { return fmt.Sprintf("\nDraft, p. %d\n\n", page) }, wrappedStamps), nil},
	{"heads between paragraphs", "people", oneLiners, untimed, func(turns []said) []byte {
		var b strings.Builder
		for i, s := range turns {
			if i%5 == 0 {
				b.WriteString("Night shift study\n\n")
			}
			b.WriteString(s.speaker + ": " + s.text + "\n\n")
		}
		return []byte(b.String())
	}, nil},
	{"German parliament", "people", oneLiners, untimed, eachExportTurn("", "", func(_ int, s said) string {
		return "Abg. " + s.speaker + " (CDU): " + s.text + "\n\n"
	}), func(label string, _ int) string { return "Abg. " + label + " (CDU)" }},
	{"court, names after by", "capitals", oneLiners, untimed, joined("BY ", ": ", "\n\n"),
		func(label string, _ int) string { return "BY " + label }},
	{"questions in bold with numbers", "firsts", oneLiners, untimed, eachExportTurn("", "", func(i int,
		s said) string {
		if i%2 == 0 {
			return fmt.Sprintf("**%d. %s**\n\n", i/2+1, s.text)
		}
		return s.text + "\n\n"
	}), nobody},
	{"Discord with roles", "accounts", oneLiners, chatTimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s [MOD] — %s\n%s\n\n", s.speaker, minuteAt(s.start, "01/02/2006 3:04 PM"), s.text)
	}), func(label string, _ int) string { return label + " [MOD]" }},
	{"chat with dates in words", "people", oneLiners, chatTimed, eachExportTurn("", "", func(_ int,
		s said) string {
		return fmt.Sprintf("[%s] %s: %s\n", minuteAt(s.start, "Jan 2, 2006, 3:04 PM"), s.speaker, s.text)
	}), nil},
	{"CSV, milliseconds and initials", "letters", lines, timed, csvOf(',', rowsOf([]string{"in", "out", "who",
		"what"},
		func(_ int, s said) []string {
			return []string{strconv.FormatInt(s.start.Milliseconds(), 10), strconv.FormatInt(s.end.Milliseconds(), 10),
				s.speaker, s.text}
		})), nil},
	{"CSV, one time", "people", lines, timed, csvOf(';', rowsOf([]string{"Zeitmarke", "Person", "Wortlaut"},
		func(_ int, s said) []string { return []string{clockS(s.start), s.speaker, s.text} })), nil},
	{"CSV without heading", "people", lines, timed, csvOf(',', rowsOf(nil, func(_ int, s said) []string {
		return []string{s.speaker, mmss(s.start), s.text}
	})), nil},
	{"JSON, names and lines", "people", lines, untimed, func(turns []said) []byte {
		return document(object{"dialogue": objectsOf(turns, func(_ int, s said) object {
			return object{"name": s.speaker, "line": s.text}
		})})
	}, nil},
	{"JSON, seconds as texts", "people", lines, timed, func(turns []said) []byte {
		return document(object{"utterances": objectsOf(turns, func(_ int, s said) object {
			return object{"speaker": s.speaker, "text": s.text, "start_time": fmt.Sprintf("%.2fs", s.start.Seconds())}
		})})
	}, nil},
	{"JSON, a map of speakers", "people", lines, timed, func(turns []said) []byte {
		names := object{}
		for _, s := range turns {
			names[strconv.Itoa(indexOf(turns, s.speaker))] = s.speaker
		}
		return document(object{"speakers": names, "segments": objectsOf(turns, func(_ int, s said) object {
			return object{"speaker": indexOf(turns, s.speaker), "start": s.start.Seconds(), "end": s.end.Seconds(),
				"text": s.text}
		})})
	}, nil},
	{"JSON, nanoseconds", "people", lines, timed, func(turns []said) []byte {
		return document(object{"segments": objectsOf(turns, func(_ int, s said) object {
			return object{"speaker": s.speaker, "start": int64(s.start), "end": int64(s.end / time.Nanosecond),
				"text": s.text}
		})})
	}, nil},
	{"Word, numbered names", "letters", oneLiners, untimed, docxParagraphs(func(s said) []string {
		return []string{s.speaker + "\t" + s.text}
	}), nil},
	{"Word, times below", "people", lines, timed, docxParagraphs(func(s said) []string {
		return []string{s.speaker, clockS(s.start), s.text}
	}), nil},
	{"ODT, semicolons", "people", oneLiners, untimed, odtTurns(func(s said) string {
		return "<text:p>" + odtText(s.speaker+"; "+s.text) + "</text:p>"
	}), nil},
}

// joinedAfter writes a name after the text.
func joinedAfter(between, after string) func([]said) []byte {
	return eachExportTurn("", "", func(_ int, s said) string { return s.text + between + s.speaker + after })
}
