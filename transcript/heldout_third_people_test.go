package transcript_test

import (
	"fmt"
	"strings"
)

// joined writes a name, a separator and the text.
func joined(before, between, after string) func([]said) []byte {
	return eachExportTurn("", "", func(_ int, s said) string {
		return before + s.speaker + between + s.text +
			after
	})
}

// thirdTyped is what people type.
var thirdTyped = []exportStyle{
	{"semicolons", "people firsts letters", oneLiners, untimed, joined("", "; ", "\n"), nil},
	{"semicolons with times", "people firsts", oneLiners, timed, eachExportTurn("", "", func(_ int,
		s said) string {
		return fmt.Sprintf("%s; %s; %s\n", s.speaker, clockS(s.start), s.text)
	}), nil},
	{"commas with times", "firsts roles", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s, %s: %s\n\n", s.speaker, mmss(s.start), s.text)
	}), nil},
	{"at signs with times", "firsts people", oneLiners, timed, eachExportTurn("", "", func(_ int,
		s said) string {
		return fmt.Sprintf("%s @ %s: %s\n\n", s.speaker, mmss(s.start), s.text)
	}), nil},
	{"slashes with times", "firsts people", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s / %s / %s\n\n", s.speaker, mmss(s.start), s.text)
	}), nil},
	{"long dashes with times", "firsts people", oneLiners, timed, eachExportTurn("", "", func(_ int,
		s said) string {
		return fmt.Sprintf("%s — %s — %s\n\n", s.speaker, mmss(s.start), s.text)
	}), nil},
	{"tildes", "firsts letters", oneLiners, untimed, joined("", " ~ ", "\n"), nil},
	{"equals signs", "letters firsts", oneLiners, untimed, joined("", " = ", "\n"), nil},
	{"guillemets", "firsts people", oneLiners, untimed, joined("", " » ", "\n\n"), nil},
	{"long dashes", "people roles", oneLiners, untimed, joined("", " — ", "\n\n"), nil},
	{"double colons", "firsts letters", oneLiners, untimed, joined("", ":: ", "\n"), nil},
	{"colon and dash", "letters firsts", oneLiners, untimed, joined("", ":- ", "\n\n"), nil},
	{"stop and dash", "people", oneLiners, untimed, joined("", ".- ", "\n\n"), nil},
	{"stop and long dash", "people", oneLiners, untimed, joined("", ".— ", "\n\n"), nil},
	{"at signs", "accounts firsts", oneLiners, untimed, joined("@", ": ", "\n"), nil},
	{"angle brackets and colon", "firsts numbered", oneLiners, untimed, joined("<", ">: ", "\n"), nil},
	{"round brackets", "people roles", oneLiners, untimed, joined("(", ") ", "\n\n"), nil},
	{"round brackets and colon", "letters roles", oneLiners, untimed, joined("(", "): ", "\n\n"), nil},
	{"curly brackets", "numbered firsts", oneLiners, untimed, joined("{", "} ", "\n"), nil},
	{"dash before the name", "firsts letters", oneLiners, untimed, joined("– ", ": ", "\n\n"), nil},
	{"bullets", "firsts people", oneLiners, untimed, joined("• ", ": ", "\n"), nil},
	{"numbers in brackets before", "letters roles", oneLiners, untimed, eachExportTurn("", "", func(i int,
		s said) string {
		return fmt.Sprintf("(%d) %s: %s\n", i+1, s.speaker, s.text)
	}), nil},
	{"numbers of lines before", "letters firsts", oneLiners, untimed, eachExportTurn("", "", func(i int,
		s said) string {
		return fmt.Sprintf("%03d  %s: %s\n", i+1, s.speaker, s.text)
	}), nil},
	{"numbers of turns in brackets after", "letters numbered", oneLiners, untimed, eachExportTurn("", "",
		func(i int, s said) string { return fmt.Sprintf("%s [%d]: %s\n", s.speaker, i+1, s.text) }), nil},
	{"wrapped, hanging", "letters firsts roles", oneLiners, untimed, eachExportTurn("", "", func(_ int,
		s said) string {
		return fmt.Sprintf("%s:\t%s\n", s.speaker, wrapAt(s.text, 60, "\t"))
	}), nil},
	{"wrapped, not hanging", "people roles letters", oneLiners, untimed, eachExportTurn("Interview 7\n\n", "",
		func(_ int, s said) string { return fmt.Sprintf("%s\n", wrapAt(s.speaker+": "+s.text, 66, "")) }), nil},
	{"wrapped, blank lines between", "people roles letters", oneLiners, untimed, eachExportTurn("", "",
		func(_ int, s said) string { return wrapAt(s.speaker+": "+s.text, 66, "") + "\n\n" }), nil},
	{"wrapped, names above", "people roles", oneLiners, untimed, eachExportTurn("", "", func(_ int,
		s said) string {
		return s.speaker + "\n" + wrapAt(s.text, 70, "") + "\n\n"
	}), nil},
	{"indented text below", "people roles", oneLiners, untimed, eachExportTurn("", "", func(_ int,
		s said) string {
		return s.speaker + "\n    " + wrapAt(s.text, 70, "    ") + "\n"
	}), nil},
	{"capital names above with colon", "capitals", paragraphs, untimed, joined("", ":\n\n", "\n\n"), nil},
	{"bold interviewer, plain answers", "firsts", oneLiners, untimed, eachExportTurn("", "", func(i int,
		s said) string {
		if i%2 == 0 {
			return "**" + s.text + "**\n\n"
		}
		return s.text + "\n\n"
	}), nobody},
	{"sections between", "letters roles", oneLiners, untimed, eachExportTurn("", "", func(i int, s said) string {
		return s.speaker + ": " + s.text + "\n\n"
	}), nil},
	{"a heading per topic", "people", oneLiners, timed, eachExportTurn("# Interview 7\n\n## Transcript\n\n", "",
		func(_ int, s said) string {
			return fmt.Sprintf("**[%s] %s:** %s\n\n", mmss(s.start), s.speaker, s.text)
		}), nil},
	{"times every few turns", "people roles", oneLiners, untimed, eachExportTurn("", "", func(i int,
		s said) string {
		mark := ""
		if i%7 == 6 {
			mark = fmt.Sprintf("[%s]\n\n", clockS(s.start))
		}
		return mark + s.speaker + ": " + s.text + "\n\n"
	}), nil},
	{"names in guillemets", "firsts", oneLiners, untimed, joined("«", "» ", "\n"), nil},
	{"stars", "firsts roles", oneLiners, untimed, joined("*", "*: ", "\n\n"), nil},
	{"html in a text", "people", oneLiners, untimed, joined("<b>", ":</b> ", "<br>\n"), nil},
	{"RTF, names and tabs", "people letters", lines, untimed, rtfTurns(func(s said) string {
		return rtfText(s.speaker) + `:\tab ` + rtfText(s.text) + "\\par\n"
	}), nil},
	{"ODT, names and times", "people numbered", oneLiners, timed, odtTurns(func(s said) string {
		return "<text:p>[" + clockS(s.start) + "] " + odtText(s.speaker+": "+s.text) + "</text:p>"
	}), nil},
	{"Word, name with time above", "people numbered", lines, timed, docxParagraphs(func(s said) []string {
		return []string{s.speaker + " | " + mmss(s.start), s.text}
	}), nil},
	{"Word, semicolons", "firsts", oneLiners, untimed,
		docxParagraphs(func(s said) []string { return []string{s.speaker + "; " + s.text} }), nil},
	{"Word, three columns", "people roles", lines, timed, docxTable(rowsOf([]string{"Start", "End", "Speaker",
		"Transcript"}, timeSpeakerText)), nil},
}

