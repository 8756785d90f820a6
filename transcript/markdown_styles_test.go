package transcript_test

import (
	"fmt"
	"strings"
)

// markdownStyles are texts with marks of Markdown or HTML.
var markdownStyles = styles{
	bakery: []style{
		{"bold", "", lines, untimed, between("# Interview\n\n", "", func(_ int, s said) string {
			return "**" + s.speaker + ":** " + s.text + "\n\n"
		}), nil},
		{"bold, colon outside", "", lines, untimed, between("", "", func(_ int, s said) string {
			return "**" + s.speaker + "**: " + s.text + "\n\n"
		}), nil},
		{"bold above", "", lines, untimed, between("", "", func(_ int, s said) string {
			return "**" + s.speaker + "**\n" + s.text + "\n\n"
		}), nil},
		{"bold paragraph above", "", lines, untimed, between("# Interview\n\n", "", func(_ int, s said) string {
			return "**" + s.speaker + "**\n\n" + s.text + "\n\n"
		}), nil},
		{"heading above", "", lines, untimed, between("# Interview\n\n", "", func(_ int, s said) string {
			return "### " + s.speaker + "\n\n" + s.text + "\n\n"
		}), nil},
		{"Markdown table", "", lines, untimed, between("| Speaker | Text |\n| --- | --- |\n", "",
			func(_ int, s said) string {
				return "| " + s.speaker + " | " + oneLine(s.text) + " |\n"
			}), nil},
	},
	stories: []style{
		{"bold and dash", "people firsts", lines, untimed, between("", "", func(_ int, s said) string {
			return "**" + s.speaker + "** – " + s.text + "\n\n"
		}), nil},
		{"bold without colon", "people firsts", lines, untimed, between("", "", func(_ int, s said) string {
			return "**" + s.speaker + "** " + s.text + "\n\n"
		}), nil},
		{"italics", "people firsts", lines, untimed, between("", "", func(_ int, s said) string {
			return "*" + s.speaker + ":* " + s.text + "\n\n"
		}), nil},
		{"underscores", "people", lines, untimed, between("", "", func(_ int, s said) string {
			return "__" + s.speaker + "__: " + s.text + "\n\n"
		}), nil},
		{"quotations", "people", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return "> **" + s.speaker + "**: " + s.text + "\n\n"
		}), nil},
		{"table in Markdown", "people letters", oneLiners, timed, between(
			"| Time | Who | What was said |\n|------|-----|------|\n", "", func(_ int, s said) string {
				return fmt.Sprintf("| %s | **%s** | %s |\n", mmss(s.start), s.speaker,
					strings.ReplaceAll(s.text, "|", `\|`))
			}), nil},
		{"table after a title", "people letters", oneLiners, timed, between(
			"# Bakery\n\nTranscribed on March 5.\n\n| Time | Speaker | Text |\n|------|-----|------|\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("| %s | %s | %s |\n", mmss(s.start), s.speaker, strings.ReplaceAll(s.text, "|", `\|`))
			}), nil},
	},
	ward: []style{
		{"bold interviewer, plain answers", "firsts", oneLiners, untimed,
			between("", "", func(i int, s said) string {
				if i%2 == 0 {
					return "**" + s.text + "**\n\n"
				}
				return s.text + "\n\n"
			}), nobody},
		{"a heading per topic", "people", oneLiners, timed, between("# Interview 7\n\n## Transcript\n\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("**[%s] %s:** %s\n\n", mmss(s.start), s.speaker, s.text)
			}), nil},
		{"stars", "firsts roles", oneLiners, untimed, joined("*", "*: ", "\n\n"), nil},
		{"html in a text", "people", oneLiners, untimed, joined("<b>", ":</b> ", "<br>\n"), nil},
		{"questions in bold, answers with name", "firsts", oneLiners, untimed,
			between("", "", func(_ int, s said) string {
				return "**" + s.speaker + "**: " + s.text + "\n\n"
			}), nil},
		{"Notion, code times", "people firsts numbered", paragraphs, timed, between("# Interview 7\n\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("`%s` **%s**\n\n%s\n\n", mmss(s.start), s.speaker, s.text)
			}), nil},
		{"bold names, code times", "people roles", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("**%s** `%s`\n%s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
		{"headings of names and times", "people numbered", paragraphs, timed, between("# Interview 7\n\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("### %s (%s)\n\n%s\n\n", s.speaker, clockS(s.start), s.text)
			}), nil},
	},
	wardRare: []style{
		{"small capitals", "people", oneLiners, untimed, joined(`<span style="font-variant:small-caps">`,
			"</span>: ", "<br>\n"), nil},
		{"bold without spaces", "people", oneLiners, untimed, joined("**", "**", "\n\n"), nil},
		{"underlined names", "people roles", paragraphs, untimed, joined("<u>", "</u>\n\n", "\n\n"), nil},
		{"questions in bold with numbers", "firsts", oneLiners, untimed,
			between("", "", func(i int, s said) string {
				if i%2 == 0 {
					return fmt.Sprintf("**%d. %s**\n\n", i/2+1, s.text)
				}
				return s.text + "\n\n"
			}), nobody},
	},
	clinic: []style{
		{"Obsidian quotes", "people firsts", oneLiners, untimed,
			between("# Interview\n\n", "", func(_ int, s said) string {
				return "> [!quote] " + s.speaker + "\n> " + s.text + "\n\n"
			}), nil},
		{"Roam", "firsts people", oneLiners, untimed, joined("- ", ":: ", "\n"), nil},
		{"outline with bold", "people firsts", oneLiners, timed,
			between("- Transcript\n", "", func(_ int, s said) string {
				return fmt.Sprintf("    - [%s] **%s**: %s\n", mmss(s.start), s.speaker, s.text)
			}), nil},
	},
	desk: []style{
		{"magazine", "firsts", oneLiners, untimed,
			between("# “Nobody wrote anything down”\n\n*A conversation about front "+
				"desks. It has been edited for length.*\n\n", "", func(i int, s said) string {
				if i%2 == 0 {
					return "**Q: " + s.text + "**\n\n"
				}
				return "A: " + s.text + "\n\n"
			}), func(_ string, index int) string {
				if index == 0 {
					return "Q"
				}
				return "A"
			}},
		{"bold questions", "firsts", oneLiners, untimed, between("# A conversation\n\n", "",
			func(i int, s said) string {
				if i%2 == 0 {
					return "**" + s.text + "**\n\n"
				}
				return s.text + "\n\n"
			}), nobody},
		{"bold letters", "court", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return "**" + s.speaker + ":** " + s.text + "\n\n"
		}), nil},
		{"cleaned by a model", "roles people", oneLiners, untimed, func(turns []said) []byte {
			var b strings.Builder
			b.WriteString("Here's the cleaned-up transcript:\n\n---\n\n# User Interview Transcript\n\n" +
				"**Date:** March 5, 2024  \n**Participants:** " + strings.Join(speakersOf(turns), ", ") + "\n\n---\n\n")
			for _, s := range turns {
				b.WriteString("**" + s.speaker + ":** " + s.text + "\n\n")
			}
			return []byte(b.String())
		}, nil},
		{"cleaned by a model, with sections", "roles people", oneLiners, untimed,
			between("", "", func(i int, s said) string {
				section := ""
				if i%8 == 0 {
					parts := []string{"Introduction", "Daily work", "Tools", "Wishes", "Closing"}
					section = fmt.Sprintf("### Part %d: %s\n\n", i/8+1, parts[i/8%5])
				}
				return section + "**" + s.speaker + "**: " + s.text + "\n\n"
			}), nil},
		{"headings of speakers", "people firsts numbered", oneLiners, untimed,
			between("# Interview\n\n", "", func(_ int, s said) string {
				return "## " + s.speaker + "\n\n" + s.text + "\n\n"
			}), nil},
		{"bold names above", "people roles", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return "**" + s.speaker + "**\n\n" + s.text + "\n\n"
		}), nil},
		{"Markdown table", "people codes", oneLiners, untimed,
			between("| Speaker | What was said |\n|---|---|\n", "",
				func(_ int, s said) string { return "| " + s.speaker + " | " + s.text + " |\n" }), nil},
		{"Markdown quotes", "firsts", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return "> **" + s.speaker + "**: " + s.text + "\n\n"
		}), nil},
	},
}
