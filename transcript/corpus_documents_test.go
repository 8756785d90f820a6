package transcript_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"fmt"
	"html"
	"strings"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"
)

// rowsOf writes the turns as rows with the given cells.
func rowsOf(heading []string, cells func(i int, s said) []string) func([]said) [][]string {
	return func(turns []said) [][]string {
		var rows [][]string
		if heading != nil {
			rows = append(rows, heading)
		}
		for i, s := range turns {
			rows = append(rows, cells(i, s))
		}
		return rows
	}
}

func csvOf(separator rune, rows func([]said) [][]string) func([]said) []byte {
	return func(turns []said) []byte {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		w.Comma = separator
		if err := w.WriteAll(rows(turns)); err != nil {
			panic(err)
		}
		return b.Bytes()
	}
}

func xlsxOf(rows func([]said) [][]string) func([]said) []byte {
	return func(turns []said) []byte {
		file := excelize.NewFile()
		for i, row := range rows(turns) {
			if err := file.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &row); err != nil {
				panic(err)
			}
		}
		var b bytes.Buffer
		if err := file.Write(&b); err != nil {
			panic(err)
		}
		return b.Bytes()
	}
}

// docxTable writes a Word document with a table.
func docxTable(rows func([]said) [][]string) func([]said) []byte {
	return func(turns []said) []byte {
		var b strings.Builder
		b.WriteString("<w:tbl>")
		for _, row := range rows(turns) {
			b.WriteString("<w:tr>")
			for _, cell := range row {
				b.WriteString(`<w:tc><w:p><w:r><w:t xml:space="preserve">` + vttEscape.Replace(cell) +
					`</w:t></w:r></w:p></w:tc>`)
			}
			b.WriteString("</w:tr>")
		}
		b.WriteString("</w:tbl>")
		return docxOf(b.String())
	}
}

// docxParagraphs writes a Word document with paragraphs for each turn.
func docxParagraphs(paragraphs func(s said) []string) func([]said) []byte {
	return func(turns []said) []byte {
		var all []string
		for _, s := range turns {
			all = append(all, paragraphs(s)...)
		}
		return docx(all...)
	}
}

// odtOf writes an OpenDocument text with the given body.
func odtOf(body string) []byte {
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	for _, part := range []struct{ name, content string }{
		{"mimetype", "application/vnd.oasis.opendocument.text"},
		{"content.xml", `<?xml version="1.0" encoding="UTF-8"?><office:document-content` +
			` xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"` +
			` xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"` +
			` xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0">` +
			`<office:body><office:text>` + body + `</office:text></office:body></office:document-content>`},
	} {
		out, err := archive.Create(part.name)
		if err == nil {
			_, err = out.Write([]byte(part.content))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := archive.Close(); err != nil {
		panic(err)
	}
	return file.Bytes()
}

func odtTurns(turn func(s said) string) func([]said) []byte {
	return func(turns []said) []byte {
		var b strings.Builder
		for _, s := range turns {
			b.WriteString(turn(s))
		}
		return odtOf(b.String())
	}
}

func odtText(s string) string {
	return strings.ReplaceAll(vttEscape.Replace(s), "\n", "<text:line-break/>")
}

// rtfText escapes a text as word processors do.
func rtfText(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString(`\line `)
		case r == '\\' || r == '{' || r == '}':
			b.WriteString(`\` + string(r))
		case r < 128:
			b.WriteRune(r)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%d?`, int16(unit))
			}
		}
	}
	return b.String()
}

const rtfHead = `{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss Helvetica;}}` +
	`{\*\generator Riched20;}{\info{\title Interview}}\viewkind4\uc1\pard\f0\fs24 `

func rtfTurns(turn func(s said) string) func([]said) []byte {
	return func(turns []said) []byte {
		var b strings.Builder
		b.WriteString(rtfHead)
		for _, s := range turns {
			b.WriteString(turn(s))
		}
		return []byte(b.String() + "}")
	}
}

func htmlText(s string) string { return strings.ReplaceAll(html.EscapeString(s), "\n", "<br>\n") }

const ttmlHead = `<?xml version="1.0" encoding="UTF-8"?>
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttm="http://www.w3.org/ns/ttml#metadata" xml:lang="en">
`

func ttmlText(s string) string { return strings.ReplaceAll(vttEscape.Replace(s), "\n", "<br/>") }

// ttmlAgents writes Timed Text whose speakers are agents.
func ttmlAgents(turns []said) []byte {
	var head, body strings.Builder
	numbers := map[string]int{}
	for _, s := range turns {
		if numbers[s.speaker] == 0 {
			numbers[s.speaker] = len(numbers) + 1
			fmt.Fprintf(&head, `<ttm:agent xml:id="a%d" type="person"><ttm:name type="full">%s</ttm:name></ttm:agent>`,
				numbers[s.speaker], vttEscape.Replace(s.speaker))
		}
		fmt.Fprintf(&body, `<p begin="%s" end="%s" ttm:agent="a%d">%s</p>`+"\n",
			clockMS(s.start, "."), clockMS(s.end, "."), numbers[s.speaker], ttmlText(s.text))
	}
	return []byte(ttmlHead + "<head><metadata>" + head.String() + "</metadata></head><body><div>" +
		body.String() + "</div></body></tt>")
}

func speakerAndText(_ int, s said) []string { return []string{s.speaker, s.text} }

func timeSpeakerText(_ int, s said) []string {
	return []string{clockMS(s.start, "."), clockMS(s.end, "."), s.speaker, s.text}
}

