package transcript_test

import (
	"bytes"
	"fmt"
	"strings"
)

// recordExports are the records of courts, parliaments and councils.
var recordExports = []exportStyle{
	{"deposition", "questions", oneLiners, untimed,
		eachExportTurn("EXAMINATION\n\n", "", func(_ int, s said) string {
			if len(s.speaker) == 1 {
				return fmt.Sprintf("     %s.   %s\n", s.speaker, s.text)
			}
			return fmt.Sprintf("          %s:  %s\n", s.speaker, s.text)
		}), nil},
	{"court", "capitals", lines, untimed, eachExportTurn("PROCEEDINGS\n\n", "(End of proceedings.)\n",
		func(_ int, s said) string { return "          " + s.speaker + ":  " + s.text + "\n" }), nil},
	{"court with line numbers", "capitals", oneLiners, untimed, func(turns []said) []byte {
		var b bytes.Buffer
		for i, s := range turns {
			fmt.Fprintf(&b, "%2d              %s:  %s\n", i%25+1, s.speaker, s.text)
		}
		return b.Bytes()
	}, nil},
	{"Hansard", "people", paragraphs, untimed, eachExportTurn("The House met at half-past Two o’clock\n\n", "",
		func(_ int, s said) string { return s.speaker + " (Leeds North) (Lab)\n" + s.text + "\n\n" }),
		func(label string, _ int) string { return label + " (Leeds North) (Lab)" }},
	{"Bundestag", "titled", paragraphs, untimed, eachExportTurn("", "", func(_ int, s said) string {
		return s.speaker + " (SPD):\n" + s.text + "\n\n"
	}), func(label string, _ int) string { return label + " (SPD)" }},
	{"European Parliament", "people", oneLiners, untimed, eachExportTurn("", "", func(_ int, s said) string {
		return s.speaker + " (PPE). – " + s.text + "\n\n"
	}), func(label string, _ int) string { return label + " (PPE)" }},
	{"Assemblée nationale", "people", oneLiners, untimed, eachExportTurn("", "", func(_ int, s said) string {
		return "Mme " + s.speaker + ". " + s.text + "\n\n"
	}), func(label string, _ int) string { return "Mme " + label }},
	{"council minutes", "people", lines, untimed, eachExportTurn("Council meeting of March 5, 2024\n\n", "",
		func(_ int, s said) string { return "Councillor " + s.speaker + ": " + s.text + "\n\n" }),
		func(label string, _ int) string { return "Councillor " + label }},
	{"interview in a paper", "firsts initials people", oneLiners, untimed, eachExportTurn("", "",
		func(_ int, s said) string {
			return strings.ToUpper(s.speaker) + ": " + s.text + "\n\n"
		}), func(label string, _ int) string { return strings.ToUpper(label) }},
	{"radio", "capitals", paragraphs, untimed, eachExportTurn("", "Copyright © 2024 NPR. All rights reserved.\n",
		func(_ int, s said) string { return s.speaker + ": " + s.text + "\n\n" }), nil},
}

