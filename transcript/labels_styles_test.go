package transcript_test

import (
	"fmt"
	"strings"
)

// labelStyles are texts in which people write a name and what it says.
var labelStyles = styles{
	bakery: []style{
		{"name", "", lines, untimed, between("", "", func(_ int, s said) string {
			return s.speaker + ": " + s.text + "\n"
		}), nil},
		{"name, blank lines", "", lines, untimed, between("", "", func(_ int, s said) string {
			return s.speaker + ": " + s.text + "\n\n"
		}), nil},
		{"name and colon above", "", lines, untimed, between("", "", func(_ int, s said) string {
			return s.speaker + ":\n" + s.text + "\n\n"
		}), nil},
		{"name above", "", lines, untimed, between("", "", func(_ int, s said) string {
			return s.speaker + "\n" + s.text + "\n\n"
		}), nil},
		{"name, dash", "", lines, untimed, between("", "", func(_ int, s said) string {
			return s.speaker + " - " + s.text + "\n\n"
		}), nil},
		{"name, long dash", "", lines, untimed, between("", "", func(_ int, s said) string {
			return s.speaker + " — " + s.text + "\n"
		}), nil},
		{"name, tab", "", lines, untimed, between("", "", func(_ int, s said) string {
			return s.speaker + "\t" + oneLine(s.text) + "\n"
		}), nil},
		{"square brackets", "", lines, untimed, between("", "", func(_ int, s said) string {
			return "[" + s.speaker + "] " + s.text + "\n"
		}), nil},
		{"square brackets, colon", "", lines, untimed, between("", "", func(_ int, s said) string {
			return "[" + s.speaker + "]: " + s.text + "\n"
		}), nil},
		{"brackets above", "", lines, untimed, between("", "", func(_ int, s said) string {
			return "(" + s.speaker + ")\n" + s.text + "\n\n"
		}), nil},
		{"numbered lines", "", lines, untimed, between("", "", func(i int, s said) string {
			return fmt.Sprintf("%d. %s: %s\n", i+1, s.speaker, oneLine(s.text))
		}), nil},
		{"numbered lines, three digits", "", lines, untimed, between("", "", func(i int, s said) string {
			return fmt.Sprintf("%03d  %s: %s\n", i+1, s.speaker, oneLine(s.text))
		}), nil},
		{"bullets", "", lines, untimed, between("", "", func(_ int, s said) string {
			return "- " + s.speaker + ": " + oneLine(s.text) + "\n"
		}), nil},
		{"after a short line", "", lines, untimed, between("Interview with a bakery\n\n", "",
			func(_ int, s said) string {
				return s.speaker + ": " + s.text + "\n\n"
			}), nil},
	},
	stories: []style{
		{"names and tabs", "firsts letters initials", oneLiners, untimed,
			between("", "", func(_ int, s said) string {
				return s.speaker + ":\t" + s.text + "\n\n"
			}), nil},
		{"names in a column", "firsts letters roles", oneLiners, untimed, between("Interview 4, 5.3.2024\n\n", "",
			func(_ int, s said) string { return fmt.Sprintf("%-12s %s\n\n", s.speaker+":", s.text) }), nil},
		{"hebrew", "hebrew", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return "\u200f" + s.speaker + ": " + s.text + "\n"
		}), nil},
		{"hebrew with times", "hebrew", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("\u202b[%s] %s: %s\u202c\n", clockS(s.start), s.speaker, s.text)
		}), nil},
		{"full-width colons", "firsts people", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return s.speaker + "：" + s.text + "\n"
		}), nil},
		{"no-break spaces", "people firsts", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return strings.ReplaceAll(s.speaker, " ", "\u00a0") + "\u00a0: " + s.text + "\n\n"
		}), nil},
		{"spaces before colons", "people firsts titled", oneLiners, untimed, between("", "",
			func(_ int, s said) string {
				return s.speaker + " : " + s.text + "\n\n"
			}), nil},
		{"no spaces after colons", "firsts letters roles", oneLiners, untimed, between("", "",
			func(_ int, s said) string {
				return s.speaker + ":" + s.text + "\n"
			}), nil},
		{"arrows", "firsts letters", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return s.speaker + " > " + s.text + "\n"
		}), nil},
		{"bars", "firsts people", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return s.speaker + " | " + s.text + "\n"
		}), nil},
		{"dashes", "firsts people", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return s.speaker + " - " + s.text + "\n\n"
		}), nil},
		{"dashes without spaces before", "firsts people", oneLiners, untimed, between("", "",
			func(_ int, s said) string {
				return s.speaker + "- " + s.text + "\n\n"
			}), nil},
		{"letters with full stops", "letters", oneLiners, untimed, between("", "", func(i int, s said) string {
			return s.speaker + ". " + s.text + "\n\n"
		}), nil},
		{"letters with brackets", "letters", oneLiners, untimed, between("", "", func(i int, s said) string {
			return s.speaker + ") " + s.text + "\n\n"
		}), nil},
		{"names above with blank lines", "people numbered", paragraphs, untimed, between("", "",
			func(_ int, s said) string { return s.speaker + ":\n\n" + s.text + "\n\n" }), nil},
		{"capitals above", "capitals", paragraphs, untimed, between("", "", func(_ int, s said) string {
			return s.speaker + "\n" + s.text + "\n\n"
		}), nil},
		{"roles in brackets", "people firsts", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return s.speaker + " (Product Manager, Lumen): " + s.text + "\n\n"
		}), func(label string, _ int) string { return label + " (Product Manager, Lumen)" }},
		{"a sheet of fields before", "letters roles initials", oneLiners, untimed, between(
			"Interview: 4\nDate: 5 March 2024\nPlace: Leeds\nDuration: 32 min\nTranscribed by: Dana\n\n", "",
			func(_ int, s said) string { return s.speaker + ": " + s.text + "\n\n" }), nil},
		{"numbers in a column", "letters firsts", oneLiners, untimed, between("", "", func(i int, s said) string {
			return fmt.Sprintf("%d\t%s:\t%s\n", i+1, s.speaker, s.text)
		}), nil},
		{"prose", "firsts", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return s.text + "\n\n"
		}), nobody},
	},
	ward: []style{
		{"semicolons", "people firsts letters", oneLiners, untimed, joined("", "; ", "\n"), nil},
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
		{"numbers in brackets before", "letters roles", oneLiners, untimed,
			between("", "", func(i int, s said) string {
				return fmt.Sprintf("(%d) %s: %s\n", i+1, s.speaker, s.text)
			}), nil},
		{"numbers of lines before", "letters firsts", oneLiners, untimed,
			between("", "", func(i int, s said) string {
				return fmt.Sprintf("%03d  %s: %s\n", i+1, s.speaker, s.text)
			}), nil},
		{"numbers of turns in brackets after", "letters numbered", oneLiners, untimed, between("", "",
			func(i int, s said) string { return fmt.Sprintf("%s [%d]: %s\n", s.speaker, i+1, s.text) }), nil},
		{"wrapped, hanging", "letters firsts roles", oneLiners, untimed,
			between("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s:\t%s\n", s.speaker, wrapAt(s.text, 60, "\t"))
			}), nil},
		{"wrapped, not hanging", "people roles letters", oneLiners, untimed, between("Interview 7\n\n", "",
			func(_ int, s said) string { return fmt.Sprintf("%s\n", wrapAt(s.speaker+": "+s.text, 66, "")) }), nil},
		{"wrapped, blank lines between", "people roles letters", oneLiners, untimed, between("", "",
			func(_ int, s said) string { return wrapAt(s.speaker+": "+s.text, 66, "") + "\n\n" }), nil},
		{"wrapped, names above", "people roles", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return s.speaker + "\n" + wrapAt(s.text, 70, "") + "\n\n"
		}), nil},
		{"indented text below", "people roles", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return s.speaker + "\n    " + wrapAt(s.text, 70, "    ") + "\n"
		}), nil},
		{"capital names above with colon", "capitals", paragraphs, untimed, joined("", ":\n\n", "\n\n"), nil},
		{"sections between", "letters roles", oneLiners, untimed, between("", "", func(i int, s said) string {
			return s.speaker + ": " + s.text + "\n\n"
		}), nil},
		{"names in guillemets", "firsts", oneLiners, untimed, joined("«", "» ", "\n"), nil},
	},
	wardRare: []style{
		{"numbers of lines in brackets", "letters", oneLiners, untimed, between("", "", func(i int, s said) string {
			return fmt.Sprintf("[%03d] %s: %s\n", i+1, s.speaker, s.text)
		}), nil},
		{"numbers of lines at the ends", "letters firsts", oneLiners, untimed, between("", "",
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
		{"names below", "people", oneLiners, untimed, joinedAfter("\n— ", "\n\n"), nil},
		{"names in brackets after", "firsts", oneLiners, untimed, joinedAfter(" (", ")\n\n"), nil},
	},
	clinic: []style{
		{"screenplay", "capitals", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return "                    " + s.speaker + "\n" + wrapAt("          "+s.text, 50, "          ") + "\n\n"
		}), nil},
		{"slashes behind codes", "codes", oneLiners, untimed, joined("", "/ ", "\n\n"), nil},
		{"numbered questions", "firsts", oneLiners, untimed, between("", "", func(i int, s said) string {
			return fmt.Sprintf("%s%d: %s\n\n", []string{"Q", "A"}[i%2], i/2+1, s.text)
		}), func(_ string, n int) string { return []string{"Q", "A"}[min(n, 1)] }},
		{"words in German quotes", "firsts", oneLiners, untimed, func(turns []said) []byte {
			for i := range turns {
				turns[i].text = "„" + turns[i].text + "“"
			}
			return joined("", ": ", "\n")(turns)
		}, nil},
		{"names with numbers of paragraphs behind", "codes", oneLiners, untimed,
			between("", "", func(i int, s said) string {
				return fmt.Sprintf("%s: %s [%d]\n\n", s.speaker, s.text, i+1)
			}), nil},
		{"two conversations", "people", oneLiners, untimed, func(turns []said) []byte {
			half := len(turns) / 2
			return []byte("INTERVIEW 1\n\n" + string(joined("", ": ", "\n\n")(turns[:half])) + "INTERVIEW 2\n\n" +
				string(joined("", ": ", "\n\n")(turns[half:])))
		}, nil},
	},
	desk: []style{
		{"title page and codes", "codes roles firsts", oneLiners, untimed,
			afterTitlePage("", func(_ int, s said) string {
				return s.speaker + ": " + s.text + "\n\n"
			}), nil},
		{"title page and times", "codes people", oneLiners, timed, afterTitlePage("", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s: %s\n\n", clockS(s.start), s.speaker, s.text)
		}), nil},
		{"codes and tabs", "codes firsts", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return s.speaker + ":\t" + s.text + "\n"
		}), nil},
		{"hanging indents", "codes firsts roles", oneLiners, untimed, between("", "", func(_ int, s said) string {
			head := fmt.Sprintf("%-16s", s.speaker+":")
			return wrapAt(head+s.text, 60, strings.Repeat(" ", 16)) + "\n\n"
		}), nil},
		{"hanging indents without colons", "codes capitals", oneLiners, untimed,
			between("", "", func(_ int, s said) string {
				return fmt.Sprintf("%-16s%s\n", s.speaker, wrapAt(s.text, 60, strings.Repeat(" ", 16)))
			}), nil},
		{"wrapped lines", "codes people", oneLiners, untimed, afterTitlePage("", func(_ int, s said) string {
			return wrapAt(s.speaker+": "+s.text, 72, "") + "\n\n"
		}), nil},
		{"numbers of lines", "codes firsts", oneLiners, untimed, func(turns []said) []byte {
			var b strings.Builder
			n := 0
			for _, s := range turns {
				for line := range strings.SplitSeq(wrapAt(s.speaker+": "+s.text, 64, ""), "\n") {
					n++
					fmt.Fprintf(&b, "%d\t%s\n", n, line)
				}
			}
			return []byte(b.String())
		}, nil},
		{"numbers of lines every five", "codes", oneLiners, untimed, func(turns []said) []byte {
			var b strings.Builder
			n := 0
			for _, s := range turns {
				for line := range strings.SplitSeq(wrapAt(s.speaker+": "+s.text, 64, ""), "\n") {
					n++
					if n%5 == 0 {
						fmt.Fprintf(&b, "%-5d%s\n", n, line)
					} else {
						b.WriteString("     " + line + "\n")
					}
				}
			}
			return []byte(b.String())
		}, nil},
		{"focus group", "focus", oneLiners, untimed, between("Focus group 3, 5 March 2024, 18:00-19:30\n"+
			"Present: moderator, six participants\n\n", "", func(_ int, s said) string {
			return s.speaker + ": " + s.text + "\n\n"
		}), nil},
		{"names with ages in brackets", "firsts", oneLiners, untimed, between("", "", func(i int, s said) string {
			return fmt.Sprintf("%s [34]: %s\n", s.speaker, s.text)
		}), func(label string, _ int) string { return label + " [34]" }},
		{"podcast", "capitals", oneLiners, untimed, between("[MUSIC]\n\n", "\n[MUSIC]\n",
			func(_ int, s said) string {
				return s.speaker + ": " + s.text + "\n\n"
			}), nil},
		{"monologue", "people", oneLiners, untimed, between("", "",
			func(i int, s said) string { return s.text + "\n\n" }), nobody},
		{"dashes without names", "people", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return "– " + s.text + "\n"
		}), nobody},
	},
}