// documentLayouts are tables and documents.
var documentLayouts = []corpusLayout{
	{"CSV", timed, csvOf(',', rowsOf([]string{"Start", "End", "Speaker", "Text"}, timeSpeakerText)), nil, ""},
	{"CSV, two columns", untimed,
		csvOf(',', rowsOf([]string{"speaker", "transcript"}, speakerAndText)), nil, ""},
	{"CSV, two columns without heading", untimed, csvOf(',', rowsOf(nil, speakerAndText)), nil, ""},
	{"CSV, semicolons", timed, csvOf(';', rowsOf(nil, timeSpeakerText)), nil, ""},
	{"TSV in milliseconds", timed, csvOf('\t', rowsOf([]string{"start_ms", "speaker", "utterance"},
		func(_ int, s said) []string {
			return []string{fmt.Sprint(s.start.Milliseconds()), s.speaker, oneLine(s.text)}
		})), nil, ""},
	{"CSV in seconds", timed, csvOf(',', rowsOf([]string{"id", "speaker", "start_time", "end_time", "content"},
		func(i int, s said) []string {
			return []string{
				fmt.Sprint(i), s.speaker, fmt.Sprint(s.start.Seconds()), fmt.Sprint(s.end.Seconds()), s.text,
			}
		})), nil, ""},
	{"XLSX", timed, xlsxOf(rowsOf([]string{"Zeit", "Ende", "Sprecher", "Inhalt"}, timeSpeakerText)), nil, ""},
	{"XLSX, two columns", untimed, xlsxOf(rowsOf(nil, speakerAndText)), nil, ""},
	{"Word table", timed,
		docxTable(rowsOf([]string{"Time", "End", "Speaker", "Text"}, timeSpeakerText)), nil, ""},
	{"Word table, two columns", untimed, docxTable(rowsOf(nil, speakerAndText)), nil, ""},
	{"Word, names", untimed, docxParagraphs(func(s said) []string {
		return []string{s.speaker + ": " + s.text}
	}), nil, ""},
	{"Word, names above", untimed, docxParagraphs(func(s said) []string {
		return []string{s.speaker, s.text}
	}), nil, ""},
	{"Word, names and times above", timed, docxParagraphs(func(s said) []string {
		return []string{s.speaker + " " + clockS(s.start), s.text}
	}), nil, ""},
	{"ODT", untimed, odtTurns(func(s said) string {
		return "<text:p>" + odtText(s.speaker+": "+s.text) + "</text:p>"
	}), nil, ""},
	{"ODT table", untimed, func(turns []said) []byte {
		var b strings.Builder
		b.WriteString("<table:table>")
		for _, s := range turns {
			b.WriteString("<table:table-row><table:table-cell><text:p>" + odtText(s.speaker) +
				"</text:p></table:table-cell><table:table-cell><text:p>" + odtText(s.text) +
				"</text:p></table:table-cell></table:table-row>")
		}
		return odtOf(b.String() + "</table:table>")
	}, nil, ""},
	{"RTF", untimed, rtfTurns(func(s said) string {
		return rtfText(s.speaker+": "+s.text) + "\\par\n"
	}), nil, ""},
	{"RTF with times", timed, rtfTurns(func(s said) string {
		return `{\b ` + rtfText(s.speaker) + `}  ` + clockS(s.start) + "\\line\n" + rtfText(s.text) + "\\par\n"
	}), nil, ""},
	{"RTF table", untimed, rtfTurns(func(s said) string {
		return `\trowd\cellx2000\cellx9000\intbl ` + rtfText(s.speaker) + `\cell ` +
			rtfText(s.text) + `\cell\row` + "\n"
	}), nil, ""},
	{"HTML", untimed, eachCorpusTurn("<!DOCTYPE html><html><head><title>Interview</title></head><body>\n",
		func(_ int, s said) string {
			return "<p><b>" + htmlText(s.speaker) + ":</b> " + htmlText(s.text) + "</p>\n"
		}), nil, ""},
	{"HTML with times", timed, eachCorpusTurn("<html><body>\n", func(_ int, s said) string {
		return fmt.Sprintf("<div class=turn><span>%s</span> <span>(%s)</span><br>%s</div>\n",
			htmlText(s.speaker), clockS(s.start), htmlText(s.text))
	}), nil, ""},
	{"HTML table", untimed, eachCorpusTurn("<table><tr><th>Speaker</th><th>Text</th></tr>\n",
		func(_ int, s said) string {
			return "<tr><td>" + htmlText(s.speaker) + "</td><td>" + htmlText(s.text) + "</td></tr>\n"
		}), nil, ""},
	{"fragment of HTML", untimed, eachCorpusTurn("", func(_ int, s said) string {
		return "<p><strong>" + htmlText(s.speaker) + "</strong>: " + htmlText(s.text) + "</p>\n"
	}), nil, ""},
	{"TTML, agents", timed, ttmlAgents, nil, ""},
	{"TTML, labels", timed, func(turns []said) []byte {
		paragraphs := eachCorpusTurn(ttmlHead+"<body><div>\n", func(_ int, s said) string {
			return fmt.Sprintf(`<p begin="%s" end="%s">%s: %s</p>`+"\n",
				seconds(s.start), seconds(s.end), ttmlText(s.speaker), ttmlText(s.text))
		})(turns)
		return append(paragraphs, "</div></body></tt>"...)
	}, nil, ""},
}
