package transcript_test

import (
	"fmt"
	"strings"
)

// pageStyles are texts that were copied from pages, with what is printed at their edges.
var pageStyles = styles{
	stories: []style{
		{"pages", "people firsts letters", oneLiners, untimed,
			between("", "Page 4 of 4\n", func(i int, s said) string {
				page := ""
				if i%6 == 5 {
					page = fmt.Sprintf("Page %d of 4\n\n\fInterview 4 – confidential\n\n", i/6+1)
				}
				return s.speaker + ": " + s.text + "\n\n" + page
			}), nil},
		{"page numbers", "people letters", oneLiners, untimed, between("", "", func(i int, s said) string {
			page := ""
			if i%5 == 4 {
				page = fmt.Sprintf("\n%d\n\n", i/5+1)
			}
			return s.speaker + ": " + s.text + "\n\n" + page
		}), nil},
	},
	ward: []style{
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
	},
	wardRare: []style{
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
	},
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

var wrappedNames = between("", "", func(_ int, s said) string {
	return wrapAt(s.speaker+": "+s.text, 70, "") + "\n\n"
})

var wrappedStamps = between("", "", func(_ int, s said) string {
	return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, mmss(s.start), wrapAt(s.text, 70, ""))
})