const germanTranscript = "Transkript"

// titlePage writes what typists write before an interview.
func titlePage(turns []said) string {
	switch turns[0].language {
	case "de":
		return germanTranscript + " Interview 12\n\nDatum: 05.03.2024\nOrt: Videokonferenz\nDauer: 42 Minuten\n" +
			"Interviewerin: " + turns[0].speaker +
			"\n\nDie Teilnahme war freiwillig, das Einverständnis liegt vor.\n\n"
	case "fr":
		return "Entretien n° 12\n\nDate : 5 mars 2024\nLieu : visioconférence\nDurée : 42 minutes\n\n" +
			"La personne a donné son accord pour l'enregistrement.\n\n"
	case "es":
		return "Entrevista 12\n\nFecha: 5 de marzo de 2024\nLugar: Zoom\nDuración: 42 minutos\n\n" +
			"La persona dio su consentimiento.\n\n"
	}
	return "Interview 12\n\nDate: March 5, 2024\nLocation: Zoom\nDuration: 42 minutes\n" +
		"Transcribed by: K. Adams\n\nThe participant has agreed to be recorded.\n\n"
}

// afterTitlePage writes a title page and the turns.
func afterTitlePage(foot string, turn func(i int, s said) string) func([]said) []byte {
	return func(turns []said) []byte { return between(titlePage(turns), foot, turn)(turns) }
}