// thirdRecords are the records of courts, parliaments and archives.
var thirdRecords = []exportStyle{
	{"select committee", "people", oneLiners, untimed, eachExportTurn("Oral evidence: The wards, HC 123\n\n", "",
		func(i int, s said) string {
			if i%2 == 0 {
				return fmt.Sprintf("Q%d %s: %s\n\n", i/2+1, s.speaker, s.text)
			}
			return fmt.Sprintf("%s: %s\n\n", s.speaker, s.text)
		}), nil},
	{"congressional hearing", "people", oneLiners, untimed, eachExportTurn("", "", func(_ int, s said) string {
		return wrapAt("    Senator "+s.speaker+". "+s.text, 70, "") + "\n"
	}), func(label string, _ int) string { return "Senator " + label }},
	{"deposition with pages", "questions", oneLiners, untimed, func(turns []said) []byte {
		var b strings.Builder
		line, page := 0, 11
		for _, s := range turns {
			head := fmt.Sprintf("     %s.   ", s.speaker)
			if len(s.speaker) > 1 {
				head = fmt.Sprintf("          %s:  ", s.speaker)
			}
			for row := range strings.SplitSeq(wrapAt(head+s.text, 50, ""), "\n") {
				if line%25 == 0 {
					page++
					fmt.Fprintf(&b, "\f                                        Page %d\n", page)
				}
				fmt.Fprintf(&b, "%2d  %s\n", line%25+1, row)
				line++
			}
		}
		return []byte(b.String())
	}, nil},
	{"oral history, tapes", "capitals", paragraphs, untimed,
		eachExportTurn("Oral History Interview with Maria Kelly\n\n"+
			"Date: March 5, 2024\n\nBegin Tape 1, Side A\n\n", "[End of interview]\n", func(i int, s said) string {
			return s.speaker + ": " + s.text + "\n\n"
		}), nil},
	{"oral history, tracks", "people", paragraphs, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s [%s]: %s\n\n", s.speaker, clockS(s.start), s.text)
	}), nil},
	{"Spanish parliament", "people", oneLiners, untimed, eachExportTurn("", "", func(_ int, s said) string {
		return "La señora " + s.speaker + ": " + s.text + "\n\n"
	}), func(label string, _ int) string { return "La señora " + label }},
	{"Swedish parliament", "people", oneLiners, untimed, eachExportTurn("", "", func(i int, s said) string {
		return fmt.Sprintf("Anf. %d %s (S)\n%s\n\n", i+1, s.speaker, s.text)
	}), func(label string, _ int) string { return label + " (S)" }},
	{"Austrian parliament", "people", oneLiners, untimed, eachExportTurn("", "", func(_ int, s said) string {
		return "Abgeordnete " + s.speaker + " (Grüne): " + s.text + "\n\n"
	}), func(label string, _ int) string { return "Abgeordnete " + label + " (Grüne)" }},
	{"earnings call", "people", paragraphs, untimed, eachExportTurn("Q4 2023 Earnings Call\n\n", "",
		func(_ int, s said) string {
			return s.speaker + " -- Acme Corporation -- Analyst\n\n" + s.text + "\n\n"
		}), func(label string, _ int) string { return label + " -- Acme Corporation -- Analyst" }},
	{"panel with roles", "people", oneLiners, untimed, eachExportTurn("", "", func(i int, s said) string {
		role := "PANELLIST"
		if i%2 == 0 {
			role = "MODERATOR"
		}
		return fmt.Sprintf("%s (%s): %s\n\n", role, s.speaker, s.text)
	}), func(label string, index int) string {
		if index == 0 {
			return "MODERATOR (" + label + ")"
		}
		return "PANELLIST (" + label + ")"
	}},
	{"questions in bold, answers with name", "firsts", oneLiners, untimed, eachExportTurn("", "", func(_ int,
		s said) string {
		return "**" + s.speaker + "**: " + s.text + "\n\n"
	}), nil},
	{"question and answer in words", "firsts", oneLiners, untimed, eachExportTurn("", "", func(i int,
		s said) string {
		if i%2 == 0 {
			return "Question: " + s.text + "\n\n"
		}
		return "Answer: " + s.text + "\n\n"
	}), func(_ string, index int) string {
		if index == 0 {
			return "Question"
		}
		return "Answer"
	}},
}

