package transcript_test

import (
	"fmt"
	"strings"
)

// documentStyles are documents of word processors, and web pages.
var documentStyles = styles{
	bakery: []style{
		{"Word table", "", lines, timed,
			docxTable(rowsOf([]string{"Time", "End", "Speaker", "Text"}, timeSpeakerText)), nil},
		{"Word table, two columns", "", lines, untimed, docxTable(rowsOf(nil, speakerAndText)), nil},
		{"Word, names", "", lines, untimed, docxParagraphs(func(s said) []string {
			return []string{s.speaker + ": " + s.text}
		}), nil},
		{"Word, names above", "", lines, untimed, docxParagraphs(func(s said) []string {
			return []string{s.speaker, s.text}
		}), nil},
		{"Word, names and times above", "", lines, timed, docxParagraphs(func(s said) []string {
			return []string{s.speaker + " " + clockS(s.start), s.text}
		}), nil},
		{"ODT", "", lines, untimed, odtTurns(func(s said) string {
			return "<text:p>" + odtText(s.speaker+": "+s.text) + "</text:p>"
		}), nil},
		{"ODT table", "", lines, untimed, func(turns []said) []byte {
			var b strings.Builder
			b.WriteString("<table:table>")
			for _, s := range turns {
				b.WriteString("<table:table-row><table:table-cell><text:p>" + odtText(s.speaker) +
					"</text:p></table:table-cell><table:table-cell><text:p>" + odtText(s.text) +
					"</text:p></table:table-cell></table:table-row>")
			}
			return odtOf(b.String() + "</table:table>")
		}, nil},
		{"RTF", "", lines, untimed, rtfTurns(func(s said) string {
			return rtfText(s.speaker+": "+s.text) + "\\par\n"
		}), nil},
		{"RTF with times", "", lines, timed, rtfTurns(func(s said) string {
			return `{\b ` + rtfText(s.speaker) + `}  ` + clockS(s.start) + "\\line\n" + rtfText(s.text) + "\\par\n"
		}), nil},
		{"RTF table", "", lines, untimed, rtfTurns(func(s said) string {
			return `\trowd\cellx2000\cellx9000\intbl ` + rtfText(s.speaker) + `\cell ` +
				rtfText(s.text) + `\cell\row` + "\n"
		}), nil},
		{"HTML", "", lines, untimed, between("<!DOCTYPE html><html><head><title>Interview</title></head><body>\n",
			"", func(_ int, s said) string {
				return "<p><b>" + htmlText(s.speaker) + ":</b> " + htmlText(s.text) + "</p>\n"
			}), nil},
		{"HTML with times", "", lines, timed, between("<html><body>\n", "", func(_ int, s said) string {
			return fmt.Sprintf("<div class=turn><span>%s</span> <span>(%s)</span><br>%s</div>\n",
				htmlText(s.speaker), clockS(s.start), htmlText(s.text))
		}), nil},
		{"HTML table", "", lines, untimed, between("<table><tr><th>Speaker</th><th>Text</th></tr>\n", "",
			func(_ int, s said) string {
				return "<tr><td>" + htmlText(s.speaker) + "</td><td>" + htmlText(s.text) + "</td></tr>\n"
			}), nil},
		{"fragment of HTML", "", lines, untimed, between("", "", func(_ int, s said) string {
			return "<p><strong>" + htmlText(s.speaker) + "</strong>: " + htmlText(s.text) + "</p>\n"
		}), nil},
	},
	stories: []style{
		{"Podcasting 2.0 in HTML", "people firsts", lines, timed, between("<!DOCTYPE html>\n<html><body>\n",
			"</body></html>\n", func(_ int, s said) string {
				return fmt.Sprintf("<cite>%s:</cite>\n<time>%s</time>\n<p>%s</p>\n",
					vttEscape.Replace(s.speaker), short(s.start), vttEscape.Replace(s.text))
			}), nil},
		{"page with definition lists", "people", lines, untimed,
			between("<html><body><dl>\n", "</dl></body></html>\n",
				func(_ int, s said) string {
					return fmt.Sprintf("<dt>%s</dt>\n<dd>%s</dd>\n", vttEscape.Replace(s.speaker), vttEscape.Replace(s.text))
				}), nil},
		{"page with bold names", "people firsts", lines, untimed, between("<html><body>\n", "</body></html>\n",
			func(_ int, s said) string {
				return fmt.Sprintf("<p><strong>%s:</strong> %s</p>\n", vttEscape.Replace(s.speaker),
					vttEscape.Replace(s.text))
			}), nil},
		{"Telegram HTML", "people", lines, chatTimed,
			between("<!DOCTYPE html><html><body><div class=\"history\">\n",
				"</div></body></html>\n", func(_ int, s said) string {
					return fmt.Sprintf("<div class=\"message default clearfix\"><div class=\"pull_right date details\" "+
						"title=\"%s\">%s</div><div class=\"from_name\">%s</div><div class=\"text\">%s</div></div>\n",
						minuteAt(s.start, "02.01.2006 15:04:05"), minuteAt(s.start, "15:04"), vttEscape.Replace(s.speaker),
						vttEscape.Replace(s.text))
				}), nil},
		{"Word, names and breaks", "people numbered", lines, untimed, func(turns []said) []byte {
			var all []string
			for _, s := range turns {
				all = append(all, s.speaker+":\n"+s.text)
			}
			return docx(all...)
		}, nil},
		{"Word, tabs", "letters firsts", oneLiners, untimed, func(turns []said) []byte {
			var body strings.Builder
			for _, s := range turns {
				fmt.Fprintf(&body, "<w:p><w:r><w:t>%s:</w:t></w:r><w:r><w:tab/></w:r>"+
					"<w:r><w:t xml:space=\"preserve\">%s</w:t></w:r></w:p>",
					vttEscape.Replace(s.speaker), vttEscape.Replace(s.text))
			}
			return docxOf(body.String())
		}, nil},
		{"Word, names in paragraphs", "people", lines, untimed, func(turns []said) []byte {
			all := []string{"Interview with a bakery"}
			for _, s := range turns {
				all = append(all, s.speaker, s.text)
			}
			return docx(all...)
		}, nil},
	},
	ward: []style{
		{"HTML, paragraphs with times", "people", oneLiners, timed,
			between("<html><head><title>Interview 7</title></head><body>", "</body></html>",
				func(_ int, s said) string {
					return fmt.Sprintf("<p><span class=\"t\">[%s]</span> <b>%s:</b> %s</p>\n", clockS(s.start),
						vttEscape.Replace(s.speaker), vttEscape.Replace(s.text))
				}), nil},
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
	},
	wardRare: []style{
		{"Word, numbered names", "letters", oneLiners, untimed, docxParagraphs(func(s said) []string {
			return []string{s.speaker + "\t" + s.text}
		}), nil},
		{"Word, times below", "people", lines, timed, docxParagraphs(func(s said) []string {
			return []string{s.speaker, clockS(s.start), s.text}
		}), nil},
		{"ODT, semicolons", "people", oneLiners, untimed, odtTurns(func(s said) string {
			return "<text:p>" + odtText(s.speaker+"; "+s.text) + "</text:p>"
		}), nil},
	},
	clinic: []style{
		{"Word, bold names above indented words", "people roles", oneLiners, untimed, func(turns []said) []byte {
			return wordField("", turns, func(s said) string {
				return `<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>` + vttEscape.Replace(s.speaker) + `</w:t></w:r></w:p>` +
					`<w:p><w:pPr><w:ind w:left="720"/></w:pPr><w:r><w:t xml:space="preserve">` +
					vttEscape.Replace(s.text) + `</w:t></w:r></w:p>`
			})
		}, nil},
		{"Word, times in the right column", "codes firsts", oneLiners, timed,
			docxTable(rowsOf(nil, func(_ int, s said) []string {
				return []string{s.speaker, s.text, mmss(s.start)}
			})), nil},
		{"Word, a column for each speaker", "roles", oneLiners, untimed, func(turns []said) []byte {
			names := speakersOf(turns)
			return docxTable(func(turns []said) [][]string {
				rows := [][]string{names}
				for _, s := range turns {
					row := make([]string, len(names))
					row[indexOf(turns, s.speaker)] = s.text
					rows = append(rows, row)
				}
				return rows
			})(turns)
		}, nil},
		{"Confluence table", "people", oneLiners, timed,
			between("<table><tbody><tr><th>When</th><th>Who</th><th>What</th></tr>\n", "</tbody></table>",
				func(_ int, s said) string {
					return fmt.Sprintf("<tr><td>%s</td><td>%s</td><td>%s</td></tr>\n", clockS(s.start), htmlText(s.speaker),
						htmlText(s.text))
				}), nil},
	},
	desk: []style{
		{"Telegram HTML", "people firsts", oneLiners, chatTimed,
			between("<!DOCTYPE html><html><head><meta charset=\"utf-8\"/><title>Exported Data</title></head><body>"+
				"<div class=\"page_wrap\"><div class=\"page_header\"><div class=\"content\"><div class=\"text bold\">"+
				"Maya</div></div></div><div class=\"history\">\n", "</div></div></body></html>",
				func(i int, s said) string {
					return fmt.Sprintf("<div class=\"message default clearfix\" id=\"message%d\"><div class=\"body\">"+
						"<div class=\"pull_right date details\" title=\"%s UTC+01:00\">%s</div><div class=\"from_name\">"+
						"%s</div><div class=\"text\">%s</div></div></div>\n", i, minuteAt(s.start, "02.01.2006 15:04:05"),
						minuteAt(s.start, "15:04"), htmlText(s.speaker), htmlText(s.text))
				}), nil},
		{"Word, bold codes and tabs", "codes roles", oneLiners, untimed, func(turns []said) []byte {
			return wordField(titlePage(turns), turns, func(s said) string {
				return `<w:p><w:pPr><w:ind w:left="1134" w:hanging="1134"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>` +
					vttEscape.Replace(s.speaker) + `:</w:t></w:r><w:r><w:tab/><w:t xml:space="preserve">` +
					vttEscape.Replace(s.text) + `</w:t></w:r></w:p>`
			})
		}, nil},
		{"Word, bold codes and tabs without colons", "codes firsts", oneLiners, untimed, func(turns []said) []byte {
			return wordField("", turns, func(s said) string {
				return `<w:p><w:pPr><w:ind w:left="1134" w:hanging="1134"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>` +
					vttEscape.Replace(s.speaker) + `</w:t></w:r><w:r><w:tab/><w:t xml:space="preserve">` +
					vttEscape.Replace(s.text) + `</w:t></w:r></w:p>`
			})
		}, nil},
		{"Word, runs", "people codes", oneLiners, untimed, func(turns []said) []byte {
			return wordField("", turns, func(s said) string {
				half := len([]rune(s.text)) / 2
				runes := []rune(s.text)
				return `<w:p w:rsidR="00A1"><w:proofErr w:type="spellStart"/><w:r><w:rPr><w:b/></w:rPr>` +
					`<w:t xml:space="preserve">` + vttEscape.Replace(s.speaker) + `: </w:t></w:r>` +
					`<w:proofErr w:type="spellEnd"/><w:r><w:t xml:space="preserve">` +
					vttEscape.Replace(string(runes[:half])) + `</w:t></w:r><w:r w:rsidR="00B2"><w:t xml:space="preserve">` +
					vttEscape.Replace(string(runes[half:])) + `</w:t></w:r></w:p><w:p/>`
			})
		}, nil},
		{"Word, three columns", "codes people", lines, timed, docxTable(rowsOf([]string{"Time", "Speaker", "Text"},
			func(_ int, s said) []string { return []string{mmss(s.start), s.speaker, s.text} })), nil},
		{"Word, numbered table", "codes firsts", lines, untimed, docxTable(rowsOf([]string{"No.", "Who", "What"},
			func(i int, s said) []string { return []string{fmt.Sprint(i + 1), s.speaker, s.text} })), nil},
		{"Word, table without headings", "codes firsts", lines, untimed,
			docxTable(rowsOf(nil, func(_ int, s said) []string {
				return []string{s.speaker + ":", s.text}
			})), nil},
		{"Word, table with line numbers", "codes", oneLiners, untimed,
			docxTable(rowsOf(nil, func(i int, s said) []string {
				return []string{fmt.Sprint(i + 1), s.speaker, s.text}
			})), nil},
		{"Word of Otter", "people numbered", oneLiners, timed, func(turns []said) []byte {
			return wordField("User interview\nTue, Mar 5, 2024 10:02AM • 42:10\n\nSUMMARY KEYWORDS\n"+
				"file, desk, budget, bus\n\nSPEAKERS\n"+strings.Join(speakersOf(turns), ", ")+"\n", turns,
				func(s said) string {
					return wordParagraph(s.speaker+"  "+mmss(s.start)) + wordParagraph(s.text)
				})
		}, nil},
		{"Word of Teams, old", "people", oneLiners, timed, func(turns []said) []byte {
			return wordField("", turns, func(s said) string {
				return `<w:p><w:r><w:t>` + unpadded(s.start) + ` --&gt; ` + unpadded(s.end) +
					`</w:t></w:r><w:r><w:br/><w:t>` +
					vttEscape.Replace(s.speaker) + `</w:t></w:r><w:r><w:br/><w:t xml:space="preserve">` +
					vttEscape.Replace(s.text) + `</w:t></w:r></w:p>`
			})
		}, nil},
		{"Word of Teams, new", "people guests", oneLiners, timed, func(turns []said) []byte {
			return wordField("User interview-20240305_100215-Meeting Recording\nMarch 5, 2024, 9:02AM\n42m 10s\n",
				turns, func(s said) string {
					return `<w:p><w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">` + vttEscape.Replace(s.speaker) +
						`   </w:t></w:r><w:r><w:t>` + short(s.start) + `</w:t></w:r><w:r><w:br/><w:t xml:space="preserve">` +
						vttEscape.Replace(s.text) + `</w:t></w:r></w:p>`
				})
		}, nil},
		{"Word of Rev", "people roles", oneLiners, timed, func(turns []said) []byte {
			return wordField("", turns, func(s said) string {
				return wordParagraph(fmt.Sprintf("%s (%s):", s.speaker, mmss(s.start))) + wordParagraph(s.text)
			})
		}, nil},
		{"Word of Amberscript", "numbered people", oneLiners, timed, func(turns []said) []byte {
			return wordField("", turns, func(s said) string {
				return wordParagraph(s.speaker+" ("+clockS(s.start)+")") + wordParagraph(s.text)
			})
		}, nil},
		{"ODT, bold names", "codes firsts", oneLiners, untimed, odtTurns(func(s said) string {
			return `<text:p><text:span text:style-name="T1">` + odtText(s.speaker) + `:</text:span><text:tab/>` +
				odtText(s.text) + "</text:p>"
		}), nil},
		{"HTML of a page", "people", oneLiners, timed,
			between("<html><head><title>Interview</title><script>var a = 1;</script></head><body><nav>"+
				"<a href=\"/\">Home</a></nav><main><h1>Interview 12</h1>\n", "</main></body></html>",
				func(_ int, s said) string {
					return fmt.Sprintf("<div class=\"turn\"><h3>%s <time>%s</time></h3><p>%s</p></div>\n",
						htmlText(s.speaker), mmss(s.start), htmlText(s.text))
				}), nil},
		{"HTML of oTranscribe", "codes firsts", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf(`<p><span class="timestamp" contenteditable="false" data-timestamp="%.6f">%s</span>`+
				`&nbsp;<b>%s:</b> %s<br /></p>`+"\n", s.start.Seconds(), mmss(s.start),
				htmlText(s.speaker), htmlText(s.text))
		}), nil},
	},
}