// typedExports are what people type.
var typedExports = []exportStyle{
	{"names and tabs", "firsts letters initials", oneLiners, untimed,
		eachExportTurn("", "", func(_ int, s said) string {
			return s.speaker + ":\t" + s.text + "\n\n"
		}), nil},
	{"names in a column", "firsts letters roles", oneLiners, untimed,
		eachExportTurn("Interview 4, 5.3.2024\n\n", "",
			func(_ int, s said) string { return fmt.Sprintf("%-12s %s\n\n", s.speaker+":", s.text) }), nil},
	{"hebrew", "hebrew", oneLiners, untimed, eachExportTurn("", "", func(_ int, s said) string {
		return "\u200f" + s.speaker + ": " + s.text + "\n"
	}), nil},
	{"hebrew with times", "hebrew", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("\u202b[%s] %s: %s\u202c\n", clockS(s.start), s.speaker, s.text)
	}), nil},
	{"full-width colons", "firsts people", oneLiners, untimed,
		eachExportTurn("", "", func(_ int, s said) string {
			return s.speaker + "：" + s.text + "\n"
		}), nil},
	{"no-break spaces", "people firsts", oneLiners, untimed, eachExportTurn("", "", func(_ int, s said) string {
		return strings.ReplaceAll(s.speaker, " ", "\u00a0") + "\u00a0: " + s.text + "\n\n"
	}), nil},
	{"spaces before colons", "people firsts titled", oneLiners, untimed, eachExportTurn("", "",
		func(_ int, s said) string {
			return s.speaker + " : " + s.text + "\n\n"
		}), nil},
	{"no spaces after colons", "firsts letters roles", oneLiners, untimed, eachExportTurn("", "",
		func(_ int, s said) string {
			return s.speaker + ":" + s.text + "\n"
		}), nil},
	{"bold and dash", "people firsts", lines, untimed, eachExportTurn("", "", func(_ int, s said) string {
		return "**" + s.speaker + "** – " + s.text + "\n\n"
	}), nil},
	{"bold without colon", "people firsts", lines, untimed, eachExportTurn("", "", func(_ int, s said) string {
		return "**" + s.speaker + "** " + s.text + "\n\n"
	}), nil},
	{"italics", "people firsts", lines, untimed, eachExportTurn("", "", func(_ int, s said) string {
		return "*" + s.speaker + ":* " + s.text + "\n\n"
	}), nil},
	{"underscores", "people", lines, untimed, eachExportTurn("", "", func(_ int, s said) string {
		return "__" + s.speaker + "__: " + s.text + "\n\n"
	}), nil},
	{"quotations", "people", oneLiners, untimed, eachExportTurn("", "", func(_ int, s said) string {
		return "> **" + s.speaker + "**: " + s.text + "\n\n"
	}), nil},
	{"arrows", "firsts letters", oneLiners, untimed, eachExportTurn("", "", func(_ int, s said) string {
		return s.speaker + " > " + s.text + "\n"
	}), nil},
	{"bars", "firsts people", oneLiners, untimed, eachExportTurn("", "", func(_ int, s said) string {
		return s.speaker + " | " + s.text + "\n"
	}), nil},
	{"dashes", "firsts people", oneLiners, untimed, eachExportTurn("", "", func(_ int, s said) string {
		return s.speaker + " - " + s.text + "\n\n"
	}), nil},
	{"dashes without spaces before", "firsts people", oneLiners, untimed, eachExportTurn("", "",
		func(_ int, s said) string {
			return s.speaker + "- " + s.text + "\n\n"
		}), nil},
	{"letters with full stops", "letters", oneLiners, untimed,
		eachExportTurn("", "", func(i int, s said) string {
			return s.speaker + ". " + s.text + "\n\n"
		}), nil},
	{"letters with brackets", "letters", oneLiners, untimed, eachExportTurn("", "", func(i int, s said) string {
		return s.speaker + ") " + s.text + "\n\n"
	}), nil},
	{"names above with blank lines", "people numbered", paragraphs, untimed, eachExportTurn("", "",
		func(_ int, s said) string { return s.speaker + ":\n\n" + s.text + "\n\n" }), nil},
	{"capitals above", "capitals", paragraphs, untimed, eachExportTurn("", "", func(_ int, s said) string {
		return s.speaker + "\n" + s.text + "\n\n"
	}), nil},
	{"pages", "people firsts letters", oneLiners, untimed,
		eachExportTurn("", "Page 4 of 4\n", func(i int, s said) string {
			page := ""
			if i%6 == 5 {
				page = fmt.Sprintf("Page %d of 4\n\n\fInterview 4 – confidential\n\n", i/6+1)
			}
			return s.speaker + ": " + s.text + "\n\n" + page
		}), nil},
	{"page numbers", "people letters", oneLiners, untimed, eachExportTurn("", "", func(i int, s said) string {
		page := ""
		if i%5 == 4 {
			page = fmt.Sprintf("\n%d\n\n", i/5+1)
		}
		return s.speaker + ": " + s.text + "\n\n" + page
	}), nil},
	{"roles in brackets", "people firsts", oneLiners, untimed,
		eachExportTurn("", "", func(_ int, s said) string {
			return s.speaker + " (Product Manager, Lumen): " + s.text + "\n\n"
		}), func(label string, _ int) string { return label + " (Product Manager, Lumen)" }},
	{"a sheet of fields before", "letters roles initials", oneLiners, untimed, eachExportTurn(
		"Interview: 4\nDate: 5 March 2024\nPlace: Leeds\nDuration: 32 min\nTranscribed by: Dana\n\n", "",
		func(_ int, s said) string { return s.speaker + ": " + s.text + "\n\n" }), nil},
	{"numbers in a column", "letters firsts", oneLiners, untimed,
		eachExportTurn("", "", func(i int, s said) string {
			return fmt.Sprintf("%d\t%s:\t%s\n", i+1, s.speaker, s.text)
		}), nil},
	{"prose", "firsts", oneLiners, untimed, eachExportTurn("", "", func(_ int, s said) string {
		return s.text + "\n\n"
	}), func(string, int) string { return "" }},
}