// paged breaks the lines of a text into pages of n lines, with a head and a foot.
func paged(n int, head, foot func(page int) string, render func([]said) []byte) func([]said) []byte {
	return func(turns []said) []byte {
		var b strings.Builder
		all := strings.Split(strings.TrimRight(string(render(turns)), "\n"), "\n")
		for page := 1; len(all) > 0; page++ {
			count := min(n, len(all))
			b.WriteString(head(page) + strings.Join(all[:count], "\n") + "\n" + foot(page))
			all = all[count:]
		}
		return []byte(b.String())
	}
}

func noLine(int) string { return "" }

var wrappedNames = eachExportTurn("", "", func(_ int, s said) string {
	return wrapAt(s.speaker+": "+s.text,
		70, "") + "\n\n"
})

var wrappedStamps = eachExportTurn("", "", func(_ int, s said) string {
	return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, mmss(s.start), wrapAt(s.text, 70, ""))
})

// thirdPages are texts that were copied from pages, with what is printed at their edges.
var thirdPages = []exportStyle{
	{"heads of the title", "people firsts", oneLiners, untimed, paged(18,
		func(int) string { return "Interview 7 – Night shift\n\n" }, noLine,
		wrappedNames), nil},
	{"heads with dates and numbers", "people letters", oneLiners, untimed, paged(20, func(page int) string {
		return fmt.Sprintf("Night shift study    5 March 2024    %d\n\n", page)
	}, noLine, wrappedNames), nil},
	{"feet with numbers of", "people roles", oneLiners, untimed, paged(19, noLine, func(page int) string {
		return fmt.Sprintf("\nPage %d of 12\n\n", page)
	}, wrappedNames), nil},
	{"feet with file and number", "people firsts", oneLiners, untimed, paged(22, noLine, func(page int) string {
		return fmt.Sprintf("\nInterview_07_final.docx  %d/12\n\n", page)
	}, wrappedNames), nil},
	{"feet of confidence", "people letters", oneLiners, untimed, paged(20, noLine, func(page int) string {
		return fmt.Sprintf("\nCONFIDENTIAL - do not share\n- %d -\n\n", page)
	}, wrappedNames), nil},
	{"heads and feet with form feeds", "people roles", oneLiners, untimed, paged(20, func(int) string {
		return "University of Leeds\nInterview 7\n\n"
	}, func(page int) string { return fmt.Sprintf("\n%d\n\f", page) }, wrappedNames), nil},
	{"German feet", "people letters", oneLiners, untimed, paged(17, noLine, func(page int) string {
		return fmt.Sprintf("\nAbschrift Interview 7\nSeite %d von 9\n\n", page)
	}, wrappedNames), nil},
	{"heads over times", "people numbered", oneLiners, timed, paged(21,
		func(int) string { return "Interview 7 | Acme Research\n\n" }, noLine,
		wrappedStamps), nil},
	{"feet of a browser", "people numbered", oneLiners, timed, paged(24,
		func(int) string { return "3/5/24, 10:02 AM    Interview 7 - Tool\n" },
		func(page int) string { return fmt.Sprintf("https://tool.example/app/7    %d/9\n", page) },
		wrappedStamps), nil},
}

