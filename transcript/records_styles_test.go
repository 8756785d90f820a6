package transcript_test

import (
	"bytes"
	"fmt"
	"strings"
)

// recordStyles are the records of courts, parliaments, councils and archives.
var recordStyles = styles{
	stories: []style{
		{"deposition", "questions", oneLiners, untimed, between("EXAMINATION\n\n", "", func(_ int, s said) string {
			if len(s.speaker) == 1 {
				return fmt.Sprintf("     %s.   %s\n", s.speaker, s.text)
			}
			return fmt.Sprintf("          %s:  %s\n", s.speaker, s.text)
		}), nil},
		{"court", "capitals", lines, untimed, between("PROCEEDINGS\n\n", "(End of proceedings.)\n",
			func(_ int, s said) string { return "          " + s.speaker + ":  " + s.text + "\n" }), nil},
		{"court with line numbers", "capitals", oneLiners, untimed, func(turns []said) []byte {
			var b bytes.Buffer
			for i, s := range turns {
				fmt.Fprintf(&b, "%2d              %s:  %s\n", i%25+1, s.speaker, s.text)
			}
			return b.Bytes()
		}, nil},
		{"Hansard", "people", paragraphs, untimed, between("The House met at half-past Two o’clock\n\n", "",
			func(_ int, s said) string { return s.speaker + " (Leeds North) (Lab)\n" + s.text + "\n\n" }),
			func(label string, _ int) string { return label + " (Leeds North) (Lab)" }},
		{"Bundestag", "titled", paragraphs, untimed, between("", "", func(_ int, s said) string {
			return s.speaker + " (SPD):\n" + s.text + "\n\n"
		}), func(label string, _ int) string { return label + " (SPD)" }},
		{"European Parliament", "people", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return s.speaker + " (PPE). – " + s.text + "\n\n"
		}), func(label string, _ int) string { return label + " (PPE)" }},
		{"Assemblée nationale", "people", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return "Mme " + s.speaker + ". " + s.text + "\n\n"
		}), func(label string, _ int) string { return "Mme " + label }},
		{"council minutes", "people", lines, untimed, between("Council meeting of March 5, 2024\n\n", "",
			func(_ int, s said) string { return "Councillor " + s.speaker + ": " + s.text + "\n\n" }),
			func(label string, _ int) string { return "Councillor " + label }},
		{"interview in a paper", "firsts initials people", oneLiners, untimed, between("", "",
			func(_ int, s said) string {
				return strings.ToUpper(s.speaker) + ": " + s.text + "\n\n"
			}), func(label string, _ int) string { return strings.ToUpper(label) }},
		{"radio", "capitals", paragraphs, untimed, between("", "Copyright © 2024 NPR. All rights reserved.\n",
			func(_ int, s said) string { return s.speaker + ": " + s.text + "\n\n" }), nil},
	},
	ward: []style{
		{"select committee", "people", oneLiners, untimed, between("Oral evidence: The wards, HC 123\n\n", "",
			func(i int, s said) string {
				if i%2 == 0 {
					return fmt.Sprintf("Q%d %s: %s\n\n", i/2+1, s.speaker, s.text)
				}
				return fmt.Sprintf("%s: %s\n\n", s.speaker, s.text)
			}), nil},
		{"congressional hearing", "people", oneLiners, untimed, between("", "", func(_ int, s said) string {
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
			between("Oral History Interview with Maria Kelly\n\n"+
				"Date: March 5, 2024\n\nBegin Tape 1, Side A\n\n", "[End of interview]\n", func(i int, s said) string {
				return s.speaker + ": " + s.text + "\n\n"
			}), nil},
		{"oral history, tracks", "people", paragraphs, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s [%s]: %s\n\n", s.speaker, clockS(s.start), s.text)
		}), nil},
		{"Spanish parliament", "people", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return "La señora " + s.speaker + ": " + s.text + "\n\n"
		}), func(label string, _ int) string { return "La señora " + label }},
		{"Swedish parliament", "people", oneLiners, untimed, between("", "", func(i int, s said) string {
			return fmt.Sprintf("Anf. %d %s (S)\n%s\n\n", i+1, s.speaker, s.text)
		}), func(label string, _ int) string { return label + " (S)" }},
		{"Austrian parliament", "people", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return "Abgeordnete " + s.speaker + " (Grüne): " + s.text + "\n\n"
		}), func(label string, _ int) string { return "Abgeordnete " + label + " (Grüne)" }},
		{"earnings call", "people", paragraphs, untimed, between("Q4 2023 Earnings Call\n\n", "",
			func(_ int, s said) string {
				return s.speaker + " -- Acme Corporation -- Analyst\n\n" + s.text + "\n\n"
			}), func(label string, _ int) string { return label + " -- Acme Corporation -- Analyst" }},
		{"panel with roles", "people", oneLiners, untimed, between("", "", func(i int, s said) string {
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
		{"question and answer in words", "firsts", oneLiners, untimed, between("", "", func(i int, s said) string {
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
	},
	wardRare: []style{
		{"German parliament", "people", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return "Abg. " + s.speaker + " (CDU): " + s.text + "\n\n"
		}), func(label string, _ int) string { return "Abg. " + label + " (CDU)" }},
		{"court, names after by", "capitals", oneLiners, untimed, joined("BY ", ": ", "\n\n"),
			func(label string, _ int) string { return "BY " + label }},
	},
	desk: []style{
		{"deposition", "court", oneLiners, untimed, func(turns []said) []byte {
			return deposition(turns, "     ", 52, 1)
		}, nil},
		{"deposition without pages", "court", oneLiners, untimed, func(turns []said) []byte {
			var b strings.Builder
			for _, s := range turns {
				head := s.speaker + ":  "
				if len(s.speaker) == 1 {
					head = s.speaker + ".  "
				}
				b.WriteString(wrapAt("     "+head+s.text, 56, "") + "\n")
			}
			return []byte(b.String())
		}, nil},
		{"questions and answers with stops", "court", oneLiners, untimed,
			between("", "", func(_ int, s said) string {
				if len(s.speaker) == 1 {
					return s.speaker + ". " + s.text + "\n"
				}
				return s.speaker + ": " + s.text + "\n"
			}), nil},
		{"inquiry", "titled capitals", oneLiners, untimed, between("Tuesday, 5 March 2024\n(10.02 am)\n\n", "",
			func(_ int, s said) string {
				return strings.ToUpper(s.speaker) + ": " + s.text + "\n"
			}), func(label string, _ int) string { return strings.ToUpper(label) }},
		{"titled people", "titled", oneLiners, untimed, afterTitlePage("", func(_ int, s said) string {
			return s.speaker + ": " + s.text + "\n\n"
		}), nil},
	},
}

// deposition writes questions and answers on pages of 25 numbered lines.
func deposition(turns []said, indent string, width, page int) []byte {
	var b strings.Builder
	line := 0
	for _, s := range turns {
		head := indent + s.speaker + "    "
		if len(s.speaker) > 1 {
			head = indent + indent + s.speaker + ":  "
		}
		for row := range strings.SplitSeq(head+wrapAt(s.text, width, ""), "\n") {
			if line%25 == 0 {
				fmt.Fprintf(&b, "\n%60s\n", fmt.Sprintf("Page %d", page))
				page++
			}
			fmt.Fprintf(&b, "%2d %s\n", line%25+1, row)
			line++
		}
	}
	return []byte(b.String())
}