// thirdChats are messages.
var thirdChats = []exportStyle{
	{"Intercom", "people", oneLiners, chatTimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s | %s: %s\n", minuteAt(s.start, "03:04 PM"), s.speaker, s.text)
	}), nil},
	{"WeChat, copied", "people accounts", oneLiners, clockTimed, eachExportTurn("", "", func(_ int,
		s said) string {
		return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, stampAt(s.start, "2006-01-02 15:04:05"), s.text)
	}), nil},
	{"QQ", "accounts people", oneLiners, clockTimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s %s\n%s\n\n", stampAt(s.start, "2006-01-02 15:04:05"), s.speaker, s.text)
	}), nil},
	{"Viber", "people", oneLiners, clockTimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s: %s\n", stampAt(s.start, "02.01.2006 15:04:05"), s.speaker, s.text)
	}), nil},
	{"WhatsApp in Swedish", "people firsts", lines, chatTimed, eachExportTurn("", "", func(_ int,
		s said) string {
		return fmt.Sprintf("%s - %s: %s\n", minuteAt(s.start, "2006-01-02 15:04"), s.speaker, s.text)
	}), nil},
	{"Teams chat with names and dates", "people guests", oneLiners, chatTimed, eachExportTurn("", "",
		func(_ int, s said) string {
			return fmt.Sprintf("%s   %s\n%s\n\n", s.speaker, minuteAt(s.start, "1/2/2006 3:04 PM"), s.text)
		}), nil},
	{"Mattermost", "accounts", oneLiners, chatTimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, minuteAt(s.start, "3:04 PM"), s.text)
	}), nil},
	{"log of a bot", "accounts firsts", oneLiners, clockTimed, eachExportTurn("", "", func(_ int,
		s said) string {
		return fmt.Sprintf("%s | %s | %s\n", stampAt(s.start, "2006-01-02T15:04:05Z"), s.speaker, s.text)
	}), nil},
	{"angle brackets with times", "accounts", oneLiners, dayTimed, eachExportTurn("", "", func(_ int,
		s said) string {
		return fmt.Sprintf("(%s) <%s> %s\n", stampAt(s.start, "15:04:05"), s.speaker, s.text)
	}), nil},
}
